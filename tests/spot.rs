//! The mathematics of buying: published and independently computed figures, a simulation, and properties.

mod golden;
mod properties;
mod simulated;

use plan::price::spot::{FirstWait, Hazard, SpotJob, Wait};
use plan::units::Hours;

/// A job without waits: hours of work, segments, checkpoint and restart in seconds, interruptions per hour.
fn job(work: f64, segments: u32, checkpoint: f64, restart: f64, rate: f64) -> SpotJob {
    SpotJob {
        work: Hours::new(work),
        segments,
        checkpoint: Hours::from_secs(checkpoint),
        restart: Hours::from_secs(restart),
        hazard: Hazard::per_hour(rate).unwrap(),
        wait: Wait::NONE,
        first_wait: FirstWait::NONE,
    }
}
