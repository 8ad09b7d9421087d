//! `[[stage]]` as written, with its measurements and its checkpoint.

use super::{RawModel, RawSpot};
use crate::diag::{Diagnostics, Place};
use crate::names::Named;
use crate::read::Located;
use crate::read::table::Fields;
use crate::terms::{
    CheckpointTo, Class, GpuSupport, Load, Network, Per, Purchase, Stack, StageKind, Urgency,
};
use crate::units::{Amount, Bytes, BytesPerSecond, Hours, Rate};

/// `[[stage]]`: one step of the job.
#[derive(Debug, Clone)]
pub struct RawStage {
    /// Where it stands.
    pub place: Place,
    /// Keys that the table states, misspelt ones as what they most likely mean.
    pub stated: Vec<String>,
    /// `name`: its name, unique in the file.
    pub name: Option<Located<String>>,
    /// `kind`: what it does.
    pub kind: Option<Located<StageKind>>,
    /// `after`: names of the stages that it waits for.
    pub after: Vec<Located<String>>,
    /// `samples`: samples that it works on, where it is not the whole data set.
    pub samples: Option<Located<f64>>,
    /// `tokens`: tokens that it works on, instead of `samples`.
    pub tokens: Option<Located<f64>>,
    /// `size`: size of the data that it reads, where it is not the whole data set.
    pub size: Option<Located<Bytes>>,
    /// `output`: size of what it hands on to the stages after it.
    pub output: Option<Located<Bytes>>,
    /// `epochs`: passes over the data.
    pub epochs: Option<Located<f64>>,
    /// `trials`: trials of a search; `samples` and `epochs` are those of one trial.
    pub trials: Option<Located<u32>>,
    /// `requests_per_second`: peak rate of a service.
    pub requests_per_second: Option<Located<f64>>,
    /// `profile`: requests per second of a service in each of the 24 hours of the day, from midnight on.
    pub profile: Option<Located<[f64; 24]>>,
    /// `steady`: requests per second of a service outside its peak hours.
    pub steady: Option<Located<f64>>,
    /// `peak_hours`: hours of the day in which a service has its peak rate; `steady` in the others.
    pub peak_hours: Option<Located<u32>>,
    /// `latency`: longest time of an answer of a service, wait and work together.
    pub latency: Option<Located<Hours>>,
    /// `latency_percentile`: percentage of the answers for which `latency` must hold.
    pub latency_percentile: Option<Located<f64>>,
    /// `time_variation`: standard deviation of the time of a request over its mean.
    pub time_variation: Option<Located<f64>>,
    /// `concurrency`: requests that one server of a service works on at once.
    pub concurrency: Option<Located<u32>>,
    /// `video`: playing time of the videos that are transcoded.
    pub video: Option<Located<Hours>>,
    /// `measured`: measured times or rates, such as `[{ on = "T4", time = "50h" }]`.
    pub measured: Vec<RawMeasured>,
    /// `measured_memory`: GPU memory that one device (or one trial) was seen to take.
    pub measured_memory: Option<Located<Bytes>>,
    /// `core_hours`: CPU work in hours of one physical core of an AWS m5.
    pub core_hours: Option<Located<f64>>,
    /// `decode`: time that one vCPU takes to read and prepare one sample beside the GPU (B-K7, A-U2).
    pub decode: Option<Located<Hours>>,
    /// `gpu_utilisation`: GPU utilisation seen while it ran, from 0 to 1 (A-U1).
    pub gpu_utilisation: Option<Located<f64>>,
    /// `parallel`: whether the work splits into many alike, independent units (B-Q1).
    pub parallel: Option<Located<bool>>,
    /// `parallel_share`: share of the CPU work that runs in parallel over cores, from 0 to 1 (Amdahl).
    pub parallel_share: Option<Located<f64>>,
    /// `memory_bound`: whether main memory rather than arithmetic limits its CPU work.
    pub memory_bound: Option<Located<bool>>,
    /// `network`: what joins several machines that share one training.
    pub network: Option<Located<Network>>,
    /// `gpu_support`: whether the software has a GPU version (B-Q2).
    pub gpu_support: Option<Located<GpuSupport>>,
    /// `stacks`: the accelerators' software on which it runs.
    pub stacks: Option<Vec<Located<Stack>>>,
    /// `urgency`: what time is worth (A-L3).
    pub urgency: Option<Located<Urgency>>,
    /// `load`: whether the load is steady (B-Q3).
    pub load: Option<Located<Load>>,
    /// `tolerates_interruption`: whether losing an instance is harmless (A-S2).
    pub tolerates_interruption: Option<Located<bool>>,
    /// `checkpoint`: saved state from which it resumes, such as `{ every = "20m", takes = "30s" }` (A-S3).
    pub checkpoint: Option<RawCheckpoint>,
    /// `spot`: what is known of spot capacity, such as `{ interruptions_per_hour = 0.1 }`.
    pub spot: Option<RawSpot>,
    /// `migration_hours`: hours of a person's work to port it to a GPU (B-C2).
    pub migration_hours: Option<Located<f64>>,
    /// `startup`: time from launching an instance to the first work on it.
    pub startup: Option<Located<Hours>>,
    /// `bandwidth`: rate at which its data is copied to each machine before the work starts.
    pub bandwidth: Option<Located<BytesPerSecond>>,
    /// `staged`: whether its data is brought once per run, not again for every epoch (A-R1).
    pub staged: Option<Located<bool>>,
    /// `fixed_cost`: a cost that comes with each run of the stage, whatever is rented.
    pub fixed_cost: Option<Located<Amount>>,
    /// `instances`: most instances that may work on it at once.
    pub instances: Option<Located<u32>>,
    /// `min_vcpus`: least vCPUs of one instance.
    pub min_vcpus: Option<Located<f64>>,
    /// `min_memory`: least main memory of one instance.
    pub min_memory: Option<Located<Bytes>>,
    /// `purchase`: the only way to buy it.
    pub purchase: Option<Located<Purchase>>,
    /// `class`: the only class of machine.
    pub class: Option<Located<Class>>,
    /// `instance`: the only instance type, as name or provider/name.
    pub instance: Option<Located<String>>,
    /// `gpu`: the only accelerator.
    pub gpu: Option<Located<String>>,
    /// `model`: its own model, key by key over `[model]`.
    pub model: Option<RawModel>,
}

