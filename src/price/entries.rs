//! What holds for each offer of a catalog, kept once for all offers of which the same holds.

use crate::decide::Reason;

/// What holds for one offer.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Position of its place in [`Book::places`](super::Book::places).
    pub place: usize,
    /// Discount × exchange rate.
    pub factor: f64,
    /// Why it may not be rented, if so.
    pub closed: Option<Reason>,
}

/// The entries of all offers, by their positions in the catalog.
#[derive(Debug)]
pub struct Entries {
    /// All that differ; behind each one the same for an offer that the job does not admit.
    different: Vec<Entry>,
    /// By the position of an offer, that of its entry among those.
    of: Vec<u32>,
}

/// The number of an entry, whether the job admits the offer or not.
#[derive(Debug, Clone, Copy)]
pub struct Number(u32);

impl Entries {
    /// None yet, with room for those of so many offers.
    pub fn with_room(offers: usize) -> Self {
        Self { different: Vec::new(), of: Vec::with_capacity(offers) }
    }

    /// What holds for some offers that the job admits.
    pub fn describe(&mut self, entry: Entry) -> Number {
        // There are fewer than offers, and fewer of those than that holds.
        let number = Number(u32::try_from(self.different.len()).unwrap_or(u32::MAX));
        self.different.extend([entry, Entry { closed: Some(Reason::NotAllowed), ..entry }]);
        number
    }

    /// Adds the next offer of the catalog.
    pub fn add(&mut self, number: Number, admitted: bool) {
        self.of.push(number.0 + u32::from(!admitted));
    }

    /// What holds for the offer at a position.
    pub fn get(&self, offer: usize) -> Option<&Entry> {
        self.different.get(usize::try_from(*self.of.get(offer)?).ok()?)
    }
}
