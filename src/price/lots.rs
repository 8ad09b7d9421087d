//! The offers of one instance type, put together where they differ in nothing but their prices.
//!
//! What a stage costs at an offer depends on its prices, on the way of the data to its place and back, on its factor
//! and on its interruptions. Offers that are alike in all but the prices form a [`Lot`]: what turns one away turns all of
//! them away, and of those that are undercut by another one of the lot none can ever be the cheapest. So a stage looks
//! at a few offers of an instance type however many regions sell it, and finds what it would find among all.

use crate::catalog::{Catalog, Hazard, InstanceId, Offer, Term};
use crate::decide::Reason;
use crate::job::Purchase;
use crate::units::PerHour;
use std::ops::Range;

/// Offers of one instance type that are alike in everything but their prices.
#[derive(Debug, Clone)]
pub struct Lot {
    /// What they are alike in.
    traits: Traits,
    /// How many there are.
    size: usize,
    /// Where those that no other undercuts stand in [`Lots::contenders`].
    contenders: Range<u32>,
}

/// What the offers of a lot are alike in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// Why they may not be rented, if so; then nothing else counts.
    pub closed: Option<Reason>,
    /// The way of the data: a position in [`Book::ways`](super::Book::ways).
    pub way: usize,
    /// Discount × exchange rate.
    pub factor: f64,
    /// Interruptions on spot, as published.
    pub hazard: Option<Hazard>,
    /// The prices that they have.
    pub sells: Sells,
}

/// Which prices an offer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for a price of its own")]
pub struct Sells {
    on_demand: bool,
    /// The on-demand price falls with the hours.
    tiers: bool,
    spot: bool,
    /// The spot price is below the on-demand price, or there is no on-demand price.
    spot_saves: bool,
    month: bool,
    year: bool,
    three_years: bool,
}

impl Sells {
    fn of(offer: &Offer) -> Self {
        let term = |term| offer.term(term).is_some();
        Self {
            on_demand: !offer.on_demand.is_empty(),
            tiers: offer.on_demand.len() > 1,
            spot: offer.spot.is_some(),
            spot_saves: offer
                .spot
                .is_some_and(|spot| offer.on_demand_price().is_none_or(|price| spot < price)),
            month: term(Term::Month),
            year: term(Term::Year),
            three_years: term(Term::ThreeYears),
        }
    }

    /// Whether there is a price for a purchase option.
    pub const fn by(self, purchase: Purchase) -> bool {
        match purchase {
            Purchase::OnDemand => self.on_demand,
            Purchase::Spot => self.spot,
            // Of two offers of a region, and of no offer at all.
            Purchase::Fallback | Purchase::Owned => false,
            Purchase::Month => self.month,
            Purchase::Year => self.year,
            Purchase::ThreeYears => self.three_years,
        }
    }

    /// Whether the on-demand price falls with the hours.
    pub const fn falls(self) -> bool {
        self.tiers
    }

    /// Whether the spot price saves anything.
    pub const fn spot_saves(self) -> bool {
        self.spot_saves
    }
}

impl Lot {
    /// What they are alike in.
    pub const fn traits(&self) -> &Traits {
        &self.traits
    }

    /// How many there are.
    pub const fn size(&self) -> usize {
        self.size
    }
}

/// A lot to which offers are still added.
struct Open<'a> {
    traits: Traits,
    size: usize,
    /// Those that no other undercuts so far, with their positions in the catalog.
    contenders: Vec<(u32, Offer<'a>)>,
}

impl<'a> Open<'a> {
    /// Counts one more offer; offers come in catalog order.
    fn add(&mut self, number: u32, offer: Offer<'a>) {
        self.size += 1;
        if self.traits.closed.is_some() {
            return;
        }
        if self.contenders.iter().any(|(_, old)| undercuts(old, &offer, true)) {
            return;
        }
        self.contenders.retain(|(_, old)| !undercuts(&offer, old, false));
        self.contenders.push((number, offer));
    }
}

/// Whether an offer is cheaper than another one of its lot by every price; with `ties` also where prices are equal,
/// which is for the one that comes first in the catalog.
fn undercuts(one: &Offer, other: &Offer, ties: bool) -> bool {
    // A price that falls with the hours is above or below another one by the hours that are rented.
    if one.on_demand.len() > 1 {
        return ties && one.on_demand == other.on_demand && undercuts_beside(one, other, ties);
    }
    let (a, b) = (one.on_demand_price(), other.on_demand_price());
    below(a, b, ties) && undercuts_beside(one, other, ties)
}

