//! A segment whose interruptions are announced, and whose state is saved in time with probability g each.
//!
//! Count the work that is left, y, downwards. From a saved state with y left, an attempt ends in a save or at the
//! end with probability D(y) = g + (1 − g)e^{−y}, else it is lost. The saves along the way then form a Poisson
//! process of rate g/D(y): the density of the next one, g·e^{−(z−y)}/D(z), is exactly that of such a process. So
//! the time is a compound Poisson sum, of one launch and the lost attempts after it per save, and Campbell's
//! theorem gives mean and variance. The mean has a closed form, eʳ·ln(1 + g(eʸ − 1))/g, which is the plain
//! eʳ(eʸ − 1) for g → 0 and eʳy for g = 1.

use super::moments::Moments;
use super::series::Exponential;

/// Below this chance a save in time counts as none.
pub(super) const UNLIKELY: f64 = 1e-9;
/// Mean times between interruptions that a launch may take: beyond it the squares below overflow, and e^300 of
/// anything is never.
pub(super) const LONGEST_LAUNCH: f64 = 300.0;
/// Work left beyond which nothing depends on it any more.
const FAR: f64 = 60.0;

/// Mean and variance.
#[derive(Clone, Copy)]
struct Law {
    mean: f64,
    variance: f64,
}

impl Law {
    /// The sum of as many independent values as there are failures before a success, at those odds of failure.
    fn repeated(self, odds: f64) -> Self {
        let counted = self.mean * self.mean * odds * (1.0 + odds);
        Self { mean: odds * self.mean, variance: odds * self.variance + counted }
    }

    fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, variance: self.variance + other.variance }
    }

    fn second(self) -> f64 {
        self.variance + self.mean * self.mean
    }
}

/// What one launch costs: its time, and the interruptions that it meets and the one before it.
struct Launch {
    time: Law,
    interruptions: Law,
}

/// Time and interruptions of the attempts that are lost from a state with `left` to do.
fn lost(launch: &Launch, g: f64, left: f64) -> (Law, Law) {
    let done = (-left).exp();
    let fails = (1.0 - g) * -(-left).exp_m1();
    let odds = fails / (g + (1.0 - g) * done);
    if fails <= 0.0 {
        let nothing = Law { mean: 0.0, variance: 0.0 };
        return (nothing, nothing);
    }
    // Moments of an exponential up-time, given that it is shorter than what is left.
    let (first, second) = if left < 0.01 {
        (left * (0.5 - left / 12.0), left * left * (1.0 / 3.0 - left / 12.0))
    } else {
        let within = -(-left).exp_m1();
        let first = 1.0 - left * done / within;
        (first, 2.0 * first - left * left * done / within)
    };
    let worked = Law { mean: first, variance: (second - first * first).max(0.0) };
    (worked.plus(launch.time).repeated(odds), launch.interruptions.repeated(odds))
}

/// Moments of a segment of length y, in units of 1/λ, after launches of length r up to `LONGEST_LAUNCH`, for g from
/// `UNLIKELY` to 1.
pub(super) fn segment_with_notice(r: Exponential, y: f64, g: f64) -> Moments {
    let alone = Moments::launch(r);
    let launch = Launch {
        time: Law { mean: r.minus_one, variance: alone.variance },
        interruptions: Law { mean: r.value(), variance: r.value() * r.minus_one },
    };
    // At a save: its launch and the attempts lost from there. Twice per unit of time and of interruptions.
    let at = |left: f64| {
        let (time, count) = lost(&launch, g, left);
        let rate = g / (g + (1.0 - g) * (-left).exp());
        (rate * time.plus(launch.time).second(), rate * count.plus(launch.interruptions).second())
    };
    let near = y.min(FAR);
    let (mut time, mut count) = simpson(at, near);
    if y > near {
        let (time_rate, count_rate) = at(FAR);
        time += (y - near) * time_rate;
        count += (y - near) * count_rate;
    }
    let (first_time, first_count) = lost(&launch, g, y);
    let beyond = (mean_beyond_length(y, g) * r.value()).max(0.0);
    let overrun = beyond + y * r.minus_one;
    Moments {
        overrun,
        variance: first_time.variance + time,
        clumping: (first_count.variance + count - (y + overrun)).max(0.0),
    }
}

/// ln(1 + g(eʸ − 1))/g − y.
fn mean_beyond_length(y: f64, g: f64) -> f64 {
    if y < 1e-4 {
        return (1.0 - g) * y * y * (0.5 + (1.0 - 2.0 * g) * y / 6.0);
    }
    if y < 1.0 {
        return (g * y.exp_m1()).ln_1p() / g - y;
    }
    ((1.0 - g) * y + (g + (1.0 - g) * (-y).exp()).ln()) / g
}

/// The integral from 0 of two functions at once, by Simpson's rule in steps of at most an eighth.
fn simpson(f: impl Fn(f64) -> (f64, f64), to: f64) -> (f64, f64) {
    let pairs = (to * 4.0).ceil().max(4.0);
    let step = to / (2.0 * pairs);
    let (mut sum, mut at) = (f(0.0), 0.0);
    let mut add = |(a, b): (f64, f64), weight: f64| {
        sum.0 += weight * a;
        sum.1 += weight * b;
    };
    while at < 2.0 * pairs {
        add(f(step * (at + 1.0)), 4.0);
        add(f(step * (at + 2.0)), if at + 2.0 < 2.0 * pairs { 2.0 } else { 1.0 });
        at += 2.0;
    }
    (sum.0 * step / 3.0, sum.1 * step / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a / b - 1.0).abs() < tolerance, "{a} {b}");
    }

    #[test]
    fn without_success_it_is_the_plain_segment() {
        for (r, y) in [(0.01, 0.05), (0.3, 0.5), (0.2, 3.0)] {
            let r = Exponential::new(r);
            let (with, plain) = (segment_with_notice(r, y, 1e-9), Moments::segment(r, Exponential::new(y)));
            close(with.overrun, plain.overrun, 1e-6);
            close(with.variance, plain.variance, 1e-6);
            close(with.clumping, plain.clumping, 1e-6);
        }
    }

    #[test]
    fn with_certain_success_only_launches_are_lost() {
        let r = Exponential::new(0.3);
        let with = segment_with_notice(r, 2.0, 1.0);
        close(with.overrun, 2.0 * r.minus_one, 1e-12);
        close(with.variance, 2.0 * 2.0 * r.value() * r.beyond_linear(), 1e-12);
        close(with.clumping, 2.0 * 2.0 * r.value() * r.minus_one, 1e-12);
    }

    #[test]
    fn the_closed_mean_is_campbells() {
        for (r, y, g) in [(0.02, 0.1_f64, 0.3), (0.25, 1.0, 0.5), (0.1, 4.0, 0.05), (0.1, 80.0, 0.7)] {
            let r = Exponential::new(r);
            let launch = Launch {
                time: Law { mean: r.minus_one, variance: 0.0 },
                interruptions: Law { mean: 0.0, variance: 0.0 },
            };
            let at =
                |z: f64| (g / (g + (1.0 - g) * (-z).exp()) * (r.minus_one + lost(&launch, g, z).0.mean), 0.0);
            let near = y.min(FAR);
            let sum = simpson(at, near).0 + (y - near) * at(FAR).0 + lost(&launch, g, y).0.mean;
            close(segment_with_notice(r, y, g).overrun, sum, 1e-5);
        }
    }
}
