//! The catalog as bytes for the binary. Names and provenances are stored once and referred to by number, so that
//! unpacking allocates each once, however many offers share it.

use super::offer::Tier;
use super::{
    Accelerators, Billing, CardPrice, Catalog, Confidence, ExchangeRates, Hazard, Instance, InstanceId, Name, Offer,
    OfferGpu, Processor, Provenance, Provider, ProviderId, Tariff, TariffKind, TariffTier, TermRatio,
};
use crate::units::{Bytes, Currency, Date, Money, PerHour};
use postcard::{Result, take_from_bytes, to_extend};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of a name or of a provenance; 0 is none.
type Ref = u16;

/// What comes first: everything that the rest refers to.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    /// All names, one after the other.
    #[serde(borrow)]
    names: &'a str,
    /// Their lengths in bytes.
    lengths: Vec<u16>,
    provenances: Vec<(Ref, Option<Date>, Confidence)>,
    providers: u16,
    instances: u32,
    offers: u32,
}

#[derive(Serialize, Deserialize)]
struct PackedBilling(u32, u32, Option<u32>, Option<u32>, Ref, Ref);

#[derive(Serialize, Deserialize)]
struct PackedTariff {
    kind: TariffKind,
    regions: Vec<Ref>,
    product: Ref,
    currency: Currency,
    tiers: Vec<TariffTier>,
    note: Ref,
    provenance: Ref,
}

#[derive(Serialize, Deserialize)]
struct PackedCardPrice(Ref, f64, Ref, Ref, PerHour, Ref);

#[derive(Serialize, Deserialize)]
struct PackedRatio(Ref, Option<f64>, Option<f64>, Option<f64>, Ref, Ref);

#[derive(Serialize, Deserialize)]
struct PackedProvider {
    name: Ref,
    currency: Currency,
    on_demand: Option<PackedBilling>,
    spot: Option<PackedBilling>,
    tariffs: Vec<PackedTariff>,
    card_prices: Vec<PackedCardPrice>,
    ratios: Vec<PackedRatio>,
    as_of: Option<Date>,
}

#[derive(Serialize, Deserialize)]
struct PackedInstance {
    provider: ProviderId,
    name: Ref,
    vcpus: f64,
    memory: Bytes,
    gpu: Option<OfferGpu>,
    /// Its offers follow one another.
    offers: u16,
}

#[derive(Serialize, Deserialize)]
struct PackedOffer {
    region: Ref,
    zone: Ref,
    currency: Currency,
    on_demand: Option<PerHour>,
    more_tiers: Vec<Tier>,
    spot: Option<PerHour>,
    terms: Option<(Option<Money>, Option<Money>, Option<Money>, Option<Money>)>,
    hazard: Option<Hazard>,
    free: bool,
    provenance: Ref,
    term_provenance: Ref,
    hazard_provenance: Ref,
}

/// What is small enough to be stored as it is.
#[derive(Serialize, Deserialize)]
struct Rest {
    accelerators: Accelerators,
    processors: Vec<Processor>,
    rates: ExchangeRates,
}

/// Packs a catalog. Fails where it has more names than fit.
pub fn pack(catalog: &Catalog) -> Result<Vec<u8>> {
    let mut tables = Tables::default();
    let mut body = Vec::new();
    for provider in &catalog.providers {
        body = to_extend(&tables.provider(provider)?, body)?;
    }
    let mut offers = catalog.offers.iter().peekable();
    for (at, instance) in (0u32..).zip(&catalog.instances) {
        let mut of_type = Vec::new();
        while let Some(offer) = offers.next_if(|offer| offer.instance == InstanceId(at)) {
            of_type.push(tables.offer(offer)?);
        }
        let packed = PackedInstance {
            provider: instance.provider,
            name: tables.name(&instance.name)?,
            vcpus: instance.vcpus,
            memory: instance.memory,
            gpu: instance.gpu,
            offers: u16::try_from(of_type.len()).map_err(|_| FULL)?,
        };
        body = to_extend(&packed, body)?;
        for offer in of_type {
            body = to_extend(&offer, body)?;
        }
    }
    let rest = Rest {
        accelerators: catalog.accelerators.clone(),
        processors: catalog.processors.clone(),
        rates: catalog.rates.clone(),
    };
    body = to_extend(&rest, body)?;
    let lengths: std::result::Result<Vec<u16>, _> =
        tables.names.iter().map(|name| u16::try_from(name.len())).collect();
    let head = Head {
        names: &tables.names.concat(),
        lengths: lengths.map_err(|_| FULL)?,
        provenances: tables.provenances,
        providers: u16::try_from(catalog.providers.len()).map_err(|_| FULL)?,
        instances: u32::try_from(catalog.instances.len()).map_err(|_| FULL)?,
        offers: u32::try_from(catalog.offers.len()).map_err(|_| FULL)?,
    };
    let mut packed = to_extend(&head, Vec::new())?;
    packed.append(&mut body);
    Ok(packed)
}

