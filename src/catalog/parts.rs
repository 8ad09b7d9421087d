//! What catalog files say, before it is put in order: offers still name their provider and their machine.

use super::{
    Accelerators, Billing, CardPrice, ExchangeRates, Name, OfferEntry, OfferGpu, Processor, Tariff, TermRatio,
};
use crate::diag::Place;
use crate::units::{Bytes, Currency};
use std::cmp::Ordering;

/// What files say, in the order in which they say it.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) accelerators: Accelerators,
    pub(crate) providers: Vec<ProviderPart>,
    pub(crate) rows: Vec<Row>,
    /// The offer of each row. Their `instance` is set when the types are numbered.
    pub(crate) offers: Vec<OfferEntry>,
    pub(crate) processors: Vec<Processor>,
    pub(crate) rates: ExchangeRates,
}

/// What one file says about a provider beside its offers.
#[derive(Debug)]
pub(crate) struct ProviderPart {
    pub(crate) name: Name,
    pub(crate) currency: Currency,
    pub(crate) on_demand: Option<Billing>,
    pub(crate) spot: Option<Billing>,
    pub(crate) tariffs: Vec<Tariff>,
    pub(crate) card_prices: Vec<CardPrice>,
    pub(crate) term_ratios: Vec<TermRatio>,
}

impl Parts {
    /// Adds an offer.
    pub(crate) fn push(&mut self, row: Row, offer: OfferEntry) {
        self.rows.push(row);
        self.offers.push(offer);
    }
}

impl ProviderPart {
    /// One that says nothing but its name and currency.
    pub(crate) fn bare(name: Name, currency: Currency) -> Self {
        Self {
            name,
            currency,
            on_demand: None,
            spot: None,
            tariffs: Vec::new(),
            card_prices: Vec::new(),
            term_ratios: Vec::new(),
        }
    }
}

/// What a machine is: instance types with another specification are other types, whatever their name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spec {
    pub(crate) vcpus: f64,
    pub(crate) memory: Bytes,
    pub(crate) gpu: Option<OfferGpu>,
}

impl Spec {
    /// A total order.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let gpu = |spec: &Self| spec.gpu.map(|gpu| gpu.accelerator);
        let count = |spec: &Self| spec.gpu.map_or(0.0, |gpu| gpu.count);
        self.vcpus
            .total_cmp(&other.vcpus)
            .then_with(|| self.memory.cmp(&other.memory))
            .then_with(|| gpu(self).cmp(&gpu(other)))
            .then_with(|| count(self).total_cmp(&count(other)))
    }
}

/// What an offer is an offer of. The offer itself stands at the same position of another list: these are compared
/// often, those are large.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Where it stands; none for one of a catalog that is in order already.
    pub(crate) place: Option<Place>,
    /// Of a list that a script wrote: the same offer twice is counted there, and is no mistake.
    pub(crate) listed: bool,
    pub(crate) provider: Name,
    pub(crate) instance: Name,
    pub(crate) spec: Spec,
}

impl Row {
    /// The order of instance types.
    pub(crate) fn type_order(&self, other: &Self) -> Ordering {
        names(&self.provider, &other.provider)
            .then_with(|| names(&self.instance, &other.instance))
            .then_with(|| self.spec.order(&other.spec))
    }
}

/// The order of offers; equal ones are the same offer stated twice.
pub(crate) fn key_order((a, x): (&Row, &OfferEntry), (b, y): (&Row, &OfferEntry)) -> Ordering {
    a.type_order(b).then_with(|| names(&x.region, &y.region)).then_with(|| x.zone.cmp(&y.zone))
}

/// By text; what stands in one place is one text.
fn names(a: &Name, b: &Name) -> Ordering {
    if std::ptr::addr_eq(a.as_ptr(), b.as_ptr()) && a.len() == b.len() { Ordering::Equal } else { a.cmp(b) }
}
