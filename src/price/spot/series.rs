//! An exponential and what remains of it after its first terms, without cancellation for small arguments.

/// x with eˣ − 1, from which everything else follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exponential {
    /// The argument, not negative.
    pub(super) x: f64,
    /// eˣ − 1.
    pub(super) minus_one: f64,
}

/// 1/2!, 1/3!, … as a Taylor series needs them after its first two terms.
const INVERSE_FACTORIALS: [f64; 13] = {
    let mut all = [0.0; 13];
    let (mut k, mut factorial) = (0, 1.0);
    while k < 13 {
        #[expect(clippy::cast_precision_loss, reason = "k is at most 14")]
        {
            factorial *= (k + 2) as f64;
        }
        all[k] = 1.0 / factorial;
        k += 1;
    }
    all
};

/// Σ_{k≥2} xᵏ/k!, to rounding for |x| ≤ 0.3.
fn tail(x: f64) -> f64 {
    x * x * INVERSE_FACTORIALS.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

impl Exponential {
    pub(super) fn new(x: f64) -> Self {
        Self { x, minus_one: x.exp_m1() }
    }

    /// eˣ.
    pub(super) fn value(self) -> f64 {
        1.0 + self.minus_one
    }

    /// 1 − e⁻ˣ.
    pub(super) fn lost(self) -> f64 {
        if self.minus_one < 1.0 { self.minus_one / self.value() } else { 1.0 - 1.0 / self.value() }
    }

    /// eˣ − 1 − x.
    pub(super) fn beyond_linear(self) -> f64 {
        if self.x < 0.3 { tail(self.x) } else { self.minus_one - self.x }
    }

    /// e⁻ˣ − 1 + x.
    pub(super) fn decay_beyond_linear(self) -> f64 {
        if self.x < 0.3 { tail(-self.x) } else { self.x - self.lost() }
    }

    /// sinh x − x.
    pub(super) fn sinh_beyond_linear(self) -> f64 {
        if self.x < 0.6 {
            let x2 = self.x * self.x;
            let nested = [272.0, 210.0, 156.0, 110.0, 72.0, 42.0, 20.0]
                .iter()
                .fold(1.0, |sum, product| 1.0 + sum * x2 * (1.0 / product));
            self.x * x2 * nested / 6.0
        } else {
            f64::midpoint(self.minus_one, self.lost()) - self.x
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;

    /// Taylor sums carried to 60 terms, which have no cancellation for positive arguments.
    fn taylor(x: f64, first: i32, step: usize) -> f64 {
        let factorial = |k: i32| (1..=k).map(f64::from).product::<f64>();
        (first..60).step_by(step).map(|k| x.powi(k) / factorial(k)).sum()
    }

    #[test]
    fn remainders_agree_with_their_series_on_both_sides_of_the_switch() {
        for x in [1e-9, 1e-3, 0.1, 0.299, 0.3, 0.301, 0.59, 0.6, 0.61, 1.0, 3.0, 8.0] {
            let e = Exponential::new(x);
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 5e-15, "{x}: {a} {b}");
            close(e.beyond_linear(), taylor(x, 2, 1));
            close(e.sinh_beyond_linear(), taylor(x, 3, 2));
            // e⁻ˣ − 1 + x = (cosh x − 1) − (sinh x − x), which cancels for large x only.
            if x < 1.5 {
                close(e.decay_beyond_linear(), taylor(x, 2, 2) - taylor(x, 3, 2));
            }
        }
        assert_eq!(Exponential::new(700.0).lost(), 1.0);
    }
}
