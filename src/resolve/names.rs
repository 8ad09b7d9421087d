//! Names of providers, regions, instance types and accelerators against the catalog, with what was most likely
//! meant where the catalog has no such name.

use crate::catalog::{AcceleratorId, Catalog, Found, Instance, ProviderId};
use crate::diag::{Code, Diagnostic, Place, Severity};
use crate::names::list;

/// A name and where it was written: nowhere in a file when it came from a flag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Option<&'a Place>,
    /// How messages call the place: `` `providers` in [where] ``.
    pub(crate) role: &'a str,
}

impl Written<'_> {
    pub(crate) fn error(&self, code: Code, what: &str) -> Diagnostic {
        Diagnostic::error(code, self.place.cloned(), format!("{} is {:?}: {what}", self.role, self.text))
    }
}

/// The provider of a name.
pub(crate) fn provider(catalog: &Catalog, name: Written<'_>) -> Result<ProviderId, Diagnostic> {
    catalog.provider_named(name.text).map(|(id, _)| id).ok_or_else(|| {
        name.error(Code::UnknownName, "no such provider in the catalog")
            .allowed(list(sellers(catalog)))
            .did_you_mean(name.text, sellers(catalog))
    })
}

/// A provider that has something to rent. Of some the catalog knows only what a card costs somewhere.
pub(crate) fn seller(catalog: &Catalog, name: Written<'_>) -> Result<(), Diagnostic> {
    provider(catalog, name)?;
    if sellers(catalog).any(|seller| seller == name.text) {
        return Ok(());
    }
    Err(name
        .error(Code::UnknownName, "the catalog has no offer of this provider")
        .allowed(list(sellers(catalog))))
}

fn sellers(catalog: &Catalog) -> impl Iterator<Item = &str> {
    let sells = |at: usize| catalog.instances.iter().any(|i| usize::from(i.provider.0) == at);
    let providers = catalog.providers.iter().enumerate();
    providers.filter(move |(at, _)| sells(*at)).map(|(_, provider)| &*provider.name)
}

/// The regions of a provider (or of all): those with offers and those with a tariff. May repeat them.
fn regions(catalog: &Catalog, of: Option<ProviderId>) -> impl Iterator<Item = &str> {
    let sold_here = move |id| catalog.instance(id).is_some_and(|i| of.is_none_or(|of| of == i.provider));
    let offered = catalog.offers.iter().filter(move |o| sold_here(o.instance)).map(|o| &*o.listing.region);
    let providers = catalog.providers.iter().enumerate();
    let priced = providers
        .filter(move |(at, _)| of.is_none_or(|id| usize::from(id.0) == *at))
        .flat_map(|(_, p)| p.tariffs.iter().flat_map(|t| t.regions.iter().map(|r| &**r)));
    offered.chain(priced)
}

/// A region as `region` or `provider/region`; the provider where it was stated.
pub(crate) fn region(
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

/// The instance types that bear a name, as `name` or `provider/name`; none where nothing does.
pub(crate) fn find_instances<'c>(catalog: &'c Catalog, text: &str) -> Vec<&'c Instance> {
    let (of, text) = match text.split_once('/') {
        Some((before, after)) => match catalog.provider_named(before) {
            Some((id, _)) => (Some(id), after),
            None => return Vec::new(),
        },
        None => (None, text),
    };
    let here = |i: &&Instance| of.is_none_or(|id| id == i.provider) && *i.name == *text;
    catalog.instances.iter().filter(here).collect()
}

/// The same, never none: with what was most likely meant instead.
pub(crate) fn instances<'c>(
    catalog: &'c Catalog,
    name: Written<'_>,
) -> Result<Vec<&'c Instance>, Diagnostic> {
    let found = find_instances(catalog, name.text);
    if !found.is_empty() {
        return Ok(found);
    }
    let (of, text) = match name.text.split_once('/') {
        Some((before, after)) => (Some(provider(catalog, Written { text: before, ..name })?), after),
        None => (None, name.text),
    };
    let whose = of.and_then(|id| catalog.provider(id)).map_or(String::new(), |p| format!(" of {}", p.name));
    let known = catalog.instances.iter().filter(|i| of.is_none_or(|id| id == i.provider)).map(|i| &*i.name);
    Err(name
        .error(Code::UnknownName, &format!("no such instance type{whose} in the catalog"))
        .did_you_mean(text, known))
}

/// An accelerator by any of its spellings; an ambiguous one with a warning that states its meaning.
pub(crate) fn accelerator(
    catalog: &Catalog,
    name: Written<'_>,
) -> Result<(AcceleratorId, Option<Diagnostic>), Diagnostic> {
    card(catalog, name, catalog.accelerators.find(name.text), None)
}

/// The same with a count, where there is one: `8xA100-80GB`, `T4:4`.
pub(crate) fn accelerators(
    catalog: &Catalog,
    name: Written<'_>,
) -> Result<(AcceleratorId, Option<f64>, Option<Diagnostic>), Diagnostic> {
    let (found, count) = catalog.accelerators.parse_gpu(name.text);
    card(catalog, name, found, count).map(|(id, warning)| (id, count, warning))
}

fn card(
    catalog: &Catalog,
    name: Written<'_>,
    found: Found,
    count: Option<f64>,
) -> Result<(AcceleratorId, Option<Diagnostic>), Diagnostic> {
    // A hint has the count where the text has it, so that it can be typed as it stands.
    let ahead = name.text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let spelling = |id: &AcceleratorId| {
        let card = catalog.accelerators.name(*id);
        match count {
            None => format!("`{card}`"),
            Some(n) if ahead => format!("`{n}x{card}`"),
            Some(n) => format!("`{card}:{n}`"),
        }
    };
    match found {
        Found::Card(id) => Ok((id, None)),
        Found::Ambiguous { id, meaning, others: _ } => {
            let warning =
                Diagnostic { severity: Severity::Warning, ..name.error(Code::AmbiguousName, &meaning) };
            Ok((id, Some(warning.hint(format!("write {} if that is meant", spelling(&id))))))
        }
        Found::Unknown { near } => {
            let error = name.error(Code::UnknownName, "no such accelerator in the catalog");
            let near: Vec<String> = near.iter().map(spelling).collect();
            let hint = (!near.is_empty())
                .then(|| format!("did you mean {}?", list(near.iter().map(String::as_str))));
            Err(Diagnostic { hint, ..error })
        }
    }
}
