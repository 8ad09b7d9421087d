//! The principal branch of Lambert's W at −e^{−1−c}, c ≥ 0: the point at which checkpointing is optimal.
//!
//! Near c = 0 the argument meets the branch point, where W computed from the argument loses half its digits; so
//! c itself is the argument here. With t = 1 + W the defining equation reads −ln(1 − t) − t = c.
//! Starting value: the series at the branch point in Corless, Gonnet, Hare, Jeffrey and Knuth, "On the Lambert W
//! function", Adv. Comput. Math. 5 (1996), eq. 4.22.

/// W₀(−e^{−1−c}) as its distance to −1 and its depth below 0; each keeps its relative precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// 1 + W₀, from 0 at c = 0 to 1.
    pub above_minus_one: f64,
    /// −W₀, from 1 at c = 0 to 0.
    pub below_zero: f64,
}

/// −ln(1 − t) − t, whose first terms cancel for small t.
fn log_beyond_linear(t: f64) -> f64 {
    if t >= 0.1 {
        return -(-t).ln_1p() - t;
    }
    t * t * (2..=18).rev().fold(0.0, |sum, k| sum * t + 1.0 / f64::from(k))
}

/// W₀(−e^{−1−c}), to a few units in the last place. `c` below zero or not a number counts as zero.
pub fn lambert_branch(c: f64) -> Branch {
    if c.is_nan() || c <= 0.0 {
        return Branch { above_minus_one: 0.0, below_zero: 1.0 };
    }
    if c < 1.0 {
        let p = (-2.0 * (-c).exp_m1()).sqrt();
        let mut t = p * (1.0 - p / 3.0 + 11.0 / 72.0 * p * p);
        for _ in 0..20 {
            let step = (log_beyond_linear(t) - c) * (1.0 - t) / t;
            t = (t - step).clamp(t / 2.0, t.midpoint(1.0));
            if step.abs() <= 4.0 * f64::EPSILON * t {
                break;
            }
        }
        return Branch { above_minus_one: t, below_zero: 1.0 - t };
    }
    let start = (-1.0 - c).exp();
    let mut w = start * (1.0 + start);
    // The start is good to e^{−2−2c}, and each step squares the error. Below the smallest number −W₀ is zero.
    for _ in 0..4 {
        if w > 0.0 {
            w -= (w.ln() - w + 1.0 + c) * w / (1.0 - w);
        }
    }
    Branch { above_minus_one: 1.0 - w, below_zero: w }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;

    #[test]
    fn solves_its_equation() {
        for c in [1e-12, 1e-6, 0.003, 0.1, 0.5, 0.999, 1.0, 1.001, 3.0, 30.0, 600.0] {
            let Branch { above_minus_one: t, below_zero: w } = lambert_branch(c);
            // w·e^{−w} = e^{−1−c}, in logarithms; near the branch point the other form decides.
            assert!((w.ln() - w + 1.0 + c).abs() <= 1e-13 * (1.0 + c), "{c}: {w}");
            assert!((log_beyond_linear(t) / c - 1.0).abs() < 1e-12 || c > 20.0, "{c}: {t}");
        }
    }

    #[test]
    fn known_points() {
        // W₀(−ln 2 / 2) = −ln 2, so c = ln 2 − 1 − ln ln 2.
        let c = 2f64.ln() - 1.0 - 2f64.ln().ln();
        assert!((lambert_branch(c).below_zero - 2f64.ln()).abs() < 1e-14);
        // Close to the branch point t = √(2c) − 2c/3 + …
        assert!((lambert_branch(1e-10).above_minus_one / 2e-10_f64.sqrt() - 1.0).abs() < 1e-5);
        assert_eq!(lambert_branch(0.0).below_zero, 1.0);
        assert_eq!(lambert_branch(f64::NAN).below_zero, 1.0);
        assert_eq!(lambert_branch(f64::INFINITY).below_zero, 0.0);
        assert_eq!(lambert_branch(1e4).below_zero, 0.0);
    }
}
