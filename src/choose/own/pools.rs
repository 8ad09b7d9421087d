//! The owned machines: which a quote uses, and whether a selection uses more of them than there are.

use super::crowd::crowd;
use crate::catalog::InstanceId;
use crate::choose::assemble::Considered;
use crate::choose::question::Basis;
use crate::job::{Job, Purchase};
use crate::price::{Pricer, Quote};
use std::sync::Arc;

/// Owned machines of one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    pub(super) pool: usize,
    pub(super) count: u32,
}

/// More machines of a pool than there are, wanted by stages that may run at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) pool: usize,
    /// The stages and how many each wants; without any one of them there would be enough for the others.
    pub(super) users: Vec<(usize, u32)>,
}

/// All pools of a job.
pub(super) struct Pools<'a> {
    pub(super) basis: Basis<'a>,
    /// Provider, instance type, and region where that is stated: machines of one place are a pool of their own. Beside it
    /// how many there are.
    all: Vec<(&'a str, &'a str, Option<&'a str>, u32)>,
    /// For each stage those that it waits for, however indirectly.
    waits: Vec<Vec<bool>>,
}

impl<'a> Pools<'a> {
    pub(super) fn new(basis: Basis<'a>) -> Self {
        let place = &basis.job.place;
        let mut pools: Vec<(&str, &str, Option<&str>, u32)> = Vec::new();
        for own in &place.owned {
            let (provider, instance, region) = (&*own.provider, &*own.instance, own.region.as_deref());
            if !pools.iter().any(|(p, i, r, _)| (*p, *i, *r) == (provider, instance, region)) {
                pools.push((provider, instance, region, place.owns(provider, instance, region)));
            }
        }
        Self { basis, all: pools, waits: waits(basis.job) }
    }

    /// How many machines a pool has.
    pub(super) fn has(&self, pool: usize) -> u32 {
        self.all.get(pool).map_or(0, |(.., has)| *has)
    }

    /// Whether a pool is of an instance type.
    pub(super) fn is_of(&self, pool: usize, instance: InstanceId) -> bool {
        let catalog = self.basis.catalog;
        let instance = catalog.instance(instance);
        let names = instance.and_then(|i| Some((&*catalog.provider(i.provider)?.name, &*i.name)));
        self.all.get(pool).is_some_and(|(provider, name, ..)| names == Some((*provider, *name)))
    }

    /// How many pools there are.
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// The owned machines of a quote of a stage.
    pub(super) fn used(&self, considered: &Considered, quote: &Quote) -> Option<Use> {
        if quote.purchase != Purchase::Owned {
            return None;
        }
        let catalog = self.basis.catalog;
        let offer = catalog.offers.get(quote.offer)?;
        let instance = catalog.instance(offer.instance)?;
        let provider = catalog.provider(instance.provider)?;
        let mine = |(p, i, region, _): &(&str, &str, Option<&str>, u32)| {
            (*p, *i) == (&*provider.name, &*instance.name) && region.is_none_or(|r| *r == *offer.region)
        };
        let pool = self.all.iter().position(mine)?;
        let count = considered.candidates.of(quote.candidate)?.count;
        Some(Use { pool, count })
    }

    /// What each stage uses as it is selected.
    pub(super) fn selected(&self, stages: &[Considered]) -> Vec<Option<Use>> {
        let used = |c: &Considered| self.used(c, c.quotes.quotes.get(c.selection.chosen?)?);
        stages.iter().map(used).collect()
    }

    /// Whether more machines are selected than there are.
    pub(super) fn want_too_much(&self, stages: &[Considered]) -> bool {
        self.conflict(&self.selected(stages), |_| 0).is_some()
    }

    /// Whether one of two stages waits for the other.
    pub(super) fn in_a_row(&self, a: usize, b: usize) -> bool {
        let waits =
            |x: usize, y: usize| self.waits.get(x).and_then(|row| row.get(y)).copied().unwrap_or(false);
        waits(a, b) || waits(b, a)
    }

