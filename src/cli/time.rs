//! `plan time`: how long a piece of work takes on one accelerator or on all, without a plan.

pub mod cases;
pub mod hardware;
pub mod label;
mod show;
mod stage;
pub mod work;

use super::{Env, Exit, Stop};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::duration::Terms;
use crate::duration::pipeline::Feed;
use crate::job::{Network, StageKind};
use crate::model::{Family, Mode, Precision};
use crate::names::Named;
use crate::render::Format;
use crate::resolve::defaults::PRECISION;
use crate::units::number::Count;
use crate::units::{Date, Quantity};
use anyhow::{Context, Error};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use work::Work;

/// `plan time`.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct TimeArgs {
    /// A workload: the time of each of its stages, machine by machine
    #[arg(value_name = "WORKLOAD", conflicts_with_all = [
        "architecture", "family", "params", "samples", "tokens", "epochs", "batch_size", "accumulate", "seq_len", "image_size",
        "precision", "mode", "gradient_checkpointing", "network", "mfu", "decode_per_vcpu", "cases",
    ])]
    pub workload: Option<PathBuf>,
    /// Only this stage of the workload
    #[arg(long, value_name = "NAME", requires = "workload")]
    pub stage: Option<String>,
    /// A known architecture, such as resnet50, bert-large or llama-2-7b
    #[arg(long, value_name = "NAME")]
    pub architecture: Option<String>,
    /// Family of a model that has no known name
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Parameters, such as 25.6M
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e15))]
    pub params: Option<f64>,
    /// Samples in the data, such as 1.28M
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e15))]
    pub samples: Option<f64>,
    /// Tokens of the whole run, such as 10B
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e17), conflicts_with = "samples")]
    pub tokens: Option<f64>,
    /// Passes over the samples
    #[arg(long, value_name = "N", value_parser = amount(1e-6, 1e6))]
    pub epochs: Option<f64>,
    /// Samples per step over all devices
    #[arg(long, value_name = "N", value_parser = whole(1e9))]
    pub batch_size: Option<f64>,
    /// Forward and backward passes of one step (gradient accumulation)
    #[arg(long, value_name = "N", value_parser = whole(1e6))]
    pub accumulate: Option<f64>,
    /// Tokens per sample
    #[arg(long, value_name = "N", value_parser = whole(1e8))]
    pub seq_len: Option<f64>,
    /// Edge of an image in pixels
    #[arg(long, value_name = "PIXELS", value_parser = whole(1e5))]
    pub image_size: Option<f64>,
    /// Number format [default: fp32]
    #[arg(long, value_name = "FORMAT", value_parser = precision)]
    pub precision: Option<Precision>,
    /// All weights, adapters, or forward passes only [default: train]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    pub mode: Option<Mode>,
    /// Activations are recomputed in the backward pass
    #[arg(long)]
    pub gradient_checkpointing: bool,
    /// What joins several machines that share one training: ethernet or infiniband
    #[arg(long, value_name = "KIND", value_parser = network)]
    pub network: Option<Network>,
    /// Share of the card's peak in that number format (fp32: TF32) that the code reaches, where it is known
    #[arg(long, value_name = "SHARE")]
    pub mfu: Option<f64>,
    /// Samples that one vCPU reads and prepares in a second, where the data are prepared while training
    #[arg(long, value_name = "N", value_parser = amount(1e-3, 1e9))]
    pub decode_per_vcpu: Option<f64>,
    /// An accelerator, an instance type, or a number of vCPUs such as "8 vCPU" [default: all CUDA cards]
    #[arg(long, value_name = "MACHINE", conflicts_with = "all")]
    pub on: Option<String>,
    /// How many of them [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(1e5))]
    pub count: Option<f64>,
    /// Every accelerator, whatever software it runs; of a workload every instance type that can do the stage
    #[arg(long)]
    pub all: bool,
    /// Answer every row of a CSV file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["architecture", "on", "all"])]
    pub cases: Option<PathBuf>,
    /// Show the formula of each time with its numbers
    #[arg(long)]
    pub explain: bool,
    /// How to write the answer
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
    /// The same as --format json
    #[arg(long)]
    pub json: bool,
    /// Count ages of prices from this day instead of today
    #[arg(long, value_name = "DATE", value_parser = super::args::quantity::<Date>)]
    pub today: Option<Date>,
}

impl TimeArgs {
    /// How many of a machine are asked about.
    fn devices(&self) -> f64 {
        self.count.unwrap_or(1.0)
    }

