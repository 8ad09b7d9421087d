//! The catalog as bytes for the binary. Names and provenances are stored once and referred to by number, so that
//! unpacking allocates each once, however many offers share it.

mod rows;
mod shared;
mod tables;

use super::{
    Accelerators, Catalog, Confidence, ExchangeRates, Hazard, Instance, InstanceId, OfferGpu, Processor,
    ProviderId, TariffKind, TariffTier,
};
use crate::units::{self, Currency, Date, PerHour};
use postcard::{Result, take_from_bytes, to_extend};
use rows::{OfferRow, TermsRow};
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
    hazards: Vec<Hazard>,
    listings: Vec<PackedListing>,
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
    /// Its offers follow one another.
    offers: u16,
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
    let (mut rows, mut terms, mut tiers) = (Vec::new(), Vec::new(), Vec::new());
    let mut offers = catalog.offers.iter().peekable();
    for (at, instance) in (0u32..).zip(&catalog.instances) {
        let mut of_type = 0;
        while let Some(offer) = offers.next_if(|offer| offer.instance == InstanceId(at)) {
            of_type += 1;
            tables.offer(offer)?.write(&mut rows);
            if let Some(prices) = offer.terms.as_deref() {
                tables.terms(prices)?.write(&mut terms);
            }
            if let [_, more @ ..] = &*offer.on_demand
                && !more.is_empty()
            {
                tiers = to_extend(more, tiers)?;
            }
        }
        let packed = PackedInstance {
            provider: instance.provider,
            name: tables.name(&instance.name)?,
            vcpus: instance.vcpus,
            memory: instance.memory,
            gpu: instance.gpu,
            offers: of_type,
        };
        body = to_extend(&packed, body)?;
    }
    let terms_rows = terms.len() / rows::TERMS;
    body.extend(rows);
    body.extend(terms);
    body.extend(tiers);
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
        hazards: tables.hazards,
        listings: tables.listings,
        providers: u16::try_from(catalog.providers.len()).map_err(|_| FULL)?,
        instances: u32::try_from(catalog.instances.len()).map_err(|_| FULL)?,
        offers: u32::try_from(catalog.offers.len()).map_err(|_| FULL)?,
        terms: u32::try_from(terms_rows).map_err(|_| FULL)?,
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
        instances: Vec::with_capacity(size(head.instances)?),
        offers: Vec::with_capacity(size(head.offers)?),
        ..Catalog::default()
    };
    for _ in 0..head.providers {
        catalog.providers.push(shared.provider(bytes.take()?)?);
    }
    let mut counts = Vec::with_capacity(size(head.instances)?);
    for _ in 0..head.instances {
        let packed = bytes.take::<PackedInstance>()?;
        counts.push(packed.offers);
        catalog.instances.push(Instance {
            provider: packed.provider,
            name: shared.name(packed.name)?,
            vcpus: packed.vcpus,
            memory: packed.memory,
            gpu: packed.gpu,
        });
    }
    let mut rows = bytes.rows::<{ rows::OFFER }>(size(head.offers)?)?.iter();
    let mut terms = bytes.rows::<{ rows::TERMS }>(size(head.terms)?)?.iter();
    for (at, count) in (0..head.instances).zip(counts) {
        for row in rows.by_ref().take(usize::from(count)) {
            let row = OfferRow::read(row).ok_or(BROKEN)?;
            let terms = if row.terms { terms.next().and_then(TermsRow::read) } else { None };
            let more = if row.tiers { bytes.take()? } else { Vec::new() };
            catalog.offers.push(shared.offer(InstanceId(at), &head, &row, terms, more)?);
        }
    }
    let rest = bytes.take::<Rest>()?;
    catalog.accelerators = rest.accelerators;
    catalog.processors = rest.processors;
    catalog.rates = rest.rates;
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
