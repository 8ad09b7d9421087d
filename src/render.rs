//! A plan becomes bytes: a table for people, JSON for programs. Both come from the same [`Plan`]; rounding for the
//! screen happens in `report` and nowhere else.

pub mod curve;
pub mod explain;
pub mod joints;
pub mod json;
pub mod offers;
pub mod report;
pub mod schema;
pub mod text;
pub mod usage;
mod ways;
pub mod what_if;

use crate::names::named;
use crate::plan::Plan;
use std::io::{self, BufWriter, Write};

named! {
    /// An output format.
    pub enum Format {
        /// A table for people.
        Table = "table",
        /// JSON, schema `plan/1`.
        Json = "json",
    }
}

/// How to write.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns of the terminal.
    pub width: u16,
    /// Whether to colour; colour never carries meaning alone.
    pub color: bool,
    /// Whether to explain: every rule, rejection, default and derivation.
    pub explain: bool,
}

/// Writes a plan in a format, many lines at a time.
pub fn render(plan: &Plan, format: Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(plan, format, style, &mut out)?;
    out.flush()
}

fn write(plan: &Plan, format: Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table if !plan.what_if.is_empty() => what_if::write(plan, style, out),
        Format::Table if let Some(curve) = &plan.curve => curve::write(plan, curve, style, out),
        Format::Table => {
            text::write(&report::report(plan), style, out)?;
            if style.explain { explain::write(plan, style, out) } else { Ok(()) }
        }
        Format::Json => json::write(plan, out),
    }
}

/// Why a plan does not hold, a line each: what cannot be done and which limits are not kept. Empty where it holds.
pub fn failures(plan: &Plan) -> Vec<String> {
    if plan.holds() {
        return Vec::new();
    }
    let report = report::report(plan);
    let broken =
        report.checks.into_iter().filter(|(kept, _)| !kept).map(|(_, text)| format!("not kept: {text}"));
    report.infeasible.into_iter().chain(broken).collect()
}
