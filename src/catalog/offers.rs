//! All offers of a catalog, packed: a row of bytes each, and what many share once. An [`Offer`] is looked up by its
//! position and costs nothing before.

mod row;

use super::Provenance;
use super::offer::{Hazard, InstanceId, Listing, Offer, OfferEntry, Steps, Terms, Tier, Tiers};
use crate::units::PerHour;
pub(super) use row::{ROW, TERMS};
use row::{Row, TermsRow};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Offers, ordered by instance type, region, zone.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    rows: Cow<'static, [[u8; ROW]]>,
    terms: Cow<'static, [[u8; TERMS]]>,
    shared: Shared,
    /// The instance types in their order, each with the position of its first offer.
    types: Vec<(InstanceId, u32)>,
}

/// What rows refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    pub(super) listings: Vec<Arc<Listing>>,
    pub(super) hazards: Vec<Hazard>,
    pub(super) tiers: Vec<Box<[Tier]>>,
    /// Of prices of whole terms.
    pub(super) provenances: Vec<Arc<Provenance>>,
}

impl Offers {
    /// Rows as they were packed, with what they refer to.
    pub(super) fn packed(rows: &'static [[u8; ROW]], terms: &'static [[u8; TERMS]], shared: Shared) -> Self {
        Self { rows: Cow::Borrowed(rows), terms: Cow::Borrowed(terms), shared, types: types(rows) }
    }

    /// Rows, rows of terms, and what they refer to.
    pub(super) fn parts(&self) -> (&[[u8; ROW]], &[[u8; TERMS]], &Shared) {
        (&self.rows, &self.terms, &self.shared)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The offer at a position.
    #[inline]
    pub fn get(&self, position: usize) -> Option<Offer<'_>> {
        self.read(self.rows.get(position)?)
    }

    /// The on-demand price of the first hour of the offer at a position.
    #[inline]
    pub fn on_demand(&self, position: usize) -> Option<PerHour> {
        Row::on_demand_of(self.rows.get(position)?)
    }

    /// The spot price of the offer at a position.
    #[inline]
    pub fn spot(&self, position: usize) -> Option<PerHour> {
        Row::spot_of(self.rows.get(position)?)
    }

    #[inline]
    fn read(&self, row: &[u8; ROW]) -> Option<Offer<'_>> {
        let row = Row::read(row);
        let tiers = numbered(row.tiers.into()).and_then(|at| self.shared.tiers.get(at));
        let terms = numbered(row.terms).and_then(|at| self.terms.get(at));
        Some(Offer {
            instance: InstanceId(row.instance),
            listing: self.shared.listings.get(usize::try_from(row.listing).ok()?)?,
            on_demand: Tiers(match (tiers, row.on_demand) {
                (Some(tiers), _) => Steps::Many(tiers),
                (None, Some(price)) => Steps::One(Tier { from_hours: 0.0, price }),
                (None, None) => Steps::None,
            }),
            spot: row.spot,
            hazard: numbered(row.hazard.into()).and_then(|at| self.shared.hazards.get(at)).copied(),
            free: row.free,
            terms: terms.map(|terms| (terms, self)),
        })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Offer<'_>> + Clone {
        // A row that refers to nothing cannot be made: none is left out.
        self.rows.iter().filter_map(|row| self.read(row))
    }

    /// The instance type of each, in order, and its listing by its position among all [`listings`](Self::listings).
    pub fn listed(&self) -> impl Iterator<Item = (InstanceId, usize)> + '_ {
        self.rows.iter().filter_map(|row| {
            let Row { instance, listing, .. } = Row::read(row);
            Some((InstanceId(instance), usize::try_from(listing).ok()?))
        })
    }

    /// All listings.
    pub fn listings(&self) -> &[Arc<Listing>] {
        &self.shared.listings
    }

    /// Positions of the offers of each instance type, in order.
    pub fn by_type(&self) -> impl Iterator<Item = (InstanceId, Range<usize>)> + '_ {
        (0..self.types.len()).filter_map(|at| Some((self.types.get(at)?.0, self.range(at))))
    }

    /// Positions of the offers of the instance type at a position among all types.
    fn range(&self, at: usize) -> Range<usize> {
        let start = |at: usize| usize::try_from(self.types.get(at)?.1).ok();
        start(at).unwrap_or(self.len())..start(at + 1).unwrap_or(self.len())
    }

    /// Positions of the offers of an instance type.
    pub fn of(&self, instance: InstanceId) -> Range<usize> {
        match self.types.binary_search_by_key(&instance, |(id, _)| *id) {
            Ok(at) => self.range(at),
            Err(_) => 0..0,
        }
    }

    /// Prices of whole terms.
    pub(super) fn terms_of(&self, row: &[u8; TERMS]) -> Terms {
        let row = TermsRow::read(row);
        let [month, sustained_month, year, three_years] = row.amounts();
        let provenance = numbered(row.provenance).and_then(|at| self.shared.provenances.get(at)).cloned();
        Terms { month, sustained_month, year, three_years, provenance }
    }

    /// Their provenance, where it is not that of the hourly prices.
    pub(super) fn term_provenance(&self, row: &[u8; TERMS]) -> Option<&Provenance> {
        let at = numbered(TermsRow::read(row).provenance)?;
        self.shared.provenances.get(at).map(|provenance| &**provenance)
    }
}

