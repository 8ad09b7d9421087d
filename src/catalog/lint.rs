//! `plan catalog check`: what is wrong with price files, and what is possible but unlikely.
//!
//! Errors are those of reading: a file with one cannot be used. Warnings come on top, from comparing each price with
//! the others of its card, of its provider and of its own row.

mod card_prices;
mod offer;

use super::import::import;
use super::parts::{Parts, Row, key_order};
use super::{Catalog, OfferEntry};
use crate::diag::{Code, Diagnostic, Diagnostics, Place, Severity};
use crate::read::catalog::sources;
use crate::units::Date;
use crate::units::number::things;
use card_prices::CardPrices;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What a file holds and how it fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSummary {
    /// The file as it was named.
    pub file: Arc<str>,
    /// Offers in it that could be read, each once.
    pub offers: usize,
    /// Its providers, by name.
    pub providers: Vec<String>,
    /// Oldest and newest date of its prices.
    pub dates: Option<(Date, Date)>,
    /// Mistakes found in it.
    pub errors: usize,
    /// Oddities found in it.
    pub warnings: usize,
}

/// Checks files and folders against themselves and against `known` (the embedded catalog), and their dates against `today`.
pub fn check(known: &Catalog, paths: &[PathBuf], today: Date) -> (Diagnostics, Vec<FileSummary>) {
    let mut diags = Diagnostics::new();
    let sources = sources(paths, &mut diags);
    let parts = import(&sources, known, &mut diags);
    lint(&parts, known, &mut diags);
    from_the_future(&parts, today, &mut diags);
    let mut summaries: Vec<FileSummary> =
        sources.iter().map(|source| summary(source.name(), &parts)).collect();
    // Only putting everything in order shows what is stated twice.
    parts.assemble(&mut diags);
    let mut found = diags.sorted();
    // A list goes on without its bad cells; whoever checks it wants to mend them.
    for diagnostic in found.iter_mut().filter(|d| matches!(d.code, Code::BadPrice | Code::BadValue)) {
        diagnostic.severity = Severity::Error;
    }
    for summary in &mut summaries {
        let here = || found.iter().filter(|d| d.place.as_ref().is_some_and(|p| p.file == summary.file));
        let errors = here().filter(|d| d.severity == Severity::Error).count();
        (summary.warnings, summary.errors) = (here().count() - errors, errors);
    }
    let mut diags = Diagnostics::new();
    for diagnostic in found {
        diags.push(diagnostic);
    }
    (diags, summaries)
}

fn summary(file: &Arc<str>, parts: &Parts) -> FileSummary {
    let here = |row: &Row| row.place.as_ref().is_some_and(|place| place.file == *file);
    let rows = || parts.rows.iter().zip(&parts.offers).filter(|(row, _)| here(row));
    let mut providers: Vec<String> = rows().map(|(row, _)| row.provider.to_string()).collect();
    providers.sort();
    providers.dedup();
    let dates = || rows().filter_map(|(_, offer)| offer.provenance.as_of);
    FileSummary {
        file: Arc::clone(file),
        offers: each_once(rows().collect()),
        providers,
        dates: dates().min().zip(dates().max()),
        errors: 0,
        warnings: 0,
    }
}

/// How many offers some rows are: of those that state the same one the last counts.
fn each_once(mut rows: Vec<(&Row, &OfferEntry)>) -> usize {
    rows.sort_by(|a, b| key_order(*a, *b));
    rows.dedup_by(|a, b| key_order(*a, *b).is_eq());
    rows.len()
}

/// Prices with a date that has not come yet: one warning for each date of a file, at the first of them.
fn from_the_future(parts: &Parts, today: Date, diags: &mut Diagnostics) {
    let mut found: BTreeMap<(Arc<str>, Date), (Place, usize)> = BTreeMap::new();
    for (row, offer) in parts.rows.iter().zip(&parts.offers) {
        let Some((place, date)) = row.place.as_ref().zip(offer.provenance.as_of.filter(|d| *d > today))
        else {
            continue;
        };
        let (first, count) = found.entry((Arc::clone(&place.file), date)).or_insert((place.clone(), 0));
        *first = place.min(first).clone();
        *count += 1;
    }
    for ((_, date), (place, count)) in found {
        let are = if count == 1 { "is" } else { "are" };
        let message = format!("{} {are} of {date}, after today ({today})", things(count, "price"));
        let warning = Diagnostic::warning(Code::OddPrice, place, message);
        diags.push(warning.hint(format!("state the day of the price list: as_of = {today}")));
    }
}

/// The warnings.
fn lint(parts: &Parts, known: &Catalog, diags: &mut Diagnostics) {
    let prices = CardPrices::of(known, parts);
    for (row, offer) in parts.rows.iter().zip(&parts.offers) {
        offer::own_prices(row, offer, diags);
        offer::name_and_memory(row, &parts.accelerators, diags);
        offer::another_machine(row, known, diags);
        prices.odd(row, offer, diags);
        prices.count_slip(row, offer, diags);
    }
    prices.without_rate(parts, diags);
}
