//! The catalog as bytes for the binary. Names and provenances are stored once and referred to by number, however many
//! offers share them; names are not copied when the catalog is unpacked.

mod shared;
mod tables;

use super::offers::{ROW, TERMS};
use super::{
    Accelerators, Catalog, Confidence, ExchangeRates, Hazard, Instance, Kinds, OfferGpu, Offers, Processor,
    ProviderId, TariffKind, TariffTier, Tier,
};
use crate::units::{self, Currency, Date, PerHour};
use postcard::{Result, take_from_bytes, to_extend};
use serde::{Deserialize, Serialize};
use shared::Known;
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
    listings: Vec<PackedListing>,
    hazards: Vec<Hazard>,
    tiers: Vec<Box<[Tier]>>,
    /// Of prices of whole terms.
    term_provenances: Vec<Ref>,
    providers: u16,
    instances: u32,
    offers: u32,
    /// Offers that have prices of whole terms.
    terms: u32,
}

/// Region, zone, currency, provenance of the prices and of the interruption figures.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
struct PackedListing(Ref, Ref, Currency, Ref, Ref);

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
}

/// What is small enough to be stored as it is.
#[derive(Serialize, Deserialize)]
struct Rest {
    accelerators: Accelerators,
    processors: Vec<Processor>,
    rates: ExchangeRates,
    kinds: Kinds,
}

/// Packs a catalog. Fails where it has more names than fit.
pub fn pack(catalog: &Catalog) -> Result<Vec<u8>> {
    let mut tables = Tables::default();
    let mut body = Vec::new();
    for provider in &catalog.providers {
        body = to_extend(&tables.provider(provider)?, body)?;
    }
    for instance in &catalog.instances {
        let packed = PackedInstance {
            provider: instance.provider,
            name: tables.name(&instance.name)?,
            vcpus: instance.vcpus,
            memory: instance.memory,
            gpu: instance.gpu,
        };
        body = to_extend(&packed, body)?;
    }
    let (rows, terms, shared) = catalog.offers.parts();
    body.extend(rows.as_flattened());
    body.extend(terms.as_flattened());
    let rest = Rest {
        accelerators: catalog.accelerators.clone(),
        processors: catalog.processors.clone(),
        rates: catalog.rates.clone(),
        kinds: catalog.kinds.clone(),
    };
    body = to_extend(&rest, body)?;
    let listings = shared.listings.iter().map(|listing| tables.listing(listing)).collect::<Result<_>>()?;
    let term_provenances = shared.provenances.iter().map(|p| tables.provenance(p)).collect::<Result<_>>()?;
    let lengths: std::result::Result<Vec<u16>, _> =
        tables.names.iter().map(|name| u16::try_from(name.len())).collect();
    let head = Head {
        names: &tables.names.concat(),
        lengths: lengths.map_err(|_| FULL)?,
        provenances: tables.provenances,
        listings,
        hazards: shared.hazards.clone(),
        tiers: shared.tiers.clone(),
        term_provenances,
        providers: u16::try_from(catalog.providers.len()).map_err(|_| FULL)?,
        instances: u32::try_from(catalog.instances.len()).map_err(|_| FULL)?,
        offers: u32::try_from(catalog.offers.len()).map_err(|_| FULL)?,
        terms: u32::try_from(terms.len()).map_err(|_| FULL)?,
    };
    let mut packed = to_extend(&head, Vec::new())?;
    packed.append(&mut body);
    Ok(packed)
}

/// Unpacks what [`pack`] made.
pub fn unpack(bytes: &'static [u8]) -> Result<Catalog> {
    let (head, rest) = take_from_bytes::<Head<'static>>(bytes)?;
    let mut bytes = Bytes(rest);
    let known = Known::of(&head)?;
    let mut catalog = Catalog {
        providers: Vec::with_capacity(usize::from(head.providers)),
        instances: Vec::with_capacity(size(head.instances)?),
        ..Catalog::default()
    };
    for _ in 0..head.providers {
        catalog.providers.push(known.provider(bytes.take()?)?);
    }
    for _ in 0..head.instances {
        let packed = bytes.take::<PackedInstance>()?;
        catalog.instances.push(Instance {
            provider: packed.provider,
            name: known.name(packed.name)?,
            vcpus: packed.vcpus,
            memory: packed.memory,
            gpu: packed.gpu,
        });
    }
    let rows = bytes.rows::<ROW>(size(head.offers)?)?;
    let terms = bytes.rows::<TERMS>(size(head.terms)?)?;
    catalog.offers = Offers::packed(rows, terms, known.shared(head)?);
    let rest = bytes.take::<Rest>()?;
    catalog.accelerators = rest.accelerators;
    catalog.processors = rest.processors;
    catalog.rates = rest.rates;
    catalog.kinds = rest.kinds;
    Ok(catalog)
}

fn size(count: u32) -> Result<usize> {
    usize::try_from(count).map_err(|_| BROKEN)
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<T: Deserialize<'a>>(&mut self) -> Result<T> {
        let (value, rest) = take_from_bytes(self.0)?;
        self.0 = rest;
        Ok(value)
    }

    /// So many rows of a fixed width.
    fn rows<const N: usize>(&mut self, count: usize) -> Result<&'a [[u8; N]]> {
        let all = count.checked_mul(N).and_then(|length| self.0.split_at_checked(length));
        let (rows, rest) = all.ok_or(BROKEN)?;
        self.0 = rest;
        Ok(rows.as_chunks().0)
    }
}

const FULL: postcard::Error = postcard::Error::SerializeBufferFull;
const BROKEN: postcard::Error = postcard::Error::DeserializeBadEncoding;
