//! Keeping the data in its storage while a stage runs.

use super::Book;
use super::transfer::{cost, find};
use crate::catalog::{Provider, Tariff, TariffKind};
use crate::units::{Bytes, HOURS_PER_MONTH, Hours, Money};

/// A price of keeping data in a region.
#[derive(Debug, Clone, Copy)]
pub struct Keeping<'a> {
    /// The tariff.
    pub tariff: &'a Tariff,
    /// Whether it is that of another region of the provider, for want of one: a guess.
    pub elsewhere: bool,
}

impl<'a> Keeping<'a> {
    /// The object storage tariff of a region: the standard class where several are listed. Where the catalog has none
    /// for the region, the dearest standard one that it has of the provider's other regions.
    pub fn of(provider: &'a Provider, region: &str) -> Option<Self> {
        let all = || provider.tariffs.iter().filter(|t| t.kind == TariffKind::ObjectStorage);
        let here = |t: &&Tariff| t.regions.is_empty() || t.regions.iter().any(|r| **r == *region);
        let own = all()
            .find(|t| here(t) && is_standard(t))
            .or_else(|| find(provider, TariffKind::ObjectStorage, region, region));
        let dearest = |t: &&Tariff| t.tiers.iter().map(|tier| tier.price).max();
        let other = || all().filter(|t| is_standard(t)).max_by_key(dearest);
        own.map(|tariff| Self { tariff, elsewhere: false })
            .or_else(|| other().map(|tariff| Self { tariff, elsewhere: true }))
    }

    /// What a month of a size costs in the plan's currency, not rounded; `None` without an exchange rate.
    pub fn month(&self, size: Bytes, book: &Book) -> Option<Money> {
        Some(cost(&self.tariff.tiers, size).scaled(book.rate(self.tariff.currency)?))
    }
}

fn is_standard(tariff: &Tariff) -> bool {
    tariff.product.as_deref().is_some_and(|p| {
        p.split(|c: char| !c.is_alphanumeric()).any(|word| word == "standard" || word == "hot")
            && !p.contains("-ia")
            && !p.contains("multi")
    })
}

/// The cost of keeping something for a time, given that of a month of 730 h.
pub fn keeping(month: Money, time: Hours) -> Money {
    month.scaled(time.get() / HOURS_PER_MONTH)
}
