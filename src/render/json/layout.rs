//! Parts of a stage in JSON: the pool of a search, on-demand fallback, the ways of buying.

use crate::plan::{PoolFigures, SharedMonths};
use crate::units::Money;
use serde::Serialize;

/// A search. GPUs and slices of GPUs are different units.
#[derive(Serialize)]
pub(super) struct Pool<'a> {
    slot: String,
    mig_profile: Option<&'a str>,
    slots_per_instance: u32,
    slots: u32,
    trials: u32,
    rounds: u32,
    trial_hours: f64,
    trial_memory_bytes: Option<u64>,
    trial_memory_measured: bool,
    slot_memory_bytes: u64,
    gpus: f64,
    gpu_hours: f64,
}

pub(super) fn pool(p: &PoolFigures) -> Pool<'_> {
    Pool {
        slot: p.unit.to_string(),
        mig_profile: p.profile.as_deref(),
        slots_per_instance: p.per_instance,
        slots: p.slots,
        trials: p.trials,
        rounds: p.rounds,
        trial_hours: p.trial.get(),
        trial_memory_bytes: p.needs.map(crate::units::Bytes::get),
        trial_memory_measured: p.measured,
        slot_memory_bytes: p.has.get(),
        gpus: p.gpus,
        gpu_hours: p.gpu_hours,
    }
}

/// Months that several stages share.
#[derive(Serialize)]
pub(super) struct Shared<'a> {
    with: &'a [String],
    machines: u32,
    months: u32,
    on_demand_hours: f64,
    total_cost: f64,
    share: f64,
}

pub(super) fn shared(s: &SharedMonths) -> Shared<'_> {
    Shared {
        with: &s.with,
        machines: s.machines,
        months: s.months,
        on_demand_hours: s.rest.get(),
        total_cost: s.total.as_f64(),
        share: s.part,
    }
}

/// On-demand capacity that keeps a deadline: expected hours of one instance.
#[derive(Serialize)]
pub(super) struct Fallback {
    within_hours: f64,
    spot_hours: f64,
    on_demand_hours: f64,
    missed_probability: f64,
}

pub(super) fn fallback(figures: crate::plan::FallbackFigures) -> Fallback {
    Fallback {
        within_hours: figures.within.get(),
        spot_hours: figures.spot.get(),
        on_demand_hours: figures.on_demand.get(),
        missed_probability: figures.missed,
    }
}

/// A way of buying a stage; without a machine only why there is none.
#[derive(Serialize)]
pub(super) struct Way<'a> {
    purchase: String,
    taken: bool,
    machine: Option<&'a str>,
    cost: Option<f64>,
    cost_95: Option<f64>,
    duration_hours: Option<f64>,
    duration_95_hours: Option<f64>,
    in_time_probability: Option<f64>,
    why: &'a str,
}

pub(super) fn way(way: &crate::plan::Way) -> Way<'_> {
    let offer = way.offer.as_ref();
    let ends = offer.filter(|o| o.ends);
    Way {
        purchase: way.purchase.to_string(),
        taken: way.taken,
        machine: offer.map(|o| &*o.machine),
        cost: offer.map(|o| o.cost.as_f64()),
        cost_95: offer.and_then(|o| o.cost_95).map(Money::as_f64),
        duration_hours: ends.and_then(|o| super::hours(o.time)),
        duration_95_hours: ends.and_then(|o| super::hours(o.time_95)),
        in_time_probability: offer.and_then(|o| o.chance),
        why: &way.why,
    }
}

/// A month of a schedule.
#[derive(Serialize)]
pub(super) struct Month {
    runs: f64,
    cost: f64,
}

pub(super) fn month(month: &crate::plan::MonthCost) -> Month {
    Month { runs: month.runs, cost: month.cost.as_f64() }
}
