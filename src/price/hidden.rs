//! Hidden costs (B-C2): the work to port a stage to a GPU, spread over the runs.

use crate::job::{Class, Job, Stage, StageKind};
use crate::rules::Threshold;
use crate::units::Money;
use crate::units::number::{significant, things};

/// What porting a stage costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Migration {
    /// Hours of a person's work.
    pub hours: f64,
    /// All of it.
    pub whole: Money,
    /// What one run bears of it, or one month of a service, in whole cents.
    pub share: Money,
    /// The runs (of a service: the months) over which it is spread.
    pub over: f64,
    /// Whether `over` counts months.
    pub monthly: bool,
}

/// The port of a stage to a GPU, where its hours are stated and an hour of labour has a price. It is spread over the
/// runs of the stated schedule, else of `payback_months`, a year unless that says otherwise; a single run bears all of it.
pub fn migration(job: &Job, stage: &Stage) -> Option<Migration> {
    let hours = stage.migration_hours.filter(|h| *h > 0.0)?;
    let whole = job.labour_per_hour?.scaled(hours);
    let months = job.thresholds.get(Threshold::PaybackMonths).max(1.0);
    let monthly = stage.kind == StageKind::Serve;
    let runs = job.runs_in_all().or(job.runs_per_month.map(|runs| runs * months));
    let over = if monthly { months } else { runs.map_or(1.0, |runs| runs.max(1.0)) };
    Some(Migration { hours, whole, share: whole.scaled(1.0 / over).to_cents(), over, monthly })
}

/// The part of a run's cost on a class of machines that is a share of that port.
pub fn share(job: &Job, stage: &Stage, class: Class) -> Money {
    migration(job, stage).filter(|_| class == Class::Gpu).map_or(Money::ZERO, |migration| migration.share)
}

/// Whether porting a stage takes work that nothing puts a price on, so that what a GPU costs is not known.
pub fn unpriced(job: &Job, stage: &Stage) -> bool {
    stage.migration_hours.is_some_and(|h| h > 0.0) && job.labour_per_hour.is_none()
}

impl std::fmt::Display for Migration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unit = if self.monthly { "month" } else { "run" };
        write!(
            f,
            "{} of porting, {} in all, over {}",
            things(significant(self.hours, 4), "hour"),
            self.whole.amount(),
            things(significant(self.over, 4), unit)
        )
    }
}
