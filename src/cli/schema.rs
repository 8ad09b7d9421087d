//! `plan schema`: the contract of the JSON answers.

use super::args::SchemaArgs;
use super::{Exit, Stop};
use std::io::Write;

/// Writes a JSON schema.
pub(super) fn run(args: &SchemaArgs, out: &mut dyn Write) -> Result<Exit, Stop> {
    out.write_all(args.of.text().as_bytes())?;
    Ok(Exit::Done)
}
