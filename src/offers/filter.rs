//! What an offer must be to be listed.

use super::row::{Price, Unpriced, price};
use crate::catalog::{
    Accelerator, AcceleratorId, Catalog, Instance, Offer, Provenance, Provider, ProviderId,
};
use crate::job::names_instance;
use crate::terms::{Class, Purchase};
use crate::units::number::Count;
use crate::units::{Bytes, Currency, Date, NominalMemory, PerHour, Range};

/// One thing that an offer must be.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// One of these cards, with this many of it where a number is given.
    Gpu(Vec<(AcceleratorId, Option<f64>)>),
    /// So many GPUs; a CPU instance has none of them, so that `0..` lets it pass.
    Gpus(Range<Count>),
    /// Memory of one GPU as sold (of a slice, its share). A CPU instance never passes.
    Vram(Range<NominalMemory>),
    /// So many vCPUs.
    Vcpus(Range<Count>),
    /// So much main memory.
    Memory(Range<Bytes>),
    /// One of these providers.
    Provider(Vec<ProviderId>),
    /// One of these regions, of one provider where it is named.
    Region(Vec<(Option<ProviderId>, String)>),
    /// This instance type, as `name` or `provider/name`.
    Instance(String),
    /// With or without GPUs.
    Class(Class),
    /// Bought in one of these ways.
    Purchase(Vec<Purchase>),
    /// Price of one hour. What has no price never passes.
    Price(Range<PerHour>),
    /// The price is younger than this day, or has no date.
    After(Date),
}

/// A filter with the words in which it was asked for: `--price ..0.50`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    /// The filter.
    pub filter: Filter,
    /// Its words.
    pub text: String,
}

/// An offer bought in one way, with everything that filters and rows look at.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) provider: &'a Provider,
    pub(super) instance: &'a Instance,
    pub(super) card: Option<&'a Accelerator>,
    pub(super) offer: Offer<'a>,
    pub(super) purchase: Purchase,
    pub(super) price: Result<Price, Unpriced>,
}

impl<'a> Subject<'a> {
    /// `None` for an offer whose instance the catalog does not have, which no catalog holds.
    pub(super) fn new(
        catalog: &'a Catalog,
        offer: Offer<'a>,
        purchase: Purchase,
        currency: Currency,
    ) -> Option<Self> {
        let instance = catalog.instance(offer.instance)?;
        Some(Self {
            provider: catalog.provider(instance.provider)?,
            instance,
            card: instance.gpu.and_then(|gpu| catalog.accelerator(gpu)),
            offer,
            purchase,
            price: price(&offer, purchase, catalog.rates.factor(offer.currency, currency)),
        })
    }

    /// Memory of one of its GPUs as sold; of a slice, its share.
    pub(super) fn vram(&self) -> Option<Bytes> {
        Some(self.card?.memory.scaled(self.instance.gpu?.count.min(1.0)))
    }

    /// Where the price comes from.
    pub(super) fn provenance(&self) -> &'a Provenance {
        match self.purchase {
            Purchase::OnDemand | Purchase::Spot | Purchase::Fallback | Purchase::Owned => {
                &self.offer.listing.provenance
            }
            Purchase::Month | Purchase::Year | Purchase::ThreeYears => self.offer.term_provenance(),
        }
    }
}

impl Filter {
    /// Whether an offer is so.
    pub(super) fn passes(&self, subject: &Subject<'_>) -> bool {
        let instance = subject.instance;
        let within = |range: &Range<Count>, n: f64| Count::new(n).is_some_and(|n| range.contains(&n));
        match self {
            Self::Gpu(cards) => instance.gpu.is_some_and(|gpu| {
                cards.iter().any(|(card, count)| {
                    *card == gpu.accelerator && count.is_none_or(|n| (n - gpu.count).abs() < 1e-9)
                })
            }),
            Self::Gpus(range) => within(range, instance.gpu_count()),
            Self::Vram(range) => {
                subject.vram().is_some_and(|memory| range.contains(&NominalMemory::from_gib(memory.as_gib())))
            }
            Self::Vcpus(range) => within(range, instance.vcpus),
            Self::Memory(range) => range.contains(&instance.memory),
            Self::Provider(providers) => providers.contains(&instance.provider),
            Self::Region(regions) => regions.iter().any(|(provider, region)| {
                *region == *subject.offer.region && provider.is_none_or(|id| id == instance.provider)
            }),
            Self::Instance(name) => names_instance(name, &subject.provider.name, &instance.name),
            Self::Class(class) => (*class == Class::Gpu) == instance.gpu.is_some(),
            Self::Purchase(purchases) => purchases.contains(&subject.purchase),
            Self::Price(range) => subject.price.as_ref().is_ok_and(|price| range.contains(&price.per_hour)),
            Self::After(day) => subject.provenance().as_of.is_none_or(|date| date > *day),
        }
    }
}
