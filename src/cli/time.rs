//! `plan time`: how long a piece of work takes on one accelerator or on all, without a plan.

pub mod cases;
pub mod hardware;
pub mod label;
mod show;
mod stage;
mod typed;
pub mod work;

use super::args::{share, word};
use super::{Env, Exit, Stop, report};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::duration::Terms;
use crate::duration::pipeline::Feed;
use crate::job::Network;
use crate::model::{Mode, Precision};
use crate::read::Source;
use crate::render::Format;
use crate::units::number::Count;
use crate::units::{Date, Quantity, QuantityError};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

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
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e15), allow_negative_numbers = true)]
    pub params: Option<f64>,
    /// Samples in the data, such as 1.28M
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e15), allow_negative_numbers = true)]
    pub samples: Option<f64>,
    /// Tokens of the whole run, such as 10B
    #[arg(long, value_name = "N", value_parser = amount(1.0, 1e17), allow_negative_numbers = true, conflicts_with = "samples")]
    pub tokens: Option<f64>,
    /// Passes over the samples
    #[arg(long, value_name = "N", value_parser = amount(1e-6, 1e6), allow_negative_numbers = true)]
    pub epochs: Option<f64>,
    /// Samples per step over all devices
    #[arg(long, value_name = "N", value_parser = whole(1e9), allow_negative_numbers = true)]
    pub batch_size: Option<f64>,
    /// Forward and backward passes of one step (gradient accumulation)
    #[arg(long, value_name = "N", value_parser = whole(1e6), allow_negative_numbers = true)]
    pub accumulate: Option<f64>,
    /// Tokens per sample
    #[arg(long, value_name = "N", value_parser = whole(1e8), allow_negative_numbers = true)]
    pub seq_len: Option<f64>,
    /// Edge of an image in pixels
    #[arg(long, value_name = "PIXELS", value_parser = whole(1e5), allow_negative_numbers = true)]
    pub image_size: Option<f64>,
    /// Number format [default: fp32]
    #[arg(long, value_name = "FORMAT", value_parser = word::<Precision>())]
    pub precision: Option<Precision>,
    /// All weights, adapters, or forward passes only [default: train]
    #[arg(long, value_name = "MODE", value_parser = word::<Mode>())]
    pub mode: Option<Mode>,
    /// Activations are recomputed in the backward pass
    #[arg(long)]
    pub gradient_checkpointing: bool,
    /// What joins several machines that share one training: ethernet or infiniband
    #[arg(long, value_name = "KIND", value_parser = word::<Network>())]
    pub network: Option<Network>,
    /// Share of the card's peak in that number format (fp32: TF32) that the code reaches, where it is known
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    pub mfu: Option<f64>,
    /// Samples that one vCPU reads and prepares in a second, where the data are prepared while training
    #[arg(long, value_name = "N", value_parser = amount(1e-3, 1e9), allow_negative_numbers = true)]
    pub decode_per_vcpu: Option<f64>,
    /// An accelerator, an instance type, or a number of vCPUs such as "8 vCPU" [default: all CUDA cards]
    #[arg(long, value_name = "MACHINE", conflicts_with = "all")]
    pub on: Option<String>,
    /// How many of them [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(1e5), allow_negative_numbers = true)]
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
fn amount(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, QuantityError> + Clone + Send + Sync {
    move |text: &str| {
        let value = Count::parse(text)?.get();
        let bounds = || QuantityError::new(format!("a number from {} to {}", plain(least), plain(most)));
        if (least..=most).contains(&value) { Ok(value) } else { Err(bounds()) }
    }
}

/// The same of whole numbers from 1.
fn whole(most: f64) -> impl Fn(&str) -> Result<f64, QuantityError> + Clone + Send + Sync {
    let within = amount(1.0, most);
    move |text: &str| {
        let value = within(text)?;
        let allowed = || QuantityError::new(format!("a whole number from 1 to {}", plain(most)));
        if value.fract() == 0.0 { Ok(value) } else { Err(allowed()) }
    }
}

/// A bound as a person writes it.
fn plain(bound: f64) -> String {
    if bound >= 1e6 { format!("{bound:e}") } else { bound.to_string() }
}

/// Answers the question.
pub fn run(args: &TimeArgs, env: &Env, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    let catalog = Catalog::embedded();
    let mut diags = Diagnostics::new();
    let terms = Terms {
        utilisation: typed::utilisation(args, &mut diags),
        feed: args.decode_per_vcpu.map(|per_vcpu| Feed { per_vcpu, bytes: None }),
        ..Terms::default()
    };
    if let Some(path) = &args.cases {
        if diags.has_errors() {
            return Err(diags.into());
        }
        let source = Source::open(path)?;
        let Some(cases) = cases::read(&source, &mut diags) else { return Err(diags.into()) };
        let all = cases.write(&catalog, &terms, out, &mut diags)?;
        return Ok(match (report(diags, err), all) {
            (true, _) => Exit::Bad,
            (false, true) => Exit::Done,
            (false, false) => Exit::No,
        });
    }
    if let Some(path) = &args.workload {
        let today = args.today.unwrap_or(env.today);
        let (workload, tables) = stage::tables(path, args, &catalog, today, err)?;
        return show::write(Some(&workload), &tables, args, env, out);
    }
    let work = typed::work(args, &mut diags).filter(|_| !diags.has_errors());
    let Some(work) = work else { return Err(diags.into()) };
    report(diags, err);
    let table = show::one_off(&work, args, &catalog, &terms, err)?;
    show::write(None, &[table], args, env, out)
}

/// What is wrong with the machine of `--on`, or with how many of it `--count` asks for.
fn on(name: &str, args: &TimeArgs, wrong: Diagnostic) -> Stop {
    let message = if wrong.code == Code::BadValue {
        format!("`--count` is {}: {}", args.devices(), wrong.message)
    } else {
        format!("`--on` is {name:?}: {}", wrong.message)
    };
    Diagnostic { message, ..wrong }.into()
}
