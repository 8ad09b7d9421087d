//! Many one-off questions at once: a CSV file in, a CSV of rates and hours out. A row that cannot be answered keeps its
//! place and says why.

use super::hardware::hardware;
use super::label;
use super::work::{Answer, Measured, Work};
use crate::catalog::Catalog;
use crate::duration::{INSTRUCTION_FILL, Terms};
use crate::job::{Network, StageKind};
use crate::model::{Mode, Precision};
use crate::units::number::{Count, significant};
use crate::units::{Hours, Quantity};
use csv::StringRecord;
use std::io::Write;

/// The columns, in the order in which they are documented; a file may leave out or reorder them.
pub const COLUMNS: [&str; 16] = [
    "id",
    "model",
    "family",
    "task",
    "precision",
    "batch",
    "seq_len",
    "params",
    "samples",
    "tokens",
    "epochs",
    "from",
    "from_count",
    "from_rate",
    "to",
    "to_count",
];

/// The columns of the answer.
const ANSWER: [&str; 9] =
    ["id", "rate", "low", "high", "hours", "hours_low", "hours_high", "evidence", "message"];

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

    fn number(&self, column: &str) -> Result<Option<f64>, String> {
        let text = self.get(column);
        if text.is_empty() {
            return Ok(None);
        }
        // Plain numbers in any notation, or with K, M, B, T.
        let value = text.parse::<f64>().ok().or_else(|| Count::parse(text).ok().map(Count::get));
        let most = if column.ends_with("_count") { MOST_MACHINES } else { MOST };
        match value.filter(|v| v.is_finite() && *v > 0.0) {
            Some(value) if value <= most => Ok(Some(value)),
            Some(_) => Err(format!("{column} is {text:?}; it must be at most {most:e}")),
            None => Err(format!("{column} is {text:?}; it must be a number above zero")),
        }
    }

    /// What it asks, and what its wording left open.
    pub fn work(&self) -> Result<(Work, Vec<String>), String> {
        let mut notes = Vec::new();
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
            other => {
                return Err(format!(
                    "task is {other:?}; it must be train, finetune, lora, qlora, infer, preprocess or transcode"
                ));
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
        let batch = match (self.get("batch"), self.number("batch")) {
            (_, Ok(batch)) => batch,
            (text, Err(error)) => match text.parse::<f64>() {
                // Descriptions such as "micro 16 x accum 4" or "auto" are no mistake; numbers that are none are.
                Err(_) if !text.starts_with('-') => {
                    notes.push(format!("batch {text:?} is not a number: not used"));
                    None
                }
                _ => return Err(error),
            },
        };
        let family = label::family(self.get("family"))?;
        let seq_len = self.number("seq_len")?;
        let tunes = matches!(task.as_str(), "finetune" | "fine-tune" | "sft");
        let fill = if tunes && self.get("tokens").is_empty() { INSTRUCTION_FILL } else { 1.0 };
        if let Some(limit) = seq_len.filter(|_| fill < 1.0) {
            notes.push(format!("texts are taken to fill half of the {limit} tokens"));
        }
        let work = Work {
            family: family.or_else(|| label::architecture(&label).map(|k| k.family)),
            trains,
            mode,
            precision: number_format(&precision)?,
            batch,
            seq_len: seq_len.map(|limit| limit * fill),
            image_size: None,
            params: self.number("params")?,
            samples: self.number("samples")?,
            tokens: self.number("tokens")?,
            epochs: self.number("epochs")?,
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
        Ok((work, notes))
    }

    /// The answer, and what is to be said about it.
    pub fn answer(&self, catalog: &Catalog, terms: &Terms) -> Result<(Answer, Vec<String>), String> {
        let (work, mut notes) = self.work()?;
        let to_count = self.number("to_count")?.unwrap_or(1.0);
        if self.get("to").is_empty() {
            return Err("to is empty; it must name an accelerator or a machine".to_owned());
        }
        let to = hardware(self.get("to"), to_count, catalog)?;
        let mut measured = Vec::new();
        if !self.get("from").is_empty() {
            let count = self.number("from_count")?.unwrap_or(1.0);
            let rate =
                self.number("from_rate")?.ok_or("from without from_rate: give the items per second there")?;
            let from = hardware(self.get("from"), count, catalog)?;
            notes.extend(from.note);
            if from.instance.gpu.is_some() != to.instance.gpu.is_some() {
                return Err(
                    "a rate on a CPU says nothing about a GPU, nor the other way round: measure one on each"
                        .to_owned(),
                );
            }
            let label = self.get("from").to_owned();
            measured.push(Measured { on: from.on, label, instances: from.instances, rate });
        }
        notes.extend(to.note.clone());
        if let Some(batch) = work.batch.filter(|_| work.trains && to.instance.gpu.is_some())
            && (batch / to_count).fract() > 1e-9
        {
            notes.push(format!("batch {batch} does not divide over {to_count} devices"));
        }
        if work.trains && to.instance.gpu.is_some() && to.instances > 1 {
            notes.push(format!("Ethernet is supposed between the {} machines", to.instances));
        }
        let answer = work.answer(&measured, &to, catalog, terms)?;
        Ok((answer, notes))
    }
}

/// The number format that a text names.
fn number_format(text: &str) -> Result<Precision, String> {
    Ok(match text {
        "fp32" | "tf32" | "float32" | "single" => Precision::Fp32,
        "int8" | "uint8" => Precision::Int8,
        "" | "amp" | "mixed" | "half" => Precision::Amp,
        _ if ["fp16", "bf16", "nf4", "int4", "q4", "fp8"].iter().any(|p| text.contains(p)) => Precision::Amp,
        _ => {
            return Err(format!(
                "precision is {text:?}; it must be fp32, tf32, amp, fp16, bf16, fp8, int8 or nf4"
            ));
        }
    })
}

/// Reads questions from CSV text; a column that is none of [`COLUMNS`] is an error.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let at: Vec<usize> = header.iter().map(column).collect::<Result<_, _>>()?;
    let case = |record: Result<StringRecord, csv::Error>| {
        let mut case = Case::default();
        for (field, at) in record.map_err(|error| error.to_string())?.iter().zip(&at) {
            if let Some(slot) = case.fields.get_mut(*at) {
                field.trim().clone_into(slot);
            }
        }
        Ok(case)
    };
    reader.records().map(case).collect()
}

