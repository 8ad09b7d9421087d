//! What can be rented: instance types, and offers of them in a region (and zone, where prices differ).

use super::{AcceleratorId, Name, Provenance, ProviderId};
use crate::names::named;
use crate::units::{Bytes, Currency, Money, PerHour};
use serde::{Deserialize, Serialize};
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

/// How often spot instances of this type are taken away here, as the provider publishes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// An offer: an instance type in a place, with its prices. Prices are in `currency`, before discounts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// What is rented.
    pub instance: InstanceId,
    /// The region.
    pub region: Name,
    /// The zone, where prices differ between zones.
    pub zone: Option<Name>,
    /// Currency of the prices.
    pub currency: Currency,
    /// On-demand price per hour, by hours of the rental; empty where it is not sold so. The first tier begins at 0.
    pub on_demand: Vec<Tier>,
    /// Spot price per hour.
    pub spot: Option<PerHour>,
    /// Price of a whole month, prepaid.
    pub month: Option<Money>,
    /// What a whole month of on-demand use costs after the provider's automatic discount (GCP sustained use).
    pub sustained_month: Option<Money>,
    /// Price of a whole year under a one-year commitment.
    pub year: Option<Money>,
    /// Price of three whole years under a three-year commitment.
    pub three_years: Option<Money>,
    /// Interruption figures for spot, where published.
    pub hazard: Option<Hazard>,
    /// Free of charge on purpose: the only case in which a price may be zero.
    pub free: bool,
    /// Date and source of the prices.
    pub provenance: Provenance,
    /// Date and source of the month's and years' prices, where they are not those of the others.
    pub term_provenance: Option<Arc<Provenance>>,
    /// Date and source of the interruption figures, where they are not those of the prices.
    pub hazard_provenance: Option<Arc<Provenance>>,
}

impl Offer {
    /// The on-demand price of the first hour.
    pub fn on_demand_price(&self) -> Option<PerHour> {
        self.on_demand.first().map(|tier| tier.price)
    }

    /// Name of the place: `us-east-1` or `us-east-1/us-east-1a`.
    pub fn place(&self) -> String {
        match &self.zone {
            Some(zone) => format!("{}/{zone}", self.region),
            None => self.region.to_string(),
        }
    }
}
