//! What each month of a schedule costs: the runs of that month and the services.

use super::assemble::Found;
use crate::plan::{MonthCost, Period, StagePlan};
use crate::price::Pricer;
use crate::units::Money;

/// A month after the other; none without a schedule, or where a stage cannot be done.
///
/// A run costs what it is expected to, but a stage that is bought by the month pays its machines in the months in which
/// they are bought, not an equal share of them in each.
pub(super) fn months(found: Found<'_>, stages: &[StagePlan]) -> Vec<MonthCost> {
    let schedule = &found.job.schedule;
    let mut costs = vec![Money::ZERO; schedule.len()];
    for ((stage, considered), planned) in found.job.stages.iter().zip(found.stages).zip(stages) {
        let Ok(choice) = &planned.outcome else { return Vec::new() };
        let by_run = choice.expected_cost();
        if choice.period == Period::Month {
            for cost in &mut costs {
                *cost = *cost + by_run;
            }
            continue;
        }
        let quote = considered.selection.chosen.and_then(|i| considered.quotes.quotes.get(i));
        let prepaid = quote.and_then(|quote| {
            let candidate = considered.candidates.of(quote.candidate)?;
            let pricer = Pricer::new(found.job, stage, found.catalog, found.book);
            let beside = by_run - pricer.machine_cost(candidate, quote)?;
            Some((pricer.by_month(candidate, quote)?, beside))
        });
        for (at, (cost, runs)) in costs.iter_mut().zip(schedule).enumerate() {
            let month = match &prepaid {
                Some((machines, beside)) => {
                    machines.get(at).copied().unwrap_or_default() + beside.scaled(*runs).to_cents()
                }
                None => by_run.scaled(*runs).to_cents(),
            };
            *cost = *cost + month;
        }
    }
    schedule.iter().zip(costs).map(|(runs, cost)| MonthCost { runs: *runs, cost }).collect()
}
