//! Sets of stages at an offer, then further offers beside them.
//!
//! At an offer of at most [`FEW`] stages every set of them is tried. Of more stages those sets are tried that take the stages
//! with the most saving per machine hour first, which is what fills months best, and from the best of them on stages are
//! taken in or left out, or done by other numbers of machines, as long as that helps. The best of all sets at all offers are
//! each continued with sets of the remaining stages.

use super::parts::{Part, Seller, sellers};
use super::trial::{Pool, Run, Trial};
use crate::units::Money;
use std::cmp::Ordering;

/// Up to so many stages at an offer all sets are tried.
const FEW: usize = 5;
/// Plans with one set that are continued.
const CONTINUED: usize = 16;
/// Steps of all trials together: an eighteenth of the ordinary effort of the exact choice.
const STEPS: u64 = 10_000_000;

/// The best plan found with common months, where it is better than the plan as it is.
pub(super) fn best(run: &Run<'_>) -> Option<Trial> {
    let sellers = sellers(run);
    let mut search = Search { run, sellers: &sellers, left: STEPS };
    let firsts = search.sets(&[], None);
    let mut best: Option<Trial> = None;
    for first in firsts {
        let trial = search.continued(first);
        let trial = run.polished(trial, &mut search.left);
        if best.as_ref().is_none_or(|best| run.is_better(trial.rank, best.rank)) {
            best = Some(trial);
        }
    }
    best.filter(|best| run.is_better(best.rank, run.rank()))
}

struct Search<'a> {
    run: &'a Run<'a>,
    sellers: &'a [Seller],
    left: u64,
}

/// The stages of a set, each with the number of its way.
type Set = Vec<(usize, usize)>;

impl Search<'_> {
    /// A plan with further sets, as long as they make it better.
    fn continued(&mut self, mut trial: Trial) -> Trial {
        while let Some(next) = self.sets(&trial.pools, Some(&trial)).into_iter().next() {
            if !self.run.is_better(next.rank, trial.rank) {
                break;
            }
            trial = next;
        }
        trial
    }

    /// The best plans with one more set beside some pools, the best first; better ones than `than`, where that is given.
    fn sets(&mut self, pools: &[Pool], than: Option<&Trial>) -> Vec<Trial> {
        let taken: Vec<usize> = pools.iter().flat_map(|pool| &pool.parts).map(|part| part.stage).collect();
        let open = |stage: usize| !taken.contains(&stage);
        let mut best =
            Best { run: self.run, most: if than.is_some() { 1 } else { CONTINUED }, kept: Vec::new() };
        for seller in self.sellers {
            if self.left == 0 {
                break;
            }
            let able: Vec<usize> = (0..seller.able.len())
                .filter(|at| seller.able.get(*at).is_some_and(|able| open(able.stage)))
                .collect();
            if able.len() < 2 || self.run.most_saved(seller, &open) <= Money::ZERO {
                continue;
            }
            let mut at_offer = AtOffer { search: self, pools, seller, able: &able };
            if able.len() <= FEW {
                at_offer.all(&mut best);
            } else {
                at_offer.some(&mut best);
            }
        }
        best.kept
    }
}

/// The sets of one offer, beside some pools.
struct AtOffer<'a, 'b> {
    search: &'a mut Search<'b>,
    pools: &'a [Pool],
    seller: &'a Seller,
    able: &'a [usize],
}

impl AtOffer<'_, '_> {
    fn part(&self, (able, way): (usize, usize)) -> Option<Part> {
        self.seller.able.get(able)?.ways.get(way).copied()
    }

    fn ways(&self, able: usize) -> usize {
        self.seller.able.get(able).map_or(0, |able| able.ways.len())
    }

    fn tried(&mut self, set: &Set) -> Option<Trial> {
        let parts: Vec<Part> = set.iter().map(|one| self.part(*one)).collect::<Option<_>>()?;
        let run = self.search.run;
        let stages = |stage: usize| parts.iter().any(|part| part.stage == stage);
        if self.search.left == 0 || run.most_saved(self.seller, &stages) <= Money::ZERO {
            return None;
        }
        let mut pools = self.pools.to_vec();
        pools.push(Pool { offer: self.seller.offer, parts });
        run.trial(pools, &mut self.search.left)
    }

