//! The catalog as bytes for the binary. Names and provenances are stored once and referred to by number, so that
//! unpacking allocates each once, however many offers share it.

mod shared;
mod tables;

use super::offer::Tier;
use super::{
    Accelerators, Catalog, Confidence, ExchangeRates, Hazard, Instance, InstanceId, OfferGpu, Processor,
    ProviderId, TariffKind, TariffTier,
};
use crate::units::{self, Currency, Date, Money, PerHour};
use postcard::{Result, take_from_bytes, to_extend};
use serde::{Deserialize, Serialize};
use shared::Shared;
use tables::Tables;

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
    currencies: Vec<Currency>,
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
    memory: units::Bytes,
    gpu: Option<OfferGpu>,
    /// Its offers follow one another.
    offers: u16,
}

/// Region, zone, currency (by its number), on-demand, spot, provenance; and what few offers have.
#[derive(Serialize)]
struct PackedOffer(Ref, Ref, u8, Option<PerHour>, Option<PerHour>, Ref, Option<Rare>);

#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Rare {
    more_tiers: Vec<Tier>,
    terms: Option<PackedTerms>,
    hazard: Option<Hazard>,
    hazard_provenance: Ref,
    free: bool,
}

/// Month, sustained month, year, three years; provenance.
#[derive(PartialEq, Serialize, Deserialize)]
struct PackedTerms(Option<Money>, Option<Money>, Option<Money>, Option<Money>, Ref);

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
        currencies: tables.currencies,
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
    let (head, rest) = take_from_bytes::<Head<'_>>(bytes)?;
    let mut bytes = Bytes(rest);
    let shared = Shared::of(&head)?;
    let mut catalog = Catalog {
        providers: Vec::with_capacity(usize::from(head.providers)),
        instances: Vec::with_capacity(usize::try_from(head.instances).map_err(|_| BROKEN)?),
        offers: Vec::with_capacity(usize::try_from(head.offers).map_err(|_| BROKEN)?),
        ..Catalog::default()
    };
    for _ in 0..head.providers {
        catalog.providers.push(shared.provider(bytes.take()?)?);
    }
    for at in 0..head.instances {
        let packed = bytes.take::<PackedInstance>()?;
        catalog.instances.push(Instance {
            provider: packed.provider,
            name: shared.name(packed.name)?,
            vcpus: packed.vcpus,
            memory: packed.memory,
            gpu: packed.gpu,
        });
        for _ in 0..packed.offers {
            shared.offer(InstanceId(at), &head.currencies, &mut bytes, &mut catalog.offers)?;
        }
    }
    let rest = bytes.take::<Rest>()?;
    catalog.accelerators = rest.accelerators;
    catalog.processors = rest.processors;
    catalog.rates = rest.rates;
    Ok(catalog)
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<T: Deserialize<'a>>(&mut self) -> Result<T> {
        let (value, rest) = take_from_bytes(self.0)?;
        self.0 = rest;
        Ok(value)
    }
}

const FULL: postcard::Error = postcard::Error::SerializeBufferFull;
const BROKEN: postcard::Error = postcard::Error::DeserializeBadEncoding;
