//! What is asked in, a stage out: the one-off question of `plan time`, without a workload file.

use super::hardware::Hardware;
use super::label;
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Place};
use crate::duration::{Duration, INSTRUCTION_FILL, Machine, StageClock, Terms, matmul_ceiling};
use crate::job::{Measurement, Network, Stage, StageKind};
use crate::model::{Family, Mode, Model, Optimizer, Precision, Sharding};
use crate::units::Hours;

/// A piece of work, as told.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Name of the model, as written.
    pub label: String,
    /// Its family; `None` where it is not told apart.
    pub family: Option<Family>,
    /// Training or forward passes.
    pub trains: bool,
    /// All weights, or adapters.
    pub mode: Mode,
    /// Number format.
    pub precision: Precision,
    /// Samples per step over all devices.
    pub batch: Option<f64>,
    /// Tokens per sample.
    pub seq_len: Option<f64>,
    /// Edge of an image in pixels.
    pub image_size: Option<f64>,
    /// Parameters.
    pub params: Option<f64>,
    /// Samples per epoch.
    pub samples: Option<f64>,
    /// Tokens of the whole run, over all epochs.
    pub tokens: Option<f64>,
    /// Passes over the samples.
    pub epochs: Option<f64>,
    /// Forward and backward passes of one step.
    pub accumulate: Option<f64>,
    /// Whether activations are recomputed.
    pub checkpointing: bool,
    /// What joins several machines that share one training.
    pub network: Option<Network>,
    /// Work on the CPU that splits over cores, such as decoding images or video.
    pub kind: StageKind,
}

/// What the rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Samples per second.
    Samples,
    /// Tokens per second.
    Tokens,
}

/// Items that stand for a rate where the amount of work is not told.
const SOME: f64 = 1e6;

impl Work {
    /// What its rate counts: tokens where tokens were told, or for language models; otherwise samples.
    pub fn unit(&self) -> Unit {
        let language = matches!(self.family, Some(Family::Decoder | Family::Moe | Family::EncoderDecoder));
        if self.tokens.is_some() || (language && self.samples.is_none()) {
            Unit::Tokens
        } else {
            Unit::Samples
        }
    }

    /// Items of the whole run; `None` where the amount was not told.
    pub fn items(&self) -> Option<f64> {
        match (self.tokens, self.samples, self.epochs) {
            (Some(tokens), ..) => Some(tokens),
            (None, Some(samples), Some(epochs)) => Some(samples * epochs),
            // One forward pass over the samples needs no epochs.
            (None, Some(samples), None) if !self.trains => Some(samples),
            _ => None,
        }
    }

    /// The model; `None` where neither a family nor a known name was told.
    pub fn model(&self) -> Option<Model> {
        let known = label::architecture(&self.label);
        let family = self.family.or(known.map(|k| k.family))?;
        let stated = self.params.or_else(|| label::stated_params(&self.label));
        // Another size of a known name is another model.
        let known = known.filter(|k| stated.is_none_or(|p| (k.params / p - 1.0).abs() < 0.25));
        let params = stated.or(known.map(|k| k.params)).unwrap_or(0.0);
        let seq_len = self.seq_len.or(known.and_then(|k| k.seq_len));
        let image_size = self.image_size.or(known.and_then(|k| label::native_image_size(&k)));
        // Known operations hold at the native size; images grow by their area, texts are counted anew.
        let forward_flops = known.and_then(|k| match (k.image_size, image_size, k.seq_len, seq_len) {
            (Some(native), Some(size), ..) => k.forward_flops.map(|f| f * (size / native).powi(2)),
            (_, _, Some(native), Some(length)) => k.forward_flops.filter(|_| (native - length).abs() < 0.5),
            _ => k.forward_flops,
        });
        Some(Model {
            architecture: Some(known.map_or_else(|| self.label.clone(), |k| k.name.to_owned())),
            family,
            params,
            trainable: params,
            active: known.map_or(params, |k| k.active),
            batch_size: self.batch.unwrap_or(f64::INFINITY),
            micro_batch: None,
            accumulation: self.accumulate.unwrap_or(1.0),
            seq_len,
            image_size,
            forward_flops,
            precision: self.precision,
            optimizer: if self.trains { Optimizer::AdamW } else { Optimizer::Sgd },
            mode: self.mode,
            sharding: Sharding::None,
            gradient_checkpointing: self.checkpointing,
            filled: if matches!(self.mode, Mode::Lora | Mode::Qlora) { INSTRUCTION_FILL } else { 1.0 },
        })
    }

