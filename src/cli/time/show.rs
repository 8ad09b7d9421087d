//! Answers in, a table or JSON out.

mod json;

use super::TimeArgs;
use super::hardware::hardware;
use super::on;
use super::work::{Answer, Unit, Work};
use crate::catalog::{Catalog, Stack};
use crate::cli::{Env, Exit, Stop, style};
use crate::duration::{Duration, Evidence, Terms};
use crate::model::Mode;
use crate::render::joints::fit_last;
use crate::render::report::hours_band;
use crate::render::text::{paragraph, plain, right, write_table};
use crate::units::number::{significant, things, thousands};
use std::io::Write;

/// The answer to one question: a line for each machine.
pub(super) struct Table {
    /// Name of the stage, where it is one of a workload.
    pub(super) stage: Option<String>,
    /// What is asked.
    pub(super) heading: Option<String>,
    /// What a rate counts.
    pub(super) unit: &'static str,
    /// Machines, the fastest first.
    pub(super) lines: Vec<Line>,
    /// Remarks.
    pub(super) notes: Vec<String>,
}

/// One line of the answer.
pub(super) struct Line {
    /// A card, or a number of vCPUs.
    pub(super) machine: String,
    /// How many cards, or machines without.
    pub(super) count: f64,
    /// `2 × aws/p4d.24xlarge`, of a stage of a workload.
    pub(super) such_as: Option<String>,
    /// The answer, or why there is none.
    pub(super) told: Result<Told, String>,
}

/// What is told of one machine.
pub(super) struct Told {
    /// The whole work, where its amount is known.
    pub(super) time: Option<Duration>,
    /// Items per second.
    pub(super) rate: Option<Rate>,
    /// How the time is known.
    pub(super) evidence: Evidence,
    /// The formula with its numbers.
    pub(super) derivation: Vec<String>,
}

/// Items per second with their band.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    pub(super) mid: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        let Answer { rate, low, high, whole, bare, derivation } = answer;
        Self { time: whole, rate: Some(Rate { mid: rate, low, high }), evidence: bare.evidence, derivation }
    }
}

impl Line {
    /// The fastest first; what has no time last.
    pub(super) fn place_in_order(&self) -> f64 {
        let Ok(told) = &self.told else { return f64::INFINITY };
        match (told.rate, told.time) {
            (Some(rate), _) => 1.0 / rate.mid,
            (None, Some(whole)) => whole.time.expected.as_secs(),
            (None, None) => f64::INFINITY,
        }
    }
}

/// Most cards that are sold in one machine.
const MOST_IN_ONE: f64 = 16.0;

/// The answer to a question of flags.
pub(super) fn one_off(
    work: &Work,
    args: &TimeArgs,
    catalog: &Catalog,
    terms: &Terms,
    err: &mut dyn Write,
) -> Result<Table, Stop> {
    let names: Vec<String> = match &args.on {
        Some(name) => vec![name.clone()],
        None => catalog
            .accelerators
            .iter()
            .filter(|(_, card)| args.all || card.stack == Stack::Cuda)
            .map(|(_, card)| card.name.to_string())
            .collect(),
    };
    let (mut lines, mut cards) = (Vec::new(), 0.0);
    for name in names {
        let to = hardware(&name, args.devices(), catalog).map_err(|wrong| on(&name, args, wrong))?;
        if let Some(note) = &to.note {
            writeln!(err, "warning: {name}: {note}")?;
        }
        let machine = match to.instance.gpu {
            Some(gpu) if to.instance.name.is_empty() => {
                cards = gpu.count;
                catalog.accelerators.name(gpu.accelerator).to_owned()
            }
            _ => name,
        };
        let told = match work.answer(&[], &to, catalog, terms) {
            Ok(answer) => Ok(Told::from(answer)),
            // Of many machines some have no answer; of the one that was asked about it is a mistake of the question.
            Err(why) if args.on.is_none() => Err(why.message),
            Err(why) => return Err(why.into()),
        };
        lines.push(Line { machine, count: args.devices(), such_as: None, told });
    }
    lines.sort_by(|a, b| {
        a.place_in_order().total_cmp(&b.place_in_order()).then_with(|| a.machine.cmp(&b.machine))
    });
    let unit = match work.unit() {
        Unit::Samples => "samples",
        Unit::Tokens => "tokens",
    };
    let mut notes = Vec::new();
    if cards > MOST_IN_ONE && work.trains {
        let cards = significant(cards, 6);
        notes.push(format!(
            "no machine has {cards} cards: InfiniBand is supposed between machines, as in published runs"
        ));
    }
    Ok(Table { stage: None, heading: Some(heading(work)), unit, lines, notes })
}

