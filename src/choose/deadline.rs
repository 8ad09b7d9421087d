//! A deadline over the whole stage graph: where the cheapest selection is too slow, speed is bought where it costs
//! least. Exact: no other selection within the deadline is cheaper.

use super::assemble::Considered;
use super::exact::{Choice, Effort, Outcome, Problem, Proof, Stage};
use super::select::preference;
use crate::catalog::Catalog;
use crate::job::{self, Job, Purchase, StageKind};
use crate::price::open::commits;
use crate::price::{Book, Pricer, Quote, spot};
use crate::rules::Threshold;
use crate::units::{BilledTime, Hours};

/// How a selection came about under a deadline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// There is no deadline, or the cheapest quote of each stage keeps it.
    Cheapest,
    /// Faster quotes were taken where they cost least, and nothing within the deadline is cheaper.
    Proven,
    /// The same, but the search ended before the proof; nothing within the deadline costs less than this, in billionths.
    Gap(i64),
    /// Nothing keeps the deadline; the fastest possible takes this long.
    Never(Hours),
}

/// Selects for the whole graph under the job's deadline; without one the selections stay.
///
/// The time of a stage on spot is the one within which it ends as often as `spot_confidence` asks: expected values
/// would miss the deadline half the time.
pub fn keep_deadline(job: &Job, catalog: &Catalog, book: &Book, stages: &mut [Considered]) -> Kept {
    let Some(deadline) = job.limits.deadline.and_then(BilledTime::from_hours) else { return Kept::Cheapest };
    match within(deadline, job, catalog, book, stages, false) {
        // A rule of thumb yields to a deadline that it cannot keep.
        Kept::Never(_) => within(deadline, job, catalog, book, stages, true),
        kept => kept,
    }
}

/// The cheapest selection within a deadline; with `any_class` from the quotes of both classes.
fn within(
    deadline: BilledTime,
    job: &Job,
    catalog: &Catalog,
    book: &Book,
    stages: &mut [Considered],
    any_class: bool,
) -> Kept {
    let options: Vec<Vec<(usize, Choice)>> = job
        .stages
        .iter()
        .zip(stages.iter())
        .map(|(stage, considered)| {
            let pricer = Pricer::new(job, stage, catalog, book);
            options(job, stage, catalog, &pricer, considered, any_class)
        })
        .collect();
    let question: Vec<Stage> = job
        .stages
        .iter()
        .zip(&options)
        .map(|(stage, options)| Stage {
            choices: options.iter().map(|(_, choice)| *choice).collect(),
            after: stage.after.clone(),
        })
        .collect();
    // A stage that nothing can do has no choices: the plan is infeasible whatever the others are.
    let Ok(problem) = Problem::new(&question) else { return Kept::Cheapest };
    match problem.cheapest_within(Some(deadline.millis()), Effort::ORDINARY) {
        Outcome::Infeasible { least } => Kept::Never(BilledTime::from_millis(least).hours()),
        Outcome::Found(answer) => {
            let mut changed = false;
            for ((considered, options), place) in stages.iter_mut().zip(&options).zip(&answer.places) {
                let Some((quote, _)) = options.get(*place) else { continue };
                changed |= considered.selection.chosen != Some(*quote);
                considered.selection.chosen = Some(*quote);
            }
            match answer.proof {
                Proof::Gap { at_least } => Kept::Gap(at_least),
                Proof::Proven { .. } if changed => Kept::Proven,
                Proof::Proven { .. } => Kept::Cheapest,
            }
        }
    }
}

/// The quotes of a stage that compete, in order of preference, with the time that counts and the cost.
fn options(
    job: &Job,
    stage: &job::Stage,
    catalog: &Catalog,
    pricer: &Pricer<'_>,
    considered: &Considered,
    any_class: bool,
) -> Vec<(usize, Choice)> {
    let quotes = &considered.quotes.quotes;
    // A service has no end and is no part of a run: its cheapest quote stays, and takes no time of it.
    if stage.kind == StageKind::Serve {
        let chosen = considered.selection.chosen.and_then(|at| Some((at, quotes.get(at)?)));
        let cost = |q: &Quote| i64::try_from(q.cost.nanos()).ok();
        return chosen
            .and_then(|(at, q)| Some((at, Choice { time: 0, cost: cost(q)? })))
            .into_iter()
            .collect();
    }
    let of_class = |q: &Quote| any_class || considered.selection.classes.contains(&q.class);
    let competes = |q: &Quote| of_class(q) && !commits(stage, q.purchase);
    let mut open: Vec<(usize, &Quote)> = quotes.iter().enumerate().filter(|(_, q)| competes(q)).collect();
    open.sort_by(|(_, a), (_, b)| preference(job, catalog, a, b));
    let mut kept: Vec<(usize, Choice)> = Vec::new();
    let mut fastest = i64::MAX;
    for (index, quote) in open {
        // Cheapest first: a quote that is no faster than a cheaper one can never be needed. The expected time is the
        // least that can count, so the costly percentile is asked for only where it may matter.
        let expected = BilledTime::from_hours(quote.time).map_or(i64::MAX, BilledTime::millis);
        if expected >= fastest {
            continue;
        }
        let time = BilledTime::from_hours(counted(job, pricer, considered, quote))
            .map_or(i64::MAX, BilledTime::millis);
        let cost = i64::try_from(quote.cost.nanos()).unwrap_or(i64::MAX);
        if time < fastest && time < i64::MAX && cost < i64::MAX {
            fastest = time;
            kept.push((index, Choice { time, cost }));
        }
    }
    kept
}

/// The time of a quote that counts against the deadline.
pub fn counted(job: &Job, pricer: &Pricer<'_>, considered: &Considered, quote: &Quote) -> Hours {
    if quote.purchase != Purchase::Spot {
        return quote.time;
    }
    let candidate = considered.candidates.candidates.get(quote.candidate);
    let Some((_, spot_job, outcome)) = candidate.and_then(|c| pricer.spot_details(c, quote)) else {
        return Hours::NEVER;
    };
    let spread = spot::completion_spread(&spot_job, &outcome, spot::Burst::DEFAULT);
    spread.percentile(job.thresholds.get(Threshold::SpotConfidence)).max(quote.time)
}
