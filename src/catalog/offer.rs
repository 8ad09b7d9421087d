//! What can be rented: instance types, and offers of them in a region (and zone, where prices differ).

use super::offers::{Offers, TERMS};
use super::{AcceleratorId, Name, Provenance, ProviderId};
use crate::names::named;
use crate::units::{Bytes, Currency, Money, PerHour};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

named! {
    /// Length of a prepaid term.
    pub enum Term {
        /// A whole month (730 h).
        Month = "month",
        /// A whole year.
        Year = "year",
        /// Three whole years.
        ThreeYears = "three-years",
    }
}

/// The accelerators of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OfferGpu {
    /// Which card.
    pub accelerator: AcceleratorId,
    /// How many; a fraction where the provider sells slices (0.125 of an L4). One card's memory is shared out
    /// in the same proportion.
    pub count: f64,
}

/// An hourly price that applies from a number of hours on (Tencent lowers the price of long runs).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// From how many hours of one rental on; 0 for the first.
    pub from_hours: f64,
    /// The price of each hour from there.
    pub price: PerHour,
}

/// The hourly prices of an offer in rising order of hours, the first from hour 0 on. Read it as a slice. Almost every
/// offer has one price: it is stored without an allocation. Several are stored in an `M`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tiers<M = Box<[Tier]>>(pub(super) Steps<M>);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Steps<M> {
    None,
    One(Tier),
    Many(M),
}

impl<M> Default for Tiers<M> {
    fn default() -> Self {
        Self(Steps::None)
    }
}

impl<M: AsRef<[Tier]>> Deref for Tiers<M> {
    type Target = [Tier];

    fn deref(&self) -> &[Tier] {
        match &self.0 {
            Steps::None => &[],
            Steps::One(tier) => std::slice::from_ref(tier),
            Steps::Many(tiers) => tiers.as_ref(),
        }
    }
}

impl From<PerHour> for Tiers {
    fn from(price: PerHour) -> Self {
        Self(Steps::One(Tier { from_hours: 0.0, price }))
    }
}

impl From<Vec<Tier>> for Tiers {
    fn from(tiers: Vec<Tier>) -> Self {
        Self(match tiers.as_slice() {
            [] => Steps::None,
            [tier] => Steps::One(*tier),
            [..] => Steps::Many(tiers.into()),
        })
    }
}

/// How often spot instances of this type are taken away here, as the provider publishes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Hazard {
    /// AWS Spot Advisor: share of instances reclaimed in a month, as a band in percent; an open top is `None`.
    AwsBand {
        /// Lower end in percent.
        from: u8,
        /// Upper end in percent; none for "more than".
        to: Option<u8>,
    },
    /// Interruptions per hour of running, as stated.
    PerHour(f64),
}

/// An instance type: what the machine is, wherever it is sold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Who sells it.
    pub provider: ProviderId,
    /// Its name: `p4d.24xlarge`. One provider may sell two machines under one name; they are two types here.
    pub name: Name,
    /// Virtual CPUs (hyper-threads on x86, cores on Arm).
    pub vcpus: f64,
    /// Main memory.
    pub memory: Bytes,
    /// Accelerators, if any.
    pub gpu: Option<OfferGpu>,
}

impl Instance {
    /// How many GPUs it has; 0 for a CPU instance.
    pub fn gpu_count(&self) -> f64 {
        self.gpu.map_or(0.0, |gpu| gpu.count)
    }
}

/// Position in the list of instance types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstanceId(pub u32);

/// What many offers share: the place, the currency of the prices, and where the figures come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The region.
    pub region: Name,
    /// The zone, where prices differ between zones.
    pub zone: Option<Name>,
    /// Currency of the prices.
    pub currency: Currency,
    /// Date and source of the prices.
    pub provenance: Arc<Provenance>,
    /// Date and source of the interruption figures, where they are not those of the prices.
    pub hazard_provenance: Option<Arc<Provenance>>,
}

/// An offer as it is read: an instance type in a place, with its prices in the listing's currency, before discounts. Of
/// many of them [`Offers`] are made.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferEntry {
    /// What is rented.
    pub instance: InstanceId,
    /// The place, the currency and the sources.
    pub listing: Arc<Listing>,
    /// On-demand price per hour, by hours of the rental; empty where it is not sold so.
    pub on_demand: Tiers,
    /// Spot price per hour.
    pub spot: Option<PerHour>,
    /// Prices of whole terms. Few offers have any.
    pub terms: Option<Box<Terms>>,
    /// Interruption figures for spot, where published.
    pub hazard: Option<Hazard>,
    /// Free of charge on purpose: the only case in which a price may be zero.
    pub free: bool,
}

