//! A search laid out: each trial on a slot of its own, which is a whole card, the part of one that is sold, a MIG
//! slice, or a general-purpose instance. What one trial needs decides the slot; two slices are never joined.
//!
//! One pool is one instance type cut one way. Its time is the rounds that the trials take, times the time of one trial.

use super::{Layout, Miss, Reason, Seat, StageCandidates, counts, enough, fit, longest, not_idle};
use crate::catalog::{Accelerator, Catalog, MigProfile};
use crate::duration::{Duration, Machine, Part, StageClock};
use crate::job::{Job, MeasuredOn, Measurement, Per, Stage, names_instance};
use crate::model::Model;
use crate::rules::Threshold;
use crate::units::{Bytes, Hours};
use crate::vram::floor::floor;
use crate::vram::trial::{TrialMemory, trial_memory};

/// What one trial has to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// A general-purpose instance.
    Machine,
    /// A whole card.
    Card,
    /// The part of a card that the provider sells as one.
    Share,
    /// A MIG slice: the profile's position in the card's list.
    Slice(u8),
}

/// How trials lie on the instances of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// What one trial has to itself.
    pub cut: Cut,
    /// Trials that one instance works on at once.
    pub slots: u32,
    /// Trials in all.
    pub trials: u32,
    /// Trials that each slot works on one after the other, at most.
    pub rounds: u32,
}

/// A stage of kind `tune`, ready to be laid out.
pub(super) struct Search<'a> {
    clock: StageClock,
    trials: u32,
    most: u32,
    longest: Hours,
    memory: Option<TrialMemory>,
    model: Option<&'a Model>,
}

impl<'a> Search<'a> {
    pub(super) fn new(job: &Job, stage: &'a Stage, catalog: &Catalog) -> Self {
        Self {
            clock: StageClock::new(&one_trial(stage, catalog), catalog),
            trials: trials(stage),
            most: stage.instances,
            longest: longest(job),
            memory: trial_memory(stage, job.thresholds.get(Threshold::GradientCopies)),
            model: stage.model.as_ref(),
        }
    }

    pub(super) fn into_clock(self) -> StageClock {
        self.clock
    }

    /// Every way to cut the instance, each with the instance counts that make a difference; what stood in the way of
    /// the first that cannot be.
    pub(super) fn lay_out(&self, seat: &Seat<'_>, found: &mut StageCandidates) -> Option<Miss> {
        let machine = Machine { instance: seat.instance, instances: 1 };
        let Some((gpu, card)) = seat.instance.gpu.zip(seat.card) else {
            let least = self.model.map_or(Bytes::ZERO, |model| floor(model, 1.0).total);
            let trial = enough(least, seat.instance.memory, Reason::HostMemory)
                .and_then(|()| Ok(self.clock.time_on(machine)?));
            return self.pools(seat, Cut::Machine, 1, trial, found);
        };
        let least = self.memory.map_or(Bytes::ZERO, |memory| memory.least);
        let trial = enough(least, fit::usable(card, gpu.count), Reason::MemoryFloor).and_then(|()| {
            let trial = self.clock.time_on(machine)?;
            not_idle(seat, &trial)?;
            Ok(trial)
        });
        let (cut, cards) = if gpu.count < 1.0 { (Cut::Share, 1) } else { (Cut::Card, whole(gpu.count)) };
        let miss = self.pools(seat, cut, cards, trial, found);
        if let (Cut::Card, Ok(_), Some(memory)) = (cut, trial, self.memory) {
            for (at, profile) in (0u8..).zip(&card.mig) {
                let part = part(card, profile);
                if part.compute < 1.0 && memory.wanted <= slice_memory(profile) {
                    let trial = self.clock.time_on_part(machine, part).map_err(Miss::from);
                    let slots = cards * u32::from(profile.count);
                    self.pools(seat, Cut::Slice(at), slots, trial, found);
                }
            }
        }
        miss
    }

    /// The pools of one cut, by number of instances.
    fn pools(
        &self,
        seat: &Seat<'_>,
        cut: Cut,
        slots: u32,
        trial: Result<Duration, Miss>,
        found: &mut StageCandidates,
    ) -> Option<Miss> {
        let trial = match trial {
            Ok(trial) => trial,
            Err(miss) => return Some(miss),
        };
        let (mut miss, mut last) = (None, 0);
        let slots = slots.max(1);
        for count in counts(self.most.min(self.trials.div_ceil(slots))) {
            let rounds = self.trials.div_ceil(slots.saturating_mul(count));
            if rounds == last {
                continue;
            }
            last = rounds;
            let time = trial.time.map(|t| t * f64::from(rounds));
            if time.expected > self.longest {
                let slow = Miss::too_slow(self.longest, time.expected);
                miss = Some(miss.map_or(slow, |first: Miss| first.or(slow)));
                continue;
            }
            // The fewest instances that take no more rounds.
            let count = self.trials.div_ceil(slots.saturating_mul(rounds));
            let pool = Pool { cut, slots, trials: self.trials, rounds };
            found.push(seat, count, Duration { time, ..trial }, Layout::Pool(pool));
        }
        miss
    }
}

fn trials(stage: &Stage) -> u32 {
    stage.trials.unwrap_or(1).max(1)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn whole(count: f64) -> u32 {
    count.floor() as u32
}

/// A profile's share of its card. Of the arithmetic it has so many of the card's slices (7, on some cards 4); of the
/// bandwidth as much as of the memory.
pub fn part(card: &Accelerator, profile: &MigProfile) -> Part {
    let all = card.mig.iter().map(|p| p.slices).max().unwrap_or(1).max(1);
    Part {
        compute: (f64::from(profile.slices) / f64::from(all)).min(1.0),
        memory: (profile.memory.as_f64() / card.memory.as_f64()).min(1.0),
    }
}

/// Share of a slice's nominal memory that a program can use. From memory: about 95 %.
const SLICE_USABLE: f64 = 0.95;

/// Memory that a program can use of a slice.
pub fn slice_memory(profile: &MigProfile) -> Bytes {
    profile.memory.scaled(SLICE_USABLE)
}

/// The stage of a single trial. A measurement of the whole search becomes that of one of the rounds that it took;
/// one of a trial is that of a trial on one device, however many the machine has.
fn one_trial(stage: &Stage, catalog: &Catalog) -> Stage {
    let trials = f64::from(trials(stage));
    let measured = stage
        .measured
        .iter()
        .map(|m| {
            let parts = match m.per {
                Per::Stage => (trials / devices(m, catalog) - 1e-9).ceil().max(1.0),
                Per::Trial | Per::Epoch | Per::Item => trials,
            };
            Measurement { time: m.time / parts, instances: 1, ..m.clone() }
        })
        .collect();
    Stage { trials: Some(1), measured, ..stage.clone() }
}

/// Devices on which a measurement was made: cards, or general-purpose instances.
fn devices(measured: &Measurement, catalog: &Catalog) -> f64 {
    let of_one = match &measured.on {
        MeasuredOn::Gpu { count, .. } => *count,
        MeasuredOn::Vcpus(_) => 1.0,
        MeasuredOn::Instance { provider, instance } => catalog
            .instances
            .iter()
            .find(|i| {
                let seller = catalog.provider(i.provider).map_or("", |p| &*p.name);
                match provider {
                    Some(provider) => seller == provider && *i.name == **instance,
                    None => names_instance(instance, seller, &i.name),
                }
            })
            .map_or(1.0, super::super::catalog::offer::Instance::gpu_count),
    };
    of_one.max(1.0) * f64::from(measured.instances.max(1))
}
