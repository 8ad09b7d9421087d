//! Prepaid terms at the hours that are really used: terms are paid whole, and the hours beyond the last full one are
//! bought on-demand where that is cheaper than to begin another.

use super::compute::term_hours;
use crate::catalog::Term;
use crate::units::{HOURS_PER_MONTH, Hours, Money, PerHour};

/// How often a job runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recurrence<'a> {
    /// Once.
    Once,
    /// So many runs in each month, without end in sight.
    EachMonth(f64),
    /// So many runs in the first month, the second, and so on.
    ByMonth(&'a [f64]),
}

impl Recurrence<'_> {
    /// Runs over which what is paid in a term is spread.
    pub fn runs(self, term: Term) -> f64 {
        match self {
            Self::Once => 1.0,
            Self::EachMonth(runs) => (runs * months(term)).max(1.0),
            Self::ByMonth(runs) => runs.iter().sum::<f64>().max(1.0),
        }
    }
}

/// What is bought for one instance in all, and what one run bears of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bought {
    /// Whole terms.
    pub terms: u32,
    /// Hours beyond them, on-demand.
    pub rest: Hours,
    /// One run's share of the terms.
    pub prepaid: Money,
    /// One run's share of the hours beyond them.
    pub hourly: Money,
}

/// The price of an hour on-demand, and of a whole term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// The term.
    pub term: Term,
    /// Its price.
    pub whole: Money,
    /// An hour on-demand, where it is sold so.
    pub hour: Option<PerHour>,
}

/// The cheapest mix with at least one whole term for runs of some length. With a schedule each month is bought whole only
/// where that is cheaper; a year's commitment takes the schedule at its mean. `None` where no month is worth its price,
/// or where an amount exceeds what can be held.
pub fn buy(prices: Prices, time: Hours, recurrence: Recurrence<'_>) -> Option<Bought> {
    at_least(1, prices, time, recurrence)
}

/// The same without a least number of terms: for machines that several stages share, of which one more may not be worth
/// a month.
pub fn share(prices: Prices, time: Hours, recurrence: Recurrence<'_>) -> Option<Bought> {
    at_least(0, prices, time, recurrence)
}

fn at_least(least: u32, prices: Prices, time: Hours, recurrence: Recurrence<'_>) -> Option<Bought> {
    let runs = recurrence.runs(prices.term);
    let each = |terms: u32, rest: Hours| spread(prices, runs, terms, rest);
    if let (Recurrence::ByMonth(by_month), Term::Month) = (recurrence, prices.term) {
        let (mut terms, mut rest) = (0_u32, Hours::ZERO);
        for runs in by_month {
            let (whole, beyond) = mix(prices, time * *runs, 0)?;
            (terms, rest) = (terms.saturating_add(whole), rest + beyond);
        }
        return if terms >= least { each(terms, rest) } else { None };
    }
    let busy = match recurrence {
        Recurrence::ByMonth(by_month) => {
            let mean = by_month.iter().sum::<f64>() / f64::from(u32::try_from(by_month.len()).ok()?);
            return at_least(least, prices, time, Recurrence::EachMonth(mean));
        }
        Recurrence::Once | Recurrence::EachMonth(_) => time * runs,
    };
    let (terms, rest) = mix(prices, busy, least)?;
    each(terms, rest)
}

/// What one of so many runs bears of whole terms and of the hours beyond them.
pub fn spread(prices: Prices, runs: f64, terms: u32, rest: Hours) -> Option<Bought> {
    let hourly = if rest > Hours::ZERO { prices.hour?.for_hours(rest)? } else { Money::ZERO };
    let share = |money: Money| if runs > 1.0 { money.scaled(1.0 / runs) } else { money };
    Some(Bought { terms, rest, prepaid: share(prices.whole * terms), hourly: share(hourly) })
}

/// What each month of a schedule costs for one instance: the cheapest mix of whole months and hours in each.
pub fn by_month(prices: Prices, time: Hours, runs: &[f64]) -> Option<Vec<Money>> {
    let one = |runs: &f64| {
        let (months, rest) = mix(prices, time * *runs, 0)?;
        let hours = if rest > Hours::ZERO { prices.hour?.for_hours(rest)? } else { Money::ZERO };
        Some(prices.whole * months + hours)
    };
    runs.iter().map(one).collect()
}

