//! Prepaid months of one machine that is busy at some times of a run and idle between them.
//!
//! A month runs on while the machine is idle, so that what counts is not only how many hours are used but when: two stages of
//! ten hours share a month only if the later one ends within a month of the first one's start.

use super::compute::term_hours;
use super::months::{Bought, Prices, Recurrence, mix, share, spread};
use crate::units::{BilledTime, Hours, Money};
use std::collections::BTreeMap;

/// From when to when a machine is busy, from the start of the run.
pub type Span = (Hours, Hours);

/// Most months that are looked at.
const MOST: u32 = 12_000;

/// How long a machine is busy in all.
pub fn busy(spans: &[Span]) -> Hours {
    spans.iter().map(|(from, to)| to.minus(*from)).fold(Hours::ZERO, |sum, hours| sum + hours)
}

/// The cheapest mix of whole months and hours for a machine that is busy in these spans of each run, which do not overlap.
///
/// Of a single run months begin where they are needed and go on through idle times. Of several runs a month the machine is
/// kept, and the hours of all runs count. `None` where an amount exceeds what can be held, and for a schedule by months
/// whose run is longer than a month.
pub fn lease(prices: Prices, spans: &[Span], recurrence: Recurrence<'_>) -> Option<Bought> {
    let runs = recurrence.runs(prices.term);
    match recurrence {
        Recurrence::EachMonth(_) if runs > 1.0 => share(prices, busy(spans), recurrence),
        Recurrence::ByMonth(_) => {
            let from = spans.iter().map(|(from, _)| *from).reduce(Hours::min)?;
            let to = spans.iter().map(|(_, to)| *to).reduce(Hours::max)?;
            let short = to.minus(from).get() <= term_hours(prices.term) * (1.0 + 1e-9);
            share(prices, busy(spans), recurrence).filter(|_| short)
        }
        Recurrence::Once | Recurrence::EachMonth(_) => {
            let (terms, rest) = once(prices, spans)?;
            spread(prices, 1.0, terms, rest)
        }
    }
}

/// Whole months and hours for one run.
///
/// Moving a month earlier until it begins with a span or with the end of the month before loses nothing: what it gains on
/// the left is used without a gap, what it loses on the right at most so. So at the start of each span, and at the end of
/// each month within one, there are two ways: a month, or hours to the end of the span.
fn once(prices: Prices, spans: &[Span]) -> Option<(u32, Hours)> {
    let spans = joined(spans)?;
    let (first, rest) = spans.split_first()?;
    if rest.is_empty() {
        return mix(prices, hours(first.1 - first.0), 0);
    }
    let month = BilledTime::from_hours(Hours::new(term_hours(prices.term)))?.millis();
    // For each moment up to which all is bought: the least cost of that, the months in it and the hours.
    let mut open: BTreeMap<i64, Paid> = BTreeMap::from([(first.0, Paid::default())]);
    let mut done: Option<Paid> = None;
    while let Some((at, paid)) = open.pop_first() {
        let Some((from, to)) = spans.iter().find(|(_, to)| *to > at) else {
            done = Some(done.map_or(paid, |other| other.min(paid)));
            continue;
        };
        let from = at.max(*from);
        let mut add = |until: i64, paid: Paid| {
            let known = open.entry(until).or_insert(paid);
            *known = paid.min(*known);
        };
        if paid.months < MOST {
            add(from.checked_add(month)?, paid.and(prices.whole, 1, 0));
        }
        if let Some(hour) = prices.hour {
            add(*to, paid.and(hour.for_hours(hours(to - from))?, 0, to - from));
        }
    }
    done.map(|paid| (paid.months, hours(paid.rest)))
}

/// What is bought so far; of equal costs the fewer months come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Paid {
    cost: Money,
    months: u32,
    /// Hours beyond the months, in milliseconds.
    rest: i64,
}

impl Paid {
    fn and(self, cost: Money, months: u32, rest: i64) -> Self {
        Self { cost: self.cost + cost, months: self.months + months, rest: self.rest + rest }
    }
}

/// The spans in milliseconds and in their order, those that touch each other as one.
fn joined(spans: &[Span]) -> Option<Vec<(i64, i64)>> {
    let millis = |time: &Hours| {
        if *time > Hours::ZERO { Some(BilledTime::from_hours(*time)?.millis()) } else { Some(0) }
    };
    let mut all: Vec<(i64, i64)> =
        spans.iter().map(|(from, to)| Some((millis(from)?, millis(to)?))).collect::<Option<_>>()?;
    all.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    Some(joined)
}

