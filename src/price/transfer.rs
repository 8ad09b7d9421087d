//! Moving data between regions and providers, by marginal tiers. What the catalog has no price for is not priced;
//! it is never taken for free.

use super::Book;
use crate::catalog::{Provider, Tariff, TariffKind, TariffTier};
use crate::units::{Bytes, Money};

/// What a transfer costs, in the currency of the tariff.
#[derive(Debug, Clone, Copy)]
pub enum Transfer<'a> {
    /// Nothing moves, or it stays within one region (object storage to an instance of the same region is free with
    /// every provider of the catalog: from memory).
    Free,
    /// By this tariff.
    Priced(&'a Tariff),
    /// The catalog has no price for it.
    NotPriced,
}

impl PartialEq for Transfer<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Most often it is the same one.
            (Self::Priced(a), Self::Priced(b)) => std::ptr::eq(*a, *b) || a == b,
            (Self::Free, Self::Free) | (Self::NotPriced, Self::NotPriced) => true,
            _ => false,
        }
    }
}

/// The way of data from `(from, region)` to `(to, region)`. The sender's provider bills it; receiving is free.
pub fn route<'a>(from: &'a Provider, from_region: &str, to: &Provider, to_region: &str) -> Transfer<'a> {
    if from.name == to.name && from_region == to_region {
        return Transfer::Free;
    }
    let kind = if from.name == to.name { TariffKind::CrossRegion } else { TariffKind::Internet };
    find(from, kind, from_region, to_region).map_or(Transfer::NotPriced, Transfer::Priced)
}

/// What moving a size along a way costs one run in the plan's currency, in whole cents; `None` where it is not priced.
/// Nothing costs nothing, even along a way without a price. Tiers and free allowances are those of a month, which its
/// runs share; that several stages may draw on one allowance is left out.
pub fn charge(way: Transfer<'_>, size: Option<Bytes>, book: &Book) -> Option<Money> {
    match (size, way) {
        (None | Some(Bytes::ZERO), _) | (_, Transfer::Free) => Some(Money::ZERO),
        (Some(size), Transfer::Priced(tariff)) => {
            let runs = book.runs();
            let month = cost(&tariff.tiers, size.scaled(runs));
            Some(month.scaled(book.rate(tariff.currency)? / runs).to_cents())
        }
        (Some(_), Transfer::NotPriced) => None,
    }
}

/// The tariffs of everything that leaves a region, looked up once: [`route`] from there to anywhere.
#[derive(Debug, Clone, Copy)]
pub struct Exits<'a> {
    /// To other regions of the provider: in general, and to Australia.
    cross_region: [Option<&'a Tariff>; 2],
    /// To other providers, the same.
    internet: [Option<&'a Tariff>; 2],
}

impl<'a> Exits<'a> {
    /// The tariffs out of a region of a provider.
    pub fn of(provider: &'a Provider, region: &str) -> Self {
        let both = |kind| ["", AUSTRALIA].map(|to| find(provider, kind, region, to));
        Self { cross_region: both(TariffKind::CrossRegion), internet: both(TariffKind::Internet) }
    }

    /// The way to another region, of the same provider or of another one.
    pub fn to(&self, region: &str, same_provider: bool) -> Transfer<'a> {
        let [general, australia] = if same_provider { self.cross_region } else { self.internet };
        let tariff = if region.starts_with(AUSTRALIA) { australia } else { general };
        tariff.map_or(Transfer::NotPriced, Transfer::Priced)
    }

    /// The cheapest way out for a size, whatever its end; `None` where none has a price.
    pub fn least(&self, size: Option<Bytes>, book: &Book) -> Option<Money> {
        let ways = self.cross_region.into_iter().chain(self.internet);
        let ways = ways.map(|tariff| tariff.map_or(Transfer::NotPriced, Transfer::Priced));
        ways.filter_map(|way| charge(way, size, book)).min()
    }
}

/// How the names of the regions begin to which some providers have other tariffs.
const AUSTRALIA: &str = "australia";

