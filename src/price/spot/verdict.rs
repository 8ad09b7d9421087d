//! Whether a job may be put on spot capacity at all, as far as lost work decides it.

use super::{SpotJob, evaluate};

/// λ(W + R) above which a job without checkpoints is warned about.
pub const WARN_ABOVE: f64 = 0.2;
/// λ(W + R) above which a job without checkpoints is refused: its expected time grows exponentially from there,
/// and real, heavy-tailed up-times make the formula wrong by 2 to 14 times.
pub const REFUSE_ABOVE: f64 = 1.0;

/// What to say of a job on spot. `exposure` is the expected number of interruptions in the longest stretch that
/// must pass without one; without checkpoints that is λ(W + R).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpotVerdict {
    /// Nothing stands against it.
    Accept {
        /// Expected interruptions in the longest stretch.
        exposure: f64,
    },
    /// Possible, with a risk to be shown.
    Warn {
        /// Expected interruptions in the longest stretch.
        exposure: f64,
    },
    /// Not offered, whatever the discount.
    Refuse {
        /// Expected interruptions in the longest stretch.
        exposure: f64,
    },
}

/// Judges a job (one piece of it, where pieces restart alone). With durable checkpoints nothing is refused that
/// ends; a stretch above 1 is warned about, since that interval was chosen far too long.
pub fn assess(job: &SpotJob) -> SpotVerdict {
    let exposure = job.hazard.over(job.longest_stretch());
    let checkpoints = job.segments > 1;
    if !evaluate(job).billed.is_finite() || (!checkpoints && exposure > REFUSE_ABOVE) {
        SpotVerdict::Refuse { exposure }
    } else if exposure > if checkpoints { REFUSE_ABOVE } else { WARN_ABOVE } {
        SpotVerdict::Warn { exposure }
    } else {
        SpotVerdict::Accept { exposure }
    }
}
