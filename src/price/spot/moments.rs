//! Mean, variance and clumping of the time up, piece by piece, with the mean time between interruptions as the
//! unit of time.
//!
//! A launch of length r without interruption takes Y(r); a segment of length y, begun on a running instance,
//! takes S(y), where each failure goes back to Y(r + y). The process forgets its past, so Y(r + y) = Y(r) + S(y)
//! with independent terms, and the whole job is Y(r) + (N − 1)·S(τ + C) + S(τ).
//!
//! From E e^{−sY} and first-step analysis of S, with u = 1 − e^{−y}:
//!
//! | | mean | variance |
//! |---|---|---|
//! | Y(r) | eʳ − 1 | 2eʳ(sinh r − r) |
//! | S(y) | eʳ(eʸ − 1) | 2e^{r+y}(eʳ sinh y − y − u·r) |
//!
//! Both are kept here without the failure-free length, and as sums of positive terms, so that nothing cancels.

use super::series::Exponential;
use std::ops::{Add, Mul};

/// Moments of one piece or of a sum of independent pieces, in units of 1/λ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Moments {
    /// Mean time up beyond the failure-free length.
    pub(super) overrun: f64,
    /// Variance of the time up.
    pub(super) variance: f64,
    /// Variance of the number of interruptions beyond its mean: 0 would be Poisson.
    pub(super) clumping: f64,
}

impl Moments {
    /// Y(r): getting through a launch.
    pub(super) fn launch(r: Exponential) -> Self {
        Self {
            overrun: r.beyond_linear(),
            variance: 2.0 * r.value() * r.sinh_beyond_linear(),
            // Failures are geometric with success e^{−r}: variance − mean = (eʳ − 1)².
            clumping: r.minus_one * r.minus_one,
        }
    }

    /// S(y): one segment, each failure of which costs a launch r and the segment again.
    pub(super) fn segment(r: Exponential, y: Exponential) -> Self {
        let mean = r.value() * y.minus_one;
        Self {
            overrun: r.value() * y.beyond_linear() + y.x * r.minus_one,
            variance: 2.0
                * (r.value() * y.value())
                * (r.value() * y.sinh_beyond_linear()
                    + y.x * r.beyond_linear()
                    + r.x * y.decay_beyond_linear()),
            clumping: mean * (mean + 2.0 * r.minus_one),
        }
    }
}

impl Add for Moments {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            overrun: self.overrun + other.overrun,
            variance: self.variance + other.variance,
            clumping: self.clumping + other.clumping,
        }
    }
}

impl Mul<f64> for Moments {
    type Output = Self;

    /// So many independent pieces alike; none of them is nothing, however large the piece.
    fn mul(self, n: f64) -> Self {
        if n == 0.0 {
            return Self::default();
        }
        Self { overrun: self.overrun * n, variance: self.variance * n, clumping: self.clumping * n }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_and_a_segment_are_one_longer_launch() {
        for (r, y) in [(0.01, 0.2), (0.5, 0.5), (2.0, 3.0), (0.0, 1.0), (1.0, 0.0)] {
            let (r, y) = (Exponential::new(r), Exponential::new(y));
            let whole = Moments::launch(Exponential::new(r.x + y.x));
            let parts = Moments::launch(r) + Moments::segment(r, y);
            let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
            close(parts.overrun, whole.overrun);
            close(parts.variance, whole.variance);
            close(parts.clumping, whole.clumping);
        }
    }
}
