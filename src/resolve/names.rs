//! Names of providers, regions, instance types and accelerators against the catalog, with what was most likely
//! meant where the catalog has no such name.

use crate::catalog::{AcceleratorId, Catalog, Instance, ProviderId};
use crate::diag::{Code, Diagnostic, Place};
use crate::names::list;

/// A name and where it was written: nowhere in a file when it came from a flag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) text: &'a str,
    pub(super) place: Option<&'a Place>,
    /// How messages call the place: `` `providers` in [where] ``.
    pub(super) role: &'a str,
}

impl Written<'_> {
    pub(super) fn error(&self, code: Code, what: &str) -> Diagnostic {
        Diagnostic::error(code, self.place.cloned(), format!("{} is {:?}: {what}", self.role, self.text))
    }
}

/// The provider of a name.
pub(super) fn provider(catalog: &Catalog, name: Written<'_>) -> Result<ProviderId, Diagnostic> {
    catalog.provider_named(name.text).map(|(id, _)| id).ok_or_else(|| {
        let known: Vec<&str> = catalog.providers.iter().map(|p| &*p.name).collect();
        name.error(Code::UnknownName, "no such provider in the catalog")
            .allowed(list(known.iter().copied()))
            .did_you_mean(name.text, known.iter().copied())
    })
}

/// The regions of a provider (or of all): those with offers and those with a tariff. May repeat them.
fn regions(catalog: &Catalog, of: Option<ProviderId>) -> impl Iterator<Item = &str> {
    let sold_here = move |id| catalog.instance(id).is_some_and(|i| of.is_none_or(|of| of == i.provider));
    let offered = catalog.offers.iter().filter(move |o| sold_here(o.instance)).map(|o| &*o.region);
    let providers = catalog.providers.iter().enumerate();
    let priced = providers
        .filter(move |(at, _)| of.is_none_or(|id| usize::from(id.0) == *at))
        .flat_map(|(_, p)| p.tariffs.iter().flat_map(|t| t.regions.iter().map(|r| &**r)));
    offered.chain(priced)
}

/// A region as `region` or `provider/region`; the provider where it was stated.
pub(super) fn region(
    catalog: &Catalog,
    name: Written<'_>,
) -> Result<(Option<ProviderId>, String), Diagnostic> {
    let (of, text) = match name.text.split_once('/') {
        Some((before, after)) => (Some(provider(catalog, Written { text: before, ..name })?), after),
        None => (None, name.text),
    };
    if regions(catalog, of).any(|known| known == text) {
        return Ok((of, text.to_owned()));
    }
    let mut known: Vec<&str> = regions(catalog, of).collect();
    known.sort_unstable();
    known.dedup();
    let whose = of.and_then(|id| catalog.provider(id)).map_or(String::new(), |p| format!(" of {}", p.name));
    Err(name
        .error(Code::UnknownName, &format!("no such region{whose} in the catalog"))
        .did_you_mean(text, known))
}

/// The instance types of a name, as `name` or `provider/name`; never none.
pub(super) fn instances<'c>(
    catalog: &'c Catalog,
    name: Written<'_>,
) -> Result<Vec<&'c Instance>, Diagnostic> {
    let (of, text) = match name.text.split_once('/') {
        Some((before, after)) => (Some(provider(catalog, Written { text: before, ..name })?), after),
        None => (None, name.text),
    };
    let here = |i: &&Instance| of.is_none_or(|id| id == i.provider);
    let found: Vec<&Instance> = catalog.instances.iter().filter(here).filter(|i| &*i.name == text).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let whose = of.and_then(|id| catalog.provider(id)).map_or(String::new(), |p| format!(" of {}", p.name));
    let known = catalog.instances.iter().filter(here).map(|i| &*i.name);
    Err(name
        .error(Code::UnknownName, &format!("no such instance type{whose} in the catalog"))
        .did_you_mean(text, known))
}

/// An accelerator by any of its spellings; an ambiguous one with a warning that states its meaning.
pub(super) fn accelerator(
    catalog: &Catalog,
    name: Written<'_>,
) -> Result<(AcceleratorId, Option<Diagnostic>), Diagnostic> {
    catalog
        .accelerators
        .iter()
        .find(|(_, card)| &*card.name == name.text || card.aliases.iter().any(|a| &**a == name.text))
        .map(|(id, _)| (id, None))
        .ok_or_else(|| {
            let known = catalog.accelerators.iter().map(|(_, card)| &*card.name);
            name.error(Code::UnknownName, "no such accelerator").did_you_mean(name.text, known)
        })
}

/// Splits a count off an accelerator's name: `8xA100-80GB`, `8 × T4`, `T4:4`; one where none is stated.
pub(super) fn counted(text: &str) -> (f64, &str) {
    let text = text.trim();
    if let Some((number, rest)) = text.split_once(['x', 'X', '×', '*'])
        && let Ok(count) = number.trim().parse::<f64>()
        && count > 0.0
        && count.is_finite()
    {
        return (count, rest.trim());
    }
    if let Some((rest, number)) = text.rsplit_once(':')
        && let Ok(count) = number.trim().parse::<f64>()
        && count > 0.0
        && count.is_finite()
    {
        return (count, rest.trim());
    }
    (1.0, text)
}
