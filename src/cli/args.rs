//! The command line as clap sees it, and nothing else. Every value is what was typed: defaults and meaning come in
//! `resolve`.

mod offers;
mod shell;
mod usage;

pub use offers::OffersArgs;
pub use shell::{CompletionsArgs, InitArgs, SchemaArgs};
pub use usage::UsageArgs;
pub mod vram;

use crate::names::Named;
use crate::read::change::Change;
use crate::render::Format;
use crate::terms::Purchase;
use crate::units::{Amount, Currency, Date, Hours, Quantity, QuantityError};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use vram::VramArgs;

/// What to rent for each stage of a machine-learning job, why, for how long and for how much.
#[derive(Debug, Parser)]
#[command(
    name = "plan",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Exit status: 0 a plan within its limits; 1 a valid question whose answer is no (nothing feasible, \
                  over budget, past the deadline, prices too old); 2 bad input or usage."
)]
pub struct Args {
    /// A subcommand; without one, the first argument is the workload to plan.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The main job.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check price files, or show what catalogs hold
    Catalog {
        /// What to do.
        #[command(subcommand)]
        command: CatalogCommand,
    },
    /// List what the catalog sells: by GPU, memory, vCPUs, place, price, way of buying
    Offers(OffersArgs),
    /// Print a commented workload to start from
    Init(InitArgs),
    /// Read an nvidia-smi log: how busy the GPUs were, and what the idle share costs
    Usage(UsageArgs),
    /// Print the JSON schema of an answer
    Schema(SchemaArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// List rules, reasons, diagnostics and thresholds, or tell one at length
    Explain {
        /// A rule (A-L2), a reason (memory-floor), a diagnostic (unknown-key) or a threshold (gpu_min_samples)
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// What one device's memory must hold
    Vram(Box<VramArgs>),
    /// How long a piece of work takes, on one accelerator or on all
    Time(Box<super::time::TimeArgs>),
}

/// What can be done with catalogs.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Check price files: mistakes are errors (exit status 2), oddities warnings
    Check {
        /// TOML or CSV files, or folders of them
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Show providers, counts, dates and sources
    Show {
        /// Which catalogs.
        #[command(flatten)]
        catalog: CatalogOptions,
    },
}

/// Which prices to use.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct CatalogOptions {
    /// Add prices from a TOML or CSV file, or from a folder of them; the later of equal offers wins
    #[arg(long, value_name = "FILE|DIR")]
    pub catalog: Vec<PathBuf>,
    /// Use the given catalogs alone, without the embedded prices
    #[arg(long, requires = "catalog")]
    pub catalog_only: bool,
}

/// `plan workload.toml`.
#[derive(Debug, Clone, ClapArgs)]
pub struct PlanArgs {
    /// The workload to plan (TOML); `plan init` prints one to start from
    #[arg(value_name = "WORKLOAD")]
    pub workload: Option<PathBuf>,
    /// Which prices to use.
    #[command(flatten)]
    pub prices: CatalogOptions,
    /// Show every rule with its facts, how each time and cost came about, what was rejected, and every default
    #[arg(long)]
    pub explain: bool,
    /// How to write the answer
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub format: Format,
    /// Most that one run may cost, such as "400 USD" (exit status 1 above it)
    #[arg(long, value_name = "AMOUNT", value_parser = quantity::<Amount>, allow_negative_numbers = true)]
    pub budget: Option<Amount>,
    /// Longest time from start to end of one run, such as 24h (exit status 1 beyond it)
    #[arg(long, value_name = "TIME", value_parser = quantity::<Hours>, allow_negative_numbers = true)]
    pub deadline: Option<Hours>,
    /// Least time instead of least cost: the fastest plan that the budget allows
    #[arg(long)]
    pub fastest: bool,
    /// Show the cost-time curve of a run instead of one plan: what speed costs, and what changes at each step. Services are no
    /// part of a run: with nothing else the plan is shown
    #[arg(long)]
    pub frontier: bool,
    /// Show the plan beside the one with a value of the workload changed, such as data.samples=10M, limits.deadline=6h or
    /// train.epochs=5 (repeatable, each change by itself); a stage's name with a dot stands in quotes: 'stage."v1.2".epochs=5'
    #[arg(long, value_name = "KEY=VALUE", value_parser = Change::parse, conflicts_with = "frontier")]
    pub what_if: Vec<Change>,
    /// Chance with which a run must meet its deadline, such as 0.95; the cheapest plan that does is sought
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    pub confidence: Option<f64>,
    /// Currency of the plan, such as CNY; prices in others are converted at the dated rates
    #[arg(long, value_name = "CODE", value_parser = quantity::<Currency>)]
    pub currency: Option<Currency>,
    /// Rent from this provider only (repeatable)
    #[arg(long, value_name = "NAME")]
    pub provider: Vec<String>,
    /// Rent in this region only (repeatable)
    #[arg(long, value_name = "NAME")]
    pub region: Vec<String>,
    /// Leave out prices older than so many months unless their provider or region is named [default: 36]
    #[arg(long, value_name = "MONTHS", value_parser = whole, allow_negative_numbers = true)]
    pub stale_after: Option<u32>,
    /// Exit with status 1 when a price of the plan is older than so many days
    #[arg(long, value_name = "DAYS", value_parser = whole, allow_negative_numbers = true)]
    pub max_age: Option<u32>,
    /// Count ages from this day instead of today
    #[arg(long, value_name = "DATE", value_parser = quantity::<Date>)]
    pub today: Option<Date>,
}

/// Reads a quantity with its unit; the message is that of a file.
pub fn quantity<T: Quantity>(text: &str) -> Result<T, QuantityError> {
    T::parse(text)
}

/// Reads a whole number of zero or more.
pub fn whole(text: &str) -> Result<u32, QuantityError> {
    text.trim().parse().map_err(|_| QuantityError::new(format!("a whole number from 0 to {}", u32::MAX)))
}

/// Reads a share; which ones can be true is said where it is used.
pub fn share(text: &str) -> Result<f64, QuantityError> {
    let number = text.trim().parse().ok().filter(|share: &f64| share.is_finite());
    number.ok_or_else(|| QuantityError::new("a share from 0 to 1, such as 0.95"))
}

/// Reads a word of a list; help texts and completions show the list.
pub fn word<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|(_, name)| *name))
        .try_map(|name| T::from_name(&name).ok_or("not in the list"))
}

/// A value parser for the ways in which an offer is sold.
pub fn sold() -> impl TypedValueParser<Value = Purchase> {
    PossibleValuesParser::new(Purchase::SOLD.iter().map(|(_, name)| *name))
        .try_map(|name| Purchase::from_name(&name).ok_or("not in the list"))
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Table, Self::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
