//! Whole months against hours: a month is paid whole, however little of it is used.

use crate::units::{HOURS_PER_MONTH, Hours, Money, PerHour};

/// The hours of one instance type bought by the hour, by whole months, and as the cheapest mix of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthComparison {
    /// All hours on-demand.
    pub on_demand: Money,
    /// Months that cover all hours.
    pub covering_months: u32,
    /// Those months, each paid whole.
    pub monthly: Money,
    /// Months of the cheapest mix; the hours beyond them are on-demand. 0 means on-demand alone.
    pub best_months: u32,
    /// What the cheapest mix costs; never more than either pure way.
    pub best: Money,
}

/// Hours in a month above which the month is cheaper, the monthly price over the hourly one; never, where hours
/// cost nothing.
pub fn break_even_hours(per_hour: PerHour, month: Money) -> Hours {
    let per_hour = per_hour.as_f64();
    if per_hour > 0.0 { Hours::new(month.as_f64() / per_hour) } else { Hours::NEVER }
}

/// Compares for hours that follow one another, a month being 730 h; equal cost takes fewer months. The hours of
/// several stages on one type that do not overlap are added before the comparison. `None` where the hours or
/// their cost exceed what can be held.
pub fn compare_month(per_hour: PerHour, month: Money, busy: Hours) -> Option<MonthComparison> {
    let hourly = |hours: f64| per_hour.for_hours(Hours::new(hours));
    // A sum of hours that ends at a border does not begin a month with its rounding error.
    let months = (busy.get() / HOURS_PER_MONTH - 1e-9).ceil().max(0.0);
    if months > 12_000.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 12,000 on the lines above"
    )]
    let covering_months = months as u32;
    let on_demand = hourly(busy.get())?;
    let mut result = MonthComparison {
        on_demand,
        covering_months,
        monthly: month * covering_months,
        best_months: 0,
        best: on_demand,
    };
    // The cost of m months and the rest is a straight line in m up to the last, partly used month.
    for months in [covering_months.saturating_sub(1), covering_months] {
        let rest = busy.get() - HOURS_PER_MONTH * f64::from(months);
        let cost = month * months + hourly(rest)?;
        if cost < result.best {
            (result.best, result.best_months) = (cost, months);
        }
    }
    Some(result)
}

/// The same for hours that are spread over several months (recurring work): `busy` holds the hours of each, and
/// each month is bought whole only where it is cheaper. Hours beyond the length of a month belong to a second
/// instance and are compared as such.
pub fn compare_month_by_month(per_hour: PerHour, month: Money, busy: &[Hours]) -> Option<MonthComparison> {
    let none = MonthComparison {
        on_demand: Money::ZERO,
        covering_months: 0,
        monthly: Money::ZERO,
        best_months: 0,
        best: Money::ZERO,
    };
    busy.iter().try_fold(none, |sum, hours| {
        let one = compare_month(per_hour, month, *hours)?;
        Some(MonthComparison {
            on_demand: sum.on_demand + one.on_demand,
            covering_months: sum.covering_months + one.covering_months,
            monthly: sum.monthly + one.monthly,
            best_months: sum.best_months + one.best_months,
            best: sum.best + one.best,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(per_hour: &str, month: &str, busy: f64) -> MonthComparison {
        let per_hour = PerHour::from_decimal(per_hour).unwrap();
        compare_month(per_hour, Money::from_decimal(month).unwrap(), Hours::new(busy)).unwrap()
    }

    #[test]
    fn a_month_and_a_few_hours_beat_two_months() {
        // 800 h at 1 an hour or 365 a month: 800, 730, or one month and 70 hours for 435.
        let mixed = compare("1", "365", 800.0);
        assert_eq!((mixed.covering_months, mixed.best_months), (2, 1));
        assert_eq!((mixed.monthly.amount(), mixed.best.amount()), ("730.00".into(), "435.00".into()));
    }

    #[test]
    fn ties_are_hourly() {
        assert_eq!(compare("1", "365", 365.0).best_months, 0);
        assert_eq!(compare("1", "365", 365.01).best_months, 1);
        // 730 + 365 hours: the second month would cost what its hours cost.
        assert_eq!(compare("1", "365", 1095.0).best_months, 1);
        assert_eq!(compare("1", "730", 1460.0).best_months, 0);
    }

    #[test]
    fn borders_and_extremes() {
        let thirds: f64 = std::iter::repeat_n(730.0 / 3.0, 6).sum();
        assert_eq!(compare("1", "365", thirds).covering_months, 2);
        assert_eq!(compare("1", "365", 0.0).covering_months, 0);
        assert_eq!(compare("0", "365", 100.0).best, Money::ZERO);
        let one = PerHour::from_decimal("1").unwrap();
        assert_eq!(compare_month(one, Money::ZERO, Hours::NEVER), None);
        assert_eq!(break_even_hours(PerHour::from_nanos(0), Money::ZERO), Hours::NEVER);
    }

    #[test]
    fn each_month_is_judged_on_its_own() {
        let (hour, month) = (PerHour::from_decimal("1").unwrap(), Money::from_decimal("365").unwrap());
        let busy = [Hours::new(100.0), Hours::new(700.0), Hours::new(365.0)];
        let best = compare_month_by_month(hour, month, &busy).unwrap();
        assert_eq!((best.best_months, best.covering_months), (1, 3));
        assert_eq!(best.best.amount(), "830.00");
    }
}
