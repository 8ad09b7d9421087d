//! Durations. [`Hours`] is an estimate (a real number, with a band beside it); [`BilledTime`] is what a
//! provider counts (whole milliseconds), so that a bill is exact.

use super::number::{significant, split};
use super::{Quantity, QuantityError};
use std::ops::{Add, Div, Mul};

/// Durations that people type end here: a hundred years of 365 days.
pub(crate) const LONGEST_DAYS: f64 = 36_500.0;
/// Above none they begin here: a millionth of a second.
const SHORTEST_SECS: f64 = 1e-6;

/// Hours in a month, the length that cloud price lists use (8,760 ÷ 12).
pub const HOURS_PER_MONTH: f64 = 730.0;

/// A duration in hours: never negative, never NaN. Infinity stands for "never ends" and prints so.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Hours(f64);

impl Hours {
    /// No time at all.
    pub const ZERO: Self = Self(0.0);
    /// A thing that does not end.
    pub const NEVER: Self = Self(f64::INFINITY);

    /// From hours. What is negative counts as zero, what is not a number as never.
    pub fn new(hours: f64) -> Self {
        if hours.is_nan() { Self::NEVER } else { Self(hours.max(0.0)) }
    }

    /// From whole minutes.
    pub const fn from_minutes(minutes: u16) -> Self {
        Self(minutes as f64 / 60.0)
    }

    /// From whole days.
    pub const fn from_days(days: u16) -> Self {
        Self(days as f64 * 24.0)
    }

    /// From seconds, with the same care.
    pub fn from_secs(seconds: f64) -> Self {
        Self::new(seconds / 3600.0)
    }

    /// In hours.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// In seconds.
    pub fn as_secs(self) -> f64 {
        self.0 * 3600.0
    }

    /// Whether it ends.
    pub fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// Total order; `never` comes last.
    pub fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }

    /// The longer one.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The shorter one.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// What is left after taking `other` away; zero when nothing is.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::new(self.0 - other.0)
    }
}

impl Add for Hours {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Mul<f64> for Hours {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self::new(self.0 * factor)
    }
}

impl Div<f64> for Hours {
    type Output = Self;

    fn div(self, divisor: f64) -> Self {
        Self::new(self.0 / divisor)
    }
}

impl Div for Hours {
    type Output = f64;

    fn div(self, other: Self) -> f64 {
        self.0 / other.0
    }
}

impl std::iter::Sum for Hours {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl std::fmt::Display for Hours {
    /// At most two units and three significant figures or so: `45 s`, `12 min`, `6 h 30 min`, `3 d 4 h`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.is_finite() {
            return f.write_str("never");
        }
        let seconds = self.as_secs();
        let pair = |f: &mut std::fmt::Formatter<'_>, unit: f64, big: &str, part: f64, small: &str| {
            let parts_per_unit = (unit / part).round();
            let total = (seconds / part).round();
            let (whole, rest) = ((total / parts_per_unit).floor(), total % parts_per_unit);
            if rest == 0.0 { write!(f, "{whole} {big}") } else { write!(f, "{whole} {big} {rest} {small}") }
        };
        if seconds < 10.0 {
            write!(f, "{} s", significant(seconds, 2))
        } else if seconds < 59.5 {
            write!(f, "{seconds:.0} s")
        } else if seconds < 600.0 && (seconds / 60.0).fract() > 1e-9 {
            pair(f, 60.0, "min", 1.0, "s")
        } else if seconds < 3570.0 {
            write!(f, "{:.0} min", seconds / 60.0)
        } else if self.0 < 48.0 {
            pair(f, 3600.0, "h", 60.0, "min")
        } else if self.0 < 24.0 * 100.0 {
            pair(f, 86_400.0, "d", 3600.0, "h")
        } else {
            write!(f, "{} d", super::number::thousands(self.0 / 24.0))
        }
    }
}

impl Quantity for Hours {
    const ALLOWED: &'static str = "a duration with its unit, such as \"6h30m\", \"90m\", \"45s\" or \"2d\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let mut rest = text.trim();
        let mut total = 0.0;
        let mut last = f64::INFINITY;
        while !rest.is_empty() {
            let (number, after) = split(rest).ok_or_else(error)?;
            let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            let seconds = match &after[..letters] {
                "ms" => 1e-3,
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
                "h" | "hr" | "hour" | "hours" => 3600.0,
                "d" | "day" | "days" => 86_400.0,
                "w" | "week" | "weeks" => 604_800.0,
                "M" => return Err(error().suggest(format!("{number}m"))),
                "H" => return Err(error().suggest(format!("{number}h"))),
                _ => return Err(error()),
            };
            // Units fall from left to right and no part is negative: "30m2h" is a slip, not a duration.
            if seconds >= last || number < 0.0 {
                return Err(error());
            }
            last = seconds;
            total += number * seconds;
            rest = after[letters..].trim_start();
        }
        if text.trim().is_empty() {
            return Err(error());
        }
        if total > 0.0 && total < SHORTEST_SECS {
            return Err(QuantityError::new("at least 0.001ms, or 0s"));
        }
        if total > LONGEST_DAYS * 86_400.0 {
            return Err(QuantityError::new("at most 36500d (100 years)"));
        }
        Ok(Self::from_secs(total))
    }
}

/// Time as a provider bills it, in whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct BilledTime(i64);

