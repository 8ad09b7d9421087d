//! What an hour of a card usually costs: a price far below that is a slip, a sale of old cards, or gone by now.

use super::{AcceleratorId, Catalog};
use std::collections::BTreeMap;

/// A price below this share of the usual one is pointed out. A choice: providers' list prices of one card differ by a factor of
/// two to three.
pub const FAR_BELOW: f64 = 1.0 / 3.0;
/// From so many providers on there is a usual price. A choice.
const LEAST_PROVIDERS: usize = 3;

/// The usual price of a card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usual {
    /// Median over the providers of the median of each one's offers, per GPU and hour.
    pub price: f64,
    /// How many providers that is over.
    pub providers: usize,
}

/// The usual price by the prices per GPU and hour of each provider; none of too few providers.
pub fn of_providers<P: Ord>(prices: impl IntoIterator<Item = (P, f64)>) -> Option<Usual> {
    let mut by_provider: BTreeMap<P, Vec<f64>> = BTreeMap::new();
    for (provider, price) in prices {
        by_provider.entry(provider).or_default().push(price);
    }
    let providers = by_provider.len();
    let medians: Vec<f64> = by_provider.into_values().filter_map(median).collect();
    let price = median(medians).filter(|_| providers >= LEAST_PROVIDERS)?;
    Some(Usual { price, providers })
}

/// The usual on-demand price of a card, in US dollars, over all offers of a catalog.
pub fn on_demand(catalog: &Catalog, card: AcceleratorId) -> Option<Usual> {
    let prices = catalog.offers.by_type().filter_map(|(id, offers)| {
        let instance = catalog.instance(id)?;
        let gpu = instance.gpu.filter(|gpu| gpu.accelerator == card)?;
        let priced = move |at| {
            let offer = catalog.offers.get(at)?;
            Some((instance.provider, catalog.usd_per_gpu(&offer, gpu.count)?))
        };
        Some(offers.filter_map(priced))
    });
    of_providers(prices.flatten())
}

fn median(mut prices: Vec<f64>) -> Option<f64> {
    prices.sort_by(f64::total_cmp);
    let upper = prices.get(prices.len() / 2).copied()?;
    let lower = prices.get((prices.len() - 1) / 2).copied()?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_with_many_offers_counts_once() {
        let few = [("a", 1.0), ("a", 1.0), ("a", 1.0), ("b", 3.0), ("c", 5.0), ("c", 7.0)];
        assert_eq!(of_providers(few), Some(Usual { price: 3.0, providers: 3 }));
        assert_eq!(of_providers([("a", 1.0), ("b", 3.0)]), None);
        let even = [("a", 1.0), ("b", 2.0), ("c", 4.0), ("d", 9.0)];
        assert_eq!(of_providers(even), Some(Usual { price: 3.0, providers: 4 }));
    }
}
