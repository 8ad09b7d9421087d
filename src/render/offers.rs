//! A listing of offers becomes bytes: a table, CSV or JSON, each from the same rows.

mod csv;
mod json;

use super::Style;
use super::text::{WIDE, lines, paragraph, plain, right, write_table};
use crate::catalog::{Confidence, Tier};
use crate::names::named;
use crate::offers::{Card, Filter, Listing, Near, Period, Price, Row, Unpriced};
use crate::thresholds::Threshold;
use crate::units::number::{significant, things, thousands};
use crate::units::{Currency, Money, PerHour};
use std::io::{self, Write};

named! {
    /// An output format of a listing.
    pub enum ListFormat {
        /// A table for people.
        Table = "table",
        /// JSON, schema `offers/1`.
        Json = "json",
        /// CSV with a header.
        Csv = "csv",
    }
}

/// Writes a listing in a format.
pub fn write(listing: &Listing, format: ListFormat, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        ListFormat::Table => table(listing, style, out),
        ListFormat::Json => json::write(listing, out),
        ListFormat::Csv => csv::write(listing, out),
    }
}

/// What would match, one line for each filter that alone keeps offers out: for when nothing matches.
pub fn misses(listing: &Listing) -> Vec<String> {
    if listing.near.is_empty() {
        return vec!["nothing matches without any one of the filters either".to_owned()];
    }
    listing.near.iter().map(|near| miss(near, listing.currency)).collect()
}

fn miss(near: &Near, currency: Currency) -> String {
    let row = &near.cheapest;
    let price = match &row.price {
        Ok(price) => format!("at {}", amount(price).replacen('/', &format!(" {currency}/"), 1)),
        Err(why) => unpriced(*why),
    };
    let machine = row.gpu.as_ref().map_or_else(String::new, |gpu| format!(" ({})", label(gpu)));
    format!(
        "without {}: {}, such as {} {}{machine} in {}, {}, {price}",
        near.filter.text,
        offers(near.offers),
        row.provider,
        row.instance,
        place(row),
        row.purchase
    )
}

fn table(listing: &Listing, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if !listing.rows.is_empty() {
        let mut table = plain(style.width);
        if style.width >= WIDE {
            wide(&mut table, listing);
        } else {
            narrow(&mut table, listing);
        }
        write_table(&table, out)?;
        writeln!(out)?;
    }
    for note in notes(listing) {
        paragraph(&note, style, out)?;
    }
    Ok(())
}

fn narrow(table: &mut comfy_table::Table, listing: &Listing) {
    table.set_header(["rent", "machine", "buy", &format!("price {}", listing.currency), "dated"]);
    for row in &listing.rows {
        let general = format!("{} vCPU, {}", significant(row.vcpus, 6), row.memory.gib());
        let machine = match &row.gpu {
            Some(gpu) => format!("{}, {}\n{general}", label(gpu), vram(gpu)),
            None => general,
        };
        table.add_row([
            format!("{} {}\n{}", row.provider, row.instance, place(row)),
            machine,
            row.purchase.label().to_owned(),
            std::iter::once(price(row)).chain(per_gpu(row)).chain(later(row)).collect::<Vec<_>>().join("\n"),
            lines(&date(row), &marks(row)),
        ]);
    }
    right(table, &[3]);
}

fn wide(table: &mut comfy_table::Table, listing: &Listing) {
    table.set_header([
        "rent",
        "GPU",
        "VRAM",
        "vCPU",
        "memory",
        "place",
        "buy",
        &format!("price {}", listing.currency),
        "per GPU",
        "dated",
        "",
    ]);
    for row in &listing.rows {
        table.add_row([
            format!("{} {}", row.provider, row.instance),
            row.gpu.as_ref().map_or_else(String::new, label),
            row.gpu.as_ref().map_or_else(String::new, vram),
            significant(row.vcpus, 6),
            row.memory.gib(),
            place(row),
            row.purchase.label().to_owned(),
            std::iter::once(price(row)).chain(later(row)).collect::<Vec<_>>().join("\n"),
            per_gpu(row).unwrap_or_default().replace(" a GPU", ""),
            date(row),
            marks(row),
        ]);
    }
    right(table, &[2, 3, 4, 7, 8]);
}

