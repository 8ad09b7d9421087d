//! `plan time` in JSON.

use super::{Line, Table};
use crate::cli::Stop;
use crate::duration::Duration;
use serde::Serialize;
use std::io::Write;

/// The answer of one machine, unrounded, with units in the names of its keys.
#[derive(Serialize)]
struct Row<'a> {
    machine: &'a str,
    count: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    such_as: Option<&'a str>,
    rate_per_second: Option<f64>,
    rate_low: Option<f64>,
    rate_high: Option<f64>,
    duration_hours: Option<Band>,
    evidence: Option<String>,
    derivation: &'a [String],
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct Band {
    low: f64,
    expected: f64,
    high: f64,
}

/// One question of flags.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    unit: &'static str,
    machines: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// The stages of a workload.
#[derive(Serialize)]
struct WorkloadDocument<'a> {
    schema: &'static str,
    workload: &'a str,
    stages: Vec<OfStage<'a>>,
}

#[derive(Serialize)]
struct OfStage<'a> {
    stage: &'a str,
    unit: &'static str,
    machines: Vec<Row<'a>>,
    notes: &'a [String],
}

/// Writes one document.
pub(super) fn write(workload: Option<&str>, tables: &[Table], out: &mut dyn Write) -> Result<(), Stop> {
    let schema = "plan-time/1";
    let failed = |error: serde_json::Error| Stop::from(std::io::Error::from(error));
    match (workload, tables) {
        (Some(workload), _) => {
            let document =
                WorkloadDocument { schema, workload, stages: tables.iter().map(OfStage::of).collect() };
            serde_json::to_writer_pretty(&mut *out, &document).map_err(failed)?;
        }
        (None, tables) => {
            for table in tables {
                let (unit, notes) = (table.unit, table.notes.as_slice());
                let document = Document { schema, unit, machines: rows(table), notes };
                serde_json::to_writer_pretty(&mut *out, &document).map_err(failed)?;
            }
        }
    }
    writeln!(out)?;
    Ok(())
}

fn rows(table: &Table) -> Vec<Row<'_>> {
    table.lines.iter().map(Row::of).collect()
}

impl<'a> OfStage<'a> {
    fn of(table: &'a Table) -> Self {
        let stage = table.stage.as_deref().unwrap_or("");
        Self { stage, unit: table.unit, machines: rows(table), notes: &table.notes }
    }
}

impl<'a> Row<'a> {
    fn of(line: &'a Line) -> Self {
        let known = line.told.as_ref().ok();
        let rate = known.and_then(|t| t.rate);
        let band = |whole: Duration| Band {
            low: whole.time.low.get(),
            expected: whole.time.expected.get(),
            high: whole.time.high.get(),
        };
        Self {
            machine: &line.machine,
            count: line.count,
            such_as: line.such_as.as_deref(),
            rate_per_second: rate.map(|r| r.mid),
            rate_low: rate.map(|r| r.low),
            rate_high: rate.map(|r| r.high),
            duration_hours: known.and_then(|t| t.time).map(band),
            evidence: known.map(|t| t.evidence.to_string()),
            derivation: known.map_or(&[], |t| t.derivation.as_slice()),
            message: line.told.as_ref().err().map(String::as_str),
        }
    }
}