impl BilledTime {
    /// From whole milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From whole seconds.
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds * 1000)
    }

    /// From an estimate, to the nearest millisecond; `None` where it never ends or exceeds 10 million years.
    pub fn from_hours(hours: Hours) -> Option<Self> {
        // What takes time at all is billed as some: never less than a millisecond.
        let least = if hours > Hours::ZERO { 1.0 } else { 0.0 };
        let millis = (hours.get() * 3.6e6).round().max(least);
        #[expect(clippy::cast_possible_truncation, reason = "checked against 2⁵³ on the same line")]
        (millis < 9e15).then_some(Self(millis as i64))
    }

    /// In whole milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// As an estimate again.
    pub fn hours(self) -> Hours {
        #[expect(clippy::cast_precision_loss, reason = "below 2⁵³ milliseconds by construction")]
        Hours::new(self.0 as f64 / 3.6e6)
    }

    /// Rounded up to the next multiple of `step` and raised to `minimum`.
    #[must_use]
    pub fn rounded_up(self, step: Self, minimum: Self) -> Self {
        let raised = self.0.max(minimum.0);
        let step = step.0.max(1);
        Self(
            raised
                .div_euclid(step)
                .saturating_add(i64::from(raised.rem_euclid(step) != 0))
                .saturating_mul(step),
        )
    }
}

impl Add for BilledTime {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A figure with the interval that is meant to hold the truth nine times out of ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band<T> {
    /// Nine times out of ten the truth is not below this (with `high`).
    pub low: T,
    /// The figure to plan with.
    pub expected: T,
    /// Nine times out of ten the truth is not above this (with `low`).
    pub high: T,
}

impl<T: Copy> Band<T> {
    /// A figure known exactly.
    pub const fn exact(value: T) -> Self {
        Self { low: value, expected: value, high: value }
    }

    /// The same change on all three.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Band<U> {
        Band { low: f(self.low), expected: f(self.expected), high: f(self.high) }
    }
}

impl Band<Hours> {
    /// A figure that may be off by a factor: `expected ÷ factor … expected × factor`, widened by the band that
    /// was there before. Independent relative errors add as squares of their logarithms.
    #[must_use]
    pub fn widened(self, factor: f64) -> Self {
        let combine = |old: f64| (old.ln().powi(2) + factor.max(1.0).ln().powi(2)).sqrt().exp();
        let (up, down) = (self.high / self.expected, self.expected / self.low);
        if self.expected == Hours::ZERO || !up.is_finite() || !down.is_finite() {
            return self;
        }
        Self {
            low: self.expected / combine(down.max(1.0)),
            expected: self.expected,
            high: self.expected * combine(up.max(1.0)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures that are exact in binary")]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        let h = |t: &str| Hours::parse(t).unwrap().get();
        assert_eq!(h("6h30m"), 6.5);
        assert_eq!(h("90m"), 1.5);
        assert_eq!(h("1.5h"), 1.5);
        assert_eq!(h("2d"), 48.0);
        assert_eq!(h("1d 6 h"), 30.0);
        assert!((Hours::parse("10m30s").unwrap().as_secs() - 630.0).abs() < 1e-9);
        assert!((Hours::parse("300ms").unwrap().as_secs() - 0.3).abs() < 1e-12);
        for bad in ["", "6", "h", "30m2h", "-1h", "1h-5m", "6x", "NaNh", "1e300h"] {
            assert!(Hours::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Hours::parse("30M").unwrap_err().suggestion.as_deref(), Some("30m"));
    }

    #[test]
    fn prints_durations_that_read_back() {
        for (hours, text) in [
            (6.5, "6 h 30 min"),
            (1.5, "1 h 30 min"),
            (2.0, "2 h"),
            (48.5, "2 d 1 h"),
            (0.2, "12 min"),
            (1.99999, "2 h"),
            (45.0 / 3600.0, "45 s"),
            (90.0 / 3600.0, "1 min 30 s"),
            (0.9999, "1 h"),
            (1.5 / 3600.0, "1.5 s"),
        ] {
            assert_eq!(Hours::new(hours).to_string(), text);
            let back = Hours::parse(text).unwrap().get();
            assert!((back - hours).abs() < 0.02 * hours + 1e-3, "{text}");
        }
        assert_eq!(Hours::NEVER.to_string(), "never");
        assert_eq!(Hours::new(f64::NAN).to_string(), "never");
    }

    #[test]
    fn billing_rounds_up_and_has_a_minimum() {
        let t = BilledTime::from_secs;
        assert_eq!(t(1200).rounded_up(t(1), t(60)), t(1200));
        assert_eq!(t(20).rounded_up(t(1), t(60)), t(60));
        assert_eq!(t(1201).rounded_up(t(60), t(60)), t(1260));
        assert_eq!(t(1200).rounded_up(t(3600), t(0)), t(3600));
        assert_eq!(BilledTime::from_millis(1).rounded_up(t(1), t(0)), t(1));
    }

    #[test]
    fn a_band_widens_in_logarithms() {
        let band = Band::exact(Hours::new(10.0)).widened(2.0).widened(2.0);
        let factor = 2f64.ln().hypot(2f64.ln()).exp();
        assert!((band.high.get() - 10.0 * factor).abs() < 1e-9);
        assert!((band.low.get() - 10.0 / factor).abs() < 1e-9);
    }
}
