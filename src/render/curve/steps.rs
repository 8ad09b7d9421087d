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

/// `4 h faster for 31.00 more: train on 2 × aws p4d.24xlarge instead of aws g6.xlarge`.
pub(super) fn change(from: &CurvePoint, to: &CurvePoint, currency: Currency) -> String {
    let pairs = from.picks.iter().zip(&to.picks).filter(|(a, b)| !same(a, b));
    let changes: Vec<String> = pairs.map(|(a, b)| format!("{} on {}", b.stage, instead(a, b))).collect();
    format!(
        "{} faster for {} {currency}: {}",
        from.within.minus(to.within),
        (to.cost - from.cost).amount(),
        changes.join("; ")
    )
}

fn same(a: &Pick, b: &Pick) -> bool {
    let what = |p: &Pick| {
        (p.provider.clone(), p.instance.clone(), p.count, p.purchase, p.region.clone(), p.zone.clone())
    };
    what(a) == what(b)
}

/// What is rented and how, told apart from what it replaces.
fn instead(old: &Pick, new: &Pick) -> String {
    let machine = (&old.provider, &old.instance, old.count) != (&new.provider, &new.instance, new.count);
    match (machine, old.purchase != new.purchase) {
        (true, false) => format!("{} instead of {}", new.name(), short(old, new)),
        (true, true) => {
            format!("{} {} instead of {} {}", new.name(), new.purchase, short(old, new), old.purchase)
        }
        (false, true) => format!("{} instead of {}", new.purchase, old.purchase),
        (false, false) => format!("{} in {} instead of {}", new.name(), place(new), place(old)),
    }
}

/// The name of what is replaced, without the provider where that stays.
fn short(old: &Pick, new: &Pick) -> String {
    let name = old.name();
    if old.provider == new.provider { name.replacen(&format!("{} ", old.provider), "", 1) } else { name }
}

fn bought(pick: &Pick) -> String {
    format!("{} {}", pick.name(), pick.purchase)
}

fn place(pick: &Pick) -> String {
    pick.zone.as_ref().map_or_else(|| pick.region.clone(), |zone| format!("{}/{zone}", pick.region))
}

#[cfg(test)]
mod tests {
    use super::*;
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
