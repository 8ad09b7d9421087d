//! What would have to change by how much for another plan to win.

use crate::job::Purchase;
use crate::names::named;
use crate::units::number::significant;

named! {
    /// What changes.
    pub enum Lever {
        /// What the machines of the stage cost.
        Price = "price",
        /// How long the work takes on the machine.
        Duration = "duration",
        /// How often the machine is taken away.
        Hazard = "hazard",
    }
}

named! {
    /// What the change runs into.
    pub enum Bound {
        /// Another choice is cheaper.
        Cost = "cost",
        /// The run no longer meets its deadline.
        Deadline = "deadline",
    }
}

/// The least change of one stage's machine at which the plan is no longer the best, all else as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The stage.
    pub stage: String,
    /// What changes.
    pub lever: Lever,
    /// By which factor, above 1.
    pub factor: f64,
    /// What is rented: `2 × aws g5.12xlarge`.
    pub rent: String,
    /// How it is bought.
    pub purchase: Purchase,
    /// What the change runs into.
    pub bound: Bound,
    /// What the stage would rent instead, where a cheaper choice wins.
    pub winner: Option<String>,
    /// The stage's share of the cost of a run.
    pub share: f64,
}

impl std::fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { stage, rent, .. } = self;
        let purchase = self.purchase.label();
        if let (true, Some(winner)) = (self.factor < 1.0 + 1e-6, &self.winner) {
            return write!(f, "{stage}: {winner} costs as little as {rent} {purchase}");
        }
        let by = if self.factor < 2.0 {
            format!("{} %", significant((self.factor - 1.0) * 100.0, 2))
        } else {
            format!("{} times", significant(self.factor, 2))
        };
        let than = if self.factor < 2.0 { "" } else { " as" };
        match self.lever {
            Lever::Price if than.is_empty() => write!(f, "{stage}: {rent} {purchase} {by} dearer")?,
            Lever::Price => write!(f, "{stage}: {rent} {purchase} {by} as dear")?,
            Lever::Duration if than.is_empty() => write!(f, "{stage}: {by} more work on {rent}")?,
            Lever::Duration => write!(f, "{stage}: {by} as much work on {rent}")?,
            Lever::Hazard if than.is_empty() => write!(f, "{stage}: {rent} taken away {by} more often")?,
            Lever::Hazard => write!(f, "{stage}: {rent} taken away {by} as often")?,
        }
        match (self.bound, &self.winner) {
            (Bound::Deadline, _) => write!(f, ": the run misses its deadline"),
            (Bound::Cost, Some(winner)) => write!(f, ": {winner} wins"),
            (Bound::Cost, None) => write!(f, ": another choice wins"),
        }
    }
}
