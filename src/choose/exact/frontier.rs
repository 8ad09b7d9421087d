//! The cost-time curve: every selection than which none is both cheaper and faster.

use super::answer::{Answer, Effort, Pick, Proof};
use super::front::{Front, Limits};
use super::problem::Problem;

/// Points of the curve, the cheapest (slowest) first: costs rise strictly, makespans fall strictly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontier {
    /// The points, each the answer to the question for the least cost within its own makespan.
    pub points: Vec<Answer>,
    /// Whether these are all points of the curve, each of them proven.
    pub complete: bool,
}

impl Problem {
    /// The whole curve if it has at most `most` points and the effort suffices; else points spread evenly over its
    /// makespans, the two ends among them. There is always at least one point.
    pub fn frontier(&self, most: usize, effort: Effort) -> Frontier {
        let most = most.max(2);
        let (fast, slow) = self.extremes();
        let (fast, slow) = (Pick::new(self, fast).makespan, Pick::new(self, slow).makespan);
        let (deadlines, whole) = match self.times(slow, effort.share(4)) {
            Some(times) if times.len() <= most => (times, true),
            Some(times) => (thinned(&times, most), false),
            None => match self.walk(fast, slow, most, effort.share(2)) {
                Some(points) => return Frontier::new(points, true),
                None => (spread(fast, slow, most), false),
            },
        };
        let mut points = Vec::with_capacity(deadlines.len());
        let each = effort.share(2 * deadlines.len() as u64);
        for deadline in deadlines {
            points.extend(self.cheapest_within(Some(deadline), each).found());
        }
        Frontier::new(points, whole)
    }

    /// The makespans of all points, the slowest first, where the parts of the graph give them.
    fn times(&self, slow: i64, effort: Effort) -> Option<Vec<i64>> {
        let front =
            Front::of(self, self.shape()?, &mut Limits { time: slow, steps: effort.get(), prices: None })?;
        Some(front.pairs.iter().rev().map(|p| p.time).collect())
    }

    /// Every point from the slowest to the fastest, each asked for just below the last one; none if there are more
    /// than `most` or one of them is not proven.
    fn walk(&self, fast: i64, slow: i64, most: usize, effort: Effort) -> Option<Vec<Answer>> {
        let each = effort.share(most as u64);
        let mut points: Vec<Answer> = Vec::new();
        let mut deadline = slow;
        while deadline >= fast {
            let answer = self.cheapest_within(Some(deadline), each).found()?;
            if points.len() == most || matches!(answer.proof, Proof::Gap { .. }) {
                return None;
            }
            deadline = answer.makespan - 1;
            points.push(answer);
        }
        Some(points)
    }
}

impl Frontier {
    /// Drops points that another one matches in both cost and makespan, which an unproven one may be.
    fn new(points: Vec<Answer>, whole: bool) -> Self {
        let proven = points.iter().all(|p| matches!(p.proof, Proof::Proven { .. }));
        let mut kept: Vec<Answer> = Vec::with_capacity(points.len());
        for point in points {
            while kept.last().is_some_and(|k| k.cost >= point.cost) {
                kept.pop();
            }
            if kept.last().is_none_or(|k| k.makespan > point.makespan) {
                kept.push(point);
            }
        }
        Self { points: kept, complete: whole && proven }
    }
}

/// `most` of the falling times, near evenly spread ones, the first and the last among them.
fn thinned(times: &[i64], most: usize) -> Vec<i64> {
    let (Some(&slow), Some(&fast)) = (times.first(), times.last()) else { return Vec::new() };
    let mut kept: Vec<i64> = spread(fast, slow, most)
        .into_iter()
        .filter_map(|t| times.iter().copied().find(|&x| x <= t))
        .collect();
    kept.dedup();
    kept
}

/// `most` falling times from the slowest to the fastest.
fn spread(fast: i64, slow: i64, most: usize) -> Vec<i64> {
    let steps = i128::try_from(most - 1).unwrap_or(1);
    let at = |k: i128| slow - i64::try_from(i128::from(slow - fast) * k / steps).unwrap_or(0);
    let mut times: Vec<i64> = (0..=steps).map(at).collect();
    times.dedup();
    times
}
