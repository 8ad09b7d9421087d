//! The exact choice against trying everything, and properties of it where nobody can try everything.

mod brute;
pub(crate) mod random;

use plan::choose::exact::{Answer, Choice, Effort, Outcome, Problem, Proof, Shape, Stage};
use random::{Kind, Random, Style, instance};

const KINDS: [Kind; 3] = [Kind::Chain, Kind::SeriesParallel, Kind::General];
const STYLES: [Style; 5] = [Style::Cloud, Style::Convex, Style::Dense, Style::Random, Style::Concave];

/// Up to six stages of up to five choices, in any order. Two in three have small numbers, so that many selections
/// are equal, half of those because what time is saved costs the same everywhere.
fn small(random: &mut Random) -> Vec<Stage> {
    let (kind, style) = (random.one_of(&KINDS), random.one_of(&STYLES));
    let least = if kind == Kind::General { 4 } else { 1 };
    let size = (least + random.below(7 - least), 1 + random.below(5));
    let mut stages = instance(random, kind, style, size, 1.0);
    if kind == Kind::General {
        for (i, stage) in stages.iter_mut().enumerate() {
            stage.after = (0..i).filter(|_| random.below(5) < 2).collect();
        }
    }
    let (numbers, times, costs) = (random.below(3), 2 + random.below(9), 2 + random.below(9));
    for choice in stages.iter_mut().flat_map(|s| &mut s.choices) {
        let time = number(random, times);
        match numbers {
            0 => *choice = Choice { time, cost: number(random, costs) },
            1 => *choice = Choice { time, cost: 12 - time },
            _ => (),
        }
    }
    shuffled(random, &stages).0
}

fn number(random: &mut Random, n: usize) -> i64 {
    i64::try_from(random.below(n)).unwrap_or(0)
}

/// The same stages in another order, and where each went.
fn shuffled(random: &mut Random, stages: &[Stage]) -> (Vec<Stage>, Vec<usize>) {
    let mut order: Vec<usize> = (0..stages.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i + 1));
    }
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let moved = |s: &Stage| Stage { after: s.after.iter().map(|&p| place[p]).collect(), ..s.clone() };
    (order.iter().map(|&old| moved(&stages[old])).collect(), place)
}

fn found(outcome: Outcome) -> Answer {
    outcome.found().expect("a limit that can be kept")
}

/// Checks that an answer's sums are those of its places.
fn honest(stages: &[Stage], answer: &Answer) {
    let own = brute::selection(stages, answer.places.clone());
    assert_eq!((answer.cost, answer.makespan), (own.cost, own.makespan));
}

/// A deadline `share` of the way from the shortest makespan to that of the cheapest choices.
fn deadline(problem: &Problem, share: f64) -> i64 {
    let Outcome::Infeasible { least } = problem.cheapest_within(Some(-1), Effort::ORDINARY) else {
        panic!("no selection takes less than no time")
    };
    let slow = found(problem.cheapest_within(None, Effort::ORDINARY)).makespan;
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "far below 2⁵³")]
    let part = ((slow - least) as f64 * share) as i64;
    least + part
}

#[test]
fn ten_thousand_answers_keep_their_limits() {
    let mut random = Random(6);
    for case in 0..10_000 {
        let stages = small(&mut random);
        let problem = Problem::new(&stages).unwrap();
        let places = stages.iter().map(|s| random.below(s.choices.len())).collect();
        let some = brute::selection(&stages, places);
        let cheapest = found(problem.cheapest_within(Some(some.makespan), Effort::ORDINARY));
        let fastest = found(problem.fastest_within(some.cost, Effort::ORDINARY));
        honest(&stages, &cheapest);
        honest(&stages, &fastest);
        assert!(cheapest.makespan <= some.makespan && cheapest.cost <= some.cost, "case {case}");
        assert!(fastest.cost <= some.cost && fastest.makespan <= some.makespan, "case {case}");
    }
}

