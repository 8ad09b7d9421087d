//! Every default in one place, each with its reason. [`rows`] lists them for README and for `--explain`.

use super::ledger::{Preset, Shown};
use crate::catalog::Stack;
use crate::job::{Aim, CheckpointTo, GpuSupport, Load, StageKind, Urgency};
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::names::Named;
use crate::units::{Bytes, Currency};

macro_rules! presets {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr, $key:literal, $reason:literal;)+) => {
        $($(#[$doc])* pub const $name: Preset<$type> = Preset { value: $value, reason: $reason };)+

        /// The defaults that hold whatever the stage's kind and the model's family.
        fn plain() -> Vec<Row> {
            vec![$(Row::new($key, "", $name.value.shown(), $name.reason)),+]
        }
    };
}

/// One default as a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: &'static str,
    /// In which case; empty for all.
    pub when: &'static str,
    /// The value as shown.
    pub value: String,
    /// Why.
    pub reason: &'static str,
}

impl Row {
    const fn new(key: &'static str, when: &'static str, value: String, reason: &'static str) -> Self {
        Self { key, when, value, reason }
    }
}

presets! {
    /// Currency of the plan.
    CURRENCY: Currency = Currency::USD, "currency", "neither a currency nor a budget names another";
    /// What to have least of.
    AIM: Aim = Aim::Cost, "aim", "the cheapest plan within the limits";
    /// What time is worth.
    URGENCY: Urgency = Urgency::Iteration, "urgency", "work goes on with the result";
    /// Age from which a price counts only where its seller or region is named.
    STALE_AFTER_MONTHS: u32 = 36, "--stale-after", "prices of three years ago are no longer offered";
    /// Passes over the data.
    EPOCHS: f64 = 1.0, "epochs", "one pass over the data";
    /// Instances.
    INSTANCES: u32 = 1, "instances", "one machine, unless the stage says that it can use more";
    /// Requests at once.
    CONCURRENCY: u32 = 1, "concurrency", "one request at a time on each server";
    /// Share of the answers for which a latency must hold, in percent.
    LATENCY_PERCENTILE: f64 = 95.0, "latency_percentile", "one slow answer in twenty";
    /// Memory-bound.
    MEMORY_BOUND: bool = false, "memory_bound", "CPU work is limited by arithmetic unless stated";
    /// Software stack.
    STACKS: Stack = Stack::Cuda, "stacks", "most software runs on NVIDIA cards; others must be stated";
    /// Where checkpoints go.
    CHECKPOINT_TO: CheckpointTo = CheckpointTo::Durable, "checkpoint.to",
        "a checkpoint is meant to outlive the instance";
    /// Checkpoints on notice.
    ON_NOTICE: bool = false, "checkpoint.on_notice", "a handler of the provider's notice must be written first";
    /// Machines of a measurement.
    MEASURED_INSTANCES: u32 = 1, "measured.instances", "one machine";
    /// Number format.
    PRECISION: Precision = Precision::Fp32, "model.precision", "what frameworks do unless told";
    /// Optimizer.
    OPTIMIZER: Optimizer = Optimizer::AdamW, "model.optimizer", "the usual choice; the plain ones need less memory";
    /// Accumulation.
    ACCUMULATE: u32 = 1, "model.accumulate", "no gradient accumulation";
    /// Sharding.
    SHARDING: Sharding = Sharding::None, "model.sharding", "every device holds the whole model; memory is not added up";
    /// Activation recomputation.
    GRADIENT_CHECKPOINTING: bool = false, "model.gradient_checkpointing", "activations are kept";
}

/// Seconds that a checkpoint takes at least: a guess.
pub const CHECKPOINT_LEAST_SECS: f64 = 5.0;
/// Seconds that a checkpoint takes where the model's size is not known: a guess.
pub const CHECKPOINT_UNKNOWN_SECS: f64 = 60.0;
/// Bandwidth at which a checkpoint is written where its time is not stated: 1 GB/s, a guess.
pub const CHECKPOINT_BANDWIDTH: f64 = 1e9;
/// Share of the parameters that adapters train where `trainable_params` is not stated. A guess on the safe side:
/// rank 16 on all linear layers of a 7 B model is 40 M, 0.6 %.
pub const ADAPTER_SHARE: f64 = 0.01;
/// Samples per forward pass of a stage that only runs the model: a guess; 1 for a service.
pub const INFERENCE_BATCH: f64 = 32.0;

