//! Published interruption figures, each with the exposure that it means: AWS publishes a share per month in five
//! ranges, Azure a share per hour. Reading one as the other is wrong by a factor of 24 to 700.

use super::{Hazard, Scenarios};
use crate::units::{HOURS_PER_MONTH, Hours};

/// A range of the AWS Spot Instance Advisor: the share of capacity reclaimed in the trailing month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReclaimBucket {
    /// Below 5 %.
    Below5,
    /// 5 to 10 %.
    From5To10,
    /// 10 to 15 %.
    From10To15,
    /// 15 to 20 %.
    From15To20,
    /// Above 20 %, an open range.
    Above20,
}

/// Exposure of the default reading: what a reclaimed instance had typically run.
const TYPICAL_RUN: f64 = 24.0;
/// Exposure of the pessimistic reading.
const SHORT_RUN: f64 = 8.0;

impl ReclaimBucket {
    /// From the index of the advisor's feed, 0 to 4.
    pub const fn from_index(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::Below5),
            1 => Some(Self::From5To10),
            2 => Some(Self::From10To15),
            3 => Some(Self::From15To20),
            4 => Some(Self::Above20),
            _ => None,
        }
    }

    /// The range as the advisor writes it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Below5 => "<5%",
            Self::From5To10 => "5-10%",
            Self::From10To15 => "10-15%",
            Self::From15To20 => "15-20%",
            Self::Above20 => ">20%",
        }
    }

    /// The upper end of the range, where it has one.
    const fn highest_share(self) -> Option<f64> {
        match self {
            Self::Below5 => Some(0.05),
            Self::From5To10 => Some(0.10),
            Self::From10To15 => Some(0.15),
            Self::From15To20 => Some(0.20),
            Self::Above20 => None,
        }
    }

    /// Hazards from the upper end of the range. Optimistic: the share is one of month-long runs; default: of runs
    /// of 24 h; pessimistic: of runs of 8 h. The feed does not state the exposure, so both run lengths are guesses.
    ///
    /// The open range gives 0.05, 0.3 and 1 per hour: traced GPU types of that range lost 0.12 to 1.3 per hour,
    /// and computing from 20 % of a month would be a thousand times too low.
    pub fn scenarios(self) -> Scenarios<Hazard> {
        let Some(share) = self.highest_share() else {
            return super::unknown_hazard(super::Machine::Gpu);
        };
        let over = |hours| Hazard::from_share(share, Hours::new(hours)).unwrap_or_default();
        Scenarios {
            optimistic: over(HOURS_PER_MONTH),
            default: over(TYPICAL_RUN),
            pessimistic: over(SHORT_RUN),
        }
    }
}

/// The hazard of an eviction rate per hour, as the Azure portal states it (0.05 for 5 %); `None` unless the rate
/// lies in 0 ≤ rate < 1.
pub fn hourly_rate(share: f64) -> Option<Hazard> {
    Hazard::from_share(share, Hours::new(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_get_worse_in_order() {
        let all: Vec<_> = (0..5).map(|i| ReclaimBucket::from_index(i).unwrap().scenarios()).collect();
        for three in &all {
            assert!(three.optimistic < three.default && three.default < three.pessimistic);
        }
        assert!(all.windows(2).all(|w| w[0].default < w[1].default && w[0].optimistic < w[1].optimistic));
        assert_eq!(ReclaimBucket::from_index(5), None);
    }

    #[test]
    fn an_hourly_rate_is_not_a_monthly_one() {
        // 5 % an hour against 5 % a month: 730 times.
        let azure = hourly_rate(0.05).unwrap().get();
        assert!((azure / ReclaimBucket::Below5.scenarios().optimistic.get() - 730.0).abs() < 1e-9);
        assert_eq!(hourly_rate(1.0), None);
    }
}
