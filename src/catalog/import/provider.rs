//! The frame of a catalog file: who sells, in which currency, what all its prices share.

use super::Context;
use super::instance::{self, FileDefaults};
use super::origin::Sources;
use super::price::Undated;
use super::{billing, tariff};
use crate::catalog::intern::Interner;
use crate::catalog::parts::{Parts, ProviderPart};
use crate::catalog::processor::SocketMemory;
use crate::catalog::{ExchangeRate, ExchangeRates, Processor};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::table::Fields;
use crate::units::{Currency, Date};

/// Reads what a file says about its provider. A file of accelerators or rates alone names none.
pub(super) fn provider(
    mut file: Fields<'_>,
    parts: &mut Parts,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) {
    let sells = [
        "provider",
        "currency",
        "as_of",
        "source",
        "sources",
        "confidence",
        "instance",
        "billing",
        "tariff",
        "card_price",
        "processor",
        "term_ratio",
    ];
    if !sells.iter().any(|key| file.has(key)) {
        let bare = !file.has("accelerator") && !file.has("rate");
        if bare {
            diags.push(
                Diagnostic::error(Code::MissingKey, file.place().clone(), "a catalog file has no `provider`")
                    .hint("add `provider = \"acme\"`"),
            );
        }
        file.know(&sells);
        file.finish(diags);
        return;
    }
    let name = file.text("provider", diags);
    let name = file.require(name, "provider", "\"acme\"", diags);
    let currency = file.quantity::<Currency>("currency", diags);
    let currency = file.require(currency, "currency", "\"USD\"", diags);
    let sources = Sources::read(&mut file, context, diags);
    let origin = sources.origin(&mut file, context, diags);
    let term = sources.origin_at(&mut file, ["term_as_of", "term_source"], context, diags);
    let hazard = sources.origin_at(&mut file, ["interruption_as_of", "interruption_source"], context, diags);
    let defaults = FileDefaults {
        // Where they are missing the run has failed already; the rest of the file is still checked.
        provider: context.name(name.as_ref().map_or("?", |name| &name.value)),
        currency: currency.as_ref().map_or(Currency::USD, |currency| currency.value),
        origin,
        term,
        hazard,
        sources: &sources,
    };
    let mut part = ProviderPart::bare(defaults.provider.clone(), defaults.currency);
    (part.on_demand, part.spot) = billing::billing(&mut file, &defaults, context, diags);
    part.term_ratios = billing::term_ratios(&mut file, &defaults, context, diags);
    part.tariffs = tariff::tariffs(&mut file, &defaults, context, diags);
    part.card_prices = tariff::card_prices(&mut file, &defaults, context, diags);
    let processors = processors(&mut file, &defaults, context, diags);
    let mut undated = Undated::default();
    for table in file.tables("instance", diags) {
        instance::rows(table, &defaults, &mut undated, context, parts, diags);
    }
    undated.report(
        "add the {} beside it, or `as_of = 2026-11-01` and `source = \"…\"` at the top of the file",
        diags,
    );
    parts.processors.extend(processors);
    if name.is_some() {
        parts.providers.push(part);
    }
    file.finish(diags);
}

fn processors(
    file: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Vec<Processor> {
    let mut out = Vec::new();
    for mut table in file.tables("processor", diags) {
        let families = table.texts("families", diags);
        let families = table.require(families, "families", "[\"m5\"]", diags).unwrap_or_default();
        let cpu = table.text("cpu", diags);
        let cpu = table.require(cpu, "cpu", "\"EPYC 7763\"", diags);
        let generation = table.text("generation", diags);
        let generation = context.name(generation.as_ref().map_or("", |text| &text.value));
        let per_core = table.whole("vcpus_per_core", (1, 1024), diags);
        let per_core = table.require(per_core, "vcpus_per_core", "2", diags);
        let base = table.number_within("base_ghz", (0.5, 10.0), diags);
        let base = table.require(base, "base_ghz", "2.5", diags);
        let turbo = table.number_within("turbo_ghz", (0.5, 10.0), diags);
        let turbo = table.require(turbo, "turbo_ghz", "3.1", diags);
        let relative = table.number_within("relative", (0.05, 20.0), diags);
        let relative = table.require(relative, "relative", "1.0", diags);
        let bandwidth = table.number_within("socket_gb_per_second", (1.0, 10_000.0), diags);
        let cores = table.number_within("socket_cores", (1.0, 1024.0), diags);
        let provenance = tariff::provenance(&mut table, defaults, context, diags);
        table.finish(diags);
        let socket = bandwidth
            .zip(cores)
            .map(|(gb, cores)| SocketMemory { gb_per_second: gb.value, cores: cores.value });
        let (Some(cpu), Some(per_core), Some(base)) = (cpu, per_core, base) else { continue };
        let (Some(turbo), Some(relative), Some(provenance)) = (turbo, relative, provenance) else { continue };
        for family in families {
            out.push(Processor {
                provider: defaults.provider.clone(),
                family: context.name(&family.value),
                cpu: context.name(&cpu.value),
                generation: generation.clone(),
                vcpus_per_core: u8::try_from(per_core.value).unwrap_or(u8::MAX),
                base_ghz: base.value,
                turbo_ghz: turbo.value,
                relative: relative.value,
                socket,
                provenance: provenance.clone(),
            });
        }
    }
    out
}

/// The exchange rates of a file.
pub(super) fn rates(
    file: &mut Fields<'_>,
    rates: &mut ExchangeRates,
    names: &mut Interner,
    diags: &mut Diagnostics,
) {
    for mut table in file.tables("rate", diags) {
        let currency = table.quantity::<Currency>("currency", diags);
        let currency = table.require(currency, "currency", "\"EUR\"", diags);
        let per_usd = table.number_within("per_usd", (1e-6, 1e9), diags);
        let per_usd = table.require(per_usd, "per_usd", "0.88", diags);
        let date = table.quantity::<Date>("date", diags);
        let date = table.require(date, "date", "2026-09-29", diags);
        let source = table.text("source", diags);
        let source = table.require(source, "source", "\"…\"", diags);
        table.finish(diags);
        if let (Some(currency), Some(per_usd), Some(date), Some(source)) = (currency, per_usd, date, source) {
            rates.0.push(ExchangeRate {
                currency: currency.value,
                per_usd: per_usd.value,
                date: date.value,
                source: names.name(&source.value),
            });
        }
    }
}
