//! `plan usage`: from a log and what was rented to what the idle share costs.

use super::args::UsageArgs;
use super::offers::{reachable, regions};
use super::plan::prices;
use super::{Env, Exit, Stop, report, style};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::offers::{Filter, Listing, Query, Row, Sort, Stated, list};
use crate::read::usage::{UsageLog, open, read};
use crate::render::offers::{misses, place};
use crate::render::usage::write;
use crate::resolve::names::{self, Written};
use crate::terms::Purchase;
use crate::thresholds::Thresholds;
use crate::units::number::things;
use crate::units::{Currency, Date};
use crate::usage::cost::RentedGpus;
use crate::usage::{Rent, usage};
use std::io::Write;

/// Reads a log and writes what it says.
pub(super) fn run(
    args: &UsageArgs,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, Stop> {
    let mut diags = Diagnostics::new();
    let log = match open(&args.file) {
        Ok((name, text)) => read(name, &text, &mut diags),
        Err(diagnostic) => {
            diags.push(diagnostic);
            None
        }
    };
    let rented = rented(args, args.today.unwrap_or(env.today), &mut diags);
    if let (Some(log), Rented::Known(rent)) = (&log, &rented) {
        fitting(log, rent, &mut diags);
    }
    let failed = diags.has_errors();
    let Some(log) = log.filter(|_| !failed) else { return Err(diags.into()) };
    report(diags, err);
    let (rent, missing) = match rented {
        Rented::Unknown => (None, Vec::new()),
        Rented::Known(rent) => (Some(rent), Vec::new()),
        Rented::NotSold(misses) => (None, misses),
    };
    write(&usage(&log, rent, &Thresholds::default()), args.format, style(env), out)?;
    for miss in &missing {
        // Nothing can be done when standard error is closed.
        let _ = writeln!(err, "{miss}");
    }
    Ok(if missing.is_empty() { Exit::Done } else { Exit::No })
}

/// What is known of the machine that wrote the log.
enum Rented {
    /// Nothing was said.
    Unknown,
    /// Its price.
    Known(Rent),
    /// The catalog has no price for it; what would have one.
    NotSold(Vec<String>),
}

fn rented(args: &UsageArgs, today: Date, diags: &mut Diagnostics) -> Rented {
    if let Some(typed) = args.price {
        let Some(currency) = typed.currency else {
            let price = typed.price.to_string();
            let meant = format!("\"{} USD\"", price.trim_end_matches("/h"));
            diags.push(
                Diagnostic::error(Code::BadValue, None, "`--price` has no currency")
                    .hint(format!("did you mean {meant}?")),
            );
            return Rented::Unknown;
        };
        return Rented::Known(Rent {
            what: None,
            gpu: None,
            per_hour: typed.price,
            currency,
            as_of: None,
            age_months: None,
            source: None,
            confidence: None,
        });
    }
    let Some(name) = &args.on else { return Rented::Unknown };
    let catalog = prices(&args.prices, diags);
    let written = Written { text: name, place: None, role: "`--on`" };
    let found = match names::instances(&catalog, written) {
        Ok(found) => found,
        Err(error) => {
            diags.push(error);
            return Rented::Unknown;
        }
    };
    let own = found.first().and_then(|instance| catalog.provider(instance.provider)).map(|p| p.currency);
    let currency = args.currency.or(own).unwrap_or(Currency::USD);
    reachable(currency, &catalog, diags);
    let mut listing = offers_of(args, name, &catalog, (currency, today), diags);
    listing.near.retain(|near| !matches!(near.filter.filter, Filter::Instance(_)));
    match listing.rows.first() {
        Some(row) => known(row, &catalog, currency, args.region.is_none()),
        None => Rented::NotSold(
            std::iter::once(format!("the catalog has no price for {name} as asked"))
                .chain(misses(&listing))
                .collect(),
        ),
    }
}

/// The cheapest way in which an instance type is sold as asked.
fn offers_of(
    args: &UsageArgs,
    name: &str,
    catalog: &Catalog,
    (currency, today): (Currency, Date),
    diags: &mut Diagnostics,
) -> Listing {
    let purchase = args.purchase.unwrap_or(Purchase::OnDemand);
    let mut filters = vec![
        Stated { filter: Filter::Instance(name.to_owned()), text: format!("--on {name}") },
        Stated { filter: Filter::Purchase(vec![purchase]), text: format!("--purchase {purchase}") },
    ];
    if let Some(region) = &args.region {
        let filter = Filter::Region(regions(std::slice::from_ref(region), catalog, diags));
        filters.push(Stated { filter, text: format!("--region {region}") });
    }
    let query = Query { filters, sort: Sort::Price, reverse: false, limit: Some(1), currency, today };
    list(catalog, &query)
}

/// What is known of a row; `cheapest` where no region was named, so that another may have been meant.
fn known(row: &Row, catalog: &Catalog, currency: Currency, cheapest: bool) -> Rented {
    let Some(per_hour) = row.per_hour() else {
        return Rented::NotSold(vec![format!(
            "there is no rate to {currency} for the price of {}",
            row.instance
        )]);
    };
    let gpu = row.gpu.as_ref().map(|gpu| RentedGpus {
        name: gpu.name.clone(),
        count: gpu.count,
        memory: catalog
            .accelerators
            .named(&gpu.name)
            .and_then(|id| catalog.accelerators.get(id))
            .map(|card| card.usable().0)
            .filter(|_| gpu.count >= 1.0),
    });
    Rented::Known(Rent {
        what: Some(format!(
            "{} {} in {}{}, {}",
            row.provider,
            row.instance,
            place(row),
            if cheapest { " (the cheapest place)" } else { "" },
            row.purchase
        )),
        gpu,
        per_hour,
        currency,
        as_of: row.provenance.as_of,
        age_months: row.age_months,
        source: Some(row.provenance.source.clone()),
        confidence: Some(row.provenance.confidence),
    })
}

/// A log with more GPUs than the machine that is said to have written it: one of the two is wrong.
fn fitting(log: &UsageLog, rent: &Rent, diags: &mut Diagnostics) {
    let Some(what) = &rent.what else { return };
    let has = rent.gpu.as_ref().map_or(0.0, |gpu| gpu.count.ceil());
    let logged = u32::try_from(log.gpus.len()).unwrap_or(u32::MAX);
    if f64::from(logged) > has {
        let message = format!("the log has {}, {what} has {has}", things(logged, "GPU"));
        diags
            .push(Diagnostic::error(Code::Conflict, None, message).hint("name what wrote the log in `--on`"));
    }
}
