//! A deadline over the whole stage graph: where the cheapest selection is too slow, speed is bought where it costs
//! least. Exact: no other selection within the deadline is cheaper.

use super::assemble::Considered;
use super::budget::EVERYTHING;
use super::exact::{Effort, Outcome, Proof};
use super::question::{Basis, Classes, Question};
use crate::units::{BilledTime, Hours};

/// How a selection came about under the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kept {
    /// There is no deadline, or the cheapest quote of each stage keeps it.
    Cheapest,
    /// Faster quotes were taken where they cost least, and nothing within the deadline is cheaper.
    Proven,
    /// The same, but the search ended before the proof; nothing within the deadline costs less than this, in billionths.
    Gap(i64),
    /// Nothing keeps the deadline; the fastest possible takes this long, and is what is selected.
    Never(Hours),
    /// The cheapest was sought whose chance to meet the deadline is large enough; nothing with that chance costs less
    /// than this, in billionths.
    Confident(i64),
    /// Nothing was found whose chance to meet the deadline is large enough; the surest plan was taken. Beside it what the
    /// run costs, in billionths, and its chance where no chance is asked for.
    NeverSure {
        /// Cost of the run without the confidence, in billionths.
        cost: i64,
        /// Its chance, from 0 to 1.
        chance: f64,
    },
    /// The least time was asked for, and nothing that the budget allows is faster.
    Fastest,
    /// The same, but the search ended before the proof; nothing that the budget allows is faster than this.
    FastestGap(Hours),
    /// More owned machines are wanted at the same time than there are, and the search for who gets them ended before its
    /// proof: nothing is better by more than this share of the cost, or of the time where the least is asked for.
    Shared(f64),
    /// The least time was asked for, but nothing keeps the budget; the cheapest run costs this, in billionths.
    Unaffordable(i64),
}

/// Selects for the whole graph under the job's deadline; without one the selections stay.
pub(super) fn keep_deadline(basis: Basis<'_>, stages: &mut [Considered], effort: Effort) -> Kept {
    let Some(deadline) = basis.job.limits.deadline.and_then(BilledTime::from_hours) else {
        return Kept::Cheapest;
    };
    match within(deadline, basis, stages, Classes::Selected, effort) {
        // A rule of thumb yields to a deadline that it cannot keep.
        Kept::Never(_) => match within(deadline, basis, stages, Classes::Any, effort) {
            Kept::Never(least) => fastest_of_all(basis, stages, effort, least),
            kept => kept,
        },
        kept => kept,
    }
}

/// Where nothing keeps the deadline the fastest run is shown, of equally fast ones the cheapest: its time is the deadline that
/// could be kept.
fn fastest_of_all(basis: Basis<'_>, stages: &mut [Considered], effort: Effort, least: Hours) -> Kept {
    if let Some(question) = Question::new(basis, stages, Classes::Any)
        && let Outcome::Found(answer) = question.problem().fastest_within(EVERYTHING, effort)
    {
        question.take(&answer, stages);
    }
    Kept::Never(least)
}

/// The cheapest selection within a deadline.
fn within(
    deadline: BilledTime,
    basis: Basis<'_>,
    stages: &mut [Considered],
    classes: Classes,
    effort: Effort,
) -> Kept {
    // A stage that nothing can do: the plan is infeasible whatever the others are.
    let Some(question) = Question::new(basis, stages, classes) else {
        return Kept::Cheapest;
    };
    match question.problem().cheapest_within(Some(deadline.millis()), effort) {
        Outcome::Infeasible { least } => Kept::Never(BilledTime::from_millis(least).hours()),
        Outcome::Found(answer) => {
            let changed = question.take(&answer, stages);
            match answer.proof {
                Proof::Gap { at_least } => Kept::Gap(at_least),
                Proof::Proven { .. } if changed => Kept::Proven,
                Proof::Proven { .. } => Kept::Cheapest,
            }
        }
    }
}
