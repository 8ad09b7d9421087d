//! An nvidia-smi log → [`UsageLog`]: what `nvidia-smi dmon` prints, and what `nvidia-smi --query-gpu=… --format=csv`
//! does. Logs end in the middle of a line and carry messages between their rows: what is no row is counted.

mod columns;
mod dmon;
mod query;

use super::source::reason;
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::units::Bytes;
use columns::Table;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// One GPU of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedGpu {
    /// How the log calls it: its index, else its bus address, its UUID or its name.
    pub label: String,
    /// Its model, where the log has it.
    pub name: Option<String>,
    /// Its memory as the driver reports it, where the log has it.
    pub memory: Option<Bytes>,
}

/// One reading of one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Position of the GPU in [`UsageLog::gpus`].
    pub gpu: usize,
    /// When, in seconds after a moment that is the same for the whole log.
    pub at: Option<f64>,
    /// Share of the time before in which something ran on the GPU, 0 to 1 (`sm` of dmon, `utilization.gpu`).
    pub utilisation: Option<f64>,
    /// Memory in use.
    pub memory: Option<Bytes>,
}

/// A log as read.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageLog {
    /// The name by which messages call it.
    pub file: Arc<str>,
    /// The GPUs, in order of first appearance.
    pub gpus: Vec<LoggedGpu>,
    /// The readings, in file order.
    pub samples: Vec<Sample>,
    /// Lines that are neither a reading nor a heading, from 1.
    pub unread: Vec<u32>,
    /// Whether each row says of which GPU it is; otherwise all count as one.
    pub told_apart: bool,
    /// Line of its first heading, from 1.
    pub headed: Option<u32>,
}

/// Opens a log; `-` is standard input. Text that is not UTF-8 is taken as far as it goes; UTF-16, which one shell's
/// redirection writes, is understood.
pub fn open(path: &Path) -> Result<(Arc<str>, String), Diagnostic> {
    let standard = path == Path::new("-");
    let name: Arc<str> = if standard { "standard input".into() } else { path.display().to_string().into() };
    let bytes = if standard {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok((name, decoded(&bytes))),
        Err(error) => Err(Diagnostic::error(Code::Unreadable, None, format!("{name}: {}", reason(&error)))),
    }
}

fn decoded(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        let units: Vec<u16> = rest
            .chunks_exact(2)
            .map(|pair| pair.iter().rev().fold(0, |n, b| n << 8 | u16::from(*b)))
            .collect();
        return String::from_utf16_lossy(&units);
    }
    String::from_utf8_lossy(bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes)).into_owned()
}

/// Reads a log. Lines that cannot be read are a warning with their numbers; a log without any reading is an error.
pub fn read(file: Arc<str>, text: &str, diags: &mut Diagnostics) -> Option<UsageLog> {
    let mut log = UsageLog {
        file,
        gpus: Vec::new(),
        samples: Vec::new(),
        unread: Vec::new(),
        told_apart: true,
        headed: None,
    };
    let mut table: Option<Table> = None;
    // A second heading counts once the line after it has as many columns: it may have been cut off.
    let mut heading: Option<(u32, Table)> = None;
    let mut per_process = None;
    let mut lines = 0u32;
    let mut first = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        lines += 1;
        first = first.or(Some(number));
        if let Some((at, new)) = heading.take() {
            if table.is_none() || new.width() == new.split(line).len() {
                table = Some(new);
            } else {
                log.unread.push(at);
            }
        }
        match Table::of_heading(line) {
            Some(new) if new.is_per_process() => per_process = per_process.or(Some(number)),
            Some(new) => {
                log.headed = log.headed.or(Some(number));
                heading = Some((number, new));
            }
            None if table.as_ref().is_some_and(|table| table.is_units(line)) => {}
            None => match table.as_mut().and_then(|table| table.row(line)) {
                Some(row) => log.add(row),
                None => log.unread.push(number),
            },
        }
    }
    log.unread.extend(heading.map(|(at, _)| at));
    log.unread.sort_unstable();
    report(&log, (lines, first), per_process, diags);
    (!log.samples.is_empty()).then_some(log)
}

impl UsageLog {
    fn add(&mut self, row: columns::Row) {
        let label = row.label.unwrap_or_else(|| {
            self.told_apart = false;
            row.name.clone().unwrap_or_else(|| "all".to_owned())
        });
        let gpu = self.gpus.iter().position(|gpu| gpu.label == label).unwrap_or_else(|| {
            self.gpus.push(LoggedGpu { label, name: None, memory: None });
            self.gpus.len() - 1
        });
        if let Some(known) = self.gpus.get_mut(gpu) {
            known.name = known.name.take().or(row.name);
            known.memory = known.memory.max(row.total);
        }
        self.samples.push(Sample { gpu, at: row.at, utilisation: row.utilisation, memory: row.memory });
    }
}

/// What the reader should know about the log as a text.
fn report(
    log: &UsageLog,
    (lines, first): (u32, Option<u32>),
    per_process: Option<u32>,
    diags: &mut Diagnostics,
) {
    let place = |line: u32| Place { file: Arc::clone(&log.file), line, column: 1 };
    if let (Some(line), true) = (per_process, log.samples.is_empty()) {
        diags.push(
            Diagnostic::error(
                Code::Syntax,
                place(line),
                "this log is of `nvidia-smi pmon`: one row per process",
            )
            .hint("log GPUs with `nvidia-smi dmon -s pucm -o DT`"),
        );
    } else if log.samples.is_empty() {
        let what = if lines == 0 {
            "the log is empty".to_owned()
        } else {
            match lines {
                1 => "its only line is no reading of a GPU".to_owned(),
                lines => format!("none of {lines} lines is a reading of a GPU"),
            }
        };
        diags.push(
            Diagnostic::error(Code::Syntax, place(first.unwrap_or(1)), what)
                .allowed(
                    "what `nvidia-smi dmon` prints, with its heading, or `nvidia-smi --query-gpu=… --format=csv`, with its header",
                )
                .hint("write one with `nvidia-smi dmon -s pucm -o DT`"),
        );
    } else if let Some(first) = log.unread.first() {
        let message =
            format!("{} of {lines} lines could not be read: {}", log.unread.len(), numbers(&log.unread));
        diags.push(Diagnostic::warning(Code::Syntax, place(*first), message));
    }
    if !log.told_apart {
        let message = "the rows do not say of which GPU they are; those of one model count as one";
        let heading = place(log.headed.unwrap_or(1));
        diags
            .push(Diagnostic::warning(Code::MissingKey, heading, message).hint("add `index` to --query-gpu"));
    }
}

/// Line numbers for a message: runs as `3–5`, at most ten of them.
fn numbers(lines: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *line => *end = *line,
            _ => runs.push((*line, *line)),
        }
    }
    let shown: Vec<String> = runs
        .iter()
        .take(10)
        .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}–{to}") })
        .collect();
    let rest = if runs.len() > 10 { " …" } else { "" };
    format!("{}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests;