/// What the rows do not say: how many there are, what was left out, at which rates prices were converted.
fn notes(listing: &Listing) -> Vec<String> {
    let mut notes = vec![if listing.rows.is_empty() && listing.matching_rows == 0 {
        format!("none of {} matches", offers(listing.looked_at))
    } else {
        let hidden = listing.matching_rows > listing.rows.len();
        let of = if hidden { format!(" of {}", count(listing.matching_rows)) } else { String::new() };
        let more = if hidden { "; --limit 0 shows all" } else { "" };
        let match_ = if listing.matching_offers == 1 { "matches" } else { "match" };
        format!(
            "{}{of} {}; {} of {} {match_}{more}",
            count(listing.rows.len()),
            if listing.matching_rows == 1 { "row" } else { "rows" },
            count(listing.matching_offers),
            offers(listing.looked_at)
        )
    }];
    if let Some(near) = listing.near.iter().find(|near| matches!(near.filter.filter, Filter::After(_))) {
        let providers: Vec<&str> = near.providers.iter().map(|name| &**name).collect();
        notes.push(format!(
            "left out: {} of {} whose prices are too old ({}); naming a provider or a region lists them",
            offers(near.offers),
            providers.join(", "),
            near.filter.text
        ));
    }
    for rate in listing.rates.iter().filter(|rate| rate.currency != Currency::USD) {
        notes.push(format!(
            "prices are converted at {} {} per USD ({}, {})",
            significant(rate.per_usd, 6),
            rate.currency,
            rate.date,
            rate.source
        ));
    }
    notes
}

fn count(n: usize) -> String {
    thousands(u32::try_from(n).map_or(f64::from(u32::MAX), f64::from))
}

fn offers(n: usize) -> String {
    things(count(n), "offer")
}

/// `8×A100-80GB`; the number is left out where it is one.
fn label(gpu: &Card) -> String {
    if (gpu.count - 1.0).abs() < f64::EPSILON {
        gpu.name.to_string()
    } else {
        format!("{}×{}", significant(gpu.count, 4), gpu.name)
    }
}

/// Memory of one GPU as sold.
fn vram(gpu: &Card) -> String {
    format!("{} GiB", significant(gpu.memory.as_gib(), 4))
}

/// The region; the zone where there is one, their number where there are several. A zone that repeats its region is
/// shown alone.
pub fn place(row: &Row) -> String {
    match row.zones.as_slice() {
        [] => row.region.to_string(),
        [zone] if zone.starts_with(&*row.region) => zone.to_string(),
        [zone] => format!("{}/{zone}", row.region),
        zones => format!("{} ({} zones)", row.region, zones.len()),
    }
}

fn unpriced(why: Unpriced) -> String {
    match why {
        Unpriced::NotSold => "no price".to_owned(),
        Unpriced::NoRate(currency) => format!("no rate for {currency}"),
    }
}

fn price(row: &Row) -> String {
    match &row.price {
        Ok(price) => amount(price),
        Err(why) => unpriced(*why),
    }
}

/// `0.526/h`, `1,100.00/month`, `≈0.4547/h` where it was converted.
fn amount(price: &Price) -> String {
    if price.amount == Money::ZERO {
        return "free".to_owned();
    }
    let per = match price.period {
        Period::Hour => return hourly(price.per_hour, price.listed.is_some()),
        Period::Month => "month",
        Period::Year => "year",
        Period::ThreeYears => "3 years",
    };
    format!("{}{}/{per}", if price.listed.is_some() { "≈" } else { "" }, price.amount.amount())
}

/// A price with all its digits; a converted one is marked and has four that count: rates move.
fn hourly(price: PerHour, converted: bool) -> String {
    match PerHour::from_f64(rounded(price.as_f64())).filter(|_| converted) {
        Some(rounded) => format!("≈{rounded}"),
        None => price.to_string(),
    }
}

/// The price per GPU and hour, where there are several or a slice, or the term is prepaid.
fn per_gpu(row: &Row) -> Option<String> {
    let prepaid = row.price.as_ref().is_ok_and(|price| price.period != Period::Hour);
    let several = row.gpu.as_ref().is_some_and(|gpu| (gpu.count - 1.0).abs() > f64::EPSILON);
    if several {
        PerHour::from_f64(rounded(row.per_gpu_hour()?)).map(|price| format!("{price} a GPU"))
    } else if prepaid {
        PerHour::from_f64(rounded(row.per_hour()?.as_f64())).map(|price| price.to_string())
    } else {
        None
    }
}

/// A computed unit price to four significant digits: it is a ratio, not a price of the catalog.
fn rounded(price: f64) -> f64 {
    significant(price, 4).parse().unwrap_or(price)
}

/// Lower prices of longer rentals.
fn later(row: &Row) -> Vec<String> {
    let Ok(price) = &row.price else { return Vec::new() };
    let line = |tier: &Tier| {
        format!("{} after {} h", hourly(tier.price, price.listed.is_some()), significant(tier.from_hours, 4))
    };
    price.later.iter().map(line).collect()
}

fn date(row: &Row) -> String {
    row.provenance.as_of.map_or_else(|| "undated".to_owned(), |date| date.to_string())
}

/// Why to look a price up before acting on it: its age, how well it is known.
fn marks(row: &Row) -> String {
    let old = row
        .age_months
        .filter(|age| f64::from(*age) >= Threshold::PriceAgeMonths.spec().default)
        .map(|age| format!("{} old", things(age, "month")));
    let known = match row.provenance.confidence {
        Confidence::Read => None,
        Confidence::Recall => Some("from memory".to_owned()),
        Confidence::Doubtful => Some("doubtful".to_owned()),
    };
    old.into_iter().chain(known).collect::<Vec<_>>().join("\n")
}
