//! A port to the GPU (B-C2): what it costs once, and the runs after which what each of them saves has paid for it.

use crate::job::{Job, Stage, StageKind};
use crate::price::breakeven::{DeviceComparison, DeviceJob, compare_devices};
use crate::price::{Quote, hidden};
use crate::rules::Threshold;
use crate::units::{Money, PerHour};

/// What a port comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Port {
    /// Hours × the cost of an hour, paid once.
    pub migration: Money,
    /// One run on each class, that of the GPU with its part of the port when it is spread over the months within which
    /// it should pay; and the runs after which it has paid.
    pub comparison: DeviceComparison,
    /// Months after which it has paid at the stated runs per month; `None` where they are not stated, never where it
    /// does not pay.
    pub months: Option<f64>,
    /// Whether that is soon enough; `None` where the runs per month are not stated.
    pub pays: Option<bool>,
}

/// The port of a stage between its best quotes; none without hours of migration or without the cost of an hour.
pub fn port(job: &Job, stage: &Stage, cpu: &Quote, gpu: &Quote) -> Option<Port> {
    let migration = job.labour_per_hour?.scaled(stage.migration_hours?).to_cents();
    let within = job.thresholds.get(Threshold::PaybackMonths);
    // A month of a service counts as a run of it.
    let runs = if stage.kind == StageKind::Serve { Some(1.0) } else { job.runs_per_month };
    let per_hour = |quote: &Quote| PerHour::from_f64(bare(job, stage, quote).as_f64() / quote.time.get());
    let comparison = compare_devices(&DeviceJob {
        cpu: per_hour(cpu)?,
        gpu: per_hour(gpu)?,
        cpu_time: cpu.time,
        speedup: cpu.time / gpu.time,
        accelerated: 1.0,
        migration,
        runs: whole(runs.unwrap_or(1.0) * within),
    })?;
    let months = runs.map(|runs| comparison.break_even_runs.map_or(f64::INFINITY, |even| even / runs));
    Some(Port { migration, comparison, months, pays: months.map(|months| months <= within) })
}

/// What a run costs without its share of the port.
pub fn bare(job: &Job, stage: &Stage, quote: &Quote) -> Money {
    quote.cost - hidden::share(job, stage, quote.class)
}

/// A count of runs, at least 1.
fn whole(runs: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    {
        runs.round().max(1.0) as u32
    }
}
