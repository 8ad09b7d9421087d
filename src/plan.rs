//! The answer: what to rent for each stage, beside what else was possible and why it was not taken.

pub mod curve;
pub mod pool;
pub mod sensitivity;
pub mod service;
pub mod shared;
pub mod tie;

pub use pool::{PoolFigures, SlotUnit};
pub use service::{AnswerFigures, DecodeFigures, HourFigures, IdleFigures, ServiceFigures};
pub use shared::SharedMonths;
pub use tie::{Contender, Measure, Probe, Tie};

use crate::decide::Rejection;
use crate::duration::Evidence;
use crate::job::{Class, Limits, Purchase, StageKind};
use crate::names::named;
use crate::price::bill::Bill;
use crate::price::spot_case::HazardFrom;
use crate::rules::Finding;
use crate::units::{Band, Bytes, Currency, Date, Hours, Money};
use crate::vram::need::NeedBy;

named! {
    /// What a cost is for.
    pub enum Period {
        /// One run of a stage that ends.
        Run = "run",
        /// A month (730 h) of a service, which has no end.
        Month = "month",
    }
}

/// What one choice is and costs. Everything that an output needs, so that a saved plan needs no catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The class.
    pub class: Class,
    /// The provider.
    pub provider: String,
    /// The instance type.
    pub instance: String,
    /// The region.
    pub region: String,
    /// Whether that is known: machines that are owned stand anywhere where `owned` names no region.
    pub placed: bool,
    /// The zone, where prices differ.
    pub zone: Option<String>,
    /// How many instances.
    pub count: u32,
    /// vCPUs of one instance.
    pub vcpus: f64,
    /// Main memory of one instance, as text with its unit.
    pub memory: Bytes,
    /// The accelerator.
    pub gpu: Option<String>,
    /// How many of it in one instance.
    pub gpu_count: f64,
    /// How it is bought.
    pub purchase: Purchase,
    /// Months that it shares with other stages.
    pub shared: Option<SharedMonths>,
    /// The price of one instance for its unit, after discount and conversion: `0.526/h`, `1,100.00/month`.
    pub unit_price: String,
    /// Launch to end; of a service the month that its cost is for.
    pub time: Band<Hours>,
    /// How the duration is known.
    pub evidence: Evidence,
    /// Factor of the band of the work itself, without start-up and interruptions.
    pub spread: f64,
    /// How the duration came about, line by line; of what is not taken nothing.
    pub derivation: Vec<String>,
    /// What the cost is for.
    pub period: Period,
    /// What one device must hold, where the stage runs a model on accelerators.
    pub memory_need: Option<MemoryFigures>,
    /// How the trials of a search are packed.
    pub pool: Option<PoolFigures>,
    /// How a service is sized.
    pub service: Option<ServiceFigures>,
    /// Cost of transcoding an hour of video, where its playing time is stated.
    pub per_video_hour: Option<Money>,
    /// Cost: an end of the band that never comes is absent.
    pub cost: Band<Option<Money>>,
    /// The bill of the expected cost.
    pub bill: Bill,
    /// Price date.
    pub as_of: Option<Date>,
    /// Price source.
    pub source: String,
    /// How well the price is known.
    pub confidence: crate::catalog::Confidence,
    /// Spot figures, where it is bought so.
    pub spot: Option<SpotFigures>,
    /// Months since the date of the price.
    pub age_months: Option<u32>,
}

impl Choice {
    /// The expected cost.
    pub fn expected_cost(&self) -> Money {
        self.bill.total()
    }

    /// What it costs in a month: a service's own cost, or that of so many runs.
    pub fn monthly_cost(&self, runs_per_month: Option<f64>) -> Option<Money> {
        match self.period {
            Period::Month => Some(self.expected_cost()),
            Period::Run => Some(self.expected_cost().scaled(runs_per_month?).to_cents()),
        }
    }

    /// `1 × 0.5 L4`, `8 × A100-80GB`; empty for a CPU instance.
    pub fn gpu_label(&self) -> String {
        self.gpu.as_ref().map_or_else(String::new, |gpu| Self::label(gpu, self.gpu_count))
    }

