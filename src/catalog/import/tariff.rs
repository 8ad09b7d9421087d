//! `[[tariff]]`: what moving and keeping data costs; and what `[[card_price]]` shares with it.

use super::Context;
use super::instance::FileDefaults;
use super::price::money;
use crate::catalog::{CardPrice, Name, Provenance, Tariff, TariffKind, TariffTier};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::{Named, named};
use crate::read::table::Fields;
use crate::units::{Bytes, PerGb, PerHour};

/// The remarks of a table; none is the empty text.
pub(super) fn note(table: &mut Fields<'_>, context: &mut Context<'_>, diags: &mut Diagnostics) -> Name {
    let text = table.text("note", diags);
    context.name(text.as_ref().map_or("", |text| &text.value))
}

/// Where a table's figures come from: its own source, with its own date, or the file's.
pub(super) fn provenance(
    table: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Option<Provenance> {
    let own = defaults.sources.origin(table, context, diags);
    let provenance = own.with_own_date(&defaults.origin).provenance();
    if provenance.is_none() {
        diags.push(
            Diagnostic::error(
                Code::Undated,
                table.place().clone(),
                format!("{} has no source", table.what()),
            )
            .hint("add `source = \"…\"`, here or at the top of the file"),
        );
    }
    provenance
}

/// Every tariff of a file.
pub(super) fn tariffs(
    file: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Vec<Tariff> {
    file.tables("tariff", diags)
        .into_iter()
        .filter_map(|table| tariff(table, defaults, context, diags))
        .collect()
}

fn tariff(
    mut table: Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Option<Tariff> {
    let kind = table.named::<TariffKind>("kind", diags);
    let kind = table.require(kind, "kind", "\"internet\"", diags);
    let regions = table.texts("regions", diags).unwrap_or_default();
    let mut regions: Vec<Name> = regions.iter().map(|region| context.name(&region.value)).collect();
    regions.sort();
    let product = table.text("product", diags).map(|text| context.name(&text.value));
    let free = table.boolean("free", diags).is_some_and(|free| free.value);
    let mut tiers = Vec::new();
    let place = table.place().clone();
    let steps = table.tables("tiers", diags);
    for mut step in steps {
        let from = step.quantity::<Bytes>("from", diags);
        let from = step.require(from, "from", "\"0 GB\"", diags);
        let price = money(&mut step, "price", free, diags);
        let price = step.require(price, "price", "0.09", diags);
        step.finish(diags);
        let (Some(from), Some(price)) = (from, price) else { continue };
        let Some(price) = i64::try_from(price.value.nanos()).ok().map(PerGb::from_nanos) else { continue };
        if tiers.last().is_some_and(|last: &TariffTier| last.from >= from.value) {
            diags.push(Diagnostic::error(
                Code::BadValue,
                from.place,
                format!("`from` is {}, not above that of the step before", from.value),
            ));
            continue;
        }
        tiers.push(TariffTier { from: from.value, price });
    }
    if tiers.is_empty() {
        if free {
            tiers.push(TariffTier { from: Bytes::ZERO, price: PerGb::from_nanos(0) });
        } else if !table.has("tiers") {
            diags.push(
                Diagnostic::error(Code::MissingKey, place, "[[tariff]] has no `tiers`")
                    .hint("add `tiers = [{ from = \"0 GB\", price = 0.09 }]`, or `free = true`"),
            );
        }
    }
    let note = note(&mut table, context, diags);
    let provenance = provenance(&mut table, defaults, context, diags);
    table.finish(diags);
    let (kind, provenance) = (kind?.value, provenance?);
    (!tiers.is_empty()).then_some(Tariff {
        kind,
        regions,
        product,
        currency: defaults.currency,
        tiers,
        note,
        provenance,
    })
}

named! {
    /// How a card price is bought.
    pub(super) enum CardKind {
        /// By use.
        OnDemand = "on-demand",
        /// Interruptible.
        Spot = "spot",
        /// Committed.
        Reserved = "reserved",
    }
}

named! {
    /// Billing unit or commitment of a card price.
    pub(super) enum CardTerm {
        /// By the second.
        Second = "second",
        /// By the minute.
        Minute = "minute",
        /// By the hour.
        Hour = "hour",
        /// For a day.
        Day = "day",
        /// For a week.
        Week = "week",
        /// For a month.
        Month = "month",
        /// For three months.
        ThreeMonths = "three-months",
        /// For six months.
        SixMonths = "six-months",
        /// For a year.
        Year = "year",
        /// For three years.
        ThreeYears = "three-years",
    }
}

/// Every price per card of a file.
pub(super) fn card_prices(
    file: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Vec<CardPrice> {
    let mut out = Vec::new();
    for mut table in file.tables("card_price", diags) {
        let gpu = table.text("gpu", diags);
        let gpu = table.require(gpu, "gpu", "\"H100-SXM\"", diags);
        let unlisted = table.boolean("unlisted", diags).is_some_and(|unlisted| unlisted.value);
        let name = gpu.and_then(|gpu| {
            if unlisted {
                return Some(context.name(&gpu.value));
            }
            let id = context.cards.resolve("gpu", &gpu, diags)?;
            context.cards.table.get(id).map(|card| card.name.clone())
        });
        let count = table.count("count", diags).map_or(1.0, |count| count.value);
        let provenance = provenance(&mut table, defaults, context, diags);
        for mut row in table.tables("prices", diags) {
            let kind = row.named::<CardKind>("kind", diags);
            let kind = row.require(kind, "kind", "\"reserved\"", diags);
            let term = row.named::<CardTerm>("term", diags);
            let term = row.require(term, "term", "\"year\"", diags);
            let price = money(&mut row, "price", false, diags);
            let price = row.require(price, "price", "23.78", diags);
            row.finish(diags);
            let (Some(kind), Some(term), Some(price)) = (kind, term, price) else { continue };
            let Some(price) = i64::try_from(price.value.nanos()).ok().map(PerHour::from_nanos) else {
                continue;
            };
            if let (Some(gpu), Some(provenance)) = (&name, &provenance) {
                out.push(CardPrice {
                    gpu: gpu.clone(),
                    count,
                    kind: context.name(kind.value.name()),
                    term: context.name(term.value.name()),
                    price,
                    provenance: provenance.clone(),
                });
            }
        }
        table.finish(diags);
    }
    out
}
