//! Price × billed time: granularity and minimum charge, hour tiers, prepaid terms.

use crate::catalog::{Billing, Term, Tier};
use crate::units::{BilledTime, HOURS_PER_MONTH, Hours, Money, PerHour};

/// Time as it is billed for one launch. A provider without known rules bills per second without a minimum; the
/// plan says so.
pub fn billed(time: Hours, rules: Option<&Billing>) -> Option<BilledTime> {
    let exact = BilledTime::from_hours(time)?;
    let (step, minimum) = rules.map_or((1, 0), |b| (b.granularity_secs, b.minimum_secs));
    Some(exact.rounded_up(BilledTime::from_secs(i64::from(step)), BilledTime::from_secs(i64::from(minimum))))
}

/// The cost of one rental of a billed time under prices that change with the hours of the rental: each hour at the
/// price of its tier. `factor` holds discount and exchange rate.
pub fn tiered(tiers: &[Tier], factor: f64, time: BilledTime) -> Money {
    let mut cost = Money::ZERO;
    for (i, tier) in tiers.iter().enumerate() {
        let from = border(tier.from_hours);
        let to = tiers.get(i + 1).map_or(time, |next| border(next.from_hours)).min(time);
        if to > from {
            let span = BilledTime::from_millis(to.millis() - from.millis());
            cost = cost + scaled(tier.price, factor).over(span);
        }
    }
    cost
}

fn border(hours: f64) -> BilledTime {
    BilledTime::from_hours(Hours::new(hours)).unwrap_or(BilledTime::from_millis(i64::MAX))
}

/// A price after discount and conversion.
pub fn scaled(price: PerHour, factor: f64) -> PerHour {
    if (factor - 1.0).abs() < f64::EPSILON { price } else { price.scaled(factor) }
}

/// Length of a prepaid term in hours (a month is 730 h).
pub const fn term_hours(term: Term) -> f64 {
    match term {
        Term::Month => HOURS_PER_MONTH,
        Term::Year => 12.0 * HOURS_PER_MONTH,
        Term::ThreeYears => 36.0 * HOURS_PER_MONTH,
    }
}

/// How many whole terms one instance needs: terms are paid whole, never pro rata. With `runs_per_month` the runs of
/// a term share it one after another.
pub fn terms_needed(term: Term, time: Hours, runs_per_month: Option<f64>) -> u32 {
    let months = term_hours(term) / HOURS_PER_MONTH;
    let busy = time.get() * runs_per_month.map_or(1.0, |runs| (runs * months).max(1.0));
    let terms = (busy / term_hours(term) - 1e-9).ceil().max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    {
        terms as u32
    }
}

/// The share of prepaid terms that one run bears: all of it for a single run, else divided by the runs of the term.
pub fn prepaid(price: Money, term: Term, time: Hours, runs_per_month: Option<f64>) -> Money {
    let whole = price * terms_needed(term, time, runs_per_month);
    match runs_per_month {
        None => whole,
        Some(runs) => whole.scaled(1.0 / (runs * term_hours(term) / HOURS_PER_MONTH).max(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> PerHour {
        PerHour::from_decimal(text).unwrap()
    }

    fn rules(granularity_secs: u32, minimum_secs: u32) -> Billing {
        use crate::catalog::{Confidence, Provenance};
        Billing {
            granularity_secs,
            minimum_secs,
            notice_secs: None,
            protection_secs: None,
            note: "".into(),
            provenance: Provenance { source: "test".into(), as_of: None, confidence: Confidence::Read },
        }
    }

    #[test]
    fn twenty_minutes_under_three_ways_of_billing() {
        let tiers = [Tier { from_hours: 0.0, price: price("3.06") }];
        let cost = |b: &Billing, minutes: f64| {
            tiered(&tiers, 1.0, billed(Hours::from_secs(minutes * 60.0), Some(b)).unwrap()).amount()
        };
        // 20 min × 3.06/h = 1.02 per second and per minute; a whole hour costs 3.06.
        assert_eq!(cost(&rules(1, 60), 20.0), "1.02");
        assert_eq!(cost(&rules(60, 60), 20.0), "1.02");
        assert_eq!(cost(&rules(3600, 3600), 20.0), "3.06");
        // 20 s are billed as 60 s: 3.06 / 60 = 0.051.
        assert_eq!(cost(&rules(1, 60), 1.0 / 3.0), "0.05");
        assert_eq!(cost(&rules(60, 60), 20.5), "1.07");
    }

    #[test]
    fn hour_tiers_are_marginal_and_have_no_jump() {
        // Tencent: full price for 96 h, half until 360 h, 34 % after.
        let tiers = [
            Tier { from_hours: 0.0, price: price("1") },
            Tier { from_hours: 96.0, price: price("0.5") },
            Tier { from_hours: 360.0, price: price("0.34") },
        ];
        let cost = |h: f64| tiered(&tiers, 1.0, billed(Hours::new(h), None).unwrap());
        assert_eq!(cost(96.0).amount(), "96.00");
        assert_eq!(cost(100.0).amount(), "98.00");
        assert_eq!(cost(400.0).amount(), "241.60");
        for border in [96.0, 360.0] {
            let (below, above) = (cost(border - 0.001), cost(border + 0.001));
            assert!(below < above && (above - below).as_f64() < 0.01);
        }
    }

    #[test]
    fn prepaid_terms_are_paid_whole() {
        let month = Money::from_decimal("365").unwrap();
        assert_eq!(prepaid(month, Term::Month, Hours::new(10.0), None).amount(), "365.00");
        assert_eq!(prepaid(month, Term::Month, Hours::new(730.0), None).amount(), "365.00");
        assert_eq!(prepaid(month, Term::Month, Hours::new(731.0), None).amount(), "730.00");
        // Four runs of 100 h share one month; ten runs need two.
        assert_eq!(prepaid(month, Term::Month, Hours::new(100.0), Some(4.0)).amount(), "91.25");
        assert_eq!(prepaid(month, Term::Month, Hours::new(100.0), Some(10.0)).amount(), "73.00");
    }
}
