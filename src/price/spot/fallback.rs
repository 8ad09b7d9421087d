//! Spot with an on-demand safety net: spot capacity while there is slack, on-demand as soon as the deadline
//! would otherwise be lost.

use super::{SpotJob, SpotOutcome};
use crate::units::Hours;

/// Expected hours of each kind for one instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fallback {
    /// Billed at the spot price.
    pub spot: Hours,
    /// Billed at the on-demand price.
    pub on_demand: Hours,
    /// Whether on-demand capacity alone, from the start, would meet the deadline.
    pub feasible: bool,
}

/// The expected split for a deadline, counted from the moment of asking.
///
/// With hₛ hours up per hour of work on spot and hₒ = 1 + C/τ on-demand, availability A and Dₑ = D − 2R: all spot
/// if A·Dₑ ≥ W·hₛ + R; else the on-demand hours solve o/hₒ + A(Dₑ − o)/hₛ = W. Replayed on 25 public traces: bias
/// −4 to +6 %, standard deviation 9 to 15 %. `None` for a job without checkpoints, which has no work to carry
/// over, and for one that never ends on spot.
pub fn fall_back(job: &SpotJob, outcome: &SpotOutcome, deadline: Hours) -> Option<Fallback> {
    if job.segments <= 1 || !outcome.billed.is_finite() || job.work == Hours::ZERO {
        return None;
    }
    let work = job.work.get();
    let (launch, slack) = (job.restart.get(), deadline.minus(job.restart * 2.0).get());
    let on_spot = outcome.billed.minus(job.restart).get() / work;
    let on_demand = 1.0 + job.checkpoint / job.segment();
    let feasible = deadline >= job.shortest();
    let available = job.wait.availability(job.hazard);
    if available * slack >= outcome.billed.get() {
        return Some(Fallback { spot: outcome.billed, on_demand: Hours::ZERO, feasible });
    }
    let all = work * on_demand + launch;
    let gained = 1.0 / on_demand - available / on_spot;
    let wanted = (work - available * slack / on_spot) / gained;
    let hours = if gained > 0.0 { wanted.clamp(0.0, all) } else { all };
    Some(Fallback { spot: Hours::new(available * (slack - hours)), on_demand: Hours::new(hours), feasible })
}

/// Deadline over work, and the share of jobs that missed it with greedy spot and a safety net: 25 public traces,
/// W = 48 h, changeover 6 min. The misses come from starting the net two changeovers before the last moment,
/// without the work since the last checkpoint.
const MISSED: [(f64, f64); 4] = [(1.10, 0.18), (1.25, 0.01), (1.50, 0.01), (2.00, 0.005)];

/// The chance of missing a deadline in spite of the safety net, as measured (linear between the measured points,
/// the last beyond them). `None` below the tightest deadline that was measured, 1.1 times the work.
pub fn measured_miss_rate(work: Hours, deadline: Hours) -> Option<f64> {
    let ratio = deadline / work;
    let [first, .., last] = MISSED;
    if ratio.is_nan() || ratio < first.0 {
        return None;
    }
    let between = MISSED.iter().zip(MISSED.iter().skip(1)).find(|(_, above)| ratio < above.0);
    Some(between.map_or(last.1, |(below, above)| {
        below.1 + (above.1 - below.1) * (ratio - below.0) / (above.0 - below.0)
    }))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;
    use crate::price::spot::{FirstWait, Hazard, Wait, evaluate};

    fn job(rate: f64) -> SpotJob {
        SpotJob {
            work: Hours::new(48.0),
            segments: 96,
            checkpoint: Hours::from_secs(60.0),
            restart: Hours::from_secs(360.0),
            hazard: Hazard::per_hour(rate).unwrap(),
            wait: Wait::varying(Hours::new(1.0), 2.0),
            first_wait: FirstWait::NONE,
        }
    }

    #[test]
    fn work_is_split_so_that_it_all_gets_done() {
        let job = job(0.3);
        let outcome = evaluate(&job);
        let hs = (outcome.billed.get() - 0.1) / 48.0;
        let ho = 1.0 + 60.0 / 1800.0;
        let split = fall_back(&job, &outcome, Hours::new(60.0)).unwrap();
        assert!((split.on_demand.get() / ho + split.spot.get() / hs - 48.0).abs() < 1e-9);
        assert!(split.spot > Hours::ZERO && split.on_demand > Hours::ZERO);
    }

    #[test]
    fn a_later_deadline_never_needs_more_on_demand() {
        let job = job(0.3);
        let outcome = evaluate(&job);
        let mut before = f64::INFINITY;
        for deadline in [10.0, 49.0, 50.0, 55.0, 60.0, 72.0, 96.0, 200.0] {
            let split = fall_back(&job, &outcome, Hours::new(deadline)).unwrap();
            assert_eq!(split.feasible, deadline >= job.shortest().get());
            assert!(split.on_demand.get() <= before);
            before = split.on_demand.get();
        }
        assert_eq!(before, 0.0);
        assert_eq!(fall_back(&job.without_durable_checkpoints(), &outcome, Hours::new(60.0)), None);
    }

    #[test]
    fn misses_are_read_from_the_measured_table() {
        let miss = |ratio: f64| measured_miss_rate(Hours::new(48.0), Hours::new(48.0 * ratio));
        assert_eq!(miss(1.05), None);
        assert_eq!(miss(1.5), Some(0.01));
        assert_eq!(miss(9.0), Some(0.005));
        // Half-way from 1.10 to 1.25.
        assert!((miss(1.175).unwrap() - 0.095).abs() < 1e-9);
        assert_eq!(measured_miss_rate(Hours::ZERO, Hours::ZERO), None);
    }
}
