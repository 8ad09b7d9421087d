//! Rows of a list that are no offers: what is said of them.

use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::read::Source;
use csv::StringRecord;
use std::collections::BTreeMap;

/// Why a row is no offer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LeftOut {
    /// It is not a machine: a card or a TPU sold by itself.
    NoInstance,
    /// A machine of which the list has the price without its accelerators.
    WithoutCards,
    /// vCPUs, memory, region or count are not there or no numbers above zero.
    Incomplete,
    /// No price above zero.
    NoPrice,
    /// The card is not in the table.
    UnknownCard(String),
    /// The memory that the list states is not the card's.
    OtherMemory(String),
    /// A cell of this column that is no number where one belongs, or one below zero.
    Bad(&'static str, usize),
}

/// Cells of a column that are named each with its place; the rest is counted.
const NAMED: usize = 10;

/// The rows that are left out of a list.
#[derive(Debug, Default)]
pub(super) struct Omitted {
    /// How many for each reason, and where the first of them begins.
    rows: BTreeMap<LeftOut, (usize, usize)>,
    /// Bad cells by the name and the position of their column.
    bad: BTreeMap<(&'static str, usize), BadCells>,
}

impl Omitted {
    /// Counts a row.
    pub(super) fn push(&mut self, why: LeftOut, record: &StringRecord) {
        let at = usize::try_from(record.position().map_or(0, csv::Position::byte)).unwrap_or(0);
        if let LeftOut::Bad(name, column) = why {
            let text = record.get(column).unwrap_or_default().trim();
            self.bad.entry((name, column)).or_default().push(at, text);
        } else {
            self.rows.entry(why).or_insert((0, at)).0 += 1;
        }
    }

    /// Says what was left out, by reason.
    pub(super) fn report(self, source: &Source, diags: &mut Diagnostics) {
        let mut unknown = Vec::new();
        let mut first_unknown: Option<Place> = None;
        for (why, (rows, at)) in self.rows {
            let place = source.field(at, 0);
            let (code, message) = match why {
                LeftOut::NoInstance => {
                    (Code::MissingKey, "a row without an instance type is no machine".to_owned())
                }
                LeftOut::WithoutCards => {
                    (Code::WrongSpec, "a price of a machine without its accelerators".to_owned())
                }
                LeftOut::Incomplete => {
                    (Code::MissingKey, "a row without region, vCPUs, memory or number of GPUs".to_owned())
                }
                LeftOut::NoPrice => (Code::MissingKey, "a row without a price above zero".to_owned()),
                LeftOut::OtherMemory(gpu) => {
                    (Code::WrongSpec, format!("a {gpu} of another memory than the accelerator table's"))
                }
                LeftOut::Bad(..) => continue,
                LeftOut::UnknownCard(gpu) => {
                    unknown.push(format!("{gpu} ({rows})"));
                    first_unknown = Some(first_unknown.map_or(place.clone(), |first| place.min(first)));
                    continue;
                }
            };
            diags.push(Diagnostic::warning(code, place, format!("{message}; rows left out: {rows}")));
        }
        for (column, cells) in self.bad {
            cells.report(column, source, diags);
        }
        if let Some(place) = first_unknown {
            let message =
                format!("accelerators that are not in the table, rows left out: {}", unknown.join(", "));
            diags.push(Diagnostic::warning(Code::UnknownName, place, message));
        }
    }
}

/// Bad cells of a column.
#[derive(Debug, Default)]
struct BadCells {
    /// The first ones: where their rows begin, and what they say.
    named: Vec<(usize, String)>,
    /// How many more there are, and where the row of the first of them begins.
    more: Option<(usize, usize)>,
}

impl BadCells {
    fn push(&mut self, at: usize, text: &str) {
        if self.named.len() < NAMED {
            self.named.push((at, text.to_owned()));
        } else {
            self.more.get_or_insert((0, at)).0 += 1;
        }
    }

    fn report(self, (name, column): (&str, usize), source: &Source, diags: &mut Diagnostics) {
        let (code, allowed) = if name.ends_with("Price") {
            (Code::BadPrice, "a price above zero, empty where it is not known")
        } else {
            (Code::BadValue, "a number above zero")
        };
        let warning = |at, message: String| Diagnostic::warning(code, source.field(at, column), message);
        for (at, text) in self.named {
            let message = format!("`{name}` is {text:?}: the row is left out");
            diags.push(warning(at, message).allowed(allowed));
        }
        if let Some((rows, at)) = self.more {
            let message =
                format!("`{name}` is no such number from here on either; more rows left out: {rows}");
            diags.push(warning(at, message).allowed(allowed));
        }
    }
}
