//! Keeping the data in its storage while a stage runs.

use super::transfer::find;
use crate::catalog::{Provider, Tariff, TariffKind};
use crate::units::{HOURS_PER_MONTH, Hours, Money};

/// The object storage tariff of a region: the standard class where several are listed.
pub fn tariff<'a>(provider: &'a Provider, region: &str) -> Option<&'a Tariff> {
    let standard = |t: &&Tariff| {
        t.kind == TariffKind::ObjectStorage
            && (t.regions.is_empty() || t.regions.iter().any(|r| **r == *region))
            && t.product.as_deref().is_some_and(|p| {
                p.split(|c: char| !c.is_alphanumeric()).any(|word| word == "standard" || word == "hot")
                    && !p.contains("-ia")
                    && !p.contains("multi")
            })
    };
    provider
        .tariffs
        .iter()
        .find(standard)
        .or_else(|| find(provider, TariffKind::ObjectStorage, region, region))
}

/// The cost of keeping something for a time, given that of a month of 730 h.
pub fn keeping(month: Money, time: Hours) -> Money {
    month.scaled(time.get() / HOURS_PER_MONTH)
}