/// One entry of `measured`.
#[derive(Debug, Clone)]
pub struct RawMeasured {
    /// Where it stands.
    pub place: Place,
    /// Keys that it states.
    pub stated: Vec<String>,
    /// `on`: an instance type (`aws/c5.2xlarge`), a GPU (`T4`, `8xA100-80GB`) or vCPUs (`8 vCPU`).
    pub on: Option<Located<String>>,
    /// `time`: how long it took.
    pub time: Option<Located<Hours>>,
    /// `rate`: throughput of all `instances` together, instead of `time`; needs the number of samples.
    pub rate: Option<Located<Rate>>,
    /// `per`: what `time` was taken for: the whole stage, one epoch, one trial or one item.
    pub per: Option<Located<Per>>,
    /// `instances`: how many such machines worked at once.
    pub instances: Option<Located<u32>>,
}

/// `checkpoint`: saved state.
#[derive(Debug, Clone)]
pub struct RawCheckpoint {
    /// Where it stands.
    pub place: Place,
    /// `every`: time of work between two checkpoints; the best interval is found when it is not given.
    pub every: Option<Located<Hours>>,
    /// `takes`: time that writing one takes, during which the work waits.
    pub takes: Option<Located<Hours>>,
    /// `bandwidth`: rate at which the state is written, where `takes` is not given.
    pub bandwidth: Option<Located<BytesPerSecond>>,
    /// `to`: whether it outlives the instance.
    pub to: Option<Located<CheckpointTo>>,
    /// `on_notice`: whether one is written too when the provider announces that it takes the instance.
    pub on_notice: Option<Located<bool>>,
}

/// Each stage's name, or its kind where it has none. A kind used twice without names gets a number.
pub fn names(stages: &[RawStage]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(stages.len());
    for (at, stage) in stages.iter().enumerate() {
        let name = match (&stage.name, &stage.kind) {
            (Some(name), _) => name.value.clone(),
            (None, Some(kind)) if !names.iter().any(|n| n == kind.value.name()) => kind.value.to_string(),
            (None, Some(kind)) => format!("{}-{}", kind.value, at + 1),
            (None, None) => format!("stage-{}", at + 1),
        };
        names.push(name);
    }
    names
}

