//! The memory rules with the cost of the cards that they name: A-V1 to A-V5.

use super::said::Said;
use super::taken::Taken;
use crate::catalog::Accelerator;
use crate::catalog::Catalog;
use crate::choose::assemble::Found;
use crate::choose::select::preference;
use crate::decide::decide_stage;
use crate::duration::StageClock;
use crate::job::{Job, Stage};
use crate::names::list;
use crate::plan::{Choice, MemoryFigures, NoteKind, PoolFigures};
use crate::price::open::commits;
use crate::price::price_stage;
use crate::rules::memory::{
    Demand, Ladder, card_by_size, cards, ladder, quick_figure, smallest, starting_card, unused,
};
use crate::rules::{Finding, Verdict};
use crate::units::number::things;

/// All that the memory rules say about a stage that computes on accelerators.
pub fn memory(taken: &Taken<'_>) -> Vec<Said> {
    let thresholds = &taken.job().thresholds;
    if !taken.on_gpu() {
        return Vec::new();
    }
    // Each trial of a search, and each forward pass, has a device of its own.
    let devices =
        if taken.stage.kind == crate::job::StageKind::Train { taken.devices().max(1.0) } else { 1.0 };
    let cards = cards(taken.stage, taken.found.catalog);
    let Some(demand) = Demand::of(taken.stage, thresholds, devices) else {
        return if taken.stage.kind.runs_model() {
            vec![Said::needs("A-V1", "a [model]")]
        } else {
            Vec::new()
        };
    };
    let mut said: Vec<Said> =
        vec![quick_figure(&demand).into(), card_by_size(&demand, thresholds, &cards).into()];
    said.extend(tight(taken));
    said.extend(uneven(taken, devices));
    if let Some(ladder) = ladder(&demand, &cards) {
        let mut finding = ladder.finding.clone();
        finding.reason += &beside(taken, &ladder).unwrap_or_default();
        said.push(finding.into());
    }
    said.extend(start(taken));
    said.extend(oversize(taken, &demand, &cards));
    said
}

/// A warning where the expected need exceeds the card: the estimate was too rough to turn it away, or the stage was
/// measured there.
fn tight(taken: &Taken<'_>) -> Option<Said> {
    let need = taken.choice.memory_need.filter(MemoryFigures::may_not_fit)?;
    let model = taken.stage.model.as_ref();
    let mut give = vec!["measured_memory"];
    if model.is_some_and(|m| m.micro_batch_on(taken.devices()) > 1.0) {
        give.push("micro_batch");
    }
    if taken.stage.kind.trains() && model.is_some_and(|m| !m.gradient_checkpointing) {
        give.push("gradient_checkpointing");
    }
    let text = format!(
        "it may run out of memory: {} needed ({} to {}), {} usable on {}; name the architecture, or give {}",
        need.needed.expected.gib(),
        need.needed.low.gib(),
        need.needed.high.gib(),
        need.usable.gib(),
        taken.choice.gpu_label(),
        list(give)
    );
    Some(Said::quiet("A-V1", Verdict::Advice, text.clone()).remarked(NoteKind::Warning, text))
}

/// A warning where the samples of a step on the plan's devices, `micro_batch` × `accumulate` on each, are not the batch size:
/// time is that of the batch size, memory that of the micro-batch, and the training would be another one.
fn uneven(taken: &Taken<'_>, devices: f64) -> Option<Said> {
    let model = taken.stage.model.as_ref().filter(|_| taken.stage.kind.trains())?;
    let micro = model.micro_batch_on(devices);
    let step = micro * model.accumulation * devices;
    // Without a stated micro-batch the rest of a division is nobody's mistake; more passes than samples are.
    let stated = model.micro_batch.is_some() && model.accumulation > 1.0;
    let wrong = if stated {
        (step - model.batch_size).abs() > 1e-6
    } else {
        devices * model.accumulation > model.batch_size
    };
    if !wrong {
        return None;
    }
    let even = model.batch_size / (micro * devices);
    let meant = model.batch_size / (micro * model.accumulation);
    let fix = if even >= 1.0 && even.fract() == 0.0 {
        format!("accumulate = {even} makes it so")
    } else if meant >= 1.0 && meant.fract() == 0.0 {
        format!("{} would make it so", things(meant, "GPU"))
    } else {
        "another micro_batch and accumulate would make it so".to_owned()
    };
    let text = format!(
        "micro_batch {micro} × accumulate {} × {} is {step} samples a step, not the batch_size of {}: {fix}",
        model.accumulation,
        things(devices, "GPU"),
        model.batch_size
    );
    Some(Said::quiet("A-V3", Verdict::Advice, text.clone()).remarked(NoteKind::Warning, text))
}

