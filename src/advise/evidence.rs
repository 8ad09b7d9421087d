//! What would make a figure sure: the measurement that would settle it (B-C8); and what the class rules can say only
//! once times and prices are known (A-K1, A-L3, B-Q3).

use super::said::Said;
use super::taken::Taken;
use super::tie;
use crate::duration::Evidence;
use crate::job::{Class, Urgency};
use crate::names::Named;
use crate::plan::{AlternativeKind, Choice, NoteKind, Period, StagePlan, Tie};
use crate::price::Quote;
use crate::rules::{Finding, Threshold};
use crate::units::number::{percent, significant};
use crate::units::{HOURS_PER_MONTH, Hours, PerHour};

/// B-C8: how the time of a choice is known, and which measurement would make it sure. The plan's most important tie is
/// said aloud; beside it, what rests on an estimate and costs much.
pub fn measure(taken: &Taken<'_>, planned: &StagePlan, ties: &[Tie]) -> Option<Said> {
    let choice = taken.choice;
    if let Some((at, tie)) = ties.iter().enumerate().find(|(_, tie)| tie.stage == taken.stage.name) {
        let [short, long] = tie::words(taken, tie);
        let said = Said::advice("B-C8", format!("{}; {long}", known_by(choice)));
        let first = at == 0 && taken.is_worth(tie.measure.may_save);
        return Some(if first { said.remarked(NoteKind::Advice, short) } else { said });
    }
    if choice.evidence == Evidence::Measured {
        return None;
    }
    let tie::Run { part, takes, scale } = tie::probe(taken.stage, taken.candidate);
    let about = if takes > Hours::ZERO { format!(" (about {takes})") } else { String::new() };
    let give = tie::give(&taken.name(), 1, tie::gives(taken.stage, part), scale);
    let run = tie::order(taken.stage, part);
    let mut text = format!("{}: {run} on {}{about} {give}", known_by(choice), taken.name());
    let other = planned.alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass);
    let other = other.map(|a| &a.choice).filter(|c| c.expected_cost() < choice.expected_cost());
    if let Some(other) = other {
        text += &format!(
            "; {} looks cheaper: measure it on {}/{} too",
            other.class.name().to_uppercase(),
            other.provider,
            other.instance
        );
    }
    let said = Said::advice("B-C8", text);
    let guessed = choice.evidence >= Evidence::Estimated && taken.is_worth(choice.expected_cost());
    Some(match guessed {
        true => said.aloud(NoteKind::Warning),
        false if other.is_some() => said.aloud(NoteKind::Advice),
        false => said,
    })
}

/// How the time of a choice is known, in words.
fn known_by(choice: &Choice) -> String {
    let how = match choice.evidence {
        Evidence::RuleOfThumb => "guessed by a rule of thumb",
        Evidence::Estimated => "estimated from arithmetic",
        Evidence::Published => "taken from published runs",
        Evidence::Scaled => "scaled from another machine",
        Evidence::Measured => "measured",
    };
    match &choice.service {
        Some(service) if service.item.is_none() => "no time of a request is known".to_owned(),
        _ => format!("its time is {how} (×/÷{:.1})", choice.spread),
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
