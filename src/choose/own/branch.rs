//! The search: what each stage may use of each pool is narrowed until a selection uses no more than there is.
//!
//! A node of the search says how many machines of a pool some stages may have at most. Its question, without regard to how
//! many there are for all, bounds what lies in it from below. Where its answer uses more than there are, every selection
//! that does not has for one of the stages at fault fewer machines of that pool: a node for each of them. The node of the
//! lowest bound is looked at first. Work is counted, not timed.

use super::pools::{Conflict, Pools, Use};
use std::collections::{BTreeMap, BTreeSet};

/// How many machines of a pool a stage may have at most, by stage and pool.
pub(super) type Limits = BTreeMap<(usize, usize), u32>;

/// What is to be least, and what is to be least of equals.
pub(super) type Key = (i128, i128);

/// A selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) key: Key,
    /// The position of each stage's quote; none of a stage that nothing can do whatever it may use.
    pub(super) quotes: Vec<Option<usize>>,
    pub(super) uses: Vec<Option<Use>>,
    /// How long a run takes, in milliseconds.
    pub(super) makespan: i64,
}

/// The answer to the question of a node.
pub(super) enum Solved {
    /// Nothing is possible.
    Nothing,
    /// Nothing was found, but that is no proof.
    Unknown,
    /// What was found, and what everything in the node is at least.
    Found(Key, Pick),
}

/// Asks the questions.
pub(super) trait Ask {
    /// The best within some limits.
    fn solve(&mut self, limits: &Limits) -> Solved;
    /// What everything within some limits is at least, with regard to how many machines there are.
    fn lift(&mut self, limits: &Limits) -> Option<i128>;
    /// Makes such bounds better, as near to a target as can be; what everything is at least then.
    fn tune(&mut self, target: i128) -> Option<i128>;
    /// Limits that look good, for a beginning.
    fn hints(&mut self) -> Vec<Limits>;
    /// What a stage's quote saves beside the cheapest that is rented.
    fn saves(&self, stage: usize, quote: usize) -> i128;
    /// Whether another question may be asked.
    fn may_go_on(&self) -> bool;
}

/// The best that was found.
pub(super) struct Best {
    pub(super) pick: Option<Pick>,
    /// What every selection is at least, by what is to be least first; none where nothing is possible.
    pub(super) at_least: Option<i128>,
}

/// So many nodes at most …
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) nodes: usize,
    /// … and so many for what is as good as the best known.
    pub(super) equals: usize,
}

/// After so many nodes without a proof better bounds are worth their work.
const SOON: usize = 16;

/// Of so many stages what saves least is left out one by one even where there is a better beginning.
const FEW: usize = 32;

struct Node {
    bound: Key,
    limits: Limits,
    pick: Pick,
    conflict: Conflict,
}

struct Search<'a, A> {
    pools: &'a Pools<'a>,
    ask: &'a mut A,
    best: Option<Pick>,
    /// Everything is at least this.
    floor: Option<i128>,
    /// What was left without a proof is at least this.
    left: Option<i128>,
    open: BTreeMap<(Key, usize), Node>,
    serial: usize,
}

/// The best selection that uses no more machines than there are.
pub(super) fn best(pools: &Pools<'_>, ask: &mut impl Ask, effort: Effort) -> Best {
    let mut search =
        Search { pools, ask, best: None, floor: None, left: None, open: BTreeMap::new(), serial: 0 };
    search.look((i128::MIN, 0), Limits::new());
    if let Some(root) = search.open.first_entry() {
        let (limits, pick, conflict) =
            (root.get().limits.clone(), root.get().pick.clone(), root.get().conflict.clone());
        for hint in search.ask.hints() {
            search.offer(&hint);
        }
        if search.best.is_none() || pick.quotes.len() <= FEW {
            search.dive(limits, pick, conflict);
        }
    }
    search.run(effort);
    search.told()
}

