//! Parts → [`Catalog`]: sorted, numbered, each offer once. The order of rows and files leaves no trace, except
//! that of two equal keys the later wins.

use super::parts::{Parts, ProviderPart, Row, Spec, key_order};
use super::{
    Accelerators, Catalog, Instance, InstanceId, Kinds, Offer, OfferEntry, OfferGpu, Provider, ProviderId,
    TariffKind,
};
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::names::Named;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Catalog {
    /// Only what computing needs whatever is for sale: accelerators and exchange rates.
    #[must_use]
    pub fn hardware(self) -> Self {
        Self { accelerators: self.accelerators, rates: self.rates, ..Self::default() }
    }

    /// This catalog with another laid over it: of equal keys (provider, instance with its specification, region,
    /// zone) the other's offer wins, and a provider's rules and tariffs are replaced kind by kind.
    #[must_use]
    pub fn extend_with(self, other: Self) -> Self {
        let mut parts = self.into_parts();
        let accelerators = std::mem::take(&mut parts.accelerators);
        let later = other.into_parts();
        let merged = accelerators.merged(&later.accelerators);
        let ids: Vec<_> = later.accelerators.iter().map(|(_, card)| merged.named(&card.name)).collect();
        parts.accelerators = merged;
        parts.providers.extend(later.providers);
        parts.processors.extend(later.processors);
        parts.rates.0.extend(later.rates.0);
        parts.offers.extend(later.offers);
        parts.rows.extend(later.rows.into_iter().map(|mut row| {
            row.spec.gpu = row.spec.gpu.and_then(|gpu| {
                let id = ids.get(usize::from(gpu.accelerator.0)).copied().flatten()?;
                Some(OfferGpu { accelerator: id, ..gpu })
            });
            row
        }));
        parts.assemble(&mut Diagnostics::new())
    }

    /// Takes a catalog apart again.
    pub(crate) fn into_parts(self) -> Parts {
        let row = |offer: Offer<'_>| {
            let at = usize::try_from(offer.instance.0).ok()?;
            let instance = self.instances.get(at)?;
            Some(Row {
                place: None,
                listed: false,
                provider: self.providers.get(usize::from(instance.provider.0))?.name.clone(),
                instance: instance.name.clone(),
                spec: Spec { vcpus: instance.vcpus, memory: instance.memory, gpu: instance.gpu },
            })
        };
        let rows: Option<Vec<Row>> = self.offers.iter().map(row).collect();
        // An offer of nothing is no offer: a catalog cannot be built so.
        let offers = |rows| (rows, self.offers.iter().map(|offer| offer.entry()).collect());
        let (rows, offers) = rows.map_or((Vec::new(), Vec::new()), offers);
        let providers = self.providers.into_iter().map(|p| ProviderPart {
            name: p.name,
            currency: p.currency,
            on_demand: p.on_demand,
            spot: p.spot,
            tariffs: p.tariffs,
            card_prices: p.card_prices,
            term_ratios: p.term_ratios,
        });
        Parts {
            accelerators: self.accelerators,
            providers: providers.collect(),
            rows,
            offers,
            processors: self.processors,
            rates: self.rates,
        }
    }
}

impl Accelerators {
    /// This table with another laid over it: a card of the same name is replaced where it stands.
    fn merged(&self, later: &Self) -> Self {
        let mut cards: Vec<_> = self.iter().map(|(_, card)| card.clone()).collect();
        for (_, card) in later.iter() {
            match cards.iter_mut().find(|c| c.name == card.name) {
                Some(old) => *old = card.clone(),
                None => cards.push(card.clone()),
            }
        }
        Self::new(cards)
    }
}

impl Parts {
    /// Puts everything in order. The same offer twice in one file is a mistake; in two files the later one wins.
    pub(crate) fn assemble(self, diags: &mut Diagnostics) -> Catalog {
        let order = in_order(&self.rows, &self.offers, diags);
        let mut providers = providers(self.providers);
        let mut instances: Vec<Instance> = Vec::new();
        let mut offers = Vec::with_capacity(order.len());
        let mut unplaced: Vec<Option<OfferEntry>> = self.offers.into_iter().map(Some).collect();
        let mut previous: Option<&Row> = None;
        for at in order {
            let Some(row) = self.rows.get(at) else { continue };
            let Some(mut offer) = unplaced.get_mut(at).and_then(Option::take) else { continue };
            let Some(seller) = providers.iter().position(|p| p.name == row.provider) else { continue };
            if previous.is_none_or(|previous| previous.type_order(row).is_ne()) {
                instances.push(Instance {
                    provider: ProviderId(u16::try_from(seller).unwrap_or(u16::MAX)),
                    name: row.instance.clone(),
                    vcpus: row.spec.vcpus,
                    memory: row.spec.memory,
                    gpu: row.spec.gpu,
                });
            }
            offer.instance = InstanceId(u32::try_from(instances.len() - 1).unwrap_or(u32::MAX));
            if let Some(provider) = providers.get_mut(seller) {
                provider.as_of = provider.as_of.max(offer.provenance.as_of);
            }
            offers.push(offer);
            previous = Some(row);
        }
        let mut processors = self.processors;
        processors.reverse();
        processors.sort_by(|a, b| (&a.provider, &a.family).cmp(&(&b.provider, &b.family)));
        processors.dedup_by(|b, a| a.provider == b.provider && a.family == b.family);
        let mut rates = self.rates;
        rates.0.reverse();
        rates.0.sort_by_key(|rate| rate.currency);
        rates.0.dedup_by_key(|rate| rate.currency);
        let offers = offers.into_iter().collect();
        let kinds = Kinds::new(&instances, &providers, &processors);
        Catalog { accelerators: self.accelerators, providers, instances, offers, processors, rates, kinds }
    }
}

