//! Spot with an on-demand safety net: spot capacity while there is slack, on-demand as soon as the deadline
//! would otherwise be lost.
//!
//! The policy: as long as capacity comes back in time, the job stays on spot. When it waits for capacity and what is
//! left of the time is the work that is left, two launches and one segment (what an interruption may have cost), it
//! goes on on-demand to its end. That is the last moment at which the end is certain, once on-demand capacity is had.

use super::{SpotJob, SpotOutcome, Spread};
use crate::units::Hours;

/// Expected hours of each kind for one instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fallback {
    /// Billed at the spot price.
    pub spot: Hours,
    /// Billed at the on-demand price.
    pub on_demand: Hours,
    /// Expected time to the end, at most.
    pub time: Hours,
}

/// The time before a deadline until which spot may still turn out: two launches and one segment with its checkpoint.
pub fn margin(job: &SpotJob) -> Hours {
    let checkpoint = if job.segments > 1 { job.checkpoint } else { Hours::ZERO };
    job.restart * 2.0 + job.segment() + checkpoint
}

/// The work with its checkpoints, without a launch.
pub fn worked(job: &SpotJob) -> Hours {
    job.shortest().minus(job.restart)
}

/// The expected split for a deadline, counted from the moment of asking, with the law of the job's completion time on
/// spot alone.
///
/// Be F = W·(1 + C/τ) + R a run on-demand alone, and E the deadline less the margin. A job that would take T > E on
/// spot alone advances at W/T; from the moment at which only F-many hours of work fit, it is on-demand for
/// F·(T − E)/(T − F) hours. The mean of that over the law of T is [`Spread::share_after`] E, of F. What is not done on-demand
/// is done on spot at its own inflation.
///
/// Against 1,500 simulated runs each of W = 2 to 48 h, λ = 0.05 to 1 per hour, deadlines of 1.2 to 3 times the work, waits
/// of 1 h with a variation of 2: cost −4 to +10 % (−8 % in a case of W = 10 h, λ = 0.5), no deadline missed. Put at the mean of T alone it would be off by −21
/// to +33 %.
///
/// `None` for a job without checkpoints, which has no work to carry over, for one that never ends on spot, and for a
/// deadline that leaves no more time than on-demand alone needs.
pub fn fall_back(job: &SpotJob, outcome: &SpotOutcome, law: &Spread, deadline: Hours) -> Option<Fallback> {
    if job.segments <= 1 || !outcome.billed.is_finite() || job.work == Hours::ZERO {
        return None;
    }
    let alone = worked(job) + job.restart;
    let end = deadline.minus(margin(job));
    if end <= alone {
        return None;
    }
    let share = law.share_after(end);
    Some(Fallback {
        spot: outcome.billed * (1.0 - share),
        on_demand: alone * share,
        time: outcome.completion.min(deadline),
    })
}

