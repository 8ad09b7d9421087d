//! Catalog files → [`Parts`]. Mistakes are collected with their places; what is right is kept beside them.

mod accelerator;
mod billing;
mod hazard;
mod instance;
mod memory;
mod offers_csv;
mod origin;
mod price;
mod provider;
mod sky_csv;
mod tariff;

use super::alias::{Aliases, Found};
use super::intern::Interner;
use super::parts::Parts;
use super::{AcceleratorId, Accelerators, Catalog, Listing, Name, Provenance};
use crate::diag::Diagnostics;
use crate::read::table::{Fields, parse};
use crate::read::{Located, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads catalog files, TOML or CSV by the ending of their names. Accelerators come first, so that any file may sell
/// cards that another describes; instance types that a file names without describing them are those of `known`.
pub(crate) fn import(sources: &[Source], known: &Catalog, diags: &mut Diagnostics) -> Parts {
    let (tables, lists): (Vec<_>, Vec<_>) =
        sources.iter().partition(|source| !source.name().ends_with(".csv"));
    let documents: Vec<_> = tables.into_iter().map(|source| (source, parse(source, diags))).collect();
    let mut files: Vec<Fields<'_>> =
        documents.iter().map(|(source, document)| Fields::root(source, document, "a catalog file")).collect();

    let mut parts = Parts::default();
    let mut names = Interner::default();
    let mut cards: Vec<_> = known.accelerators.iter().map(|(_, card)| card.clone()).collect();
    for file in &mut files {
        accelerator::cards(file, &mut cards, &mut names, diags);
        provider::rates(file, &mut parts.rates, &mut names, diags);
    }
    let accelerators = Accelerators::new(cards);
    let cards = CardFinder::new(&accelerators);
    let mut context = Context { known, names, provenance: None, listings: BTreeMap::new(), cards };
    for file in files {
        provider::provider(file, &mut parts, &mut context, diags);
    }
    for list in lists {
        let read = if sky_csv::is_one(list) { sky_csv::offers } else { offers_csv::offers };
        read(list, &mut parts, &mut context, diags);
    }
    drop(context);
    parts.accelerators = accelerators;
    parts
}

/// What reading a file needs from around it.
struct Context<'a> {
    known: &'a Catalog,
    names: Interner,
    /// That of the row before: lists repeat it.
    provenance: Option<Arc<Provenance>>,
    /// The last one of each place, by where its names are stored: rows of a list repeat them.
    listings: BTreeMap<(*const u8, Option<*const u8>), Arc<Listing>>,
    cards: CardFinder<'a>,
}

impl Context<'_> {
    fn name(&mut self, text: &str) -> Name {
        self.names.name(text)
    }

    /// The provenance as a shared one.
    fn provenance(&mut self, provenance: Provenance) -> Arc<Provenance> {
        match &self.provenance {
            Some(last) if **last == provenance => Arc::clone(last),
            _ => Arc::clone(self.provenance.insert(Arc::new(provenance))),
        }
    }
}

impl Context<'_> {
    /// The listing as a shared one.
    fn listing(&mut self, listing: Listing) -> Arc<Listing> {
        let at = |name: &Name| name.as_ptr();
        let key = (at(&listing.region), listing.zone.as_ref().map(at));
        match self.listings.get(&key) {
            Some(last) if **last == listing => Arc::clone(last),
            _ => {
                let new = Arc::new(listing);
                self.listings.insert(key, Arc::clone(&new));
                new
            }
        }
    }
}

/// Finds cards by their spellings and remembers what it found: price lists repeat few names many times.
struct CardFinder<'a> {
    table: &'a Accelerators,
    aliases: Aliases<'a>,
    found: BTreeMap<String, Found>,
}

impl<'a> CardFinder<'a> {
    fn new(table: &'a Accelerators) -> Self {
        Self { table, aliases: Aliases::new(table), found: BTreeMap::new() }
    }

    fn resolve(
        &mut self,
        key: &str,
        text: &Located<String>,
        diags: &mut Diagnostics,
    ) -> Option<AcceleratorId> {
        let found = self.find(&text.value).clone();
        self.table.report(key, text, &found, diags);
        found.id()
    }

    fn find(&mut self, text: &str) -> &Found {
        if !self.found.contains_key(text) {
            self.found.insert(text.to_owned(), self.aliases.find(text));
        }
        self.found.get(text).unwrap_or(&NOTHING)
    }
}

static NOTHING: Found = Found::Unknown { near: Vec::new() };
