//! How a provider bills: granularity and minimum of each purchase option, transfer and storage by tiers.

use super::{Name, Provenance};
use crate::names::named;
use crate::units::{Bytes, Currency, Date, PerGb, PerHour};
use serde::{Deserialize, Serialize};

/// Position in the list of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProviderId(pub u16);

/// Billing rules of hourly use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Billing {
    /// Time is rounded up to this many seconds.
    pub granularity_secs: u32,
    /// The least that one launch is billed, in seconds.
    pub minimum_secs: u32,
    /// Warning before a spot instance is taken, in seconds.
    pub notice_secs: Option<u32>,
    /// Time after launch in which spot is not taken, in seconds.
    pub protection_secs: Option<u32>,
    /// Remarks.
    pub note: Name,
    /// Where the rule comes from.
    pub provenance: Provenance,
}

named! {
    /// What a tariff prices.
    pub enum TariffKind {
        /// Traffic out to the internet (also to other providers).
        Internet = "internet",
        /// Traffic to another region of the same provider.
        CrossRegion = "cross-region",
        /// Traffic to another zone of the same region.
        IntraRegion = "intra-region",
        /// Object storage, per GB and month.
        ObjectStorage = "object-storage",
        /// Block storage, per GB and month.
        BlockStorage = "block-storage",
    }
}

/// A step of a tariff: each gigabyte from `from` on costs `price`, until the next step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TariffTier {
    /// Where the step begins.
    pub from: Bytes,
    /// Price of each gigabyte (10⁹ bytes) within it.
    pub price: PerGb,
}

/// A price for moving or keeping data, by marginal tiers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tariff {
    /// What it prices.
    pub kind: TariffKind,
    /// The regions in which it holds; empty for all of the provider's.
    pub regions: Vec<Name>,
    /// Product or destination, where the provider tells several apart: `standard`, `gp3`, `worldwide`.
    pub product: Option<Name>,
    /// Currency of the prices.
    pub currency: Currency,
    /// Steps in rising order; traffic below the first step is free.
    pub tiers: Vec<TariffTier>,
    /// Remarks of the source.
    pub note: Name,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// A price per GPU model, in the currency of its provider, from a price comparison, without an instance type or a region: for reserved terms and
/// for judging whether a price is odd. Rounded to the cent by its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardPrice {
    /// Canonical accelerator name; a name that the accelerator table does not have where the source names a card
    /// that is not in it, or leaves its form open.
    pub gpu: Name,
    /// How many GPUs the price covers.
    pub count: f64,
    /// `on-demand`, `spot` or `reserved`.
    pub kind: Name,
    /// Billing unit or commitment: `hour`, `month`, `year`, `3year` …
    pub term: Name,
    /// Price of one hour of all of them.
    pub price: PerHour,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What a commitment costs beside on-demand, where a provider's list gives only the share: for advice, not for a
/// bill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermRatio {
    /// What it holds for: `committed use`.
    pub scope: Name,
    /// Price of a whole month as a share of 730 on-demand hours.
    pub month: Option<f64>,
    /// Price of a year's hour as a share of the on-demand hour.
    pub year: Option<f64>,
    /// The same for three years.
    pub three_years: Option<f64>,
    /// Remarks.
    pub note: Name,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// A seller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    /// Short name: `aws`.
    pub name: Name,
    /// Currency of its price list.
    pub currency: Currency,
    /// Rules of on-demand use; `None` when unknown: then per second without a minimum, and the plan says so.
    pub on_demand: Option<Billing>,
    /// Rules of spot use.
    pub spot: Option<Billing>,
    /// Transfer and storage prices.
    pub tariffs: Vec<Tariff>,
    /// Prices per card without an instance.
    pub card_prices: Vec<CardPrice>,
    /// Shares that commitments cost of on-demand.
    pub term_ratios: Vec<TermRatio>,
    /// Date of the newest offer price.
    pub as_of: Option<Date>,
}
