//! The command line as clap sees it, and nothing else.

use clap::{Parser, Subcommand};
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
    /// Check price catalogs, or show what they hold.
    Catalog {
        /// What to do.
        #[command(subcommand)]
        command: CatalogCommand,
    },
}

/// What can be done with catalogs.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Check price files: mistakes are errors (exit status 2), oddities warnings.
    Check {
        /// TOML or CSV files, or folders of them.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Show providers, counts, dates and sources.
    Show {
        /// Which catalogs.
        #[command(flatten)]
        catalog: CatalogArgs,
    },
}

/// Which prices are used.
#[derive(Debug, clap::Args)]
pub struct CatalogArgs {
    /// Add prices: a TOML or CSV file or a folder of them; may be repeated, the later wins.
    #[arg(long, value_name = "FILE|DIR")]
    pub catalog: Vec<PathBuf>,
    /// Use only the catalogs given, not the embedded prices.
    #[arg(long, requires = "catalog")]
    pub catalog_only: bool,
}
