//! What every offer has, as rows of a fixed width: there are thousands, and they are read at each start.

use super::Ref;
use crate::units::{Money, PerHour};

/// What every offer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfferRow {
    /// Position of its listing.
    pub(super) listing: Ref,
    /// Number of its hazard; 0 is none.
    pub(super) hazard: u8,
    pub(super) free: bool,
    /// Whether it has a row of terms.
    pub(super) terms: bool,
    /// Whether further tiers follow the rows.
    pub(super) tiers: bool,
    pub(super) on_demand: Option<PerHour>,
    pub(super) spot: Option<PerHour>,
}

/// Prices of whole terms, in billionths: month, sustained month, year, three years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TermsRow {
    pub(super) prices: [Option<i64>; 4],
    pub(super) provenance: Ref,
}

/// Bytes of an [`OfferRow`].
pub(super) const OFFER: usize = 20;
/// Bytes of a [`TermsRow`].
pub(super) const TERMS: usize = 34;

/// A price that is none.
const NONE: i64 = i64::MIN;

const FREE: u8 = 1;
const HAS_TERMS: u8 = 2;
const HAS_TIERS: u8 = 4;

impl OfferRow {
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.listing.to_le_bytes());
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.free, FREE) | flag(self.terms, HAS_TERMS) | flag(self.tiers, HAS_TIERS);
        to.extend([self.hazard, flags]);
        for price in [self.on_demand, self.spot] {
            to.extend(price.map_or(NONE, PerHour::nanos).to_le_bytes());
        }
    }

    pub(super) fn read(row: &[u8; OFFER]) -> Option<Self> {
        let mut rest = Fields(row);
        let listing = rest.number()?;
        let [hazard, flags] = rest.bytes()?;
        let (on_demand, spot) =
            (rest.price().map(PerHour::from_nanos), rest.price().map(PerHour::from_nanos));
        Some(Self {
            listing,
            hazard,
            free: flags & FREE != 0,
            terms: flags & HAS_TERMS != 0,
            tiers: flags & HAS_TIERS != 0,
            on_demand,
            spot,
        })
    }
}

impl TermsRow {
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        for price in self.prices {
            to.extend(price.unwrap_or(NONE).to_le_bytes());
        }
        to.extend(self.provenance.to_le_bytes());
    }

    pub(super) fn read(row: &[u8; TERMS]) -> Option<Self> {
        let mut rest = Fields(row);
        let prices = [rest.price(), rest.price(), rest.price(), rest.price()];
        Some(Self { prices, provenance: rest.number()? })
    }

    /// The prices as amounts.
    pub(super) fn amounts(&self) -> [Option<Money>; 4] {
        self.prices.map(|price| Some(Money::from_nanos(i128::from(price?))))
    }
}

/// What is left of a row.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<Ref> {
        self.bytes().map(Ref::from_le_bytes)
    }

    fn price(&mut self) -> Option<i64> {
        let nanos = i64::from_le_bytes(self.bytes()?);
        (nanos != NONE).then_some(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_as_they_were_written() {
        for (free, terms, tiers) in [(false, false, false), (true, false, true), (false, true, false)] {
            let row = OfferRow {
                listing: 65_535,
                hazard: 7,
                free,
                terms,
                tiers,
                on_demand: Some(PerHour::from_nanos(1_234_567_890_123)),
                spot: None,
            };
            let mut bytes = Vec::new();
            row.write(&mut bytes);
            assert_eq!(OfferRow::read(bytes.as_slice().try_into().unwrap()), Some(row));
        }
        let row = TermsRow { prices: [Some(0), None, Some(-1), Some(i64::MAX)], provenance: 9 };
        let mut bytes = Vec::new();
        row.write(&mut bytes);
        assert_eq!(TermsRow::read(bytes.as_slice().try_into().unwrap()), Some(row));
    }
}
