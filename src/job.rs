//! The question, fully resolved: every value is there or known to be absent, with where it came from.

mod alike;
mod demand;

pub use crate::terms::{
    Aim, CheckpointTo, Class, GpuSupport, Load, Network, Per, Purchase, StageKind, Urgency,
};
pub use alike::Alike;
pub use demand::{DAY, Demand, Latency};

use crate::catalog::{AcceleratorId, Stack};
use crate::diag::Place;
use crate::model::Model;
use crate::thresholds::Thresholds;
use crate::units::{Bytes, Currency, Date, Hours, Money};

/// What a measurement was made on.
#[derive(Debug, Clone, PartialEq)]
pub enum MeasuredOn {
    /// A named instance type.
    Instance {
        /// The provider, where stated.
        provider: Option<String>,
        /// The type.
        instance: String,
    },
    /// So many of a card, in whatever instance.
    Gpu {
        /// The card.
        accelerator: AcceleratorId,
        /// How many.
        count: f64,
    },
    /// A general-purpose machine with so many vCPUs.
    Vcpus(f64),
}

/// A measured duration of the stage's whole work, on one machine or `instances` of them that share it. For a
/// search that is the sum over its trials, one after the other. For a service, which has no end, it is the time of one
/// request on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// On what.
    pub on: MeasuredOn,
    /// As the user wrote it.
    pub label: String,
    /// Time of the whole stage there; of one request for a service.
    pub time: Hours,
    /// What the time was taken for, as stated.
    pub per: Per,
    /// How many such machines worked at once.
    pub instances: u32,
    /// Where it was stated.
    pub place: Place,
}

/// Saved state from which a stage resumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checkpoint {
    /// Time of work between two checkpoints; `None`: the best interval is to be found.
    pub every: Option<Hours>,
    /// Time that writing one takes, during which the work waits.
    pub takes: Hours,
    /// Whether it outlives the instance (object storage, network disk). One on a local disk does not.
    pub durable: bool,
    /// Whether one is written when the provider announces that it takes the instance.
    pub on_notice: bool,
}

/// What the user knows of spot capacity, over the catalog's figures.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpotFacts {
    /// Interruptions of one instance per hour of running.
    pub interruptions_per_hour: Option<f64>,
    /// Age at which an instance is always taken back.
    pub lifetime: Option<Hours>,
    /// Age before which it is not taken back.
    pub protection: Option<Hours>,
}

/// One stage of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: StageKind,
    /// Positions of the stages that it waits for.
    pub after: Vec<usize>,
    /// Samples that it works on, where known.
    pub samples: Option<f64>,
    /// Size of the data that it reads, where known.
    pub size: Option<Bytes>,
    /// How often its data is brought from where it lies: once, or for every epoch.
    pub reads: f64,
    /// Size of what it hands on to the stages after it, where known.
    pub output: Option<Bytes>,
    /// Passes over the data.
    pub epochs: f64,
    /// Trials of a search.
    pub trials: Option<u32>,
    /// Requests per second of a service at its peak.
    pub requests_per_second: Option<f64>,
    /// What a service is asked for beside it.
    pub demand: Demand,
    /// Requests that one server of a service works on at once.
    pub concurrency: u32,
    /// Playing time of the videos that are transcoded.
    pub video: Option<Hours>,
    /// Measured durations.
    pub measured: Vec<Measurement>,
    /// GPU memory that one device (or one trial) was seen to take; it outranks the estimate.
    pub measured_memory: Option<Bytes>,
    /// CPU work in core-hours (a physical core of reference speed), where stated.
    pub core_hours: Option<f64>,
    /// Time that one vCPU takes to read and prepare one sample beside the GPU.
    pub decode: Option<Hours>,
    /// GPU utilisation seen while it ran, a share from 0 to 1.
    pub gpu_utilisation: Option<f64>,
    /// Whether main memory rather than arithmetic limits its CPU work.
    pub memory_bound: bool,
    /// Whether the work splits into many alike, independent units (B-Q1).
    pub parallel: bool,
    /// Share of CPU work that runs in parallel over cores (Amdahl).
    pub parallel_share: f64,
    /// GPU version of the software (B-Q2).
    pub gpu_support: GpuSupport,
    /// What time is worth (A-L3).
    pub urgency: Urgency,
    /// Whether the load is steady (B-Q3).
    pub load: Load,
    /// Whether losing an instance is harmless.
    pub tolerates_interruption: bool,
    /// Saved state, if any.
    pub checkpoint: Option<Checkpoint>,
    /// What is known of spot capacity for it.
    pub spot: SpotFacts,
    /// Hours of work to port it to a GPU (B-C2).
    pub migration_hours: Option<f64>,
    /// Time from launching an instance to the first work on it, where stated.
    pub startup: Option<Hours>,
    /// Time to copy its data to an instance after each launch, before the work starts; zero where none is copied.
    pub staging: Hours,
    /// A cost that comes with the stage whatever is rented, per run.
    pub fixed_cost: Option<Money>,
    /// What joins several machines that share one training, where stated.
    pub network: Option<Network>,
    /// Most instances that may work on it at once; [`Stage::NO_LIMIT`] where nothing limits them.
    pub instances: u32,
    /// Least vCPUs of one instance.
    pub min_vcpus: Option<f64>,
    /// Least main memory of one instance.
    pub min_memory: Option<Bytes>,
    /// Pinned purchase option.
    pub purchase: Option<Purchase>,
    /// Pinned class.
    pub class: Option<Class>,
    /// Pinned instance type, as `name` or `provider/name`.
    pub instance: Option<String>,
    /// Pinned accelerator.
    pub gpu: Option<AcceleratorId>,
    /// The model, where the stage has one.
    pub model: Option<Model>,
    /// Software stacks on which it runs.
    pub stacks: Vec<Stack>,
    /// Where the stage stands in the file.
    pub place: Place,
}

