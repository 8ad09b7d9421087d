//! What a candidate's layout comes to: the pool of a search, the servers of a service.

mod service;

use crate::catalog::{Accelerator, Catalog, Instance};
use crate::decide::{Candidate, Cut, Layout, Pool, StageCandidates, fit, pool};
use crate::duration::{Machine, StageClock};
use crate::job::{Class, Job, Stage};
use crate::plan::{MemoryFigures, PoolFigures, SlotUnit};
use crate::rules::Threshold;
use crate::units::Hours;
use crate::units::number::{significant, things};
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

    /// How the time came about, line by line.
    pub(super) fn derivation(self, clock: &StageClock, trial: Option<&StageClock>) -> Vec<String> {
        let machine = |instances| Machine { instance: self.instance, instances };
        let duration = &self.candidate.duration;
        match (&self.candidate.layout, trial) {
            (Layout::Pool(pool), Some(trial)) => self.trial_derivation(*pool, trial),
            (Layout::Service(_), _) => {
                // The candidate's time is that on one GPU; the clock tells the whole server's.
                let server = clock.time_on(machine(1));
                let mut lines = match &server {
                    Ok(server) => clock.derivation(machine(1), server),
                    Err(_) => vec!["no time of a request is known: one server, by rule of thumb".to_owned()],
                };
                lines.extend(self.servers_derivation(server.unwrap_or(*duration).time.expected));
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
                "{} × {} = {}",
                things(significant(figures.gpus, 4), "GPU"),
                hours(self.candidate.duration.time.expected),
                things(significant(figures.gpu_hours, 4), "GPU hour")
            ));
        }
        lines
    }
}

fn hours(time: Hours) -> String {
    format!("{} h", significant(time.get(), 4))
}
