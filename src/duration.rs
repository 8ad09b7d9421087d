//! A stage and a machine in, a duration with its evidence and its band out.
//!
//! Every machine has an *effort*: the hours that it takes for what the reference does in one hour. The reference is
//! one A100-80GB for work on GPUs and one physical core of an AWS m5 for work on CPUs. A time that is known somewhere
//! (measured, published, or worked out from arithmetic), times the effort here, over the effort there, is the time
//! here. CPU and GPU are never compared through efforts: each class has its own evidence or none.

mod anchor;
mod cards;
mod cores;
mod derivation;
mod estimate;
mod overhead;
mod part;
pub mod pipeline;
mod published;
mod ratios;
mod several;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use anchor::combined;
pub use estimate::token::matmul_ceiling;
pub use part::Part;
pub use ratios::Ratios;
pub(crate) use work::INSTRUCTION_FILL;

use crate::catalog::{AcceleratorId, Catalog, Counts, Instance};
use crate::job::{Class, GpuSupport, Stage, StageKind};
use crate::names::named;
use crate::units::{Band, Hours};
use anchor::{Anchors, Source};
use cards::Cards;
use cores::{Chips, Cores, Limit};
use pipeline::{Fed, Feed};
use several::Spreading;

named! {
    /// How a duration is known, from best to worst.
    pub enum Evidence {
        /// Measured on that machine.
        Measured = "measured",
        /// Measured on another machine and scaled.
        Scaled = "scaled",
        /// Published for the same architecture, precision and mode, and scaled where the accelerator is another one.
        Published = "published",
        /// From arithmetic and published utilisation.
        Estimated = "estimated",
        /// From a rate that holds for such work in general.
        RuleOfThumb = "rule-of-thumb",
    }
}

/// So many instances of one type, working on the stage at once.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The type.
    pub instance: &'a Instance,
    /// How many.
    pub instances: u32,
}

/// Pure working time of a stage on a machine: without start-up, billing rules and interruptions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duration {
    /// The time, with the band that is meant to hold the truth nine times out of ten.
    pub time: Band<Hours>,
    /// How it is known.
    pub evidence: Evidence,
    /// On which class of hardware the stage runs here.
    pub class: Class,
    /// The known time that it was worked out from.
    pub known: Hours,
    /// Factor by which the CPUs that feed the accelerators are too slow; 1 where they keep up or are not known.
    pub starved: f64,
    /// Factor of the band.
    pub spread: f64,
}

/// What a duration was worked out from, for its derivation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Basis {
    /// Where the known time comes from.
    source: Source,
    /// Effort of the machine on which it is known; 1 for the reference.
    there: f64,
    /// Effort of this machine.
    here: f64,
    /// Factor for what a whole run takes beyond its steps; 1 where the known time has it in.
    stretch: f64,
    /// Part of the known time that is the same on every machine.
    fixed: Hours,
}

/// Why there is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDuration {
    /// A fact is missing: which one.
    Needs(&'static str),
    /// The stage cannot run so: why.
    Unsuitable(&'static str),
}

impl std::fmt::Display for NoDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Needs(what) => write!(f, "the duration is unknown: give {what}"),
            Self::Unsuitable(why) => f.write_str(why),
        }
    }
}

/// What a clock is asked to go by, beside the stage itself.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Whether whole runs are meant, with start, evaluation and checkpoints; false for bare rates.
    pub whole_job: bool,
    /// Whether published rates of the architecture may be used.
    pub published: bool,
    /// Utilisation of the card's half-precision peak, where the user knows it.
    pub utilisation: Option<f64>,
    /// What one vCPU prepares for the accelerators, where that is known: then a machine whose vCPUs do not keep up is as
    /// slow as they are.
    pub feed: Option<Feed>,
    /// Measured ratios between cards.
    pub ratios: Ratios,
}

impl Default for Terms {
    fn default() -> Self {
        Self { whole_job: true, published: true, utilisation: None, feed: None, ratios: Ratios::embedded() }
    }
}

/// Everything about a stage that its times depend on, prepared once so that [`StageClock::time_on`] is arithmetic.
#[derive(Debug, Clone)]
pub struct StageClock {
    uses_gpu: bool,
    whole_job: bool,
    parallel_share: f64,
    spreading: Spreading,
    cards: Cards,
    chips: Chips,
    anchors: Anchors,
    /// Samples that go through the model, where known.
    samples: Option<f64>,
    /// What feeds the accelerators, and how many samples go through.
    feed: Option<(Feed, f64)>,
    /// Whether the work is one trial, beside which each further accelerator of the machine works on another.
    one_trial: bool,
}

impl StageClock {
    /// Prepares a stage for the machines of a catalog.
    pub fn new(stage: &Stage, catalog: &Catalog) -> Self {
        Self::with(stage, catalog, &Terms::default())
    }

    /// The same on other terms.
    pub fn with(stage: &Stage, catalog: &Catalog, terms: &Terms) -> Self {
        let limit = if stage.memory_bound { Limit::Memory } else { Limit::Cores };
        let mut clock = Self {
            uses_gpu: uses_gpu(stage, catalog),
            whole_job: terms.whole_job,
            parallel_share: stage.parallel_share.clamp(0.0, 1.0),
            spreading: Spreading::new(stage, terms.whole_job),
            cards: if stage.kind == StageKind::Transcode {
                Cards::of_encoders(catalog)
            } else {
                Cards::new(stage.model.as_ref(), catalog, &terms.ratios)
            },
            chips: Chips::new(catalog, limit),
            anchors: Anchors::default(),
            samples: estimate::samples(stage).ok(),
            feed: terms
                .feed
                .or(Feed::of(stage))
                .and_then(|feed| Some((feed, estimate::samples(stage).ok()?))),
            one_trial: stage.kind == StageKind::Tune && stage.trials == Some(1),
        };
        clock.anchors = Anchors::new(stage, catalog, &clock, terms.published, terms.utilisation);
        clock
    }

