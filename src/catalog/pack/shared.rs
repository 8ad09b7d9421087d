//! Unpacking: numbers become shared names and provenances again.

use super::{
    BROKEN, Head, PackedBilling, PackedCardPrice, PackedListing, PackedProvider, PackedRatio, PackedTariff,
    Ref,
};
use crate::catalog::offers::Shared;
use crate::catalog::{Billing, CardPrice, Listing, Name, Provenance, Provider, Tariff, TermRatio};
use postcard::Result;
use std::sync::Arc;

/// Names and provenances while unpacking.
pub(super) struct Known {
    names: Vec<&'static str>,
    provenances: Vec<Arc<Provenance>>,
}

impl Known {
    pub(super) fn of(head: &Head<'static>) -> Result<Self> {
        let mut names = Vec::with_capacity(head.lengths.len());
        let mut rest = head.names;
        for length in &head.lengths {
            let (name, tail) = rest.split_at_checked(usize::from(*length)).ok_or(BROKEN)?;
            names.push(name);
            rest = tail;
        }
        let mut shared = Self { names, provenances: Vec::with_capacity(head.provenances.len()) };
        for (source, as_of, confidence) in &head.provenances {
            let source = shared.name(*source)?;
            let provenance = Provenance { source, as_of: *as_of, confidence: *confidence };
            shared.provenances.push(Arc::new(provenance));
        }
        Ok(shared)
    }

    pub(super) fn name(&self, number: Ref) -> Result<Name> {
        usize::from(number)
            .checked_sub(1)
            .and_then(|at| self.names.get(at))
            .copied()
            .map(Name::embedded)
            .ok_or(BROKEN)
    }

    fn maybe_name(&self, number: Ref) -> Result<Option<Name>> {
        if number == 0 { Ok(None) } else { self.name(number).map(Some) }
    }

    fn provenance(&self, number: Ref) -> Result<Provenance> {
        self.shared_provenance(number).map(|provenance| Provenance::clone(provenance))
    }

    fn shared_provenance(&self, number: Ref) -> Result<&Arc<Provenance>> {
        usize::from(number).checked_sub(1).and_then(|at| self.provenances.get(at)).ok_or(BROKEN)
    }

    fn maybe_provenance(&self, number: Ref) -> Result<Option<Arc<Provenance>>> {
        if number == 0 { Ok(None) } else { self.shared_provenance(number).cloned().map(Some) }
    }

    fn billing(&self, packed: Option<&PackedBilling>) -> Result<Option<Billing>> {
        let Some(PackedBilling(granularity, minimum, notice, protection, note, provenance)) = packed else {
            return Ok(None);
        };
        Ok(Some(Billing {
            granularity_secs: *granularity,
            minimum_secs: *minimum,
            notice_secs: *notice,
            protection_secs: *protection,
            note: self.name(*note)?,
            provenance: self.provenance(*provenance)?,
        }))
    }

    pub(super) fn provider(&self, packed: PackedProvider) -> Result<Provider> {
        Ok(Provider {
            name: self.name(packed.name)?,
            currency: packed.currency,
            on_demand: self.billing(packed.on_demand.as_ref())?,
            spot: self.billing(packed.spot.as_ref())?,
            tariffs: all(packed.tariffs, |tariff| self.tariff(tariff))?,
            card_prices: all(packed.card_prices, |price| self.card_price(&price))?,
            term_ratios: all(packed.ratios, |ratio| self.ratio(&ratio))?,
            as_of: packed.as_of,
        })
    }

    fn tariff(&self, packed: PackedTariff) -> Result<Tariff> {
        Ok(Tariff {
            kind: packed.kind,
            regions: all(packed.regions, |region| self.name(region))?,
            product: self.maybe_name(packed.product)?,
            currency: packed.currency,
            tiers: packed.tiers,
            note: self.name(packed.note)?,
            provenance: self.provenance(packed.provenance)?,
        })
    }

    fn card_price(&self, packed: &PackedCardPrice) -> Result<CardPrice> {
        let PackedCardPrice(gpu, count, kind, term, price, provenance) = *packed;
        Ok(CardPrice {
            gpu: self.name(gpu)?,
            count,
            kind: self.name(kind)?,
            term: self.name(term)?,
            price,
            provenance: self.provenance(provenance)?,
        })
    }

    fn ratio(&self, packed: &PackedRatio) -> Result<TermRatio> {
        let PackedRatio(scope, month, year, three_years, note, provenance) = *packed;
        Ok(TermRatio {
            scope: self.name(scope)?,
            month,
            year,
            three_years,
            note: self.name(note)?,
            provenance: self.provenance(provenance)?,
        })
    }

    /// What the rows of offers refer to.
    pub(super) fn shared(&self, head: Head<'_>) -> Result<Shared> {
        let listing = |packed: &PackedListing| {
            let PackedListing(region, zone, currency, provenance, hazard_provenance) = *packed;
            Ok(Arc::new(Listing {
                region: self.name(region)?,
                zone: self.maybe_name(zone)?,
                currency,
                provenance: Arc::clone(self.shared_provenance(provenance)?),
                hazard_provenance: self.maybe_provenance(hazard_provenance)?,
            }))
        };
        let provenance = |number: &Ref| self.shared_provenance(*number).cloned();
        Ok(Shared {
            listings: all(&head.listings, listing)?,
            provenances: all(&head.term_provenances, provenance)?,
            hazards: head.hazards,
            tiers: head.tiers,
        })
    }
}

/// What is made of all items, if of each. How many there are is known before, so that nothing is moved meanwhile.
fn all<I: IntoIterator<IntoIter: ExactSizeIterator>, T>(
    items: I,
    make: impl Fn(I::Item) -> Result<T>,
) -> Result<Vec<T>> {
    let items = items.into_iter();
    let mut list = Vec::with_capacity(items.len());
    for item in items {
        list.push(make(item)?);
    }
    Ok(list)
}
