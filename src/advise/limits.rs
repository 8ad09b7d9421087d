//! Budget, monthly budget and deadline against the expected figures. Equality keeps a limit.

use crate::choose::Kept;
use crate::choose::assemble::Found;
use crate::decide::{Figure, LONGEST, Near, Reason};
use crate::job::{Aim, StageKind};
use crate::plan::{LimitCheck, Note, NoteKind, Plan, RejectionText, StagePlan};
use crate::units::number::{percent, significant};
use crate::units::{Band, Currency, Hours, Money};

/// A check per limit that the job states.
pub fn checks(found: Found<'_>, plan: &Plan) -> Vec<LimitCheck> {
    let job = found.job;
    let mut checks = Vec::new();
    // A budget and a deadline are those of a run: services are no part of it.
    let no_run = plan.stages.iter().all(|s| s.kind == StageKind::Serve && s.outcome.is_ok());
    let expected = plan.cost.and_then(|band| band.expected);
    let each = each(found);
    if let Some(budget) = job.limits.budget {
        let mut check = match plan.services.and_then(|band| band.expected).filter(|_| no_run) {
            Some(services) => {
                LimitCheck { limit: "budget", kept: true, text: no_run_costs(services, budget, job.currency) }
            }
            None => money(plan, ("budget", "per run"), expected, budget),
        };
        if !no_run && plan.has_services() {
            check.text += "; services are counted by the month, which monthly_budget limits";
        }
        check.text += &match found.kept {
            Kept::Fastest => format!("; no run {each}within it is faster"),
            Kept::FastestGap(least) => {
                format!("; the search ended before its proof: no run {each}within it is faster than {least}")
            }
            _ => String::new(),
        };
        checks.push(check);
    }
    if let Some(budget) = job.limits.monthly_budget {
        // Without a number of runs, one run a month.
        let services = plan.services.and_then(|band| band.expected);
        let one_run = expected.map(|run| run + services.unwrap_or_default());
        let monthly = plan.dearest_month().or(one_run);
        checks.push(money(plan, ("monthly-budget", "per month"), monthly, budget));
    }
    if let Some(deadline) = job.limits.deadline {
        let (kept, text) = match plan.time {
            Some(time) => timely(time, deadline, plan),
            None if no_run => (true, "no stage has an end".to_owned()),
            None => (false, nothing(plan)),
        };
        let text = match found.kept {
            Kept::Never(least) => {
                format!("{text}; this is the fastest run: no run {each}keeps a deadline below {least}")
            }
            Kept::Gap(at_least) => {
                let least = Money::from_nanos(i128::from(at_least)).amount();
                format!("{text}; the search ended before its proof: no plan {each}costs less than {least}")
            }
            Kept::Confident(at_least) => match expected.map(|c| (c, Money::from_nanos(i128::from(at_least))))
            {
                Some((cost, least)) if cost > least => {
                    format!(
                        "{text}; the cheapest found, and none {each}that is as sure costs less than {}",
                        least.amount()
                    )
                }
                _ => format!("{text}; none {each}that is as sure costs less"),
            },
            Kept::NeverSure { cost, chance } => format!("{text}; {}", surest(plan, cost, chance)),
            _ => text,
        };
        checks.push(LimitCheck { limit: "deadline", kept, text });
    }
    checks
}

