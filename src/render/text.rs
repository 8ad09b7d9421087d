//! A report as a table for a terminal of any width, or for a pipe.

use super::Style;
use super::report::{Report, Row};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use std::io::{self, Write};

/// Width from which region, machine and reason have columns of their own.
pub(super) const WIDE: u16 = 132;

/// Writes a report.
pub fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    heading(&report.headline, style, out)?;
    writeln!(out)?;
    let table = if style.width >= WIDE { wide(report, style.width) } else { narrow(report, style.width) };
    write_table(&table, out)?;
    if style.width < WIDE {
        let reasons = report.rows.iter().filter(|r| !r.why.is_empty());
        writeln!(out)?;
        for row in reasons {
            paragraph(&format!("{}: {}", row.stage, row.why), style, out)?;
        }
    }
    section("Cannot be done", &report.infeasible, style, out)?;
    let checks: Vec<String> = report
        .checks
        .iter()
        .map(|(kept, text)| format!("{} {text}", if *kept { "kept:" } else { "NOT KEPT:" }))
        .collect();
    section("Limits", &checks, style, out)?;
    section("Instead", &report.comparisons, style, out)?;
    section("Sensitivity", &report.fragile, style, out)?;
    if !report.alternatives.is_empty() {
        writeln!(out)?;
        heading("Alternatives", style, out)?;
        let mut table = plain(style.width);
        for a in &report.alternatives {
            table.add_row(a.iter());
        }
        for column in [3, 4] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        write_table(&table, out)?;
    }
    if !report.ways.is_empty() {
        writeln!(out)?;
        heading("Ways to buy the servers (the servers alone)", style, out)?;
        let mut table = plain(style.width);
        for way in &report.ways {
            table.add_row(way.iter());
        }
        right(&mut table, &[2, 3]);
        write_table(&table, out)?;
    }
    section("Notes", &report.notes, style, out)?;
    writeln!(out)?;
    paragraph(&report.prices, style, out)
}

fn narrow(report: &Report, width: u16) -> Table {
    let mut table = plain(width);
    table.set_header(["stage", "rent", "buy", "time", &format!("cost {}", report.currency)]);
    let room = room_to_rent(report, width);
    for row in &report.rows {
        let rent = super::joints::broken(&row.rent, room);
        let second = [row.machine.as_str(), row.place.as_str()].into_iter().filter(|s| !s.is_empty());
        let rent = std::iter::once(rent.as_str()).chain(second).collect::<Vec<_>>().join("\n");
        table.add_row([
            row.stage.clone(),
            rent,
            bought(row),
            lines(&row.time, &row.time_band.replace(", ", "\n")),
            lines(&row.cost, &row.cost_band),
        ]);
    }
    for [name, time, time_band, cost, cost_band] in &report.totals {
        table.add_row([
            name.clone(),
            String::new(),
            String::new(),
            lines(time, time_band),
            lines(cost, cost_band),
        ]);
    }
    right(&mut table, &[3, 4]);
    table
}

/// Characters that the other columns of the narrow table leave to the names of machines, at least.
fn room_to_rent(report: &Report, width: u16) -> usize {
    let widest = |cells: &dyn Fn(&Row) -> String, head: &str| {
        let lines = |row| cells(row).lines().map(|line| line.chars().count()).max().unwrap_or(0);
        report.rows.iter().map(lines).chain([head.len()]).max().unwrap_or(0)
    };
    let totals = |from: usize| {
        let cells = report.totals.iter().flat_map(move |cells| cells.iter().skip(from).take(2));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let time = |row: &Row| lines(&row.time, &row.time_band.replace(", ", "\n"));
    let others = widest(&|row| row.stage.clone(), "stage")
        + widest(&bought, "buy")
        + widest(&time, "time").max(totals(1))
        + widest(&|row| lines(&row.cost, &row.cost_band), &format!("cost {}", report.currency))
            .max(totals(3));
    // Two blanks between columns, one at either end.
    usize::from(width).saturating_sub(others + 10).max(12)
}

fn wide(report: &Report, width: u16) -> Table {
    let mut table = plain(width);
    table.set_header([
        "stage",
        "kind",
        "rent",
        "machine",
        "place",
        "buy",
        "time",
        &format!("cost {}", report.currency),
        "why",
    ]);
    for row in &report.rows {
        let Row {
            stage,
            kind,
            rent,
            machine,
            place,
            purchase: _,
            time,
            time_band,
            cost,
            cost_band,
            why,
            price: _,
            dated: _,
        } = row;
        table.add_row([
            stage.clone(),
            kind.clone(),
            rent.clone(),
            machine.clone(),
            place.clone(),
            bought(row),
            lines(time, time_band),
            lines(cost, cost_band),
            why.clone(),
        ]);
    }
    for [name, time, time_band, cost, cost_band] in &report.totals {
        let mut cells = vec![name.clone()];
        cells.extend(std::iter::repeat_n(String::new(), 5));
        cells.extend([lines(time, time_band), lines(cost, cost_band)]);
        table.add_row(cells);
    }
    right(&mut table, &[6, 7]);
    table
}

/// Purchase option, unit price and its date, one below the other.
fn bought(row: &Row) -> String {
    let parts = [row.purchase.as_str(), row.price.as_str(), row.dated.as_str()];
    parts.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n")
}

/// An empty table without lines.
pub fn plain(width: u16) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table
}

/// Aligns columns to the right.
pub fn right(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// One text above another, once where they agree.
pub(super) fn lines(first: &str, second: &str) -> String {
    if second.is_empty() || first == second { first.to_owned() } else { format!("{first}\n{second}") }
}

/// Writes a table without trailing spaces.
pub fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A line in bold where there is colour.
pub fn heading(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    if style.color { writeln!(out, "\u{1b}[1m{text}\u{1b}[0m") } else { paragraph(text, style, out) }
}

/// A titled list; nothing for an empty one.
pub fn section(title: &str, items: &[String], style: Style, out: &mut dyn Write) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    heading(title, style, out)?;
    for item in items {
        wrapped(item, "  ", "    ", style, out)?;
    }
    Ok(())
}

/// Text wrapped to the width.
pub fn paragraph(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    wrapped(text, "", "  ", style, out)
}

fn wrapped(text: &str, first: &str, rest: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let width = usize::from(style.width.max(40));
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        let long = line.chars().count() + 1 + word.chars().count() > width;
        if !empty && long {
            writeln!(out, "{}", line.trim_end())?;
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(out, "{}", line.trim_end())
}
