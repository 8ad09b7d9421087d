//! The chance that a whole run meets its deadline: interruptions and the bands of the durations together, through the
//! whole stage graph.
//!
//! A fixed-seed Monte Carlo over the laws of the stages' times ([`law`]): equal plans get equal chances. Stages count as
//! independent of one another. That is plain for interruptions; two times estimated by one rule of thumb may well be
//! wrong together, so that a long chain of guesses is less certain than this says.

pub mod law;
mod random;

use super::assemble::Considered;
use super::exact::Graph;
use super::question::Basis;
use crate::job::{Job, StageKind};
use crate::plan::Chance;
use crate::price::{Pricer, Quote};
use crate::threads;
use crate::units::Hours;
use law::{Law, Scenario, interrupted};
use random::Random;

/// Draws per chance: at 95 % the standard error is 0.24 percentage points.
pub const DRAWS: u32 = 8192;

/// The chance that the selected quotes meet the job's deadline; none without a deadline or where a stage has no quote.
pub fn chance(basis: Basis<'_>, stages: &[Considered]) -> Option<Chance> {
    let deadline = basis.job.limits.deadline?;
    let graph = graph(basis.job)?;
    let at = |scenario| {
        let pairs: Vec<_> = basis.job.stages.iter().zip(stages).enumerate().collect();
        let drawn = threads::each(&pairs, |(number, (stage, considered))| {
            if stage.kind == StageKind::Serve {
                return Some(Vec::new());
            }
            let quote = considered.quotes.quotes.get(considered.selection.chosen?)?;
            let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
            Some(draws(*number, &Law::of(stage, &pricer, considered, quote, scenario)))
        });
        let times: Vec<Vec<f64>> = drawn.into_iter().collect::<Option<_>>()?;
        let times: Vec<&[f64]> = times.iter().map(Vec::as_slice).collect();
        Some(within(&graph, &times, deadline))
    };
    let expected = at(Scenario::Default)?;
    let spot = stages.iter().any(|c| chosen(c).is_some_and(interrupted));
    let (optimistic, pessimistic) =
        if spot { (at(Scenario::Optimistic)?, at(Scenario::Pessimistic)?) } else { (expected, expected) };
    Some(Chance { expected, optimistic, pessimistic, spot })
}

fn chosen(considered: &Considered) -> Option<&Quote> {
    considered.quotes.quotes.get(considered.selection.chosen?)
}

/// The job's stage graph.
pub(super) fn graph(job: &Job) -> Option<Graph> {
    let before: Vec<Vec<usize>> = job.stages.iter().map(|s| s.after.clone()).collect();
    Graph::new(&before).ok()
}

/// Times of one stage in hours. A stage draws the same chances whatever law it has, so that laws can be compared.
pub(super) fn draws(stage: usize, law: &Law) -> Vec<f64> {
    let mut random = Random::new(stage as u64);
    (0..DRAWS).map(|_| law.time(random.open(), random.open())).collect()
}

/// The share of the draws in which the longest path is within the deadline. A stage without draws takes no time.
pub(super) fn within(graph: &Graph, times: &[&[f64]], deadline: Hours) -> f64 {
    let mut end = vec![0.0_f64; graph.len()];
    let mut met = 0_u32;
    // The last digit of a sum must not cost the deadline that is exactly met.
    let deadline = deadline.get() * (1.0 + 1e-12);
    for draw in 0..DRAWS as usize {
        let mut last = 0.0_f64;
        for &stage in graph.order() {
            let before = graph.before().get(stage).map_or(&[][..], Vec::as_slice);
            let start = before.iter().filter_map(|b| end.get(*b)).fold(0.0, |latest: f64, e| latest.max(*e));
            let time = times.get(stage).and_then(|t| t.get(draw)).copied().unwrap_or(0.0);
            if let Some(slot) = end.get_mut(stage) {
                *slot = start + time;
            }
            last = last.max(start + time);
        }
        met += u32::from(last <= deadline);
    }
    f64::from(met) / f64::from(DRAWS)
}
