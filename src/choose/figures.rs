//! What a candidate's layout comes to: the pool of a search, the servers of a service.

use crate::catalog::{Accelerator, Catalog, Instance};
use crate::decide::{
    Candidate, Cut, Layout, Pool, Service, ServiceLimit, StageCandidates, fit, pool, service,
};
use crate::duration::{Machine, StageClock};
use crate::job::{Class, Job, Stage};
use crate::plan::{DecodeFigures, MemoryFigures, PoolFigures, ServiceFigures, SlotUnit};
use crate::rules::Threshold;
use crate::units::number::significant;
use crate::units::{HOURS_PER_MONTH, Hours, Money};
use crate::vram::need::Need;
use crate::vram::trial::trial_memory;

/// How the time of a candidate came about, line by line.
pub fn derivation(
    job: &Job,
    stage: &Stage,
    catalog: &Catalog,
    clock: &StageClock,
    found: &StageCandidates,
    candidate: &Candidate,
) -> Vec<String> {
    let Some(instance) = catalog.instance(candidate.instance) else { return Vec::new() };
    let card = instance.gpu.and_then(|gpu| catalog.accelerator(gpu));
    Laid { job, stage, candidate, instance, card }.derivation(clock, found.trial.as_ref())
}

/// A candidate with its names resolved.
#[derive(Clone, Copy)]
pub(super) struct Laid<'a> {
    pub(super) job: &'a Job,
    pub(super) stage: &'a Stage,
    pub(super) candidate: &'a Candidate,
    pub(super) instance: &'a Instance,
    pub(super) card: Option<&'a Accelerator>,
}