/// The split of a job too short for a checkpoint, whose stage otherwise has its fallback by them: it stays on spot for as
/// long as all of it still fits, with a launch to spare, and is then done on-demand from its beginning. The hours on spot
/// are those to the end on spot alone: at most, as the others never get so far.
///
/// `None` for a job with checkpoints, for one that never ends on spot, and where the time does not allow a second start.
pub fn fall_back_whole(
    job: &SpotJob,
    outcome: &SpotOutcome,
    law: &Spread,
    deadline: Hours,
) -> Option<Fallback> {
    if job.segments > 1 || !outcome.billed.is_finite() {
        return None;
    }
    let alone = job.shortest();
    let end = deadline.minus(margin(job));
    if end <= alone {
        return None;
    }
    let share = (1.0 - law.within(end)).clamp(0.0, 1.0);
    Some(Fallback { spot: outcome.billed, on_demand: alone * share, time: outcome.completion.min(deadline) })
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

/// The tightest deadline over work at which the measured chance of missing is at most `share`; `None` where no
/// measured deadline is that safe.
pub fn least_ratio(share: f64) -> Option<f64> {
    let [first, .., last] = MISSED;
    if share.is_nan() || share < last.1 {
        return None;
    }
    if share >= first.1 {
        return Some(first.0);
    }
    let below = |(below, above): &((f64, f64), (f64, f64))| above.1 <= share && share < below.1;
    let (below, above) = MISSED.into_iter().zip(MISSED.into_iter().skip(1)).find(below)?;
    Some(below.0 + (above.0 - below.0) * (below.1 - share) / (below.1 - above.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::spot::{self, Burst, FirstWait, Hazard, Wait, completion_spread, evaluate};

    fn job(work: f64, rate: f64) -> SpotJob {
        SpotJob {
            work: Hours::new(work),
            segments: spot::segments_every(Hours::new(work), Hours::new(0.25)),
            checkpoint: Hours::from_secs(60.0),
            restart: Hours::from_secs(600.0),
            hazard: Hazard::per_hour(rate).unwrap(),
            wait: Wait::varying(Hours::new(1.0), 2.0),
            first_wait: FirstWait::NONE,
        }
    }

    fn split(job: &SpotJob, deadline: f64) -> Option<Fallback> {
        let outcome = evaluate(job);
        let law = completion_spread(job, &outcome, Burst::OFF);
        fall_back(job, &outcome, &law, Hours::new(deadline))
    }

    #[test]
    fn the_split_is_that_of_simulated_runs() {
        // 1,500 runs each of the policy (quarter-hour segments, C = 1 min, R = 10 min, waits of 1 h, variation 2): mean
        // hours on spot and on-demand for a deadline of so many times the work, and the margin.
        let runs = [
            (2.0, 0.05, 1.5, 2.25, 0.06),
            (2.0, 0.3, 1.2, 1.74, 0.70),
            (2.0, 0.3, 2.0, 2.24, 0.22),
            (2.0, 1.0, 2.0, 2.00, 0.79),
            (6.0, 0.3, 1.5, 5.88, 1.16),
            (6.0, 1.0, 3.0, 7.45, 1.04),
            (12.0, 0.3, 1.2, 7.80, 5.83),
            (12.0, 1.0, 1.5, 5.89, 8.60),
            (48.0, 0.05, 1.2, 48.75, 3.30),
            (48.0, 0.3, 1.5, 47.71, 7.75),
            (48.0, 1.0, 2.0, 37.33, 23.79),
        ];
        for (work, rate, ratio, spot, on_demand) in runs {
            let job = job(work, rate);
            let deadline = work * ratio + margin(&job).get();
            let found = split(&job, deadline).unwrap();
            let cost = |spot: f64, on_demand: f64| 0.35 * spot + on_demand;
            let (ours, theirs) = (cost(found.spot.get(), found.on_demand.get()), cost(spot, on_demand));
            assert!(
                (ours / theirs - 1.0).abs() < 0.10,
                "W {work} λ {rate} D {ratio}: {ours} against {theirs}"
            );
        }
    }

    #[test]
    fn a_later_deadline_never_needs_more_on_demand() {
        let job = job(48.0, 0.3);
        let mut before = f64::INFINITY;
        for deadline in [53.0, 55.0, 60.0, 72.0, 96.0, 200.0] {
            let split = split(&job, deadline).unwrap();
            assert!(split.on_demand.get() <= before);
            assert!(split.time.get() <= deadline);
            before = split.on_demand.get();
        }
        assert!(before < 1e-6);
        assert_eq!(split(&job.without_durable_checkpoints(), 60.0), None);
        assert_eq!(split(&job, 48.0), None);
    }

    #[test]
    fn what_is_too_short_for_a_checkpoint_is_done_on_spot_or_anew() {
        let job = SpotJob { segments: 1, ..job(0.5, 0.05) };
        let outcome = evaluate(&job);
        let law = completion_spread(&job, &outcome, Burst::OFF);
        let found = fall_back_whole(&job, &outcome, &law, Hours::new(2.5)).unwrap();
        // Of 0.667 h up, e^(−0.05 × 0.667) = 96.7 % see no interruption: less than 3.3 % of a run is on-demand.
        assert!((found.spot / outcome.billed - 1.0).abs() < 1e-12);
        assert!(found.on_demand.get() > 0.0 && found.on_demand / job.shortest() < 0.033, "{found:?}");
        // 2 × 0.5 h of work and 3 launches of 10 min are 1.5 h.
        assert_eq!(fall_back_whole(&job, &outcome, &law, Hours::new(1.49)), None);
        assert!(fall_back_whole(&job, &outcome, &law, Hours::new(1.51)).is_some());
        assert_eq!(fall_back(&job, &outcome, &law, Hours::new(2.5)), None);
    }

    #[test]
    fn without_hazard_all_of_it_is_spot() {
        let split = split(&job(12.0, 0.0), 20.0).unwrap();
        assert_eq!((split.on_demand, split.spot), (Hours::ZERO, job(12.0, 0.0).shortest()));
    }

    #[test]
    fn the_tightest_deadline_is_read_back_from_the_same_table() {
        // 5 % lies 13/17 of the way from 18 % at 1.10 to 1 % at 1.25.
        assert!((least_ratio(0.05).unwrap() - (1.10 + 0.15 * 13.0 / 17.0)).abs() < 1e-12);
        assert_eq!(
            (least_ratio(0.5), least_ratio(0.01), least_ratio(0.005)),
            (Some(1.1), Some(1.25), Some(2.0))
        );
        assert_eq!((least_ratio(0.004), least_ratio(f64::NAN)), (None, None));
        for share in [0.17, 0.1, 0.05, 0.02, 0.01, 0.007, 0.005] {
            let ratio = least_ratio(share).unwrap();
            assert!(measured_miss_rate(Hours::new(1.0), Hours::new(ratio)).unwrap() <= share + 1e-12);
        }
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
