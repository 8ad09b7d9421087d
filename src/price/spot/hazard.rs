//! How often a machine is lost: a rate per hour of up-time, and the three scenarios that are always shown.

use crate::units::Hours;

/// Rate of losing a running instance, per hour of up-time. Never negative, always finite.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Hazard(f64);

impl Hazard {
    /// An instance that is never taken back.
    pub const NONE: Self = Self(0.0);

    /// From interruptions per hour; `None` unless finite and not negative.
    pub fn per_hour(rate: f64) -> Option<Self> {
        (rate.is_finite() && rate >= 0.0).then_some(Self(rate))
    }

    /// From the share of instances that is lost over an exposure: −ln(1 − share) ÷ exposure. `None` unless the
    /// share lies in 0 ≤ share < 1 and the exposure is a positive time.
    pub fn from_share(share: f64, exposure: Hours) -> Option<Self> {
        let usable = (0.0..1.0).contains(&share) && exposure > Hours::ZERO && exposure.is_finite();
        usable.then(|| -(-share).ln_1p() / exposure.get()).and_then(Self::per_hour)
    }

    /// In interruptions per hour.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// A multiple of it; what is not a finite, non-negative product becomes the largest rate, never a smaller one.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let rate = self.0 * factor;
        Self(if rate.is_nan() { f64::MAX } else { rate.clamp(0.0, f64::MAX) })
    }

    /// Mean time between interruptions; never, for no hazard.
    pub fn mean_time_between(self) -> Hours {
        Hours::new(1.0 / self.0)
    }

    /// The expected number of interruptions in so much up-time, infinite where that is without end.
    pub fn over(self, time: Hours) -> f64 {
        if self.0 == 0.0 || time == Hours::ZERO { 0.0 } else { self.0 * time.get() }
    }

    /// The chance of at least one interruption in so much up-time.
    pub fn chance_within(self, time: Hours) -> f64 {
        -(-self.over(time)).exp_m1()
    }

    /// The chance of none.
    pub fn chance_of_none(self, time: Hours) -> f64 {
        (-self.over(time)).exp()
    }
}

/// The same quantity three times: published hazards are so uncertain that one figure alone misleads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scenarios<T> {
    /// What is seen where capacity is plentiful.
    pub optimistic: T,
    /// The one to plan with.
    pub default: T,
    /// What is seen where capacity is scarce.
    pub pessimistic: T,
}

impl<T: Copy> Scenarios<T> {
    /// The same change on all three.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Scenarios<U> {
        Scenarios {
            optimistic: f(self.optimistic),
            default: f(self.default),
            pessimistic: f(self.pessimistic),
        }
    }
}

impl Scenarios<Hazard> {
    /// Scenarios around a single known figure (a user's own, or an hourly rate): a third and three times of it.
    /// The factor is a guess; the stated defaults for unknown hazards span 3 to 20 each way.
    pub fn around(hazard: Hazard) -> Self {
        Self { optimistic: hazard.scaled(1.0 / 3.0), default: hazard, pessimistic: hazard.scaled(3.0) }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_rate() {
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Hazard::per_hour(bad), None);
        }
        let month = Hours::new(730.0);
        for bad in [-0.1, 1.0, 1.5, f64::NAN] {
            assert_eq!(Hazard::from_share(bad, month), None);
        }
        assert_eq!(Hazard::from_share(0.1, Hours::ZERO), None);
        assert_eq!(Hazard::from_share(0.1, Hours::NEVER), None);
    }

    #[test]
    fn a_share_and_its_exposure_read_back() {
        let hazard = Hazard::from_share(0.2, Hours::new(24.0)).unwrap();
        assert!((hazard.chance_within(Hours::new(24.0)) - 0.2).abs() < 1e-15);
        assert!((hazard.mean_time_between().get() - 24.0 / 1.25_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn no_hazard_survives_forever() {
        assert_eq!(Hazard::NONE.chance_of_none(Hours::NEVER), 1.0);
        assert_eq!(Hazard::NONE.mean_time_between(), Hours::NEVER);
        assert_eq!(Hazard::NONE.scaled(f64::INFINITY), Hazard::NONE);
        assert_eq!(Hazard(1.0).scaled(f64::NAN).get(), f64::MAX);
    }
}
