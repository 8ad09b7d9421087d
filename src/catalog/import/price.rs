//! One price row of an instance: `{ region = "eu-1", on_demand = 2.10, month = 1100 }`.

use super::Context;
use super::origin::{Origin, Sources};
use crate::catalog::{Hazard, Listing, Name, OfferEntry, Terms, Tier, Tiers};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::named;
use crate::read::Located;
use crate::read::table::Fields;
use crate::units::{Currency, Money, PerHour};
use std::sync::Arc;

named! {
    /// What a price is the price of.
    pub(super) enum PriceUnit {
        /// The whole instance.
        Instance = "instance",
        /// One of its GPUs: the price is multiplied by their number.
        Gpu = "gpu",
    }
}

/// What holds for all rows of an instance.
pub(super) struct Defaults<'a> {
    pub(super) currency: Currency,
    pub(super) unit: PriceUnit,
    pub(super) gpu_count: f64,
    pub(super) origin: Origin,
    pub(super) term: Origin,
    pub(super) hazard: Origin,
    pub(super) sources: &'a Sources,
}

/// Rows without a date or a source: reported once for a file.
#[derive(Debug, Default)]
pub(super) struct Undated {
    pub(super) first: Option<Located<&'static str>>,
    pub(super) count: usize,
}

impl Undated {
    /// Counts a row that lacks `what`.
    pub(super) fn note(&mut self, what: Located<&'static str>) {
        self.count += 1;
        self.first.get_or_insert(what);
    }

    /// Reports them, at the first one.
    pub(super) fn report(self, example: &str, diags: &mut Diagnostics) {
        let Some(Located { value, place }) = self.first else { return };
        let others = if self.count > 1 { format!(" ({} prices in all)", self.count) } else { String::new() };
        diags.push(
            Diagnostic::error(Code::Undated, place, format!("a price has no {value}{others}"))
                .hint(example.replace("{}", value)),
        );
    }
}

/// Reads a row: one offer for each region and zone that it names.
pub(super) fn offers(
    mut row: Fields<'_>,
    defaults: &Defaults<'_>,
    undated: &mut Undated,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Vec<OfferEntry> {
    let regions = row.texts("region", diags);
    let regions = row.require(regions, "region", "\"eu-1\"", diags).unwrap_or_default();
    let zones = row.texts("zone", diags).unwrap_or_default();
    if let [_, _, ..] = regions.as_slice()
        && let Some(zone) = zones.first()
    {
        diags.push(
            Diagnostic::error(Code::Conflict, zone.place.clone(), "`zone` beside several regions")
                .allowed("zones of one region"),
        );
    }
    let unit = row.named("price_unit", diags).map_or(defaults.unit, |unit| unit.value);
    let count = if unit == PriceUnit::Gpu { defaults.gpu_count } else { 1.0 };
    let free = row.boolean("free", diags).is_some_and(|free| free.value);
    let mut prices = Prices { row: &mut row, free, count, found: false };
    let on_demand = Tiers::from(prices.on_demand(diags));
    let spot = prices.hourly("spot", diags);
    let mut terms = Terms {
        month: prices.total("month", diags),
        sustained_month: prices.total("sustained_month", diags),
        year: prices.total("year", diags),
        three_years: prices.total("three_years", diags),
        provenance: None,
    };
    let found = prices.found;
    let hazard = row.quantity::<Hazard>("interruption", diags).map(|hazard| hazard.value);
    let own = defaults.sources.origin(&mut row, context, diags).or(&defaults.origin);
    let term = defaults.sources.origin_at(&mut row, ["term_as_of", "term_source"], context, diags);
    let place = row.place().clone();
    row.finish(diags);
    if !found {
        diags.push(
            Diagnostic::error(Code::MissingKey, place.clone(), "a price row without a price")
                .allowed("on_demand, spot, month, year, three_years or `free = true`"),
        );
        return Vec::new();
    }
    let missing = if own.as_of.is_none() { "date" } else { "source" };
    let Some(provenance) = own.clone().dated() else {
        undated.note(Located { value: missing, place });
        return Vec::new();
    };
    let has_terms = terms != Terms::default();
    let another = |origin: Origin, wanted: bool| {
        origin.provenance().filter(|p| wanted && *p != provenance).map(Arc::new)
    };
    let inherited = Origin { confidence: own.confidence, ..term.or(&defaults.term) };
    terms.provenance = another(inherited, has_terms);
    let hazard_provenance = another(defaults.hazard.clone(), hazard.is_some());
    let provenance = context.provenance(provenance);
    let offer = |region: Name, zone: Option<Name>, context: &mut Context<'_>| OfferEntry {
        instance: crate::catalog::InstanceId(0),
        listing: context.listing(Listing {
            region,
            zone,
            currency: defaults.currency,
            provenance: Arc::clone(&provenance),
            hazard_provenance: hazard_provenance.clone(),
        }),
        on_demand: on_demand.clone(),
        spot,
        terms: has_terms.then(|| Box::new(terms.clone())),
        hazard,
        free,
    };
    let mut offers = Vec::new();
    for region in &regions {
        let region = context.name(&region.value);
        if zones.is_empty() {
            offers.push(offer(region, None, context));
        } else {
            offers.extend(zones.iter().map(|zone| {
                let zone = context.name(&zone.value);
                offer(region.clone(), Some(zone), context)
            }));
        }
    }
    offers
}