/// The memory rules for a stage that nothing can do: what is known without a choice.
pub fn memory_of_infeasible(job: &Job, stage: &Stage, catalog: &Catalog) -> Vec<Said> {
    let Some(demand) = Demand::of(stage, &job.thresholds, 1.0) else { return Vec::new() };
    let cards = cards(stage, catalog);
    let mut said: Vec<Said> =
        vec![quick_figure(&demand).into(), card_by_size(&demand, &job.thresholds, &cards).into()];
    said.extend(ladder(&demand, &cards).map(|l| Said::from(l.finding)));
    said
}

/// What the card that the ladder reaches costs, with the steps taken, beside the card of the plan.
fn beside(taken: &Taken<'_>, ladder: &Ladder<'_>) -> Option<String> {
    let card = ladder.reaches?;
    let Found { job, catalog, book, .. } = taken.found;
    let (id, _) = catalog.accelerators.iter().find(|(_, c)| c.name == card.name)?;
    let stage = Stage {
        model: Some(ladder.model.clone()),
        measured_memory: Some(ladder.needs),
        gpu: Some(id),
        class: None,
        instance: None,
        ..taken.stage.clone()
    };
    let clock = StageClock::new(&stage, catalog);
    let candidates = decide_stage(job, &stage, &clock, catalog);
    let quotes = price_stage(job, &stage, catalog, book, &candidates).quotes;
    let open = quotes.iter().filter(|q| !commits(&stage, q.purchase));
    let Some(quote) = open.min_by(|a, b| preference(job, catalog, a, b)) else {
        return Some(format!("; no {} is on offer for this stage", card.name));
    };
    let there = taken.found.label(quote, &candidates);
    let there = format!("{there} costs {} in {}", taken.money(quote.cost), quote.time);
    Some(if taken.card().is_some_and(|c| c.name == card.name) {
        format!("; the plan takes one: {there}")
    } else {
        format!("; {there}, the plan's {}", own(taken))
    })
}

/// The choice with its cost and time.
fn own(taken: &Taken<'_>) -> String {
    let choice: &Choice = taken.choice;
    format!("{} {} in {}", choice.gpu_label(), taken.money(choice.expected_cost()), choice.time.expected)
}

/// A-V4, with the cost on the card to start with.
fn start(taken: &Taken<'_>) -> Option<Said> {
    let model = taken.stage.model.as_ref().filter(|_| taken.stage.kind.trains())?;
    let (card, why) = starting_card(model, &taken.job().thresholds)?;
    let is = |c: &Accelerator| *c.name == *card || c.name.starts_with(&format!("{card}-"));
    if taken.card().is_some_and(is) {
        return Some(Said::advice("A-V4", format!("{why}; the plan takes one")));
    }
    Some(match taken.cheapest_on(is) {
        Some(quote) => Said::quiet(
            "A-V4",
            Verdict::Overruled,
            format!(
                "{why}; but {} costs {} and {} {}",
                taken.label(quote),
                taken.money(quote.cost),
                taken.choice.gpu_label(),
                taken.money(taken.choice.expected_cost())
            ),
        ),
        None => Said::advice("A-V4", format!("{why}, of which none is on offer for this stage")),
    })
}

/// A-V5, with the cost on the smallest card that fits. Advice where that one is cheaper and the choice was pinned.
fn oversize(taken: &Taken<'_>, demand: &Demand<'_>, cards: &[&Accelerator]) -> Option<Said> {
    let card = taken.card()?;
    let (whole, count) = (card.usable().0, taken.instance.gpu_count());
    let has = if count < 1.0 { whole.scaled(count) } else { whole };
    let device = if count < 1.0 { format!("{count} {}", card.name) } else { card.name.to_string() };
    // A search cut into slices has a slice for each trial.
    let (has, device) = match &taken.choice.pool {
        Some(PoolFigures { has, profile: Some(profile), .. }) => (*has, format!("slice {profile}")),
        _ => (has, device),
    };
    let used = taken.stage.gpu_utilisation;
    let Finding { id, verdict, mut reason } = unused(demand, &taken.job().thresholds, &device, has, used)?;
    let Some(small) = smallest(cards, demand.needs().0).filter(|c| c.usable().0 < has) else {
        return Some(Said::quiet(id, verdict, reason + "; no smaller card is sold"));
    };
    let Some(quote) = taken.cheapest_on(|c| c.name == small.name) else {
        reason += &format!("; a {} would hold it, and is not on offer for this stage", small.name);
        return Some(Said::quiet(id, verdict, reason));
    };
    let cheaper = taken.is_worth(taken.choice.expected_cost() - quote.cost);
    reason +=
        &format!("; {} would cost {}, the plan {}", taken.label(quote), taken.money(quote.cost), own(taken));
    let said = Said::quiet(id, verdict, reason);
    Some(if cheaper { said.aloud(NoteKind::Advice) } else { said })
}
