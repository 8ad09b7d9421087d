//! What the finished plan says about itself: limits, other ways of doing the work, and every rule that needs the
//! choice to be known, with the remarks that the default table makes of them.

pub mod alarm;
pub mod buying;
pub mod compare;
pub mod cost;
pub mod evidence;
pub mod handover;
pub mod limits;
pub mod link;
pub mod memory;
pub mod notes;
pub mod pool;
pub mod prices;
pub mod regions;
pub mod said;
pub mod service;
pub mod taken;
pub mod tie;
pub mod usage;

use crate::choose::assemble::Found;
use crate::plan::{Note, Plan, Tie};
use crate::rules::Finding;
use crate::threads;
use crate::units::PerHour;
use said::Said;
use taken::Taken;

/// Adds limits, comparisons, findings and notes to a plan.
pub fn advise(found: Found<'_>, mut plan: Plan) -> Plan {
    plan.checks = limits::checks(found, &plan);
    let mut notes: Vec<Note> =
        regions::unpriced(found).into_iter().chain(limits::shared(found, &plan)).collect();
    let taken: Vec<Option<Taken<'_>>> =
        (0..plan.stages.len()).map(|index| Taken::of(found, &plan, index)).collect();
    let dearest = dearest_gpu(found, &plan);
    // The comparisons are as much work as a stage or two.
    let (comparisons, (ties, findings)) = threads::both(
        || compare::comparisons(found, &plan),
        || {
            let ties = tie::ties(&plan, &taken);
            let stages: Vec<usize> = (0..plan.stages.len()).collect();
            let said = threads::each(&stages, |index| stage(found, &plan, *index, &ties, dearest));
            (ties, said)
        },
    );
    plan.comparisons = comparisons;
    for (stage, (_, said)) in plan.stages.iter().zip(&findings) {
        notes.extend(said.iter().filter_map(|s| s.note(Some(&stage.name))));
    }
    for (stage, (changed, said)) in plan.stages.iter_mut().zip(findings) {
        stage.findings = changed;
        stage.findings.extend(said.into_iter().map(|s| s.finding));
        stage.findings.sort_by_key(|f| crate::rules::position(f.id));
    }
    let said = whole(found, &plan);
    notes.extend(said.iter().filter_map(|s| s.note(None)));
    notes.extend(handover::chosen_region(found, &plan));
    plan.findings = said.into_iter().map(|s| s.finding).collect();
    plan.notes = notes::in_order(notes);
    plan.ties = ties;
    plan
}

/// What the rules say about one stage: the findings that it has already, completed, and those that need the choice.
fn stage(
    found: Found<'_>,
    plan: &Plan,
    index: usize,
    ties: &[Tie],
    dearest: Option<PerHour>,
) -> (Vec<Finding>, Vec<Said>) {
    let Some(planned) = plan.stages.get(index) else { return (Vec::new(), Vec::new()) };
    let mut known = planned.findings.clone();
    let Some(taken) = Taken::of(found, plan, index) else {
        let said = found.job.stages.get(index).filter(|_| planned.outcome.is_err());
        let said = said.map_or_else(Vec::new, |s| memory::memory_of_infeasible(found.job, s, found.catalog));
        return (known, said);
    };
    for finding in &mut known {
        evidence::complete(&taken, dearest, finding);
        service::load(&taken, finding);
    }
    let mut said = memory::memory(&taken);
    said.push(buying::spot_share(&taken));
    said.extend(buying::pieces(&taken));
    said.extend(buying::checkpoints(&taken));
    said.push(service::ways(&taken).unwrap_or_else(|| buying::terms(&taken)));
    said.extend(regions::at_the_data(&taken));
    said.extend(regions::across_regions(&taken));
    said.extend(handover::on_one_machine(found, plan, &taken));
    said.push(cost::per_task(&taken));
    said.extend(cost::hidden(&taken));
    said.extend(cost::idle(&taken));
    said.extend(service::idle(&taken));
    said.extend(service::late(&taken));
    said.extend(link::link(&taken));
    said.extend(prices::price(&taken));
    said.push(cost::per_month(&taken));
    said.extend(evidence::measure(&taken, planned, ties));
    said.extend(usage::waiting(&taken));
    said.extend(usage::preparing(found, plan, &taken));
    said.extend(usage::files(found, plan, &taken));
    said.extend(usage::watch(&taken));
    (known, said)
}

/// The price of the hour of the dearest GPU instance of the plan.
fn dearest_gpu(found: Found<'_>, plan: &Plan) -> Option<PerHour> {
    let hourly = |at| {
        let taken = Taken::of(found, plan, at).filter(Taken::on_gpu)?;
        taken.hourly(taken.quote.offer, taken.choice.purchase)
    };
    (0..plan.stages.len()).filter_map(hourly).max()
}

/// What the rules say about the plan as a whole.
fn whole(found: Found<'_>, plan: &Plan) -> Vec<Said> {
    let mut said = Vec::new();
    if found.job.data_location.is_none() {
        said.push(Said::needs("A-R1", "data.location (transfer and storage are not priced)"));
    }
    said.extend(handover::through_storage(found, plan));
    said.extend(alarm::alarm(found, plan).or_else(|| service::alarms(found, plan)));
    said.extend(prices::conversions(found, plan));
    said.extend(pool::mixed(plan, &plan.comparisons));
    said.extend(pool::split(plan, &found.job.thresholds));
    said
}
