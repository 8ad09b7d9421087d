//! Machines that each work on their own part of the work, which ends with the last of them.
//!
//! What is billed adds up over the machines, whatever the others do. The end of the work does not: of many machines some
//! lose their last piece, which those that are idle by then take over. With p the chance that a piece and its launch are
//! not interrupted, T(m) the m-th try at the last pieces and n machines, all are done by it with the chance
//! (1 − (1 − p)^m)ⁿ.

use super::{Hazard, SpotJob};
use crate::units::Hours;

/// Time from one try at a lost piece to the next, in pieces with their launch: it is lost on the way, not at its end.
///
/// A rule of thumb, chosen by simulation (5,000 to 20,000 runs each; waits of 1 h with a variation of 2, launches of 10 min,
/// idle machines taking over) of one piece each on 4 to 64 machines: pieces of 0.5 to 5 h at 0.1 to 0.3 per hour end on
/// average −12 to 0 % off, 90 times of 100 −3 to +7 %, 95 times +2 to +9 %. At 0.05 per hour the three are 21, 22 and 14 %
/// too short, for a loss then waits until the others are done; of three pieces each on 8 machines by this rule alone 25, 22
/// and 21 %.
const PER_TRY: f64 = 0.6;

/// Several machines with pieces of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crew {
    machines: f64,
    /// The chance that a last piece is lost.
    lost: f64,
    /// Hours from one try to the next.
    step: f64,
}

impl Crew {
    /// Of so many machines, each with a job whose segments are its pieces; `None` for one machine, and without hazard.
    pub fn new(machines: u32, job: &SpotJob) -> Option<Self> {
        let piece = job.restart + job.segment();
        let lost = 1.0 - job.hazard.chance_of_none(piece);
        let many = machines > 1 && job.hazard != Hazard::NONE && lost > 0.0 && lost < 1.0;
        many.then(|| Self { machines: f64::from(machines), lost, step: PER_TRY * piece.get() })
    }

    /// Time beyond the shortest that is not exceeded with probability `q` below 1.
    pub(super) fn beyond(&self, q: f64) -> f64 {
        let tries = (-(q.powf(self.machines.recip()) - 1.0)).ln() / self.lost.ln();
        self.step * (tries - 1.0).max(0.0)
    }

    /// The chance to be done by a time beyond the shortest.
    pub(super) fn within(&self, beyond: f64) -> f64 {
        if beyond < 0.0 {
            return 0.0;
        }
        let tries = 1.0 + beyond / self.step;
        (1.0 - self.lost.powf(tries)).powf(self.machines)
    }

    /// The expected time beyond the shortest: the mean of 16 evenly spread cases.
    pub(super) fn mean(&self) -> Hours {
        let case = |k: u32| self.beyond((f64::from(k) + 0.5) / 16.0);
        Hours::new((0..16).map(case).sum::<f64>() / 16.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::spot::{FirstWait, Wait};

    fn crew(machines: u32, piece: f64, rate: f64) -> Option<Crew> {
        let job = SpotJob {
            work: Hours::new(piece),
            segments: 1,
            checkpoint: Hours::ZERO,
            restart: Hours::from_secs(600.0),
            hazard: Hazard::per_hour(rate).unwrap(),
            wait: Wait::NONE,
            first_wait: FirstWait::NONE,
        };
        Crew::new(machines, &job)
    }

    #[test]
    fn the_last_of_many_is_later_than_one() {
        assert_eq!((crew(1, 1.0, 0.3), crew(24, 1.0, 0.0)), (None, None));
        // Simulated: 2.72, 3.51 and 3.82 h, mean 2.77; the shortest is 1 h 10 min.
        let many = crew(24, 1.0, 0.3).unwrap();
        let at = |q: f64| 7.0 / 6.0 + many.beyond(q);
        for (q, simulated) in [(0.5, 2.72), (0.9, 3.51), (0.95, 3.82)] {
            assert!((at(q) / simulated - 1.0).abs() < 0.1, "{q}: {}", at(q));
        }
        assert!(((7.0 / 6.0 + many.mean().get()) / 2.77 - 1.0).abs() < 0.1);
        // Simulated: mean 15.24, 90 of 100 in 20.0 h.
        let long = crew(24, 5.0, 0.1).unwrap();
        assert!(((31.0 / 6.0 + long.mean().get()) / 15.24 - 1.0).abs() < 0.1);
        assert!(((31.0 / 6.0 + long.beyond(0.9)) / 20.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn chances_and_times_are_each_others_inverse() {
        let many = crew(16, 0.25, 0.3).unwrap();
        for q in [0.2, 0.5, 0.9, 0.999] {
            let time = many.beyond(q);
            assert!(time == 0.0 || (many.within(time) - q).abs() < 1e-9, "{q} {time}");
        }
        assert!(many.within(-1.0).abs() < 1e-15);
        // More machines are never done earlier.
        assert!(crew(32, 0.25, 0.3).unwrap().mean() >= many.mean());
    }
}