    /// `L4`, `8×A100-80GB`.
    pub fn label(gpu: &str, count: f64) -> String {
        if (count - 1.0).abs() < f64::EPSILON { gpu.to_owned() } else { format!("{count}×{gpu}") }
    }
}

/// The memory of one device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryFigures {
    /// What is needed: tensors at their peak, allocator and context.
    pub needed: Band<Bytes>,
    /// What a program can use of the device.
    pub usable: Bytes,
    /// How the need is known.
    pub by: NeedBy,
}

impl MemoryFigures {
    /// Whether the expected need exceeds what there is: only where the estimate is too rough to turn a card away, or the
    /// stage was measured there.
    pub fn may_not_fit(&self) -> bool {
        self.needed.expected > self.usable
    }
}

/// How spot turns out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpotFigures {
    /// Interruptions per hour, in three scenarios: optimistic, default, pessimistic.
    pub hazard: [f64; 3],
    /// Who states it.
    pub from: HazardFrom,
    /// Expected interruptions.
    pub interruptions: f64,
    /// The chance of none.
    pub uninterrupted: f64,
    /// Time within which it ends 50, 90 and 95 times of 100.
    pub percentiles: [Hours; 3],
    /// Whether the stage ends with the last of several machines that each do a part: when that is, and with it the percentiles
    /// and the expected time, goes by a rule of thumb.
    pub crew: bool,
    /// The on-demand capacity that keeps its deadline, where it falls back on some.
    pub fallback: Option<FallbackFigures>,
}

/// Spot with on-demand fallback: how the hours are expected to split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FallbackFigures {
    /// Time within which the stage is to end.
    pub within: Hours,
    /// Expected hours of one instance on spot.
    pub spot: Hours,
    /// Expected hours of one instance on-demand.
    pub on_demand: Hours,
    /// The chance of missing the deadline all the same, as measured on replayed traces.
    pub missed: f64,
}

named! {
    /// What an alternative shows.
    pub enum AlternativeKind {
        /// The best of the other class.
        OtherClass = "other-class",
        /// The best of another purchase option.
        OtherPurchase = "other-purchase",
        /// The next best instance.
        RunnerUp = "runner-up",
        /// The fastest that is feasible.
        Fastest = "fastest",
        /// One GPU instead of several.
        OneGpu = "one-gpu",
        /// Much faster for little more.
        Faster = "faster",
        /// The cheapest, which the deadline does not allow.
        Cheapest = "cheapest",
    }
}

/// A way of buying a stage, beside the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The way.
    pub purchase: Purchase,
    /// The best machine bought so; `None` where there is none.
    pub offer: Option<WayOffer>,
    /// Whether it is taken.
    pub taken: bool,
    /// Why it is not taken, or not to be had.
    pub why: String,
}

/// The best machine of one way of buying.
#[derive(Debug, Clone, PartialEq)]
pub struct WayOffer {
    /// `2 × aws/g4dn.xlarge (T4) in us-east-1`.
    pub machine: String,
    /// Expected cost.
    pub cost: Money,
    /// Cost that is not exceeded 95 times of 100, as far as interruptions decide it; unknown with on-demand fallback.
    pub cost_95: Option<Money>,
    /// Expected time from launch to end.
    pub time: Hours,
    /// Time within which it ends 95 times of 100, as far as interruptions decide it; with fallback its deadline.
    pub time_95: Hours,
    /// The chance of ending within the time that the job's deadline leaves the stage; `None` without a deadline.
    pub chance: Option<f64>,
    /// Whether the stage has an end.
    pub ends: bool,
}

/// Something else that was possible.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// What it shows.
    pub kind: AlternativeKind,
    /// The choice that it would be.
    pub choice: Choice,
    /// Why it was not taken.
    pub reason: String,
}

/// Why nothing can do a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Infeasible {
    /// What would make it fit.
    pub remedies: Vec<String>,
}

/// How many ways to do a stage competed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compared {
    /// Machines × numbers × ways of buying with a price, each at its cheapest place.
    pub quotes: usize,
    /// Those that another one beats or equals by cost and by time.
    pub dominated: usize,
}

