//! Offers on whose cards a need fits, the cheapest first.

use crate::catalog::{Catalog, Stack};
use crate::decide::fit;
use crate::units::{Bytes, Currency, Date, PerHour};

/// The cheapest on-demand offer of one kind of card.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitting {
    pub(super) card: String,
    pub(super) usable: Bytes,
    /// `provider/instance`.
    pub(super) instance: String,
    pub(super) region: String,
    pub(super) price: PerHour,
    pub(super) currency: Currency,
    pub(super) as_of: Option<Date>,
}

/// How many are shown.
const MOST: usize = 8;

/// For every CUDA card that offers `needed` on one device, the cheapest instance with one of it or more, on demand, in
/// the currency of the plan; the cheapest first, ties by name.
pub(super) fn fitting(catalog: &Catalog, needed: Bytes, today: Date) -> Vec<Fitting> {
    let stale = today.months_ago(37);
    let mut best: Vec<(f64, Fitting)> = Vec::new();
    for offer in catalog.offers.iter() {
        let Some(instance) = catalog.instance(offer.instance) else { continue };
        let Some((gpu, card)) = instance.gpu.and_then(|gpu| Some((gpu, catalog.accelerator(gpu)?))) else {
            continue;
        };
        let usable = fit::usable(card, gpu.count);
        if card.stack != Stack::Cuda || usable < needed || offer.provenance.as_of.is_some_and(|d| d <= stale)
        {
            continue;
        }
        let (Some(price), Some(rate)) =
            (offer.on_demand_price(), catalog.rates.factor(offer.currency, Currency::USD))
        else {
            continue;
        };
        let dollars = price.as_f64() * rate;
        let provider = catalog.provider(instance.provider).map_or("", |p| &p.name);
        let of =
            if gpu.count < 1.0 { format!("{} of {}", gpu.count, card.name) } else { card.name.to_string() };
        let known = best.iter_mut().find(|(_, f)| f.card == of);
        let found = || Fitting {
            card: of.clone(),
            usable,
            instance: format!("{provider}/{}", instance.name),
            region: offer.region.to_string(),
            price: price.scaled(rate),
            currency: Currency::USD,
            as_of: offer.provenance.as_of,
        };
        match known {
            Some((least, slot)) if dollars < *least => (*least, *slot) = (dollars, found()),
            Some(_) => {}
            None => best.push((dollars, found())),
        }
    }
    best.sort_by(|(a, x), (b, y)| a.total_cmp(b).then_with(|| x.card.cmp(&y.card)));
    best.into_iter().take(MOST).map(|(_, fitting)| fitting).collect()
}