impl<A: Ask> Search<'_, A> {
    fn conflict(&self, pick: &Pick) -> Option<Conflict> {
        let saves = |stage: usize| {
            pick.quotes.get(stage).copied().flatten().map_or(0, |quote| self.ask.saves(stage, quote))
        };
        self.pools.conflict(&pick.uses, saves)
    }

    fn keep(&mut self, pick: Pick) {
        if self.best.as_ref().is_none_or(|best| pick.key < best.key) {
            self.best = Some(pick);
        }
    }

    fn beaten(&self, bound: Key) -> bool {
        self.best.as_ref().is_some_and(|best| bound >= best.key)
    }

    fn leave(&mut self, bound: i128) {
        self.left = Some(self.left.map_or(bound, |left| left.min(bound)));
    }

    /// Opens a node, unless its answer settles it. `known` bounds it too.
    fn look(&mut self, known: Key, limits: Limits) {
        match self.ask.solve(&limits) {
            Solved::Nothing => {}
            Solved::Unknown => self.leave(known.0),
            Solved::Found(bound, pick) => {
                let bound = bound.max(known);
                if self.beaten(bound) {
                    return;
                }
                match self.conflict(&pick) {
                    None => {
                        if bound.0 < pick.key.0 {
                            self.leave(bound.0);
                        }
                        self.keep(pick);
                    }
                    Some(conflict) => {
                        self.serial += 1;
                        self.open.insert((bound, self.serial), Node { bound, limits, pick, conflict });
                    }
                }
            }
        }
    }

    /// A first selection: of the stages at fault the one that saves least goes without, until no one is.
    fn dive(&mut self, mut limits: Limits, mut pick: Pick, mut conflict: Conflict) {
        loop {
            let saves = |(stage, _): &&(usize, u32)| {
                (pick.quotes.get(*stage).copied().flatten().map_or(0, |q| self.ask.saves(*stage, q)), *stage)
            };
            let Some((loser, _)) = conflict.users.iter().min_by_key(saves) else { return };
            limits.insert((*loser, conflict.pool), 0);
            let Solved::Found(_, next) = self.ask.solve(&limits) else { return };
            match self.conflict(&next) {
                None => return self.keep(next),
                Some(left) => (pick, conflict) = (next, left),
            }
        }
    }

    /// Tries limits under which enough may be left for all.
    fn offer(&mut self, limits: &Limits) {
        if let Solved::Found(_, pick) = self.ask.solve(limits)
            && self.conflict(&pick).is_none()
        {
            self.keep(pick);
        }
    }

    fn run(&mut self, effort: Effort) {
        let mut seen: BTreeSet<Limits> = BTreeSet::new();
        let (mut nodes, mut equals) = (0, 0);
        while let Some((key, node)) = self.open.pop_first() {
            if self.beaten(node.bound) {
                self.open.clear();
                return;
            }
            let as_good = self.best.as_ref().is_some_and(|best| node.bound.0 >= best.key.0);
            let enough = if as_good { equals >= effort.equals } else { nodes >= effort.nodes };
            if enough || !self.ask.may_go_on() {
                self.open.insert(key, node);
                return;
            }
            (nodes, equals) = (nodes + 1, equals + usize::from(as_good));
            if let Some(best) = self.best.as_ref().filter(|_| nodes == SOON) {
                self.floor = self.ask.tune(best.key.0);
            }
            let lifted = if as_good { None } else { self.ask.lift(&node.limits) };
            let bound = lifted.map_or(node.bound, |lifted| node.bound.max((lifted, 0)));
            if self.beaten(bound) {
                continue;
            }
            if self.best.as_ref().is_some_and(|best| bound.0 >= best.key.0) && !as_good {
                // Nothing better is in it: it waits for those in which something may be.
                self.open.insert((bound, key.1), Node { bound, ..node });
                continue;
            }
            for (stage, count) in node.conflict.users {
                let mut limits = node.limits.clone();
                limits.insert((stage, node.conflict.pool), count.saturating_sub(1));
                if seen.insert(limits.clone()) {
                    self.look(bound, limits);
                }
            }
        }
    }

    fn told(self) -> Best {
        let open = self.open.first_key_value().map(|((bound, _), _)| bound.0);
        let best = self.best.as_ref().map(|best| best.key.0);
        let unproven = [open, self.left].into_iter().flatten().min();
        let at_least = unproven.map(|least| self.floor.map_or(least, |floor| least.max(floor)));
        let at_least = [at_least, best].into_iter().flatten().min();
        Best { pick: self.best, at_least }
    }
}
