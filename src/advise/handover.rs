//! How stages hand data over (A-R3), and what it would cost to prepare on the training's own machine (A-R4).

use super::said::Said;
use super::taken::Taken;
use crate::choose::Kept;
use crate::choose::assemble::Found;
use crate::duration::Machine;
use crate::job::{Aim, Class, StageKind};
use crate::plan::{DataPlace, Note, NoteKind, Plan, UnpricedRegion};
use crate::rules::Verdict;
use crate::units::number::things;

/// A-R3: which stages hand over, where, and what storage and transfer cost in the plan.
pub fn through_storage(found: Found<'_>, plan: &Plan) -> Option<Said> {
    let mut pairs = Vec::new();
    let mut unknown = Vec::new();
    for stage in &found.job.stages {
        for before in stage.after.iter().filter_map(|at| found.job.stages.get(*at)) {
            pairs.push(format!("{} → {}", before.name, stage.name));
            if before.output.is_none() && !unknown.contains(&before.name) {
                unknown.push(before.name.clone());
            }
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let mut text = format!("{} hand over through object storage", pairs.join(", "));
    match &plan.data {
        Some(data) => text += &format!(" in {}/{}: {}", data.provider, data.region, in_the_bills(plan, data)),
        None => text += ", which is not priced: give data.location",
    }
    if !unknown.is_empty() {
        let (hand, their) = if unknown.len() == 1 { ("hands", "its") } else { ("hand", "their") };
        text += &format!("; what {} {hand} on is not priced: give {their} output", unknown.join(", "));
    }
    Some(Said::advice("A-R3", text))
}

/// `0.21 USD of storage and 2.94 USD of transfer are in the bills`.
fn in_the_bills(plan: &Plan, data: &DataPlace) -> String {
    let currency = plan.currency;
    let (storage, transfer) = (data.storage.amount(), data.transfer.amount());
    format!("{storage} {currency} of storage and {transfer} {currency} of transfer are in the bills")
}

/// A-R3: the region that was chosen for the data, since the workload does not say where it lies.
pub fn chosen_region(found: Found<'_>, plan: &Plan) -> Option<Note> {
    let data = plan.data.as_ref()?;
    let chosen = data.chosen?;
    let at = format!("{}/{}", data.provider, data.region);
    let fastest = found.job.limits.aim == Aim::Time || matches!(found.kept, Kept::Never(_));
    let most = if fastest { "fastest" } else { "cheapest" };
    let best = format!("the {most}{}", if chosen.proven { "" } else { " found" });
    let taken: Vec<(&str, &str)> = plan
        .stages
        .iter()
        .filter_map(|s| s.outcome.as_ref().ok())
        .filter(|c| c.placed)
        .map(|c| (c.provider.as_str(), c.region.as_str()))
        .collect();
    let here = (data.provider.as_str(), data.region.as_str());
    let spread = if !taken.is_empty() && taken.iter().all(|place| *place == here) {
        ", where everything is rented"
    } else {
        ""
    };
    let with = if chosen.priced { "with" } else { "without" };
    let mut text = format!(
        "data.location is not given: the data is kept in {at}{spread}, {best} for this plan of {} {with} a storage price",
        things(chosen.regions, "region")
    );
    let kind = if chosen.priced {
        text += &format!("; {}; bringing it there is not priced", in_the_bills(plan, data));
        if let Some(other) = &data.unpriced {
            text += &format!("; {}", elsewhere(plan, other));
        }
        NoteKind::Advice
    } else {
        let limits = &found.job.limits;
        let limited = limits.deadline.is_some() || limits.budget.is_some() || limits.monthly_budget.is_some();
        let within = if limited { " within the limits" } else { "" };
        text += &format!(
            "; the catalog has no price for keeping it there, and no region with such a price would do{within}; bringing \
             it there is not priced"
        );
        NoteKind::Warning
    };
    Some(Note { kind, rule: "A-R3", stage: None, text })
}

/// `in verda/FIN-02, whose storage has no price in the catalog, it would be 1.74 USD and what storage costs there`.
fn elsewhere(plan: &Plan, other: &UnpricedRegion) -> String {
    let UnpricedRegion { provider, region, cost, time, monthly, exact } = other;
    let from = if *exact { "" } else { "at least " };
    let month = if *monthly { " per month" } else { "" };
    let time = time.map_or_else(String::new, |time| format!("{time} for "));
    format!(
        "in {provider}/{region}, whose storage has no price in the catalog, it would be {time}{from}{} {}{month} and what \
         storage costs there",
        cost.amount(),
        plan.currency
    )
}

/// A-R4: a stage that prepares for a training on a GPU, on the training's machine instead.
pub fn on_one_machine(found: Found<'_>, plan: &Plan, train: &Taken<'_>) -> Vec<Said> {
    if !train.stage.kind.trains() || !train.on_gpu() {
        return Vec::new();
    }
    let before = |at: &usize| {
        let prepares = Taken::of(found, plan, *at)?;
        let prepare = matches!(prepares.stage.kind, StageKind::Prepare | StageKind::Augment);
        (prepare && prepares.choice.class == Class::Cpu).then_some(prepares)
    };
    train.stage.after.iter().filter_map(before).map(|prepares| together(train, &prepares)).collect()
}

fn together(train: &Taken<'_>, prepares: &Taken<'_>) -> Said {
    let Some(clock) = train.found.stages.get(prepares.index).map(|s| &s.clock) else {
        return Said::needs("A-R4", "a time of the preparation");
    };
    let machine = Machine { instance: train.instance, instances: train.candidate.count };
    let name = &prepares.stage.name;
    let preparing = match clock.time_on(machine) {
        Ok(duration) => duration.time.expected,
        Err(why) => return Said::needs("A-R4", &format!("a time of {name} on {}: {why}", train.name())),
    };
    let rented = train.pricer().startup(Class::Gpu) + preparing + train.work();
    let Some(one) = train.found.on_demand_cost(train.quote.offer, rented) else {
        return Said::needs("A-R4", &format!("an on-demand price of {}", train.name()));
    };
    let one = one * train.candidate.count;
    let two = train.choice.expected_cost() + prepares.choice.expected_cost();
    let text = format!(
        "{name} on {} too would take {preparing} on its {} vCPUs while its GPU is paid and idle: {} on-demand for both \
         in {rented}, {} on two machines",
        train.name(),
        train.instance.vcpus,
        train.money(one),
        train.money(two)
    );
    if one < two {
        Said::quiet("A-R4", Verdict::Overruled, text + ": one machine is the cheaper way here")
    } else {
        Said::advice("A-R4", text)
    }
}
