//! The regions in which something may be rented, with what it costs to move data between them and to keep it there.

use crate::catalog::{Catalog, InstanceId, Provider};
use crate::job::Location;
use crate::price::lots::Lot;
use crate::price::storage::Keeping;
use crate::price::transfer::{Exits, charge};
use crate::price::{Book, book};
use crate::units::{Bytes, Money};
use std::collections::BTreeSet;

/// The places of a book in which every region has a way of its own. A place is named by its position there.
pub(super) struct Places<'a> {
    catalog: &'a Catalog,
    book: &'a Book<'a>,
    /// For each place whether something may be rented there …
    open: Vec<bool>,
    /// … and what leaves it, and what keeping costs there.
    tariffs: Vec<Option<Tariffs<'a>>>,
}

#[derive(Clone, Copy)]
struct Tariffs<'a> {
    exits: Exits<'a>,
    keeping: Option<Keeping<'a>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(catalog: &'a Catalog, book: &'a Book<'a>) -> Self {
        let mut open = vec![false; book.places().len()];
        let entries = (0..catalog.offers.len()).filter_map(|offer| book.entry(offer));
        for entry in entries.filter(|entry| entry.closed.is_none()) {
            if let Some(open) = open.get_mut(entry.place) {
                *open = true;
            }
        }
        let tariffs = book.places().iter().map(|place| {
            let provider = book::provider(catalog, place)?;
            let exits = Exits::of(provider, &place.region);
            Some(Tariffs { exits, keeping: Keeping::of(provider, &place.region) })
        });
        let tariffs = tariffs.collect();
        Self { catalog, book, open, tariffs }
    }

    /// All places in which something may be rented.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.iter().enumerate().filter(|(_, open)| **open).map(|(at, _)| at)
    }

    /// The place of an offer.
    pub(super) fn of(&self, offer: usize) -> Option<usize> {
        Some(self.book.entry(offer)?.place)
    }

    /// The places in which an instance type may be rented.
    pub(super) fn selling(&self, instance: InstanceId) -> BTreeSet<usize> {
        let open = self.book.lots(instance).iter().map(Lot::traits).filter(|traits| traits.closed.is_none());
        open.map(|traits| traits.way).collect()
    }

    /// Whether the catalog has a price for keeping data there.
    pub(super) fn keeps(&self, at: usize) -> bool {
        self.tariffs(at).is_some_and(|t| t.keeping.is_some_and(|k| k.month(Bytes::ZERO, self.book).is_some()))
    }

    /// A month of keeping a size there; nothing where that is not priced, which the plan says.
    pub(super) fn month(&self, at: usize, size: Option<Bytes>) -> Money {
        let keeping = self.tariffs(at).and_then(|tariffs| tariffs.keeping);
        keeping.zip(size).and_then(|(keeping, size)| keeping.month(size, self.book)).unwrap_or_default()
    }

    /// Bringing a size from where the data is kept to a place, and an output back; `None` without a price.
    pub(super) fn moving(
        &self,
        home: usize,
        at: usize,
        size: Option<Bytes>,
        output: Option<Bytes>,
    ) -> Option<Money> {
        if home == at {
            return Some(Money::ZERO);
        }
        let (here, there) = (self.book.places().get(home)?, self.book.places().get(at)?);
        let same = here.provider == there.provider;
        let into = charge(self.tariffs(home)?.exits.to(&there.region, same), size, self.book)?;
        let out = charge(self.tariffs(at)?.exits.to(&here.region, same), output, self.book)?;
        Some(into + out)
    }

    /// The least that bringing a size to any other place costs; `None` where no way has a price.
    pub(super) fn least_into(&self, home: usize, size: Option<Bytes>) -> Option<Money> {
        match size {
            None | Some(Bytes::ZERO) => Some(Money::ZERO),
            size => self.tariffs(home)?.exits.least(size, self.book),
        }
    }

    /// Provider and region.
    pub(super) fn location(&self, at: usize) -> Option<Location> {
        let place = self.book.places().get(at)?;
        let provider: &Provider = book::provider(self.catalog, place)?;
        Some(Location { provider: provider.name.to_string(), region: place.region.to_string() })
    }

    fn tariffs(&self, at: usize) -> Option<Tariffs<'a>> {
        self.tariffs.get(at).copied().flatten()
    }
}
