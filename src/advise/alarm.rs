//! A-C4: when to release, when to be warned, and what forgetting costs.

use super::said::Said;
use super::taken::Taken;
use crate::choose::assemble::Found;
use crate::plan::{NoteKind, Period, Plan};
use crate::rules::Threshold;
use crate::units::number::percent;
use crate::units::{Hours, Money};

/// Release times of the machines that are paid by the hour, alarms, and a forgotten week; nothing where there is no plan.
pub fn alarm(found: Found<'_>, plan: &Plan) -> Option<Said> {
    if plan.stages.iter().any(|s| s.outcome.is_err()) {
        return None;
    }
    let thresholds = &found.job.thresholds;
    let forgotten = Hours::new(thresholds.get(Threshold::ForgottenDays) * 24.0);
    let hourly: Vec<(Taken<'_>, Money)> = (0..plan.stages.len())
        .filter_map(|at| {
            let taken = Taken::of(found, plan, at)?;
            // A service is not released.
            if taken.choice.period == Period::Month {
                return None;
            }
            let price = taken.hourly(taken.quote.offer, taken.choice.purchase)?;
            Some((taken, price.for_hours(forgotten)? * taken.choice.count))
        })
        .collect();
    // The dearest; of equally dear ones the first.
    let (dearest, week) = hourly.iter().rev().max_by_key(|(_, week)| *week)?;
    let shares = [Threshold::FirstAlarm, Threshold::SecondAlarm].map(|t| thresholds.get(t));
    let releases: Vec<String> = hourly
        .iter()
        .map(|(taken, _)| {
            let [first, second, all] = alarms(most(taken), shares);
            format!("{} after {} (alarms at {first}, {second} and {all})", taken.stage.name, release(taken))
        })
        .collect();
    let (many, costs) = match dearest.choice.count {
        1 => (String::new(), "costs"),
        count => (format!("{count} × "), "cost"),
    };
    let forgets =
        format!("{many}{} forgotten for {forgotten} {costs} {}", dearest.name(), dearest.money(*week));
    let limits = plan.limits;
    let budget =
        limits.budget.map(|b| (b, "budget")).or(limits.monthly_budget.map(|b| (b, "monthly budget")));
    // Without a budget the upper end of the cost stands in for it.
    let (limit, of) = match budget {
        Some((budget, which)) => (budget, format!("of the {which}")),
        None => {
            (hourly.iter().map(|(taken, _)| most(taken)).sum(), "of the most that it may cost".to_owned())
        }
    };
    let [first, second, all] = alarms(limit, shares);
    let [a, b] = shares.map(percent);
    let alarms = format!("alarms at {first}, {second} and {all} {} ({a}, {b} and 100 % {of})", plan.currency);
    let text = format!("release {}; {alarms}; {forgets}", releases.join(", "));
    let short = format!("release each machine when it is done: {forgets}; {alarms}");
    Some(Said::advice("A-C4", text).remarked(NoteKind::Advice, short))
}

/// The two alarms before a limit, and the limit.
fn alarms(limit: Money, shares: [f64; 2]) -> [String; 3] {
    let [first, second] = shares;
    [first, second, 1.0].map(|share| limit.scaled(share).to_cents().amount())
}

/// The upper end of a stage's cost, where there is one.
fn most(taken: &Taken<'_>) -> Money {
    let cost = taken.choice.cost;
    cost.high.or(cost.expected).unwrap_or_default()
}

/// The upper end of a stage's time; where that never comes, 95 times of 100.
fn release(taken: &Taken<'_>) -> Hours {
    let high = taken.choice.time.high;
    match taken.choice.spot {
        Some(spot) if !high.is_finite() => spot.percentiles[2],
        _ => high,
    }
}