/// One stage of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct StagePlan {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: StageKind,
    /// What is rented, or why nothing can be.
    pub outcome: Result<Choice, Infeasible>,
    /// Why, in a few words.
    pub why: String,
    /// Names of the stages that it waits for.
    pub after: Vec<String>,
    /// Start within the run, expected.
    pub starts: Hours,
    /// Rules, with what they say here.
    pub findings: Vec<Finding>,
    /// What else was possible.
    pub alternatives: Vec<Alternative>,
    /// The ways of buying, side by side.
    pub ways: Vec<Way>,
    /// What competed with a price.
    pub compared: Compared,
    /// What was not, by reason.
    pub rejected: Vec<RejectionText>,
    /// The offer that came nearest to passing where figures decide, in words.
    pub nearest_miss: Option<String>,
}

/// A rejection with the names that a reader needs.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectionText {
    /// Reason, count and figures.
    pub rejection: Rejection,
    /// The instance that came nearest, as `provider/instance`.
    pub nearest: Option<String>,
}

/// The plan beside another way of doing it.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Rule that asks for it.
    pub rule: &'static str,
    /// What it is: `everything on one GPU instance`.
    pub what: String,
    /// Its cost; absent when it cannot be done.
    pub cost: Option<Money>,
    /// Its time from start to end.
    pub time: Option<Hours>,
    /// The limits that its expected figures miss: `budget`, `monthly-budget`, `deadline`.
    pub misses: Vec<&'static str>,
    /// Remarks.
    pub note: String,
    /// Why it is worth a thought, where it keeps the limits and is better than the plan by what the plan aims at.
    pub consider: Option<String>,
}

named! {
    /// What a note is.
    pub enum NoteKind {
        /// Something to know.
        Info = "info",
        /// Something to do.
        Advice = "advice",
        /// Something that may make a figure wrong.
        Warning = "warning",
    }
}

/// A month of a schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonthCost {
    /// Runs in it.
    pub runs: f64,
    /// Cost of those runs and of the services.
    pub cost: Money,
}

/// A remark on the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// The rule that says it, or a code of the program's own.
    pub rule: &'static str,
    /// The stage that it concerns.
    pub stage: Option<String>,
    /// The remark.
    pub text: String,
}

/// A limit and whether the plan keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitCheck {
    /// `budget`, `monthly-budget` or `deadline`.
    pub limit: &'static str,
    /// Whether it is kept by the expected figure.
    pub kept: bool,
    /// The comparison in words.
    pub text: String,
}

/// The chance that a run meets its deadline, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// At the hazards and waits to plan with.
    pub expected: f64,
    /// Where interruptions are as rare and waits as short as they may be.
    pub optimistic: f64,
    /// Where interruptions are as frequent and waits as long as they may be.
    pub pessimistic: f64,
    /// Whether anything is bought on spot; without it all three are the same.
    pub spot: bool,
}

/// Prices that took part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogUse {
    /// The provider.
    pub provider: String,
    /// Date of its newest price.
    pub as_of: Option<Date>,
    /// Offers of it in the catalog.
    pub offers: usize,
    /// Whether the plan rents from it.
    pub chosen: bool,
}

/// How the region for the data was chosen, where the workload names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenRegion {
    /// How many regions could have been taken.
    pub regions: usize,
    /// Whether the catalog has a price for keeping data there.
    pub priced: bool,
    /// Whether no other one with a price for keeping data is cheaper for certain; of all where `priced` is false.
    pub proven: bool,
}

/// A region that was not taken for the data since keeping it there has no price, though all else would cost less.
#[derive(Debug, Clone, PartialEq)]
pub struct UnpricedRegion {
    /// The provider.
    pub provider: String,
    /// The region.
    pub region: String,
    /// What the plan would cost there, without keeping the data: a run, or with services beside it a month.
    pub cost: Money,
    /// How long a run would take there at least (spot at the time within which it ends surely enough), where the least
    /// time is asked for.
    pub time: Option<Hours>,
    /// Whether the cost is a month's.
    pub monthly: bool,
    /// Whether that is the figure of the plan there and not only a bound from below.
    pub exact: bool,
}

