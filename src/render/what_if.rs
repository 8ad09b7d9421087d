//! `--what-if`: the plan beside the changed ones, stage by stage, with the differences.

use super::Style;
use super::report::rent;
use super::text::{heading, paragraph, plain, write_table};
use crate::plan::{Choice, Period, Plan, StagePlan, WhatIf};
use crate::units::number::significant;
use crate::units::{Hours, Money};
use std::io::{self, Write};

/// Least width of a column with a plan.
const COLUMN: usize = 26;
/// Width of the column with the names of the stages.
const NAMES: usize = 12;

/// Writes the plan beside its changed ones: as many as fit side by side, the others below.
pub fn write(plan: &Plan, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let changes = match plan.what_if.len() {
        1 => "one change".to_owned(),
        many => format!("{many} changes, each by itself"),
    };
    heading(&format!("{}: the plan beside {changes}", plan.workload), style, out)?;
    let fit = (usize::from(style.width).saturating_sub(NAMES) / COLUMN).saturating_sub(1).max(1);
    for some in plan.what_if.chunks(fit) {
        writeln!(out)?;
        let mut table = plain(style.width);
        let mut header = vec!["stage".to_owned(), "the plan".to_owned()];
        header.extend(some.iter().map(|w| w.change.clone()));
        table.set_header(header);
        for (at, stage) in plan.stages.iter().enumerate() {
            let mut cells = vec![stage.name.clone(), cell(stage, None)];
            cells.extend(some.iter().map(|w| {
                w.plan
                    .stages
                    .get(at)
                    .map_or_else(String::new, |s| cell(s, Some((stage, same_money(plan, w)))))
            }));
            table.add_row(cells);
        }
        let mut totals = vec!["total".to_owned(), total(plan, None)];
        totals.extend(some.iter().map(|w| total(&w.plan, Some((plan, same_money(plan, w))))));
        table.add_row(totals);
        write_table(&table, out)?;
    }
    writeln!(out)?;
    for what_if in &plan.what_if {
        paragraph(&format!("{}: {}", what_if.change, sentence(plan, what_if)), style, out)?;
        if !what_if.scaled.is_empty() {
            let of = |(stage, factor): &(String, f64)| format!("{stage} × {}", significant(*factor, 3));
            let stages: Vec<String> = what_if.scaled.iter().map(of).collect();
            let text = format!("  stated times are scaled with the work: {}", stages.join(", "));
            paragraph(&text, style, out)?;
        }
    }
    Ok(())
}

fn same_money(plan: &Plan, what_if: &WhatIf) -> bool {
    plan.currency == what_if.plan.currency
}

/// What is rented, for how long and for how much; beside another plan with the differences.
fn cell(stage: &StagePlan, beside: Option<(&StagePlan, bool)>) -> String {
    let Ok(choice) = &stage.outcome else { return "nothing fits".to_owned() };
    let old = beside.and_then(|(old, same)| Some((old.outcome.as_ref().ok()?, same)));
    let what = match old {
        Some((old, _)) if is_same(old, choice) => "the same".to_owned(),
        _ => format!("{}\n{}, {}", machine(choice), choice.purchase.label(), choice.region),
    };
    let mut lines = vec![what];
    if choice.period == Period::Run {
        let old = old.map(|(old, _)| old.time.expected);
        lines
            .push(with(&choice.time.expected.to_string(), old.and_then(|o| longer(o, choice.time.expected))));
    }
    let month = if choice.period == Period::Month { "/month" } else { "" };
    let cost = choice.expected_cost();
    let dearer = old.filter(|(_, same)| *same).and_then(|(old, _)| more(old.expected_cost(), cost));
    lines.push(with(&format!("{}{month}", cost.amount()), dearer));
    lines.join("\n")
}

fn is_same(a: &Choice, b: &Choice) -> bool {
    (&a.provider, &a.instance, &a.region, &a.zone, a.count, a.purchase)
        == (&b.provider, &b.instance, &b.region, &b.zone, b.count, b.purchase)
}

fn machine(choice: &Choice) -> String {
    let gpu = choice.gpu_label();
    if gpu.is_empty() { rent(choice) } else { format!("{} ({gpu})", rent(choice)) }
}

