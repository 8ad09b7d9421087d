//! What an hour of a card costs, over all that is known: a price far from it is most likely a slip.

use super::offer::{subject, warn};
use crate::catalog::parts::{Parts, Row};
use crate::catalog::usual::{self, FAR_BELOW, Usual};
use crate::catalog::{AcceleratorId, Catalog, ExchangeRates, Name, OfferEntry, OfferGpu};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::units::{Currency, PerHour};
use std::collections::BTreeMap;

/// A price per GPU and hour under this share of its card's median is reported. Real prices go there too: old cards
/// are sold off.
const ODD_SHARE: f64 = 0.1;

/// From this many GPUs on, "all of them for the price of one" is reported.
const LEAST_COUNT: f64 = 4.0;

/// Median prices per GPU and hour, in US dollars, and the prices of the smallest machines of each card and place.
pub(super) struct CardPrices<'a> {
    rates: Rates<'a>,
    on_demand: BTreeMap<AcceleratorId, f64>,
    /// Over providers, on-demand.
    usual: BTreeMap<AcceleratorId, Usual>,
    spot: BTreeMap<AcceleratorId, f64>,
    /// By provider, region and card: the cheapest machine with one GPU.
    single: BTreeMap<(Name, Name, AcceleratorId), PerHour>,
}

impl<'a> CardPrices<'a> {
    /// Of the known catalog and what is checked.
    pub(super) fn of(known: &'a Catalog, parts: &'a Parts) -> Self {
        let rates = Rates { known: &known.rates, new: &parts.rates };
        let (mut on_demand, mut spot) = (BTreeMap::new(), BTreeMap::new());
        let mut single: BTreeMap<(Name, Name, AcceleratorId), PerHour> = BTreeMap::new();
        let known_offers = known.offers.iter().filter_map(|offer| {
            let instance = known.instance(offer.instance)?;
            let provider = &known.provider(instance.provider)?.name;
            Some((provider, instance.gpu?, offer.currency, offer.on_demand_price(), offer.spot))
        });
        let new = parts.rows.iter().zip(&parts.offers);
        let new_offers = new.clone().filter_map(|(row, offer)| {
            Some((&row.provider, row.spec.gpu?, offer.currency, offer.on_demand_price(), offer.spot))
        });
        let mut by_provider: BTreeMap<AcceleratorId, Vec<(&Name, f64)>> = BTreeMap::new();
        for (provider, gpu, currency, hourly, taken_back) in known_offers.chain(new_offers) {
            if let Some(usd) = hourly.and_then(|price| rates.usd_per_gpu(price, currency, gpu)) {
                by_provider.entry(gpu.accelerator).or_default().push((provider, usd));
            }
            for (prices, price) in [(&mut on_demand, hourly), (&mut spot, taken_back)] {
                if let Some(usd) = price.and_then(|price| rates.usd_per_gpu(price, currency, gpu)) {
                    prices.entry(gpu.accelerator).or_insert_with(Vec::new).push(usd);
                }
            }
        }
        for (row, offer) in new {
            if let (Some(gpu), Some(price)) = (row.spec.gpu, offer.on_demand_price())
                && gpu.count.total_cmp(&1.0).is_eq()
            {
                let key = (row.provider.clone(), offer.region.clone(), gpu.accelerator);
                single.entry(key).and_modify(|least| *least = price.min(*least)).or_insert(price);
            }
        }
        let usual = by_provider.into_iter();
        let usual = usual.filter_map(|(card, prices)| Some((card, usual::of_providers(prices)?))).collect();
        Self { rates, on_demand: medians(on_demand), usual, spot: medians(spot), single }
    }

