//! A row of a file of questions: what it asks, its answer, and everything that is wrong with it.

use super::COLUMNS;
use crate::catalog::Catalog;
use crate::cli::time::hardware::{Hardware, hardware};
use crate::cli::time::label;
use crate::cli::time::work::{Answer, Measured, Work};
use crate::diag::{Code, Diagnostic};
use crate::duration::{INSTRUCTION_FILL, Terms};
use crate::job::{Network, StageKind};
use crate::model::{Mode, Precision};
use crate::names::list;
use crate::units::Quantity;
use crate::units::number::Count;

/// No number is larger: more than the operations of any run.
const MOST: f64 = 1e18;
/// No run has more machines.
const MOST_MACHINES: f64 = 1e5;

/// One question as it was written.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// Column by column, in the order of [`COLUMNS`].
    pub fields: [String; 16],
}

impl Case {
    /// A column's text.
    pub fn get(&self, column: &str) -> &str {
        COLUMNS.iter().position(|c| *c == column).and_then(|at| self.fields.get(at)).map_or("", |f| f.trim())
    }

    /// Sets a column's text; unknown columns are refused.
    #[must_use]
    pub fn with(mut self, column: &str, text: impl Into<String>) -> Self {
        if let Some(field) = COLUMNS.iter().position(|c| *c == column).and_then(|at| self.fields.get_mut(at))
        {
            *field = text.into();
        }
        self
    }

    fn number(&self, column: &'static str, wrong: &mut Vec<Wrong>) -> Option<f64> {
        let text = self.get(column);
        if text.is_empty() {
            return None;
        }
        let value = parsed(text);
        let most = if column.ends_with("_count") { MOST_MACHINES } else { MOST };
        let value = value.filter(|v| v.is_finite() && *v > 0.0);
        let within = value.filter(|v| *v <= most);
        if within.is_none() {
            let allowed =
                if value.is_some() { format!("at most {most:e}") } else { "a number above zero".to_owned() };
            wrong.push(self.wrong(column, Code::BadValue).allowed(allowed).of(column));
        }
        within
    }

    /// The diagnostic of a column's text, to which what is allowed is added.
    fn wrong(&self, column: &str, code: Code) -> Diagnostic {
        Diagnostic::error(code, None, format!("`{column}` is {:?}", self.get(column)))
    }