#[test]
fn brute_force_agrees_to_the_last_tie() {
    let mut random = Random(1);
    let proven = Proof::Proven { first_of_equals: true };
    let (mut ties, mut infeasible) = (0, [0, 0]);
    for case in 0..1500 {
        let stages = small(&mut random);
        let problem = Problem::new(&stages).unwrap();
        let all = brute::selections(&stages);
        for _ in 0..3 {
            let some = &all[random.below(all.len())];
            let deadline = some.makespan - i64::from(random.below(3) == 0);
            match (problem.cheapest_within(Some(deadline), Effort::ORDINARY), brute::cheapest(&all, deadline))
            {
                (Outcome::Infeasible { least }, None) => {
                    assert_eq!(Some(least), all.iter().map(|s| s.makespan).min(), "case {case}");
                    infeasible[0] += 1;
                }
                (Outcome::Found(answer), Some(best)) => {
                    let all_equal = all.iter().filter(|s| (s.cost, s.makespan) == (best.cost, best.makespan));
                    ties += usize::from(all_equal.count() > 1);
                    assert_eq!((&answer.places, answer.proof), (&best.places, proven), "case {case}");
                    honest(&stages, &answer);
                }
                (outcome, best) => panic!("case {case}: {outcome:?} but {best:?}"),
            }
            let budget = some.cost - i64::from(random.below(3) == 0);
            match (problem.fastest_within(budget, Effort::ORDINARY), brute::fastest(&all, budget)) {
                (Outcome::Infeasible { least }, None) => {
                    assert_eq!(Some(least), all.iter().map(|s| s.cost).min(), "case {case}");
                    infeasible[1] += 1;
                }
                (Outcome::Found(answer), Some(best)) => {
                    assert_eq!((&answer.places, answer.proof), (&best.places, proven), "case {case}");
                    honest(&stages, &answer);
                }
                (outcome, best) => panic!("case {case}: {outcome:?} but {best:?}"),
            }
        }
    }
    assert!(ties > 300, "only {ties} cases with several best selections");
    assert!(infeasible.iter().all(|n| *n > 100), "only {infeasible:?} that nothing keeps");
}

#[test]
fn brute_force_agrees_on_the_whole_curve() {
    let mut random = Random(2);
    let mut nested = 0;
    for case in 0..1000 {
        let stages = small(&mut random);
        let problem = Problem::new(&stages).unwrap();
        let all = brute::selections(&stages);
        let curve = problem.frontier(10_000, Effort::steps(10_000_000_000));
        let own: Vec<&Vec<usize>> = curve.points.iter().map(|p| &p.places).collect();
        let best: Vec<&Vec<usize>> = brute::frontier(&all).into_iter().map(|s| &s.places).collect();
        assert_eq!((own, curve.complete), (best, true), "case {case}");
        nested += usize::from(Shape::of(problem.graph()).is_some());
    }
    assert!((200..=950).contains(&nested), "{nested} of the graphs were series-parallel");
}

/// With too little effort an answer may be worse, but what it says about itself is true.
#[test]
fn what_is_proven_early_is_true() {
    let mut random = Random(3);
    let (mut proven, mut open) = (0, 0);
    for case in 0..1500 {
        let stages = small(&mut random);
        let problem = Problem::new(&stages).unwrap();
        let all = brute::selections(&stages);
        let some = &all[random.below(all.len())];
        let digits = random.below(8);
        let effort = Effort::steps(random.below(1 << digits) as u64);
        let cheapest = found(problem.cheapest_within(Some(some.makespan), effort));
        let fastest = found(problem.fastest_within(some.cost, effort));
        let least = brute::cheapest(&all, some.makespan).unwrap().cost;
        let shortest = brute::fastest(&all, some.cost).unwrap().makespan;
        assert!(cheapest.makespan <= some.makespan && fastest.cost <= some.cost, "case {case}");
        for (proof, own, best) in
            [(cheapest.proof, cheapest.cost, least), (fastest.proof, fastest.makespan, shortest)]
        {
            match proof {
                Proof::Proven { .. } => {
                    assert_eq!(own, best, "case {case}");
                    proven += 1;
                }
                Proof::Gap { at_least } => {
                    assert!(at_least <= best && best <= own && at_least < own, "case {case}");
                    open += 1;
                }
            }
        }
        honest(&stages, &cheapest);
        honest(&stages, &fastest);
        let few = problem.frontier(2 + random.below(4), effort);
        assert!(!few.points.is_empty(), "case {case}");
        assert!(few.points.is_sorted_by(|a, b| a.cost < b.cost && a.makespan > b.makespan), "case {case}");
    }
    assert!(proven > 500 && open > 100, "{proven} proven, {open} not");
}

