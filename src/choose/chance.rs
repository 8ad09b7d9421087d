//! The chance that a whole run meets its deadline: interruptions and the bands of the durations together, through the
//! whole stage graph.
//!
//! A fixed-seed Monte Carlo over the laws of the stages' times ([`law`]): equal plans get equal chances. Stages count as
//! independent of one another. That is plain for interruptions; two times estimated by one rule of thumb may well be
//! wrong together, so that a long chain of guesses is less certain than this says.

pub mod law;
mod random;
pub mod sample;

use super::assemble::Considered;
use super::exact::Graph;
use super::question::Basis;
use crate::job::{Job, Stage, StageKind};
use crate::plan::Chance;
use crate::price::{Pricer, Quote};
use crate::threads;
use crate::units::Hours;
use law::{Law, Scenario, interrupted};
use sample::Sample;

/// Draws per chance: at 95 % the standard error is 0.24 percentage points.
pub const DRAWS: u32 = 8192;

/// The chance that the selected quotes meet the job's deadline; none without a deadline or where a stage has no quote.
pub fn chance(basis: Basis<'_>, stages: &[Considered]) -> Option<Chance> {
    let deadline = basis.job.limits.deadline?;
    let graph = graph(basis.job)?;
    let pairs: Vec<_> = basis.job.stages.iter().zip(stages).enumerate().collect();
    let drawn =
        threads::each(&pairs, |(number, (stage, considered))| drawn(basis, *number, stage, considered));
    let times: Vec<Drawn> = drawn.into_iter().collect::<Option<_>>()?;
    let at = |scenario: fn(&Drawn) -> &[f64]| {
        let times: Vec<&[f64]> = times.iter().map(scenario).collect();
        within(&graph, &times, deadline)
    };
    let expected = at(|d| &d.expected);
    let spot = stages.iter().any(|c| chosen(c).is_some_and(interrupted));
    let (optimistic, pessimistic) = if spot {
        (
            at(|d| d.ends.as_ref().map_or(&d.expected, |[optimistic, _]| optimistic)),
            at(|d| d.ends.as_ref().map_or(&d.expected, |[_, pessimistic]| pessimistic)),
        )
    } else {
        (expected, expected)
    };
    Some(Chance { expected, optimistic, pessimistic, spot })
}

/// Times of one stage in hours.
struct Drawn {
    /// At the hazards and waits to plan with.
    expected: Vec<f64>,
    /// In the optimistic and the pessimistic scenario, where interruptions are possible.
    ends: Option<[Vec<f64>; 2]>,
}

/// The draws of what is selected for a stage; nothing of a service. None where nothing is selected.
fn drawn(basis: Basis<'_>, number: usize, stage: &Stage, considered: &Considered) -> Option<Drawn> {
    if stage.kind == StageKind::Serve {
        return Some(Drawn { expected: Vec::new(), ends: None });
    }
    let quote = chosen(considered)?;
    let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
    let law = |scenario| Law::of(stage, &pricer, considered, quote, scenario);
    let (sample, expected) = (Sample::of_stage(number), law(Scenario::Default));
    // The scenarios differ in the interruptions, not in the work.
    let lengths = sample.lengths(&expected);
    let times = |law: &Law| sample.times_of(law, &lengths);
    Some(Drawn {
        expected: times(&expected),
        ends: interrupted(quote)
            .then(|| [Scenario::Optimistic, Scenario::Pessimistic].map(|scenario| times(&law(scenario)))),
    })
}

fn chosen(considered: &Considered) -> Option<&Quote> {
    considered.quotes.quotes.get(considered.selection.chosen?)
}

/// The job's stage graph.
pub(super) fn graph(job: &Job) -> Option<Graph> {
    let before: Vec<Vec<usize>> = job.stages.iter().map(|s| s.after.clone()).collect();
    Graph::new(&before).ok()
}

/// The share of the draws in which the longest path is within the deadline. A stage without draws takes no time.
pub(super) fn within(graph: &Graph, times: &[&[f64]], deadline: Hours) -> f64 {
    within_often(graph, times, deadline, 0.0).unwrap_or(0.0)
}

/// The same where it is at least so much; none as soon as it is certain that it is less.
pub(super) fn within_often(graph: &Graph, times: &[&[f64]], deadline: Hours, least: f64) -> Option<f64> {
    // The last digit of a sum must not cost the deadline that is exactly met.
    let deadline = deadline.get() * (1.0 + 1e-12);
    let share = |of: u32| f64::from(of) / f64::from(DRAWS);
    let mut late = 0_u32;
    spans(graph, times, |span| {
        late += u32::from(span > deadline || span.is_nan());
        share(DRAWS - late) >= least
    });
    Some(share(DRAWS - late)).filter(|share| *share >= least)
}

/// Tells the length of the longest path in hours in each of the draws, until it is told that this will do.
pub(super) fn spans(graph: &Graph, times: &[&[f64]], mut each: impl FnMut(f64) -> bool) {
    /// So many draws are followed through the graph together.
    const TOGETHER: usize = 256;
    let mut ends = vec![[0.0_f64; TOGETHER]; graph.len()];
    for first in (0..DRAWS as usize).step_by(TOGETHER) {
        let mut last = [0.0_f64; TOGETHER];
        for &stage in graph.order() {
            let mut end = [0.0_f64; TOGETHER];
            for before in graph.before().get(stage).into_iter().flatten().filter_map(|b| ends.get(*b)) {
                for (latest, before) in end.iter_mut().zip(before) {
                    *latest = latest.max(*before);
                }
            }
            if let Some(times) = times.get(stage).and_then(|times| times.get(first..first + TOGETHER)) {
                for (end, time) in end.iter_mut().zip(times) {
                    *end += time;
                }
            }
            for (last, end) in last.iter_mut().zip(&end) {
                *last = last.max(*end);
            }
            if let Some(slot) = ends.get_mut(stage) {
                *slot = end;
            }
        }
        if !last.into_iter().all(&mut each) {
            return;
        }
    }
}