/// `resnet50 in fp32: 1,280,000 samples × 90 epochs`.
fn heading(work: &Work) -> String {
    let what = match (work.label.as_str(), work.family) {
        ("", Some(family)) => family.to_string(),
        (label, _) => label.to_owned(),
    };
    let amount = match (work.tokens, work.samples) {
        (Some(tokens), _) => things(thousands(tokens), "token"),
        (None, Some(samples)) => match work.epochs.filter(|n| *n > 1.0) {
            Some(epochs) => {
                format!("{} × {} epochs", things(thousands(samples), "sample"), significant(epochs, 6))
            }
            None => things(thousands(samples), "sample"),
        },
        (None, None) => "no amount".to_owned(),
    };
    let mode = if work.mode == Mode::Train { String::new() } else { format!(", {}", work.mode) };
    format!("{what} in {}{mode}: {amount}", work.precision)
}

/// Writes the tables; the exit status is "no" where one of them has no time.
pub(super) fn write(
    workload: Option<&str>,
    tables: &[Table],
    args: &TimeArgs,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, Stop> {
    let answered = |table: &Table| table.lines.iter().any(|line| line.told.is_ok());
    if args.as_json() {
        json::write(workload, tables, out)?;
    } else {
        for (at, table) in tables.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            text(table, args, env, out)?;
        }
    }
    Ok(if tables.iter().all(answered) { Exit::Done } else { Exit::No })
}

/// Machines of a stage that are listed before `--all` is asked for, and how many times slower than the first they may be.
const LISTED: usize = 12;
const SLOWEST: f64 = 20.0;

/// The lines that are shown, and how many are not: of a stage the fastest and those that were measured.
fn shown<'a>(table: &'a Table, args: &TimeArgs) -> (Vec<&'a Line>, usize) {
    let whole = table.stage.is_none() || args.all || args.on.is_some();
    let least = table.lines.first().map_or(f64::INFINITY, Line::place_in_order);
    let wanted = |(at, line): &(usize, &Line)| {
        let measured = line.told.as_ref().is_ok_and(|told| told.evidence == Evidence::Measured);
        let fast = *at < LISTED && line.place_in_order() <= SLOWEST * least;
        whole || measured || fast || line.told.is_err()
    };
    let lines: Vec<&Line> = table.lines.iter().enumerate().filter(wanted).map(|(_, line)| line).collect();
    let left = table.lines.len() - lines.len();
    (lines, left)
}

/// Width from which rate and instance have columns of their own.
const ROOMY: u16 = 100;

fn text(asked: &Table, args: &TimeArgs, env: &Env, out: &mut dyn Write) -> std::io::Result<()> {
    let style = style(env);
    let (lines, left) = shown(asked, args);
    if let Some(heading) = &asked.heading {
        crate::render::text::heading(heading, style, out)?;
    }
    let of_workload = asked.stage.is_some();
    let rates = lines.iter().any(|line| line.told.as_ref().is_ok_and(|t| t.rate.is_some()))
        && (style.width >= ROOMY || !of_workload);
    let mut header = vec!["machine".to_owned(), "count".to_owned(), "time".to_owned(), "band".to_owned()];
    if rates {
        header.push(format!("{}/s", asked.unit));
    }
    header.push("evidence".to_owned());
    if of_workload {
        header.push("such as".to_owned());
    }
    let mut rows: Vec<Vec<String>> = vec![header];
    let mut without: Vec<(String, Vec<&str>)> = Vec::new();
    for line in &lines {
        match &line.told {
            Ok(told) => {
                let time = told.time.map_or_else(String::new, |whole| whole.time.expected.to_string());
                let band = told.time.map_or_else(String::new, |whole| hours_band(&whole.time));
                let mut row = vec![line.machine.clone(), significant(line.count, 4), time, band];
                if rates {
                    row.push(told.rate.map_or_else(String::new, |rate| significant(rate.mid, 3)));
                }
                row.push(told.evidence.to_string());
                row.extend(line.such_as.clone());
                rows.push(row);
            }
            Err(why) => match without.iter_mut().find(|(reason, _)| reason == why) {
                Some((_, machines)) => machines.push(&line.machine),
                None => without.push((why.clone(), vec![&line.machine])),
            },
        }
    }
    if of_workload {
        fit_last(&mut rows, style.width);
    }
    let mut rows = rows.into_iter();
    let mut table = plain(style.width);
    table.set_header(rows.next().unwrap_or_default()).add_rows(rows);
    right(&mut table, if rates { &[1, 2, 3, 4] } else { &[1, 2, 3] });
    if lines.iter().any(|line| line.told.is_ok()) {
        write_table(&table, out)?;
    }
    for (why, machines) in without {
        let all = machines.len() > 1 && machines.len() == lines.len();
        let on = if all { String::new() } else { format!(" on {}", machines.join(", ")) };
        paragraph(&format!("no time{on}: {why}"), style, out)?;
    }
    if left > 0 {
        let more = format!("{left} more, slower; --all shows every instance type that can do the stage");
        paragraph(&more, style, out)?;
    }
    for note in &asked.notes {
        paragraph(note, style, out)?;
    }
    if args.explain {
        for line in &lines {
            if let Ok(told) = &line.told {
                let such_as = line.such_as.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
                writeln!(out, "\n{} × {}{such_as}:", significant(line.count, 4), line.machine)?;
                for step in &told.derivation {
                    writeln!(out, "  {step}")?;
                }
            }
        }
    }
    Ok(())
}
