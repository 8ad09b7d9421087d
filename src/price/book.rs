//! What holds for every offer of a job, worked out once: whether it may be rented, in which place it lies, and what
//! its prices are multiplied by (discount and exchange rate).

use crate::catalog::{Catalog, Name, Offer, Provider, ProviderId};
use crate::decide::Reason;
use crate::job::Job;
use crate::units::Currency;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A provider's region.
#[derive(Debug, Clone)]
pub struct Place {
    /// The provider.
    pub provider: ProviderId,
    /// The region.
    pub region: Name,
}

/// What holds for one offer.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Position of its place in [`Book::places`].
    pub place: usize,
    /// Discount × exchange rate.
    pub factor: f64,
    /// Why it may not be rented, if so.
    pub closed: Option<Reason>,
}

/// The entries of all offers of a catalog, for one job.
#[derive(Debug)]
pub struct Book {
    entries: Vec<Entry>,
    places: Vec<Place>,
    rates: Vec<(Currency, Option<f64>)>,
}

impl Book {
    /// Goes through all offers once.
    pub fn new(job: &Job, catalog: &Catalog) -> Self {
        let rates: Vec<(Currency, Option<f64>)> =
            catalog.currencies().map(|c| (c, catalog.rates.factor(c, job.currency))).collect();
        let discounts: Vec<f64> = catalog.providers.iter().map(|p| 1.0 - job.discount(&p.name)).collect();
        let stale = job.today.months_ago(job.stale_after_months.saturating_add(1));
        let mut places: Vec<Place> = Vec::new();
        // Equal names mostly share one allocation, whose address is a quick key; where they do not, a place is
        // listed twice, which changes nothing.
        let mut known: BTreeMap<(ProviderId, *const u8), (usize, bool)> = BTreeMap::new();
        let restricted = !job.place.is_open();
        let entries = catalog
            .offers
            .iter()
            .map(|offer| {
                let Some(instance) = catalog.instance(offer.instance) else {
                    return Entry { place: 0, factor: 1.0, closed: Some(Reason::NotAllowed) };
                };
                let id = instance.provider;
                let provider = catalog.provider(id).map_or("", |p| &*p.name);
                let key = (id, Arc::as_ptr(&offer.region).cast::<u8>());
                let (place, named) = *known.entry(key).or_insert_with(|| {
                    places.push(Place { provider: id, region: Arc::clone(&offer.region) });
                    (places.len() - 1, job.place.names(provider, &offer.region))
                });
                let rate = rates.iter().find(|(c, _)| *c == offer.currency).and_then(|(_, rate)| *rate);
                let discount = discounts.get(usize::from(id.0)).copied().unwrap_or(1.0);
                let closed = if restricted && !job.place.allows(provider, &offer.region, &instance.name) {
                    Some(Reason::NotAllowed)
                } else if !named && is_stale(offer, stale) {
                    Some(Reason::StalePrice)
                } else {
                    rate.is_none().then_some(Reason::NoRate)
                };
                Entry { place, factor: rate.unwrap_or(1.0) * discount, closed }
            })
            .collect();
        Self { entries, places, rates }
    }

    /// What holds for the offer at a position.
    pub fn entry(&self, offer: usize) -> Option<Entry> {
        self.entries.get(offer).copied()
    }

    /// What holds for a range of offers.
    pub fn entries(&self, range: std::ops::Range<usize>) -> &[Entry] {
        self.entries.get(range).unwrap_or_default()
    }

    /// All places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The factor from a currency to the plan's; `None` without a rate.
    pub fn rate(&self, currency: Currency) -> Option<f64> {
        self.rates.iter().find(|(c, _)| *c == currency).and_then(|(_, factor)| *factor)
    }
}

fn is_stale(offer: &Offer, stale: crate::units::Date) -> bool {
    offer.provenance.as_of.is_some_and(|date| date <= stale)
}

/// The provider of a place.
pub fn provider<'a>(catalog: &'a Catalog, place: &Place) -> Option<&'a Provider> {
    catalog.provider(place.provider)
}