/// Defaults that depend on the stage's kind.
#[derive(Debug, Clone, Copy)]
pub struct KindDefaults {
    /// Whether the work splits into alike, independent units (B-Q1).
    pub parallel: Preset<bool>,
    /// Share of CPU work that runs in parallel over cores. Guesses: no source gives them per kind.
    pub parallel_share: Preset<f64>,
    /// GPU version of the software (B-Q2).
    pub gpu_support: Preset<GpuSupport>,
    /// Whether losing an instance is harmless (RULES: purchase options open to a stage).
    pub tolerates_interruption: Preset<bool>,
}

const fn preset<T>(value: T, reason: &'static str) -> Preset<T> {
    Preset { value, reason }
}

const PIECES: &str = "a lost piece is run again (A-S2)";
const WHOLE: &str = "a lost instance costs the work since the last checkpoint, or all of it (A-S3)";
const AGAIN: &str = "a lost run starts again, where spot is cheaper even so (RULES, precedence 3)";
const SERVICE: &str = "a service must not go away";

/// The defaults of a kind.
pub const fn of_kind(kind: StageKind) -> KindDefaults {
    use StageKind as K;
    let (splits, why) = match kind {
        K::Prepare | K::Augment | K::Mine | K::Evaluate => {
            (true, "the samples are independent of one another (B-Q1)")
        }
        K::Train => (true, "the samples of a batch are worked on alike (B-Q1)"),
        K::Tune => (true, "the trials are independent of one another (B-Q1)"),
        K::Serve => (true, "the requests are independent of one another (B-Q1)"),
        K::Transcode => (true, "a video splits into segments (B-Q1)"),
        K::Analyze => (false, "logs and metrics are rolled up one after the other (A-K5)"),
        K::Batch => (false, "each step needs the result of the last (B-K8)"),
    };
    let share = match kind {
        K::Tune | K::Serve | K::Transcode => preset(0.98, "a guess: separate trials, requests or segments"),
        K::Prepare | K::Augment | K::Mine | K::Evaluate => {
            preset(0.95, "a guess: separate items, shared reading and writing")
        }
        K::Train => preset(0.9, "a guess: parallel arithmetic with a serial update"),
        K::Analyze => preset(0.5, "a guess: half of it is serial"),
        K::Batch => preset(0.2, "a guess: mostly serial"),
    };
    let support = match kind {
        K::Prepare => preset(GpuSupport::None, "disk and strings: a GPU does nothing for it (A-K1)"),
        K::Analyze => preset(GpuSupport::None, "serial and light work (A-K5)"),
        K::Batch => preset(GpuSupport::None, "branches and joins of one's own code (B-K8)"),
        K::Augment => preset(GpuSupport::Partial, "some augmentation libraries have a GPU version (A-K2)"),
        K::Transcode => preset(GpuSupport::Mature, "video codecs have hardware encoders (B-K9)"),
        K::Mine | K::Train | K::Tune | K::Evaluate | K::Serve => {
            preset(GpuSupport::Mature, "deep-learning frameworks have one (B-Q2)")
        }
    };
    let tolerates = match kind {
        K::Prepare | K::Augment | K::Mine | K::Tune | K::Transcode => preset(true, PIECES),
        K::Train => preset(false, WHOLE),
        K::Analyze | K::Evaluate | K::Batch => preset(true, AGAIN),
        K::Serve => preset(false, SERVICE),
    };
    KindDefaults {
        parallel: preset(splits, why),
        parallel_share: share,
        gpu_support: support,
        tolerates_interruption: tolerates,
    }
}

/// GPU support of a kind that would run a model, where the stage has none.
pub const NO_MODEL: Preset<GpuSupport> =
    preset(GpuSupport::None, "no model: ordinary software, whose GPU version would have to be stated (B-Q2)");
/// vCPUs of a service of which nothing is known.
pub const ORDINARY_VCPUS: Preset<f64> =
    preset(2.0, "a guess: an ordinary service of which no time is stated runs on a small machine");
/// Main memory of such a service.
pub const ORDINARY_MEMORY: Preset<Bytes> = preset(
    Bytes::new(4 << 30),
    "a guess: an ordinary service of which no time is stated runs on a small machine",
);
/// GPU support where a port is stated by its hours.
pub const PORTED: Preset<GpuSupport> =
    preset(GpuSupport::Partial, "`migration_hours` states what porting takes");
/// GPU support where a measurement on a GPU is stated.
pub const MEASURED_ON_GPU: Preset<GpuSupport> = preset(GpuSupport::Mature, "it was measured on a GPU");