fn total(plan: &Plan, beside: Option<(&Plan, bool)>) -> String {
    let mut lines = Vec::new();
    let time = |p: &Plan| p.time.map(|t| t.expected);
    let cost = |p: &Plan| p.cost.and_then(|band| band.expected);
    let month = |p: &Plan| p.services.and_then(|band| band.expected);
    if let Some(now) = time(plan) {
        let old = beside.and_then(|(old, _)| time(old));
        lines.push(with(&now.to_string(), old.and_then(|o| longer(o, now))));
    }
    for (of, unit) in [(&cost as &dyn Fn(&Plan) -> Option<Money>, ""), (&month, "/month")] {
        if let Some(now) = of(plan) {
            let old = beside.filter(|(_, same)| *same).and_then(|(old, _)| of(old));
            let text = format!("{} {}{unit}", now.amount(), plan.currency);
            lines.push(with(&text, old.and_then(|o| more(o, now))));
        }
    }
    if lines.is_empty() {
        lines.push("no plan".to_owned());
    }
    // Runs and services of a month together, where that is not one of the lines above.
    if let Some(now) =
        runs_month(plan).or_else(|| beside.and_then(|(old, _)| runs_month(old)).and(plan.dearest_month()))
    {
        let old = beside.filter(|(_, same)| *same).and_then(|(old, _)| old.dearest_month());
        let text = format!("{} {} in a month", now.amount(), plan.currency);
        lines.push(with(&text, old.and_then(|o| more(o, now))));
    }
    if let Some(chance) = plan.chance {
        let old = beside.and_then(|(old, _)| old.chance).map(|c| of_hundred(c.expected));
        let now = of_hundred(chance.expected);
        let before = old.filter(|old| *old != now).map(|old| format!("before {old}"));
        lines.push(with(&format!("in time {now} of 100"), before));
    }
    if let Some(now) = region(plan) {
        let old = beside.and_then(|(old, _)| region(old));
        let before = old.filter(|old| *old != now).map(|old| format!("before {old}"));
        if before.is_some() || beside.is_none() {
            lines.push(with(&format!("data in {now}"), before));
        }
    }
    lines.extend(
        plan.checks.iter().filter(|c| !c.kept).map(|c| format!("NOT KEPT: {}", c.limit.replace('-', " "))),
    );
    lines.join("\n")
}

/// What a month costs, where runs a month or months are stated.
fn runs_month(plan: &Plan) -> Option<Money> {
    plan.cost.filter(|_| plan.runs_per_month.is_some() || !plan.months.is_empty())?;
    plan.dearest_month()
}

fn region(plan: &Plan) -> Option<String> {
    plan.data.as_ref().map(|at| format!("{}/{}", at.provider, at.region))
}

/// A chance of 100, to a tenth.
fn of_hundred(chance: f64) -> String {
    match chance * 100.0 {
        p if p >= 99.95 => "> 99.9".to_owned(),
        p => significant((p * 10.0).round() / 10.0, 3),
    }
}

fn with(text: &str, difference: Option<String>) -> String {
    difference.map_or_else(|| text.to_owned(), |d| format!("{text} ({d})"))
}

/// `+1.41`; nothing where there is no difference.
fn more(old: Money, new: Money) -> Option<String> {
    // What would be shown as no difference is none.
    if new.amount() == old.amount() {
        None
    } else if new > old {
        Some(format!("+{}", (new - old).amount()))
    } else {
        (new < old).then(|| format!("-{}", (old - new).amount()))
    }
}

fn longer(old: Hours, new: Hours) -> Option<String> {
    // What would be shown as no difference is none.
    if (new.get() - old.get()).abs() < 1e-9 * old.get() {
        return None;
    }
    if new > old { Some(format!("+{}", new.minus(old))) } else { Some(format!("-{}", old.minus(new))) }
}

/// `4.20 USD dearer and 3 h slower; its limits are kept`.
fn sentence(plan: &Plan, what_if: &WhatIf) -> String {
    let new = &what_if.plan;
    let expected = |p: &Plan| Some((p.cost?.expected?, p.time?.expected));
    let figures =
        |p: &Plan| expected(p).or_else(|| p.services.and_then(|b| Some((b.expected?, Hours::ZERO))));
    let (Some((cost, time)), Some((new_cost, new_time))) = (figures(plan), figures(new)) else {
        let failed: Vec<&str> =
            new.stages.iter().filter(|s| s.outcome.is_err()).map(|s| s.name.as_str()).collect();
        return if failed.is_empty() {
            "no plan to compare with".to_owned()
        } else {
            format!("nothing can do {}", failed.join(", "))
        };
    };
    let mut parts = Vec::new();
    if same_money(plan, what_if) {
        parts.push(match (new_cost > cost, new_cost == cost) {
            (_, true) if longer(time, new_time).is_none() => "costs the same and takes as long".to_owned(),
            (_, true) => "costs the same".to_owned(),
            (true, _) => format!("{} {} dearer", (new_cost - cost).amount(), plan.currency),
            (false, _) => format!("{} {} cheaper", (cost - new_cost).amount(), plan.currency),
        });
    }
    if !same_money(plan, what_if) {
        parts.push(format!("{} {}", new_cost.amount(), new.currency));
    }
    if let (true, Some(old), Some(now)) = (same_money(plan, what_if), runs_month(plan), runs_month(new))
        && let Some(more) = more(old, now)
    {
        let (sign, by) = more.split_at(1);
        let word = if sign == "+" { "more" } else { "less" };
        parts.push(format!("{by} {} {word} in a month", plan.currency));
    }
    if let Some(longer) = longer(time, new_time) {
        let (sign, by) = longer.split_at(1);
        parts.push(format!("{by} {}", if sign == "+" { "slower" } else { "faster" }));
    }
    if let (Some(old), Some(now)) = (plan.chance, new.chance)
        && of_hundred(old.expected) != of_hundred(now.expected)
    {
        let (old, now) = (of_hundred(old.expected), of_hundred(now.expected));
        parts.push(format!("in time {now} times of 100 instead of {old}"));
    }
    let broken: Vec<String> = new
        .checks
        .iter()
        .filter(|c| !c.kept)
        .map(|c| format!("{}: {}", c.limit.replace('-', " "), c.text))
        .collect();
    let kept = if broken.is_empty() { String::new() } else { format!("; NOT KEPT: {}", broken.join("; ")) };
    parts.join(", ") + &kept
}