    fn as_json(&self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// A number within bounds: what no work has is no question.
fn amount(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text: &str| {
        let value = Count::parse(text).map_err(|error| format!("must be {}", error.allowed))?.get();
        let bounds = || format!("must be from {} to {}", plain(least), plain(most));
        if (least..=most).contains(&value) { Ok(value) } else { Err(bounds()) }
    }
}

/// The same of whole numbers from 1.
fn whole(most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    let within = amount(1.0, most);
    move |text: &str| {
        let value = within(text)?;
        if value.fract() == 0.0 { Ok(value) } else { Err("must be a whole number".to_owned()) }
    }
}

/// A bound as a person writes it.
fn plain(bound: f64) -> String {
    if bound >= 1e6 { format!("{bound:e}") } else { bound.to_string() }
}

fn precision(text: &str) -> Result<Precision, String> {
    named(text)
}

fn network(text: &str) -> Result<Network, String> {
    named(text)
}

fn mode(text: &str) -> Result<Mode, String> {
    named(text)
}

fn named<T: Named>(text: &str) -> Result<T, String> {
    T::from_name(text).ok_or_else(|| format!("must be {}", T::allowed()))
}

/// Answers the question.
pub fn run(args: &TimeArgs, env: &Env, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    let catalog = Catalog::embedded();
    let terms = Terms {
        utilisation: args.mfu.map(|share| utilisation(share, err)).transpose()?,
        feed: args.decode_per_vcpu.map(|per_vcpu| Feed { per_vcpu, bytes: None }),
        ..Terms::default()
    };
    if let Some(path) = &args.cases {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let cases = cases::read(&text).map_err(Error::msg).with_context(|| path.display().to_string())?;
        let all = cases::write(&cases, &catalog, &terms, out)?;
        return Ok(if all { Exit::Done } else { Exit::No });
    }
    if let Some(path) = &args.workload {
        let today = args.today.unwrap_or(env.today);
        let (workload, tables) = stage::tables(path, args, &catalog, today, err)?;
        return show::write(Some(&workload), &tables, args, env, out);
    }
    let work = asked(args).map_err(|mistake| {
        let mut diags = Diagnostics::new();
        diags.push(mistake);
        Stop::Diagnostics(diags)
    })?;
    let table = show::one_off(&work, args, &catalog, &terms, err)?;
    show::write(None, &[table], args, env, out)
}

/// A utilisation that can be true: above the ceiling of a bare matrix product it is refused, above 65 % doubted.
fn utilisation(share: f64, err: &mut dyn Write) -> Result<f64, Stop> {
    const CEILING: f64 = 0.87;
    const FLOOR: f64 = 0.001;
    if !(FLOOR..=CEILING).contains(&share) {
        let message = format!(
            "--mfu is {share:?}; it must lie between {FLOOR} and {CEILING}, which is what a bare matrix product reaches"
        );
        return Err(Stop::Other(Error::msg(message)));
    }
    if share > 0.65 {
        writeln!(err, "warning: a utilisation of {share} is above all published training runs (0.65)")?;
    }
    Ok(share)
}

fn missing(message: &str) -> Diagnostic {
    Diagnostic::error(Code::MissingKey, None, message)
}

fn bad(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::BadValue, None, message)
}

fn asked(args: &TimeArgs) -> Result<Work, Diagnostic> {
    let known = args.architecture.as_deref().map(|name| {
        label::architecture(name).ok_or_else(|| {
            let hint = label::suggestion(name).map_or_else(
                || "give --family and --params instead".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            Diagnostic::error(Code::UnknownName, None, format!("no architecture is called {name:?}: {hint}"))
        })
    });
    let known = known.transpose()?;
    let family: Option<Family> = match &args.family {
        Some(text) => label::family(text).map_err(bad)?,
        None => known.map(|k| k.family),
    };
    if family.is_none() {
        return Err(missing(
            "what work? Give a WORKLOAD file, --architecture NAME, or --family FAMILY with --params N",
        ));
    }
    let mode = args.mode.unwrap_or(Mode::Train);
    let trains = mode != Mode::Inference;
    if args.decode_per_vcpu.is_some() && args.on.is_none() {
        return Err(missing(
            "--decode-per-vcpu needs --on with an instance type: an accelerator alone has no vCPUs",
        ));
    }
    match (args.samples, args.tokens, args.epochs) {
        (None, None, _) => return Err(missing("give --samples with --epochs, or --tokens")),
        (Some(_), None, None) if trains => return Err(missing("--samples without --epochs: give both")),
        _ => {}
    }
    if let Some(batch) =
        args.batch_size.filter(|batch| (batch / args.devices()).fract() > 1e-9 && args.devices() > 1.0)
    {
        return Err(bad(format!("--batch-size {batch} does not divide over {} devices", args.devices())));
    }
    if let (Some(batch), Some(passes)) = (args.batch_size, args.accumulate)
        && (batch / args.devices().max(1.0) / passes).fract() > 1e-9
    {
        return Err(bad(format!("--batch-size {batch} does not divide into {passes} passes")));
    }
    Ok(Work {
        label: args.architecture.clone().unwrap_or_default(),
        family,
        trains,
        mode,
        precision: args.precision.unwrap_or(PRECISION.value),
        batch: args.batch_size,
        seq_len: args.seq_len,
        image_size: args.image_size,
        params: args.params,
        samples: args.samples,
        tokens: args.tokens,
        epochs: args.epochs,
        accumulate: args.accumulate,
        checkpointing: args.gradient_checkpointing,
        network: args.network,
        kind: if trains { StageKind::Train } else { StageKind::Evaluate },
    })
}