/// Load of a kind (B-Q3).
pub const fn load(kind: StageKind) -> Preset<Load> {
    match kind {
        StageKind::Serve => preset(Load::Steady, "a service runs around the clock"),
        _ => preset(Load::Bursty, "a stage runs and ends"),
    }
}

/// What a stage does with its model.
pub const fn mode(kind: StageKind) -> Preset<Mode> {
    if kind.trains() {
        preset(Mode::Train, "all weights are trained")
    } else {
        preset(Mode::Inference, "this kind of stage runs forward passes only")
    }
}

/// Tokens per sample, for families over tokens.
pub const fn seq_len(family: Family) -> Option<Preset<f64>> {
    match family {
        Family::Decoder | Family::Moe => Some(preset(1024.0, "a guess: GPT-2's context")),
        Family::Encoder => Some(preset(512.0, "a guess: BERT's longest input")),
        Family::EncoderDecoder => Some(preset(512.0, "a guess: T5's training length")),
        _ => None,
    }
}

/// Edge of an image in pixels, for families over images.
pub const fn image_size(family: Family) -> Option<Preset<f64>> {
    match family {
        Family::Cnn | Family::Vit => Some(preset(224.0, "a guess: the size usual for ImageNet")),
        Family::Diffusion => Some(preset(512.0, "a guess: Stable Diffusion's first size")),
        _ => None,
    }
}

/// How much the time of a request varies: its standard deviation over its mean.
pub fn time_variation(family: Option<Family>) -> Preset<f64> {
    match family {
        None => preset(0.5, "a guess: requests of ordinary software differ"),
        Some(Family::Decoder | Family::Moe | Family::EncoderDecoder | Family::Speech) => {
            preset(1.0, "a guess: answers differ in length")
        }
        Some(_) => preset(0.2, "a guess: every request is the same arithmetic"),
    }
}

/// The family where nothing names it.
pub fn family(params: f64, tokens: bool, active: bool, image: bool) -> Preset<Family> {
    if active {
        preset(Family::Moe, "a guess: `active_params` speaks of a mixture of experts")
    } else if tokens {
        preset(Family::Decoder, "a guess: tokens speak of a language model")
    } else if image {
        preset(Family::Cnn, "a guess: an image size speaks of a convolutional network")
    } else if params >= 5e8 {
        preset(Family::Decoder, "a guess: most models of 500M parameters and more are language models")
    } else {
        preset(Family::Cnn, "a guess: below 500M parameters, taken for a convolutional network")
    }
}

/// Share of the stated length that samples fill: packed data fills it all; instruction data for adapters does not.
pub const fn filled(mode: Mode, tokens_stated: bool) -> Preset<f64> {
    match mode {
        Mode::Lora | Mode::Qlora if !tokens_stated => preset(
            0.5,
            "a guess: published runs on instruction data take the time of 40 to 60 % of the stated length",
        ),
        _ => preset(1.0, "samples are packed to the stated length"),
    }
}

/// All defaults, for README and for the explanation.
pub fn rows() -> Vec<Row> {
    let mut rows = plain();
    for (kind, when) in StageKind::ALL {
        let kind_defaults = of_kind(*kind);
        let mut row = |key, value, reason| rows.push(Row::new(key, when, value, reason));
        let KindDefaults { parallel, parallel_share, gpu_support, tolerates_interruption } = kind_defaults;
        row("parallel", parallel.value.shown(), parallel.reason);
        row("parallel_share", parallel_share.value.shown(), parallel_share.reason);
        row("gpu_support", gpu_support.value.shown(), gpu_support.reason);
        row("tolerates_interruption", tolerates_interruption.value.shown(), tolerates_interruption.reason);
        row("load", load(*kind).value.shown(), load(*kind).reason);
        row("model.mode", mode(*kind).value.shown(), mode(*kind).reason);
    }
    for (case, when) in [(Mode::Train, "train"), (Mode::Lora, "lora"), (Mode::Qlora, "qlora")] {
        let preset = filled(case, false);
        rows.push(Row::new("model.filled", when, preset.value.shown(), preset.reason));
    }
    let preset = time_variation(None);
    rows.push(Row::new("time_variation", "no model", preset.value.shown(), preset.reason));
    for (family, when) in Family::ALL {
        if let Some(preset) = seq_len(*family) {
            rows.push(Row::new("model.seq_len", when, preset.value.shown(), preset.reason));
        }
        let preset = time_variation(Some(*family));
        rows.push(Row::new("time_variation", when, preset.value.shown(), preset.reason));
        if let Some(preset) = image_size(*family) {
            rows.push(Row::new("model.image_size", when, preset.value.shown(), preset.reason));
        }
    }
    rows
}
