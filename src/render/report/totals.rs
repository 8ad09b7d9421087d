//! What a run costs, what the services cost in a month, and what both do.

use super::{expected, hours_band, money_band};
use crate::plan::Plan;
use crate::units::number::{significant, things};

/// The answer in one line.
pub(super) fn headline(plan: &Plan) -> String {
    let stages = things(plan.stages.len(), "stage");
    let failed: Vec<&str> =
        plan.stages.iter().filter(|s| s.outcome.is_err()).map(|s| s.name.as_str()).collect();
    if !failed.is_empty() {
        return format!("{}: no plan: nothing in the catalog can do {}", plan.workload, failed.join(", "));
    }
    let currency = plan.currency;
    let mut parts = Vec::new();
    if let (Some(cost), Some(time)) = (plan.cost, plan.time) {
        parts.push(format!("{} {currency} per run, {} from start to end", expected(&cost), time.expected));
        if let (Some(monthly), Some(runs), None) = (monthly(plan), plan.runs_per_month, plan.services) {
            parts.push(format!(
                "{} {currency} per month ({})",
                monthly.amount(),
                things(significant(runs, 4), "run")
            ));
        }
    }
    if let Some(services) = plan.services {
        let named = if plan.cost.is_some() { "services " } else { "" };
        parts.push(format!("{named}{} {currency} per month", expected(&services)));
        if let (Some(monthly), Some(runs), Some(_)) = (plan.monthly_cost(), plan.runs_per_month, plan.cost) {
            parts.push(format!(
                "{} {currency} per month with {}",
                monthly.amount(),
                things(significant(runs, 4), "run")
            ));
        }
    }
    parts.extend(in_all(plan));
    format!("{}: {stages}, {}", plan.workload, parts.join("; "))
}

/// What a month costs, where they do not differ.
fn monthly(plan: &Plan) -> Option<crate::units::Money> {
    let most = plan.dearest_month();
    plan.monthly_cost().filter(|_| plan.months.iter().all(|m| Some(m.cost) == most))
}

/// `921.96 USD in 6 months (24 runs)`, with the dearest month where they differ.
fn in_all(plan: &Plan) -> Option<String> {
    let (all, most) = (plan.cost_in_all()?, plan.dearest_month()?);
    let runs = things(significant(plan.months.iter().map(|m| m.runs).sum(), 6), "run");
    // One month that was told as any month need not be told again.
    if plan.months.len() == 1 && plan.runs_per_month.is_some() && monthly(plan) == Some(all) {
        return None;
    }
    let even = plan.months.iter().all(|m| m.cost == most);
    let dearest = if even { String::new() } else { format!(", at most {} in one", most.amount()) };
    let months = things(plan.months.len(), "month");
    Some(format!("{} {} in {months} ({runs}){dearest}", all.amount(), plan.currency))
}

/// One run, the services' month, and the whole month, as far as they are not the same.
pub(super) fn rows(plan: &Plan) -> Vec<[String; 5]> {
    let mut rows = Vec::new();
    let services = plan.services;
    if let (Some(cost), Some(time)) = (plan.cost, plan.time) {
        let name = if services.is_some() { "a run" } else { "total" };
        rows.push([
            name.to_owned(),
            time.expected.to_string(),
            hours_band(&time),
            expected(&cost),
            money_band(&cost),
        ]);
    }
    if let Some(services) = services {
        let name = if plan.cost.is_some() { "services" } else { "total" };
        let cost = format!("{}/month", expected(&services));
        let certain = services.low == services.expected && services.high == services.expected;
        let band = if certain { String::new() } else { money_band(&services) };
        rows.push([name.to_owned(), String::new(), String::new(), cost, band]);
        if let (Some(monthly), Some(runs), Some(_)) = (plan.monthly_cost(), plan.runs_per_month, plan.cost) {
            let name = format!("{} and services", things(significant(runs, 4), "run"));
            let cost = format!("{}/month", monthly.amount());
            rows.push([name, String::new(), String::new(), cost, String::new()]);
        }
    }
    rows
}
