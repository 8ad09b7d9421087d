//! Owned machines are there once: stages that may run at the same time share them.
//!
//! ```text
//! stages ──pools───▶ who uses which machines, whether there are enough (crowd)
//!        ──groups──▶ the options of each stage by the machines that they use
//!        ──branch──▶ who has to do with how many, until there are enough (ask, sure: the questions; rows: a bound)
//! ```

mod ask;
mod branch;
mod crowd;
mod curve;
mod groups;
mod pools;
mod rows;
mod sure;

pub(super) use curve::{Point, shared_out};

use super::Kept;
use super::aim::keep_limits;
use super::assemble::Considered;
use super::exact::Effort;
use super::question::{Basis, Classes};
use super::select::{Selection, select};
use super::share::share_months;
use crate::job::{Aim, Stage, StageKind};
use crate::price::Quote;
use crate::units::BilledTime;
use ask::{Goal, Questions, saves};
use branch::{Ask, Best, Pick, best};
use pools::{Pools, Use};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use sure::SureQuestions;

/// Selects for the whole graph, shares prepaid months, and gives owned machines to no more stages than there are machines for.
///
/// Two stages may run at the same time unless one waits for the other, however indirectly: when they really run is not
/// known to the hour. Where owned machines are wanted more often than there are, the best way of sharing them out is looked
/// for: no other one is better by what the job aims at, within its limits, or the plan says by how much one might be. Each
/// choice is among all that is to be rented and more, so that owned machines never raise the cost.
pub fn settle(basis: Basis<'_>, stages: &mut [Considered]) -> Kept {
    settle_with(basis, stages, Effort::ORDINARY)
}

/// The same with little work: what a region for the data is looked for with.
pub fn settle_roughly(basis: Basis<'_>, stages: &mut [Considered]) {
    settle_with(basis, stages, ROUGH);
}

/// Effort of a selection that is only a beginning: a fortieth of the ordinary one.
const ROUGH: Effort = Effort::steps(Effort::ORDINARY.get() / 40);

fn settle_with(basis: Basis<'_>, stages: &mut [Considered], effort: Effort) -> Kept {
    let mut kept = keep_limits(basis, stages, effort);
    let pools = (!basis.job.place.owned.is_empty()).then(|| Pools::new(basis));
    if let Some(pools) = pools.as_ref().filter(|pools| pools.want_too_much(stages)) {
        kept = share_out(pools, stages, effort, kept);
    }
    // The region of the data is chosen without regard to shared months.
    if effort == ROUGH {
        return kept;
    }
    let Some(pools) = pools else { return share_months(basis, stages, kept) };
    let before = stages.to_vec();
    let shared = share_months(basis, stages, kept);
    if !pools.want_too_much(stages) {
        return shared;
    }
    // Chosen anew beside shared months, stages took what others have: now none takes more than it has already.
    for ((slot, considered), stage) in stages.iter_mut().zip(before).zip(&basis.job.stages) {
        let chosen = considered.selection.chosen;
        let quotes = considered.quotes.quotes.iter().enumerate();
        let own = quotes.map(|(i, q)| chosen == Some(i) || pools.used(&considered, q).is_none()).collect();
        *slot = considered;
        keep_quotes(basis, slot, stage, own);
    }
    share_months(basis, stages, kept)
}

/// Drops quotes of a stage; what is selected stays so. Returns whether that is the cheapest that is left.
fn keep_quotes(basis: Basis<'_>, considered: &mut Considered, stage: &Stage, kept: Vec<bool>) -> bool {
    let chosen = considered.selection.chosen;
    let place = chosen.map(|chosen| kept.iter().take(chosen).filter(|kept| **kept).count());
    if kept.contains(&false) {
        let mut kept = kept.into_iter();
        Arc::make_mut(&mut considered.quotes).quotes.retain(|_| kept.next().unwrap_or(true));
    }
    let contested = considered.selection.contested;
    let first = select(basis.job, stage, basis.catalog, &considered.candidates, &considered.quotes);
    let cheapest = first.chosen == place;
    considered.selection = Selection { chosen: place, contested, ..first };
    cheapest
}

/// The part of the effort that the search may take beside the first question.
const PART: u64 = 2;
/// Most nodes of the search with the ordinary effort for a few stages; fewer for many, of which each takes longer …
const NODES: u64 = 2000;
/// … so many stages are few.
const FEW: u64 = 16;
/// Fewest nodes.
const LEAST_NODES: u64 = 24;
/// Nodes that are looked at for a shorter plan that costs the same.
const EQUALS: usize = 64;

