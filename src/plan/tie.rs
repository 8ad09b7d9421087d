//! A near tie: two choices that the known times cannot tell apart, and the measurement that would.

use crate::units::number::{significant, thousands};
use crate::units::{Band, Hours, Money};

/// Two choices of one stage whose costs differ by less than their times are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Tie {
    /// Name of the stage.
    pub stage: String,
    /// The choice of the plan.
    pub first: Contender,
    /// The cheapest other machine.
    pub second: Contender,
    /// Factor within which the ratio of both costs is known, as far as their times decide it.
    pub band: f64,
    /// What would settle it.
    pub measure: Measure,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// `2 × aws/g4dn.xlarge (T4) in us-east-1`.
    pub rent: String,
    /// Its cost, with the band that the plan shows; an end that never comes is absent.
    pub cost: Band<Option<Money>>,
}

/// The one measurement that narrows the comparison most.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The instance type, as `on` takes it: `aws/g4dn.xlarge`.
    pub on: String,
    /// How many of them.
    pub instances: u32,
    /// How much of the work is enough.
    pub probe: Probe,
    /// About how long that takes there.
    pub takes: Hours,
    /// What is left of [`Tie::band`] afterwards.
    pub band: f64,
    /// Most by which the cost of the stage may turn out lower for it, at the edge of the band.
    pub may_save: Money,
    /// What to write behind `on`: `rate` in samples per second, or `time`.
    pub gives: &'static str,
    /// What was measured times this is the figure of that key: of a share of the work, the whole time.
    pub scale: f64,
}

/// A part of a stage's work that is enough for a stable mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Probe {
    /// So many optimizer steps or batches.
    Steps(f64),
    /// So many samples.
    Samples(f64),
    /// So many requests of a service.
    Requests(f64),
    /// A share of the work.
    Share(f64),
    /// All of it, since it is short.
    Whole,
}

impl Probe {
    /// What is counted, and how many; none where it is all of the work.
    pub const fn counted(self) -> (&'static str, Option<f64>) {
        match self {
            Self::Steps(n) => ("steps", Some(n)),
            Self::Samples(n) => ("samples", Some(n)),
            Self::Requests(n) => ("requests", Some(n)),
            Self::Share(n) => ("share", Some(n)),
            Self::Whole => ("all", None),
        }
    }
}

/// As an order: `run 300 steps`.
impl std::fmt::Display for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Steps(n) => write!(f, "run {} steps", thousands(*n)),
            Self::Samples(n) => write!(f, "run {} samples", thousands(*n)),
            Self::Requests(n) => write!(f, "time {} requests", thousands(*n)),
            Self::Share(part) => write!(f, "run {} % of it", significant(part * 100.0, 3)),
            Self::Whole => f.write_str("run it once"),
        }
    }
}
