//! Stages added up: what a run costs and how long it takes, and what the services cost in a month. A service has no end:
//! it is no part of a run.

use super::exact::Graph;
use super::storage::Chosen;
use crate::job::{Job, Location, StageKind};
use crate::plan::{Choice, ChosenRegion, DataPlace, Period, StagePlan};
use crate::price::bill::LineKind;
use crate::units::{Band, Hours, Money};

/// The cost of all stages of a period; none when there are none, or when a stage is infeasible.
pub(super) fn cost(stages: &[StagePlan], period: Period) -> Option<Band<Option<Money>>> {
    let choices: Option<Vec<&Choice>> = stages.iter().map(|s| s.outcome.as_ref().ok()).collect();
    let choices: Vec<&Choice> = choices?.into_iter().filter(|c| c.period == period).collect();
    let sum = |pick: fn(&Choice) -> Option<Money>| choices.iter().map(|c| pick(c)).sum::<Option<Money>>();
    (!choices.is_empty()).then(|| Band {
        low: sum(|c| c.cost.low),
        expected: Some(choices.iter().map(|c| c.expected_cost()).sum()),
        high: sum(|c| c.cost.high),
    })
}

/// How many runs count as much as a month of the services, where they are added up.
pub(super) fn weighed_runs(job: &Job) -> u32 {
    let serves = job.stages.iter().any(|s| s.kind == StageKind::Serve);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    match job.runs_per_month {
        Some(runs) if serves => runs.round().max(1.0) as u32,
        _ => 1,
    }
}

/// Where the data is kept, with what that costs in all bills.
pub(super) fn data(at: &Location, chosen: Option<&Chosen>, stages: &[StagePlan]) -> DataPlace {
    let lines = || stages.iter().filter_map(|s| s.outcome.as_ref().ok()).flat_map(|c| c.bill.lines());
    let sum = |kind| lines().filter(|line| line.kind == kind).map(|line| line.amount).sum();
    DataPlace {
        provider: at.provider.clone(),
        region: at.region.clone(),
        chosen: chosen.map(|c| ChosenRegion { regions: c.among, priced: c.priced, proven: c.proven }),
        unpriced: chosen.and_then(|c| c.unpriced.clone()),
        storage: sum(LineKind::Storage),
        transfer: sum(LineKind::Transfer),
    }
}

/// A stage's part of the length of a run.
fn length(stage: Option<&StagePlan>, time: fn(&Choice) -> Hours) -> Hours {
    stage.and_then(|s| s.outcome.as_ref().ok()).filter(|c| c.period == Period::Run).map_or(Hours::ZERO, time)
}

/// When each stage starts: after the last of those that it waits for.
pub(super) fn starts(job: &Job, stages: &[StagePlan], time: fn(&Choice) -> Hours) -> Vec<Hours> {
    fn end(
        job: &Job,
        stages: &[StagePlan],
        time: fn(&Choice) -> Hours,
        i: usize,
        known: &mut [Option<Hours>],
    ) -> Hours {
        if let Some(Some(done)) = known.get(i) {
            return *done;
        }
        let after = job.stages.get(i).map(|s| s.after.clone()).unwrap_or_default();
        let start = after
            .iter()
            .fold(Hours::ZERO, |latest, before| latest.max(end(job, stages, time, *before, known)));
        let done = start + length(stages.get(i), time);
        if let Some(slot) = known.get_mut(i) {
            *slot = Some(done);
        }
        done
    }
    let mut known = vec![None; stages.len()];
    (0..stages.len())
        .map(|i| end(job, stages, time, i, &mut known).minus(length(stages.get(i), time)))
        .collect()
}

/// The longest path of stages that take so long, in the order of the job.
pub fn longest(job: &Job, times: &[Hours]) -> Hours {
    let before: Vec<Vec<usize>> = job.stages.iter().map(|s| s.after.clone()).collect();
    let Ok(graph) = Graph::new(&before) else { return Hours::NEVER };
    let mut ends = vec![Hours::ZERO; times.len()];
    for stage in graph.order() {
        let before = graph.before().get(*stage).map_or(&[][..], Vec::as_slice);
        let start =
            before.iter().filter_map(|b| ends.get(*b)).fold(Hours::ZERO, |latest, end| latest.max(*end));
        let time = times.get(*stage).copied().unwrap_or(Hours::ZERO);
        if let Some(slot) = ends.get_mut(*stage) {
            *slot = start + time;
        }
    }
    ends.into_iter().fold(Hours::ZERO, Hours::max)
}

/// Time from start to end along the longest path; none when a stage is infeasible or no stage ends.
pub(super) fn makespans(job: &Job, stages: &[StagePlan]) -> Option<Band<Hours>> {
    cost(stages, Period::Run)?;
    let end = |time: fn(&Choice) -> Hours| {
        let starts = starts(job, stages, time);
        stages
            .iter()
            .zip(starts)
            .fold(Hours::ZERO, |latest, (stage, start)| latest.max(start + length(Some(stage), time)))
    };
    Some(Band { low: end(|c| c.time.low), expected: end(|c| c.time.expected), high: end(|c| c.time.high) })
}
