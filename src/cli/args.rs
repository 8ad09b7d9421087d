//! The command line as clap sees it, and nothing else.

use clap::{Parser, Subcommand};

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
    /// How long a piece of work takes, on one accelerator or on all
    Time(Box<super::time::TimeArgs>),
}
