//! What would make a figure sure: the measurement that would settle it (B-C8); and what the class rules can say only
//! once times and prices are known (A-K1, A-L3, B-Q3).

use super::said::Said;
use super::taken::Taken;
use crate::duration::Evidence;
use crate::job::{Class, Urgency};
use crate::plan::{AlternativeKind, Choice, NoteKind, Period, StagePlan};
use crate::price::Quote;
use crate::rules::{Finding, Threshold};
use crate::units::number::{percent, significant};
use crate::units::{HOURS_PER_MONTH, Hours, PerHour};

/// B-C8: which measurement would settle the time of a choice, and the class where both lie within their bands.
pub fn measure(taken: &Taken<'_>, planned: &StagePlan) -> Option<Said> {
    let choice = taken.choice;
    if choice.evidence == Evidence::Measured {
        return None;
    }
    let how = match choice.evidence {
        Evidence::RuleOfThumb => "guessed by a rule of thumb",
        Evidence::Estimated => "estimated from arithmetic",
        Evidence::Published => "taken from published runs",
        Evidence::Scaled | Evidence::Measured => "scaled from another machine",
    };
    let time = match &choice.service {
        Some(service) if service.item.is_none() => "no time of a request is known".to_owned(),
        _ => format!("its time is {how} (×/÷{:.1})", choice.spread),
    };
    let mut text = format!(
        "{time}: {} on {} and give measured = [{{ on = {:?}, time = … }}]",
        if choice.service.is_some() { "time a few hundred requests" } else { "run a few hundred steps" },
        taken.name(),
        on(choice)
    );
    let other = planned.alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass);
    if let Some(other) = other.filter(|other| may_change(choice, &other.choice)) {
        text += &format!(
            "; {} may turn out cheaper: measure it on {:?} too",
            other.choice.class,
            on(&other.choice)
        );
    }
    let kind = if choice.evidence >= Evidence::Estimated { NoteKind::Warning } else { NoteKind::Advice };
    Some(Said::advice("B-C8", text).aloud(kind))
}

/// What to write behind `on`.
fn on(choice: &Choice) -> String {
    match &choice.gpu {
        Some(_) => choice.gpu_label().replace('×', "x"),
        None => format!("{}/{}", choice.provider, choice.instance),
    }
}

/// Whether the other class could be the cheaper one within the bands of both.
fn may_change(chosen: &Choice, other: &Choice) -> bool {
    match (other.cost.low, chosen.cost.high) {
        (Some(low), Some(high)) => low < high,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// Adds to a class finding what the plan knows of it.
pub fn complete(taken: &Taken<'_>, dearest_gpu: Option<PerHour>, finding: &mut Finding) {
    match finding.id {
        "A-K1" => {
            let own = taken.hourly(taken.quote.offer, taken.choice.purchase);
            if let (Some(own), Some(gpu), Class::Cpu) = (own, dearest_gpu, taken.choice.class) {
                let share = percent(own.as_f64() / gpu.as_f64());
                finding.reason += &format!(
                    "; at {own} it costs {share} of the GPU instance of the plan (a tenth is usual)"
                );
            }
        }
        "A-L3" if taken.stage.urgency == Urgency::Experiment => overnight(taken, finding),
        "A-L3" => {
            let item = taken.choice.service.as_ref().map(|service| service.item);
            let time = match item {
                Some(Some(item)) => format!("{} each", item.expected),
                Some(None) => return,
                None => taken.choice.time.expected.to_string(),
            };
            finding.reason += &format!("; here {time} on a {}", taken.choice.class);
        }
        "B-Q3" if taken.choice.period == Period::Month => {}
        "B-Q3" => {
            if let Some(runs) = taken.job().runs_per_month {
                let used = taken.choice.time.expected * runs;
                finding.reason += &format!("; {} of {HOURS_PER_MONTH} h a month", significant(used.get(), 3));
            }
        }
        _ => {}
    }
}

/// A-L3 for an experiment: the cheapest CPU that ends overnight, or how long the fastest takes.
fn overnight(taken: &Taken<'_>, finding: &mut Finding) {
    let night = Hours::new(taken.job().thresholds.get(Threshold::OvernightHours));
    let told = |quote: &Quote| {
        format!("{} takes {} for {}", taken.label(quote), quote.time, taken.money(quote.cost))
    };
    let is_cpu = |quote: &Quote| quote.class == Class::Cpu;
    let fastest = taken.quotes.quotes.iter().filter(|q| is_cpu(q)).min_by(|a, b| a.time.total_cmp(&b.time));
    finding.reason += &match (taken.cheapest(|q| is_cpu(q) && q.time <= night), fastest) {
        (Some(quote), _) => format!("; within {night}: {}", told(quote)),
        (None, Some(quote)) => format!("; but none ends within {night}: the fastest, {}", told(quote)),
        (None, None) => "; but nothing is known of its time on a CPU".to_owned(),
    };
}
