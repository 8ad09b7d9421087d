//! The ways of buying a stage as a small table.

use super::Style;
use super::joints::broken;
use super::text::{heading, lines, paragraph, plain, right, write_table};
use crate::job::Purchase;
use crate::plan::{StagePlan, Way};
use crate::units::number::percent;
use comfy_table::{ColumnConstraint, Width};
use std::io::{self, Write};

/// Writes the ways of one stage; nothing where there are none.
pub(super) fn write(stage: &StagePlan, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if stage.ways.is_empty() {
        return Ok(());
    }
    let risky = stage.ways.iter().filter_map(|w| w.offer.as_ref()).any(|o| o.time != o.time_95);
    writeln!(out)?;
    heading(if risky { "ways to buy (below: 95 times of 100)" } else { "ways to buy" }, style, out)?;
    let mut table = plain(style.width);
    table.set_header(["", "machine", "cost", "time", "in time", "why"]);
    let rows: Vec<[String; 6]> = stage.ways.iter().map(|way| fitting(row(way), style.width)).collect();
    // The machine's column is as wide as its longest word, so that none is broken; the reasons take what is left.
    let longest = rows.iter().map(|row| longest_word(&row[1])).max().unwrap_or(0);
    let whole = rows.iter().map(|row| row[1].chars().count()).max().unwrap_or(0);
    if let Some(column) = table.column_mut(1) {
        let least = u16::try_from(longest.max(whole.min(USUAL)) + 2).unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
    for row in rows {
        table.add_row(row);
    }
    right(&mut table, &[2, 3, 4]);
    write_table(&table, out)?;
    let told = |way: &&Way| way.offer.as_ref().is_some_and(|o| o.chance.is_some());
    let Some(_) = stage.ways.iter().find(told) else { return Ok(()) };
    let net = stage.ways.iter().any(|way| way.purchase == Purchase::Fallback && told(&way));
    let net = if net { "; with on-demand beside it as replayed traces kept it" } else { "" };
    paragraph(&format!("in time: this stage alone, within what the deadline leaves it{net}"), style, out)
}

/// Width from which names need not be broken.
const ROOMY: u16 = 110;
/// The columns of machine and reason, and how long a word in them may be in a narrower table.
const NARROW: [(usize, usize); 2] = [(1, 16), (5, 14)];

/// What most machines take: `(T4) in us-east-1`.
const USUAL: usize = 18;

/// A row whose long names are broken between their parts where the table is narrow.
fn fitting(mut row: [String; 6], width: u16) -> [String; 6] {
    for (column, room) in NARROW.into_iter().filter(|_| width < ROOMY) {
        if let Some(cell) = row.get_mut(column) {
            *cell = cell.split(' ').map(|word| broken(word, room)).collect::<Vec<_>>().join(" ");
        }
    }
    row
}

fn longest_word(cell: &str) -> usize {
    cell.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
}

fn row(way: &Way) -> [String; 6] {
    let name = way.purchase.label().to_owned();
    let Some(offer) = &way.offer else {
        return [name, String::new(), "–".to_owned(), "–".to_owned(), "–".to_owned(), way.why.clone()];
    };
    let cost_95 = match offer.cost_95 {
        Some(cost) if cost != offer.cost => cost.amount(),
        _ => String::new(),
    };
    let time = if offer.ends { offer.time.to_string() } else { "no end".to_owned() };
    let time_95 = if offer.ends { offer.time_95.to_string() } else { String::new() };
    [
        name,
        offer.machine.clone(),
        lines(&offer.cost.amount(), &cost_95),
        lines(&time, &time_95),
        offer.chance.map_or_else(|| "–".to_owned(), chance),
        way.why.clone(),
    ]
}

/// A chance in whole per cent, certain only where it is.
fn chance(chance: f64) -> String {
    match chance {
        c if c >= 1.0 => "yes".to_owned(),
        c if c <= 0.0 => "no".to_owned(),
        c if c > 0.99 => "> 99 %".to_owned(),
        c if c < 0.005 => "< 1 %".to_owned(),
        c => percent(c),
    }
}
