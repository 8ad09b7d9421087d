//! What was typed, or what a row of a file says, as a request. Every value that was not said is a stated default.

use crate::diag::{Code, Diagnostic};
use crate::model::architecture::{Dims, Experts, Head, Patches, Stacks, Transformer};
use crate::model::class::Kind;
use crate::model::config::{self, ModelConfig};
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::names::{Named, list};
use crate::units::number::thousands;
use crate::vram::describe::{self, Described};
use crate::vram::{Basis, Request, Subject, Targets};

/// A question as it was asked; what was not said is absent.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Named architecture.
    pub architecture: Option<String>,
    /// A configuration that was read.
    pub config: Option<ModelConfig>,
    /// Family.
    pub family: Option<Family>,
    /// Parameters.
    pub params: Option<f64>,
    /// Dimensions, as tables of models give them.
    pub layers: Option<f64>,
    /// Width.
    pub hidden: Option<f64>,
    /// Heads.
    pub heads: Option<f64>,
    /// Heads of keys and values.
    pub kv_heads: Option<f64>,
    /// Width of the feed-forward part.
    pub ffn: Option<f64>,
    /// Vocabulary.
    pub vocab: Option<f64>,
    /// An architecture that may not stand in for one of which only the size is known.
    pub without: Option<String>,
    /// Elements of all convolutions' outputs per sample.
    pub conv_outputs: Option<f64>,
    /// Samples in one pass.
    pub batch: Option<f64>,
    /// Tokens per sample.
    pub seq: Option<f64>,
    /// Tokens of the decoder.
    pub target: Option<f64>,
    /// Width and height of the image.
    pub image: Option<(f64, f64)>,
    /// Number format.
    pub precision: Option<Precision>,
    /// Optimizer.
    pub optimizer: Option<Optimizer>,
    /// What is done.
    pub mode: Option<Mode>,
    /// Gradient checkpointing.
    pub checkpointing: bool,
    /// Forward passes per step.
    pub accumulate: Option<f64>,
    /// Written-out attention.
    pub eager: bool,
    /// Rank of adapters.
    pub rank: Option<f64>,
    /// Which matrices have them.
    pub targets: Option<Targets>,
    /// 4-bit scales in 32 bits.
    pub single_quantised: bool,
    /// Tables, norms and head are widened for 4-bit training.
    pub widened: Option<bool>,
    /// Each parameter is updated as soon as it has its gradient.
    pub step_in_backward: bool,
    /// Devices.
    pub devices: Option<f64>,
    /// How they share the model.
    pub sharding: Option<Sharding>,
}

/// Longest context that is supposed where none is said: models state lengths up to millions, which nobody fills.
pub const LONGEST_DEFAULT: f64 = 8192.0;
/// The same for training.
pub const LONGEST_TRAINED: f64 = 2048.0;

/// A request, with the defaults and stand-ins that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The request.
    pub request: Request,
    /// What is run, in words.
    pub what: String,
    /// What was supposed, one sentence each.
    pub notes: Vec<String>,
}

impl Question {
    /// The request, or one message.
    pub fn ask(&self) -> Result<Asked, Diagnostic> {
        self.ask_of(&mut describe::named)
    }

    /// Sizes of a model that no model has: told before anything is reckoned with them.
    fn sane(&self) -> Result<(), Diagnostic> {
        for (name, value, most) in [
            ("the number of parameters", self.params, 1e15),
            ("the number of convolutions' outputs", self.conv_outputs, 1e15),
            ("the number of layers", self.layers, 1e5),
            ("the width", self.hidden, 1e7),
            ("the number of heads", self.heads, 1e6),
            ("the number of heads of keys and values", self.kv_heads, 1e6),
            ("the width of the feed-forward part", self.ffn, 1e8),
            ("the vocabulary", self.vocab, 1e9),
        ] {
            within(name, value, most)?;
        }
        Ok(())
    }