impl Stage {
    /// The number of `instances` that stands for "no limit".
    pub const NO_LIMIT: u32 = u32::MAX;

    /// A stage of which nothing is stated but its kind: one pass, one instance, software with a mature GPU version on
    /// CUDA, 95 % of CPU work in parallel.
    pub fn bare(kind: StageKind, place: Place) -> Self {
        Self {
            name: String::new(),
            kind,
            after: Vec::new(),
            samples: None,
            size: None,
            reads: 1.0,
            output: None,
            epochs: 1.0,
            trials: None,
            requests_per_second: None,
            demand: Demand::default(),
            concurrency: 1,
            video: None,
            measured: Vec::new(),
            measured_memory: None,
            core_hours: None,
            decode: None,
            gpu_utilisation: None,
            memory_bound: false,
            parallel: false,
            parallel_share: 0.95,
            gpu_support: GpuSupport::Mature,
            urgency: Urgency::Iteration,
            load: Load::Steady,
            tolerates_interruption: false,
            checkpoint: None,
            spot: SpotFacts::default(),
            migration_hours: None,
            startup: None,
            staging: Hours::ZERO,
            fixed_cost: None,
            network: None,
            instances: 1,
            min_vcpus: None,
            min_memory: None,
            purchase: None,
            class: None,
            instance: None,
            gpu: None,
            model: None,
            stacks: vec![Stack::Cuda],
            place,
        }
    }

    /// What is brought to it from where the data lies, in all.
    pub fn brought(&self) -> Option<Bytes> {
        self.size.map(|size| size.scaled(self.reads))
    }

    /// Whether it may run on an instance type as far as `instance` pins one.
    pub fn admits_instance(&self, provider: &str, instance: &str) -> bool {
        self.instance.as_deref().is_none_or(|pin| names_instance(pin, provider, instance))
    }
}

/// Whether `text` (`name` or `provider/name`) names this instance type.
pub fn names_instance(text: &str, provider: &str, instance: &str) -> bool {
    text == instance || text.split_once('/').is_some_and(|(p, i)| p == provider && i == instance)
}

/// Where data lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The provider.
    pub provider: String,
    /// The region.
    pub region: String,
}

/// What the plan must stay within.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Most that one run may cost.
    pub budget: Option<Money>,
    /// Most that a month may cost.
    pub monthly_budget: Option<Money>,
    /// Longest time from start to end of one run.
    pub deadline: Option<Hours>,
    /// What to have least of within these limits.
    pub aim: Aim,
    /// Chance with which a run must meet the deadline, a share above 0 and below 1.
    pub confidence: Option<f64>,
}

/// Where may be rented.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Where {
    /// Providers; empty for all.
    pub providers: Vec<String>,
    /// Regions as `region` or `provider/region`; empty for all.
    pub regions: Vec<String>,
    /// Excluded providers, regions, instances, `provider/region` or `provider/instance` names.
    pub excluded: Vec<String>,
    /// Discount per provider, a share from 0 to 1, in order of names.
    pub discounts: Vec<(String, f64)>,
    /// Machines that are there and paid already.
    pub owned: Vec<Owned>,
}

