//! What a service is asked for beside its peak rate.

use crate::units::Hours;

/// Hours of the day.
pub const DAY: usize = 24;

/// How fast answers must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency {
    /// Longest time of an answer, wait and work together …
    pub within: Hours,
    /// … for this share of the answers, such as 0.95.
    pub share: f64,
}

/// What a service is asked for beside its peak rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Demand {
    /// Requests per second in each hour of the day, from midnight on; none for the peak rate around the clock.
    pub profile: Option<[f64; DAY]>,
    /// How fast answers must be; none for a plain head-room over the peak.
    pub latency: Option<Latency>,
    /// Standard deviation of the time of a request over its mean; 0 where every request takes the same.
    pub variation: f64,
}

impl Demand {
    /// Mean rate over the day, from the peak rate.
    pub fn mean(&self, peak: f64) -> f64 {
        self.profile.map_or(peak, |hours| hours.iter().sum::<f64>() / f64::from(24_u8))
    }
}
