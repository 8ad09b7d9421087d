//! CSV of a listing: one header, one line per row, figures as in its JSON. An empty field is unknown.

use super::json::missing;
use crate::offers::{Listing, Row};
use crate::units::number::significant;
use std::io::{self, Write};

const HEADER: [&str; 23] = [
    "provider",
    "instance",
    "gpu",
    "gpu_count",
    "gpu_memory_bytes",
    "vcpus",
    "memory_bytes",
    "region",
    "zones",
    "purchase",
    "currency",
    "price",
    "period",
    "price_per_hour",
    "price_per_gpu_hour",
    "later_prices",
    "missing",
    "listed_price",
    "listed_currency",
    "price_as_of",
    "price_age_months",
    "price_confidence",
    "price_source",
];

/// Writes the rows. Several zones, and later prices (`hours:price`), stand in one field with spaces between them.
pub(super) fn write(listing: &Listing, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(&mut *out);
    writer.write_record(HEADER).map_err(plain)?;
    let currency = listing.currency.to_string();
    for row in &listing.rows {
        writer.write_record(fields(row, &currency)).map_err(plain)?;
    }
    writer.flush()
}

/// The fault of the output itself, so that a closed pipe is known as one.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn fields(row: &Row, currency: &str) -> [String; 23] {
    let price = row.price.as_ref().ok();
    let listed = price.and_then(|price| price.listed);
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let later = price.map_or(&[][..], |price| &price.later);
    [
        row.provider.to_string(),
        row.instance.to_string(),
        row.gpu.as_ref().map_or_else(String::new, |gpu| gpu.name.to_string()),
        row.gpu.as_ref().map_or(0.0, |gpu| gpu.count).to_string(),
        row.gpu.as_ref().map_or_else(String::new, |gpu| gpu.memory.get().to_string()),
        row.vcpus.to_string(),
        row.memory.get().to_string(),
        row.region.to_string(),
        row.zones.join(" "),
        row.purchase.to_string(),
        currency.to_owned(),
        number(price.map(|price| price.amount.as_f64())),
        price.map_or_else(String::new, |price| price.period.to_string()),
        number(price.map(|price| price.per_hour.as_f64())),
        number(row.per_gpu_hour()),
        later
            .iter()
            .map(|tier| format!("{}:{}", significant(tier.from_hours, 6), tier.price.as_f64()))
            .collect::<Vec<_>>()
            .join(" "),
        row.price.as_ref().err().map_or("", |why| missing(*why)).to_owned(),
        number(listed.map(|(amount, _)| amount.as_f64())),
        listed.map_or_else(String::new, |(_, currency)| currency.to_string()),
        row.provenance.as_of.map_or_else(String::new, |date| date.to_string()),
        row.age_months.map_or_else(String::new, |age| age.to_string()),
        row.provenance.confidence.to_string(),
        row.provenance.source.to_string(),
    ]
}
