//! What the idle share of a rented machine costs (B-C3, A-U4).

use super::GpuUsage;
use crate::catalog::{Confidence, Name};
use crate::units::{Bytes, Currency, Date, HOURS_PER_MONTH, Money, PerHour};

/// The GPUs of what was rented.
#[derive(Debug, Clone, PartialEq)]
pub struct RentedGpus {
    /// The card.
    pub name: Name,
    /// How many; a fraction is a slice.
    pub count: f64,
    /// What CUDA sees of one card's memory; `None` for a slice.
    pub memory: Option<Bytes>,
}

/// What was rented, and its price.
#[derive(Debug, Clone, PartialEq)]
pub struct Rent {
    /// The machine in words: `aws g4dn.xlarge in us-east-1, on-demand`; `None` when only a price was given.
    pub what: Option<String>,
    /// Its GPUs, where they are known.
    pub gpu: Option<RentedGpus>,
    /// Price of one hour of all of it.
    pub per_hour: PerHour,
    /// Currency of the price.
    pub currency: Currency,
    /// Date of the price.
    pub as_of: Option<Date>,
    /// Whole months since then.
    pub age_months: Option<u32>,
    /// Where the price comes from.
    pub source: Option<Name>,
    /// How well it is known.
    pub confidence: Option<Confidence>,
}

/// What GPUs that do nothing cost. Estimates: a log is a sample of the use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleCost {
    /// Share of the price that the logged GPUs bear: one where all are in the log.
    pub logged: f64,
    /// Their mean idle share.
    pub idle: f64,
    /// What that costs in an hour.
    pub per_hour: Money,
    /// In a day of 24 hours.
    pub per_day: Money,
    /// In a month of 730 hours.
    pub per_month: Money,
}

/// Price × the share of it that the logged GPUs bear × their idle share. `None` where no GPU of the log has a
/// utilisation, or where only some have.
pub(super) fn idle_cost(rent: &Rent, gpus: &[GpuUsage]) -> Option<IdleCost> {
    let shares: Option<Vec<f64>> = gpus.iter().map(|gpu| Some(gpu.load?.idle)).collect();
    let shares = shares.filter(|shares| !shares.is_empty())?;
    let count = super::as_f64(shares.len());
    let logged = rent.gpu.as_ref().map_or(1.0, |gpu| (count / gpu.count.max(1.0)).min(1.0));
    let idle = shares.iter().sum::<f64>() / count;
    let hourly = rent.per_hour.as_f64() * logged * idle;
    Some(IdleCost {
        logged,
        idle,
        per_hour: Money::from_f64(hourly)?,
        per_day: Money::from_f64(hourly * 24.0)?,
        per_month: Money::from_f64(hourly * HOURS_PER_MONTH)?,
    })
}
