//! The command line as clap sees it, and nothing else.

pub mod vram;

use clap::{Parser, Subcommand};
use vram::VramArgs;

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
    /// Memory that a model needs on one GPU, what fits, and what to try when it does not.
    Vram(Box<VramArgs>),
    /// Not built yet.
    #[command(hide = true)]
    Placeholder,
}
