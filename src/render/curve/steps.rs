//! Which points of the curve are told, and what changes from one to the next.

use crate::plan::curve::{CurvePoint, Pick};
use crate::units::Currency;

/// At most so many points: both ends, the plan, and those at which the curve bends most. A point that is left out spans
/// with its neighbours the smallest triangle in the logarithms of time and cost (Visvalingam and Whyatt, 1993).
pub(super) fn telling(points: &[CurvePoint], most: usize) -> Vec<&CurvePoint> {
    let mut kept: Vec<&CurvePoint> = points.iter().collect();
    let at = |p: &CurvePoint| (p.within.get().max(1e-9).ln(), p.cost.as_f64().max(1e-9).ln());
    while kept.len() > most.max(3) {
        let bends = kept.windows(3).enumerate().filter_map(|(i, three)| {
            let [a, b, c] = three else { return None };
            let (a, here, c) = (at(a), at(b), at(c));
            let area = ((here.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (here.1 - a.1)).abs();
            (!b.taken).then_some((i + 1, area))
        });
        match bends.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((least, _)) => kept.remove(least),
            None => break,
        };
    }
    kept
}

/// The first point: all that is rented.
pub(super) fn first(point: &CurvePoint) -> String {
    let all: Vec<String> = point.picks.iter().map(|p| format!("{} on {}", p.stage, bought(p))).collect();
    format!("the cheapest: {}", all.join(", "))
}

/// `4 h faster for 31.00 USD: train on 2 × aws p4d.24xlarge instead of aws g6.xlarge`.
pub(super) fn change(from: &CurvePoint, to: &CurvePoint, currency: Currency) -> String {
    let pairs = || from.picks.iter().zip(&to.picks);
    let mut changes: Vec<String> =
        pairs().filter(|(a, b)| !same(a, b)).map(|(a, b)| format!("{} {}", b.stage, instead(a, b))).collect();
    if changes.is_empty() {
        // The same machines, used in another way.
        let other = pairs().filter(|(a, b)| (a.time, a.cost) != (b.time, b.cost));
        changes = other.map(|(a, b)| format!("{} in {} instead of {}", b.stage, b.time, a.time)).collect();
    }
    // Where interruptions count, what falls is the time within which each stage ends often enough.
    let counted = [from, to].iter().any(|p| p.within.to_string() != p.expected.to_string());
    let by = from.within.minus(to.within);
    format!(
        "{} for {} {currency}: {}",
        if counted { format!("{by} less") } else { format!("{by} faster") },
        (to.cost - from.cost).amount(),
        changes.join("; ")
    )
}

fn same(a: &Pick, b: &Pick) -> bool {
    let what = |p: &Pick| {
        (p.provider.clone(), p.instance.clone(), p.count, p.purchase, p.region.clone(), p.zone.clone(), p.net)
    };
    what(a) == what(b)
}

/// What is rented and how, told apart from what it replaces.
fn instead(old: &Pick, new: &Pick) -> String {
    let machine = (&old.provider, &old.instance, old.count) != (&new.provider, &new.instance, new.count);
    match (machine, old.purchase != new.purchase) {
        (true, false) => format!("on {} instead of {}", new.name(), short(old, new)),
        (true, true) => {
            let (now, before) = (new.purchase.label(), old.purchase.label());
            format!("on {} {now} instead of {} {before}", new.name(), short(old, new))
        }
        (false, true) => format!("bought {} instead of {}", new.purchase.label(), old.purchase.label()),
        (false, false) if place(old) == place(new) => {
            let end = |p: &Pick| p.net.map_or_else(|| "no deadline".to_owned(), |net| net.to_string());
            format!("bought {} to end within {} instead of {}", new.purchase.label(), end(new), end(old))
        }
        (false, false) => format!("on {} in {} instead of {}", new.name(), place(new), place(old)),
    }
}

/// The name of what is replaced, without the provider where that stays.
fn short(old: &Pick, new: &Pick) -> String {
    let name = old.name();
    if old.provider == new.provider { name.replacen(&format!("{} ", old.provider), "", 1) } else { name }
}

fn bought(pick: &Pick) -> String {
    format!("{} {}", pick.name(), pick.purchase.label())
}

fn place(pick: &Pick) -> String {
    pick.zone.as_ref().map_or_else(|| pick.region.clone(), |zone| format!("{}/{zone}", pick.region))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Purchase;
    use crate::units::{Hours, Money};

    fn point(hours: f64, cost: &str) -> CurvePoint {
        CurvePoint {
            cost: Money::from_decimal(cost).unwrap(),
            within: Hours::new(hours),
            expected: Hours::new(hours),
            taken: false,
            picks: Vec::new(),
        }
    }

    fn pick(net: f64) -> Pick {
        Pick {
            stage: "train".to_owned(),
            provider: "aws".to_owned(),
            instance: "g6.xlarge".to_owned(),
            gpu: "L4".to_owned(),
            region: "us-east-1".to_owned(),
            zone: None,
            count: 1,
            purchase: Purchase::Fallback,
            net: Some(Hours::new(net)),
            time: Hours::new(2.0),
            cost: Money::from_decimal("1").unwrap(),
        }
    }

    #[test]
    fn a_step_says_what_changes_and_which_time_falls() {
        let usd = Currency::USD;
        let (mut slow, mut fast) = (point(6.0, "1.00"), point(5.0, "1.38"));
        (slow.picks, fast.picks) = (vec![pick(6.0)], vec![pick(5.0)]);
        assert_eq!(
            change(&slow, &fast, usd),
            "1 h faster for 0.38 USD: train bought spot + on-demand to end within 5 h instead of 6 h"
        );
        // Expected later, and yet within less.
        (slow.expected, fast.expected) = (Hours::new(2.0), Hours::new(2.5));
        assert!(change(&slow, &fast, usd).starts_with("1 h less for 0.38 USD: "));
        // Nothing that is rented differs: what it takes does.
        fast.picks[0] = Pick { time: Hours::new(1.5), ..pick(6.0) };
        assert!(change(&slow, &fast, usd).ends_with(": train in 1 h 30 min instead of 2 h"));
    }

    #[test]
    fn the_ends_the_plan_and_the_bends_are_told() {
        // On a straight line in logarithms but for one bend and the plan.
        let costs = ["1", "2", "4", "8", "9", "32", "64", "128"];
        let hours = [128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0];
        let mut points: Vec<CurvePoint> = hours.iter().zip(costs).map(|(h, c)| point(*h, c)).collect();
        points[2].taken = true;
        let told = telling(&points, 4);
        let hours: Vec<f64> = told.iter().map(|p| p.within.get()).collect();
        assert_eq!(hours, [128.0, 32.0, 8.0, 1.0]);
        assert_eq!(telling(&points, 20).len(), 8);
    }
}
