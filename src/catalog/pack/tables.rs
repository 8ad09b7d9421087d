//! Packing: names and provenances get their numbers.

use super::{
    FULL, PackedBilling, PackedCardPrice, PackedListing, PackedProvider, PackedRatio, PackedTariff, Ref,
};
use crate::catalog::{
    Billing, CardPrice, Confidence, Listing, Name, Provenance, Provider, Tariff, TermRatio,
};
use crate::units::Date;
use postcard::Result;
use std::collections::BTreeMap;

/// Names and provenances while packing.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) names: Vec<Name>,
    numbers: BTreeMap<Name, Ref>,
    pub(super) provenances: Vec<(Ref, Option<Date>, Confidence)>,
}

impl Tables {
    pub(super) fn name(&mut self, name: &Name) -> Result<Ref> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        self.names.push(name.clone());
        let number = Ref::try_from(self.names.len()).map_err(|_| FULL)?;
        self.numbers.insert(name.clone(), number);
        Ok(number)
    }

    fn maybe_name(&mut self, name: Option<&Name>) -> Result<Ref> {
        name.map_or(Ok(0), |name| self.name(name))
    }

    pub(super) fn provenance(&mut self, provenance: &Provenance) -> Result<Ref> {
        let entry = (self.name(&provenance.source)?, provenance.as_of, provenance.confidence);
        let known = self.provenances.iter().position(|p| *p == entry);
        let at = known.unwrap_or(self.provenances.len());
        if known.is_none() {
            self.provenances.push(entry);
        }
        Ref::try_from(at + 1).map_err(|_| FULL)
    }

    fn maybe_provenance(&mut self, provenance: Option<&Provenance>) -> Result<Ref> {
        provenance.map_or(Ok(0), |provenance| self.provenance(provenance))
    }

    fn billing(&mut self, billing: Option<&Billing>) -> Result<Option<PackedBilling>> {
        let Some(b) = billing else { return Ok(None) };
        let (note, provenance) = (self.name(&b.note)?, self.provenance(&b.provenance)?);
        let packed = PackedBilling(
            b.granularity_secs,
            b.minimum_secs,
            b.notice_secs,
            b.protection_secs,
            note,
            provenance,
        );
        Ok(Some(packed))
    }

    pub(super) fn provider(&mut self, provider: &Provider) -> Result<PackedProvider> {
        Ok(PackedProvider {
            name: self.name(&provider.name)?,
            currency: provider.currency,
            on_demand: self.billing(provider.on_demand.as_ref())?,
            spot: self.billing(provider.spot.as_ref())?,
            tariffs: provider.tariffs.iter().map(|tariff| self.tariff(tariff)).collect::<Result<_>>()?,
            card_prices: provider.card_prices.iter().map(|c| self.card_price(c)).collect::<Result<_>>()?,
            ratios: provider.term_ratios.iter().map(|ratio| self.ratio(ratio)).collect::<Result<_>>()?,
            as_of: provider.as_of,
        })
    }

    fn tariff(&mut self, tariff: &Tariff) -> Result<PackedTariff> {
        Ok(PackedTariff {
            kind: tariff.kind,
            regions: tariff.regions.iter().map(|region| self.name(region)).collect::<Result<_>>()?,
            product: self.maybe_name(tariff.product.as_ref())?,
            currency: tariff.currency,
            tiers: tariff.tiers.clone(),
            note: self.name(&tariff.note)?,
            provenance: self.provenance(&tariff.provenance)?,
        })
    }

    fn card_price(&mut self, card: &CardPrice) -> Result<PackedCardPrice> {
        let (gpu, kind, term) = (self.name(&card.gpu)?, self.name(&card.kind)?, self.name(&card.term)?);
        Ok(PackedCardPrice(gpu, card.count, kind, term, card.price, self.provenance(&card.provenance)?))
    }

    fn ratio(&mut self, ratio: &TermRatio) -> Result<PackedRatio> {
        let (scope, note) = (self.name(&ratio.scope)?, self.name(&ratio.note)?);
        let provenance = self.provenance(&ratio.provenance)?;
        Ok(PackedRatio(scope, ratio.month, ratio.year, ratio.three_years, note, provenance))
    }

    /// A listing.
    pub(super) fn listing(&mut self, listing: &Listing) -> Result<PackedListing> {
        Ok(PackedListing(
            self.name(&listing.region)?,
            self.maybe_name(listing.zone.as_ref())?,
            listing.currency,
            self.provenance(&listing.provenance)?,
            self.maybe_provenance(listing.hazard_provenance.as_deref())?,
        ))
    }
}
