//! The pool of a search and the servers of a service, in JSON.

use super::Span;
use crate::plan::{PoolFigures, ServiceFigures};
use crate::units::{Band, Hours, Money};
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

/// A service: `cost` is that of a month.
#[derive(Serialize)]
pub(super) struct Service {
    requests_per_second: Option<f64>,
    request_seconds: Option<Span>,
    concurrency: u32,
    servers_at_peak: u32,
    servers: u32,
    headroom: f64,
    requests_per_second_of_a_server: Option<f64>,
    utilisation_at_peak: Option<f64>,
    decode: Option<Decode>,
    cost_per_million_requests: Option<f64>,
}

#[derive(Serialize)]
struct Decode {
    vcpus_at_peak: f64,
    vcpus_to_feed_a_server: f64,
    vcpus_of_a_server: f64,
    limits_the_rate: bool,
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

pub(super) fn service(s: &ServiceFigures) -> Service {
    let seconds = |band: Band<Hours>| Span {
        low: Some(band.low.as_secs()),
        expected: Some(band.expected.as_secs()),
        high: Some(band.high.as_secs()),
    };
    Service {
        requests_per_second: s.peak,
        request_seconds: s.item.map(seconds),
        concurrency: s.concurrency,
        servers_at_peak: s.at_peak,
        servers: s.servers,
        headroom: s.headroom,
        requests_per_second_of_a_server: s.rate,
        utilisation_at_peak: s.utilisation,
        decode: s.decode.map(|d| Decode {
            vcpus_at_peak: d.at_peak,
            vcpus_to_feed_a_server: d.to_feed,
            vcpus_of_a_server: d.has,
            limits_the_rate: d.starved,
        }),
        cost_per_million_requests: s.per_million.map(Money::as_f64),
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
