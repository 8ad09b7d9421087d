//! Months that several stages share.

use crate::units::number::{significant, things};
use crate::units::{Hours, Money};
use std::fmt;

/// Machines that are paid by the month once for several stages, which use them one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedMonths {
    /// Names of the other stages.
    pub with: Vec<String>,
    /// Machines that are rented for all of them.
    pub machines: u32,
    /// Whole months of all these machines, with a schedule of all its months, else of one run or of the runs of a month.
    pub months: u32,
    /// Hours beyond them, on-demand.
    pub rest: Hours,
    /// What one run of all these stages bears of it.
    pub total: Money,
    /// The stage's part of the machine hours, a share from 0 to 1.
    pub part: f64,
}

impl fmt::Display for SharedMonths {
    /// `on one machine with a and b, paid once for all: 1 month, 700.00 a run`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machines = match self.machines {
            1 => "one machine".to_owned(),
            many => things(many, "machine"),
        };
        let with = match self.with.as_slice() {
            [start @ .., last] if !start.is_empty() => format!("{} and {last}", start.join(", ")),
            others => others.concat(),
        };
        write!(f, "on {machines} with {with}, paid once for all: {}", things(self.months, "month"))?;
        if self.rest > Hours::ZERO {
            write!(f, " and {} h on-demand", significant(self.rest.get(), 3))?;
        }
        write!(f, ", {} a run", self.total.amount())
    }
}