fn column(name: &str) -> Result<usize, String> {
    COLUMNS.iter().position(|c| *c == name.trim()).ok_or_else(|| {
        let near = crate::names::closest(name, COLUMNS);
        let hint = near
            .map_or_else(|| format!("known are {}", COLUMNS.join(", ")), |c| format!("did you mean {c}?"));
        format!("unknown column {name:?}: {hint}")
    })
}

/// Answers all; returns whether each row has an answer.
pub fn write(cases: &[Case], catalog: &Catalog, terms: &Terms, out: &mut dyn Write) -> std::io::Result<bool> {
    let mut writer = csv::Writer::from_writer(out);
    let mut all = true;
    writer.write_record(ANSWER)?;
    for case in cases {
        let row = match case.answer(catalog, terms) {
            Ok((answer, notes)) => row(case.get("id"), &answer, &notes),
            Err(message) => {
                all = false;
                let mut row: [String; 9] = Default::default();
                case.get("id").clone_into(&mut row[0]);
                row[8] = message;
                row
            }
        };
        writer.write_record(row)?;
    }
    writer.flush()?;
    Ok(all)
}

fn row(id: &str, answer: &Answer, notes: &[String]) -> [String; 9] {
    let number = |value: f64| if value.is_finite() { significant(value, 6) } else { String::new() };
    let hours = |pick: &dyn Fn(&crate::units::Band<Hours>) -> Hours| {
        answer.whole.map_or_else(String::new, |whole| number(pick(&whole.time).get()))
    };
    [
        id.to_owned(),
        number(answer.rate),
        number(answer.low),
        number(answer.high),
        hours(&|band| band.expected),
        hours(&|band| band.low),
        hours(&|band| band.high),
        answer.bare.evidence.to_string(),
        notes.join("; "),
    ]
}
