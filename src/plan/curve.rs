//! The cost-time curve of a whole run.

use crate::job::Purchase;
use crate::units::{Hours, Money};

/// Every plan than which none is both cheaper and faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The points, the cheapest (and slowest) first: costs rise, times fall.
    pub points: Vec<CurvePoint>,
    /// Whether these are all points, each of them proven.
    pub complete: bool,
    /// The share of runs in which a stage on spot ends within the time that counts.
    pub confidence: f64,
    /// The region in which the data is kept at every point, where the plan has chosen it: at other points another one may
    /// be cheaper.
    pub data: Option<String>,
    /// Stages that a rule of thumb keeps to one class of machine, so that the other one is on no point.
    pub one_class: Vec<String>,
}

/// One plan of the curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// What a run costs, as expected.
    pub cost: Money,
    /// The shortest deadline that it keeps: a stage on spot counts with the time within which it ends as often as
    /// `spot_confidence` asks.
    pub within: Hours,
    /// From start to end, as expected.
    pub expected: Hours,
    /// Whether it is what the plan takes.
    pub taken: bool,
    /// What each stage of a run rents.
    pub picks: Vec<Pick>,
}

/// What one stage rents at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// The stage.
    pub stage: String,
    /// The provider.
    pub provider: String,
    /// The instance type.
    pub instance: String,
    /// `T4`, `8×A100-80GB`; empty for a CPU instance.
    pub gpu: String,
    /// The region.
    pub region: String,
    /// The zone, where prices differ.
    pub zone: Option<String>,
    /// How many instances.
    pub count: u32,
    /// How it is bought.
    pub purchase: Purchase,
    /// The deadline of its own at which on-demand takes over, of spot with fallback.
    pub net: Option<Hours>,
    /// Expected time from launch to end.
    pub time: Hours,
    /// Expected cost.
    pub cost: Money,
}

impl Pick {
    /// `2 × aws g5.12xlarge (4×A10G)`.
    pub fn name(&self) -> String {
        let many = if self.count > 1 { format!("{} × ", self.count) } else { String::new() };
        let gpu = if self.gpu.is_empty() { String::new() } else { format!(" ({})", self.gpu) };
        format!("{many}{} {}{gpu}", self.provider, self.instance)
    }
}
