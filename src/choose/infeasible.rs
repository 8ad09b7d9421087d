//! What nothing could do: the nearest miss and what would make it fit.

mod memory;

use super::assemble::StageView;
use crate::decide::{Reason, Rejection, limit_of_time};
use crate::job::Origin;
use crate::plan::{Infeasible, RejectionText};
use crate::units::number::{significant, things, thousands};

/// What was turned away, with the names that a reader needs.
pub(super) fn rejections(view: StageView<'_>) -> Vec<RejectionText> {
    view.quotes
        .rejected
        .iter()
        .map(|r| RejectionText { nearest: near_name(view, r), rejection: r.clone() })
        .collect()
}

fn near_name(view: StageView<'_>, rejection: &Rejection) -> Option<String> {
    let instance = view.catalog.instance(rejection.near?.instance)?;
    let provider = view.catalog.provider(instance.provider)?;
    let card = instance.gpu.and_then(|gpu| view.catalog.accelerator(gpu));
    let gpus = card.map(|c| format!(" ({}×{})", instance.gpu_count(), c.name)).unwrap_or_default();
    Some(format!("{}/{}{gpus}", provider.name, instance.name))
}

/// The offer that came nearest to passing, by the first reason of those that compare figures.
pub(super) fn nearest_miss(view: StageView<'_>) -> Option<String> {
    let rejected = &view.quotes.rejected;
    let by_figures = [
        Reason::Memory,
        Reason::MemoryFloor,
        Reason::HostMemory,
        Reason::Vcpus,
        Reason::Overload,
        Reason::Servers,
        Reason::Latency,
        Reason::TooSlow,
        Reason::SpotRefused,
    ];
    let miss = by_figures.into_iter().filter_map(|reason| rejected.get(reason)).find(|r| r.near.is_some())?;
    let (near, name) = (miss.near?, near_name(view, miss)?);
    Some(match miss.reason {
        Reason::Latency => {
            let (has, needs) = (near.has.precise(), near.needs.precise());
            match view.stage.demand.latency {
                Some(latency) => format!(
                    "{name} answers {} of 100 within {has} when nothing waits{}, at most {needs} is allowed",
                    significant(latency.share * 100.0, 4),
                    varies(view)
                ),
                None => format!("{name} takes {has}, at most {needs} is allowed"),
            }
        }
        Reason::TooSlow => {
            format!("{name} takes {} at best; the most is {}", near.has, limit_of_time(near.needs))
        }
        Reason::Overload => format!(
            "{} × {name} cannot keep up: the queue grows without end; at least {} are needed",
            near.has, near.needs
        ),
        Reason::SpotRefused => format!("{name} on spot: λ(W+R) is {}, at most {}", near.has, near.needs),
        _ => format!("{name} has {} of the {} needed ({})", near.has, near.needs, miss.reason),
    })
}

/// How much the times of requests vary, which makes the slow ones of them slow, and how that is known.
fn varies(view: StageView<'_>) -> String {
    let (stage, variation) = (view.stage, view.stage.demand.variation);
    if variation <= 0.0 {
        return String::new();
    }
    let key = format!("{}.time_variation", stage.name);
    let set = view.job.settings.iter().find(|s| s.key == key);
    let guess = set.is_some_and(|s| matches!(s.origin, Origin::Default(_)));
    format!(
        " (time_variation = {}{})",
        significant(variation, 3),
        if guess { ", a guess: state it" } else { "" }
    )
}

/// What would make the stage possible.
pub(super) fn infeasible(view: StageView<'_>) -> Infeasible {
    let rejected = &view.quotes.rejected;
    let mut remedies = Vec::new();
    let mut memory = false;
    for r in rejected.iter() {
        let asks = matches!(r.reason, Reason::Memory | Reason::MemoryFloor) && view.stage.model.is_some();
        if asks && !(r.reason == Reason::Memory && view.stage.measured_memory.is_some()) {
            // Both reasons ask for the same, which is told once.
            if !std::mem::replace(&mut memory, true) {
                remedies.push(memory::remedy(view));
            }
        } else if let Some(remedy) = remedy(view, r) {
            remedies.push(remedy);
        }
    }
    if remedies.is_empty() {
        remedies.push(turned_away(view));
    }
    Infeasible { remedies }
}

/// Where nothing is known that would help: what turned the offers away.
fn turned_away(view: StageView<'_>) -> String {
    let reasons: Vec<String> = view
        .quotes
        .rejected
        .iter()
        .filter(|r| r.offers > 0)
        .map(|r| format!("{} ({})", r.reason, things(offers_of(r.offers), "offer")))
        .collect();
    if reasons.is_empty() {
        return "the catalog has no offer for it".to_owned();
    }
    format!("turned away: {}; `plan explain` tells each reason", reasons.join(", "))
}

fn remedy(view: StageView<'_>, rejection: &Rejection) -> Option<String> {
    let stage = view.stage;
    match rejection.reason {
        Reason::Memory if stage.measured_memory.is_some() => Some("a smaller measured_memory".to_owned()),
        Reason::NoDuration => rejection.needs.map(|fact| format!("to know the time: give {fact}")),
        Reason::IdleGpu | Reason::NoGpuBuild if no_cpu(view) => {
            Some("prices of machines without a GPU: this work would leave one idle, and there are none".to_owned())
        }
        Reason::Vcpus => Some("a smaller min_vcpus, or several instances".to_owned()),
        Reason::Overload | Reason::Servers => Some("more `instances`, or a machine that does more requests a second".to_owned()),
        Reason::Latency if stage.demand.latency.is_some() => Some("a longer latency, a time measured on a faster machine, or a smaller time_variation where requests take more alike".to_owned()),
        Reason::HostMemory if stage.min_memory.is_some() => Some("a smaller min_memory".to_owned()),
        Reason::TransferNotPriced => Some("a region with a transfer price, or a catalog with one".to_owned()),
        Reason::SpotRefused => {
            Some("a checkpoint to durable storage, or purchase = \"on-demand\"".to_owned())
        }
        Reason::StalePrice => {
            Some("name the provider or region in [where], or raise --stale-after".to_owned())
        }
        Reason::NotAllowed if view.job.place.providers.len() + view.job.place.regions.len() > 0 => {
            let lie = if rejection.offers == 1 { "lies" } else { "lie" };
            let offers = things(offers_of(rejection.offers), "offer");
            Some(format!("more providers or regions in [where]: {offers} {lie} outside"))
        }
        Reason::Pinned => Some("another pinned instance, gpu or class".to_owned()),
        _ => None,
    }
}

/// Whether the catalog has nothing but machines with accelerators.
fn no_cpu(view: StageView<'_>) -> bool {
    view.catalog
        .offers
        .iter()
        .all(|offer| view.catalog.instance(offer.instance).is_none_or(|instance| instance.gpu.is_some()))
}

fn offers_of(number: usize) -> String {
    thousands(f64::from(u32::try_from(number).unwrap_or(u32::MAX)))
}