    /// Whether the stage computes on the accelerators of a machine that has them.
    pub const fn uses_gpu(&self) -> bool {
        self.uses_gpu
    }

    /// What of a machine its time depends on.
    pub const fn counts(&self) -> Counts {
        if self.uses_gpu && self.feed.is_none() { Counts::Cards } else { Counts::All }
    }

    /// Whether the time on an instance type is its own, and not that of all machines of its kind.
    pub fn singles_out(&self, instance: &Instance) -> bool {
        self.anchors.name(instance)
    }

    /// The time of the whole stage on a machine.
    pub fn time_on(&self, machine: Machine<'_>) -> Result<Duration, NoDuration> {
        let (duration, _) = self.unfed(machine)?;
        Ok(self.fed(machine).map_or(duration, |fed| fed.limit(duration)))
    }

    /// The time of the whole stage on a machine whose accelerators never wait for data.
    fn unfed(&self, machine: Machine<'_>) -> Result<(Duration, Basis), NoDuration> {
        let effort = self.effort(machine)?;
        self.anchors.nearest(self, machine.instance, &effort)
    }

    /// How the accelerators of a machine are fed, where that is known.
    fn fed(&self, machine: Machine<'_>) -> Option<Supply> {
        let (feed, samples) = self.feed?;
        let gpu = machine.instance.gpu.filter(|_| self.uses_gpu)?;
        let machines = f64::from(machine.instances);
        let share = if self.one_trial { gpu.count.max(1.0) } else { 1.0 };
        let (vcpus, links) = (machine.instance.vcpus * machines / share, gpu.count * machines / share);
        Some(Supply { feed, samples, vcpus, links })
    }

    /// How well the machine's vCPUs feed its accelerators while the stage takes `duration`; `None` where nothing is known
    /// of the feeding.
    pub fn feeding(&self, machine: Machine<'_>, duration: &Duration) -> Option<Fed> {
        Some(self.fed(machine)?.of(duration))
    }

    /// The duration as a formula with numbers and units, line by line, to be redone with a pocket calculator.
    pub fn derivation(&self, machine: Machine<'_>, duration: &Duration) -> Vec<String> {
        derivation::write(self, machine, duration)
    }

    /// What the machine takes for an hour of the reference's work.
    fn effort(&self, machine: Machine<'_>) -> Result<Effort, NoDuration> {
        match machine.instance.gpu {
            Some(gpu) if self.uses_gpu => self.gpu_effort(gpu.accelerator, gpu.count, machine.instances),
            _ => self.cpu_effort(self.chips.cores(machine.instance), machine.instances),
        }
    }

    fn gpu_effort(&self, id: AcceleratorId, count: f64, instances: u32) -> Result<Effort, NoDuration> {
        let card =
            self.cards.get(id).ok_or(NoDuration::Unsuitable("the accelerator is not in the catalog"))?;
        let devices = self.spreading.devices(count, card.linked, instances)?;
        Ok(Effort {
            hardware: Hardware::Gpu { card: id, count },
            instances,
            hours: 1.0 / (card.speed * devices),
            doubt: card.doubt,
        })
    }

    fn cpu_effort(&self, cores: Cores, instances: u32) -> Result<Effort, NoDuration> {
        let machines = self.spreading.machines(instances)?;
        Ok(Effort {
            hardware: Hardware::Cpu(cores),
            instances,
            hours: cores.effort(self.parallel_share) / machines,
            doubt: cores.doubt(),
        })
    }
}

/// A factor within which the preparation rate of a vCPU is known.
const FEED_SPREAD: f64 = 2.0;

/// What feeds the accelerators of one machine.
struct Supply {
    feed: Feed,
    samples: f64,
    vcpus: f64,
    links: f64,
}

impl Supply {
    fn of(&self, duration: &Duration) -> Fed {
        let unfed = duration.time.expected.as_secs() / duration.starved;
        self.feed.supply(self.samples / unfed, self.vcpus, self.links)
    }

    /// The duration, lengthened where the vCPUs do not keep up. What was measured on the machine has its waiting in it.
    fn limit(&self, duration: Duration) -> Duration {
        let fed = self.of(&duration);
        if duration.evidence == Evidence::Measured
            || fed.utilisation >= 1.0
            || !duration.time.expected.is_finite()
        {
            return duration;
        }
        let starved = 1.0 / fed.utilisation;
        let slower = Band::exact(duration.time.expected * starved).widened(FEED_SPREAD);
        // What the accelerator needs at least still binds.
        let time = Band { low: slower.low.max(duration.time.low), ..slower };
        Duration { time, starved, ..duration }
    }
}

/// Whether the stage computes on the accelerators of a machine that has them.
pub fn uses_gpu(stage: &Stage, catalog: &Catalog) -> bool {
    stage.gpu_support != GpuSupport::None
        && (stage.kind.runs_model()
            || stage.kind == StageKind::Transcode
            || anchor::measured_on_gpu(stage, catalog))
}

/// Hours that a machine takes for one hour of the reference's work.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Effort {
    hardware: Hardware,
    instances: u32,
    hours: f64,
    /// Factor by which the speed of this hardware may be off against others of its class.
    doubt: f64,
}

/// What does the work.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hardware {
    Gpu { card: AcceleratorId, count: f64 },
    Cpu(Cores),
}

impl Hardware {
    const fn class(self) -> Class {
        match self {
            Self::Gpu { .. } => Class::Gpu,
            Self::Cpu(_) => Class::Cpu,
        }
    }
}
