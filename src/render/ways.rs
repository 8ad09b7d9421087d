//! The ways of buying a stage as a small table.

use super::Style;
use super::text::{heading, lines, plain, right, write_table};
use crate::plan::{StagePlan, Way};
use crate::units::number::percent;
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
    for way in &stage.ways {
        table.add_row(row(way));
    }
    right(&mut table, &[2, 3, 4]);
    write_table(&table, out)
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
