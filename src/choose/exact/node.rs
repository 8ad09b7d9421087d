//! What a search is after, and the nodes of its tree.

use std::cmp::Ordering;

/// Which side of the box falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The deadline is given, the cost is to fall.
    Cost,
    /// The budget is given, the makespan is to fall.
    Makespan,
}

/// The box: both may be reached, not exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caps {
    /// The most that a selection may cost.
    pub(super) cost: i64,
    /// The longest that its makespan may be.
    pub(super) time: i64,
}

/// The rungs `lo..hi` of a ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stretch {
    lo: u32,
    hi: u32,
}

impl Stretch {
    /// From the fastest rung up to, without it, `hi`.
    pub(super) fn new(lo: usize, hi: usize) -> Self {
        let small = |k| u32::try_from(k).unwrap_or(u32::MAX);
        Self { lo: small(lo), hi: small(hi) }
    }

    /// The fastest rung.
    pub(super) fn lo(self) -> usize {
        self.lo as usize
    }

    /// One past the slowest rung.
    pub(super) fn hi(self) -> usize {
        self.hi as usize
    }

    /// Without its fastest rung.
    pub(super) fn drop_fastest(&mut self) {
        self.lo += 1;
    }

    /// Without its slowest rung.
    pub(super) fn drop_slowest(&mut self) {
        self.hi -= 1;
    }

    /// Whether one rung is left.
    pub(super) fn single(self) -> bool {
        self.hi - self.lo == 1
    }
}

/// A node that waits for its turn: the lowest bound first, of equal ones the youngest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    /// No selection of the node has a smaller objective.
    pub(super) key: i128,
    /// Counts the nodes opened.
    pub(super) serial: u64,
    /// What is left at each stage.
    pub(super) stretches: Vec<Stretch>,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key).then(self.serial.cmp(&other.serial))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