fn nodes(stages: usize, effort: Effort) -> branch::Effort {
    let share = (NODES * effort.get() / Effort::ORDINARY.get()).max(LEAST_NODES);
    let nodes = (share * FEW / (stages as u64).max(FEW)).max(LEAST_NODES);
    branch::Effort { nodes: usize::try_from(nodes).unwrap_or(usize::MAX), equals: EQUALS }
}

/// Shares owned machines out among stages that want more of them than there are.
fn share_out(pools: &Pools<'_>, stages: &mut [Considered], effort: Effort, kept: Kept) -> Kept {
    let limits = pools.basis.job.limits;
    let offered = pools.everywhere(stages);
    // Where no run ends in time, no chance is asked for.
    let ends = !matches!(kept, Kept::Never(_));
    let sure = ends && limits.aim == Aim::Cost && limits.confidence.is_some() && limits.deadline.is_some();
    let found = if sure { surest(pools, &offered, effort) } else { exact(pools, &offered, effort) };
    let Some((pick, kept)) = found else { return in_rounds(pools, stages, effort, kept) };
    let changed = apply(pools, stages, offered, &pick);
    if kept == Kept::Proven && !changed { Kept::Cheapest } else { kept }
}

/// The best way by what the job aims at; where nothing keeps the deadline the fastest, where nothing keeps the budget the
/// cheapest; none where nothing can be said.
fn exact(pools: &Pools<'_>, offered: &[Considered], effort: Effort) -> Option<(Pick, Kept)> {
    let limits = pools.basis.job.limits;
    // A stage that nothing can do: the plan is infeasible whatever the others are.
    let possible = offered.iter().all(|c| c.selection.chosen.is_some());
    let goal = match (limits.aim, limits.deadline.and_then(BilledTime::from_hours)) {
        (Aim::Time, _) if possible => Goal::Fastest,
        (Aim::Cost, Some(deadline)) if possible => Goal::Cheapest(Some(deadline.millis())),
        _ => Goal::Cheapest(None),
    };
    let most = Effort::steps(effort.get() / PART);
    let nodes = nodes(offered.len(), effort);
    let ask = |classes, goal| {
        let mut questions = Questions::new(pools, offered, classes, goal, most);
        questions.is_possible().then(|| best(pools, &mut questions, nodes))
    };
    // A rule of thumb yields to a limit that it cannot keep.
    for classes in [Classes::Selected, Classes::Any] {
        let found = ask(classes, goal)?;
        if let Some((kept, pick)) = told(goal, &found).zip(found.pick) {
            return Some((pick, kept));
        }
    }
    match goal {
        Goal::Cheapest(None) => None,
        Goal::Cheapest(Some(deadline)) => {
            let soonest = ask(Classes::Any, Goal::Soonest)?;
            let (gap, least) = (gap(&soonest)?, i64::try_from(soonest.at_least?).ok()?);
            let pick = soonest.pick?;
            // Where it keeps the deadline, the search for the cheapest that does found nothing: it may cost too much.
            let kept = match pick.makespan {
                time if time <= deadline => Kept::Shared(1.0),
                _ if gap > 0.0 => Kept::Shared(gap),
                _ => Kept::Never(BilledTime::from_millis(least).hours()),
            };
            Some((pick, kept))
        }
        Goal::Fastest | Goal::Soonest => {
            let cheapest = ask(Classes::Selected, Goal::Cheapest(None))?.pick?;
            let least = ask(Classes::Any, Goal::Cheapest(None))?.at_least?;
            Some((cheapest, Kept::Unaffordable(i64::try_from(least).unwrap_or(i64::MAX))))
        }
    }
}

/// What is known of the best that was found.
fn told(goal: Goal, found: &Best) -> Option<Kept> {
    let gap = gap(found)?;
    Some(match goal {
        _ if gap > 0.0 => Kept::Shared(gap),
        Goal::Cheapest(None) => Kept::Cheapest,
        Goal::Cheapest(Some(_)) => Kept::Proven,
        Goal::Fastest | Goal::Soonest => Kept::Fastest,
    })
}

/// The share by which something may be better than the best that was found.
fn gap(found: &Best) -> Option<f64> {
    let (known, least) = (found.pick.as_ref()?.key.0, found.at_least?.max(0));
    #[expect(clippy::cast_precision_loss, reason = "a share is told in a few digits")]
    Some(if known > least { (known - least) as f64 / known as f64 } else { 0.0 })
}

