//! The command line's words as a question.

use super::cases::{family, image_size, targets};
use super::question::{Question, read_config};
use crate::cli::args::vram::VramArgs;
use crate::diag::{Code, Diagnostic};
use crate::model::weights;
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::names::{Named, named};
use crate::units::Quantity;
use crate::units::number::Count;
use std::path::Path;

named! {
    /// How the answer is written.
    pub(super) enum Format {
        /// For people.
        Text = "text",
        /// For programs.
        Json = "json",
    }
}

/// The format.
pub(super) fn format(text: &str) -> Result<Format, Diagnostic> {
    spelled("--format", text)
}

fn spelled<T: Named>(flag: &str, text: &str) -> Result<T, Diagnostic> {
    T::from_name(text).ok_or_else(|| wrong::<T>(flag, text))
}

fn wrong<T: Named>(flag: &str, text: &str) -> Diagnostic {
    Diagnostic::error(Code::UnknownName, None, format!("{flag} is {text:?}"))
        .allowed(T::allowed())
        .did_you_mean(text, T::ALL.iter().map(|(_, name)| *name))
}

fn optional<T: Named>(flag: &str, text: Option<&String>) -> Result<Option<T>, Diagnostic> {
    text.map(|text| spelled(flag, text)).transpose()
}

fn count(flag: &str, text: Option<&String>) -> Result<Option<f64>, Diagnostic> {
    let Some(text) = text else { return Ok(None) };
    Count::parse(text).map(|count| Some(count.get())).map_err(|error| {
        let found =
            Diagnostic::error(Code::BadValue, None, format!("{flag} is {text:?}")).allowed(error.allowed);
        match error.suggestion {
            Some(text) => found.hint(format!("did you mean `{text}`?")),
            None => found,
        }
    })
}

/// The question that the arguments ask.
pub(super) fn question(args: &VramArgs) -> Result<Question, Diagnostic> {
    let mut question = Question {
        architecture: args.architecture.clone(),
        family: match &args.family {
            Some(name) => Some(family(name).ok_or_else(|| wrong::<Family>("--family", name))?),
            None => None,
        },
        params: count("--params", args.params.as_ref())?,
        conv_outputs: count("--conv-outputs", args.conv_outputs.as_ref())?,
        batch: count("--batch-size", args.batch_size.as_ref())?,
        seq: count("--seq-len", args.seq_len.as_ref())?,
        target: count("--target-len", args.target_len.as_ref())?,
        image: match &args.image_size {
            Some(size) => Some(image_size(size).ok_or_else(|| {
                Diagnostic::error(Code::BadValue, None, format!("--image-size is {size:?}"))
                    .allowed("224 or 512x1024")
            })?),
            None => None,
        },
        precision: optional::<Precision>("--precision", args.precision.as_ref())?,
        optimizer: optional::<Optimizer>("--optimizer", args.optimizer.as_ref())?,
        mode: optional::<Mode>("--mode", args.mode.as_ref())?,
        checkpointing: args.gradient_checkpointing,
        accumulate: count("--accumulate", args.accumulate.as_ref())?,
        eager: match args.attention.as_deref() {
            None | Some("sdpa") => false,
            Some("eager") => true,
            Some(other) => {
                return Err(Diagnostic::error(Code::UnknownName, None, format!("--attention is {other:?}"))
                    .allowed("sdpa or eager"));
            }
        },
        rank: count("--lora-rank", args.lora_rank.as_ref())?,
        targets: match &args.lora_targets {
            Some(name) => Some(targets(name).ok_or_else(|| {
                Diagnostic::error(Code::UnknownName, None, format!("--lora-targets is {name:?}"))
                    .allowed("all or qv")
            })?),
            None => None,
        },
        devices: count("--gpus", args.gpus.as_ref())?,
        sharding: optional::<Sharding>("--sharding", args.sharding.as_ref())?,
        ..Question::default()
    };
    if let Some(path) = &args.config {
        describe_file(path, &mut question)?;
    }
    Ok(question)
}

/// A configuration, or stored weights with the configuration beside them, or stored weights alone.
fn describe_file(path: &Path, question: &mut Question) -> Result<(), Diagnostic> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.ends_with(".safetensors") && !name.ends_with(".safetensors.index.json") {
        question.config = Some(read_config(path)?);
        return Ok(());
    }
    let weights = weights::read(path)?;
    let beside = path.with_file_name("config.json");
    if beside.exists() {
        question.config = Some(read_config(&beside)?);
    } else {
        question.family = question.family.or(Some(Family::Decoder));
    }
    question.params = question.params.or(Some(weights.params));
    Ok(())
}
