//! The columns of a file of cases, and a row as a question.

use super::Configs;
use crate::cli::vram::question::Question;
use crate::diag::{Code, Diagnostic};
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::names::Named;
use crate::units::Quantity;
use crate::units::number::Count;
use crate::vram::Targets;

/// Where each column stands.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) id: Option<usize>,
    pub(super) model: Option<usize>,
    pub(super) config: Option<usize>,
    family: Option<usize>,
    pub(super) params: Option<usize>,
    layers: Option<usize>,
    hidden: Option<usize>,
    heads: Option<usize>,
    kv_heads: Option<usize>,
    ffn: Option<usize>,
    vocab: Option<usize>,
    conv_outputs: Option<usize>,
    seq_len: Option<usize>,
    target: Option<usize>,
    image: Option<usize>,
    batch: Option<usize>,
    precision: Option<usize>,
    optimizer: Option<usize>,
    checkpointing: Option<usize>,
    accumulate: Option<usize>,
    attention: Option<usize>,
    mode: Option<usize>,
    rank: Option<usize>,
    targets: Option<usize>,
    devices: Option<usize>,
    sharding: Option<usize>,
    without: Option<usize>,
}

impl Columns {
    pub(super) fn of(header: &csv::StringRecord) -> Self {
        let at = |names: &[&str]| {
            names.iter().find_map(|name| header.iter().position(|column| column.trim() == *name))
        };
        Self {
            id: at(&["id"]),
            model: at(&["model", "architecture"]),
            config: at(&["config"]),
            family: at(&["family"]),
            params: at(&["params"]),
            layers: at(&["layers"]),
            hidden: at(&["hidden"]),
            heads: at(&["heads"]),
            kv_heads: at(&["kv_heads"]),
            ffn: at(&["ffn"]),
            vocab: at(&["vocab"]),
            conv_outputs: at(&["conv_outputs"]),
            seq_len: at(&["seq_len"]),
            target: at(&["tgt_len", "target_len"]),
            image: at(&["image_size"]),
            batch: at(&["batch_size"]),
            precision: at(&["precision"]),
            optimizer: at(&["optimizer"]),
            checkpointing: at(&["grad_checkpointing", "gradient_checkpointing"]),
            accumulate: at(&["grad_accum", "accumulate"]),
            attention: at(&["attention"]),
            mode: at(&["mode"]),
            rank: at(&["lora_rank"]),
            targets: at(&["lora_targets"]),
            devices: at(&["gpus"]),
            sharding: at(&["sharding"]),
            without: at(&["without"]),
        }
    }

    pub(super) fn get<'r>(&self, record: &'r csv::StringRecord, column: Option<usize>) -> &'r str {
        let _ = self;
        column.and_then(|at| record.get(at)).map_or("", str::trim)
    }

    fn number(
        &self,
        record: &csv::StringRecord,
        column: Option<usize>,
        name: &str,
    ) -> Result<Option<f64>, Diagnostic> {
        let text = self.get(record, column);
        if text.is_empty() || text == "None" {
            return Ok(None);
        }
        Count::parse(text).map(|count| Some(count.get())).map_err(|_| wrong(name, text, Count::ALLOWED))
    }

    pub(super) fn question(
        &self,
        record: &csv::StringRecord,
        configs: &mut Configs,
    ) -> Result<Question, Diagnostic> {
        let text = |column| self.get(record, column);
        let number = |column, name| self.number(record, column, name);
        let config = match text(self.config) {
            "" => None,
            path => Some(configs.get(path)?),
        };
        let mut question = Question {
            architecture: Some(text(self.model).to_owned()).filter(|name| !name.is_empty()),
            config,
            family: match text(self.family) {
                "" => None,
                name => Some(family(name).ok_or_else(|| wrong("family", name, &Family::allowed()))?),
            },
            params: number(self.params, "params")?,
            layers: number(self.layers, "layers")?,
            hidden: number(self.hidden, "hidden")?,
            heads: number(self.heads, "heads")?,
            kv_heads: number(self.kv_heads, "kv_heads")?,
            ffn: number(self.ffn, "ffn")?,
            vocab: number(self.vocab, "vocab")?,
            conv_outputs: number(self.conv_outputs, "conv_outputs")?,
            batch: number(self.batch, "batch_size")?,
            seq: number(self.seq_len, "seq_len")?,
            target: number(self.target, "tgt_len")?,
            image: match text(self.image) {
                "" => None,
                size => Some(image_size(size).ok_or_else(|| wrong("image_size", size, "224 or 512x1024"))?),
            },
            checkpointing: yes("grad_checkpointing", text(self.checkpointing))?,
            accumulate: number(self.accumulate, "grad_accum")?,
            eager: match text(self.attention) {
                "" | "sdpa" | "flash" | "flash_attention_2" => false,
                "eager" => true,
                other => return Err(wrong("attention", other, "sdpa or eager")),
            },
            rank: number(self.rank, "lora_rank")?,
            targets: match text(self.targets) {
                "" => None,
                name => Some(targets(name).ok_or_else(|| wrong("lora_targets", name, "all or qv"))?),
            },
            devices: number(self.devices, "gpus")?,
            without: Some(text(self.without).to_owned()).filter(|name| !name.is_empty()),
            ..Question::default()
        };
        if self.batch.is_some() && question.batch.is_none() {
            return Err(wrong("batch_size", "", "the samples of one pass"));
        }
        if let name @ ("train" | "lora" | "qlora" | "inference") = text(self.mode) {
            question.mode = Mode::from_name(name);
        } else if !text(self.mode).is_empty() {
            return Err(wrong("mode", text(self.mode), &Mode::allowed()));
        }
        if !text(self.sharding).is_empty() {
            let name = text(self.sharding);
            question.sharding =
                Some(Sharding::from_name(name).ok_or_else(|| wrong("sharding", name, &Sharding::allowed()))?);
        }
        precision(text(self.precision), &mut question)?;
        if !text(self.optimizer).is_empty() {
            let mut name = text(self.optimizer);
            for ending in [", optimizer-in-backward", "/optimizer-in-backward"] {
                if let Some(rest) = name.strip_suffix(ending) {
                    name = rest;
                    question.step_in_backward = true;
                }
            }
            question.optimizer =
                Some(optimizer(name).ok_or_else(|| wrong("optimizer", name, &Optimizer::allowed()))?);
        }
        Ok(question)
    }
}

