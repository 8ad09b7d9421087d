//! What is for sale and what it is made of: offers, providers' billing and transfer rules, accelerators,
//! processors and exchange rates. Everything keeps its date and source; a price that is not known is absent,
//! never zero.

pub mod accelerator;
pub mod alias;
mod assemble;
mod import;
mod intern;
pub mod kinds;
pub mod lint;
mod load;
pub mod name;
pub mod offer;
mod offers;
pub mod pack;
mod parts;
pub mod processor;
pub mod provider;
pub mod rates;
pub mod usual;

pub use accelerator::{Accelerator, AcceleratorId, Accelerators, MigProfile, Stack};
pub use alias::Found;
pub use kinds::{Counts, Kinds};
pub use load::{extra, load};
pub use name::Name;
pub use offer::{
    Hazard, Instance, InstanceId, Listing, Offer, OfferEntry, OfferGpu, Term, Terms, Tier, Tiers,
};
pub use offers::Offers;
pub use processor::Processor;
pub use provider::{Billing, CardPrice, Provider, ProviderId, Tariff, TariffKind, TariffTier, TermRatio};
pub use rates::{ExchangeRate, ExchangeRates};

use crate::names::named;
use serde::{Deserialize, Serialize};

named! {
    /// How well a fact is known. The order is from best to worst.
    pub enum Confidence {
        /// Read in the named source.
        Read = "read",
        /// Remembered by whoever wrote it down: not read in a document.
        Recall = "recall",
        /// Two sources disagree.
        Doubtful = "doubtful",
    }
}

/// Where a fact comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The document, page or list.
    pub source: Name,
    /// The date of the figure, where the source gives one.
    pub as_of: Option<crate::units::Date>,
    /// How well it is known.
    pub confidence: Confidence,
}

/// Everything that a plan may be made of.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Graphics cards and other accelerators, with their aliases.
    pub accelerators: Accelerators,
    /// Who sells; ordered by name.
    pub providers: Vec<Provider>,
    /// Instance types; ordered by provider and name. All that does not depend on the place is decided once per type.
    pub instances: Vec<Instance>,
    /// What is sold where; ordered by instance type, region, zone.
    pub offers: Offers,
    /// Processors by provider and instance family.
    pub processors: Vec<Processor>,
    /// Exchange rates.
    pub rates: ExchangeRates,
    /// The kinds of these instance types; see [`Catalog::kinds`].
    pub kinds: Kinds,
}

impl Catalog {
    /// The provider of an offer.
    pub fn provider(&self, id: ProviderId) -> Option<&Provider> {
        self.providers.get(usize::from(id.0))
    }

    /// The instance type of an offer.
    pub fn instance(&self, id: InstanceId) -> Option<&Instance> {
        self.instances.get(usize::try_from(id.0).ok()?)
    }

    /// The provider with a name.
    pub fn provider_named(&self, name: &str) -> Option<(ProviderId, &Provider)> {
        let at = self.providers.iter().position(|p| &*p.name == name)?;
        Some((ProviderId(u16::try_from(at).ok()?), self.providers.get(at)?))
    }

    /// The accelerator of an offer.
    pub fn accelerator(&self, gpu: OfferGpu) -> Option<&Accelerator> {
        self.accelerators.get(gpu.accelerator)
    }

    /// The on-demand price of an offer with so many GPUs, in US dollars per GPU and hour; none without a price or a rate.
    pub fn usd_per_gpu(&self, offer: &Offer, gpus: f64) -> Option<f64> {
        let per_usd = self.rates.factor(crate::units::Currency::USD, offer.currency)?;
        Some(offer.on_demand_price()?.as_f64() / per_usd / gpus)
    }

    /// Every currency in which something is priced, in order of first appearance.
    pub fn currencies(&self) -> impl Iterator<Item = crate::units::Currency> + '_ {
        let mut seen = Vec::new();
        let offers = self.offers.iter().map(|o| o.currency);
        let tariffs = self.providers.iter().flat_map(|p| p.tariffs.iter().map(|t| t.currency));
        offers.chain(tariffs).filter(move |c| {
            let new = !seen.contains(c);
            if new {
                seen.push(*c);
            }
            new
        })
    }
}
