//! The least time under a budget: money is spent where it saves most time of the whole run, and nowhere else. Exact:
//! no other selection that the budget allows is faster, and none that is as fast is cheaper.

use super::assemble::Considered;
use super::deadline::Kept;
use super::exact::{Effort, Outcome, Proof};
use super::question::{Basis, Classes, Question};
use crate::job::{Job, StageKind};
use crate::units::{BilledTime, Money};

/// The solver's sums of costs stay below this, in billionths: a budget that allows everything.
pub(super) const EVERYTHING: i64 = 1 << 60;

/// Selects the fastest that the budgets allow; without a budget the fastest there is. Off the longest path that is the
/// cheapest that does not make it longer.
pub(super) fn fastest(basis: Basis<'_>, stages: &mut [Considered], effort: Effort) -> Kept {
    match affordable(basis, stages, Classes::Selected, effort) {
        // A rule of thumb yields to a budget that it cannot keep.
        Kept::Unaffordable(_) => affordable(basis, stages, Classes::Any, effort),
        kept => kept,
    }
}

fn affordable(basis: Basis<'_>, stages: &mut [Considered], classes: Classes, effort: Effort) -> Kept {
    // A stage that nothing can do: the plan is infeasible whatever the others are.
    let Some(question) = Question::new(basis, stages, classes) else {
        return Kept::Cheapest;
    };
    let budget = solver_budget(basis.job, services(basis.job, stages));
    match question.problem().fastest_within(budget, effort) {
        Outcome::Infeasible { least } => Kept::Unaffordable(least),
        Outcome::Found(answer) => {
            question.take(&answer, stages);
            match answer.proof {
                Proof::Gap { at_least } => Kept::FastestGap(BilledTime::from_millis(at_least).hours()),
                Proof::Proven { .. } => Kept::Fastest,
            }
        }
    }
}

/// What the selected services cost in a month.
pub(super) fn services(job: &Job, stages: &[Considered]) -> Money {
    let services = job.stages.iter().zip(stages).filter(|(stage, _)| stage.kind == StageKind::Serve);
    services.filter_map(|(_, c)| c.quotes.quotes.get(c.selection.chosen?)).map(|quote| quote.cost).sum()
}

/// Most that one run may cost beside services of so much, as the solver's budget in billionths; all that it can count without a budget.
pub(super) fn solver_budget(job: &Job, services: Money) -> i64 {
    let budget = run_budget(job, services);
    budget.map_or(EVERYTHING, |b| i64::try_from(b.nanos()).map_or(EVERYTHING, |b| b.min(EVERYTHING)))
}

/// Most that one run may cost under the budget and under the monthly one, of which the services take their part first.
/// None without either.
fn run_budget(job: &Job, services: Money) -> Option<Money> {
    let limits = job.limits;
    let monthly = limits.monthly_budget.and_then(|month| {
        let left = month - services;
        match job.most_runs().unwrap_or(1.0) {
            runs if runs > 0.0 => Some(each_of(runs, left)),
            _ => None,
        }
    });
    limits.budget.into_iter().chain(monthly).min()
}

/// The most whole cents of which `runs` times as much is not above `all`, as a month's cost is rounded.
fn each_of(runs: f64, all: Money) -> Money {
    if all < Money::ZERO {
        return all;
    }
    let cent = Money::from_nanos(10_000_000);
    let mut each = all.scaled(1.0 / runs).to_cents();
    // The first guess is off by rounding alone.
    while each > Money::ZERO && each.scaled(runs).to_cents() > all {
        each = each - cent;
    }
    each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_months_budget_is_shared_by_its_runs_and_never_exceeded() {
        let money = |text| Money::from_decimal(text).unwrap();
        assert_eq!(each_of(3.0, money("10")), money("3.33"));
        assert_eq!(each_of(4.0, money("10")), money("2.5"));
        // 6.67 × 3 = 20.01 would be a cent too much.
        assert_eq!(each_of(3.0, money("20")), money("6.66"));
        assert_eq!(each_of(0.5, money("1")), money("2"));
        assert_eq!(each_of(2.0, money("-1")), money("-1"));
    }
}