    /// The same with a zoo of one's own, such as one that remembers what it was asked.
    pub fn ask_of(&self, zoo: &mut dyn FnMut(&str) -> Option<Described>) -> Result<Asked, Diagnostic> {
        self.sane()?;
        let mut notes = Vec::new();
        let (found, what) = self.describe(zoo, &mut notes)?;
        let mut request = Request::new(found.subject, found.family, found.basis);
        request.params = self.params;
        if let (Some(stated), Subject::Transformer(t)) = (self.params, &mut request.subject) {
            settle_ties(t, stated);
        }
        request.mode = self.mode.unwrap_or(Mode::Train);
        request.batch = within("the batch size", self.batch, 1e9)?.unwrap_or(1.0);
        request.accumulate = within("the number of accumulated passes", self.accumulate, 1e6)?.unwrap_or(1.0);
        request.devices = within("the number of GPUs", self.devices, 1e5)?.unwrap_or(1.0);
        request.rank = within("the rank of the adapters", self.rank, 1e6)?.unwrap_or(8.0);
        let longest = if request.mode == Mode::Inference { LONGEST_DEFAULT } else { LONGEST_TRAINED };
        let tokens = matches!(&request.subject, Subject::Transformer(t) if t.patches.is_none());
        let seq = within("the sequence length", self.seq, 1e8)?;
        request.seq = match (seq, tokens) {
            (Some(seq), _) => seq,
            (None, true) => {
                let length = found.length.unwrap_or(longest).min(longest);
                notes.push(format!("a sequence length of {length} is supposed; `--seq-len` sets it"));
                length
            }
            (None, false) => 1.0,
        };
        request.target = within("the target length", self.target, 1e8)?.unwrap_or(request.seq);
        if let Some((width, height)) = self.image {
            for edge in [width, height] {
                within("the edge of the image", Some(edge), 1e5)?;
            }
            request.pixels = width * height;
        }
        request.precision = self.precision.unwrap_or(match request.mode {
            Mode::Train => Precision::Fp32,
            Mode::Lora | Mode::Qlora => Precision::AmpBf16,
            Mode::Inference => Precision::Fp16,
        });
        if matches!(request.precision, Precision::Int8 | Precision::Int4)
            && !matches!(request.mode, Mode::Inference | Mode::Qlora)
        {
            return Err(bad(format!(
                "weights in {} cannot be trained; allowed: --mode inference, or --mode qlora over 4-bit weights",
                request.precision
            )));
        }
        if matches!(request.mode, Mode::Lora | Mode::Qlora)
            && !matches!(request.subject, Subject::Transformer(_))
        {
            return Err(bad("adapters are reckoned for transformers only".to_owned()));
        }
        request.optimizer = self.optimizer.unwrap_or(Optimizer::AdamW);
        request.checkpointing = self.checkpointing;
        request.eager = self.eager;
        // Libraries' default of rank 8 adapts queries and values; larger ranks come with recipes that adapt all.
        request.targets =
            self.targets.unwrap_or(if request.rank > 8.0 { Targets::All } else { Targets::QueriesAndValues });
        if self.targets.is_none() && matches!(request.mode, Mode::Lora | Mode::Qlora) {
            let which = if request.targets == Targets::All { "all matrices" } else { "queries and values" };
            notes.push(format!("adapters on {which} are supposed; `--lora-targets` sets it"));
        }
        // Preparing a model for 4-bit training widens what stays uncompressed and turns checkpointing on.
        request.widened = self.widened.unwrap_or(self.checkpointing);
        request.step_in_backward = self.step_in_backward;
        request.double_quantised = !self.single_quantised;
        request.sharding = self.sharding.unwrap_or(Sharding::None);
        Ok(Asked { request, what, notes })
    }

    fn describe(
        &self,
        zoo: &mut dyn FnMut(&str) -> Option<Described>,
        notes: &mut Vec<String>,
    ) -> Result<(Described, String), Diagnostic> {
        if let Some(config) = &self.config {
            let basis = if config.known { Basis::Known } else { Basis::Keys };
            if !config.known {
                notes.push(format!(
                    "`model_type` {:?} is not known: its layers are read off the configuration's keys",
                    config.model_type
                ));
            }
            return Ok((describe::transformer(config.transformer, basis), config.model_type.clone()));
        }
        let mut family = self.family;
        if let Some(name) = &self.architecture {
            if let Some(found) = zoo(name) {
                return Ok((found, name.clone()));
            }
            if let Some(found) = self.shaped(name) {
                if found.basis == Basis::Keys {
                    notes.push(format!(
                        "{name:?} is not in the zoo: the usual layer of its family is supposed"
                    ));
                }
                return Ok((found, name.clone()));
            }
            if family.is_none() || self.params.is_none() {
                return Err(Diagnostic::error(
                    Code::UnknownName,
                    None,
                    format!("no architecture is called {name:?} in the zoo"),
                )
                .allowed("a name of the zoo, --config FILE, or --params N with --family F")
                .did_you_mean(name, crate::model::zoo::names()));
            }
        }
        if self.params.is_some() && family.is_none() {
            family = Some(Family::Decoder);
            notes.push("a transformer-decoder is supposed; `--family` sets it".to_owned());
        }
        let (Some(family), Some(params)) = (family, self.params) else {
            return Err(Diagnostic::error(
                Code::MissingKey,
                None,
                "what model? Give --architecture NAME, --config FILE, or --params N with --family F",
            )
            .allowed(list(Family::ALL.iter().map(|(_, name)| *name))));
        };
        if let (Family::Mlp | Family::Linear, Some(layers)) = (family, self.layers) {
            let hidden = self.hidden.unwrap_or_else(|| (params / layers).sqrt());
            let subject = Subject::Mlp { layers, hidden };
            let found = Described { subject, ..describe::sized(family, params, None) };
            return Ok((Described { basis: Basis::Known, ..found }, format!("{family}")));
        }
        if let (Family::Cnn, Some(outputs)) = (family, self.conv_outputs) {
            let native = self.image.map_or(224.0, |(w, h)| (w * h).sqrt());
            let image = crate::vram::ImageModel::from_outputs(params, native, outputs);
            notes.push("kept activations are taken as 2.1 times the convolutions' outputs".to_owned());
            let found = Described {
                subject: Subject::Image(image),
                edge: Some(native),
                ..describe::sized(family, params, None)
            };
            return Ok((found, format!("{family}")));
        }
        let found = describe::sized(family, params, self.without.as_deref());
        match found.stands_in {
            Some(name) => {
                notes.push(format!("rough: {name}, resized, stands in for a {family} of that size"));
            }
            None => notes.push(format!("rough: only the family ({family}) and the parameters are known")),
        }
        Ok((found, format!("{family}")))
    }