    /// Tokens that one item of the rate's unit stands for in a sample.
    fn items_per_sample(&self, model: Option<&Model>) -> f64 {
        match self.unit() {
            Unit::Samples => 1.0,
            Unit::Tokens => model.and_then(|m| m.seq_len).unwrap_or(512.0),
        }
    }

    /// The stage that does `items` of this work, with what was measured for it.
    pub fn stage(&self, items: f64, measured: Vec<Measurement>) -> Stage {
        let model = self.model();
        // Trees count their rounds apart from their rows.
        let rounds = self.epochs.filter(|_| self.family == Some(Family::BoostedTrees)).unwrap_or(1.0);
        let samples = items / self.items_per_sample(model.as_ref()) / rounds;
        let place = Place { file: "".into(), line: 1, column: 1 };
        Stage {
            samples: Some(samples),
            epochs: rounds,
            measured,
            parallel: !self.trains,
            parallel_share: 0.98,
            instances: Stage::NO_LIMIT,
            network: self.network,
            model,
            ..Stage::bare(self.kind, place)
        }
    }

    /// The rate on a machine, in items per second, with its band; and the hours of the whole run, where it is told. An
    /// error is a lack of facts (`missing-key`) or a utilisation that the machine cannot have.
    pub fn answer(
        &self,
        measured: &[Measured],
        to: &Hardware,
        catalog: &Catalog,
        terms: &Terms,
    ) -> Result<Answer, Diagnostic> {
        let items = self.items().filter(|n| *n > 0.0);
        let some = items.unwrap_or(SOME);
        let measurements = measured.iter().map(|m| m.measurement(some)).collect();
        let stage = self.stage(some, measurements);
        let machine = Machine { instance: &to.instance, instances: to.instances };
        let rates = Terms { whole_job: false, ..terms.clone() };
        let clock = StageClock::with(&stage, catalog, &rates);
        let bare = clock
            .time_on(machine)
            .map_err(|why| Diagnostic::error(Code::MissingKey, None, why.to_string()))?;
        if let (Some(share), Some(gpu)) = (terms.utilisation, to.instance.gpu) {
            let card = catalog.accelerators.name(gpu.accelerator);
            let ceiling = matmul_ceiling(card);
            if share > ceiling {
                let message =
                    format!("`--mfu` is {share}, more than a bare matrix product reaches on {card}");
                return Err(Diagnostic::error(Code::BadValue, None, message)
                    .allowed(format!("at most {ceiling}"))
                    .hint(format!("write `--mfu {ceiling}` for the shortest time that can be")));
            }
        }
        let per_second = |time: Hours| some / time.as_secs();
        // A rate that was measured carries whatever the run did beside its steps.
        let whole = if measured.is_empty() {
            StageClock::with(&stage, catalog, terms).time_on(machine).unwrap_or(bare)
        } else {
            bare
        };
        Ok(Answer {
            rate: per_second(bare.time.expected),
            low: per_second(bare.time.high),
            high: per_second(bare.time.low),
            derivation: match items {
                Some(_) if measured.is_empty() => {
                    StageClock::with(&stage, catalog, terms).derivation(machine, &whole)
                }
                _ => clock.derivation(machine, &bare),
            },
            whole: items.map(|_| whole),
            bare,
        })
    }
}

/// A rate that was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// On what.
    pub on: crate::job::MeasuredOn,
    /// As written.
    pub label: String,
    /// Of how many such machines together.
    pub instances: u32,
    /// Items per second.
    pub rate: f64,
}

impl Measured {
    /// As the time that so many items took.
    pub fn measurement(&self, items: f64) -> Measurement {
        Measurement {
            on: self.on.clone(),
            label: self.label.clone(),
            time: Hours::from_secs(items / self.rate),
            per: crate::job::Per::Item,
            instances: self.instances,
            place: Place { file: "".into(), line: 1, column: 1 },
        }
    }
}

/// How fast, how long, and how that is known.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Items per second.
    pub rate: f64,
    /// Nine times out of ten not below.
    pub low: f64,
    /// Nor above.
    pub high: f64,
    /// The whole run, where its amount is told.
    pub whole: Option<Duration>,
    /// The time of the items alone.
    pub bare: Duration,
    /// The formula with its numbers.
    pub derivation: Vec<String>,
}
