//! Where may be rented and where the data lies, against the catalog's names.

use super::Overrides;
use super::ledger::{Ledger, percent};
use super::names::{self, Written};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic};
use crate::job::{Location, Origin, Where, names_instance};
use crate::read::Located;
use crate::read::workload::{RawWhere, RawWorkload};

/// `[where]` and the flags over it.
pub(super) fn resolve(
    raw: &RawWhere,
    overrides: &Overrides,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Where {
    let providers =
        chosen(("providers", "--provider"), &raw.providers, &overrides.providers, ledger, |name| {
            names::seller(catalog, name)
        });
    let regions = chosen(("regions", "--region"), &raw.regions, &overrides.regions, ledger, |name| {
        names::region(catalog, name).map(|_| ())
    });
    let mut excluded = Vec::new();
    for name in &raw.excluded {
        if exists(catalog, &name.value) {
            excluded.push(name.value.clone());
        } else {
            ledger.diags.push(unknown_exclusion(catalog, name));
        }
    }
    if let Some(first) = raw.excluded.first().filter(|_| !excluded.is_empty()) {
        ledger.record("where.excluded", excluded.join(", "), Origin::File(first.place.clone()));
    }
    let mut discounts = Vec::new();
    for (name, share) in &raw.discounts {
        let written = Written { text: &name.value, place: Some(&name.place), role: "a name in [discounts]" };
        if let Err(error) = names::provider(catalog, written) {
            ledger.diags.push(error);
        } else if share.value >= 1.0 {
            let message = format!("the discount of `{}` is {}", name.value, share.value);
            let error = Diagnostic::error(Code::BadValue, share.place.clone(), message)
                .allowed("a share from 0 up to, but not including, 1");
            ledger.diags.push(Diagnostic { hint: percent(&name.value, share.value), ..error });
        } else {
            let origin = Origin::File(share.place.clone());
            ledger.record(format!("where.discounts.{}", name.value), share.value.to_string(), origin);
            discounts.push((name.value.clone(), share.value));
        }
    }
    discounts.sort_by(|a, b| a.0.cmp(&b.0));
    let owned = super::owned::resolve(&raw.owned, catalog, ledger);
    let place = Where { providers, regions, excluded, discounts, owned };
    if overrides.providers.is_empty() && overrides.regions.is_empty() {
        contradictions(raw, &place, catalog, ledger);
    }
    place
}

/// The flag's names or else the file's, each checked.
fn chosen(
    (key, option): (&str, &str),
    stated: &[Located<String>],
    flagged: &[String],
    ledger: &mut Ledger<'_>,
    check: impl Fn(Written<'_>) -> Result<(), Diagnostic>,
) -> Vec<String> {
    let role = format!("`{key}` in [where]");
    let mut in_file = Vec::new();
    for name in stated {
        match check(Written { text: &name.value, place: Some(&name.place), role: &role }) {
            Ok(()) => in_file.push(name.value.clone()),
            Err(error) => ledger.diags.push(error),
        }
    }
    let mut by_flag = Vec::new();
    let role = format!("`{option}`");
    for name in flagged {
        match check(Written { text: name, place: None, role: &role }) {
            Ok(()) => by_flag.push(name.clone()),
            Err(error) => ledger.diags.push(error),
        }
    }
    let (mut chosen, origin) = match (by_flag.is_empty(), stated.first()) {
        (false, _) => (by_flag, Origin::Flag),
        (true, Some(first)) => (in_file, Origin::File(first.place.clone())),
        (true, None) => (in_file, Origin::Default("everything in the catalog".to_owned())),
    };
    chosen.sort();
    chosen.dedup();
    let text = if chosen.is_empty() { "all".to_owned() } else { chosen.join(", ") };
    ledger.record(format!("where.{key}"), text, origin);
    chosen
}

/// Whether anything in the catalog has this name, as a provider, a region or an instance type.
fn exists(catalog: &Catalog, text: &str) -> bool {
    let provider_of = |i: &crate::catalog::Instance| catalog.provider(i.provider).map_or("", |p| &*p.name);
    catalog.provider_named(text).is_some()
        || catalog.instances.iter().any(|i| names_instance(text, provider_of(i), &i.name))
        || names::region(catalog, Written { text, place: None, role: "" }).is_ok()
}

fn unknown_exclusion(catalog: &Catalog, name: &Located<String>) -> Diagnostic {
    let written = Written { text: &name.value, place: Some(&name.place), role: "`excluded` in [where]" };
    let hints = [
        names::provider(catalog, written).err().filter(|_| !name.value.contains('/')),
        names::region(catalog, written).err(),
        names::instances(catalog, written).err(),
    ];
    let hint = hints.into_iter().flatten().find_map(|d| d.hint);
    let error = written.error(Code::UnknownName, "no such provider, region or instance type in the catalog");
    Diagnostic { hint, ..error }
}

/// Regions that none of the named providers has, and providers both named and excluded.
fn contradictions(raw: &RawWhere, place: &Where, catalog: &Catalog, ledger: &mut Ledger<'_>) {
    for name in &raw.providers {
        if raw.excluded.iter().any(|e| e.value == name.value) {
            let message = format!("`{}` is both in `providers` and in `excluded`", name.value);
            ledger.diags.push(
                Diagnostic::error(Code::Conflict, name.place.clone(), message)
                    .hint("take it out of one of them"),
            );
        }
    }
    if place.providers.is_empty() {
        return;
    }
    for name in &raw.regions {
        let written = Written { text: &name.value, place: Some(&name.place), role: "`regions` in [where]" };
        let Ok((of, region)) = names::region(catalog, written) else { continue };
        let stated = of.and_then(|id| catalog.provider(id));
        let has = |provider: &String| {
            stated.map_or_else(|| has_region(catalog, provider, &region), |p| *p.name == **provider)
        };
        if !place.providers.iter().any(has) {
            let message = format!(
                "no provider in `providers` ({}) has the region `{}`",
                place.providers.join(", "),
                name.value
            );
            ledger.diags.push(
                Diagnostic::error(Code::Conflict, name.place.clone(), message)
                    .hint("name its provider too, or take it out"),
            );
        }
    }
}

fn has_region(catalog: &Catalog, provider: &str, region: &str) -> bool {
    let full = format!("{provider}/{region}");
    names::region(catalog, Written { text: &full, place: None, role: "" }).is_ok()
}

/// `data.location`: provider/region.
pub(super) fn location(raw: &RawWorkload, catalog: &Catalog, ledger: &mut Ledger<'_>) -> Option<Location> {
    let stated = raw.data.location.as_ref()?;
    let written = Written { text: &stated.value, place: Some(&stated.place), role: "`location` in [data]" };
    match names::region(catalog, written) {
        Ok((Some(id), region)) => {
            let provider = catalog.provider(id).map(|p| p.name.to_string())?;
            ledger.record("data.location", stated.value.clone(), Origin::File(stated.place.clone()));
            Some(Location { provider, region })
        }
        Ok((None, region)) => {
            let sellers: Vec<&str> = catalog
                .providers
                .iter()
                .map(|p| &*p.name)
                .filter(|p| has_region(catalog, p, &region))
                .collect();
            let first = sellers.first().copied().unwrap_or("aws");
            ledger.diags.push(
                written
                    .error(Code::BadValue, "the provider is missing")
                    .allowed("provider/region")
                    .hint(format!("write `location = {:?}`", format!("{first}/{region}"))),
            );
            None
        }
        Err(error) => {
            ledger.diags.push(error);
            None
        }
    }
}