/// Unpacks what [`pack`] made.
pub fn unpack(bytes: &[u8]) -> Result<Catalog> {
    let (head, mut bytes) = take_from_bytes::<Head<'_>>(bytes)?;
    let shared = Shared::of(&head)?;
    let mut catalog = Catalog {
        providers: Vec::with_capacity(usize::from(head.providers)),
        instances: Vec::with_capacity(usize::try_from(head.instances).map_err(|_| BROKEN)?),
        offers: Vec::with_capacity(usize::try_from(head.offers).map_err(|_| BROKEN)?),
        ..Catalog::default()
    };
    for _ in 0..head.providers {
        let (provider, left) = take_from_bytes::<PackedProvider>(bytes)?;
        bytes = left;
        catalog.providers.push(shared.provider(provider)?);
    }
    for at in 0..head.instances {
        let (packed, left) = take_from_bytes::<PackedInstance>(bytes)?;
        bytes = left;
        catalog.instances.push(Instance {
            provider: packed.provider,
            name: shared.name(packed.name)?,
            vcpus: packed.vcpus,
            memory: packed.memory,
            gpu: packed.gpu,
        });
        for _ in 0..packed.offers {
            let (offer, left) = take_from_bytes::<PackedOffer>(bytes)?;
            bytes = left;
            catalog.offers.push(shared.offer(InstanceId(at), offer)?);
        }
    }
    let (rest, _) = take_from_bytes::<Rest>(bytes)?;
    catalog.accelerators = rest.accelerators;
    catalog.processors = rest.processors;
    catalog.rates = rest.rates;
    Ok(catalog)
}

const FULL: postcard::Error = postcard::Error::SerializeBufferFull;
const BROKEN: postcard::Error = postcard::Error::DeserializeBadEncoding;

/// Names and provenances while packing.
#[derive(Default)]
struct Tables {
    names: Vec<Name>,
    numbers: BTreeMap<Name, Ref>,
    provenances: Vec<(Ref, Option<Date>, Confidence)>,
}

