//! Budget, monthly budget and deadline against the expected figures. Equality keeps a limit.

use crate::choose::Kept;
use crate::choose::assemble::Found;
use crate::plan::{LimitCheck, Plan};
use crate::units::{Currency, Money};

/// A check per limit that the job states.
pub fn checks(found: Found<'_>, plan: &Plan) -> Vec<LimitCheck> {
    let job = found.job;
    let mut checks = Vec::new();
    let expected = plan.cost.and_then(|band| band.expected);
    if let Some(budget) = job.limits.budget {
        checks.push(money("budget", "per run", expected, budget, job.currency));
    }
    if let Some(budget) = job.limits.monthly_budget {
        let monthly = expected.zip(job.runs_per_month).map(|(cost, runs)| cost.scaled(runs));
        checks.push(money("monthly-budget", "per month", monthly.or(expected), budget, job.currency));
    }
    if let Some(deadline) = job.limits.deadline {
        let (kept, text) = match plan.time {
            Some(time) if time.expected <= deadline && time.high > deadline => (
                true,
                format!(
                    "{} of {deadline}; at the upper end of its band {}: not certain",
                    time.expected, time.high
                ),
            ),
            Some(time) => (time.expected <= deadline, format!("{} of {deadline}", time.expected)),
            None => (false, format!("no plan within {deadline}")),
        };
        let text = match found.kept {
            Kept::Never(least) => format!("{text}; nothing in the catalog is faster than {least}"),
            Kept::Gap(at_least) => {
                let least = Money::from_nanos(i128::from(at_least)).amount();
                format!("{text}; the search ended before its proof: no plan costs less than {least}")
            }
            Kept::Cheapest | Kept::Proven => text,
        };
        checks.push(LimitCheck { limit: "deadline", kept, text });
    }
    checks
}

fn money(
    limit: &'static str,
    period: &str,
    cost: Option<Money>,
    budget: Money,
    currency: Currency,
) -> LimitCheck {
    let Some(cost) = cost else {
        return LimitCheck {
            limit,
            kept: false,
            text: format!("no plan within {} {currency}", budget.amount()),
        };
    };
    let kept = cost <= budget;
    let text = if kept {
        let share = if budget > Money::ZERO { cost.as_f64() / budget.as_f64() * 100.0 } else { 0.0 };
        format!("{} of {} {currency} {period} ({share:.0} %)", cost.amount(), budget.amount())
    } else {
        let over = cost - budget;
        format!("{} {currency} {period}: {} over {}", cost.amount(), over.amount(), budget.amount())
    };
    LimitCheck { limit, kept, text }
}