/// The prices of a row.
struct Prices<'r, 'a> {
    row: &'r mut Fields<'a>,
    free: bool,
    /// By how much a price is multiplied.
    count: f64,
    /// Whether there is one, right or wrong.
    found: bool,
}

impl Prices<'_, '_> {
    fn on_demand(&mut self, diags: &mut Diagnostics) -> Vec<Tier> {
        let mut tiers = Vec::new();
        if let Some(price) = self.hourly("on_demand", diags) {
            tiers.push(Tier { from_hours: 0.0, price });
        } else if self.free && !self.row.has("on_demand") {
            self.found = true;
            tiers.push(Tier { from_hours: 0.0, price: PerHour::from_nanos(0) });
        }
        for mut step in self.row.tables("tiers", diags) {
            let from = step.count("from_hours", diags);
            let from = step.require(from, "from_hours", "96", diags);
            let price = money(&mut step, "price", self.free, diags);
            let price = step.require(price, "price", "0.08", diags);
            let place = step.place().clone();
            step.finish(diags);
            let (Some(from), Some(price)) = (from, price.and_then(|p| self.per_hour(p.value))) else {
                continue;
            };
            match tiers.last() {
                Some(last) if last.from_hours < from.value => {
                    tiers.push(Tier { from_hours: from.value, price });
                }
                Some(_) => diags.push(Diagnostic::error(
                    Code::BadValue,
                    from.place,
                    format!("`from_hours` is {}, not above that of the step before", from.value),
                )),
                None => diags.push(
                    Diagnostic::error(
                        Code::MissingKey,
                        place,
                        "`tiers` without the price of the first hours",
                    )
                    .hint("add `on_demand = …`"),
                ),
            }
        }
        tiers
    }

    fn hourly(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<PerHour> {
        let total = self.total(key, diags)?;
        i64::try_from(total.nanos()).ok().map(PerHour::from_nanos)
    }

    fn total(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Money> {
        self.found |= self.row.has(key);
        let price = money(self.row, key, self.free, diags)?;
        let total = times(price.value, self.count);
        let fits = i64::try_from(total.nanos()).is_ok();
        if !fits {
            diags.push(Diagnostic::error(Code::BadPrice, price.place, format!("`{key}` is out of range")));
        }
        fits.then_some(total)
    }

    fn per_hour(&self, price: Money) -> Option<PerHour> {
        i64::try_from(times(price, self.count).nanos()).ok().map(PerHour::from_nanos)
    }
}

/// A price for all GPUs from that of one; exact where their number is whole.
pub(super) fn times(price: Money, count: f64) -> Money {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared on the same line")]
    let whole = count as u32;
    if f64::from(whole).total_cmp(&count).is_eq() { price * whole } else { price.scaled(count) }
}

/// A price above zero; zero where the row says that it is free.
pub(super) fn money(
    fields: &mut Fields<'_>,
    key: &'static str,
    free: bool,
    diags: &mut Diagnostics,
) -> Option<Located<Money>> {
    let price = fields.decimal(key, diags)?;
    match refusal(price.value, free) {
        None => Some(price),
        Some(reason) => {
            let error = Diagnostic::error(
                Code::BadPrice,
                price.place,
                format!("`{key}` in {} is {reason}", fields.what()),
            );
            diags.push(if reason == ZERO {
                error.hint(
                    "leave the key out if the price is not known; add `free = true` if it costs nothing",
                )
            } else {
                error.allowed("a price above zero")
            });
            None
        }
    }
}

const ZERO: &str = "zero";

/// Why a price is refused.
pub(super) fn refusal(price: Money, free: bool) -> Option<&'static str> {
    match price.cmp(&Money::ZERO) {
        std::cmp::Ordering::Less => Some("negative"),
        std::cmp::Ordering::Equal if !free => Some(ZERO),
        std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => None,
    }
}
