//! The choice of one option per stage against proven optima: 60 instances (a part of them in each folder), each
//! solved by an exact search and by HiGHS, many also by dynamic programming, by microlp and by brute force.

use super::oracle;
use plan::choose::exact::{Answer, Choice, Effort, Outcome, Problem, Proof, Stage};
use serde_json::Value;
use std::collections::BTreeMap;

/// Several times what the hardest known instance needs.
const EFFORT: Effort = Effort::steps(2_000_000_000);

#[test]
#[ignore = "needs the oracles; run with --ignored"]
fn every_optimum_is_met() {
    let folder = oracle("dtctp");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty(), "no instances in {}", folder.display());
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let instance: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let stages = stages(&instance).unwrap();
        let problem = Problem::new(&stages).unwrap();
        let oracle = &instance["oracle"];
        let cheapest = problem.cheapest_within(instance["deadline_s"].as_i64(), EFFORT);
        *rows.entry(if oracle["feasible"] == true { "cost" } else { "cost, infeasible" }).or_default() += 1;
        wrong.extend(check_cost(&stages, &instance, &cheapest).map(|e| format!("{name}, cost: {e}")));
        let budget = oracle["budget_udollar"].as_i64().unwrap();
        let fastest = problem.fastest_within(budget, EFFORT);
        *rows.entry("budget").or_default() += 1;
        wrong.extend(check_makespan(&stages, oracle, &fastest).map(|e| format!("{name}, budget: {e}")));
    }
    println!("choice: {} instances, {rows:?}, none dropped, {} wrong", files.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What is wrong with the answer under the deadline.
fn check_cost(stages: &[Stage], instance: &Value, outcome: &Outcome) -> Option<String> {
    let oracle = &instance["oracle"];
    match (outcome, oracle["feasible"].as_bool()?) {
        (Outcome::Infeasible { least }, false) => (Some(*least) != instance["min_makespan_s"].as_i64())
            .then(|| format!("shortest possible {least}")),
        (Outcome::Found(answer), true) => {
            let (cost, makespan) = (oracle["optimal_cost_udollar"].as_i64(), oracle["makespan_s"].as_i64());
            let good = Some(answer.cost) == cost && Some(answer.makespan) <= makespan;
            check(stages, answer)
                .or_else(|| (!good).then(|| format!("{answer:?}, not {cost:?} in {makespan:?}")))
        }
        _ => Some(format!("feasible: {}, but {outcome:?}", oracle["feasible"])),
    }
}

/// What is wrong with the answer under the budget.
fn check_makespan(stages: &[Stage], oracle: &Value, outcome: &Outcome) -> Option<String> {
    let Outcome::Found(answer) = outcome else { return Some(format!("{outcome:?}")) };
    let makespan = oracle["min_makespan_within_budget_s"].as_i64();
    let cost = oracle["cost_at_that_makespan_udollar"].as_i64();
    let good = Some(answer.makespan) == makespan && Some(answer.cost) <= cost;
    check(stages, answer).or_else(|| (!good).then(|| format!("{answer:?}, not {makespan:?} for {cost:?}")))
}

/// What is wrong with an answer in itself: not proven, or its sums are not those of its places.
fn check(stages: &[Stage], answer: &Answer) -> Option<String> {
    let mut end = vec![0; stages.len()];
    let mut cost = 0;
    // The instances list their stages in an order of the graph.
    for (i, (stage, &place)) in stages.iter().zip(&answer.places).enumerate() {
        let start = stage.after.iter().map(|&p| end[p]).max().unwrap_or(0);
        end[i] = start + stage.choices[place].time;
        cost += stage.choices[place].cost;
    }
    let sums = (cost, end.into_iter().max().unwrap_or(0));
    let good =
        answer.proof == Proof::Proven { first_of_equals: true } && sums == (answer.cost, answer.makespan);
    (!good).then(|| format!("{answer:?}, but the places sum up to {sums:?}"))
}

fn stages(instance: &Value) -> Option<Vec<Stage>> {
    let list = instance["stages"].as_array()?;
    let number = |id: &Value| list.iter().position(|s| s["id"] == *id);
    let choice = |o: &Value| Some(Choice { time: o["time_s"].as_i64()?, cost: o["cost_udollar"].as_i64()? });
    let stage = |s: &Value| {
        let choices = s["options"].as_array()?.iter().map(choice).collect::<Option<_>>()?;
        Some(Stage { choices, after: s["deps"].as_array()?.iter().map(number).collect::<Option<_>>()? })
    };
    list.iter().map(stage).collect()
}