/// The same for all prices but the on-demand one.
fn undercuts_beside(one: &Offer, other: &Offer, ties: bool) -> bool {
    let spot = |offer: &Offer| -> Option<PerHour> {
        offer.spot.filter(|spot| offer.on_demand_price().is_none_or(|price| *spot < price))
    };
    if !below(spot(one), spot(other), ties) {
        return false;
    }
    if !one.has_terms() && !other.has_terms() {
        return true;
    }
    // A cap on the price of a month lowers the on-demand price: one without it is not below one with it.
    let capped = match (one.sustained_month(), other.sustained_month()) {
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
        (_, None) => true,
    };
    capped
        && [Term::Month, Term::Year, Term::ThreeYears]
            .into_iter()
            .all(|term| below(one.term(term), other.term(term), ties))
}

/// Two prices of offers that both have it, or both do not.
fn below<T: Ord>(one: Option<T>, other: Option<T>, ties: bool) -> bool {
    match (one, other) {
        (Some(a), Some(b)) => a < b || (ties && a == b),
        (None, None) => true,
        _ => false,
    }
}

/// The lots of every instance type of a catalog.
#[derive(Debug, Default)]
pub struct Lots {
    all: Vec<Lot>,
    /// Positions in the catalog of the offers that may be the cheapest of their lots.
    contenders: Vec<u32>,
    /// Where those of each instance type stand, by its number.
    ranges: Vec<Range<u32>>,
}

impl Lots {
    /// Puts the offers of a catalog together by what `traits` says of each; it is asked in catalog order.
    pub fn new(catalog: &Catalog, mut traits: impl FnMut(usize, &Offer) -> Option<Traits>) -> Self {
        // Room that is not used costs nothing; to move what is there while it grows would.
        let most = catalog.offers.len();
        let (all, contenders) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut lots = Self { all, contenders, ranges: vec![0..0; catalog.instances.len()] };
        let mut open: Vec<Open<'_>> = Vec::new();
        for (instance, offers) in catalog.offers.by_type() {
            // Those of the last type serve again.
            let mut used = 0;
            for number in offers {
                let offer = catalog.offers.get(number);
                let Some((offer, traits)) = offer.and_then(|o| Some((o, traits(number, &o)?))) else {
                    continue;
                };
                let number = position(number);
                let known = open.iter_mut().take(used).find(|lot| lot.traits == traits);
                if let Some(lot) = known {
                    lot.add(number, offer);
                    continue;
                }
                if let Some(lot) = open.get_mut(used) {
                    (lot.traits, lot.size) = (traits, 1);
                    lot.contenders.clear();
                    lot.contenders.push((number, offer));
                } else {
                    open.push(Open { traits, size: 1, contenders: vec![(number, offer)] });
                }
                used += 1;
            }
            let start = position(lots.all.len());
            for lot in open.iter().take(used) {
                let start = position(lots.contenders.len());
                lots.contenders.extend(lot.contenders.iter().map(|(number, _)| *number));
                let contenders = start..position(lots.contenders.len());
                lots.all.push(Lot { traits: lot.traits, size: lot.size, contenders });
            }
            if let Some(range) = lots.ranges.get_mut(at(instance)) {
                *range = start..position(lots.all.len());
            }
        }
        lots
    }

    /// Positions in the catalog of the offers of a lot that may be the cheapest, for some purchase option.
    pub fn contenders(&self, lot: &Lot) -> impl Iterator<Item = usize> + '_ {
        within(&self.contenders, &lot.contenders).iter().filter_map(|number| usize::try_from(*number).ok())
    }

    /// The lots of an instance type.
    pub fn of(&self, instance: InstanceId) -> &[Lot] {
        self.ranges.get(at(instance)).map_or(&[], |range| within(&self.all, range))
    }
}

/// A position as it is kept. A catalog has fewer offers than that holds.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// A part of a list.
fn within<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    let at = |end: u32| usize::try_from(end).unwrap_or(usize::MAX);
    all.get(at(range.start)..at(range.end)).unwrap_or_default()
}

/// The position of an instance type; one past all others for a number that is none.
fn at(instance: InstanceId) -> usize {
    usize::try_from(instance.0).unwrap_or(usize::MAX)
}

impl Traits {
    /// Of offers that may not be rented, which are alike in nothing but that.
    pub fn closed(reason: Reason) -> Self {
        Self { closed: Some(reason), way: 0, factor: 1.0, hazard: None, sells: Sells::default() }
    }

    /// Of an offer that may be rented.
    pub fn open(offer: &Offer, way: usize, factor: f64) -> Self {
        Self { closed: None, way, factor, hazard: offer.hazard, sells: Sells::of(offer) }
    }
}