/// The tariff of a provider for a region: one that names the region before one that holds everywhere; among
/// several destinations the worldwide default.
pub fn find<'a>(
    provider: &'a Provider,
    kind: TariffKind,
    region: &str,
    to_region: &str,
) -> Option<&'a Tariff> {
    let special = if to_region.starts_with(AUSTRALIA) { AUSTRALIA } else { "worldwide" };
    let rank = |tariff: &Tariff| {
        let place = match tariff.regions.as_slice() {
            [] => 1,
            regions if regions.iter().any(|r| **r == *region) => 0,
            _ => return None,
        };
        let product = match tariff.product.as_deref() {
            None => 1,
            Some(product) if product.starts_with(special) => 0,
            Some(product) if product.starts_with("worldwide") => 1,
            Some(_) => 2,
        };
        Some((place, product))
    };
    provider
        .tariffs
        .iter()
        .filter(|tariff| tariff.kind == kind)
        .filter_map(|tariff| Some((rank(tariff)?, tariff)))
        .filter(|((_, product), _)| kind != TariffKind::Internet || *product < 2)
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, tariff)| tariff)
}

/// The cost of a size under marginal tiers, in the currency of the tariff: each gigabyte at the price of its step.
pub fn cost(tiers: &[TariffTier], size: Bytes) -> Money {
    let mut total = Money::ZERO;
    for (i, tier) in tiers.iter().enumerate() {
        let to = tiers.get(i + 1).map_or(size, |next| next.from.min(size));
        if to > tier.from {
            total = total + tier.price.of(Bytes::new(to.get() - tier.from.get()));
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::PerGb;

    /// AWS internet traffic out of us-east-1, as of 2024-09-25.
    fn aws() -> Vec<TariffTier> {
        [(0.0, "0.09"), (10_240.0, "0.085"), (51_200.0, "0.07"), (153_600.0, "0.05")]
            .map(|(from, price)| TariffTier {
                from: Bytes::from_gb(from),
                price: PerGb::from_decimal(price).unwrap(),
            })
            .to_vec()
    }

    #[test]
    fn tiers_are_marginal() {
        // 10,239 GB × 0.09 = 921.51; 10,241 GB: 921.60 + 0.085.
        assert_eq!(cost(&aws(), Bytes::from_gb(10_239.0)).amount(), "921.51");
        assert_eq!(cost(&aws(), Bytes::from_gb(10_240.0)).amount(), "921.60");
        assert_eq!(cost(&aws(), Bytes::from_gb(10_241.0)).amount(), "921.69");
        // 51,200 GB: 921.60 + 40,960 × 0.085 = 4,403.20; 153,601: + 102,400 × 0.07 + 0.05 = 11,571.25.
        assert_eq!(cost(&aws(), Bytes::from_gb(51_200.0)).amount(), "4,403.20");
        assert_eq!(cost(&aws(), Bytes::from_gb(153_601.0)).amount(), "11,571.25");
    }

    #[test]
    fn more_data_never_costs_less_and_borders_have_no_jump() {
        let tiers = aws();
        let mut last = Money::ZERO;
        for gb in (0..400_000).step_by(97) {
            let now = cost(&tiers, Bytes::from_gb(f64::from(gb)));
            assert!(now >= last, "{gb} GB");
            last = now;
        }
        for border in [10_240.0, 51_200.0, 153_600.0] {
            let step =
                cost(&tiers, Bytes::from_gb(border + 0.001)) - cost(&tiers, Bytes::from_gb(border - 0.001));
            assert!(step >= Money::ZERO && step.as_f64() < 0.001, "{border}");
        }
    }

    #[test]
    fn traffic_below_the_first_step_is_free() {
        let tiers =
            vec![TariffTier { from: Bytes::from_gb(5.0), price: PerGb::from_decimal("0.08").unwrap() }];
        assert_eq!(cost(&tiers, Bytes::from_gb(5.0)), Money::ZERO);
        assert_eq!(cost(&tiers, Bytes::from_gb(6.0)).amount(), "0.08");
    }
}