/// Machines of one type that are there and paid already: to use them costs nothing more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    /// The provider.
    pub provider: String,
    /// The instance type.
    pub instance: String,
    /// Where they are; `None` where that is not stated: then wherever the type is sold.
    pub region: Option<String>,
    /// How many.
    pub count: u32,
}

impl Where {
    /// Whether everything may be rented.
    pub fn is_open(&self) -> bool {
        self.providers.is_empty() && self.regions.is_empty() && self.excluded.is_empty()
    }

    /// Whether an instance type may be rented in a region.
    pub fn allows(&self, provider: &str, region: &str, instance: &str) -> bool {
        let is_region = |name: &String| names_instance(name, provider, region);
        (self.providers.is_empty() || self.providers.iter().any(|p| p == provider))
            && (self.regions.is_empty() || self.regions.iter().any(is_region))
            && !self
                .excluded
                .iter()
                .any(|name| name == provider || is_region(name) || names_instance(name, provider, instance))
    }

    /// How many machines of a type are owned, those with a place only where `region` is theirs; of all places for
    /// `None`.
    pub fn owns(&self, provider: &str, instance: &str, region: Option<&str>) -> u32 {
        let here = |own: &&Owned| match (&own.region, region) {
            (Some(place), Some(region)) => place == region,
            _ => true,
        };
        let alike = |own: &&Owned| own.provider == provider && own.instance == instance;
        self.owned.iter().filter(alike).filter(here).map(|own| own.count).fold(0, u32::saturating_add)
    }

    /// Whether it is told where each owned machine of a type stands.
    pub fn placed(&self, provider: &str, instance: &str) -> bool {
        let alike = |own: &&Owned| own.provider == provider && own.instance == instance;
        self.owned.iter().filter(alike).all(|own| own.region.is_some())
    }

    /// Whether the provider or the region is named, so that even old prices take part.
    pub fn names(&self, provider: &str, region: &str) -> bool {
        self.providers.iter().any(|p| p == provider)
            || self.regions.iter().any(|r| names_instance(r, provider, region))
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A command-line flag.
    Flag,
    /// The workload file.
    File(Place),
    /// A model's own description.
    Model(String),
    /// A default, with its reason.
    Default(String),
}

/// One resolved value, for the explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its key: `train.precision`.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

impl Setting {
    /// Whether the value is a guess, which a figure that rests on it must say.
    pub fn is_guess(&self) -> bool {
        matches!(&self.origin, Origin::Default(reason) if reason.starts_with("a guess"))
    }
}

/// The whole question.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Name of the workload.
    pub name: String,
    /// Currency of the plan.
    pub currency: Currency,
    /// The day from which prices' ages count.
    pub today: Date,
    /// A price older than this many months takes part only where its provider or region is named.
    pub stale_after_months: u32,
    /// Limits.
    pub limits: Limits,
    /// Runs per month; `None` for a single run.
    pub runs_per_month: Option<f64>,
    /// Runs in the first month, the second, and so on, where the months are stated; `runs_per_month` is then their mean.
    pub schedule: Vec<f64>,
    /// What an hour of a person's work costs, where stated.
    pub labour_per_hour: Option<Money>,
    /// Where the data lies, if stated.
    pub data_location: Option<Location>,
    /// Size of the data set.
    pub data_size: Option<Bytes>,
    /// Samples in the data set.
    pub samples: Option<f64>,
    /// Where may be rented.
    pub place: Where,
    /// Stages in file order; `after` refers to earlier or later ones, without cycles.
    pub stages: Vec<Stage>,
    /// The rules' thresholds.
    pub thresholds: Thresholds,
    /// Every resolved value with its origin, in the order of the file.
    pub settings: Vec<Setting>,
}

impl Job {
    /// Runs in all, where the months are stated.
    pub fn runs_in_all(&self) -> Option<f64> {
        (!self.schedule.is_empty()).then(|| self.schedule.iter().sum())
    }

    /// Runs in the month that has most of them.
    pub fn most_runs(&self) -> Option<f64> {
        self.schedule.iter().copied().reduce(f64::max).or(self.runs_per_month)
    }

    /// The discount that applies to a provider, a share from 0 to 1.
    pub fn discount(&self, provider: &str) -> f64 {
        self.place.discounts.iter().find(|(name, _)| name == provider).map_or(0.0, |(_, share)| *share)
    }
}
