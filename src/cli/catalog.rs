//! `plan catalog`: checking price files, and what a catalog holds.

use super::args::CatalogCommand;
use super::{Env, Exit, Stop, report};
use crate::catalog::lint::{FileSummary, check};
use crate::catalog::{Catalog, Provider, ProviderId, load};
use crate::diag::Diagnostics;
use crate::units::Date;
use crate::units::number::things;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

/// Runs the subcommand.
pub(super) fn run(
    command: &CatalogCommand,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, Stop> {
    match command {
        CatalogCommand::Check { files } => run_check(files, env.today, out, err),
        CatalogCommand::Show { catalog } => {
            let mut diags = Diagnostics::new();
            let catalog = load(Catalog::embedded(), &catalog.catalog, catalog.catalog_only, &mut diags);
            if diags.has_errors() {
                return Err(diags.into());
            }
            report(diags, err);
            for at in 0..catalog.providers.len() {
                let Ok(id) = u16::try_from(at).map(ProviderId) else { break };
                if let Some(provider) = catalog.provider(id) {
                    show(&catalog, id, provider, out)?;
                }
            }
            Ok(Exit::Done)
        }
    }
}

fn run_check(files: &[PathBuf], today: Date, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    let (diags, summaries) = check(&Catalog::embedded(), files, today);
    let failed = report(diags, err);
    for summary in &summaries {
        writeln!(out, "{}", line(summary))?;
    }
    Ok(if failed { Exit::Bad } else { Exit::Done })
}

/// `prices.toml: 12 offers of acme, prices of 2026-11-01: no errors, 1 warning`
fn line(summary: &FileSummary) -> String {
    let counted = |n: usize, what: &str| if n == 0 { format!("no {what}s") } else { things(n, what) };
    let of = if summary.providers.is_empty() {
        String::new()
    } else {
        format!(" of {}", summary.providers.join(", "))
    };
    let dates = summary.dates.map_or_else(String::new, |dates| format!(", prices of {}", span(dates)));
    format!(
        "{}: {}{of}{dates}: {}, {}",
        summary.file,
        counted(summary.offers, "offer"),
        counted(summary.errors, "error"),
        counted(summary.warnings, "warning")
    )
}

fn span((oldest, newest): (Date, Date)) -> String {
    if oldest == newest { oldest.to_string() } else { format!("{oldest} to {newest}") }
}

/// One provider: how much it sells, and from which sources of which dates that is known.
fn show(catalog: &Catalog, id: ProviderId, provider: &Provider, out: &mut dyn Write) -> std::io::Result<()> {
    let offers =
        || catalog.offers.iter().filter(|o| catalog.instance(o.instance).is_some_and(|i| i.provider == id));
    let types = catalog.instances.iter().filter(|instance| instance.provider == id).count();
    let regions: BTreeSet<&str> = offers().map(|offer| &*offer.listing.region).collect();
    let mut sources: BTreeMap<(Option<Date>, &str), usize> = BTreeMap::new();
    for offer in offers() {
        *sources.entry((offer.provenance.as_of, &*offer.listing.provenance.source)).or_default() += 1;
    }
    write!(
        out,
        "{}: {}, {}, {}, in {}",
        provider.name,
        things(offers().count(), "offer"),
        things(types, "instance type"),
        things(regions.len(), "region"),
        provider.currency
    )?;
    for (count, what) in [(provider.tariffs.len(), "tariff"), (provider.card_prices.len(), "card price")] {
        if count > 0 {
            write!(out, ", {}", things(count, what))?;
        }
    }
    writeln!(out)?;
    for ((as_of, source), count) in sources.iter().rev() {
        let date = as_of.map_or_else(|| "undated".to_owned(), |date| date.to_string());
        writeln!(out, "  {count:>6}  {date:<10}  {source}")?;
    }
    Ok(())
}
