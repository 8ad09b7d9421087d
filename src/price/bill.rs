//! A bill: lines that were each rounded to the cent once, and their sum.

use crate::names::named;
use crate::units::Money;

named! {
    /// What a line is for.
    pub enum LineKind {
        /// Price × billed time × instances.
        Compute = "compute",
        /// What interruptions add: work done twice, restarts, checkpoints.
        SpotOverhead = "spot-overhead",
        /// On-demand hours that keep a deadline where spot would lose it.
        Fallback = "fallback",
        /// Moving data into and out of the region.
        Transfer = "transfer",
        /// Keeping the data while the stage runs.
        Storage = "storage",
        /// A cost that comes with the stage whatever is rented.
        Fixed = "fixed",
        /// The share of the work to port the stage to a GPU (B-C2).
        Migration = "migration",
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is for.
    pub kind: LineKind,
    /// How it was computed, with figures and units.
    pub text: String,
    /// The amount, in whole cents.
    pub amount: Money,
}

/// All lines of a stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bill {
    lines: Vec<Line>,
}

impl Bill {
    /// Adds a line, rounded to the cent.
    pub fn add(&mut self, kind: LineKind, text: impl Into<String>, amount: Money) {
        self.lines.push(Line { kind, text: text.into(), amount: amount.to_cents() });
    }

    /// The lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Their sum.
    pub fn total(&self) -> Money {
        self.lines.iter().map(|line| line.amount).sum()
    }
}