impl Tables {
    fn name(&mut self, name: &Name) -> Result<Ref> {
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

    fn provenance(&mut self, provenance: &Provenance) -> Result<Ref> {
        let entry = (self.name(&provenance.source)?, provenance.as_of, provenance.confidence);
        let at = match self.provenances.iter().position(|p| *p == entry) {
            Some(at) => at,
            None => {
                self.provenances.push(entry);
                self.provenances.len() - 1
            }
        };
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

    fn provider(&mut self, provider: &Provider) -> Result<PackedProvider> {
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

    fn offer(&mut self, offer: &Offer) -> Result<PackedOffer> {
        let terms = (offer.month, offer.sustained_month, offer.year, offer.three_years);
        Ok(PackedOffer {
            region: self.name(&offer.region)?,
            zone: self.maybe_name(offer.zone.as_ref())?,
            currency: offer.currency,
            on_demand: offer.on_demand_price(),
            more_tiers: offer.on_demand.iter().skip(1).copied().collect(),
            spot: offer.spot,
            terms: (terms != (None, None, None, None)).then_some(terms),
            hazard: offer.hazard.clone(),
            free: offer.free,
            provenance: self.provenance(&offer.provenance)?,
            term_provenance: self.maybe_provenance(offer.term_provenance.as_ref())?,
            hazard_provenance: self.maybe_provenance(offer.hazard_provenance.as_ref())?,
        })
    }
}

/// Names and provenances while unpacking.
struct Shared {
    names: Vec<Name>,
    provenances: Vec<Provenance>,
}

impl Shared {
    fn of(head: &Head<'_>) -> Result<Self> {
        let mut names = Vec::with_capacity(head.lengths.len());
        let mut rest = head.names;
        for length in &head.lengths {
            let (name, tail) = rest.split_at_checked(usize::from(*length)).ok_or(BROKEN)?;
            names.push(Name::from(name));
            rest = tail;
        }
        let mut shared = Self { names, provenances: Vec::with_capacity(head.provenances.len()) };
        for (source, as_of, confidence) in &head.provenances {
            let source = shared.name(*source)?;
            shared.provenances.push(Provenance { source, as_of: *as_of, confidence: *confidence });
        }
        Ok(shared)
    }

    fn name(&self, number: Ref) -> Result<Name> {
        usize::from(number).checked_sub(1).and_then(|at| self.names.get(at)).cloned().ok_or(BROKEN)
    }

    fn maybe_name(&self, number: Ref) -> Result<Option<Name>> {
        if number == 0 { Ok(None) } else { self.name(number).map(Some) }
    }

    fn provenance(&self, number: Ref) -> Result<Provenance> {
        usize::from(number).checked_sub(1).and_then(|at| self.provenances.get(at)).cloned().ok_or(BROKEN)
    }

    fn maybe_provenance(&self, number: Ref) -> Result<Option<Provenance>> {
        if number == 0 { Ok(None) } else { self.provenance(number).map(Some) }
    }

    fn billing(&self, packed: Option<PackedBilling>) -> Result<Option<Billing>> {
        let Some(PackedBilling(granularity_secs, minimum_secs, notice_secs, protection_secs, note, provenance)) =
            packed
        else {
            return Ok(None);
        };
        Ok(Some(Billing {
            granularity_secs,
            minimum_secs,
            notice_secs,
            protection_secs,
            note: self.name(note)?,
            provenance: self.provenance(provenance)?,
        }))
    }

    fn provider(&self, packed: PackedProvider) -> Result<Provider> {
        Ok(Provider {
            name: self.name(packed.name)?,
            currency: packed.currency,
            on_demand: self.billing(packed.on_demand)?,
            spot: self.billing(packed.spot)?,
            tariffs: packed.tariffs.into_iter().map(|tariff| self.tariff(tariff)).collect::<Result<_>>()?,
            card_prices: packed.card_prices.into_iter().map(|c| self.card_price(&c)).collect::<Result<_>>()?,
            term_ratios: packed.ratios.into_iter().map(|ratio| self.ratio(&ratio)).collect::<Result<_>>()?,
            as_of: packed.as_of,
        })
    }

    fn tariff(&self, packed: PackedTariff) -> Result<Tariff> {
        Ok(Tariff {
            kind: packed.kind,
            regions: packed.regions.into_iter().map(|region| self.name(region)).collect::<Result<_>>()?,
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

    fn offer(&self, instance: InstanceId, packed: PackedOffer) -> Result<Offer> {
        let first = packed.on_demand.map(|price| Tier { from_hours: 0.0, price });
        let (month, sustained_month, year, three_years) = packed.terms.unwrap_or_default();
        let mut on_demand = Vec::with_capacity(usize::from(first.is_some()) + packed.more_tiers.len());
        on_demand.extend(first);
        on_demand.extend(packed.more_tiers);
        Ok(Offer {
            instance,
            region: self.name(packed.region)?,
            zone: self.maybe_name(packed.zone)?,
            currency: packed.currency,
            on_demand,
            spot: packed.spot,
            month,
            sustained_month,
            year,
            three_years,
            hazard: packed.hazard,
            free: packed.free,
            provenance: self.provenance(packed.provenance)?,
            term_provenance: self.maybe_provenance(packed.term_provenance)?,
            hazard_provenance: self.maybe_provenance(packed.hazard_provenance)?,
        })
    }
}
