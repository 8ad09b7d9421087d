//! The cost-time curve where owned machines are shared.

use super::ask::{Goal, Questions};
use super::branch::{Effort as Nodes, best};
use super::pools::Pools;
use crate::choose::assemble::Considered;
use crate::choose::exact::Effort;
use crate::choose::question::{Basis, Classes};
use crate::job::StageKind;
use crate::units::Money;

/// A point of the curve before it has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::choose) struct Point {
    /// What each stage takes.
    pub(in crate::choose) quotes: Vec<Option<usize>>,
    /// The time that counts, in milliseconds.
    pub(in crate::choose) makespan: i64,
}

/// Most nodes for one point.
const NODES: Nodes = Nodes { nodes: 200, equals: 16 };

/// The points of the curve, the slowest first, for which there are enough owned machines: those of `points`, which are the
/// curve as if each stage had them for itself, as far as there are enough; for the times between these the least cost is
/// asked for. Beside them the stages with all quotes that they take, and whether no point is missing for the sharing.
pub(in crate::choose) fn shared_out(
    basis: Basis<'_>,
    stages: &[Considered],
    classes: Classes,
    points: Vec<Point>,
    (most, effort): (usize, Effort),
) -> (Vec<Considered>, Vec<Point>, bool) {
    let pools = Pools::new(basis);
    let uses = |stages: &[Considered], point: &Point| {
        let used = |(c, quote): (&Considered, &Option<usize>)| pools.used(c, c.quotes.quotes.get((*quote)?)?);
        stages.iter().zip(&point.quotes).map(used).collect::<Vec<_>>()
    };
    let enough = |point: &Point| pools.conflict(&uses(stages, point), |_| 0).is_none();
    if points.iter().all(enough) {
        return (stages.to_vec(), points, true);
    }
    let offered = pools.everywhere(stages);
    let mut questions = Questions::new(&pools, &offered, classes, Goal::Cheapest(Some(i64::MAX)), effort);
    let (mut found, mut complete): (Vec<Point>, bool) = (Vec::new(), true);
    // Services take what leaves most for all, which may differ from point to point.
    complete &= basis.job.stages.iter().all(|s| s.kind != StageKind::Serve);
    let mut within = i64::MAX;
    let mut alone = points.into_iter().peekable();
    loop {
        // Without regard to sharing the best within a time is the next point that keeps it.
        while alone.next_if(|point| point.makespan > within).is_some() {}
        let Some(next) = alone.peek() else { break };
        let point = if enough(next) {
            next.clone()
        } else {
            questions.turn(Goal::Cheapest(Some(within)));
            let least = best(&pools, &mut questions, NODES);
            let Some(pick) = least.pick else {
                complete &= least.at_least.is_none();
                break;
            };
            complete &= least.at_least.is_none_or(|bound| bound >= pick.key.0);
            Point { quotes: pick.quotes, makespan: pick.makespan }
        };
        within = point.makespan - 1;
        found.push(point);
        if found.len() >= most {
            complete = false;
            break;
        }
    }
    let cost = |point: &Point| -> Money {
        let both = basis.job.stages.iter().zip(&offered).zip(&point.quotes);
        let run = both.filter(|((stage, _), _)| stage.kind != StageKind::Serve);
        run.filter_map(|((_, c), quote)| Some(c.quotes.quotes.get((*quote)?)?.cost)).sum()
    };
    let mut kept: Vec<Point> = Vec::with_capacity(found.len());
    for point in found {
        while kept.last().is_some_and(|last| cost(last) >= cost(&point)) {
            kept.pop();
        }
        kept.push(point);
    }
    (offered, kept, complete)
}
