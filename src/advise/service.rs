//! A service: how its servers are bought (B-Q3, B-S4), what stands idle (B-C3), how fast it answers if its requests take as
//! long as they may (B-K7), and when to be warned of its cost (A-C4).

use super::said::Said;
use super::taken::Taken;
use crate::choose::assemble::Found;
use crate::decide::{Layout, service};
use crate::plan::service::of_hundred;
use crate::plan::{NoteKind, Plan, ServiceFigures};
use crate::price::service::{ServiceOption, ServiceWay};
use crate::rules::{Finding, Threshold};
use crate::units::number::{percent, things};
use crate::units::{Hours, Money};

/// B-S4 of a service with a day: the cheapest of each of the three ways; `None` for one that is the same around the clock.
pub fn ways(taken: &Taken<'_>) -> Option<Said> {
    let service = day(taken)?;
    let compared = compared(taken, service);
    if !service.options.iter().any(|o| o.way == ServiceWay::Reserved) {
        let fact = format!("a price by the month or year of {} in {}", taken.name(), taken.choice.region);
        return Some(Said::needs("B-S4", &fact));
    }
    Some(Said::advice("B-S4", format!("a month of the servers: {compared}")))
}

/// B-Q3 of a service with a day: what the three ways cost here.
pub fn load(taken: &Taken<'_>, finding: &mut Finding) {
    if let Some(service) = day(taken).filter(|_| finding.id == "B-Q3") {
        let (least, most) = service.range();
        finding.reason = format!(
            "the load follows the day, {least} to {most} servers: a base may be reserved and the peak bought by the hour; {}",
            compared(taken, service)
        );
    }
}

fn day<'a>(taken: &Taken<'a>) -> Option<&'a ServiceFigures> {
    taken.choice.service.as_ref().filter(|service| !service.hours.is_empty() && service.options.len() > 1)
}

/// `all by the hour 839.41, all reserved (month) 961.75, 2 reserved (month) and the rest by the hour 724.60 USD`: of each
/// way the cheapest that commits for a month at most.
fn compared(taken: &Taken<'_>, service: &ServiceFigures) -> String {
    let cheapest = |way: ServiceWay| -> Option<&ServiceOption> {
        let open = |o: &&ServiceOption| o.way == way && !o.commits;
        service.options.iter().filter(open).min_by_key(|o| o.month)
    };
    let cost = |o: &ServiceOption| taken.money(o.month);
    let hourly = cheapest(ServiceWay::Autoscaled).or_else(|| cheapest(ServiceWay::AlwaysOn));
    let mut texts: Vec<String> = hourly.iter().map(|o| format!("all by the hour {}", cost(o))).collect();
    if let Some(all) = cheapest(ServiceWay::Reserved) {
        texts.push(format!("all reserved ({}) {}", all.purchase, cost(all)));
    }
    if let Some(base) = cheapest(ServiceWay::BaseAndPeak) {
        texts.push(format!(
            "{} reserved ({}) and the rest by the hour {}",
            base.reserved,
            base.purchase,
            cost(base)
        ));
    }
    texts.join(", ")
}

/// B-C3 of a service: the share of the paid capacity without work over the day, its cost, and what scaling down saves.
pub fn idle(taken: &Taken<'_>) -> Option<Said> {
    let service = taken.choice.service.as_ref()?;
    let idle = service.idle.filter(|idle| idle.share >= 0.005)?;
    let mut text = format!(
        "{} of the paid capacity is idle over the month: {}",
        percent(idle.share),
        taken.money(idle.cost)
    );
    let saves = idle.scaling_saves.filter(|saves| *saves > Money::ZERO);
    if let Some(saves) = saves {
        text += &format!(
            "; by the hour, servers that are released in quiet hours cost {} less than all around the clock",
            taken.money(saves)
        );
    }
    let said = Said::advice("B-C3", text);
    let much = idle.share >= taken.job().thresholds.get(Threshold::MaxIdleShare) && taken.is_worth(idle.cost);
    let remedy = if service.hours.is_empty() {
        "give `profile`, the rates of the 24 hours, to see what releasing servers in quiet hours saves"
    } else {
        "smaller servers, or a shared one, leave less of it idle"
    };
    Some(if much {
        let text = format!("{} of what its servers cost is idle capacity: {remedy}", percent(idle.share));
        said.remarked(NoteKind::Advice, text)
    } else {
        said
    })
}

/// B-K7: what becomes of the latency if a request takes as long as the upper end of its band.
pub fn late(taken: &Taken<'_>) -> Option<Said> {
    let figures = taken.choice.service.as_ref()?;
    let (item, peak) = (figures.item?, figures.peak?);
    let Layout::Service(expected) = &taken.candidate.layout else { return None };
    let Some(latency) = figures.latency else { return full(figures) };
    let thresholds = &taken.job().thresholds;
    let slow = service::size_at(
        taken.stage,
        thresholds,
        taken.instance,
        &taken.candidate.duration,
        item.high,
        expected,
    );
    let queue = slow.queue(taken.stage, peak, figures.servers);
    let within = Hours::from_secs(queue.percentile(latency.share));
    if within.get() <= latency.within.get() * (1.0 + 1e-9) {
        return None;
    }
    let of = of_hundred(latency.share);
    let many = if figures.servers == 1 { "server".to_owned() } else { things(figures.servers, "server") };
    let then = if queue.bare_percentile(latency.share) > latency.within.as_secs() * (1.0 + 1e-9) {
        "no number of them would do".to_owned()
    } else {
        format!("{} would do", slow.servers)
    };
    let what = if within.is_finite() {
        format!("the {many} answer {of} within {within} instead of {}", latency.within)
    } else {
        format!("the {many} cannot keep up with the peak")
    };
    let text =
        format!("if a request takes {}, the upper end of its band, {what}: {then}; measure it", item.high);
    Some(Said::advice("B-K7", text).aloud(NoteKind::Warning))
}

/// Servers that without a stated latency are just as many as the load: their queue grows without end.
fn full(figures: &ServiceFigures) -> Option<Said> {
    figures.answers.filter(|answers| !answers.within.is_finite())?;
    let busy = if figures.servers == 1 {
        "the server is".to_owned()
    } else {
        format!("all {} servers are", figures.servers)
    };
    let text = format!(
        "at the peak {busy} busy without a pause, and the queue grows as long as it lasts; {} keep up: raise \
         serve_headroom, or state a latency",
        figures.servers + 1
    );
    Some(Said::advice("B-K7", text).aloud(NoteKind::Warning))
}

/// A-C4 of a plan of services alone: alarms along the monthly budget.
pub fn alarms(found: Found<'_>, plan: &Plan) -> Option<Said> {
    if plan.cost.is_some() || !plan.has_services() || plan.services.is_none() {
        return None;
    }
    let Some(budget) = plan.limits.monthly_budget else {
        return Some(Said::advice("A-C4", "alarms need a budget (limits.monthly_budget)"));
    };
    let thresholds = &found.job.thresholds;
    let (first, second) = (thresholds.get(Threshold::FirstAlarm), thresholds.get(Threshold::SecondAlarm));
    let at = |share: f64| budget.scaled(share).to_cents().amount();
    let text = format!(
        "alarms at {}, {} and {} {} ({}, {} and 100 % of the monthly budget)",
        at(first),
        at(second),
        budget.amount(),
        plan.currency,
        percent(first),
        percent(second)
    );
    Some(Said::advice("A-C4", text))
}
