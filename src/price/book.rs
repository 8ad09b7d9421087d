//! What holds for every offer of a job, worked out once: whether it may be rented, in which place it lies, how the data
//! gets there and back, and what its prices are multiplied by (discount and exchange rate).

use super::entries::{Entries, Entry, Number};
use super::lots::{Lot, Lots, Traits};
use super::pairs::{Pair, Pairs};
use super::storage::Keeping;
use super::transfer::{Transfer, route};
use crate::catalog::{Catalog, InstanceId, Listing, Name, Offer, Provider, ProviderId};
use crate::decide::Reason;
use crate::job::Job;
use crate::units::Currency;
use std::collections::BTreeMap;

/// A provider's region.
#[derive(Debug, Clone)]
pub struct Place {
    /// The provider.
    pub provider: ProviderId,
    /// The region.
    pub region: Name,
    /// How the data gets there and back: a position in [`Book::ways`].
    pub way: usize,
}

/// The way of data from where it lies to a place and back. Many places share one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way<'a> {
    /// Whether the place is where the data lies.
    pub home: bool,
    /// From the data to the place.
    pub into: Transfer<'a>,
    /// From the place back to the data.
    pub out: Transfer<'a>,
}

impl Way<'_> {
    /// Nothing is charged.
    const FREE: Self = Self { home: false, into: Transfer::Free, out: Transfer::Free };
}

/// The entries of all offers of a catalog, for one job, and what can be put together of them.
#[derive(Debug)]
pub struct Book<'a> {
    entries: Entries,
    places: Vec<Place>,
    ways: Vec<Way<'a>>,
    lots: Lots,
    pairs: Pairs,
    rates: Vec<(Currency, Option<f64>)>,
    keeping: Option<Keeping<'a>>,
    runs: f64,
}

impl<'a> Book<'a> {
    /// Goes through all offers once.
    pub fn new(job: &Job, catalog: &'a Catalog) -> Self {
        Self::with(job, catalog, false)
    }

    /// The same with a way of its own for every region, along which nothing is charged: what is sold where, whatever it
    /// costs to bring the data there.
    pub fn by_region(job: &Job, catalog: &'a Catalog) -> Self {
        Self::with(job, catalog, true)
    }

    fn with(job: &Job, catalog: &'a Catalog, apart: bool) -> Self {
        let rates: Vec<(Currency, Option<f64>)> =
            catalog.currencies().map(|c| (c, catalog.rates.factor(c, job.currency))).collect();
        let discounts: Vec<f64> = catalog.providers.iter().map(|p| 1.0 - job.discount(&p.name)).collect();
        let stale = job.today.months_ago(job.stale_after_months.saturating_add(1));
        let mut places: Vec<Place> = Vec::new();
        let mut ways: Vec<Way<'a>> = Vec::new();
        let mut known = Listed::of(catalog.offers.listings().len());
        let mut entries = Entries::with_room(catalog.offers.len());
        let restricted = !job.place.is_open();
        let mut listed = |id: ProviderId, provider: &str, listing: &Listing| {
            let same = |place: &Place| place.provider == id && place.region == listing.region;
            let known = if apart { places.iter().position(same) } else { None };
            let place = known.unwrap_or_else(|| {
                let way = if apart { Way::FREE } else { way(job, catalog, id, &listing.region) };
                let known = ways.iter().position(|known| *known == way).filter(|_| !apart);
                let way = known.unwrap_or_else(|| {
                    ways.push(way);
                    ways.len() - 1
                });
                places.push(Place { provider: id, region: Name::clone(&listing.region), way });
                places.len() - 1
            });
            let rate = rates.iter().find(|(c, _)| *c == listing.currency).and_then(|(_, rate)| *rate);
            let discount = discounts.get(usize::from(id.0)).copied().unwrap_or(1.0);
            let closed = if is_stale(listing, stale) && !job.place.names(provider, &listing.region) {
                Some(Reason::StalePrice)
            } else {
                rate.is_none().then_some(Reason::NoRate)
            };
            Entry { place, factor: rate.unwrap_or(1.0) * discount, closed }
        };
        let mut unknown = None;
        for (instance, listing) in catalog.offers.listed() {
            let found = catalog.instance(instance).zip(catalog.offers.listings().get(listing));
            let Some((instance, own)) = found else {
                let nowhere = Entry { place: 0, factor: 1.0, closed: None };
                let number = *unknown.get_or_insert_with(|| entries.describe(nowhere));
                entries.add(number, false);
                continue;
            };
            let id = instance.provider;
            let provider = || catalog.provider(id).map_or("", |p| &*p.name);
            let number = known.of_provider(listing, id, || entries.describe(listed(id, provider(), own)));
            let admitted = !restricted || job.place.allows(provider(), &own.region, &instance.name);
            entries.add(number, admitted);
        }
        let runs = job.runs_per_month.unwrap_or(1.0).max(1.0);
        let (lots, pairs) = (Lots::default(), Pairs::default());
        let data =
            job.data_location.as_ref().and_then(|at| Some((at, catalog.provider_named(&at.provider)?.1)));
        let keeping = data.and_then(|(at, provider)| Keeping::of(provider, &at.region));
        let mut book = Self { entries, places, ways, lots, pairs, rates, keeping, runs };
        book.lots = Lots::new(catalog, |number, offer| book.traits(number, offer));
        // Spot with on-demand fallback is for deadlines.
        if job.limits.deadline.is_some() {
            book.pairs = Pairs::new(catalog, &book.entries, &book.places);
        }
        book
    }

