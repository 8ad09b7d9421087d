//! `[billing.on-demand]`, `[billing.spot]` and `[[term_ratio]]`.

use super::Context;
use super::instance::FileDefaults;
use super::tariff::{note, provenance};
use crate::catalog::{Billing, TermRatio};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::table::Fields;
use crate::units::Hours;

/// Both billing tables: on-demand and spot.
pub(super) fn billing(
    file: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> (Option<Billing>, Option<Billing>) {
    let Some(mut table) = file.table("billing", diags) else { return (None, None) };
    let on_demand = table.table("on-demand", diags).and_then(|t| rules(t, defaults, context, diags));
    let spot = table.table("spot", diags).and_then(|t| rules(t, defaults, context, diags));
    table.finish(diags);
    (on_demand, spot)
}

fn rules(
    mut table: Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Option<Billing> {
    let granularity = seconds(&mut table, "granularity", diags);
    let granularity_secs = table.require(granularity, "granularity", "\"1s\"", diags);
    let minimum_secs = seconds(&mut table, "minimum", diags).unwrap_or(0);
    let notice_secs = seconds(&mut table, "notice", diags);
    let protection_secs = seconds(&mut table, "protection", diags);
    let note = note(&mut table, context, diags);
    let provenance = provenance(&mut table, defaults, context, diags);
    table.finish(diags);
    Some(Billing {
        granularity_secs: granularity_secs?,
        minimum_secs,
        notice_secs,
        protection_secs,
        note,
        provenance: provenance?,
    })
}

/// A duration of whole seconds.
fn seconds(table: &mut Fields<'_>, key: &'static str, diags: &mut Diagnostics) -> Option<u32> {
    let duration = table.quantity::<Hours>(key, diags)?;
    let seconds = duration.value.as_secs().round();
    let whole = (seconds - duration.value.as_secs()).abs() < 1e-6 && seconds <= f64::from(u32::MAX);
    if !whole || (key == "granularity" && seconds < 1.0) {
        diags.push(
            Diagnostic::error(
                Code::BadValue,
                duration.place,
                format!("`{key}` in {} is {}", table.what(), duration.value),
            )
            .allowed("whole seconds"),
        );
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie in u32")]
    Some(seconds as u32)
}

/// What commitments cost as a share of on-demand.
pub(super) fn term_ratios(
    file: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Vec<TermRatio> {
    let mut ratios = Vec::new();
    for mut table in file.tables("term_ratio", diags) {
        let scope = table.text("scope", diags);
        let scope = table.require(scope, "scope", "\"committed use\"", diags);
        let mut ratio = |key| table.number_within(key, (0.01, 2.0), diags).map(|n| n.value);
        let (month, year, three_years) = (ratio("month"), ratio("year"), ratio("three_years"));
        let note = note(&mut table, context, diags);
        let provenance = provenance(&mut table, defaults, context, diags);
        table.finish(diags);
        if let (Some(scope), Some(provenance)) = (scope, provenance) {
            let scope = context.name(&scope.value);
            ratios.push(TermRatio { scope, month, year, three_years, note, provenance });
        }
    }
    ratios
}
