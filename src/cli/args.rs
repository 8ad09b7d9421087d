//! The command line as clap sees it, and nothing else.

use clap::{Args as ClapArgs, Parser, Subcommand};
use std::path::PathBuf;

/// What to rent for each stage of a machine-learning job, why, for how long and for how much.
#[derive(Debug, Parser)]
#[command(name = "plan", version, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Args {
    /// A subcommand; without one, the first argument is the workload to plan.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check price catalogs, or show what they hold
    Catalog(super::catalog::CatalogArgs),
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
