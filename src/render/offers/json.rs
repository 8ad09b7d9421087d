//! JSON of a listing: schema `offers/1`. Figures are not rounded, units stand in the keys, `null` is unknown.

use crate::catalog::ExchangeRate;
use crate::offers::{Listing, Near, Row, Unpriced};
use crate::units::Money;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a listing as one JSON document.
pub(super) fn write(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: "offers/1",
        currency: listing.currency.to_string(),
        today: listing.today.to_string(),
        catalog_offers: listing.looked_at,
        matching_offers: listing.matching_offers,
        matching_rows: listing.matching_rows,
        offers: listing.rows.iter().map(offer).collect(),
        left_out: listing.near.iter().map(left_out).collect(),
        rates: listing.rates.iter().map(rate).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    currency: String,
    today: String,
    catalog_offers: usize,
    matching_offers: usize,
    matching_rows: usize,
    offers: Vec<Offer<'a>>,
    left_out: Vec<LeftOut<'a>>,
    rates: Vec<Rate<'a>>,
}

#[derive(Serialize)]
struct Offer<'a> {
    provider: &'a str,
    instance: &'a str,
    gpu: Option<&'a str>,
    gpu_count: f64,
    gpu_memory_bytes: Option<u64>,
    vcpus: f64,
    memory_bytes: u64,
    region: &'a str,
    zones: Vec<&'a str>,
    purchase: String,
    price: Option<f64>,
    period: Option<String>,
    price_per_hour: Option<f64>,
    price_per_gpu_hour: Option<f64>,
    later_prices: Vec<Later>,
    missing: Option<&'static str>,
    listed_price: Option<f64>,
    listed_currency: Option<String>,
    price_as_of: Option<String>,
    price_age_months: Option<u32>,
    price_confidence: String,
    price_source: &'a str,
}

#[derive(Serialize)]
struct Later {
    from_hours: f64,
    price_per_hour: f64,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    by: &'a str,
    offers: usize,
    providers: Vec<&'a str>,
    cheapest: Offer<'a>,
}

#[derive(Serialize)]
struct Rate<'a> {
    currency: String,
    per_usd: f64,
    date: String,
    source: &'a str,
}

fn offer(row: &Row) -> Offer<'_> {
    let price = row.price.as_ref().ok();
    let listed = price.and_then(|price| price.listed);
    Offer {
        provider: &row.provider,
        instance: &row.instance,
        gpu: row.gpu.as_ref().map(|gpu| &*gpu.name),
        gpu_count: row.gpu.as_ref().map_or(0.0, |gpu| gpu.count),
        gpu_memory_bytes: row.gpu.as_ref().map(|gpu| gpu.memory.get()),
        vcpus: row.vcpus,
        memory_bytes: row.memory.get(),
        region: &row.region,
        zones: row.zones.iter().map(|zone| &**zone).collect(),
        purchase: row.purchase.to_string(),
        price: price.map(|price| price.amount.as_f64()),
        period: price.map(|price| price.period.to_string()),
        price_per_hour: price.map(|price| price.per_hour.as_f64()),
        price_per_gpu_hour: row.per_gpu_hour(),
        later_prices: price
            .map_or(&[][..], |price| &price.later)
            .iter()
            .map(|tier| Later { from_hours: tier.from_hours, price_per_hour: tier.price.as_f64() })
            .collect(),
        missing: row.price.as_ref().err().map(|why| missing(*why)),
        listed_price: listed.map(|(amount, _)| Money::as_f64(amount)),
        listed_currency: listed.map(|(_, currency)| currency.to_string()),
        price_as_of: row.provenance.as_of.map(|date| date.to_string()),
        price_age_months: row.age_months,
        price_confidence: row.provenance.confidence.to_string(),
        price_source: &row.provenance.source,
    }
}

/// Why there is no price, in one word for programs.
pub(super) const fn missing(why: Unpriced) -> &'static str {
    match why {
        Unpriced::NotSold => "no-price",
        Unpriced::NoRate(_) => "no-rate",
    }
}

fn left_out(near: &Near) -> LeftOut<'_> {
    LeftOut {
        by: &near.filter.text,
        offers: near.offers,
        providers: near.providers.iter().map(|name| &**name).collect(),
        cheapest: offer(&near.cheapest),
    }
}

fn rate(rate: &ExchangeRate) -> Rate<'_> {
    Rate {
        currency: rate.currency.to_string(),
        per_usd: rate.per_usd,
        date: rate.date.to_string(),
        source: &rate.source,
    }
}