/// Whole terms, at least `least` of them, and hours beyond them for so many busy hours: to cover all, or one term less
/// with the hours beyond it on-demand where that is cheaper. In between lie no cheaper ones: the cost is straight in the
/// number of full terms. Equal cost takes fewer terms.
pub(super) fn mix(prices: Prices, busy: Hours, least: u32) -> Option<(u32, Hours)> {
    let length = term_hours(prices.term);
    // A sum of hours that ends at a border does not begin a term with its rounding error.
    let covering = (busy.get() / length - 1e-9).ceil().max(f64::from(least));
    if !(0.0..=12_000.0).contains(&covering) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 12,000 on the lines above"
    )]
    let covering = covering as u32;
    let mut best = (covering, Hours::ZERO);
    let mut cost = prices.whole * covering;
    let Some(hour) = prices.hour else { return Some(best) };
    for terms in [covering.saturating_sub(1), 0] {
        if terms < least || terms >= covering {
            continue;
        }
        let rest = busy.minus(Hours::new(length * f64::from(terms)));
        let Some(mixed) = hour.for_hours(rest).map(|hours| prices.whole * terms + hours) else { continue };
        if mixed <= cost {
            (best, cost) = ((terms, rest), mixed);
        }
    }
    Some(best)
}

/// Months of a term.
fn months(term: Term) -> f64 {
    term_hours(term) / HOURS_PER_MONTH
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn month(whole: i128, hour: i64) -> Prices {
        Prices {
            term: Term::Month,
            whole: Money::from_nanos(whole * 1_000_000_000),
            hour: Some(PerHour::from_nanos(hour * 1_000_000_000)),
        }
    }

    fn figures(bought: Bought) -> (u32, f64, String, String) {
        (bought.terms, bought.rest.get(), bought.prepaid.amount(), bought.hourly.amount())
    }

    #[test]
    fn whole_months_and_the_rest_by_the_hour() {
        let once = |hours: f64| figures(buy(month(365, 1), Hours::new(hours), Recurrence::Once).unwrap());
        // 800 h: two months 730, one month and 70 h 435. 1,100 h: one month and 370 h would be 735, two months 730.
        assert_eq!(once(800.0), (1, 70.0, "365.00".into(), "70.00".into()));
        assert_eq!(once(1100.0), (2, 0.0, "730.00".into(), "0.00".into()));
        // One month is the least, whether or not it pays.
        assert_eq!(once(10.0), (1, 0.0, "365.00".into(), "0.00".into()));
        assert_eq!(once(730.0), (1, 0.0, "365.00".into(), "0.00".into()));
        let hourless = Prices { hour: None, ..month(365, 1) };
        assert_eq!(figures(buy(hourless, Hours::new(800.0), Recurrence::Once).unwrap()).0, 2);
    }

    #[test]
    fn runs_share_their_month() {
        let runs = |runs: f64, hours: f64| {
            figures(buy(month(365, 1), Hours::new(hours), Recurrence::EachMonth(runs)).unwrap())
        };
        // 4 × 100 h in one month: 91.25 each. 10 × 100 h: a month and 270 h, 63.50 each.
        assert_eq!(runs(4.0, 100.0), (1, 0.0, "91.25".into(), "0.00".into()));
        assert_eq!(runs(10.0, 100.0), (1, 270.0, "36.50".into(), "27.00".into()));
        // Half a run a month: nothing to share.
        assert_eq!(runs(0.5, 100.0).2, "365.00");
    }

    #[test]
    fn each_month_of_a_schedule_is_judged_on_its_own() {
        // 100, 700 and 365 h: only the second is worth its 365; 830 in all over 11.65 runs of 100 h.
        let runs = [1.0, 7.0, 3.65];
        let bought = buy(month(365, 1), Hours::new(100.0), Recurrence::ByMonth(&runs)).unwrap();
        assert_eq!((bought.terms, bought.rest.get()), (1, 465.0));
        assert!((((bought.prepaid + bought.hourly).as_f64() * 11.65) - 830.0).abs() < 1e-6);
        let months = by_month(month(365, 1), Hours::new(100.0), &runs).unwrap();
        assert_eq!(months.iter().map(|m| m.amount()).collect::<Vec<_>>(), ["100.00", "365.00", "365.00"]);
        assert_eq!(buy(month(365, 1), Hours::new(100.0), Recurrence::ByMonth(&[1.0, 2.0])), None);
    }
}