    /// What an offer of a position is alike to others in.
    pub fn traits(&self, number: usize, offer: &Offer) -> Option<Traits> {
        let entry = self.entries.get(number)?;
        match entry.closed {
            Some(reason) => Some(Traits::closed(reason)),
            None => Some(Traits::open(offer, self.places.get(entry.place)?.way, entry.factor)),
        }
    }

    /// The way of the data to the offer at a position.
    pub fn way_of(&self, number: usize) -> Option<usize> {
        Some(self.places.get(self.entries.get(number)?.place)?.way)
    }

    /// The cheapest pairs of spot and on-demand prices of an instance type, where the job has a deadline.
    pub fn pairs(&self, instance: InstanceId) -> &[Pair] {
        self.pairs.of(instance)
    }

    /// What holds for the offer at a position.
    pub fn entry(&self, offer: usize) -> Option<Entry> {
        self.entries.get(offer).copied()
    }

    /// The offers of an instance type, put together by what they are alike in.
    pub fn lots(&self, instance: InstanceId) -> &[Lot] {
        self.lots.of(instance)
    }

    /// Positions of the offers of a lot that may be the cheapest of it.
    pub fn contenders(&self, lot: &Lot) -> impl Iterator<Item = usize> + '_ {
        self.lots.contenders(lot)
    }

    /// All places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// All ways of the data.
    pub fn ways(&self) -> &[Way<'a>] {
        &self.ways
    }

    /// The price of keeping the data where it lies, as far as that is known.
    pub const fn keeping(&self) -> Option<Keeping<'a>> {
        self.keeping
    }

    /// Runs that share a month: at least one.
    pub const fn runs(&self) -> f64 {
        self.runs
    }

    /// The factor from a currency to the plan's; `None` without a rate.
    pub fn rate(&self, currency: Currency) -> Option<f64> {
        self.rates.iter().find(|(c, _)| *c == currency).and_then(|(_, factor)| *factor)
    }
}

/// The entries of the listings of each provider, by their positions. Almost every listing is of one provider.
struct Listed {
    first: Vec<Option<(ProviderId, Number)>>,
    others: BTreeMap<(usize, ProviderId), Number>,
}

impl Listed {
    fn of(listings: usize) -> Self {
        Self { first: vec![None; listings], others: BTreeMap::new() }
    }

    fn of_provider(&mut self, listing: usize, provider: ProviderId, new: impl FnOnce() -> Number) -> Number {
        match self.first.get_mut(listing) {
            Some(Some((of, number))) if *of == provider => *number,
            Some(slot @ None) => slot.insert((provider, new())).1,
            _ => *self.others.entry((listing, provider)).or_insert_with(new),
        }
    }
}

fn is_stale(listing: &Listing, stale: crate::units::Date) -> bool {
    listing.provenance.as_of.is_some_and(|date| date <= stale)
}

/// The provider of a place.
pub fn provider<'a>(catalog: &'a Catalog, place: &Place) -> Option<&'a Provider> {
    catalog.provider(place.provider)
}

/// The way of the job's data to a region and back. Where it is not known where the data lies, nothing is moved.
fn way<'a>(job: &Job, catalog: &'a Catalog, provider: ProviderId, region: &str) -> Way<'a> {
    let home = job.data_location.as_ref().and_then(|at| Some((at, catalog.provider_named(&at.provider)?.1)));
    let there: Option<&Provider> = catalog.provider(provider);
    let Some(((home, sender), there)) = home.zip(there) else {
        return Way::FREE;
    };
    Way {
        home: *there.name == *home.provider && *region == *home.region,
        into: route(sender, &home.region, there, region),
        out: route(there, region, sender, &home.region),
    }
}
