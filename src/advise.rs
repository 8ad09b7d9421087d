//! What the finished plan says about itself: limits, other ways of doing the work, and remarks by rule.

pub mod compare;
pub mod limits;
pub mod notes;

use crate::choose::assemble::Found;
use crate::plan::Plan;

/// Adds limits, comparisons and notes to a plan.
pub fn advise(found: Found<'_>, mut plan: Plan) -> Plan {
    plan.checks = limits::checks(found, &plan);
    plan.comparisons = compare::comparisons(found, &plan);
    plan.notes = notes::notes(found, &plan);
    plan
}
