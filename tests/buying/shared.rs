//! Months that stages share, against every assignment of stages to machines.

use super::{catalog, planned};
use crate::buying::properties::config;
use plan::plan::Plan;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// A machine type: cents an hour, and dollars a month where it is sold so.
type Machine = (u32, Option<u32>);

/// Stages one after the other on machine types of one card, with whole hours for each stage on each type.
#[derive(Debug, Clone)]
struct Case {
    machines: Vec<Machine>,
    hours: Vec<Vec<u32>>,
}

fn case() -> impl Strategy<Value = Case> {
    let machine = (50_u32..300, 150_u32..600, prop::bool::weighted(0.8)).prop_map(|(cents, hours, sold)| {
        // A month is worth its price from so many hours on.
        (cents, sold.then_some(cents * hours / 100))
    });
    (prop::collection::vec(machine, 2..=5), 2_usize..=4).prop_flat_map(|(machines, stages)| {
        let hours = |cents: u32| (10_u32..400).prop_map(move |work| (work * 100 / (cents / 2 + 60)).max(1));
        let stage: Vec<_> = machines.iter().map(|(cents, _)| hours(*cents)).collect();
        prop::collection::vec(stage, stages).prop_map(move |hours| Case { machines: machines.clone(), hours })
    })
}

/// What a machine costs that is busy in these spans, in cents: months may begin at any hour.
fn least(machine: Machine, spans: &[(u32, u32)]) -> u64 {
    let (cents, month) = machine;
    let end = spans.iter().map(|span| span.1).max().unwrap_or(0);
    let mut cost = vec![0_u64; end as usize + 731];
    for hour in (0..end).rev() {
        let (used, at) = (spans.iter().any(|(from, to)| *from <= hour && hour < *to), hour as usize);
        let hour = cost[at + 1] + if used { u64::from(cents) } else { 0 };
        cost[at] = month.map_or(hour, |month| hour.min(cost[at + 730] + u64::from(month) * 100));
    }
    cost[0]
}

/// Cost in cents and hours of every assignment of stages to machine types.
fn all(case: &Case) -> Vec<(u64, u32)> {
    let (stages, types) = (case.hours.len(), case.machines.len());
    let number = types.pow(u32::try_from(stages).unwrap());
    let one = |number: usize| {
        let mut spans = vec![Vec::new(); types];
        let (mut rest, mut at) = (number, 0_u32);
        for hours in &case.hours {
            let end = at + hours[rest % types];
            spans[rest % types].push((at, end));
            (at, rest) = (end, rest / types);
        }
        (case.machines.iter().zip(&spans).map(|(machine, spans)| least(*machine, spans)).sum(), at)
    };
    (0..number).map(one).collect()
}

fn answered(case: &Case, limits: &str) -> Plan {
    let names: Vec<String> = (0..case.machines.len()).map(|at| format!("m{at}")).collect();
    let price = |(cents, month): &Machine| {
        let month = month.map_or_else(String::new, |month| format!(", month = {month}"));
        format!("region = \"r\", on_demand = {}.{:02}{month}", cents / 100, cents % 100)
    };
    let prices: Vec<String> = case.machines.iter().map(price).collect();
    let prices: Vec<[&str; 1]> = prices.iter().map(|price| [price.as_str()]).collect();
    let machines: Vec<(&str, &str, &[&str])> =
        names.iter().zip(&prices).map(|(name, price)| (name.as_str(), "T4", price.as_slice())).collect();
    let mut text = format!(
        "{limits}\n[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n"
    );
    for (at, hours) in case.hours.iter().enumerate() {
        let measured: Vec<String> = hours
            .iter()
            .enumerate()
            .map(|(m, hours)| format!("{{ on = \"acme/m{m}\", time = \"{hours}h\" }}"))
            .collect();
        let after = if at > 0 { format!("after = [\"s{}\"]\n", at - 1) } else { String::new() };
        text += &format!(
            "[[stage]]\nname = \"s{at}\"\nkind = \"train\"\n{after}startup = \"0s\"\nmeasured = [{}]\n",
            measured.join(", ")
        );
    }
    planned(&text, &catalog(&machines, ""))
}

fn cents(plan: &Plan) -> i64 {
    let cost = plan.cost.unwrap().expected.unwrap();
    i64::try_from(cost.nanos() / 10_000_000).unwrap()
}

fn hours(plan: &Plan) -> f64 {
    plan.time.unwrap().expected.get().round()
}

/// A cent for the rounding of each stage.
const ROUNDING: i64 = 4;

#[test]
fn no_assignment_of_a_chain_to_machines_and_months_is_cheaper() {
    let shared = Cell::new(0);
    let result = TestRunner::new(config(150)).run(&(case(), 0_u32..130), |(case, tight)| {
        let all = all(&case);
        let (cheapest, slow) = *all.iter().min().unwrap();
        let fast = all.iter().map(|(_, hours)| *hours).min().unwrap();
        // From 100 % on there is no deadline.
        let deadline = (tight < 100).then(|| fast + (slow - fast) * tight / 100);
        let limits = deadline.map(|hours| format!("[limits]\ndeadline = \"{hours}h\""));
        let plan = answered(&case, &limits.unwrap_or_default());
        let within = deadline.unwrap_or(u32::MAX);
        let best = all.iter().filter(|(_, hours)| *hours <= within).min().unwrap().0;
        prop_assert!(deadline.is_some() || best == cheapest);
        let (got, want) = (cents(&plan), i64::try_from(best).unwrap());
        prop_assert!((got - want).abs() <= ROUNDING, "{got} instead of {want} within {deadline:?}");
        prop_assert!(hours(&plan) <= f64::from(within));
        let mut bills =
            plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()).flat_map(|c| c.bill.lines());
        shared.set(shared.get() + usize::from(bills.any(|line| line.text.contains("shared with"))));
        Ok(())
    });
    result.unwrap();
    assert!(shared.get() > 20, "only {} of these plans share anything", shared.get());
}

#[test]
fn money_that_months_save_buys_time() {
    TestRunner::new(config(100))
        .run(&(case(), 100_u64..160), |(case, more)| {
            let all = all(&case);
            let budget = all.iter().min().unwrap().0 * more / 100 + 5;
            let limits =
                format!("[limits]\naim = \"time\"\nbudget = \"{}.{:02} USD\"", budget / 100, budget % 100);
            let plan = answered(&case, &limits);
            let fits = all.iter().filter(|(cost, _)| *cost + 4 <= budget);
            let (time, cost) = fits.map(|(cost, hours)| (*hours, *cost)).min().unwrap();
            let time = f64::from(time);
            prop_assert!(hours(&plan) <= time, "{} h instead of {time} h", hours(&plan));
            let (got, cost) = (cents(&plan), i64::try_from(cost).unwrap());
            prop_assert!(got <= i64::try_from(budget).unwrap());
            prop_assert!(hours(&plan) < time || got <= cost + ROUNDING, "{got} instead of {cost}");
            Ok(())
        })
        .unwrap();
}
