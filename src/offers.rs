//! What the catalog sells: catalog and [`Query`] → [`Listing`]. A listing takes every price as it stands in the
//! catalog, before discounts, and says of which day it is.

pub mod filter;
pub mod row;
pub mod sort;

pub use filter::{Filter, Stated};
pub use row::{Card, Period, Price, Row, Unpriced};
pub use sort::Sort;

use crate::catalog::{Catalog, ExchangeRate, Name, Offer};
use crate::terms::Purchase;
use crate::units::{Currency, Date};
use filter::Subject;
use std::cmp::Ordering;

/// What is asked of the catalog.
#[derive(Debug, Clone)]
pub struct Query {
    /// What an offer must be; all of them must hold.
    pub filters: Vec<Stated>,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether the sorted-by value falls instead of rising. What is unknown stays last.
    pub reverse: bool,
    /// Most rows to show; all without it.
    pub limit: Option<usize>,
    /// Currency in which prices are shown and compared.
    pub currency: Currency,
    /// The day from which ages count.
    pub today: Date,
}

/// What one filter alone keeps out: offers that all the others let pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The filter.
    pub filter: Stated,
    /// How many offers would match without it.
    pub offers: usize,
    /// Who sells them, by name.
    pub providers: Vec<Name>,
    /// The cheapest of them.
    pub cheapest: Row,
}

/// What matches.
#[derive(Debug, Clone)]
pub struct Listing {
    /// The rows to show, sorted; zones of one region with the same price share a row.
    pub rows: Vec<Row>,
    /// How many rows match, shown or not.
    pub matching_rows: usize,
    /// How many offers match: zones count each.
    pub matching_offers: usize,
    /// How many offers the catalog has.
    pub looked_at: usize,
    /// What each filter alone keeps out, in the order of the filters; those that keep out nothing alone are left out.
    pub near: Vec<Near>,
    /// The rates at which the prices of these rows were converted.
    pub rates: Vec<ExchangeRate>,
    /// Currency of the prices.
    pub currency: Currency,
    /// The day from which ages count.
    pub today: Date,
}

/// Answers a query.
pub fn list(catalog: &Catalog, query: &Query) -> Listing {
    let asked = query.filters.iter().find_map(|stated| match &stated.filter {
        Filter::Purchase(purchases) => Some(purchases.as_slice()),
        _ => None,
    });
    let mut rows: Vec<Row> = Vec::new();
    let mut near: Vec<Option<Near>> = vec![None; query.filters.len()];
    for (position, offer) in catalog.offers.iter().enumerate() {
        for purchase in considered(&offer, asked) {
            let Some(subject) = Subject::new(catalog, offer, purchase, query.currency) else { continue };
            let mut failing = query.filters.iter().enumerate().filter(|(_, f)| !f.filter.passes(&subject));
            match (failing.next(), failing.next()) {
                (None, _) => row::add(&mut rows, Row::new(&subject, position, query.today)),
                (Some((at, stated)), None) => {
                    if let Some(slot) = near.get_mut(at) {
                        let row = Row::new(&subject, position, query.today);
                        note(slot, stated, row);
                    }
                }
                _ => {}
            }
        }
    }
    rows.sort_by(|a, b| query.sort.compare(a, b, query.reverse));
    let (matching_rows, matching_offers) = (rows.len(), rows.iter().map(Row::offers).sum());
    rows.truncate(query.limit.unwrap_or(usize::MAX));
    Listing {
        rates: rates(catalog, &rows, query.currency),
        rows,
        matching_rows,
        matching_offers,
        looked_at: catalog.offers.len(),
        near: near.into_iter().flatten().collect(),
        currency: query.currency,
        today: query.today,
    }
}

/// The ways of buying an offer that make rows: on demand, priced or not, unless others are asked for; then those for
/// which it has a price.
fn considered(offer: &Offer, asked: Option<&[Purchase]>) -> Vec<Purchase> {
    match asked {
        None => vec![Purchase::OnDemand],
        Some(_) => Purchase::SOLD
            .into_iter()
            .map(|(purchase, _)| purchase)
            .filter(|purchase| row::sells(offer, *purchase))
            .collect(),
    }
}

fn note(slot: &mut Option<Near>, stated: &Stated, row: Row) {
    let near = slot.get_or_insert_with(|| Near {
        filter: stated.clone(),
        offers: 0,
        providers: Vec::new(),
        cheapest: row.clone(),
    });
    near.offers += 1;
    if let Err(at) = near.providers.binary_search(&row.provider) {
        near.providers.insert(at, Name::clone(&row.provider));
    }
    if Sort::Price.compare(&row, &near.cheapest, false) == Ordering::Less {
        near.cheapest = row;
    }
}

/// The dated rates behind the converted prices of some rows.
fn rates(catalog: &Catalog, rows: &[Row], to: Currency) -> Vec<ExchangeRate> {
    let mut currencies: Vec<Currency> = rows
        .iter()
        .filter_map(|row| Some(row.price.as_ref().ok()?.listed?.1))
        .chain(rows.iter().filter(|row| row.price.as_ref().is_ok_and(|p| p.listed.is_some())).map(|_| to))
        .collect();
    currencies.sort();
    currencies.dedup();
    currencies.into_iter().filter_map(|currency| catalog.rates.rate(currency).cloned()).collect()
}