fn wrong(column: &str, text: &str, allowed: &str) -> Diagnostic {
    Diagnostic::error(Code::BadValue, None, format!("`{column}` is {text:?}; allowed: {allowed}"))
}

fn yes(column: &str, text: &str) -> Result<bool, Diagnostic> {
    match text {
        "" | "no" | "false" | "0" => Ok(false),
        "yes" | "true" | "1" => Ok(true),
        other => Err(wrong(column, other, "yes or no")),
    }
}

/// A family by its name, or by the short ones of tables.
pub fn family(name: &str) -> Option<Family> {
    Family::from_name(name).or(match name {
        "encoder" => Some(Family::Encoder),
        "decoder" => Some(Family::Decoder),
        "encdec" => Some(Family::EncoderDecoder),
        _ => None,
    })
}

/// An image size: an edge, or width and height.
pub fn image_size(text: &str) -> Option<(f64, f64)> {
    let edge = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    match text.split_once('x') {
        Some((width, height)) => Some((edge(width)?, edge(height)?)),
        None => edge(text).map(|edge| (edge, edge)),
    }
}

/// Which matrices have adapters.
pub fn targets(name: &str) -> Option<Targets> {
    match name {
        "all" | "all-linear" => Some(Targets::All),
        "qv" | "q,v" | "q_proj,v_proj" => Some(Targets::QueriesAndValues),
        _ => None,
    }
}

/// An optimizer by its name, or by other spellings.
fn optimizer(name: &str) -> Option<Optimizer> {
    Optimizer::from_name(name).or(match name {
        "adamw8bit" => Some(Optimizer::AdamW8bit),
        "paged adamw8bit" | "paged-adamw8bit" => Some(Optimizer::PagedAdamW8bit),
        _ => None,
    })
}

/// Number formats by the names of tables, which say the mode too where weights have 4 bits.
fn precision(name: &str, question: &mut Question) -> Result<(), Diagnostic> {
    question.precision = match name {
        "" => None,
        "pure-bf16" => Some(Precision::Bf16),
        "pure-fp16" => Some(Precision::Fp16),
        "nf4" | "nf4-dq" => {
            question.single_quantised = name == "nf4";
            Some(Precision::Int4)
        }
        "qlora-nf4" | "qlora-nf4-dq" => {
            question.mode = Some(Mode::Qlora);
            // Without the preparation, which turns checkpointing on, such runs are in 16 bits throughout.
            Some(if question.checkpointing { Precision::AmpBf16 } else { Precision::Bf16 })
        }
        // GPTQ keeps its scales in 16 bits per 128 weights; what is not compressed stays in 16 bits.
        "qlora-gptq-int4 fp16" => {
            question.mode = Some(Mode::Qlora);
            question.widened = Some(false);
            Some(Precision::AmpFp16)
        }
        other => match Precision::from_name(other) {
            Some(precision) => Some(precision),
            None => return Err(wrong("precision", other, &Precision::allowed())),
        },
    };
    Ok(())
}