    /// All sets of two stages or more, small ones first; then other ways to do the stages of the best of them.
    fn all(&mut self, best: &mut Best<'_>) {
        let bits = self.able.len();
        let mut masks: Vec<u32> = (0..1_u32 << bits).filter(|mask| mask.count_ones() > 1).collect();
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        let mut top: Option<(Set, Trial)> = None;
        for mask in masks {
            let set: Set = self
                .able
                .iter()
                .enumerate()
                .filter(|(bit, _)| mask >> bit & 1 == 1)
                .map(|(_, able)| (*able, 0))
                .collect();
            for set in self.in_all_ways(&set) {
                self.keep(set, &mut top, best);
            }
        }
        self.climb(top, best);
    }

    /// A set with each stage done in its first way, and with all done in their second, third … way.
    fn in_all_ways(&self, set: &Set) -> Vec<Set> {
        let most = set.iter().map(|(able, _)| self.ways(*able)).max().unwrap_or(1);
        let way = |level: usize| -> Set {
            set.iter().map(|(able, _)| (*able, level.min(self.ways(*able).saturating_sub(1)))).collect()
        };
        (0..most).map(way).collect()
    }

    /// The sets that fill months best, then what is near the best of them.
    fn some(&mut self, best: &mut Best<'_>) {
        let mut order: Vec<(f64, usize)> = self.able.iter().map(|able| (self.value(*able), *able)).collect();
        order.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
        let mut top: Option<(Set, Trial)> = None;
        for many in 2..=order.len() {
            let mut set: Set = order.iter().take(many).map(|(_, able)| (*able, 0)).collect();
            set.sort_unstable();
            for set in self.in_all_ways(&set) {
                self.keep(set, &mut top, best);
            }
        }
        self.climb(top, best);
    }

    /// What a stage costs now beside what it would cost in months, per machine hour.
    fn value(&self, able: usize) -> f64 {
        let now =
            |part: &Part| self.search.run.now.get(part.stage).and_then(Option::as_ref).map(|now| now.cost);
        let value = |part: Part| Some((now(&part)? - part.beside).as_f64() / part.machine_hours().max(1e-9));
        self.part((able, 0)).and_then(value).unwrap_or(f64::NEG_INFINITY)
    }

    /// Tries a set and keeps it if it is good.
    fn keep(&mut self, set: Set, top: &mut Option<(Set, Trial)>, best: &mut Best<'_>) -> bool {
        let Some(trial) = self.tried(&set) else { return false };
        best.add(&trial);
        let better = top.as_ref().is_none_or(|(_, top)| best.run.is_better(trial.rank, top.rank));
        if better {
            *top = Some((set, trial));
        }
        better
    }

    /// From the best set on one stage is taken in or left out or done in another way, as long as that helps.
    fn climb(&mut self, mut top: Option<(Set, Trial)>, best: &mut Best<'_>) {
        while let Some((set, _)) = &top {
            let mut changed = false;
            for near in self.near(&set.clone()) {
                changed |= self.keep(near, &mut top, best);
            }
            if !changed {
                break;
            }
        }
    }

    fn near(&self, set: &Set) -> Vec<Set> {
        let mut all = Vec::new();
        for able in self.able {
            let ways = 0..self.ways(*able);
            match set.iter().position(|(one, _)| one == able) {
                Some(at) => {
                    if set.len() > 2 {
                        let mut fewer = set.clone();
                        fewer.remove(at);
                        all.push(fewer);
                    }
                    for way in ways {
                        let mut other = set.clone();
                        if let Some(slot) = other.get_mut(at).filter(|slot| slot.1 != way) {
                            slot.1 = way;
                            all.push(other);
                        }
                    }
                }
                None => all.extend(ways.map(|way| {
                    let mut more = set.clone();
                    more.push((*able, way));
                    more.sort_unstable();
                    more
                })),
            }
        }
        all
    }
}

/// The best trials so far, the best first; of equal ones the earlier.
struct Best<'a> {
    run: &'a Run<'a>,
    most: usize,
    kept: Vec<Trial>,
}

impl Best<'_> {
    fn add(&mut self, trial: &Trial) {
        let order = |other: &Trial| match () {
            () if self.run.is_better(other.rank, trial.rank) => Ordering::Less,
            () if self.run.is_better(trial.rank, other.rank) => Ordering::Greater,
            () => Ordering::Equal,
        };
        let at = self.kept.partition_point(|other| order(other) != Ordering::Greater);
        if at < self.most && !self.kept.iter().any(|other| other.pools == trial.pools) {
            self.kept.insert(at, trial.clone());
            self.kept.truncate(self.most);
        }
    }
}
