//! Remarks: what makes a figure uncertain, what to do about it, what to expect on the bill.

use crate::catalog::Confidence;
use crate::choose::assemble::Found;
use crate::duration::Evidence;
use crate::job::Class;
use crate::plan::{Choice, Note, NoteKind, Period, Plan, StagePlan};
use crate::rules::Threshold;
use crate::units::{Currency, Money};

/// All remarks, in a fixed order: warnings about figures, then about buying, then advice.
pub fn notes(found: Found<'_>, plan: &Plan) -> Vec<Note> {
    let mut notes = Vec::new();
    for stage in &plan.stages {
        if let Ok(choice) = &stage.outcome {
            notes.extend(price_notes(found, stage, choice));
            notes.extend(spot_notes(found, stage, choice));
        }
    }
    notes.extend(transfer_notes(found));
    notes.extend(currency_notes(found, plan));
    for stage in &plan.stages {
        if let Ok(choice) = &stage.outcome {
            notes.extend(evidence_notes(stage, choice));
        }
    }
    notes.extend(split_note(plan));
    notes
}

fn note(kind: NoteKind, rule: &'static str, stage: Option<&StagePlan>, text: String) -> Note {
    Note { kind, rule, stage: stage.map(|s| s.name.clone()), text }
}

/// B-C6: the age and the confidence of a price.
fn price_notes(found: Found<'_>, stage: &StagePlan, choice: &Choice) -> Vec<Note> {
    let mut notes = Vec::new();
    if let (Some(age), Some(date)) = (choice.age_months, choice.as_of)
        && f64::from(age) >= found.job.thresholds.get(Threshold::PriceAgeMonths)
    {
        let text = format!(
            "the price of {}/{} is of {date}, {age} months old: look it up before you rent",
            choice.provider, choice.instance
        );
        notes.push(note(NoteKind::Warning, "B-C6", Some(stage), text));
    }
    match choice.confidence {
        Confidence::Read => {}
        Confidence::Recall => notes.push(note(
            NoteKind::Warning,
            "B-C6",
            Some(stage),
            format!(
                "part of what is known of {}/{} was written from memory",
                choice.provider, choice.instance
            ),
        )),
        Confidence::Doubtful => notes.push(note(
            NoteKind::Warning,
            "B-C6",
            Some(stage),
            format!("sources disagree on the price of {}/{}", choice.provider, choice.instance),
        )),
    }
    notes
}

/// A-S3: what spot risks.
fn spot_notes(found: Found<'_>, stage: &StagePlan, choice: &Choice) -> Option<Note> {
    let figures = choice.spot?;
    let source = if figures.published { "published" } else { "a default, not a published figure" };
    let warn = found.job.thresholds.get(Threshold::SpotWarn);
    let kind = if figures.interruptions > warn { NoteKind::Warning } else { NoteKind::Info };
    Some(note(
        kind,
        "A-S3",
        Some(stage),
        format!(
            "spot: {:.1} interruptions expected at {} per hour ({source}; {} to {} possible); done within {} 95 times of 100",
            figures.interruptions,
            figures.hazard[1],
            figures.hazard[0],
            figures.hazard[2],
            figures.percentiles[2]
        ),
    ))
}

/// A-R1: what is not priced.
fn transfer_notes(found: Found<'_>) -> Option<Note> {
    let job = found.job;
    let moves = job.data_size.is_some() || job.stages.iter().any(|s| s.size.is_some());
    (job.data_location.is_none()).then(|| {
        let text = if moves {
            "transfer and storage are not priced: give data.location = \"provider/region\""
        } else {
            "transfer and storage are not priced: give data.size and data.location"
        };
        note(NoteKind::Warning, "A-R1", None, text.to_owned())
    })
}

/// Conversions that took part, with the rate and its day.
fn currency_notes(found: Found<'_>, plan: &Plan) -> Vec<Note> {
    let to = plan.currency;
    let sells = |at: usize| found.catalog.instances.iter().any(|i| usize::from(i.provider.0) == at);
    let allowed = |name: &str| {
        found.job.place.providers.is_empty() || found.job.place.providers.iter().any(|p| p == name)
    };
    let mut currencies: Vec<Currency> = found
        .catalog
        .providers
        .iter()
        .enumerate()
        .filter(|(at, p)| p.currency != to && allowed(&p.name) && sells(*at))
        .map(|(_, p)| p.currency)
        .collect();
    currencies.sort();
    currencies.dedup();
    currencies
        .into_iter()
        .filter_map(|from| {
            let factor = found.catalog.rates.factor(from, to)?;
            let rate = found.catalog.rates.rate(if from == Currency::USD { to } else { from })?;
            let text = format!(
                "prices in {from} are converted at {} {from} per {to} ({}, {})",
                crate::units::number::significant(1.0 / factor, 6),
                rate.date,
                rate.source
            );
            Some(note(NoteKind::Info, "B-C6", None, text))
        })
        .collect()
}

/// B-C8: which measurement would settle a duration that decides.
fn evidence_notes(stage: &StagePlan, choice: &Choice) -> Option<Note> {
    if choice.evidence == Evidence::Measured {
        return None;
    }
    let spread = choice.spread;
    let how = match choice.evidence {
        Evidence::RuleOfThumb => "guessed by a rule of thumb",
        Evidence::Estimated => "estimated from arithmetic",
        Evidence::Published => "taken from published runs",
        Evidence::Scaled | Evidence::Measured => "scaled from another machine",
    };
    let kind = if choice.evidence >= Evidence::Estimated { NoteKind::Warning } else { NoteKind::Advice };
    let text = format!(
        "its time is {how} (×/÷{spread:.1}): run a few hundred steps on {}/{} and give measured = [{{ on = {:?}, time = … }}]",
        choice.provider,
        choice.instance,
        match &choice.gpu {
            Some(_) => choice.gpu_label().replace('×', "x"),
            None => format!("{}/{}", choice.provider, choice.instance),
        }
    );
    Some(note(kind, "B-C8", Some(stage), text))
}

/// A-M2: the plan's split beside 70/30.
fn split_note(plan: &Plan) -> Option<Note> {
    let cost = |class: Class| -> Money {
        plan.stages
            .iter()
            .filter_map(|s| s.outcome.as_ref().ok())
            .filter(|c| c.class == class && c.period == Period::Run)
            .map(Choice::expected_cost)
            .sum()
    };
    let (gpu, cpu) = (cost(Class::Gpu), cost(Class::Cpu));
    if gpu == Money::ZERO || cpu == Money::ZERO {
        return None;
    }
    let share = gpu.as_f64() / (gpu + cpu).as_f64() * 100.0;
    let text =
        format!("{share:.0} % of the cost is GPU, {:.0} % general instances; 70/30 is usual", 100.0 - share);
    Some(note(NoteKind::Info, "A-M2", None, text))
}
