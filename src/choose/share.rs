//! Months that several stages share: a machine that is paid for the month is free for every stage that can work on it.
//!
//! The exact choice looks at each stage by itself, compared with a month of its own. Here whole plans are looked for in
//! which some stages use machines of one offer one after the other: the machines are paid once, those stages cost what they
//! cost beside them, and the other stages are chosen anew under the same limit. What is cheaper than the exact choice is
//! taken (where the least time is asked for: what is faster, or as fast and cheaper).
//!
//! ```text
//! parts ────▶ who can work at which offer, and the most that it can save
//! search ───▶ sets of stages at an offer, then further offers beside them
//! trial ────▶ what a plan with these sets really costs: the others chosen, stages put on machines, months bought
//! machines ─▶ stages that overlap need machines of their own
//! ```
//!
//! The work is counted, so that equal questions get equal plans; of few stages all sets are tried.

mod machines;
mod parts;
mod polish;
mod search;
mod trial;

use super::assemble::Considered;
use super::budget::{EVERYTHING, services, solver_budget};
use super::deadline::Kept;
use super::exact::Graph;
use super::question::{Basis, Classes, Question, competes, counted};
use crate::job::{Aim, Job, Purchase, StageKind};
use crate::price::{MonthShare, Pricer};
use crate::units::{BilledTime, Hours, Money};
use std::sync::Arc;
use trial::{Mode, Now, Run, Trial};

/// Puts stages on common months where the whole run is better so; how the limits are kept then.
pub(super) fn share_months(basis: Basis<'_>, stages: &mut [Considered], kept: Kept) -> Kept {
    let total = cost_now(basis.job, stages);
    let Some(total) = total.filter(|total| parts::may_pay(basis, *total)) else { return kept };
    for mode in modes(basis, stages, kept) {
        let Some(run) = run(basis, stages, mode, total) else { continue };
        let Some(best) = search::best(&run) else { continue };
        let ends = run.at_ends(&best);
        take(basis, stages, &best, &ends);
        return if matches!(kept, Kept::Unaffordable(_)) && matches!(mode, Mode::Fastest(_)) {
            Kept::Fastest
        } else {
            kept
        };
    }
    kept
}

/// What a run costs as it is selected; `None` where there is none or not every stage can be done.
fn cost_now(job: &Job, stages: &[Considered]) -> Option<Money> {
    let run = || job.stages.iter().zip(stages).filter(|(stage, _)| stage.kind != StageKind::Serve);
    if run().count() < 2 {
        return None;
    }
    run().map(|(_, c)| Some(c.quotes.quotes.get(c.selection.chosen?)?.cost)).sum()
}

/// What is asked of the plans that are tried, in turn until one is better.
fn modes(basis: Basis<'_>, stages: &[Considered], kept: Kept) -> Vec<Mode> {
    let limits = &basis.job.limits;
    let deadline = limits.deadline.and_then(BilledTime::from_hours).map(BilledTime::millis);
    match (limits.aim, kept, deadline) {
        (Aim::Cost, _, None) => vec![Mode::Free],
        // A chance is no sum over the stages, and where nothing ends in time nothing should be slower still.
        (Aim::Cost, Kept::Never(_) | Kept::Confident(_) | Kept::NeverSure { .. }, _) => vec![Mode::NoSlower],
        (Aim::Cost, _, Some(_)) if limits.confidence.is_some() => vec![Mode::NoSlower],
        (Aim::Cost, _, Some(deadline)) => vec![Mode::Cheapest(deadline)],
        (Aim::Time, kept, _) => match (solver_budget(basis.job, services(basis.job, stages)), kept) {
            (EVERYTHING, _) => vec![Mode::NoSlower],
            (budget, Kept::Unaffordable(_)) => vec![Mode::Fastest(budget), Mode::Free],
            (budget, _) => vec![Mode::Fastest(budget), Mode::NoSlower],
        },
    }
}