    /// A word that a column does not know.
    fn not_one_of(&self, column: &'static str, words: &[&'static str]) -> Wrong {
        self.wrong(column, Code::UnknownName)
            .allowed(list(words.iter().copied()))
            .did_you_mean(self.get(column), words.iter().copied())
            .of(column)
    }

    /// The machine that a column names, so many of it.
    fn hardware(
        &self,
        (column, counted): (&'static str, &'static str),
        count: f64,
        catalog: &Catalog,
        wrong: &mut Vec<Wrong>,
    ) -> Option<Hardware> {
        let found = hardware(self.get(column), count, catalog).map_err(|found| {
            let column = if found.code == Code::BadValue { counted } else { column };
            let message = format!("`{column}` is {:?}: {}", self.get(column), found.message);
            wrong.push(Diagnostic { message, ..found }.of(column));
        });
        found.ok()
    }

    /// What it asks; what its wording left open, and its mistakes, are added to those that are known.
    pub fn work(&self, notes: &mut Vec<String>, wrong: &mut Vec<Wrong>) -> Work {
        // A remark after the task, such as "infer batch=1", does not change it.
        let task = self.get("task").split_whitespace().next().unwrap_or("").to_lowercase();
        let precision = self.get("precision").to_lowercase();
        let (trains, kind) = match task.as_str() {
            "" | "train" | "pretrain" | "finetune" | "fine-tune" | "sft" | "lora" | "qlora" => {
                (true, StageKind::Train)
            }
            "infer" | "inference" | "evaluate" | "eval" | "batch" => (false, StageKind::Evaluate),
            "preprocess" | "prepare" => (false, StageKind::Prepare),
            "transcode" => (false, StageKind::Transcode),
            _ => {
                wrong.push(self.not_one_of("task", &TASKS));
                (true, StageKind::Train)
            }
        };
        let label = self.get("model").to_owned();
        let quantised = ["nf4", "int4", "q4"].iter().any(|q| precision.contains(q));
        let mode = match () {
            () if !trains => Mode::Inference,
            () if task == "qlora" || quantised => Mode::Qlora,
            () if task == "lora" => Mode::Lora,
            () => Mode::Train,
        };
        // Descriptions such as "micro 16 x accum 4" or "auto" are no mistake; numbers that are none are.
        let batch = match self.get("batch") {
            text if !text.is_empty() && !text.starts_with('-') && parsed(text).is_none() => {
                notes.push(format!("batch {text:?} is not a number: not used"));
                None
            }
            _ => self.number("batch", wrong),
        };
        let family = label::family(self.get("family")).map_err(|found| {
            let message = format!("`family` is {:?}: {}", self.get("family"), found.message);
            wrong.push(Diagnostic { message, ..found }.of("family"));
        });
        let family = family.ok().flatten();
        let seq_len = self.number("seq_len", wrong);
        let tunes = matches!(task.as_str(), "finetune" | "fine-tune" | "sft");
        let fill = if tunes && self.get("tokens").is_empty() { INSTRUCTION_FILL } else { 1.0 };
        if let Some(limit) = seq_len.filter(|_| fill < 1.0) {
            notes.push(format!("texts are taken to fill half of the {limit} tokens"));
        }
        let format = number_format(&precision);
        if format.is_none() {
            wrong.push(self.not_one_of("precision", &FORMATS));
        }
        let work = Work {
            family: family.or_else(|| label::architecture(&label).map(|k| k.family)),
            trains,
            mode,
            precision: format.unwrap_or(Precision::Amp),
            batch,
            seq_len: seq_len.map(|limit| limit * fill),
            image_size: None,
            params: self.number("params", wrong),
            samples: self.number("samples", wrong),
            tokens: self.number("tokens", wrong),
            epochs: self.number("epochs", wrong),
            accumulate: None,
            checkpointing: false,
            // There is no column for it; that it is supposed is said.
            network: Some(Network::Ethernet),
            kind,
            label,
        };
        if work.samples.is_some() && work.tokens.is_none() && work.epochs.is_none() && trains {
            notes.push("samples without epochs: no hours".to_owned());
        }
        work
    }

    /// The answer, and what is to be said about it; or every mistake of the row, or why it has no answer.
    pub fn answer(&self, catalog: &Catalog, terms: &Terms) -> Result<(Answer, Vec<String>), Vec<Wrong>> {
        let (mut notes, mut wrong) = (Vec::new(), Vec::new());
        let work = self.work(&mut notes, &mut wrong);
        let (measured, to) = self.machines(catalog, &mut notes, &mut wrong);
        let Some(to) = to.filter(|_| wrong.is_empty()) else { return Err(wrong) };
        if let Some(batch) = work.batch.filter(|_| work.trains && to.instance.gpu.is_some()) {
            let count = self.number("to_count", &mut wrong).unwrap_or(1.0);
            if (batch / count).fract() > 1e-9 {
                notes.push(format!("batch {batch} does not divide over {count} devices"));
            }
        }
        if work.trains && to.instance.gpu.is_some() && to.instances > 1 {
            notes.push(format!("Ethernet is supposed between the {} machines", to.instances));
        }
        match work.answer(measured.as_slice(), &to, catalog, terms) {
            Ok(answer) => Ok((answer, notes)),
            Err(why) => Err(vec![Wrong::no(why.message)]),
        }
    }

    /// What was measured, and the machine that is asked about.
    fn machines(
        &self,
        catalog: &Catalog,
        notes: &mut Vec<String>,
        wrong: &mut Vec<Wrong>,
    ) -> (Option<Measured>, Option<Hardware>) {
        let missing = |column, message: &str| Diagnostic::error(Code::MissingKey, None, message).of(column);
        let count = self.number("to_count", wrong).unwrap_or(1.0);
        let to = if self.get("to").is_empty() {
            wrong.push(missing("to", "`to` is empty: on which machine?"));
            None
        } else {
            self.hardware(("to", "to_count"), count, catalog, wrong)
        };
        if self.get("from").is_empty() {
            notes.extend(to.as_ref().and_then(|to| to.note.clone()));
            return (None, to);
        }
        let count = self.number("from_count", wrong).unwrap_or(1.0);
        let from = self.hardware(("from", "from_count"), count, catalog, wrong);
        if self.get("from_rate").is_empty() {
            wrong.push(missing("from_rate", "`from` without `from_rate`: give the items per second there"));
        }
        let rate = self.number("from_rate", wrong);
        if let (Some(from), Some(to)) = (&from, &to) {
            notes.extend(from.note.clone());
            notes.extend(to.note.clone());
            if from.instance.gpu.is_some() != to.instance.gpu.is_some() && wrong.is_empty() {
                wrong.push(Wrong::no(
                    "a rate on a CPU says nothing about a GPU, nor the other way round: measure one on each",
                ));
            }
        }
        let label = self.get("from").to_owned();
        let measured = from.zip(rate).map(|(from, rate)| Measured {
            on: from.on,
            label,
            instances: from.instances,
            rate,
        });
        (measured, to)
    }
}

/// A plain number in any notation, or with K, M, B, T.
fn parsed(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().or_else(|| Count::parse(text).ok().map(Count::get))
}

/// Why a row has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The column of the mistake; `None` where the question is valid and has no answer.
    pub column: Option<&'static str>,
    /// What is to be said.
    pub diagnostic: Diagnostic,
}

impl Wrong {
    /// A valid question whose answer is no.
    fn no(why: impl Into<String>) -> Self {
        Self { column: None, diagnostic: Diagnostic::error(Code::MissingKey, None, why) }
    }
}

impl Diagnostic {
    /// The mistake of a column.
    const fn of(self, column: &'static str) -> Wrong {
        Wrong { column: Some(column), diagnostic: self }
    }
}

/// What a row may ask for.
const TASKS: [&str; 7] = ["train", "finetune", "lora", "qlora", "infer", "preprocess", "transcode"];
/// The number formats by their usual names.
const FORMATS: [&str; 8] = ["fp32", "tf32", "amp", "fp16", "bf16", "fp8", "int8", "nf4"];

/// The number format that a text names.
fn number_format(text: &str) -> Option<Precision> {
    match text {
        "fp32" | "tf32" | "float32" | "single" => Some(Precision::Fp32),
        "int8" | "uint8" => Some(Precision::Int8),
        "" | "amp" | "mixed" | "half" => Some(Precision::Amp),
        _ => {
            let known = ["fp16", "bf16", "nf4", "int4", "q4", "fp8"].iter().any(|p| text.contains(p));
            known.then_some(Precision::Amp)
        }
    }
}