    /// A price per GPU and hour under a tenth of its card's median, or on-demand under a third of the median over providers.
    pub(super) fn odd(&self, row: &Row, offer: &OfferEntry, diags: &mut Diagnostics) {
        let Some(gpu) = row.spec.gpu else { return };
        for (what, price, medians) in
            [("on-demand", offer.on_demand_price(), &self.on_demand), ("spot", offer.spot, &self.spot)]
        {
            let usd = price.and_then(|price| self.rates.usd_per_gpu(price, offer.currency, gpu));
            let (Some(usd), Some(median)) = (usd, medians.get(&gpu.accelerator)) else { continue };
            if usd < ODD_SHARE * median {
                let message = format!(
                    "{}: {what} is {usd:.3} USD per GPU and hour, under a tenth of the median {median:.2} of this card",
                    subject(row, offer)
                );
                warn(
                    row,
                    Code::OddPrice,
                    message,
                    Some("is it the price of an hour of the whole instance?"),
                    diags,
                );
            } else if what == "on-demand"
                && let Some(usual) = self.usual.get(&gpu.accelerator)
                && usd < FAR_BELOW * usual.price
            {
                let message = format!(
                    "{}: {what} is {usd:.3} USD per GPU and hour, under a third of {:.2}, the median of this card over {} providers",
                    subject(row, offer),
                    usual.price,
                    usual.providers
                );
                warn(
                    row,
                    Code::OddPrice,
                    message,
                    Some("is it the price of an hour of the whole instance?"),
                    diags,
                );
            }
        }
    }

    /// N GPUs for the price of one, or each for the price of N: the unit of the price is most likely the other.
    pub(super) fn count_slip(&self, row: &Row, offer: &OfferEntry, diags: &mut Diagnostics) {
        let Some(gpu) = row.spec.gpu.filter(|gpu| gpu.count >= LEAST_COUNT) else { return };
        let key = (row.provider.clone(), offer.region.clone(), gpu.accelerator);
        let (Some(price), Some(single)) = (offer.on_demand_price(), self.single.get(&key)) else { return };
        let ratio = price.as_f64() / single.as_f64();
        let (slip, hint) = if ratio < 1.3 {
            (true, "is it the price of one GPU? then add `price_unit = \"gpu\"`")
        } else {
            (ratio > 0.7 * gpu.count * gpu.count, "is it the price of all GPUs? then leave `price_unit` out")
        };
        if slip {
            let message =
                format!("{}: {} GPUs cost {price}, one costs {single} there", subject(row, offer), gpu.count);
            warn(row, Code::OddPrice, message, Some(hint), diags);
        }
    }

    /// Currencies that could not be compared, once each.
    pub(super) fn without_rate(&self, parts: &Parts, diags: &mut Diagnostics) {
        let mut told: Vec<Currency> = Vec::new();
        for (row, offer) in parts.rows.iter().zip(&parts.offers) {
            if self.rates.per_usd(offer.currency).is_none() && !told.contains(&offer.currency) {
                told.push(offer.currency);
                diags.push(
                    Diagnostic::warning(
                        Code::NoRate,
                        row.place.clone(),
                        format!(
                            "no exchange rate for {}: its prices are compared with no others",
                            offer.currency
                        ),
                    )
                    .hint("add a [[rate]] with currency, per_usd, date and source"),
                );
            }
        }
    }
}

/// Exchange rates: those of the checked files before the known ones.
struct Rates<'a> {
    known: &'a ExchangeRates,
    new: &'a ExchangeRates,
}

impl Rates<'_> {
    fn per_usd(&self, currency: Currency) -> Option<f64> {
        self.new.factor(Currency::USD, currency).or_else(|| self.known.factor(Currency::USD, currency))
    }

    fn usd_per_gpu(&self, price: PerHour, currency: Currency, gpu: OfferGpu) -> Option<f64> {
        Some(price.as_f64() / self.per_usd(currency)? / gpu.count)
    }
}

fn medians(prices: BTreeMap<AcceleratorId, Vec<f64>>) -> BTreeMap<AcceleratorId, f64> {
    let median = |mut prices: Vec<f64>| {
        prices.sort_by(f64::total_cmp);
        prices.get(prices.len() / 2).copied()
    };
    prices.into_iter().filter_map(|(id, prices)| Some((id, median(prices)?))).collect()
}