/// The cheapest way that has the chance which is asked for; none where none was found.
fn surest(pools: &Pools<'_>, offered: &[Considered], effort: Effort) -> Option<(Pick, Kept)> {
    let rough = Effort::steps(effort.get() / PART);
    let goal = Goal::Cheapest(None);
    let hints = Questions::new(pools, offered, Classes::Selected, goal, rough).hints();
    let mut questions = SureQuestions::new(pools, offered, effort, hints);
    let found = best(pools, &mut questions, nodes(offered.len(), effort));
    let gap = gap(&found)?;
    let pick = found.pick?;
    let serves = pools.basis.job.stages.iter().any(|s| s.kind == StageKind::Serve);
    let least = found.at_least.and_then(|least| i64::try_from(least).ok());
    let kept = match least {
        // Without services what is least is the cost of a run.
        Some(least) if !serves => Kept::Confident(least),
        _ => Kept::Shared(gap),
    };
    Some((pick, kept))
}

/// Takes what was found; of the quotes on owned machines those stay for which there are enough while the others have what
/// they have. Returns whether any stage takes another one than its cheapest.
fn apply(pools: &Pools<'_>, stages: &mut [Considered], offered: Vec<Considered>, pick: &Pick) -> bool {
    let job = pools.basis.job;
    let mut short: BTreeSet<usize> = BTreeSet::new();
    let mut changed = false;
    let before: Vec<usize> = stages.iter().map(|c| c.quotes.quotes.len()).collect();
    for (slot, considered) in stages.iter_mut().zip(offered) {
        *slot = considered;
    }
    for (at, ((considered, stage), before)) in stages.iter_mut().zip(&job.stages).zip(before).enumerate() {
        let chosen = pick.quotes.get(at).copied().flatten();
        let mut known: BTreeMap<Use, bool> = BTreeMap::new();
        let mut leaves = |quote: &Quote| {
            let Some(used) = pools.used(considered, quote) else { return true };
            let leaves = *known.entry(used).or_insert_with(|| pools.leaves(&pick.uses, at, used));
            if !leaves {
                short.insert(used.pool);
            }
            leaves
        };
        let quotes = considered.quotes.quotes.iter().enumerate();
        let kept = quotes.map(|(i, q)| (leaves(q) && i < before) || chosen == Some(i)).collect();
        considered.selection.chosen = chosen;
        changed |= !keep_quotes(pools.basis, considered, stage, kept);
    }
    mark(pools, stages, &short);
    changed
}

/// Marks the stages that could be on machines of which more are wanted than there are.
fn mark(pools: &Pools<'_>, stages: &mut [Considered], short: &BTreeSet<usize>) {
    for considered in stages.iter_mut() {
        let mut instances = considered.candidates.candidates.iter().map(|c| c.instance);
        considered.selection.contested = instances.any(|id| short.iter().any(|pool| pools.is_of(*pool, id)));
    }
}

/// Where no search helps: the stage that saves least goes without, and everything is selected again.
fn in_rounds(pools: &Pools<'_>, stages: &mut [Considered], effort: Effort, mut kept: Kept) -> Kept {
    let basis = pools.basis;
    let mut short = BTreeSet::new();
    loop {
        let value = |at: usize| {
            stages.get(at).and_then(|c| c.selection.chosen).map_or(0, |quote| saves(stages, at, quote))
        };
        let Some(conflict) = pools.conflict(&pools.selected(stages), value) else { break };
        let Some((loser, _)) = conflict.users.iter().copied().min_by_key(|(at, _)| (value(*at), *at)) else {
            break;
        };
        short.insert(conflict.pool);
        if let (Some(considered), Some(stage)) = (stages.get_mut(loser), basis.job.stages.get(loser)) {
            let gone: Vec<bool> = considered
                .quotes
                .quotes
                .iter()
                .map(|q| pools.used(considered, q).is_some_and(|used| used.pool == conflict.pool))
                .collect();
            let mut gone = gone.iter();
            Arc::make_mut(&mut considered.quotes).quotes.retain(|_| !gone.next().copied().unwrap_or(false));
            considered.selection =
                select(basis.job, stage, basis.catalog, &considered.candidates, &considered.quotes);
        }
        kept = keep_limits(basis, stages, effort);
    }
    mark(pools, stages, &short);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_proven_is_told_as_a_share() {
        let found = |at_least| Best {
            pick: Some(Pick { key: (100, 7), quotes: Vec::new(), uses: Vec::new(), makespan: 7 }),
            at_least: Some(at_least),
        };
        let goal = Goal::Cheapest(Some(7));
        assert_eq!(told(goal, &found(100)), Some(Kept::Proven));
        assert_eq!(told(goal, &found(75)), Some(Kept::Shared(0.25)));
        // A bound below nothing says nothing.
        assert_eq!(told(Goal::Fastest, &found(-40)), Some(Kept::Shared(1.0)));
        assert_eq!(told(goal, &Best { pick: None, at_least: Some(3) }), None);
    }
}