/// The instance types of some rows in their order, each with the position of its first one.
fn types(rows: &[[u8; ROW]]) -> Vec<(InstanceId, u32)> {
    let mut types: Vec<(InstanceId, u32)> = Vec::new();
    for (position, row) in (0..).zip(rows) {
        let instance = InstanceId(Row::instance_of(row));
        if types.last().is_none_or(|(last, _)| *last != instance) {
            types.push((instance, position));
        }
    }
    types
}

/// The position of a number that counts from 1; 0 is none.
#[inline]
fn numbered(number: u32) -> Option<usize> {
    usize::try_from(number.checked_sub(1)?).ok()
}

impl PartialEq for Offers {
    /// Whether they sell the same, however it is packed.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl FromIterator<OfferEntry> for Offers {
    /// Packs offers in the order in which they come.
    fn from_iter<I: IntoIterator<Item = OfferEntry>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut packer = Packer::default();
        packer.rows.reserve(entries.size_hint().0);
        for entry in entries {
            packer.add(&entry);
        }
        let Packer { rows, terms, shared, .. } = packer;
        let types = types(&rows);
        Self { rows: Cow::Owned(rows), terms: Cow::Owned(terms), shared, types }
    }
}

/// Offers while they are packed.
#[derive(Default)]
struct Packer {
    rows: Vec<[u8; ROW]>,
    terms: Vec<[u8; TERMS]>,
    shared: Shared,
    /// Positions of listings by where they are stored.
    known: BTreeMap<*const Listing, u32>,
}

/// So many of the last listings are compared with a new one: lists repeat them.
const RECENT: usize = 64;

impl Packer {
    fn add(&mut self, entry: &OfferEntry) {
        let OfferEntry { instance, listing, on_demand, spot, terms, hazard, free } = entry;
        let row = Row {
            instance: instance.0,
            listing: self.listing(listing),
            terms: terms.as_deref().map_or(0, |terms| self.terms(terms)),
            tiers: match &on_demand.0 {
                Steps::Many(tiers) => put(&mut self.shared.tiers, tiers),
                Steps::None | Steps::One(_) => 0,
            },
            hazard: hazard.map_or(0, |hazard| put(&mut self.shared.hazards, &hazard)),
            free: *free,
            on_demand: on_demand.first().map(|tier| tier.price),
            spot: *spot,
        };
        self.rows.push(row.bytes());
    }

    fn listing(&mut self, listing: &Arc<Listing>) -> u32 {
        let all = &mut self.shared.listings;
        *self.known.entry(Arc::as_ptr(listing)).or_insert_with(|| {
            let recent = all.len().saturating_sub(RECENT);
            let known = all.iter().skip(recent).position(|known| known == listing).map(|at| at + recent);
            let at = known.unwrap_or(all.len());
            if known.is_none() {
                all.push(Arc::clone(listing));
            }
            u32::try_from(at).unwrap_or(u32::MAX)
        })
    }

    fn terms(&mut self, terms: &Terms) -> u32 {
        let given = [terms.month, terms.sustained_month, terms.year, terms.three_years];
        // Who reads prices refuses those that do not fit.
        let prices = given.map(|price| i64::try_from(price?.nanos()).ok());
        let provenance = terms.provenance.as_ref().map_or(0, |provenance| {
            let all = &mut self.shared.provenances;
            let at = all.iter().rposition(|known| known == provenance).unwrap_or(all.len());
            if at == all.len() {
                all.push(Arc::clone(provenance));
            }
            u32::try_from(at + 1).unwrap_or(0)
        });
        self.terms.push(TermsRow { prices, provenance }.bytes());
        u32::try_from(self.terms.len()).unwrap_or(0)
    }
}

/// The number of a value in a list, where it is put if it is new; 0 where there is no room.
fn put<T: PartialEq + Clone>(all: &mut Vec<T>, value: &T) -> u16 {
    let at = all.iter().position(|known| known == value).unwrap_or(all.len());
    let number = u16::try_from(at + 1).unwrap_or(0);
    if at == all.len() && number != 0 {
        all.push(value.clone());
    }
    number
}
