//! Spot capacity as it turns out: a job, the hazard of losing the machine and the terms of the provider become
//! expected billed hours, interruptions, completion time and its percentiles.
//!
//! The process: interruptions arrive at a constant rate while an instance is up; work since the last checkpoint
//! is lost; every launch pays the restart time; waiting for capacity costs time, not money. Means and variances
//! are exact for that process. Real up-times are not exponential: with checkpoints near the optimum the mean
//! survives that (within a few per cent on replayed traces), without checkpoints it does not, which is why
//! [`assess`] warns early and refuses.
//!
//! Sources: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22
//! (2006); J. W. Young, CACM 17 (1974); the rest is derived in the doc comments beside each formula.

mod complex;
mod crew;
mod defaults;
mod fallback;
mod gamma;
mod gang;
mod hazard;
mod interval;
mod job;
mod lambert;
mod moments;
mod notice;
mod outcome;
mod reclaim;
mod series;
mod spread;
mod terms;
mod transform;
mod verdict;

pub use crew::Crew;
pub use defaults::{Machine, checkpoint_time, default_restart, unknown_hazard, unknown_wait};
pub use fallback::{Fallback, fall_back, fall_back_whole, least_ratio, margin, measured_miss_rate, worked};
pub use gang::{GANG_EXPONENT, gang_hazard, gang_scenarios};
pub use hazard::{Hazard, Scenarios};
pub use interval::{best_segments, daly_interval, exact_interval, segments_every, young_interval};
pub use job::{FirstWait, SpotJob, Wait};
pub use lambert::{Branch, lambert_branch};
pub use outcome::{SpotOutcome, evaluate};
pub use reclaim::{ReclaimBucket, hourly_rate};
pub use spread::{Burst, Spread, billed_spread, completion_spread};
pub use terms::{Evaluated, Terms, evaluate_under};
pub use verdict::{REFUSE_ABOVE, SpotVerdict, WARN_ABOVE, assess};