/// Where the data is kept, through which the stages hand it over.
#[derive(Debug, Clone, PartialEq)]
pub struct DataPlace {
    /// The provider.
    pub provider: String,
    /// The region.
    pub region: String,
    /// How it was chosen; absent where the workload names it.
    pub chosen: Option<ChosenRegion>,
    /// A region without a price for keeping data in which the rest would be so much better that it has to be said.
    pub unpriced: Option<UnpricedRegion>,
    /// What all bills hold for keeping data.
    pub storage: Money,
    /// What all bills hold for moving data.
    pub transfer: Money,
}

/// The plan of a workload with one value changed.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The change as typed: `data.samples=10M`.
    pub change: String,
    /// Stages whose stated times were taken for other work, with the factor by which the work changes.
    pub scaled: Vec<(String, f64)>,
    /// The plan.
    pub plan: Plan,
}

/// The whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Name of the workload.
    pub workload: String,
    /// Currency of all amounts.
    pub currency: Currency,
    /// The day from which ages count.
    pub today: Date,
    /// The limits asked for.
    pub limits: Limits,
    /// Stages in file order.
    pub stages: Vec<StagePlan>,
    /// Total cost of one run, without services; ends that never come are absent, all of it when a stage is infeasible
    /// or when there are services only.
    pub cost: Option<Band<Option<Money>>>,
    /// Time from start to end of one run, along the longest path of stages, without services.
    pub time: Option<Band<Hours>>,
    /// Total cost of the services in a month; none when there are none or a stage is infeasible.
    pub services: Option<Band<Option<Money>>>,
    /// Where the data is kept; absent where nothing is known to move.
    pub data: Option<DataPlace>,
    /// Runs per month, if stated.
    pub runs_per_month: Option<f64>,
    /// What each month costs, where the months are stated and every stage can be done.
    pub months: Vec<MonthCost>,
    /// The chance that a run meets the deadline, where there is one and a run.
    pub chance: Option<Chance>,
    /// Limits and whether they are kept.
    pub checks: Vec<LimitCheck>,
    /// Rules about the plan as a whole, with what they say here.
    pub findings: Vec<Finding>,
    /// Other ways of doing it.
    pub comparisons: Vec<Comparison>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// Stages whose first and second choice the known times cannot tell apart, the one that may save most first.
    pub ties: Vec<Tie>,
    /// Prices that took part.
    pub catalog: Vec<CatalogUse>,
    /// What would have to change by how much for another plan to win, the smallest change first.
    pub sensitivity: Vec<sensitivity::Sensitivity>,
    /// The cost-time curve, where it was asked for and there is a run.
    pub curve: Option<curve::Curve>,
    /// The plans of changed workloads, where they were asked for.
    pub what_if: Vec<WhatIf>,
    /// Resolved values with their origins.
    pub settings: Vec<crate::job::Setting>,
}

impl Plan {
    /// Whether a stage is a service.
    pub fn has_services(&self) -> bool {
        self.stages.iter().any(|s| s.kind == StageKind::Serve)
    }

    /// Cost of a month: so many runs, and the services. None where stages end and the number of runs is not stated.
    pub fn monthly_cost(&self) -> Option<Money> {
        let services = self.services.and_then(|band| band.expected);
        let runs = match (self.cost, self.runs_per_month) {
            (Some(band), Some(runs)) => Some(band.expected?.scaled(runs).to_cents()),
            (Some(_), None) => return None,
            (None, _) => None,
        };
        match (runs, services) {
            (None, None) => None,
            (runs, services) => Some(runs.unwrap_or_default() + services.unwrap_or_default()),
        }
    }

    /// Cost of all stated months together; `None` where none are.
    pub fn cost_in_all(&self) -> Option<Money> {
        (!self.months.is_empty()).then(|| self.months.iter().map(|m| m.cost).sum())
    }

    /// Cost of the dearest month: of the stated ones, else of any.
    pub fn dearest_month(&self) -> Option<Money> {
        self.months.iter().map(|m| m.cost).max().or_else(|| self.monthly_cost())
    }

    /// Whether every stage can be done and every limit is kept.
    pub fn holds(&self) -> bool {
        self.stages.iter().all(|s| s.outcome.is_ok()) && self.checks.iter().all(|c| c.kept)
    }
}
