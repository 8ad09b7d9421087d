//! Offers and their prices of whole terms as rows of bytes of a fixed width: there are thousands, which are read in place
//! at each start, and lists of millions.

use crate::units::{Money, PerHour};

/// What every offer has. Numbers count from 1; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// Number of its instance type, from 0.
    pub(super) instance: u32,
    /// Position of its listing.
    pub(super) listing: u32,
    /// Number of its row of terms.
    pub(super) terms: u32,
    /// Number of its tiers, where its price falls with the hours.
    pub(super) tiers: u16,
    /// Number of its hazard.
    pub(super) hazard: u16,
    pub(super) free: bool,
    pub(super) on_demand: Option<PerHour>,
    pub(super) spot: Option<PerHour>,
}

/// Prices of whole terms, in billionths: month, sustained month, year, three years.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TermsRow {
    pub(super) prices: [Option<i64>; 4],
    /// Number of their provenance, where it is not that of the hourly prices.
    pub(super) provenance: u32,
}

/// Bytes of a [`Row`].
pub(in crate::catalog) const ROW: usize = 33;
/// Bytes of a [`TermsRow`].
pub(in crate::catalog) const TERMS: usize = 36;

/// A price that is none.
const NONE: i64 = i64::MIN;

impl Row {
    pub(super) fn bytes(&self) -> [u8; ROW] {
        let price = |price: Option<PerHour>| price.map_or(NONE, PerHour::nanos).to_le_bytes();
        let mut row = [0; ROW];
        let fields: [&[u8]; 8] = [
            &self.instance.to_le_bytes(),
            &self.listing.to_le_bytes(),
            &self.terms.to_le_bytes(),
            &self.tiers.to_le_bytes(),
            &self.hazard.to_le_bytes(),
            &[u8::from(self.free)],
            &price(self.on_demand),
            &price(self.spot),
        ];
        fill(&mut row, &fields);
        row
    }

    #[inline]
    pub(super) fn read(row: &[u8; ROW]) -> Self {
        let (instance, rest) = number(row);
        let (listing, rest) = number(rest);
        let (terms, rest) = number(rest);
        let (tiers, rest) = short(rest);
        let (hazard, rest) = short(rest);
        let (free, rest) = rest.split_first().map_or((0, rest), |(free, rest)| (*free, rest));
        let (on_demand, rest) = price(rest);
        let (spot, _) = price(rest);
        Self {
            instance,
            listing,
            terms,
            tiers,
            hazard,
            free: free != 0,
            on_demand: on_demand.map(PerHour::from_nanos),
            spot: spot.map(PerHour::from_nanos),
        }
    }

    /// The on-demand price alone.
    #[inline]
    pub(super) fn on_demand_of(row: &[u8; ROW]) -> Option<PerHour> {
        let prices = row.last_chunk::<16>()?;
        price(prices).0.map(PerHour::from_nanos)
    }

    /// The spot price alone.
    #[inline]
    pub(super) fn spot_of(row: &[u8; ROW]) -> Option<PerHour> {
        price(row.last_chunk::<8>()?).0.map(PerHour::from_nanos)
    }

    /// The instance type alone.
    #[inline]
    pub(super) fn instance_of(row: &[u8; ROW]) -> u32 {
        number(row).0
    }
}

impl TermsRow {
    pub(super) fn bytes(&self) -> [u8; TERMS] {
        let [a, b, c, d] = self.prices.map(|price| price.unwrap_or(NONE).to_le_bytes());
        let mut row = [0; TERMS];
        fill(&mut row, &[&a, &b, &c, &d, &self.provenance.to_le_bytes()]);
        row
    }

    pub(super) fn read(row: &[u8; TERMS]) -> Self {
        let (month, rest) = price(row);
        let (sustained_month, rest) = price(rest);
        let (year, rest) = price(rest);
        let (three_years, rest) = price(rest);
        Self { prices: [month, sustained_month, year, three_years], provenance: number(rest).0 }
    }

    /// The prices as amounts.
    pub(super) fn amounts(&self) -> [Option<Money>; 4] {
        self.prices.map(|price| Some(Money::from_nanos(i128::from(price?))))
    }
}

fn fill(row: &mut [u8], fields: &[&[u8]]) {
    let bytes = fields.iter().flat_map(|field| field.iter());
    for (to, from) in row.iter_mut().zip(bytes) {
        *to = *from;
    }
}

#[inline]
fn first<const N: usize>(bytes: &[u8]) -> ([u8; N], &[u8]) {
    bytes.split_first_chunk::<N>().map_or(([0; N], bytes), |(first, rest)| (*first, rest))
}

#[inline]
fn number(bytes: &[u8]) -> (u32, &[u8]) {
    let (number, rest) = first(bytes);
    (u32::from_le_bytes(number), rest)
}

#[inline]
fn short(bytes: &[u8]) -> (u16, &[u8]) {
    let (number, rest) = first(bytes);
    (u16::from_le_bytes(number), rest)
}

#[inline]
fn price(bytes: &[u8]) -> (Option<i64>, &[u8]) {
    let (nanos, rest) = first(bytes);
    let nanos = i64::from_le_bytes(nanos);
    ((nanos != NONE).then_some(nanos), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_as_they_were_written() {
        for free in [false, true] {
            let row = Row {
                instance: 70_000,
                listing: u32::MAX,
                terms: 3,
                tiers: 258,
                hazard: 65_535,
                free,
                on_demand: Some(PerHour::from_nanos(1_234_567_890_123)),
                spot: free.then(|| PerHour::from_nanos(-2)),
            };
            assert_eq!(Row::read(&row.bytes()), row);
            assert_eq!(Row::instance_of(&row.bytes()), 70_000);
            assert_eq!(
                (Row::on_demand_of(&row.bytes()), Row::spot_of(&row.bytes())),
                (row.on_demand, row.spot)
            );
        }
        let row = TermsRow { prices: [Some(0), None, Some(-1), Some(i64::MAX)], provenance: 9 };
        assert_eq!(TermsRow::read(&row.bytes()), row);
    }
}
