//! The command line's words as a question.

use super::cases::{family, image_size, targets};
use super::question::{Question, read_config};
use crate::cli::args::vram::VramArgs;
use crate::diag::{Code, Diagnostic, Diagnostics};
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

/// The flags, read one by one; what is wrong with them is collected.
struct Flags<'a> {
    wrong: &'a mut Diagnostics,
}

impl Flags<'_> {
    fn refuse(&mut self, code: Code, flag: &str, text: &str, allowed: impl Into<String>) {
        self.wrong.push(Diagnostic::error(code, None, format!("`{flag}` is {text:?}")).allowed(allowed));
    }

    /// One of the spellings of an enum, or what else a flag takes for one.
    fn one_of<T: Named>(
        &mut self,
        flag: &str,
        text: Option<&str>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text?;
        let found = read(text);
        if found.is_none() {
            let wrong = Diagnostic::error(Code::UnknownName, None, format!("`{flag}` is {text:?}"));
            let names = T::ALL.iter().map(|(_, name)| *name);
            self.wrong.push(wrong.allowed(T::allowed()).did_you_mean(text, names));
        }
        found
    }

    fn named<T: Named>(&mut self, flag: &str, text: Option<&str>) -> Option<T> {
        self.one_of(flag, text, T::from_name)
    }

    fn count(&mut self, flag: &str, text: Option<&str>) -> Option<f64> {
        let text = text?;
        match Count::parse(text) {
            Ok(count) => Some(count.get()),
            Err(error) => {
                let wrong = Diagnostic::error(Code::BadValue, None, format!("`{flag}` is {text:?}"))
                    .allowed(error.allowed);
                self.wrong.push(match error.suggestion {
                    Some(meant) => wrong.hint(format!("did you mean `{flag} {meant}`?")),
                    None => wrong,
                });
                None
            }
        }
    }
}

/// The question that the arguments ask, but for the file of `--config`; and the format of the answer.
pub(super) fn question(args: &VramArgs, diags: &mut Diagnostics) -> (Question, Format) {
    let mut flags = Flags { wrong: diags };
    let format = flags.named("--format", Some(&args.format)).unwrap_or(Format::Text);
    let image = args.image_size.as_deref().and_then(|size| {
        let found = image_size(size);
        if found.is_none() {
            flags.refuse(Code::BadValue, "--image-size", size, "an edge such as 224, or 512x1024");
        }
        found
    });
    let eager = match args.attention.as_deref() {
        None | Some("sdpa") => false,
        Some("eager") => true,
        Some(other) => {
            flags.refuse(Code::UnknownName, "--attention", other, "sdpa or eager");
            false
        }
    };
    let targets = args.lora_targets.as_deref().and_then(|name| {
        let found = targets(name);
        if found.is_none() {
            flags.refuse(Code::UnknownName, "--lora-targets", name, "all or qv");
        }
        found
    });
    let question = Question {
        architecture: args.architecture.clone(),
        family: flags.one_of("--family", args.family.as_deref(), family),
        params: flags.count("--params", args.params.as_deref()),
        conv_outputs: flags.count("--conv-outputs", args.conv_outputs.as_deref()),
        batch: flags.count("--batch-size", args.batch_size.as_deref()),
        seq: flags.count("--seq-len", args.seq_len.as_deref()),
        target: flags.count("--target-len", args.target_len.as_deref()),
        image,
        precision: flags.named::<Precision>("--precision", args.precision.as_deref()),
        optimizer: flags.named::<Optimizer>("--optimizer", args.optimizer.as_deref()),
        mode: flags.named::<Mode>("--mode", args.mode.as_deref()),
        checkpointing: args.gradient_checkpointing,
        accumulate: flags.count("--accumulate", args.accumulate.as_deref()),
        eager,
        rank: flags.count("--lora-rank", args.lora_rank.as_deref()),
        targets,
        devices: flags.count("--gpus", args.gpus.as_deref()),
        sharding: flags.named::<Sharding>("--sharding", args.sharding.as_deref()),
        ..Question::default()
    };
    (question, format)
}

/// The question with what the file of `--config` says.
pub(super) fn with_config(mut question: Question, args: &VramArgs) -> Result<Question, Vec<Diagnostic>> {
    if let Some(path) = &args.config {
        describe_file(path, &mut question)?;
    }
    Ok(question)
}

/// A configuration, or stored weights with the configuration beside them, or stored weights alone.
fn describe_file(path: &Path, question: &mut Question) -> Result<(), Vec<Diagnostic>> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.ends_with(".safetensors") && !name.ends_with(".safetensors.index.json") {
        question.config = Some(read_config(path)?);
        return Ok(());
    }
    let weights = weights::read(path).map_err(|wrong| vec![wrong])?;
    let beside = path.with_file_name("config.json");
    if beside.exists() {
        question.config = Some(read_config(&beside)?);
    } else {
        question.family = question.family.or(Some(Family::Decoder));
    }
    question.params = question.params.or(Some(weights.params));
    Ok(())
}
