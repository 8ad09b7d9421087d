//! The columns of a file of cases, and a row as a question.

use super::Configs;
use crate::cli::vram::question::Question;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::names::Named;
use crate::read::Source;
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

/// Every name of a column.
const KNOWN: [&str; 31] = [
    "id",
    "model",
    "architecture",
    "config",
    "family",
    "params",
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "ffn",
    "vocab",
    "conv_outputs",
    "seq_len",
    "tgt_len",
    "target_len",
    "image_size",
    "batch_size",
    "precision",
    "optimizer",
    "grad_checkpointing",
    "gradient_checkpointing",
    "grad_accum",
    "accumulate",
    "attention",
    "mode",
    "lora_rank",
    "lora_targets",
    "gpus",
    "sharding",
    "without",
];

impl Columns {
    /// Where each column stands. Others are not used, and said not to be: a misspelt one would change the answer.
    pub(super) fn read(source: &Source, header: &csv::StringRecord, diags: &mut Diagnostics) -> Self {
        for (at, name) in header.iter().enumerate() {
            let name = name.trim();
            if KNOWN.contains(&name) {
                if header.iter().take(at).any(|before| before.trim() == name) {
                    let place = source.field(0, at);
                    diags.push(Diagnostic::error(Code::Duplicate, place, format!("two columns {name:?}")));
                }
                continue;
            }
            let message = format!("column {name:?} is not used");
            diags.push(
                Diagnostic::warning(Code::UnknownKey, source.field(0, at), message).did_you_mean(name, KNOWN),
            );
        }
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

    /// A row, to be read column by column.
    pub(super) const fn row<'r>(&'r self, record: &'r csv::StringRecord) -> Row<'r> {
        Row { columns: self, record, wrong: Vec::new() }
    }
}

/// A mistake of a row: the position of its column, where the file has it, and what is wrong.
pub(super) type Wrong = (Option<usize>, Diagnostic);

/// A row while it is read; its mistakes are collected.
pub(super) struct Row<'r> {
    columns: &'r Columns,
    record: &'r csv::StringRecord,
    wrong: Vec<Wrong>,
}

impl<'r> Row<'r> {
    pub(super) fn get(&self, column: Option<usize>) -> &'r str {
        column.and_then(|at| self.record.get(at)).map_or("", str::trim)
    }

    fn refuse(&mut self, column: Option<usize>, name: &str, allowed: impl Into<String>) {
        let message = format!("`{name}` is {:?}", self.get(column));
        self.wrong.push((column, Diagnostic::error(Code::BadValue, None, message).allowed(allowed)));
    }

    fn number(&mut self, column: Option<usize>, name: &str) -> Option<f64> {
        let text = self.get(column);
        if text.is_empty() || text == "None" {
            return None;
        }
        let found = Count::parse(text).ok().map(Count::get);
        if found.is_none() {
            self.refuse(column, name, Count::ALLOWED);
        }
        found
    }

    /// What a word means; none where the field is empty.
    fn word<T>(
        &mut self,
        column: Option<usize>,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
        allowed: impl Fn() -> String,
    ) -> Option<T> {
        let text = self.get(column);
        if text.is_empty() {
            return None;
        }
        let found = read(text);
        if found.is_none() {
            self.refuse(column, name, allowed());
        }
        found
    }

    fn yes(&mut self, column: Option<usize>, name: &str) -> bool {
        let read = |text: &str| match text {
            "no" | "false" | "0" => Some(false),
            "yes" | "true" | "1" => Some(true),
            _ => None,
        };
        self.word(column, name, read, || "yes or no".to_owned()).unwrap_or(false)
    }

    /// The question that the row asks, or all its mistakes.
    pub(super) fn question(mut self, configs: &mut Configs) -> Result<Question, Vec<Wrong>> {
        let columns = self.columns;
        let text = |row: &Self, column| Some(row.get(column).to_owned()).filter(|text| !text.is_empty());
        let config = text(&self, columns.config).and_then(|path| match configs.get(&path) {
            Ok(config) => Some(config),
            Err(wrong) => {
                self.wrong.push((columns.config, wrong));
                None
            }
        });
        let attention = |text: &str| match text {
            "sdpa" | "flash" | "flash_attention_2" => Some(false),
            "eager" => Some(true),
            _ => None,
        };
        let mut question = Question {
            architecture: text(&self, columns.model),
            config,
            family: self.word(columns.family, "family", family, Family::allowed),
            params: self.number(columns.params, "params"),
            layers: self.number(columns.layers, "layers"),
            hidden: self.number(columns.hidden, "hidden"),
            heads: self.number(columns.heads, "heads"),
            kv_heads: self.number(columns.kv_heads, "kv_heads"),
            ffn: self.number(columns.ffn, "ffn"),
            vocab: self.number(columns.vocab, "vocab"),
            conv_outputs: self.number(columns.conv_outputs, "conv_outputs"),
            batch: self.number(columns.batch, "batch_size"),
            seq: self.number(columns.seq_len, "seq_len"),
            target: self.number(columns.target, "tgt_len"),
            image: self.word(columns.image, "image_size", image_size, || {
                "an edge such as 224, or 512x1024".to_owned()
            }),
            checkpointing: self.yes(columns.checkpointing, "grad_checkpointing"),
            accumulate: self.number(columns.accumulate, "grad_accum"),
            eager: self
                .word(columns.attention, "attention", attention, || "sdpa or eager".to_owned())
                .unwrap_or(false),
            rank: self.number(columns.rank, "lora_rank"),
            targets: self.word(columns.targets, "lora_targets", targets, || "all or qv".to_owned()),
            devices: self.number(columns.devices, "gpus"),
            without: text(&self, columns.without),
            mode: self.word(columns.mode, "mode", Mode::from_name, Mode::allowed),
            sharding: self.word(columns.sharding, "sharding", Sharding::from_name, Sharding::allowed),
            ..Question::default()
        };
        if columns.batch.is_some() && matches!(self.get(columns.batch), "" | "None") {
            self.refuse(columns.batch, "batch_size", "the samples of one pass");
        }
        if precision(self.get(columns.precision), &mut question).is_none() {
            self.refuse(columns.precision, "precision", Precision::allowed());
        }
        let mut name = self.get(columns.optimizer);
        for ending in [", optimizer-in-backward", "/optimizer-in-backward"] {
            if let Some(rest) = name.strip_suffix(ending) {
                name = rest;
                question.step_in_backward = true;
            }
        }
        question.optimizer =
            self.word(columns.optimizer, "optimizer", |_| optimizer(name), Optimizer::allowed);
        if self.wrong.is_empty() { Ok(question) } else { Err(self.wrong) }
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

/// Number formats by the names of tables, which say the mode too where weights have 4 bits; none for an unknown name.
fn precision(name: &str, question: &mut Question) -> Option<()> {
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
        other => Some(Precision::from_name(other)?),
    };
    Some(())
}
