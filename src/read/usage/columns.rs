//! Which column of a log means what, and rows by them.

use super::{dmon, query};
use crate::units::Bytes;

/// The two kinds of log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `nvidia-smi dmon`: columns between spaces (or commas), headings that begin with `#`.
    Dmon,
    /// `nvidia-smi --query-gpu`: CSV.
    Query,
}

/// What a column holds, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// A mark by which the GPU is told apart; the lowest rank counts.
    Label(u8),
    /// The GPU's model.
    Name,
    /// Date alone.
    Date,
    /// Time of day alone.
    Time,
    /// Date and time.
    Stamp,
    /// Utilisation in percent.
    Utilisation,
    /// Memory in use, in MiB unless the value has its unit. (dmon heads it "MB" and means MiB.)
    Memory,
    /// Memory of the GPU, likewise.
    Total,
    /// A process: the log is not one of GPUs.
    Process,
    /// Anything else.
    Other,
}

/// A heading that was read, and where the log stands.
#[derive(Debug, Clone)]
pub(super) struct Table {
    kind: Kind,
    columns: Vec<Column>,
    clock: Clock,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Row {
    pub(super) label: Option<String>,
    pub(super) name: Option<String>,
    pub(super) at: Option<f64>,
    pub(super) utilisation: Option<f64>,
    pub(super) memory: Option<Bytes>,
    pub(super) total: Option<Bytes>,
}

impl Table {
    /// A table, if the line is a heading.
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        let (kind, columns) = dmon::heading(line)
            .map(|columns| (Kind::Dmon, columns))
            .or_else(|| query::heading(line).map(|columns| (Kind::Query, columns)))?;
        Some(Self { kind, columns, clock: Clock::default() })
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Whether it has a row per process rather than per GPU.
    pub(super) fn is_per_process(&self) -> bool {
        self.columns.contains(&Column::Process)
    }

    /// The fields of a line.
    pub(super) fn split<'a>(&self, line: &'a str) -> Vec<&'a str> {
        match self.kind {
            Kind::Dmon => dmon::split(line),
            Kind::Query => query::split(line),
        }
    }

    /// Whether a line is the second line of a dmon heading, which names the units.
    pub(super) fn is_units(&self, line: &str) -> bool {
        self.kind == Kind::Dmon && line.starts_with('#') && self.split(line).len() == self.width()
    }

    /// A row; `None` where a field that matters cannot be read or the number of fields is another.
    pub(super) fn row(&mut self, line: &str) -> Option<Row> {
        let fields = self.split(line);
        if fields.len() != self.width() || line.starts_with('#') {
            return None;
        }
        let mut row = Row::default();
        let (mut rank, mut date, mut time) = (u8::MAX, None, None);
        for (column, field) in self.columns.iter().zip(fields) {
            match column {
                Column::Label(new) if *new < rank => {
                    rank = *new;
                    row.label = Some(label(*new, field)?);
                }
                Column::Name => row.name = Some(field.to_owned()),
                Column::Date => date = Some(day(field)?),
                Column::Time => time = Some(time_of_day(field)?),
                Column::Stamp => {
                    let (day_part, time_part) = field.split_once(' ')?;
                    (date, time) = (Some(day(day_part)?), Some(time_of_day(time_part)?));
                }
                Column::Utilisation => row.utilisation = value(field, percent).ok()?,
                Column::Memory => row.memory = value(field, memory).ok()?,
                Column::Total => row.total = value(field, memory).ok()?,
                Column::Label(_) | Column::Process | Column::Other => {}
            }
        }
        row.at = time.map(|time| self.clock.seconds(date, time));
        Some(row)
    }
}

/// The clock of a log whose rows may have a time without a date.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    days: i64,
    last: f64,
}

impl Clock {
    /// Seconds since 1970, or since the midnight before the log where no date is known; a time far before the last
    /// one is of the next day.
    #[expect(clippy::cast_precision_loss, reason = "days of a calendar")]
    fn seconds(&mut self, date: Option<i64>, time: f64) -> f64 {
        if let Some(days) = date {
            return days as f64 * 86_400.0 + time;
        }
        if time < self.last - 43_200.0 {
            self.days += 1;
        }
        self.last = time;
        self.days as f64 * 86_400.0 + time
    }
}

/// A mark; an index (rank 0) is a number.
fn label(rank: u8, field: &str) -> Option<String> {
    (rank > 0 || field.parse::<u16>().is_ok()).then(|| field.to_owned()).filter(|label| !label.is_empty())
}

/// A field that is neither a value nor says that there is none.
struct Garbled;

/// A value, or that there is none: `-`, `N/A`, `[Not Supported]`.
fn value<T>(field: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Garbled> {
    let bracketed = field.starts_with('[') && field.ends_with(']');
    if bracketed || matches!(field, "-" | "N/A") {
        return Ok(None);
    }
    read(field).map(Some).ok_or(Garbled)
}

/// `35` or `35 %`, as a share.
fn percent(field: &str) -> Option<f64> {
    let number: f64 = field.strip_suffix('%').unwrap_or(field).trim().parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number / 100.0)
}

/// `12000` (MiB) or `12000 MiB`.
fn memory(field: &str) -> Option<Bytes> {
    let number: f64 = field.strip_suffix("MiB").unwrap_or(field).trim().parse().ok()?;
    // No card has more than 16 TiB.
    (0.0..=16_777_216.0).contains(&number).then(|| Bytes::from_mib(number))
}

/// `20230131` or `2023/01/31`, in days since 1970.
fn day(field: &str) -> Option<i64> {
    let digits: String = field.chars().filter(|c| *c != '/' && *c != '-').collect();
    if digits.len() != 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (year, month, day) = (digits.get(..4)?, digits.get(4..6)?, digits.get(6..)?);
    let date = crate::units::Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    Some(date.days_since_1970())
}

/// `12:00:30.5`, in seconds.
fn time_of_day(field: &str) -> Option<f64> {
    let mut parts = field.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let seconds: f64 = seconds.parse().ok()?;
    let valid = parts.next().is_none() && hours < 24 && minutes < 60 && (0.0..61.0).contains(&seconds);
    valid.then(|| f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + seconds)
}
