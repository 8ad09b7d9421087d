//! The small commands as typed: `plan init`, `plan schema`, `plan completions`.

use super::word;
use crate::cli::init::Starter;
use crate::render::schema::Schema;
use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// `plan init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// Write it to this new file instead of standard output; an existing one is never touched
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What the workload does
    #[arg(long, value_name = "KIND", default_value = "train", value_parser = word::<Starter>())]
    pub kind: Starter,
}

/// `plan schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// Of which command's JSON
    #[arg(value_name = "COMMAND", default_value = "plan", value_parser = word::<Schema>())]
    pub of: Schema,
}

/// `plan completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}