    /// The first pool of which more is used than there is. Of the stages at fault as few are named as wanting too much
    /// takes, those first that lose most by having less.
    pub(super) fn conflict(&self, uses: &[Option<Use>], loses: impl Fn(usize) -> i128) -> Option<Conflict> {
        (0..self.all.len()).find_map(|pool| {
            let all: Vec<(usize, u32)> = users(uses, pool).collect();
            let mut set = self.crowd(&all, self.has(pool))?;
            set.sort_by_key(|(stage, count)| (std::cmp::Reverse((loses(*stage), *count)), *stage));
            let (mut all, mut kept) = (0_u64, Vec::new());
            for user in set {
                if all <= u64::from(self.has(pool)) {
                    all += u64::from(user.1);
                    kept.push(user);
                }
            }
            Some(Conflict { pool, users: kept })
        })
    }

    /// The users that together want most, if that is more than `has`.
    fn crowd(&self, users: &[(usize, u32)], has: u32) -> Option<Vec<(usize, u32)>> {
        let counts: Vec<u32> = users.iter().map(|(_, count)| *count).collect();
        if counts.iter().copied().map(u64::from).sum::<u64>() <= u64::from(has) {
            return None;
        }
        let stage = |at: usize| users.get(at).map(|(stage, _)| *stage);
        let follows = |a: usize, b: usize| {
            let waits = stage(b).and_then(|b| self.waits.get(b)).zip(stage(a));
            waits.and_then(|(row, a)| row.get(a)).copied().unwrap_or(false)
        };
        let (most, set) = crowd(&counts, follows);
        let named = set.iter().filter_map(|at| users.get(*at)).copied();
        (most > u64::from(has)).then(|| named.collect())
    }

    /// Whether a stage could use owned machines while the others use what they do.
    pub(super) fn leaves(&self, uses: &[Option<Use>], stage: usize, wanted: Use) -> bool {
        let others = users(uses, wanted.pool).filter(|(at, _)| *at != stage && !self.in_a_row(*at, stage));
        let others: Vec<(usize, u32)> = others.collect();
        let has = self.has(wanted.pool);
        wanted.count <= has && self.crowd(&others, has - wanted.count).is_none()
    }

    /// The stages with quotes for every place in which their owned machines stand: by itself each has that of the best one.
    pub(super) fn everywhere(&self, stages: &[Considered]) -> Vec<Considered> {
        let mut stages = stages.to_vec();
        let several = |(p, i, region, _): &(&str, &str, Option<&str>, u32)| {
            region.is_some() && self.all.iter().filter(|(q, j, ..)| (q, j) == (p, i)).count() > 1
        };
        if !self.all.iter().any(several) {
            return stages;
        }
        let Basis { job, catalog, book } = self.basis;
        for (stage, considered) in job.stages.iter().zip(&mut stages) {
            let pricer = Pricer::new(job, stage, catalog, book);
            let known = &considered.quotes.quotes;
            let mut more: Vec<Quote> = Vec::new();
            for (_, _, region, _) in self.all.iter().filter(|pool| several(pool)) {
                for quote in known.iter().filter(|q| q.purchase == Purchase::Owned) {
                    let candidate = considered.candidates.of(quote.candidate);
                    let there = candidate.zip(*region).and_then(|(candidate, region)| {
                        pricer.quote_owned_in(quote.candidate, candidate, region)
                    });
                    more.extend(there.filter(|q| !known.contains(q)));
                }
            }
            Arc::make_mut(&mut considered.quotes).quotes.append(&mut more);
        }
        stages
    }
}

/// The stages that use a pool, and how many machines of it each.
fn users(uses: &[Option<Use>], pool: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
    let of_pool = move |(at, used): (usize, &Option<Use>)| {
        used.filter(|used| used.pool == pool).map(|used| (at, used.count))
    };
    uses.iter().enumerate().filter_map(of_pool)
}

/// For each stage those that it waits for, however indirectly.
fn waits(job: &Job) -> Vec<Vec<bool>> {
    let n = job.stages.len();
    let mut waits = vec![vec![false; n]; n];
    // As many rounds as stages at most, for the graph has no cycle; two where they stand in their order.
    for _ in 0..n {
        let mut changed = false;
        for (i, stage) in job.stages.iter().enumerate() {
            for before in &stage.after {
                let theirs = waits.get(*before).cloned().unwrap_or_default();
                let Some(row) = waits.get_mut(i) else { continue };
                for (at, (mine, their)) in row.iter_mut().zip(theirs).enumerate() {
                    let new = !*mine && (their || at == *before);
                    *mine |= new;
                    changed |= new;
                }
            }
        }
        if !changed {
            break;
        }
    }
    waits
}
