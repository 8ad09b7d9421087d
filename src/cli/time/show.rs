//! Answers in, a table or JSON out.

use super::TimeArgs;
use super::hardware::hardware;
use super::work::{Answer, Unit, Work};
use crate::catalog::{Catalog, Stack};
use crate::cli::{Env, Exit, Stop};
use crate::duration::Terms;
use crate::units::number::significant;
use anyhow::Error;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;
use std::io::Write;

/// One line of the answer.
struct Line {
    machine: String,
    answer: Result<Answer, String>,
}

pub(super) fn run(
    work: &Work,
    args: &TimeArgs,
    catalog: &Catalog,
    terms: &Terms,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, Stop> {
    let names: Vec<String> = match &args.on {
        Some(name) => vec![name.clone()],
        None => catalog
            .accelerators
            .iter()
            .filter(|(_, card)| args.all || card.stack == Stack::Cuda)
            .map(|(_, card)| card.name.to_string())
            .collect(),
    };
    let mut lines = Vec::new();
    for name in names {
        let to = hardware(&name, args.count, catalog).map_err(Error::msg)?;
        if let Some(note) = &to.note {
            writeln!(err, "warning: {name}: {note}")?;
        }
        let machine = match to.instance.gpu {
            Some(gpu) if to.instance.name.is_empty() => catalog.accelerators.name(gpu.accelerator).to_owned(),
            _ => name,
        };
        lines.push(Line { machine, answer: work.answer(&[], &to, catalog, terms) });
    }
    // The fastest first; what has no time last, by name.
    let seconds =
        |line: &Line| line.answer.as_ref().map_or(f64::INFINITY, |a| a.bare.time.expected.as_secs());
    lines.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)).then_with(|| a.machine.cmp(&b.machine)));
    let answered = lines.iter().any(|line| line.answer.is_ok());
    if args.json {
        json(work, args.count, &lines, out)?;
    } else if answered || lines.len() > 1 {
        table(work, args, &lines, env, out)?;
    }
    match lines.as_slice() {
        [Line { answer: Err(why), .. }] => Err(Stop::Other(Error::msg(why.clone()))),
        _ if answered => Ok(Exit::Done),
        _ => Ok(Exit::No),
    }
}

fn table(
    work: &Work,
    args: &TimeArgs,
    lines: &[Line],
    env: &Env,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let unit = match work.unit() {
        Unit::Samples => "samples/s",
        Unit::Tokens => "tokens/s",
    };
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    if let Some(width) = env.width {
        table.set_width(width);
    }
    table.set_header(vec!["machine", "count", "time", "from", "to", unit, "evidence"]);
    for line in lines {
        let count = significant(args.count, 4);
        match &line.answer {
            Ok(answer) => {
                let cell = |pick: fn(&crate::units::Band<crate::units::Hours>) -> crate::units::Hours| {
                    answer.whole.map_or_else(String::new, |whole| pick(&whole.time).to_string())
                };
                table.add_row(vec![
                    line.machine.clone(),
                    count,
                    cell(|b| b.expected),
                    cell(|b| b.low),
                    cell(|b| b.high),
                    significant(answer.rate, 3),
                    answer.bare.evidence.to_string(),
                ]);
            }
            Err(why) => {
                table.add_row(vec![line.machine.clone(), count, why.clone()]);
            }
        }
    }
    for column in [1, 2, 3, 4, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    if args.explain {
        for line in lines {
            if let Ok(answer) = &line.answer {
                writeln!(out, "\n{} × {}:", significant(args.count, 4), line.machine)?;
                for step in &answer.derivation {
                    writeln!(out, "  {step}")?;
                }
            }
        }
    }
    Ok(())
}

/// The answer of one machine, unrounded, with units in the names of its keys.
#[derive(Serialize)]
struct Row<'a> {
    machine: &'a str,
    count: f64,
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

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    unit: &'static str,
    machines: Vec<Row<'a>>,
}

fn json(work: &Work, count: f64, lines: &[Line], out: &mut dyn Write) -> Result<(), Stop> {
    let machines = lines
        .iter()
        .map(|line| {
            let answer = line.answer.as_ref().ok();
            let band = |whole: crate::duration::Duration| Band {
                low: whole.time.low.get(),
                expected: whole.time.expected.get(),
                high: whole.time.high.get(),
            };
            Row {
                machine: &line.machine,
                count,
                rate_per_second: answer.map(|a| a.rate),
                rate_low: answer.map(|a| a.low),
                rate_high: answer.map(|a| a.high),
                duration_hours: answer.and_then(|a| a.whole).map(band),
                evidence: answer.map(|a| a.bare.evidence.to_string()),
                derivation: answer.map_or(&[], |a| a.derivation.as_slice()),
                message: line.answer.as_ref().err().map(String::as_str),
            }
        })
        .collect();
    let unit = match work.unit() {
        Unit::Samples => "samples",
        Unit::Tokens => "tokens",
    };
    let document = Document { schema: "plan-time/1", unit, machines };
    serde_json::to_writer_pretty(&mut *out, &document).map_err(|error| Stop::Write(error.into()))?;
    writeln!(out)?;
    Ok(())
}
