//! `--frontier`: the cost-time curve as a table of its steps and as a chart of plain characters.

mod chart;
mod steps;

use super::Style;
use super::text::{heading, paragraph, plain, right, write_table};
use crate::plan::Plan;
use crate::plan::curve::{Curve, CurvePoint};
use crate::units::number::{percent, thousands};
use std::io::{self, Write};

/// Most points of the table.
const MOST: usize = 12;

/// Writes the curve of a plan.
pub fn write(plan: &Plan, curve: &Curve, style: Style, out: &mut dyn Write) -> io::Result<()> {
    heading(&headline(plan, curve), style, out)?;
    writeln!(out)?;
    let shown = steps::telling(&curve.points, MOST);
    let mut table = plain(style.width);
    table.set_header(["within", "expected", &format!("cost {}", plan.currency), "what changes"]);
    let mut before: Option<&CurvePoint> = None;
    for point in &shown {
        let mark = mark(plan, point);
        let change = before.map_or_else(|| steps::first(point), |b| steps::change(b, point, plan.currency));
        let expected =
            if point.expected == point.within { String::new() } else { point.expected.to_string() };
        table.add_row([point.within.to_string(), expected, point.cost.amount(), change + &mark]);
        before = Some(point);
    }
    right(&mut table, &[0, 1, 2]);
    write_table(&table, out)?;
    writeln!(out)?;
    for line in chart::chart(&curve.points, plan.currency, usize::from(style.width)) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)?;
    for line in remarks(curve, shown.len()) {
        paragraph(&line, style, out)?;
    }
    Ok(())
}

fn headline(plan: &Plan, curve: &Curve) -> String {
    let (Some(cheap), Some(fast)) = (curve.points.first(), curve.points.last()) else {
        return format!("{}: no plan", plan.workload);
    };
    let currency = plan.currency;
    match curve.points.len() {
        1 => format!(
            "{}: one plan is both the cheapest and the fastest: {} {currency}, {}",
            plan.workload,
            cheap.cost.amount(),
            cheap.within
        ),
        many => format!(
            "{}: {} plans from {} {currency} in {} to {} {currency} in {}",
            plan.workload,
            thousands(f64::from(u32::try_from(many).unwrap_or(u32::MAX))),
            cheap.cost.amount(),
            cheap.within,
            fast.cost.amount(),
            fast.within
        ),
    }
}

/// What the plan and the limits say about a point.
fn mark(plan: &Plan, point: &CurvePoint) -> String {
    let mut marks = Vec::new();
    if point.taken {
        marks.push("the plan");
    }
    if plan.limits.budget.is_some_and(|b| point.cost > b) {
        marks.push("over the budget");
    }
    if plan.limits.deadline.is_some_and(|d| point.within > d) {
        marks.push("misses the deadline");
    }
    if marks.is_empty() { String::new() } else { format!(" [{}]", marks.join(", ")) }
}

fn remarks(curve: &Curve, shown: usize) -> Vec<String> {
    let mut lines = vec![format!(
        "No plan with a machine for each stage is both cheaper and faster than a line of this table. A stage on spot counts with the time within \
         which it ends {} of the time (spot_confidence) if its work takes what is expected; expected is the time on average. How surely \
         a whole run ends in time, --deadline tells.",
        percent(curve.confidence)
    )];
    let more = curve.points.len().saturating_sub(shown);
    if more > 0 {
        let more = thousands(f64::from(u32::try_from(more).unwrap_or(u32::MAX)));
        lines.push(format!("{more} more points, at which the curve bends less: --format json has all"));
    }
    if !curve.complete {
        lines.push(
            "There are more points than were looked for, or the search ended before its proof.".to_owned(),
        );
    }
    if let Some(data) = &curve.data {
        lines.push(format!(
            "The data is kept in {data}, as in the plan: at other points another region may be cheaper"
        ));
    }
    if !curve.one_class.is_empty() {
        lines.push(format!(
            "A rule of thumb keeps {} to one class of machine: measure it on the other one, or state `class`",
            curve.one_class.join(", ")
        ));
    }
    lines
}