impl RawStage {
    pub(super) fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let mut raw = Self {
            place: fields.place().clone(),
            stated: Vec::new(),
            name: fields.text("name", diags),
            kind: fields.named("kind", diags),
            after: fields.texts("after", diags).unwrap_or_default(),
            samples: fields.count("samples", diags),
            tokens: fields.count("tokens", diags),
            size: fields.quantity("size", diags),
            output: fields.quantity("output", diags),
            epochs: fields.count("epochs", diags),
            trials: fields.whole("trials", (1, 1_000_000), diags),
            requests_per_second: fields.count("requests_per_second", diags),
            profile: fields.numbers("profile", diags),
            steady: fields.count("steady", diags),
            peak_hours: fields.whole("peak_hours", (1, 23), diags),
            latency: fields.quantity("latency", diags),
            latency_percentile: fields.number_within("latency_percentile", (50.0, 99.999), diags),
            time_variation: fields.number_within("time_variation", (0.0, 10.0), diags),
            concurrency: fields.whole("concurrency", (1, 1_000_000), diags),
            video: fields.quantity("video", diags),
            measured: fields
                .tables("measured", diags)
                .into_iter()
                .map(|f| RawMeasured::read(f, diags))
                .collect(),
            measured_memory: fields.quantity("measured_memory", diags),
            core_hours: fields.count("core_hours", diags),
            decode: fields.quantity("decode", diags),
            gpu_utilisation: fields.number_within("gpu_utilisation", (0.0, 1.0), diags),
            parallel: fields.boolean("parallel", diags),
            parallel_share: fields.number_within("parallel_share", (0.0, 1.0), diags),
            memory_bound: fields.boolean("memory_bound", diags),
            network: fields.named("network", diags),
            gpu_support: fields.named("gpu_support", diags),
            stacks: fields.named_list("stacks", diags),
            urgency: fields.named("urgency", diags),
            load: fields.named("load", diags),
            tolerates_interruption: fields.boolean("tolerates_interruption", diags),
            checkpoint: fields.table("checkpoint", diags).map(|f| RawCheckpoint::read(f, diags)),
            spot: fields.table("spot", diags).map(|f| RawSpot::read(f, diags)),
            migration_hours: fields.count("migration_hours", diags),
            startup: fields.quantity("startup", diags),
            bandwidth: fields.quantity("bandwidth", diags),
            staged: fields.boolean("staged", diags),
            fixed_cost: fields.quantity("fixed_cost", diags),
            instances: fields.whole("instances", (1, 100_000), diags),
            min_vcpus: fields.count("min_vcpus", diags),
            min_memory: fields.quantity("min_memory", diags),
            purchase: fields.named("purchase", diags),
            class: fields.named("class", diags),
            instance: fields.text("instance", diags),
            gpu: fields.text("gpu", diags),
            model: fields.table("model", diags).map(|f| RawModel::read(f, diags)),
        };
        raw.stated = fields.finish(diags);
        raw
    }

    /// Whether it states a key, even one whose value could not be read.
    pub fn states(&self, key: &str) -> bool {
        self.stated.iter().any(|k| k == key)
    }
}

impl RawMeasured {
    fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let mut raw = Self {
            place: fields.place().clone(),
            stated: Vec::new(),
            on: fields.text("on", diags),
            time: fields.quantity("time", diags),
            rate: fields.quantity("rate", diags),
            per: fields.named("per", diags),
            instances: fields.whole("instances", (1, 100_000), diags),
        };
        raw.stated = fields.finish(diags);
        raw
    }

    /// Whether it states a key, even one whose value could not be read.
    pub fn states(&self, key: &str) -> bool {
        self.stated.iter().any(|k| k == key)
    }
}

impl RawCheckpoint {
    fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let raw = Self {
            place: fields.place().clone(),
            every: fields.quantity("every", diags),
            takes: fields.quantity("takes", diags),
            bandwidth: fields.quantity("bandwidth", diags),
            to: fields.named("to", diags),
            on_notice: fields.boolean("on_notice", diags),
        };
        fields.finish(diags);
        raw
    }
}