/// Positions by key, each key once: the last one stated.
fn in_order(rows: &[Row], offers: &[OfferEntry], diags: &mut Diagnostics) -> Vec<usize> {
    let at = |at: usize| rows.get(at).zip(offers.get(at));
    let compare = |a: usize, b: usize| match (at(a), at(b)) {
        (Some(a), Some(b)) => key_order(a, b),
        _ => Ordering::Equal,
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // Stable: equal keys keep the order in which they were stated.
    order.sort_by(|a, b| compare(*a, *b));
    let mut once: Vec<usize> = Vec::with_capacity(order.len());
    let mut repeated = Repeated::default();
    for next in order {
        match once.last_mut() {
            Some(last) if compare(*last, next).is_eq() => {
                if let (Some(first), Some(second)) = (at(*last), at(next)) {
                    if second.0.listed {
                        repeated.count(first, second);
                    } else {
                        report_repetition(first.0, second.0, second.1, diags);
                    }
                }
                *last = next;
            }
            _ => once.push(next),
        }
    }
    repeated.report(diags);
    once
}

/// Offers that lists state again, by file.
#[derive(Debug, Default)]
struct Repeated(BTreeMap<Arc<str>, Again>);

/// Offers that a list states again.
#[derive(Debug)]
struct Again {
    rows: usize,
    /// How many of them have another price.
    at_another_price: usize,
    /// Line of the first one, the line where it was stated before, and what it offers.
    line: u32,
    before: u32,
    what: String,
}

impl Repeated {
    fn count(&mut self, (before, old): (&Row, &OfferEntry), (row, offer): (&Row, &OfferEntry)) {
        let (Some(first), Some(place)) = (&before.place, &row.place) else { return };
        if first.file != place.file {
            return;
        }
        let what = || format!("{} {} in {}", row.provider, row.instance, offer.place());
        let again = self.0.entry(Arc::clone(&place.file)).or_insert_with(|| Again {
            rows: 0,
            at_another_price: 0,
            line: place.line,
            before: first.line,
            what: what(),
        });
        again.rows += 1;
        again.at_another_price += usize::from(old.on_demand != offer.on_demand || old.spot != offer.spot);
        if place.line < again.line {
            (again.line, again.before, again.what) = (place.line, first.line, what());
        }
    }

    fn report(self, diags: &mut Diagnostics) {
        for (file, Again { rows, at_another_price, line, before, what }) in self.0 {
            let message = format!(
                "{what} is stated again, first in line {before}: the last one counts; such rows: {rows}, at another \
                 price: {at_another_price}"
            );
            diags.push(Diagnostic::warning(Code::Duplicate, Place { file, line, column: 1 }, message));
        }
    }
}

fn report_repetition(first: &Row, second: &Row, offer: &OfferEntry, diags: &mut Diagnostics) {
    if let (Some(before), Some(place)) = (&first.place, &second.place)
        && before.file == place.file
    {
        let message = format!(
            "{} {} in {} is stated twice; first in line {}",
            second.provider,
            second.instance,
            offer.place(),
            before.line
        );
        diags.push(Diagnostic::error(Code::Duplicate, place.clone(), message));
    }
}

/// Providers by name; what several files say about one is laid together, the later over the earlier.
fn providers(parts: Vec<ProviderPart>) -> Vec<Provider> {
    let mut out: Vec<Provider> = Vec::new();
    for part in parts {
        if let Some(provider) = out.iter_mut().find(|p| p.name == part.name) {
            lay_over(provider, part);
        } else {
            out.push(Provider {
                name: part.name,
                currency: part.currency,
                on_demand: part.on_demand,
                spot: part.spot,
                tariffs: part.tariffs,
                card_prices: part.card_prices,
                term_ratios: part.term_ratios,
                as_of: None,
            });
        }
    }
    for provider in &mut out {
        provider.tariffs.sort_by(|a, b| {
            (a.kind, &a.product, &a.regions, &a.note, a.tiers.len()).cmp(&(
                b.kind,
                &b.product,
                &b.regions,
                &b.note,
                b.tiers.len(),
            ))
        });
        provider.card_prices.sort_by(|a, b| {
            a.gpu
                .cmp(&b.gpu)
                .then_with(|| a.count.total_cmp(&b.count))
                .then_with(|| (&a.kind, &a.term, a.price).cmp(&(&b.kind, &b.term, b.price)))
        });
        provider.term_ratios.sort_by(|a, b| a.scope.cmp(&b.scope));
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

fn lay_over(provider: &mut Provider, part: ProviderPart) {
    // Card prices are in the provider's currency: another one may not slip in under them.
    if !part.card_prices.is_empty() || provider.card_prices.is_empty() {
        provider.currency = part.currency;
        provider.card_prices = part.card_prices;
    }
    provider.on_demand = part.on_demand.or(provider.on_demand.take());
    provider.spot = part.spot.or(provider.spot.take());
    if !part.term_ratios.is_empty() {
        provider.term_ratios = part.term_ratios;
    }
    for (kind, _) in TariffKind::ALL {
        if part.tariffs.iter().any(|tariff| tariff.kind == *kind) {
            provider.tariffs.retain(|tariff| tariff.kind != *kind);
        }
    }
    provider.tariffs.extend(part.tariffs);
}
