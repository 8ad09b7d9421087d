//! The cheapest spot price and the cheapest on-demand price of an instance type in one region: what spot with on-demand
//! fallback is bought at.

use super::book::Place;
use super::entries::{Entries, Entry};
use crate::catalog::{Catalog, Hazard, InstanceId, Offer};
use std::ops::Range;

/// Two offers of one instance type in one region. Prices are per hour, in the plan's currency.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// The way of the data: a position in [`Book::ways`](super::Book::ways).
    pub way: usize,
    /// Interruptions on spot, as published.
    pub hazard: Option<Hazard>,
    /// The spot price, below the on-demand price, and the position of its offer.
    pub spot: (f64, usize),
    /// The on-demand price of the first hour, and the position of its offer.
    pub on_demand: (f64, usize),
}

impl Pair {
    /// Whether nothing is bought more cheaply at another pair than at this one: the expected hours of each kind follow
    /// from the hazard. Of equal pairs the first counts.
    fn undercuts(&self, other: &Self, ties: bool) -> bool {
        let below = |a: f64, b: f64| a < b || (ties && a.total_cmp(&b).is_eq());
        self.way == other.way
            && self.hazard == other.hazard
            && below(self.spot.0, other.spot.0)
            && below(self.on_demand.0, other.on_demand.0)
    }
}

/// The pairs of every instance type of a catalog that no other one undercuts.
#[derive(Debug, Default)]
pub struct Pairs {
    all: Vec<Pair>,
    /// Where those of each instance type stand, by its number.
    ranges: Vec<Range<usize>>,
}

impl Pairs {
    /// Goes through the offers of each instance type region by region.
    pub fn new(catalog: &Catalog, entries: &Entries, places: &[Place]) -> Self {
        let mut pairs = Self { all: Vec::new(), ranges: vec![0..0; catalog.instances.len()] };
        for (instance, range) in catalog.offers.by_type() {
            let mut kept = Vec::new();
            let offers: Vec<(usize, Offer<'_>)> =
                range.filter_map(|n| Some((n, catalog.offers.get(n)?))).collect();
            for region in offers.chunk_by(|(_, a), (_, b)| a.region == b.region) {
                let open = region.iter().filter_map(|(n, offer)| {
                    let entry = entries.get(*n).filter(|entry| entry.closed.is_none())?;
                    Some((*n, *offer, entry))
                });
                add_region(&mut kept, open, places);
            }
            let range = usize::try_from(instance.0).ok().and_then(|at| pairs.ranges.get_mut(at));
            let start = pairs.all.len();
            pairs.all.append(&mut kept);
            if let Some(range) = range {
                *range = start..pairs.all.len();
            }
        }
        pairs
    }

    /// The pairs of an instance type, in the order of the catalog.
    pub fn of(&self, instance: InstanceId) -> &[Pair] {
        let at = usize::try_from(instance.0).unwrap_or(usize::MAX);
        self.ranges.get(at).and_then(|range| self.all.get(range.clone())).unwrap_or_default()
    }
}

/// Adds the pairs of the open offers of one instance type in one region to those that are `kept` of it.
fn add_region<'a>(
    kept: &mut Vec<Pair>,
    open: impl Iterator<Item = (usize, Offer<'a>, &'a Entry)> + Clone,
    places: &[Place],
) {
    let hourly = |price: Option<f64>, best: Option<(f64, usize)>, number| match (price, best) {
        (Some(price), Some((least, _))) if price >= least => best,
        (Some(price), _) => Some((price, number)),
        (None, _) => best,
    };
    let on_demand = open.clone().fold(None, |best, (number, offer, entry)| {
        hourly(offer.on_demand_price().map(|price| price.as_f64() * entry.factor), best, number)
    });
    let Some(on_demand) = on_demand else { return };
    for (number, offer, entry) in open {
        let Some(price) = offer.spot.map(|price| price.as_f64() * entry.factor) else { continue };
        let Some(way) = places.get(entry.place).map(|place| place.way) else { continue };
        if price < on_demand.0 {
            add(kept, Pair { way, hazard: offer.hazard, spot: (price, number), on_demand });
        }
    }
}

/// Adds a pair, unless another one undercuts it; those that it undercuts go.
fn add(kept: &mut Vec<Pair>, pair: Pair) {
    if kept.iter().any(|old| old.undercuts(&pair, true)) {
        return;
    }
    kept.retain(|old| !pair.undercuts(old, false));
    kept.push(pair);
}
