//! The job to be run on spot capacity, in the terms of the field: W, N, C, R, λ and the waits.

use super::Hazard;
use crate::units::Hours;

/// A job that is interrupted at a constant rate while it is up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpotJob {
    /// W: computing time without any failure, checkpoint or launch.
    pub work: Hours,
    /// N: equal segments; a checkpoint follows each but the last. 1 means no checkpoint; 0 counts as 1.
    pub segments: u32,
    /// C: time of one checkpoint, during which work stands still.
    pub checkpoint: Hours,
    /// R: time of every launch, the first included, before work goes on; billed.
    pub restart: Hours,
    /// λ: rate of interruptions while up, during launches and checkpoints too.
    pub hazard: Hazard,
    /// Wait for capacity after an interruption; not billed.
    pub wait: Wait,
    /// Wait before the first launch; not billed.
    pub first_wait: FirstWait,
}

impl SpotJob {
    /// τ: work between two checkpoints, W ÷ N.
    pub fn segment(&self) -> Hours {
        self.work / f64::from(self.segments.max(1))
    }

    /// The longest stretch that must pass without interruption: a launch, a segment and its checkpoint.
    pub fn longest_stretch(&self) -> Hours {
        let checkpoint = if self.segments > 1 { self.checkpoint } else { Hours::ZERO };
        self.restart + self.segment() + checkpoint
    }

    /// The shortest time up: one launch, all the work, all the checkpoints.
    pub fn shortest(&self) -> Hours {
        let checkpoints =
            if self.segments > 1 { self.checkpoint * f64::from(self.segments - 1) } else { Hours::ZERO };
        self.restart + self.work + checkpoints
    }

    /// The same job whose checkpoints are lost with the instance (on its local disk), or that writes none.
    #[must_use]
    pub fn without_durable_checkpoints(self) -> Self {
        Self { segments: 1, ..self }
    }
}

/// A random wait: mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wait {
    /// Mean.
    pub mean: Hours,
    /// Standard deviation.
    pub deviation: Hours,
}

impl Wait {
    /// Capacity is always there.
    pub const NONE: Self = Self { mean: Hours::ZERO, deviation: Hours::ZERO };

    /// A wait whose standard deviation is a multiple of its mean.
    pub fn varying(mean: Hours, variation: f64) -> Self {
        Self { mean, deviation: mean * variation }
    }

    /// A: the share of time in which capacity is there, 1 ÷ (1 + λq).
    pub fn availability(self, hazard: Hazard) -> f64 {
        1.0 / (1.0 + hazard.over(self.mean))
    }

    /// The wait of a job that arrives at a random moment: none with probability A, else what remains of a wait
    /// in progress. Its mean is (1 − A)·q·(1 + cv²)/2 (the inspection paradox). The second moment needs the
    /// third of the wait, which is taken from a gamma law: q³(1 + cv²)(1 + 2cv²).
    pub fn at_random_arrival(self, hazard: Hazard) -> FirstWait {
        let available = self.availability(hazard);
        if self.mean == Hours::ZERO || available >= 1.0 {
            return FirstWait::NONE;
        }
        if !self.mean.is_finite() || !self.deviation.is_finite() {
            return FirstWait { at_once: available, mean: Hours::NEVER, deviation: Hours::NEVER };
        }
        let (q, cv2) = (self.mean.get(), (self.deviation / self.mean).powi(2));
        let mean = (1.0 - available) * q * (1.0 + cv2) / 2.0;
        let second = (1.0 - available) * q * q * (1.0 + cv2) * (1.0 + 2.0 * cv2) / 3.0;
        FirstWait {
            at_once: available,
            mean: Hours::new(mean),
            deviation: Hours::new((second - mean * mean).max(0.0).sqrt()),
        }
    }
}

/// The wait before the first launch: nothing with some probability, else random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstWait {
    /// The chance that there is no wait at all, 0 to 1.
    pub at_once: f64,
    /// Mean over both cases.
    pub mean: Hours,
    /// Standard deviation over both cases.
    pub deviation: Hours,
}

impl FirstWait {
    /// The job starts when asked to.
    pub const NONE: Self = Self { at_once: 1.0, mean: Hours::ZERO, deviation: Hours::ZERO };
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;

    #[test]
    fn a_random_arrival_waits_longer_than_the_mean_suggests() {
        // λ = 0.3/h, q = 1 h: A = 1/1.3; with cv 2 the first wait is 2.5·(1 − A)·q = 0.577 h.
        let hazard = Hazard::per_hour(0.3).unwrap();
        let first = Wait::varying(Hours::new(1.0), 2.0).at_random_arrival(hazard);
        assert!((first.at_once - 1.0 / 1.3).abs() < 1e-15);
        assert!((first.mean.get() - 2.5 * (1.0 - 1.0 / 1.3)).abs() < 1e-12);
        assert_eq!(Wait::NONE.at_random_arrival(hazard), FirstWait::NONE);
        assert_eq!(Wait::varying(Hours::NEVER, 2.0).at_random_arrival(hazard).mean, Hours::NEVER);
    }

    #[test]
    fn the_last_segment_writes_no_checkpoint() {
        let job = SpotJob {
            work: Hours::new(10.0),
            segments: 10,
            checkpoint: Hours::from_secs(60.0),
            restart: Hours::from_secs(300.0),
            hazard: Hazard::NONE,
            wait: Wait::NONE,
            first_wait: FirstWait::NONE,
        };
        assert!((job.shortest().get() - (10.0 + 9.0 / 60.0 + 5.0 / 60.0)).abs() < 1e-12);
        assert!((job.longest_stretch().get() - (1.0 + 6.0 / 60.0)).abs() < 1e-12);
        assert_eq!(job.without_durable_checkpoints().longest_stretch().get(), 10.0 + 300.0 / 3600.0);
    }
}
