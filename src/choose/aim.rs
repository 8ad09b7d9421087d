//! What the plan is to have least of: cost within the deadline, or time within the budget.

use super::assemble::Considered;
use super::budget::fastest;
use super::confidence::keep_confidence;
use super::deadline::{Kept, keep_deadline};
use super::exact::Effort;
use super::question::Basis;
use crate::job::Aim;

/// Selects for the whole graph within the job's limits, by what the job aims at.
pub fn keep_limits(basis: Basis<'_>, stages: &mut [Considered], effort: Effort) -> Kept {
    match basis.job.limits.aim {
        Aim::Cost if basis.job.limits.confidence.is_some() => keep_confidence(basis, stages, effort),
        Aim::Cost => keep_deadline(basis, stages, effort),
        Aim::Time => fastest(basis, stages, effort),
    }
}
