//! One machine for a stage that shares it with others: a GPU that this stage leaves idle works for another one.

use super::times::Times;
use super::{Candidate, StageCandidates, decide_among, longest};
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
/// by every test of [`decide_stage`](super::decide_stage), whose answer was `found`, but that of an idle GPU.
pub fn alone(
    job: &Job,
    stage: &Stage,
    clock: &StageClock,
    found: &StageCandidates,
    catalog: &Catalog,
    admits: &dyn Fn(InstanceId) -> bool,
) -> BTreeMap<InstanceId, Hours> {
    if clock.uses_gpu() {
        // No GPU is left idle: what was found holds, but for what is too late and was looked for all the same.
        let in_time = |c: &&Candidate| c.duration.time.expected <= longest(job) && admits(c.instance);
        return quickest(found.candidates.iter().filter(in_time));
    }
    let single = Stage { instances: 1, ..stage.clone() };
    let found = decide_among(job, &single, Times::one_by_one(clock), catalog, admits, Idle::Borne);
    quickest(found.candidates.iter())
}

/// The least time of each type of single machines.
fn quickest<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> BTreeMap<InstanceId, Hours> {
    let mut quickest: BTreeMap<InstanceId, Hours> = BTreeMap::new();
    for candidate in candidates.filter(|c| c.count == 1) {
        let best = quickest.entry(candidate.instance).or_insert(Hours::NEVER);
        if candidate.duration.time.expected < *best {
            *best = candidate.duration.time.expected;
        }
    }
    quickest
}
