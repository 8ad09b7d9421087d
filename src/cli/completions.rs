//! `plan completions`: what a shell needs to complete the command line.

use super::args::{Args, CompletionsArgs};
use super::{Exit, Stop};
use clap::CommandFactory;
use std::io::Write;

/// Writes the completions. They are made in memory first: the generator takes a closed pipe for a fault.
pub(super) fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "plan", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Done)
}
