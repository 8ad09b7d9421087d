//! Calendar dates as far as prices need them: order, age in days and months.

use super::{Quantity, QuantityError};
use serde::{Deserialize, Serialize};

/// A day of the Gregorian calendar, or a year alone where the source gives no more (it counts as 1 January).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    year: u16,
    /// 1 to 12; 0 when only the year is known.
    month: u8,
    /// 1 to 31; 0 when only the year is known.
    day: u8,
}

impl Date {
    /// A full date; `None` where the calendar has no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u8::from(leap),
            _ => return None,
        };
        ((1970..=2999).contains(&year) && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }

    /// 1 January 1970.
    pub const fn epoch() -> Self {
        Self { year: 1970, month: 1, day: 1 }
    }

    /// A year alone.
    pub fn from_year(year: u16) -> Option<Self> {
        (1970..=2999).contains(&year).then_some(Self { year, month: 0, day: 0 })
    }

    /// The day that lies `days` after 1 January 1970.
    pub fn from_days_since_1970(days: i64) -> Option<Self> {
        // Civil-from-days on eras of 400 years that begin on 1 March.
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let day = doy - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        Self::new(u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
    }

    /// Days since 1 January 1970.
    pub fn days_since_1970(self) -> i64 {
        let (month, day) = (i64::from(self.month.max(1)), i64::from(self.day.max(1)));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let yoe = year.rem_euclid(400);
        let doy = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
        let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
        era * 146_097 + doe - 719_468
    }

    /// The same day so many months before (also where that month is shorter: the result is for comparing only). A date
    /// on or before it is at least `months` whole months old.
    #[must_use]
    pub fn months_ago(self, months: u32) -> Self {
        let total = u32::from(self.year) * 12 + u32::from(self.month.max(1)) - 1;
        let left = total.saturating_sub(months);
        let part = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
        let month = u8::try_from(left % 12 + 1).unwrap_or(1);
        Self { year: part(left / 12), month, day: self.day.max(1) }
    }

    /// Whole months from this date to `today`; 0 when it lies in the future.
    pub fn months_until(self, today: Self) -> u32 {
        let months = |d: Self| i64::from(d.year) * 12 + i64::from(d.month.max(1)) - 1;
        let whole = months(today) - months(self) - i64::from(today.day.max(1) < self.day.max(1));
        u32::try_from(whole.max(0)).unwrap_or(0)
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.month == 0 {
            write!(f, "{}", self.year)
        } else {
            write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
        }
    }
}

impl Quantity for Date {
    const ALLOWED: &'static str = "a date such as 2026-11-30, or a year";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let mut parts = text.trim().split('-');
        let (year, month, day) = (parts.next().unwrap_or(""), parts.next(), parts.next());
        if parts.next().is_some() || year.len() != 4 {
            return Err(error());
        }
        let year = year.parse().map_err(|_| error())?;
        if Self::from_year(year).is_none() {
            return Err(QuantityError::new("a date or a year from 1970 to 2999"));
        }
        match (month, day) {
            (None, None) => Self::from_year(year),
            (Some(m), Some(d)) if m.len() == 2 && d.len() == 2 => {
                Self::new(year, m.parse().map_err(|_| error())?, d.parse().map_err(|_| error())?)
            }
            _ => None,
        }
        .ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_out_of_range_names_the_range() {
        assert_eq!(Date::parse("9999-12-31").unwrap_err().allowed, "a date or a year from 1970 to 2999");
        assert_eq!(Date::parse("2026-13-01").unwrap_err().allowed, Date::ALLOWED);
    }

    #[test]
    fn counts_days_and_months() {
        let d = |t| Date::parse(t).unwrap();
        assert_eq!(d("1970-01-01").days_since_1970(), 0);
        assert_eq!(d("2026-11-30").days_since_1970(), 20_787);
        for days in (0..300_000).step_by(173) {
            assert_eq!(Date::from_days_since_1970(days).unwrap().days_since_1970(), days);
        }
        assert_eq!(d("2026").months_until(d("2026-11-30")), 10);
        assert_eq!(d("2024-02-29").months_until(d("2026-02-28")), 23);
        assert_eq!(d("2027-01-01").months_until(d("2026-11-30")), 0);
        assert_eq!(d("2026").to_string(), "2026");
        // Both ways of asking for an age agree, also at the ends of months.
        for today in ["2026-11-30", "2026-03-31", "2024-02-29", "2026-01-01"].map(d) {
            for days in 18_000..today.days_since_1970() {
                let date = Date::from_days_since_1970(days).unwrap();
                for months in [1, 11, 12, 37] {
                    let old = date.months_until(today) >= months;
                    assert_eq!(date <= today.months_ago(months), old, "{date} {today} {months}");
                }
            }
        }
        assert!(d("2023") <= d("2026-11-30").months_ago(46) && d("2023") > d("2026-11-30").months_ago(47));
        for bad in ["2026-02-30", "2026-1-1", "26-01-01", "2026-13-01", "today", ""] {
            assert!(Date::parse(bad).is_err(), "{bad}");
        }
    }
}