/// What is proven is proven of plans that rent for each stage by itself.
fn each(found: Found<'_>) -> &'static str {
    let several = found.job.stages.iter().filter(|s| s.kind != StageKind::Serve).count() > 1;
    let shares = found.stages.iter().any(|stage| stage.selection.shares(&stage.quotes.quotes));
    match several {
        true if shares => "without shared months ",
        true => "with a machine for each stage ",
        false => "",
    }
}

/// A share of the cost or of the time below which nobody needs to be warned that so much might be saved.
const WORTH: f64 = 0.01;

/// That owned machines might be shared out better: nothing is by more than a share.
pub fn shared(found: Found<'_>, plan: &Plan) -> Option<Note> {
    let Kept::Shared(share) = found.kept else { return None };
    let late = plan.checks.iter().any(|check| check.limit == "deadline" && !check.kept);
    let (each, most) =
        (each(found), if late || found.job.limits.aim == Aim::Time { "faster" } else { "cheaper" });
    let text = format!(
        "stages that may run at the same time want more owned machines than there are, and the search for who gets them \
         ended before its proof: another plan {each}may be {most}, by {} at most",
        percent((share * 1000.0).ceil() / 1000.0)
    );
    let kind = if share < WORTH { NoteKind::Info } else { NoteKind::Warning };
    Some(Note { kind, rule: "owned", stage: None, text })
}

/// A budget of a run where there is none: it limits nothing.
fn no_run_costs(services: Money, budget: Money, currency: Currency) -> String {
    format!(
        "{} {currency} per run limits nothing here: the services cost {} per month, which monthly_budget limits",
        budget.amount(),
        services.amount()
    )
}

/// Whether a run meets its deadline: by its expected time, or with the chance that is asked for.
fn timely(time: Band<Hours>, deadline: Hours, plan: &Plan) -> (bool, String) {
    let mut text = format!("{} of {deadline}", time.expected);
    // The last digit of a sum must not cost the deadline that is exactly met.
    let mut kept = time.expected.get() <= deadline.get() * (1.0 + 1e-12);
    let Some(chance) = plan.chance else { return (kept, text) };
    let asked = plan.limits.confidence;
    if asked.is_some() || chance.spot || time.high > deadline {
        // What is not enough must not look like what was asked for.
        text += &match asked {
            Some(asked) if chance.expected < asked => {
                format!("; the run meets it {}", exactly(chance.expected))
            }
            _ => format!("; the run meets it {}", of_hundred(chance.expected)),
        };
        if of_hundred(chance.pessimistic) != of_hundred(chance.expected) {
            let times = of_hundred(chance.pessimistic);
            let times = times.strip_suffix(" times of 100").unwrap_or(&times);
            text += &format!(" ({times} where interruptions are most frequent)");
        }
    }
    if let Some(asked) = asked {
        kept = chance.expected >= asked;
        text += &format!("; asked for: {} times of 100", significant(asked * 100.0, 5));
    }
    if time.high > deadline {
        text += &format!("; at the upper end of its band {}", time.high);
    }
    (kept, text)
}

/// What the surest plan found costs beside the plan without the confidence.
fn surest(plan: &Plan, cost: i64, chance: f64) -> String {
    let Some(mine) = plan.cost.and_then(|band| band.expected) else {
        return "the surest plan found".to_owned();
    };
    let without = Money::from_nanos(i128::from(cost));
    let sure = plan.chance.map_or(0.0, |chance| chance.expected);
    if without >= mine {
        return "out of reach: the surest plan found".to_owned();
    }
    format!(
        "out of reach: the surest plan found meets it {} for {} {currency}; without confidence it is {} for {} {currency}",
        exactly(sure),
        mine.amount(),
        exactly(chance),
        without.amount(),
        currency = plan.currency,
    )
}

/// A chance with a tenth.
fn exactly(chance: f64) -> String {
    let times = (chance * 1000.0).floor() / 10.0;
    format!("{times:.1} times of 100")
}

/// A chance in words. It is known to a few tenths of a percentage point, so that near its ends it is told as a bound.
fn of_hundred(chance: f64) -> String {
    match chance * 100.0 {
        p if p >= 99.5 => "more than 99 times of 100".to_owned(),
        p if p < 0.95 => "less than once in 100 times".to_owned(),
        p => format!("{} times of 100", significant(p, if p < 99.0 { 2 } else { 3 })),
    }
}

/// Why a limit is not kept although nothing is held against it: no machine can do some stage, whatever it may cost. Where one
/// could with more time than the deadline leaves, the deadline is named.
fn nothing(plan: &Plan) -> String {
    let failed: Vec<&StagePlan> = plan.stages.iter().filter(|s| s.outcome.is_err()).collect();
    let names: Vec<&str> = failed.iter().map(|s| s.name.as_str()).collect();
    let too_slow = |r: &RejectionText| match r.rejection.near {
        Some(Near { has: Figure::Hours(takes), .. }) => {
            r.rejection.reason == Reason::TooSlow && takes <= LONGEST
        }
        _ => false,
    };
    let late = |_: &Hours| failed.iter().any(|s| s.rejected.iter().any(too_slow));
    let within = plan.limits.deadline.filter(late).map(|d| format!(" in {d}")).unwrap_or_default();
    format!("no plan at all: nothing can do {}{within}", names.join(", "))
}

fn money(
    plan: &Plan,
    (limit, period): (&'static str, &str),
    cost: Option<Money>,
    budget: Money,
) -> LimitCheck {
    let currency = plan.currency;
    let Some(cost) = cost else {
        return LimitCheck { limit, kept: false, text: nothing(plan) };
    };
    let kept = cost <= budget;
    let text = if kept {
        let share = if budget > Money::ZERO { cost.as_f64() / budget.as_f64() * 100.0 } else { 0.0 };
        // What is next to nothing is not nothing.
        let share =
            if share > 0.0 && share < 0.5 { "less than 1 %".to_owned() } else { format!("{share:.0} %") };
        format!("{} of {} {currency} {period} ({share})", cost.amount(), budget.amount())
    } else {
        let over = cost - budget;
        format!("{} {currency} {period}: {} over {}", cost.amount(), over.amount(), budget.amount())
    };
    LimitCheck { limit, kept, text }
}
