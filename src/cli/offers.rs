//! `plan offers`: from flags to a query, from a listing to bytes.

use super::args::OffersArgs;
use super::plan::prices;
use super::{Env, Exit, Stop, report, style};
use crate::catalog::{Catalog, ProviderId};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::list as list_of_names;
use crate::offers::{Filter, Query, Stated, list};
use crate::render::offers::{ListFormat, misses, write};
use crate::resolve::defaults::STALE_AFTER_MONTHS;
use crate::resolve::names::{self, Written};
use crate::units::{Currency, Date, HourlyPrice, Range};
use std::io::{BufWriter, Write};

/// Rows of a table where no limit is given.
const ROWS: usize = 20;

/// Lists what matches.
pub(super) fn run(
    args: &OffersArgs,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, Stop> {
    let mut diags = Diagnostics::new();
    let catalog = prices(&args.prices, &mut diags);
    let query = query(args, &catalog, args.today.unwrap_or(env.today), &mut diags);
    if diags.has_errors() {
        return Err(diags.into());
    }
    report(diags, err);
    let listing = list(&catalog, &query);
    // Thousands of lines: standard output by itself writes each one.
    let mut buffered = BufWriter::new(&mut *out);
    write(&listing, args.format, style(env), &mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    if listing.matching_rows > 0 {
        return Ok(Exit::Done);
    }
    for miss in misses(&listing) {
        // Nothing can be done when standard error is closed.
        let _ = writeln!(err, "{miss}");
    }
    Ok(Exit::No)
}

fn query(args: &OffersArgs, catalog: &Catalog, today: Date, diags: &mut Diagnostics) -> Query {
    let currency = currency(args, diags);
    reachable(currency, catalog, diags);
    let filters = filters(args, catalog, today, diags);
    let limit = match (args.limit, args.format) {
        (Some(0), _) | (None, ListFormat::Json | ListFormat::Csv) => None,
        (Some(limit), _) => Some(usize::try_from(limit).unwrap_or(usize::MAX)),
        (None, ListFormat::Table) => Some(ROWS),
    };
    Query { filters, sort: args.sort, reverse: args.reverse, limit, currency, today }
}

/// The currency of the listing: that of `--currency`, else that of the price range, else USD.
fn currency(args: &OffersArgs, diags: &mut Diagnostics) -> Currency {
    let ends = args.price.iter().flat_map(|range| [range.from(), range.to()]).flatten();
    let mut stated: Vec<Currency> =
        args.currency.into_iter().chain(ends.filter_map(|e| e.currency)).collect();
    stated.dedup();
    if let [first, other, ..] = stated.as_slice() {
        let message = format!("prices are asked for both in {first} and in {other}");
        diags.push(
            Diagnostic::error(Code::Conflict, None, message).hint(format!("state `--price` in {first}")),
        );
    }
    stated.first().copied().unwrap_or(Currency::USD)
}

/// A currency in which nothing is priced and to which there is no rate would give a listing without prices.
pub(super) fn reachable(currency: Currency, catalog: &Catalog, diags: &mut Diagnostics) {
    let known = |from: Currency| catalog.rates.factor(from, currency).is_some();
    if catalog.offers.is_empty() || catalog.currencies().any(known) {
        return;
    }
    let rates = catalog.rates.0.iter().map(|rate| rate.currency.code());
    diags.push(
        Diagnostic::error(Code::NoRate, None, format!("there is no rate to {currency}"))
            .allowed(list_of_names(rates.chain(["USD"]))),
    );
}

fn filters(args: &OffersArgs, catalog: &Catalog, today: Date, diags: &mut Diagnostics) -> Vec<Stated> {
    let mut filters = Vec::new();
    let mut add = |filter: Filter, words: String| filters.push(Stated { filter, text: words });
    let gpus = resolved(&args.gpu, "--gpu", diags, |name| {
        names::accelerators(catalog, name).map(|(id, count, warning)| ((id, count), warning))
    });
    if !gpus.is_empty() {
        add(Filter::Gpu(gpus), words("--gpu", &args.gpu));
    }
    if let Some(range) = args.gpus {
        add(Filter::Gpus(range), format!("--gpus {}", shown(&range, ToString::to_string)));
    }
    if let Some(range) = args.vram {
        add(Filter::Vram(range), format!("--vram {}", shown(&range, ToString::to_string)));
    }
    if let Some(range) = args.vcpus {
        add(Filter::Vcpus(range), format!("--vcpus {}", shown(&range, ToString::to_string)));
    }
    if let Some(range) = args.memory {
        add(Filter::Memory(range), format!("--memory {}", shown(&range, |bytes| bytes.gib())));
    }
    let providers = resolved(&args.provider, "--provider", diags, |name| {
        names::seller(catalog, name)?;
        names::provider(catalog, name).map(|id| (id, None))
    });
    if !providers.is_empty() {
        add(Filter::Provider(providers), words("--provider", &args.provider));
    }
    let regions = regions(&args.region, catalog, diags);
    if !regions.is_empty() {
        add(Filter::Region(regions), words("--region", &args.region));
    }
    if let Some(class) = args.class {
        add(Filter::Class(class), format!("--class {class}"));
    }
    if !args.purchase.is_empty() {
        let ways: Vec<String> = args.purchase.iter().map(ToString::to_string).collect();
        add(Filter::Purchase(args.purchase.clone()), words("--purchase", &ways));
    }
    if let Some(range) = args.price {
        let hourly = |end: &HourlyPrice| end.price.to_string().trim_end_matches("/h").to_owned();
        add(Filter::Price(range.map(|end| end.price)), format!("--price {}", shown(&range, hourly)));
    }
    if args.provider.is_empty() && args.region.is_empty() {
        let months = args.stale_after.unwrap_or(STALE_AFTER_MONTHS.value);
        let day = today.months_ago(months.saturating_add(1));
        add(Filter::After(day), format!("--stale-after {months}"));
    }
    filters
}

/// Regions as `region` or `provider/region`.
pub(super) fn regions(
    texts: &[String],
    catalog: &Catalog,
    diags: &mut Diagnostics,
) -> Vec<(Option<ProviderId>, String)> {
    resolved(texts, "--region", diags, |name| names::region(catalog, name).map(|region| (region, None)))
}

/// Names against the catalog; what is unknown or open is reported.
fn resolved<T>(
    texts: &[String],
    role: &str,
    diags: &mut Diagnostics,
    find: impl Fn(Written<'_>) -> Result<(T, Option<Diagnostic>), Diagnostic>,
) -> Vec<T> {
    let role = format!("`{role}`");
    let mut found = Vec::new();
    for text in texts {
        match find(Written { text, place: None, role: &role }) {
            Ok((value, warning)) => {
                if let Some(warning) = warning {
                    diags.push(warning);
                }
                found.push(value);
            }
            Err(error) => diags.push(error),
        }
    }
    found
}

/// `--provider aws --provider gcp`.
fn words(flag: &str, values: &[String]) -> String {
    values.iter().map(|value| format!("{flag} {value}")).collect::<Vec<_>>().join(" ")
}

/// A range in the words of the command line.
fn shown<T: PartialOrd>(range: &Range<T>, end: impl Fn(&T) -> String) -> String {
    match (range.from(), range.to()) {
        (Some(from), Some(to)) if from == to => end(from),
        (from, to) => {
            format!("{}..{}", from.map_or_else(String::new, &end), to.map_or_else(String::new, &end))
        }
    }
}
