//! Owned machines are there once: stages that may run at the same time share them.

use super::Kept;
use super::aim::keep_limits;
use super::assemble::Considered;
use super::exact::Effort;
use super::question::Basis;
use super::select::select;
use super::share::share_months;
use crate::job::{Job, Purchase};
use crate::price::Quote;
use std::sync::Arc;

/// Selects for the whole graph, shares prepaid months, and gives owned machines to no more stages than there are machines for.
///
/// Two stages may run at the same time unless one waits for the other, however indirectly: when they really run is not
/// known to the hour. Where owned machines are wanted more often than there are, the stage that saves least by them goes
/// without, and everything is selected again. Each round takes one machine type from one stage, so that it ends; each
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
    loop {
        let kept = keep_limits(basis, stages, effort);
        let Some((loser, offer)) = overbooked(basis, stages) else {
            // The region of the data is chosen without regard to shared months.
            return if effort == ROUGH { kept } else { share_months(basis, stages, kept) };
        };
        give_up(basis, stages, loser, offer);
    }
}

/// The stage that has to go without, and an offer of the machine type.
fn overbooked(basis: Basis<'_>, stages: &[Considered]) -> Option<(usize, usize)> {
    let users: Vec<User> = (0..stages.len()).filter_map(|at| user(basis, stages, at)).collect();
    if users.is_empty() {
        return None;
    }
    let waits = waits(basis.job);
    let apart = |a: usize, b: usize| {
        let knows = |x: usize, y: usize| waits.get(x).and_then(|row| row.get(y)).copied().unwrap_or(false);
        !knows(a, b) && !knows(b, a)
    };
    for user in &users {
        let alike: Vec<&User> = users.iter().filter(|u| u.pool == user.pool).collect();
        let mut set = Vec::new();
        let worst = if alike.len() > MOST {
            set.extend(alike.iter().map(|u| u.stage));
            alike.iter().map(|u| u.count).fold(0, u32::saturating_add)
        } else {
            crowd(&alike, &apart, 0, &mut set, &mut Vec::new())
        };
        if worst > user.has {
            let loser = alike.iter().filter(|u| set.contains(&u.stage)).min_by_key(|u| (u.saves, u.stage))?;
            return Some((loser.stage, loser.offer));
        }
    }
    None
}

/// More stages than this on one machine type are all taken to run at the same time: to look at every set of them would
/// take long.
const MOST: usize = 16;

/// A stage on owned machines.
struct User {
    stage: usize,
    offer: usize,
    /// Which machines: provider, instance type, and region where that is stated.
    pool: (String, String, Option<String>),
    count: u32,
    has: u32,
    /// What renting instead would cost more.
    saves: i128,
}

fn user(basis: Basis<'_>, stages: &[Considered], at: usize) -> Option<User> {
    let considered = stages.get(at)?;
    let quotes = &considered.quotes.quotes;
    let quote: &Quote = quotes.get(considered.selection.chosen?)?;
    if quote.purchase != Purchase::Owned {
        return None;
    }
    let offer = basis.catalog.offers.get(quote.offer)?;
    let instance = basis.catalog.instance(offer.instance)?;
    let provider = basis.catalog.provider(instance.provider)?;
    let count = considered.candidates.candidates.get(quote.candidate)?.count;
    // Where the owned machines have a place each, those of one place are a pool of their own.
    let placed = basis
        .job
        .place
        .owned
        .iter()
        .any(|o| o.region.is_some() && *o.provider == *provider.name && *o.instance == *instance.name);
    let region = placed.then(|| offer.region.to_string());
    let rented = quotes.iter().filter(|q| q.purchase != Purchase::Owned).map(|q| q.cost).min();
    Some(User {
        stage: at,
        offer: quote.offer,
        has: basis.job.place.owns(&provider.name, &instance.name, region.as_deref()),
        pool: (provider.name.to_string(), instance.name.to_string(), region),
        count,
        saves: rented.map_or(i128::MAX, |rented| (rented - quote.cost).nanos()),
    })
}

/// The most machines that stages of a list may use at the same time, and which stages those are. Lists are short: the
/// stages that share one machine type.
fn crowd(
    users: &[&User],
    apart: &impl Fn(usize, usize) -> bool,
    from: usize,
    worst: &mut Vec<usize>,
    now: &mut Vec<usize>,
) -> u32 {
    let Some(next) = users.get(from) else { return 0 };
    let without = {
        let mut set = Vec::new();
        let count = crowd(users, apart, from + 1, &mut set, now);
        (count, set)
    };
    if now.iter().any(|stage| !apart(*stage, next.stage)) {
        *worst = without.1;
        return without.0;
    }
    now.push(next.stage);
    let mut set = Vec::new();
    let with = crowd(users, apart, from + 1, &mut set, now).saturating_add(next.count);
    now.pop();
    if with > without.0 {
        set.push(next.stage);
        *worst = set;
        with
    } else {
        *worst = without.1;
        without.0
    }
}

/// For each stage those that it waits for, however indirectly.
fn waits(job: &Job) -> Vec<Vec<bool>> {
    let n = job.stages.len();
    let mut waits = vec![vec![false; n]; n];
    // As many rounds as stages: the graph has no cycle.
    for _ in 0..n {
        for (i, stage) in job.stages.iter().enumerate() {
            for before in &stage.after {
                let theirs = waits.get(*before).cloned().unwrap_or_default();
                let Some(row) = waits.get_mut(i) else { continue };
                for (mine, their) in row.iter_mut().zip(theirs) {
                    *mine |= their;
                }
                if let Some(own) = row.get_mut(*before) {
                    *own = true;
                }
            }
        }
    }
    waits
}

/// Takes the owned machines of a type from a stage, and selects for it again.
fn give_up(basis: Basis<'_>, stages: &mut [Considered], at: usize, offer: usize) {
    let (Some(considered), Some(stage)) = (stages.get_mut(at), basis.job.stages.get(at)) else { return };
    let Some(instance) = basis.catalog.offers.get(offer).map(|o| o.instance) else { return };
    let kept = |q: &Quote| {
        let same = basis.catalog.offers.get(q.offer).is_some_and(|o| o.instance == instance);
        q.purchase != Purchase::Owned || !same
    };
    Arc::make_mut(&mut considered.quotes).quotes.retain(kept);
    considered.selection =
        select(basis.job, stage, basis.catalog, &considered.candidates, &considered.quotes);
}