/// The run as it is selected.
fn run<'a>(basis: Basis<'a>, stages: &'a [Considered], mode: Mode, total: Money) -> Option<Run<'a>> {
    let before: Vec<Vec<usize>> = basis.job.stages.iter().map(|s| s.after.clone()).collect();
    let graph = Graph::new(&before).ok()?;
    let mut now = Vec::with_capacity(stages.len());
    for (stage, considered) in basis.job.stages.iter().zip(stages) {
        if stage.kind == StageKind::Serve {
            now.push(None);
            continue;
        }
        let quotes = &considered.quotes.quotes;
        let quote = quotes.get(considered.selection.chosen?)?;
        let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
        let counts = if mode == Mode::Free {
            quote.time
        } else {
            counted(basis.job, &pricer, &considered.candidates, quote)
        };
        let competing = quotes.iter().filter(|q| competes(stage, considered, Classes::Selected, q));
        now.push(Some(Now {
            cost: quote.cost,
            counts,
            owned: quote.purchase == Purchase::Owned,
            least: competing.map(|q| q.cost).min().map_or(quote.cost, |least| least.min(quote.cost)),
        }));
    }
    let question = match mode {
        Mode::Free | Mode::NoSlower => None,
        Mode::Cheapest(_) | Mode::Fastest(_) => {
            // Where a limit made a rule of thumb yield, both classes compete.
            let selected = basis.job.stages.iter().zip(stages).all(|(stage, c)| {
                let chosen = c.selection.chosen.and_then(|i| c.quotes.quotes.get(i));
                stage.kind == StageKind::Serve
                    || chosen.is_some_and(|q| {
                        q.purchase == Purchase::Owned || c.selection.classes.contains(&q.class)
                    })
            });
            Some(Question::new(basis, stages, if selected { Classes::Selected } else { Classes::Any })?)
        }
    };
    let lengths: Vec<i64> =
        now.iter().map(|now| now.as_ref().map_or(0, |now| trial::millis(now.counts))).collect();
    let makespan = graph.makespan(&lengths);
    Some(Run { basis, stages, graph, mode, now, question, total, makespan })
}

/// Selects what a trial found.
fn take(basis: Basis<'_>, stages: &mut [Considered], best: &Trial, ends: &[[Money; 2]]) {
    for (considered, pick) in stages.iter_mut().zip(&best.picks) {
        considered.selection.chosen = pick.or(considered.selection.chosen);
    }
    for ((pool, lease), ends) in best.pools.iter().zip(&best.leases).zip(ends) {
        let all: f64 = pool.parts.iter().map(parts::Part::machine_hours).sum();
        // The last one bears what is left of each amount.
        let [low, high] = *ends;
        let mut left = [lease.cost, low, high];
        for (at, part) in pool.parts.iter().enumerate() {
            let own = part.machine_hours() / all;
            let last = at + 1 == pool.parts.len();
            let bears = |whole: Money, left: Money| if last { left } else { whole.scaled(own).to_cents() };
            let [cost, low, high] = [bears(lease.cost, left[0]), bears(low, left[1]), bears(high, left[2])];
            left = [left[0] - cost, left[1] - low, left[2] - high];
            let share = MonthShare {
                cost,
                ends: [low, high],
                by_month: lease.by_month.iter().map(|month| month.scaled(own).to_cents()).collect(),
                months: lease.months,
                rest: lease.rest,
                with: pool.parts.iter().map(|p| p.stage).filter(|stage| *stage != part.stage).collect(),
                machines: lease.machines,
                busy: Hours::new(all),
                total: lease.cost,
                part: own,
            };
            let (Some(considered), Some(stage)) =
                (stages.get_mut(part.stage), basis.job.stages.get(part.stage))
            else {
                continue;
            };
            let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
            let candidate = considered.candidates.of(part.candidate);
            let Some(quote) = candidate.and_then(|c| pricer.sharing(part.candidate, c, pool.offer, share))
            else {
                continue;
            };
            considered.selection.chosen = Some(considered.quotes.quotes.len());
            Arc::make_mut(&mut considered.quotes).quotes.push(quote);
        }
    }
}

/// When each stage starts: after the last of those that it waits for.
fn starts(graph: &Graph, lengths: &[Hours]) -> Vec<Hours> {
    let mut starts = vec![Hours::ZERO; lengths.len()];
    for at in graph.order() {
        let before = graph.before().get(*at).map_or(&[][..], Vec::as_slice);
        let end = |b: &usize| Some(*starts.get(*b)? + *lengths.get(*b)?);
        let start = before.iter().filter_map(end).fold(Hours::ZERO, Hours::max);
        if let Some(slot) = starts.get_mut(*at) {
            *slot = start;
        }
    }
    starts
}
