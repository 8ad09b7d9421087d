//! Machines that are owned, against the catalog's names.

use super::ledger::Ledger;
use super::names::{self, Written};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic};
use crate::job::{Origin, Owned};
use crate::names::list;
use crate::read::workload::RawOwned;

/// `owned` in `[where]`.
pub(super) fn resolve(raw: &[RawOwned], catalog: &Catalog, ledger: &mut Ledger<'_>) -> Vec<Owned> {
    let mut owned: Vec<Owned> = Vec::new();
    for entry in raw {
        let Some(one) = machine(entry, catalog, ledger) else { continue };
        let place = one.region.as_ref().map(|region| format!(" in {region}")).unwrap_or_default();
        ledger.record(
            format!("where.owned.{}/{}", one.provider, one.instance),
            format!("{}{place}", one.count),
            Origin::File(entry.place.clone()),
        );
        let alike = |o: &&Owned| o.provider == one.provider && o.instance == one.instance;
        if let Some(other) = owned.iter().find(alike)
            && other.region.is_some() != one.region.is_some()
        {
            ledger.diags.push(
                Diagnostic::error(
                    Code::Conflict,
                    entry.place.clone(),
                    format!("some {}/{} have a `region` and some have none", one.provider, one.instance),
                )
                .hint("state the region of all of them, or of none"),
            );
            continue;
        }
        owned.push(one);
    }
    owned
}

fn machine(entry: &RawOwned, catalog: &Catalog, ledger: &mut Ledger<'_>) -> Option<Owned> {
    let Some(stated) = &entry.instance else {
        if !entry.stated.iter().any(|key| key == "instance") {
            ledger.diags.push(
                Diagnostic::error(
                    Code::MissingKey,
                    entry.place.clone(),
                    "an owned machine has no `instance`",
                )
                .hint("add `instance = \"aws/g5.xlarge\"`"),
            );
        }
        return None;
    };
    let written = Written { text: &stated.value, place: Some(&stated.place), role: "`instance` in `owned`" };
    let found = match names::instances(catalog, written) {
        Ok(found) => found,
        Err(error) => {
            ledger.diags.push(error);
            return None;
        }
    };
    let mut sellers: Vec<&str> =
        found.iter().filter_map(|i| catalog.provider(i.provider)).map(|p| &*p.name).collect();
    sellers.sort_unstable();
    sellers.dedup();
    let (provider, first) = match (sellers.as_slice(), found.first()) {
        ([one], Some(first)) => ((*one).to_owned(), first),
        ([first, ..], _) => {
            let hint = format!("write `instance = \"{first}/{}\"`", stated.value);
            ledger.diags.push(
                written
                    .error(Code::AmbiguousName, "several providers sell it")
                    .allowed(list(sellers.iter().copied()))
                    .hint(hint),
            );
            return None;
        }
        _ => return None,
    };
    let region = match &entry.region {
        None => None,
        Some(stated) => {
            let full = match stated.value.split_once('/') {
                Some(_) => stated.value.clone(),
                None => format!("{provider}/{}", stated.value),
            };
            let written = Written { text: &full, place: Some(&stated.place), role: "`region` in `owned`" };
            match names::region(catalog, written) {
                Ok((_, region)) => Some(region),
                Err(error) => {
                    ledger.diags.push(error);
                    return None;
                }
            }
        }
    };
    let count = entry.count.as_ref().map_or(1, |count| count.value);
    Some(Owned { provider, instance: first.name.to_string(), region, count })
}
