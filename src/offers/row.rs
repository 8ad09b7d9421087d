//! One line of a listing, and its price.

use super::filter::Subject;
use crate::catalog::{Name, Offer, Provenance, Term, Tier};
use crate::names::named;
use crate::price::compute::{scaled, term_hours};
use crate::terms::Purchase;
use crate::units::{Bytes, Currency, Date, Money, PerHour};

named! {
    /// What a price is paid for.
    pub enum Period {
        /// An hour.
        Hour = "hour",
        /// A whole month of 730 hours.
        Month = "month",
        /// A whole year.
        Year = "year",
        /// Three whole years.
        ThreeYears = "three-years",
    }
}

/// What one instance costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Price of one period, in the currency of the listing.
    pub amount: Money,
    /// The period.
    pub period: Period,
    /// Price of one hour: of a prepaid term, its price ÷ its hours (730 a month).
    pub per_hour: PerHour,
    /// Lower hourly prices of longer rentals: from how many hours on, and the price of each hour from there.
    pub later: Vec<Tier>,
    /// The price as the catalog has it, where it was converted.
    pub listed: Option<(Money, Currency)>,
}

/// Why an offer has no price to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpriced {
    /// The catalog has none for this way of buying.
    NotSold,
    /// It is in a currency without a rate.
    NoRate(Currency),
}

/// The accelerators of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Which.
    pub name: Name,
    /// How many; a fraction is a slice of one.
    pub count: f64,
    /// Memory of one as sold; of a slice, its share.
    pub memory: Bytes,
}

/// An instance type in a region, bought in one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Position of the first of its offers in the catalog.
    pub position: usize,
    /// Who sells it.
    pub provider: Name,
    /// The instance type.
    pub instance: Name,
    /// Its accelerators.
    pub gpu: Option<Card>,
    /// Its vCPUs.
    pub vcpus: f64,
    /// Its main memory.
    pub memory: Bytes,
    /// The region.
    pub region: Name,
    /// The zones with this price; empty where the price is that of the region.
    pub zones: Vec<Name>,
    /// How it is bought.
    pub purchase: Purchase,
    /// What it costs.
    pub price: Result<Price, Unpriced>,
    /// Date, source and confidence of the price.
    pub provenance: Provenance,
    /// Whole months since that date.
    pub age_months: Option<u32>,
}

impl Row {
    pub(super) fn new(subject: &Subject<'_>, position: usize, today: Date) -> Self {
        let (instance, offer, provenance) = (subject.instance, subject.offer, subject.provenance());
        let gpu = instance.gpu.zip(subject.card).zip(subject.vram()).map(|((gpu, card), memory)| Card {
            name: Name::clone(&card.name),
            count: gpu.count,
            memory,
        });
        Self {
            position,
            provider: Name::clone(&subject.provider.name),
            instance: Name::clone(&instance.name),
            gpu,
            vcpus: instance.vcpus,
            memory: instance.memory,
            region: Name::clone(&offer.region),
            zones: offer.zone.iter().map(Name::clone).collect(),
            purchase: subject.purchase,
            price: subject.price.clone(),
            provenance: provenance.clone(),
            age_months: provenance.as_of.map(|date| date.months_until(today)),
        }
    }

    /// How many offers of the catalog it stands for.
    pub fn offers(&self) -> usize {
        self.zones.len().max(1)
    }

    /// Price of one hour of the whole instance.
    pub fn per_hour(&self) -> Option<PerHour> {
        self.price.as_ref().ok().map(|price| price.per_hour)
    }

    /// Price of one hour ÷ GPUs: of a slice, that of the whole card. A ratio, not to be added up.
    pub fn per_gpu_hour(&self) -> Option<f64> {
        let gpu = self.gpu.as_ref().filter(|gpu| gpu.count > 0.0)?;
        Some(self.per_hour()?.as_f64() / gpu.count)
    }

    /// Whether another row differs from this one by its zone alone.
    fn differs_by_zone(&self, other: &Self) -> bool {
        let Self {
            position: _,
            zones,
            provider,
            instance,
            gpu,
            vcpus,
            memory,
            region,
            purchase,
            price,
            provenance,
            age_months,
        } = self;
        !zones.is_empty()
            && !other.zones.is_empty()
            && *region == other.region
            && *price == other.price
            && *purchase == other.purchase
            && *provider == other.provider
            && *instance == other.instance
            && *gpu == other.gpu
            && vcpus.total_cmp(&other.vcpus).is_eq()
            && *memory == other.memory
            && *provenance == other.provenance
            && *age_months == other.age_months
    }
}

/// Adds a row: to that of another zone of the region where the price is the same. Offers of one type and region follow
/// one another in the catalog.
pub(super) fn add(rows: &mut Vec<Row>, row: Row) {
    let near = rows.iter_mut().rev().take_while(|other| {
        other.region == row.region && other.instance == row.instance && other.provider == row.provider
    });
    for other in near {
        if other.differs_by_zone(&row) {
            other.zones.extend(row.zones);
            return;
        }
    }
    rows.push(row);
}

/// The term of a prepaid way of buying.
const fn term(purchase: Purchase) -> Option<(Term, Period)> {
    match purchase {
        Purchase::OnDemand | Purchase::Spot | Purchase::Fallback | Purchase::Owned => None,
        Purchase::Month => Some((Term::Month, Period::Month)),
        Purchase::Year => Some((Term::Year, Period::Year)),
        Purchase::ThreeYears => Some((Term::ThreeYears, Period::ThreeYears)),
    }
}

/// Whether the catalog has a price for a way of buying.
pub(super) fn sells(offer: &Offer, purchase: Purchase) -> bool {
    match term(purchase) {
        Some((term, _)) => offer.term(term).is_some(),
        None if purchase == Purchase::Spot => offer.spot.is_some(),
        None => offer.on_demand_price().is_some(),
    }
}

/// What an offer costs when it is bought in one way; `factor` turns its currency into that of the listing.
pub(super) fn price(offer: &Offer, purchase: Purchase, factor: Option<f64>) -> Result<Price, Unpriced> {
    if !sells(offer, purchase) {
        return Err(Unpriced::NotSold);
    }
    let factor = factor.ok_or(Unpriced::NoRate(offer.currency))?;
    let converted = (factor - 1.0).abs() >= f64::EPSILON;
    let listed = |amount: Money| converted.then_some((amount, offer.currency));
    let hourly = |price: PerHour, later: &[Tier]| {
        let per_hour = scaled(price, factor);
        Price {
            amount: Money::from_nanos(per_hour.nanos().into()),
            period: Period::Hour,
            per_hour,
            later: later.iter().map(|tier| Tier { price: scaled(tier.price, factor), ..*tier }).collect(),
            listed: listed(Money::from_nanos(price.nanos().into())),
        }
    };
    let prepaid = |price: Money, term: Term, period: Period| {
        let amount = if converted { price.scaled(factor) } else { price };
        let per_hour = PerHour::from_f64(amount.as_f64() / term_hours(term))?;
        Some(Price { amount, period, per_hour, later: Vec::new(), listed: listed(price) })
    };
    let found = match term(purchase) {
        Some((term, period)) => offer.term(term).and_then(|price| prepaid(price, term, period)),
        None if purchase == Purchase::Spot => offer.spot.map(|price| hourly(price, &[])),
        None => offer.on_demand.split_first().map(|(first, later)| hourly(first.price, later)),
    };
    found.ok_or(Unpriced::NotSold)
}