/// An offer of a catalog: an [`OfferEntry`] as it is looked up. What it shares with others are its own fields too.
#[derive(Clone, Copy)]
#[expect(clippy::partial_pub_fields, reason = "prices of whole terms are read where they are asked for")]
pub struct Offer<'a> {
    /// What is rented.
    pub instance: InstanceId,
    /// The place, the currency and the sources.
    pub listing: &'a Arc<Listing>,
    /// On-demand price per hour, by hours of the rental; empty where it is not sold so.
    pub on_demand: Tiers<&'a [Tier]>,
    /// Spot price per hour.
    pub spot: Option<PerHour>,
    /// Interruption figures for spot, where published.
    pub hazard: Option<Hazard>,
    /// Free of charge on purpose: the only case in which a price may be zero.
    pub free: bool,
    /// Its row of prices of whole terms, and where what it refers to stands.
    pub(super) terms: Option<(&'a [u8; TERMS], &'a Offers)>,
}

impl Deref for Offer<'_> {
    type Target = Listing;

    fn deref(&self) -> &Listing {
        self.listing
    }
}

impl Deref for OfferEntry {
    type Target = Listing;

    fn deref(&self) -> &Listing {
        &self.listing
    }
}

/// Prices of whole terms: each the total of its term.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms {
    /// A whole month, prepaid.
    pub month: Option<Money>,
    /// What a whole month of on-demand use costs after the provider's automatic discount (GCP sustained use).
    pub sustained_month: Option<Money>,
    /// A whole year under a one-year commitment.
    pub year: Option<Money>,
    /// Three whole years under a three-year commitment.
    pub three_years: Option<Money>,
    /// Date and source, where they are not those of the hourly prices.
    pub provenance: Option<Arc<Provenance>>,
}

impl Terms {
    /// The price of a whole term.
    pub const fn of(&self, term: Term) -> Option<Money> {
        match term {
            Term::Month => self.month,
            Term::Year => self.year,
            Term::ThreeYears => self.three_years,
        }
    }
}

impl Listing {
    /// Name of the place: `us-east-1` or `us-east-1/us-east-1a`.
    pub fn place(&self) -> String {
        match &self.zone {
            Some(zone) => format!("{}/{zone}", self.region),
            None => self.region.to_string(),
        }
    }

    /// Date and source of the interruption figures.
    pub fn hazard_provenance(&self) -> &Provenance {
        self.hazard_provenance.as_ref().unwrap_or(&self.provenance)
    }
}

impl OfferEntry {
    /// The price of a whole term.
    pub fn term(&self, term: Term) -> Option<Money> {
        self.terms.as_deref()?.of(term)
    }

    /// What a whole month of on-demand use costs after the provider's automatic discount.
    pub fn sustained_month(&self) -> Option<Money> {
        self.terms.as_deref()?.sustained_month
    }

    /// The on-demand price of the first hour.
    pub fn on_demand_price(&self) -> Option<PerHour> {
        self.on_demand.first().map(|tier| tier.price)
    }
}

impl<'a> Offer<'a> {
    /// Prices of whole terms.
    pub fn terms(&self) -> Option<Terms> {
        self.terms.map(|(row, all)| all.terms_of(row))
    }

    /// Whether it has prices of whole terms.
    pub const fn has_terms(&self) -> bool {
        self.terms.is_some()
    }

    /// The price of a whole term.
    pub fn term(&self, term: Term) -> Option<Money> {
        self.terms()?.of(term)
    }

    /// What a whole month of on-demand use costs after the provider's automatic discount.
    pub fn sustained_month(&self) -> Option<Money> {
        self.terms()?.sustained_month
    }

    /// Date and source of the prices of whole terms.
    pub fn term_provenance(&self) -> &'a Provenance {
        self.terms.and_then(|(row, all)| all.term_provenance(row)).unwrap_or(&self.listing.provenance)
    }

    /// The on-demand price of the first hour.
    #[inline]
    pub fn on_demand_price(&self) -> Option<PerHour> {
        self.on_demand.first().map(|tier| tier.price)
    }

    /// As it may be read again.
    pub fn entry(&self) -> OfferEntry {
        let Self { instance, listing, on_demand, spot, hazard, free, .. } = *self;
        let on_demand = Tiers::from(on_demand.to_vec());
        let terms = self.terms().map(Box::new);
        OfferEntry { instance, listing: Arc::clone(listing), on_demand, spot, terms, hazard, free }
    }
}

impl PartialEq for Offer<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.instance == other.instance
            && self.listing == other.listing
            && *self.on_demand == *other.on_demand
            && self.spot == other.spot
            && self.hazard == other.hazard
            && self.free == other.free
            && self.terms() == other.terms()
    }
}

impl fmt::Debug for Offer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry().fmt(f)
    }
}
