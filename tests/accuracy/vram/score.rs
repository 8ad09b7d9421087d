//! Errors and what they come to.

use super::columns::{Row, Rows};
use std::collections::BTreeMap;

/// One row's error.
#[derive(Clone)]
pub(super) struct Error<'a> {
    pub(super) row: &'a Row,
    /// Estimate over measurement, less one.
    pub(super) off: f64,
    /// The band holds the measurement.
    pub(super) inside: bool,
    /// High over low.
    pub(super) width: f64,
    /// What we say is needed is below what was measured.
    pub(super) short: bool,
}

/// What many errors come to, in per cent.
pub(super) struct Score {
    rows: usize,
    pub(super) median: f64,
    pub(super) p90: f64,
    worst: f64,
    /// Share underestimated by more than 10 %.
    pub(super) under: f64,
    /// Share inside the band.
    pub(super) inside: f64,
    /// Median width of the band, high over low.
    pub(super) width: f64,
    /// Share whose need we put below the measurement.
    pub(super) short: f64,
}

impl Score {
    pub(super) fn of<'a, 'b: 'a>(errors: impl Iterator<Item = &'a Error<'b>>) -> Self {
        let errors: Vec<&Error<'_>> = errors.collect();
        let rows = errors.len();
        let rank = |mut values: Vec<f64>, tenths: usize| {
            values.sort_by(f64::total_cmp);
            let at = (values.len() * tenths / 10).min(values.len().saturating_sub(1));
            values.get(at).copied().unwrap_or(f64::NAN)
        };
        let absolute: Vec<f64> = errors.iter().map(|e| 100.0 * e.off.abs()).collect();
        let share = |hit: &dyn Fn(&Error<'_>) -> bool| {
            let count = |n: usize| f64::from(u32::try_from(n).unwrap());
            100.0 * count(errors.iter().filter(|e| hit(e)).count()) / count(rows.max(1))
        };
        Self {
            rows,
            median: rank(absolute.clone(), 5),
            p90: rank(absolute.clone(), 9),
            worst: rank(absolute, 10),
            under: share(&|e| e.off < -0.1),
            inside: share(&|e| e.inside),
            width: rank(errors.iter().map(|e| e.width).collect(), 5),
            short: share(&|e| e.short),
        }
    }

    pub(super) fn by<'a>(errors: &[Error<'a>], key: impl Fn(&'a Row) -> &'a str) -> Vec<(&'a str, Self)> {
        let mut groups: BTreeMap<&str, Vec<&Error<'_>>> = BTreeMap::new();
        for error in errors {
            groups.entry(key(error.row)).or_default().push(error);
        }
        groups.into_iter().map(|(name, group)| (name, Self::of(group.into_iter()))).collect()
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "median {:5.2} %  p90 {:5.1} %  worst {:5.1} %  under by > 10 %: {:4.1} %  in band {:5.1} %  ({} rows)",
            self.median, self.p90, self.worst, self.under, self.inside, self.rows
        )
    }
}

type Answers = BTreeMap<String, (Vec<f64>, String)>;
type Compared<'a> = (Vec<Error<'a>>, Vec<(String, String)>);

/// The allocated figure against a column, which holds `unit` bytes.
pub(super) fn compare<'a>(rows: &'a Rows, answers: &Answers, column: &str, unit: f64) -> Compared<'a> {
    let mut errors = Vec::new();
    let mut dropped = Vec::new();
    for row in &rows.rows {
        let id = row.get("id");
        let (figures, message) = &answers[id];
        match (figures.as_slice(), row.number(column)) {
            ([allocated, low, high, needed, _], Some(truth)) => {
                let truth = truth * unit;
                errors.push(Error {
                    row,
                    off: allocated / truth - 1.0,
                    inside: (*low..=*high).contains(&truth),
                    width: high / low,
                    short: *needed < truth,
                });
            }
            _ => dropped.push((id.to_owned(), message.clone())),
        }
    }
    (errors, dropped)
}

/// Published figures: allocated ones against the allocated figure; readings of the driver and unstated ones against
/// what must fit.
pub(super) fn published<'a>(rows: &'a Rows, answers: &Answers, gib: f64) -> Compared<'a> {
    let mut errors = Vec::new();
    let mut dropped = Vec::new();
    for row in &rows.rows {
        let id = row.get("id");
        let (figures, message) = &answers[id];
        match (figures.as_slice(), row.number("measured_gib")) {
            ([allocated, low, high, needed, shown], Some(truth)) => {
                let truth = truth * gib;
                let what = row.get("measured_what");
                let figure = if what.starts_with("max_memory_allocated") { *allocated } else { *needed };
                let scale = figure / allocated;
                errors.push(Error {
                    row,
                    off: figure / truth - 1.0,
                    inside: (low * scale..=high * scale).contains(&truth),
                    width: high / low,
                    short: *needed < truth,
                });
                let _ = shown;
            }
            _ => dropped.push((id.to_owned(), message.clone())),
        }
    }
    (errors, dropped)
}