    /// A model that is not in the zoo, by its dimensions.
    fn shaped(&self, name: &str) -> Option<Described> {
        let (layers, hidden, heads) = (self.layers?, self.hidden?, self.heads?);
        let family = self.family.unwrap_or(Family::Decoder);
        describe::shaped(family, name, |kind: &Kind| {
            let ffn = self.ffn.unwrap_or(4.0 * hidden);
            let two = matches!(kind.family, Family::EncoderDecoder | Family::Speech);
            let vision = kind.family == Family::Vit;
            let patch = if name.contains("32") {
                32.0
            } else if name.contains("14") {
                14.0
            } else {
                16.0
            };
            let head_dim = if hidden / heads >= 1.0 { hidden / heads } else { return None };
            Some(Transformer {
                class: kind.class,
                family: kind.family,
                dims: Dims {
                    layers,
                    hidden,
                    heads,
                    kv_heads: self.kv_heads.unwrap_or(heads),
                    head_dim,
                    ffn,
                    vocab: self.vocab.unwrap_or(if vision { 1000.0 } else { 32_000.0 }),
                    positions: kind.extra_positions.map_or(0.0, |extra| kind.usual_positions + extra),
                    types: kind.types,
                    embedding: if kind.class == "albert" { 128.0 } else { hidden },
                },
                block: kind.block,
                experts: (kind.family == Family::Moe).then_some(Experts {
                    count: 8.0,
                    top: 2.0,
                    shared: 0.0,
                }),
                head: if name.ends_with("-cls") { Head::Classify } else { kind.head },
                tied: kind.tied,
                head_bias: kind.head_bias,
                constant_bias: kind.constant_bias,
                wide_loss: kind.wide_loss,
                logit_softcap: kind.block.softcap,
                shared_layers: kind.class == "albert",
                embedding_norm: kind.embedding_norm,
                final_norm: kind.final_norm,
                patches: vision.then_some(Patches { image: 224.0, patch, extra: 1.0 }),
                stacks: two.then_some(Stacks {
                    decoder_layers: layers,
                    decoder_ffn: ffn,
                    mels: (kind.family == Family::Speech).then_some(80.0),
                    frames: 1500.0,
                }),
                window: None,
                global_every: None,
                latent: None,
            })
        })
    }
}

/// A stated count tells whether head and embedding share their weights: the nearer of both counts decides.
fn settle_ties(t: &mut Transformer, stated: f64) {
    let count = |t: &Transformer| (crate::model::parameters::count(t).total - stated).abs();
    let mut other = *t;
    other.tied = !t.tied;
    if count(&other) < count(t) {
        *t = other;
    }
}

/// A number from 1 to the most that makes sense.
fn within(name: &str, value: Option<f64>, most: f64) -> Result<Option<f64>, Diagnostic> {
    match value {
        Some(n) if !(1.0..=most).contains(&n) => {
            let shown = if n < 1e15 { n.to_string() } else { format!("{n:e}") };
            Err(bad(format!("{name} is {shown}")).allowed(format!("from 1 to {}", thousands(most))))
        }
        other => Ok(other),
    }
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(Code::BadValue, None, message)
}

/// Reads a configuration file, or one among several that were read before.
pub fn read_config(path: &std::path::Path) -> Result<ModelConfig, Vec<Diagnostic>> {
    config::read(&crate::read::Source::open(path).map_err(|wrong| vec![wrong])?)
}
