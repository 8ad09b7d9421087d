//! Which stages use which of the common machines.

use crate::price::lease::Span;
use crate::units::Hours;

/// A stage that uses so many machines for some time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) stage: usize,
    pub(super) span: Span,
    pub(super) count: u32,
}

/// A machine with the stages that use it one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Machine {
    pub(super) stages: Vec<usize>,
    pub(super) spans: Vec<Span>,
}

/// Most machines of one pool.
const MOST: usize = 1000;

/// Gives each stage its machines, in the order in which they start: the first ones that are free by then. A stage stays on its
/// machines until it ends. `None` where too many are needed.
pub(super) fn machines(mut uses: Vec<Use>) -> Option<Vec<Machine>> {
    uses.sort_by(|a, b| a.span.0.total_cmp(&b.span.0).then(a.stage.cmp(&b.stage)));
    let mut machines: Vec<Machine> = Vec::new();
    for Use { stage, span, count } in uses {
        let mut wanted = usize::try_from(count).ok()?;
        let free = |machine: &Machine| {
            // A sum of times that ends where another one begins may be off by its rounding.
            machine.spans.last().is_none_or(|(_, to)| to.get() <= span.0.get() * (1.0 + 1e-12) + 1e-9)
        };
        for machine in machines.iter_mut().filter(|machine| free(machine)).take(wanted) {
            machine.stages.push(stage);
            let from = machine.spans.last().map_or(span.0, |(_, to)| span.0.max(*to));
            machine.spans.push((from, span.1.max(from)));
            wanted -= 1;
        }
        if machines.len() + wanted > MOST {
            return None;
        }
        let new = Machine { stages: vec![stage], spans: vec![span] };
        machines.extend(std::iter::repeat_n(new, wanted));
    }
    Some(machines)
}

/// A use of a stage from its start on.
pub(super) fn using(stage: usize, start: Hours, time: Hours, count: u32) -> Use {
    Use { stage, span: (start, start + time), count }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(uses: &[(f64, f64, u32)]) -> Vec<Vec<usize>> {
        let uses = uses.iter().enumerate();
        let uses =
            uses.map(|(at, (from, time, count))| using(at, Hours::new(*from), Hours::new(*time), *count));
        machines(uses.collect()).unwrap().into_iter().map(|machine| machine.stages).collect()
    }

    #[test]
    fn a_stage_takes_machines_that_are_free_and_keeps_them() {
        // One after the other: one machine.
        assert_eq!(put(&[(0.0, 10.0, 1), (10.0, 5.0, 1)]), [[0, 1]]);
        // What starts while the first is at work has a machine of its own to its end.
        assert_eq!(put(&[(0.0, 10.0, 1), (5.0, 15.0, 1), (10.0, 1.0, 1)]), [vec![0, 2], vec![1]]);
        // Of two machines each is used again.
        assert_eq!(put(&[(0.0, 10.0, 2), (10.0, 5.0, 1), (12.0, 5.0, 2)]), [vec![0, 1], vec![0, 2], vec![2]]);
        assert_eq!(machines(vec![using(0, Hours::ZERO, Hours::new(1.0), 2000)]), None);
    }
}
