//! The least factor at which something happens, and the time that is left around each stage.

use crate::choose::exact::Graph;
use crate::units::Hours;

/// Changes beyond this factor are not looked for.
const FARTHEST: f64 = 100.0;
/// How near to the truth a factor is told.
const NARROW: f64 = 1e-7;

/// The least factor above 1 from which on a condition holds; none up to `FARTHEST`.
pub(super) fn first(holds: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut low, mut high) = (1.0, 1.01);
    while !holds(high) {
        if high >= FARTHEST {
            return None;
        }
        (low, high) = (high, (1.0 + (high - 1.0) * 2.0).min(FARTHEST));
    }
    while high - low > NARROW * low {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// What is left to the deadline on the longest path through each stage.
pub(in crate::choose) fn slack(graph: &Graph, times: &[Hours], deadline: Hours) -> Vec<Hours> {
    let time = |at: usize| times.get(at).copied().unwrap_or(Hours::ZERO);
    let before = |at: usize| graph.before().get(at).map_or(&[][..], Vec::as_slice);
    let mut until = vec![Hours::ZERO; times.len()];
    for at in graph.order() {
        let start =
            before(*at).iter().filter_map(|b| until.get(*b)).fold(Hours::ZERO, |latest, e| latest.max(*e));
        if let Some(slot) = until.get_mut(*at) {
            *slot = start + time(*at);
        }
    }
    let mut after = vec![Hours::ZERO; times.len()];
    for at in graph.order().iter().rev() {
        let behind = after.get(*at).copied().unwrap_or(Hours::ZERO) + time(*at);
        for b in before(*at) {
            if let Some(slot) = after.get_mut(*b) {
                *slot = slot.max(behind);
            }
        }
    }
    until.iter().zip(&after).map(|(until, after)| deadline.minus(*until + *after)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_that_of_the_longest_path_through_a_stage() {
        let graph = Graph::new(&[vec![], vec![0], vec![0], vec![1, 2]]).unwrap();
        let times = [1.0, 5.0, 2.0, 3.0].map(Hours::new);
        let left: Vec<f64> = slack(&graph, &times, Hours::new(10.0)).iter().map(|h| h.get()).collect();
        assert_eq!(left, [1.0, 1.0, 4.0, 1.0]);
    }

    #[test]
    fn the_first_factor_is_found_to_a_millionth() {
        assert!((first(|f| f > 1.04).unwrap() - 1.04).abs() < 1e-6);
        assert!((first(|f| f > 37.5).unwrap() - 37.5).abs() < 1e-4);
        assert_eq!(first(|_| false), None);
    }
}