#[test]
fn answers_keep_their_limits_and_looser_ones_never_cost_more() {
    let mut random = Random(4);
    for case in 0..300 {
        let (kind, style) = (random.one_of(&KINDS), random.one_of(&STYLES));
        let size = (7 + random.below(14), 2 + random.below(9));
        let stages = instance(&mut random, kind, style, size, 0.01);
        let problem = Problem::new(&stages).unwrap();
        let mut last: Option<Answer> = None;
        for share in [0.1, 0.3, 0.6, 0.9] {
            let limit = deadline(&problem, share);
            let answer = found(problem.cheapest_within(Some(limit), Effort::ORDINARY));
            honest(&stages, &answer);
            assert!(answer.makespan <= limit, "case {case}");
            assert!(last.as_ref().is_none_or(|l| l.cost >= answer.cost), "case {case}");
            let back = found(problem.fastest_within(answer.cost, Effort::ORDINARY));
            assert_eq!(
                (back.makespan, back.cost, &back.places),
                (answer.makespan, answer.cost, &answer.places)
            );
            last = Some(answer);
        }
    }
}

#[test]
fn the_order_of_rows_and_worse_or_further_choices_change_nothing() {
    let mut random = Random(5);
    for case in 0..300 {
        let (kind, style) = (random.one_of(&KINDS), random.one_of(&STYLES));
        let size = (5 + random.below(16), 2 + random.below(9));
        let stages = instance(&mut random, kind, style, size, 0.01);
        let problem = Problem::new(&stages).unwrap();
        let limit = deadline(&problem, random.unit());
        let answer = found(problem.cheapest_within(Some(limit), Effort::ORDINARY));

        let (mut moved, _) = shuffled(&mut random, &stages);
        for stage in &mut moved {
            stage.choices.reverse();
        }
        let same = found(Problem::new(&moved).unwrap().cheapest_within(Some(limit), Effort::ORDINARY));
        assert_eq!((same.cost, same.makespan), (answer.cost, answer.makespan), "case {case}");

        let mut worse = stages.clone();
        for stage in &mut worse {
            let choice = random.one_of(&stage.choices);
            stage.choices.push(Choice { cost: choice.cost + 1, ..choice });
        }
        let same = found(Problem::new(&worse).unwrap().cheapest_within(Some(limit), Effort::ORDINARY));
        assert_eq!(same, answer, "case {case}");

        let mut more = stages.clone();
        let i = random.below(more.len());
        let choice = random.one_of(&more[i].choices);
        more[i].choices.push(Choice { time: choice.time / 2, cost: choice.cost });
        let better = found(Problem::new(&more).unwrap().cheapest_within(Some(limit), Effort::ORDINARY));
        assert!(better.cost <= answer.cost, "case {case}");
    }
}

/// Forty equal stages in a row, half of which can be slow: 40! / 20!² equal selections, of which the first has the
/// slow ones last.
#[test]
fn many_equal_selections_do_not_stand_in_the_way() {
    let choices = vec![Choice { time: 1, cost: 10 }, Choice { time: 2, cost: 5 }];
    let stages: Vec<Stage> = (0..40_usize)
        .map(|i| Stage { choices: choices.clone(), after: i.checked_sub(1).into_iter().collect() })
        .collect();
    let answer = found(Problem::new(&stages).unwrap().cheapest_within(Some(60), Effort::ORDINARY));
    let first: Vec<usize> = (0..40).map(|i| usize::from(i >= 20)).collect();
    assert_eq!((answer.cost, answer.places), (300, first));
    assert_eq!(answer.proof, Proof::Proven { first_of_equals: true });
}

#[test]
fn the_largest_numbers_allowed_do_not_overflow() {
    let (time, cost) = ((1_i64 << 50) / 3, (1_i64 << 60) / 3);
    let stage = |after: &[usize]| Stage {
        choices: vec![
            Choice { time: 0, cost },
            Choice { time: time / 2, cost: cost / 3 },
            Choice { time, cost: 0 },
        ],
        after: after.to_vec(),
    };
    let stages = [stage(&[]), stage(&[0]), stage(&[0])];
    let all = brute::selections(&stages);
    let problem = Problem::new(&stages).unwrap();
    for limit in [0, time / 2, time, 3 * (time / 2), 2 * time] {
        let answer = found(problem.cheapest_within(Some(limit), Effort::ORDINARY));
        assert_eq!(Some(&answer.places), brute::cheapest(&all, limit).map(|s| &s.places));
    }
}

#[test]
fn no_stages_cost_nothing() {
    let nothing = found(Problem::new(&[]).unwrap().cheapest_within(Some(0), Effort::ORDINARY));
    assert_eq!((nothing.cost, nothing.makespan, nothing.places.len()), (0, 0, 0));
}