impl Laid<'_> {
    /// What the model needs on one device, beside what the device has; for a search that is told of its slots.
    pub(super) fn memory_need(self) -> Option<MemoryFigures> {
        let (gpu, card) = self.instance.gpu.zip(self.card)?;
        let model = self.stage.model.as_ref().filter(|_| self.candidate.class == Class::Gpu)?;
        if matches!(self.candidate.layout, Layout::Pool(_)) {
            return None;
        }
        let instances =
            if matches!(self.candidate.layout, Layout::Service(_)) { 1 } else { self.candidate.count };
        let devices = f64::from(instances) * gpu.count.max(1.0).floor();
        let need = Need::of(model, devices, self.stage.measured_memory);
        Some(MemoryFigures { needed: need.expected, usable: fit::usable(card, gpu.count), by: need.by })
    }

    pub(super) fn pool(self) -> Option<PoolFigures> {
        let Layout::Pool(pool) = self.candidate.layout else { return None };
        let (unit, profile) = match pool.cut {
            Cut::Machine => (SlotUnit::Instance, None),
            Cut::Card => (SlotUnit::Gpu, None),
            Cut::Share => (SlotUnit::GpuShare, None),
            Cut::Slice(at) => (SlotUnit::MigSlice, self.card.and_then(|card| card.mig.get(usize::from(at)))),
        };
        let has = match (profile, self.card) {
            (Some(profile), _) => pool::slice_memory(profile),
            (None, Some(card)) => fit::usable(card, self.instance.gpu_count()),
            (None, None) => self.instance.memory,
        };
        let memory = trial_memory(self.stage, self.job.thresholds.get(Threshold::GradientCopies));
        let gpus = self.instance.gpu_count() * f64::from(self.candidate.count);
        let time = self.candidate.duration.time.expected;
        Some(PoolFigures {
            unit,
            profile: profile.map(|p| p.name.to_string()),
            per_instance: pool.slots,
            slots: pool.slots.saturating_mul(self.candidate.count),
            trials: pool.trials,
            rounds: pool.rounds,
            trial: time / f64::from(pool.rounds.max(1)),
            needs: memory.map(|m| if unit == SlotUnit::MigSlice { m.wanted } else { m.least }),
            measured: memory.is_some_and(|m| m.measured),
            has,
            gpus,
            gpu_hours: gpus * time.get(),
        })
    }

    pub(super) fn service(self, month: Money) -> Option<ServiceFigures> {
        let Layout::Service(Service { at_peak, servers, rate, limit }) = self.candidate.layout else {
            return None;
        };
        let known = limit != ServiceLimit::Unknown && rate.is_finite();
        let peak = self.stage.requests_per_second;
        let millions = peak.filter(|_| known).map(|peak| peak * HOURS_PER_MONTH * 3600.0 / 1e6);
        Some(ServiceFigures {
            peak,
            item: known.then_some(self.candidate.duration.time),
            concurrency: self.stage.concurrency,
            at_peak,
            servers,
            headroom: self.job.thresholds.get(Threshold::ServeHeadroom),
            rate: known.then_some(rate),
            utilisation: peak.filter(|_| known).map(|peak| peak / (f64::from(servers) * rate)),
            decode: self.decode(limit == ServiceLimit::Decoding),
            per_million: millions.map(|millions| month.scaled(1.0 / millions)),
        })
    }

    /// Decoding beside the GPU. What feeds it is measured at the rate that the GPU alone could do.
    fn decode(self, starved: bool) -> Option<DecodeFigures> {
        let decode = self.stage.decode.filter(|_| self.candidate.class == Class::Gpu)?;
        let item = self.candidate.duration.time.expected;
        let devices = service::devices(self.instance, &self.candidate.duration);
        Some(DecodeFigures {
            at_peak: self.stage.requests_per_second? * decode.as_secs(),
            to_feed: f64::from(self.stage.concurrency.max(1)) * devices * (decode / item),
            has: self.instance.vcpus,
            starved,
        })
    }

    /// How the time came about, line by line.
    pub(super) fn derivation(self, clock: &StageClock, trial: Option<&StageClock>) -> Vec<String> {
        let machine = |instances| Machine { instance: self.instance, instances };
        let duration = &self.candidate.duration;
        match (self.candidate.layout, trial) {
            (Layout::Pool(pool), Some(trial)) => self.trial_derivation(pool, trial),
            (Layout::Service(_), _) => {
                // The candidate's time is that on one GPU; the clock tells the whole server's.
                let server = clock.time_on(machine(1)).unwrap_or(*duration);
                let mut lines = clock.derivation(machine(1), &server);
                lines.extend(self.servers_derivation(server.time.expected));
                lines
            }
            _ => clock.derivation(machine(self.candidate.count), duration),
        }
    }

    fn trial_derivation(self, pool: Pool, clock: &StageClock) -> Vec<String> {
        let machine = Machine { instance: self.instance, instances: 1 };
        let Ok(whole) = clock.time_on(machine) else { return Vec::new() };
        let mut lines = vec!["one trial, on a whole card or instance:".to_owned()];
        lines.extend(clock.derivation(machine, &whole));
        let Some(figures) = self.pool() else { return lines };
        if let (Cut::Slice(at), Some(card)) = (pool.cut, self.card)
            && let Some(profile) = card.mig.get(usize::from(at))
        {
            let part = pool::part(card, profile);
            lines.push(format!("a slice {}: {}", profile.name, clock.part_derivation(part)));
            lines.push(format!(
                "one trial on it: {} ÷ {} = {}",
                hours(whole.time.expected),
                significant(clock.part_speed(part), 4),
                hours(figures.trial)
            ));
        }
        if let Some(needs) = figures.needs {
            let how = if figures.measured { "measured" } else { "worked out" };
            lines.push(format!("one trial needs {} ({how}); a slot has {}", needs.gib(), figures.has.gib()));
        }
        lines.push(format!(
            "{figures}: {} × {} = {}",
            figures.rounds,
            hours(figures.trial),
            hours(self.candidate.duration.time.expected)
        ));
        if figures.gpus > 0.0 {
            lines.push(format!(
                "{} GPUs × {} = {} GPU hours",
                significant(figures.gpus, 4),
                hours(self.candidate.duration.time.expected),
                significant(figures.gpu_hours, 4)
            ));
        }
        lines
    }

    fn servers_derivation(self, server: Hours) -> Vec<String> {
        let Layout::Service(Service { at_peak, servers, limit, .. }) = self.candidate.layout else {
            return Vec::new();
        };
        let Some(figures) = self.service(Money::ZERO) else { return Vec::new() };
        let (Some(item), Some(peak)) = (figures.item.map(|t| t.expected), figures.peak) else {
            return if service::nothing_is_known(self.stage) {
                vec!["the smallest machine that has min_vcpus and min_memory".to_owned()]
            } else {
                Vec::new()
            };
        };
        let n = |value: f64| significant(value, 4);
        let mut lines = Vec::new();
        let devices = service::devices(self.instance, &self.candidate.duration);
        if devices > 1.0 {
            lines.push(format!(
                "one request on one of its {} GPUs: {} s",
                n(devices),
                n((server * devices).as_secs())
            ));
        }
        if item > server * devices {
            lines.push(format!(
                "counted as {} s, as measured: a single request hardly runs faster on a larger card",
                n(item.as_secs())
            ));
        }
        for m in &self.stage.measured {
            let busy = m.time.as_secs() / f64::from(figures.concurrency);
            lines.push(format!(
                "as measured on {}: {} per second × {} s = {} servers at the peak",
                m.label,
                n(peak),
                n(busy),
                (peak * busy - 1e-9 * peak * busy).ceil()
            ));
        }
        if let Some(decode) = self.stage.decode {
            let seconds = decode.as_secs();
            lines.push(match figures.decode {
                Some(d) => format!(
                    "decoding beside the GPU: {} s × {} per second = {} vCPUs at the peak; {} of the {} vCPUs of a server keep its GPU fed",
                    n(seconds),
                    n(peak),
                    n(d.at_peak),
                    n(d.to_feed),
                    n(d.has)
                ),
                None => format!("decoding: {} s of a vCPU per request, part of the work of the server", n(seconds)),
            });
        }
        let busy = figures.rate.map_or(0.0, |rate| 1.0 / rate);
        let why = match limit {
            ServiceLimit::Decoding => "s, at which its vCPUs decode,",
            _ if figures.concurrency > 1 && devices > 1.0 => "s, a request's time ÷ concurrency ÷ GPUs,",
            _ if figures.concurrency > 1 => "s, a request's time ÷ concurrency,",
            _ if devices > 1.0 => "s, a request's time ÷ GPUs,",
            _ => "s",
        };
        lines.push(format!(
            "servers at the peak: {} per second × {} {why} = {}, rounded up {at_peak}",
            n(peak),
            n(busy),
            n(peak * busy)
        ));
        lines.push(format!(
            "with {} % head-room: {} × {} = {}, rounded up {servers}",
            n(figures.headroom * 100.0),
            n(peak * busy),
            n(1.0 + figures.headroom),
            n(peak * busy * (1.0 + figures.headroom))
        ));
        lines
    }
}

fn hours(time: Hours) -> String {
    format!("{} h", significant(time.get(), 4))
}
