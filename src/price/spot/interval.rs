//! How often to write a checkpoint: work between two of them, and the number of segments of a finite job.

use super::{Hazard, lambert_branch};
use crate::units::Hours;

/// Young's first-order interval √(2C/λ) (CACM 17, 1974). Never, without hazard.
pub fn young_interval(checkpoint: Hours, hazard: Hazard) -> Hours {
    if hazard == Hazard::NONE {
        return Hours::NEVER;
    }
    Hours::new((2.0 * checkpoint.get() / hazard.get()).sqrt())
}

/// Daly's higher-order interval (FGCS 22, 2006): √(2CM)·[1 + √(C/2M)/3 + (C/2M)/9] − C for C < 2M, else M, the
/// mean time between interruptions.
pub fn daly_interval(checkpoint: Hours, hazard: Hazard) -> Hours {
    if hazard == Hazard::NONE {
        return Hours::NEVER;
    }
    let (c, m) = (checkpoint.get(), 1.0 / hazard.get());
    let ratio = c / (2.0 * m);
    if ratio < 1.0 {
        Hours::new((2.0 * c * m).sqrt() * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0) - c)
    } else {
        Hours::new(m)
    }
}

/// The exact optimum of a long job, τ* = (1 + W₀(−e^{−1−λC}))/λ: where the derivative of the time per unit of
/// work is zero, e^{−λ(τ+C)} = 1 − λτ. It does not depend on the restart time.
pub fn exact_interval(checkpoint: Hours, hazard: Hazard) -> Hours {
    if hazard == Hazard::NONE {
        return Hours::NEVER;
    }
    Hours::new(lambert_branch(hazard.over(checkpoint)).above_minus_one / hazard.get())
}

/// No more segments than this, nor any shorter than a second of work: a checkpoint that costs nothing would
/// otherwise be written without end.
const MOST_SEGMENTS: f64 = 1e6;

/// The number of equal segments that makes a finite job cheapest; 1 means "write no checkpoint".
///
/// The time up depends on N through (N − 1)(e^{λ(τ+C)} − 1) + e^{λτ} − 1 alone. That is concave for few segments
/// and convex for many, so the best is either 1 or the valley near W/τ*, which lies at most one or two below it
/// because the last segment writes no checkpoint. Equal cost takes fewer.
pub fn best_segments(work: Hours, checkpoint: Hours, hazard: Hazard) -> u32 {
    let most = (work.as_secs()).clamp(1.0, MOST_SEGMENTS).floor();
    let (x, c) = (hazard.over(work), hazard.over(checkpoint));
    let cost = |n: f64| {
        let tau = x / n;
        if n > 1.0 { (n - 1.0) * (tau + c).exp_m1() + tau.exp_m1() } else { tau.exp_m1() }
    };
    let valley = (x / lambert_branch(c).above_minus_one).floor().clamp(1.0, most);
    if !(x > 0.0 && x.is_finite() && c.is_finite() && valley >= 1.0) {
        return 1;
    }
    let mut best = (cost(1.0), 1.0);
    for offset in [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0] {
        let n = (valley + offset).clamp(1.0, most);
        let here = cost(n);
        if here < best.0 {
            best = (here, n);
        }
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 10⁶ by construction")]
    {
        best.1 as u32
    }
}

/// Segments of a job that writes a checkpoint after every `every` of work. Never, or longer than the work, means
/// none; more often than the limit counts as the limit.
pub fn segments_every(work: Hours, every: Hours) -> u32 {
    if work == Hours::ZERO || every == Hours::NEVER {
        return 1;
    }
    // A whole number of intervals does not begin another with its rounding error.
    let n = (work / every - 1e-9).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 1 to 10⁶")]
    {
        n.clamp(1.0, MOST_SEGMENTS) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(h: f64) -> Hours {
        Hours::new(h)
    }

    fn hazard(rate: f64) -> Hazard {
        Hazard::per_hour(rate).unwrap()
    }

    #[test]
    fn without_hazard_there_is_no_checkpoint() {
        let c = hours(0.1);
        for interval in [young_interval, daly_interval, exact_interval] {
            assert_eq!(interval(c, Hazard::NONE), Hours::NEVER);
        }
        assert_eq!(best_segments(hours(100.0), c, Hazard::NONE), 1);
    }

    #[test]
    fn the_exact_interval_solves_its_equation() {
        for (c, rate) in [(0.001, 0.01), (0.1, 0.3), (1.0, 2.0), (5.0, 1.0)] {
            let tau = exact_interval(hours(c), hazard(rate)).get();
            assert!(((-rate * (tau + c)).exp() - (1.0 - rate * tau)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_free_checkpoint_stops_at_the_limit() {
        assert_eq!(best_segments(hours(1.0), Hours::ZERO, hazard(0.3)), 3600);
        assert_eq!(best_segments(hours(1e6), Hours::ZERO, hazard(0.3)), 1_000_000);
    }

    #[test]
    fn a_given_interval_makes_whole_segments() {
        let every = |work: f64, minutes: f64| segments_every(hours(work), Hours::from_secs(60.0 * minutes));
        assert_eq!(every(2.0, 30.0), 4);
        assert_eq!(every(2.1, 30.0), 5);
        assert_eq!(every(0.3, 30.0), 1);
        assert_eq!(every(0.3, 18.0 / 3.0), 3);
        assert_eq!(segments_every(hours(1.0), Hours::NEVER), 1);
        assert_eq!(segments_every(Hours::ZERO, Hours::ZERO), 1);
        assert_eq!(segments_every(hours(1.0), Hours::ZERO), 1_000_000);
    }
}
