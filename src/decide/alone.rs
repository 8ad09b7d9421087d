//! One machine for a stage that shares it with others: a GPU that this stage leaves idle works for another one.

use super::times::Times;
use super::{StageCandidates, decide_among};
use crate::catalog::{Catalog, InstanceId};
use crate::duration::StageClock;
use crate::job::{Job, Stage};
use crate::units::Hours;
use std::collections::BTreeMap;

/// What becomes of a machine whose GPU the work would leave idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// It is not rented (A-K1, A-R4).
    Refused,
    /// It counts as a general-purpose instance: another stage needs its GPU.
    Borne,
}

impl Idle {
    /// Whether the GPU of a machine counts.
    pub(super) const fn computes(self, clock: &StageClock) -> bool {
        matches!(self, Self::Refused) || clock.uses_gpu()
    }
}

/// The instance types among some of which a single machine can do the stage, each with the expected time of the work:
/// by every test of [`decide_stage`](super::decide_stage) but that of an idle GPU.
pub fn alone(
    job: &Job,
    stage: &Stage,
    clock: &StageClock,
    catalog: &Catalog,
    admits: &dyn Fn(InstanceId) -> bool,
) -> BTreeMap<InstanceId, Hours> {
    let single = Stage { instances: 1, ..stage.clone() };
    let StageCandidates { candidates, .. } =
        decide_among(job, &single, Times::one_by_one(clock), catalog, admits, Idle::Borne);
    let mut quickest: BTreeMap<InstanceId, Hours> = BTreeMap::new();
    for candidate in candidates.iter().filter(|c| c.count == 1) {
        let best = quickest.entry(candidate.instance).or_insert(Hours::NEVER);
        if candidate.duration.time.expected < *best {
            *best = candidate.duration.time.expected;
        }
    }
    quickest
}
