//! The exact law of the completion time, from its Laplace transform.
//!
//! X is the time beyond the shortest completion. A failed attempt at a stretch of length ℓ contributes
//! f = λ/(λ + s)·(1 − e^{−(λ+s)ℓ})·ψ(s) to its transform, ψ being that of a wait, so that a launch has
//! Y(ℓ) = e^{−λℓ}/(1 − f), a segment S(y) = e^{−λy} + f·Y(R + y)·e^{−sR}, and X = ψ₀·Y(R)·S(τ + C)^{N−1}·S(τ).
//! It is inverted by the Euler summation of J. Abate and W. Whitt, "Numerical inversion of Laplace transforms of
//! probability distributions", ORSA J. Computing 7 (1995), with A = 18.4 (error e^{−A} = 1e-8), 25 terms and 15
//! averages.

use super::SpotJob;
use super::complex::Complex;

/// A wait as a gamma law of its mean and standard deviation; the deviation 0 is a fixed wait.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WaitLaw {
    mean: f64,
    deviation: f64,
}

impl WaitLaw {
    /// 1 − E e^{−sQ} = 1 − (1 + sv/q)^{−q²/v}, v being the variance; it is small for small s.
    fn missing(self, s: Complex) -> Complex {
        let shape = (self.mean / self.deviation).powi(2);
        let exponent = if self.mean == 0.0 || shape < 1e-9 {
            // Almost surely no wait at all.
            return Complex::real(0.0);
        } else if shape > 1e6 {
            s.scaled(-self.mean)
        } else {
            s.scaled(self.mean / shape).ln_1p().scaled(-shape)
        };
        exponent.exp_m1().scaled(-1.0)
    }
}

/// The plain process of one job, ready to be asked for probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Transform {
    rate: f64,
    restart: f64,
    /// τ + C and τ.
    lengths: [f64; 2],
    repeated: u32,
    wait: WaitLaw,
    at_once: f64,
    first: WaitLaw,
    /// P(X = 0).
    atom: f64,
}

const A: f64 = 18.4;
const TERMS: usize = 25;
/// Binomial weights of the averages, C(15, j)/2¹⁵.
const WEIGHTS: [f64; 16] = [
    1.0, 15.0, 105.0, 455.0, 1365.0, 3003.0, 5005.0, 6435.0, 6435.0, 5005.0, 3003.0, 1365.0, 455.0, 105.0,
    15.0, 1.0,
];

impl Transform {
    pub(super) fn new(job: &SpotJob) -> Self {
        let at_once = job.first_wait.at_once.clamp(0.0, 1.0);
        let (mean, deviation) = (job.first_wait.mean.get(), job.first_wait.deviation.get());
        // Moments of the first wait, given that there is one.
        let later = if at_once < 1.0 { mean / (1.0 - at_once) } else { 0.0 };
        let second =
            if at_once < 1.0 { (deviation * deviation + mean * mean) / (1.0 - at_once) } else { 0.0 };
        Self {
            rate: job.hazard.get(),
            restart: job.restart.get(),
            lengths: [(job.segment() + job.checkpoint).get(), job.segment().get()],
            repeated: job.segments.max(1) - 1,
            wait: WaitLaw { mean: job.wait.mean.get(), deviation: job.wait.deviation.get() },
            at_once,
            first: WaitLaw { mean: later, deviation: (second - later * later).max(0.0).sqrt() },
            atom: at_once * job.hazard.chance_of_none(job.shortest()),
        }
    }

    /// P(X ≤ x), for x > 0.
    pub(super) fn below(&self, x: f64) -> f64 {
        let step = std::f64::consts::PI / x;
        let term = |k: f64| {
            let s = Complex { re: A / (2.0 * x), im: k * step };
            ((self.at(s) - Complex::real(self.atom)) * s.inverse()).re
        };
        let mut sum = 0.5 * term(0.0);
        let (mut sign, mut k, mut average) = (-1.0, 1.0, 0.0);
        for _ in 0..TERMS {
            sum += sign * term(k);
            (sign, k) = (-sign, k + 1.0);
        }
        for (j, weight) in WEIGHTS.iter().enumerate() {
            if j > 0 {
                sum += sign * term(k);
                (sign, k) = (-sign, k + 1.0);
            }
            average += weight / 32_768.0 * sum;
        }
        (self.atom + (A / 2.0).exp() / x * average).clamp(self.atom, 1.0)
    }

    /// E e^{−sX}. The transforms of a stretch hold 1 − f, which is tiny where the stretch is long; it is summed from
    /// s + λe^{−(λ+s)ℓ} and the missing part of the wait, all divided by λ + s, so that nothing cancels.
    fn at(&self, s: Complex) -> Complex {
        let one = Complex::real(1.0);
        let decay = s + Complex::real(self.rate);
        let (missing, per_decay) = (self.wait.missing(s), decay.inverse());
        let present = one - missing;
        let launch = decay.scaled(-self.restart).exp();
        let launched = |length: f64, passed: Complex| {
            let left = s + passed.scaled(self.rate) + ((one - passed) * missing).scaled(self.rate);
            left.inverse() * decay.scaled((-self.rate * length).exp())
        };
        let back = launch.scaled((self.rate * self.restart).exp());
        let segment = |length: f64| {
            let passed = decay.scaled(-length).exp();
            let failed = ((one - passed) * present * per_decay).scaled(self.rate);
            Complex::real((-self.rate * length).exp())
                + failed * launched(self.restart + length, launch * passed) * back
        };
        let [full, last] = self.lengths;
        let mut all = launched(self.restart, launch) * segment(last);
        if self.repeated > 0 {
            all = all * segment(full).powi(self.repeated);
        }
        if self.at_once < 1.0 {
            all = all * (one - self.first.missing(s).scaled(1.0 - self.at_once));
        }
        all
    }
}