fn hours(millis: i64) -> Hours {
    BilledTime::from_millis(millis).hours()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Term;
    use crate::units::PerHour;

    /// A month at 300, an hour at 1.
    const PRICES: Prices = Prices {
        term: Term::Month,
        whole: Money::from_nanos(300_000_000_000),
        hour: Some(PerHour::from_nanos(1_000_000_000)),
    };

    fn bought(spans: &[(f64, f64)], recurrence: Recurrence<'_>) -> Option<(u32, f64, String)> {
        let spans: Vec<Span> = spans.iter().map(|(a, b)| (Hours::new(*a), Hours::new(*b))).collect();
        let bought = lease(PRICES, &spans, recurrence)?;
        Some((bought.terms, bought.rest.get(), (bought.prepaid + bought.hourly).amount()))
    }

    #[test]
    fn a_month_runs_on_while_the_machine_is_idle() {
        let once = |spans: &[(f64, f64)]| bought(spans, Recurrence::Once).unwrap();
        // 200 h and 200 h, 100 h apart: within one month. 600 h apart: 130 h of the second are, and 70 h are not.
        assert_eq!(once(&[(0.0, 200.0), (300.0, 500.0)]), (1, 0.0, "300.00".into()));
        assert_eq!(once(&[(0.0, 200.0), (600.0, 800.0)]), (1, 70.0, "370.00".into()));
        // Farther apart no month is worth its price.
        assert_eq!(once(&[(0.0, 200.0), (731.0, 931.0)]), (0, 400.0, "400.00".into()));
        // The month begins with the second span: 10 h before it and 1 h after it are by the hour.
        assert_eq!(once(&[(0.0, 10.0), (20.0, 740.0), (741.0, 751.0)]), (1, 11.0, "311.00".into()));
        // Spans that touch are one; so is their month to the last millisecond.
        assert_eq!(once(&[(0.0, 400.0), (400.0, 730.0)]), (1, 0.0, "300.00".into()));
        // Two months in a row, then one later.
        assert_eq!(once(&[(5.0, 1400.0), (3000.0, 3700.0)]), (3, 0.0, "900.00".into()));
    }

    #[test]
    fn the_cheapest_of_all_places_of_months() {
        // By brute force: months may begin at any hour.
        for (a, b, c) in [(310_u32, 500, 250), (700, 60, 340), (100, 100, 631), (729, 1, 1), (350, 690, 350)]
        {
            for (gap, other) in [(1, 10), (400, 30), (20, 700), (200, 200)] {
                let spans = [(0, a), (a + gap, a + gap + b), (a + gap + b + other, a + gap + b + other + c)];
                let end = spans[2].1;
                let mut least = vec![0; end as usize + 731];
                for hour in (0..end).rev() {
                    let (used, at) = (spans.iter().any(|(a, b)| *a <= hour && hour < *b), hour as usize);
                    least[at] = (least[at + 1] + i32::from(used)).min(least[at + 730] + 300);
                }
                let spans = spans.map(|(from, to)| (f64::from(from), f64::from(to)));
                let (_, _, cost) = bought(&spans, Recurrence::Once).unwrap();
                assert_eq!(cost, format!("{}.00", least[0]), "{spans:?}");
            }
        }
    }

    #[test]
    fn of_several_runs_the_hours_count() {
        let spans = [(0.0, 50.0), (1000.0, 1050.0)];
        assert_eq!(bought(&spans, Recurrence::EachMonth(4.0)), Some((1, 0.0, "75.00".into())));
        // Half a run a month has no other run to share with.
        assert_eq!(bought(&spans, Recurrence::EachMonth(0.5)), Some((0, 100.0, "100.00".into())));
        // A run that is longer than the months it is counted by.
        assert_eq!(bought(&spans, Recurrence::ByMonth(&[4.0, 1.0])), None);
        let short = [(0.0, 50.0), (100.0, 150.0)];
        assert_eq!(bought(&short, Recurrence::ByMonth(&[4.0, 1.0])), Some((1, 100.0, "80.00".into())));
    }
}
