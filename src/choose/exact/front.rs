//! The whole trade-off of a series-parallel graph: for each part the pairs of time and cost of which none is better
//! in both, put together from its parts.
//!
//! One after another, times and costs add up; side by side, the longer time counts. With prices of time at hand
//! (a flow of the dual) a pair goes if it exceeds what the prices ask of its part by more than bound and best known
//! cost differ: no selection with it is better than the best known.

use super::node::Stretch;
use super::problem::{Ladder, Problem};
use super::shape::Shape;

/// What limits the pairs that are kept.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// The longest time of interest.
    pub(super) time: i64,
    /// How many pairs may be looked at in all.
    pub(super) steps: u64,
    /// Prices, if known.
    pub(super) prices: Option<Prices>,
}

/// Prices of time and the most by which a pair may exceed them.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    /// The flow through each stage, in units of 2^-scale.
    pub(super) flow: Vec<i64>,
    /// The rungs left at each stage.
    pub(super) stretches: Vec<Stretch>,
    /// For each stage the least of cost + flow × time, scaled.
    pub(super) least: Vec<i128>,
    pub(super) scale: u32,
    pub(super) spare: i128,
}

/// Pairs of one part, the fastest first, costs strictly falling.
#[derive(Debug, Clone)]
pub(super) struct Front {
    pub(super) pairs: Vec<Pair>,
    kind: Kind,
}

/// A time and a cost, and which pairs of the two sub-parts they come from (for a stage: its rung, twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) time: i64,
    pub(super) cost: i64,
    from: (u32, u32),
}

#[derive(Debug, Clone)]
enum Kind {
    Stage(usize),
    Joined(Box<(Front, Front)>),
}

/// A part under construction: its front, its flow and what the prices ask of it at least.
struct Part {
    front: Front,
    flow: i64,
    least: i128,
}

impl Front {
    /// The front of a whole graph; none if the steps do not suffice.
    pub(super) fn of(problem: &Problem, shape: &Shape, limits: &mut Limits) -> Option<Self> {
        Some(part(problem, shape, limits)?.front)
    }

    /// The rungs of a pair, for each stage of the part.
    pub(super) fn rungs(&self, pair: usize, rungs: &mut [usize]) {
        let mut open = vec![(self, pair)];
        while let Some((front, pair)) = open.pop() {
            let (left, right) = (front.pairs[pair].from.0 as usize, front.pairs[pair].from.1 as usize);
            match &front.kind {
                Kind::Stage(i) => rungs[*i] = left,
                Kind::Joined(two) => open.extend([(&two.0, left), (&two.1, right)]),
            }
        }
    }
}

fn part(problem: &Problem, shape: &Shape, limits: &mut Limits) -> Option<Part> {
    let (parts, series) = match shape {
        Shape::Stage(i) => return Some(stage(&problem.ladders[*i], *i, limits)),
        Shape::Series(parts) => (parts, true),
        Shape::Parallel(parts) => (parts, false),
    };
    let mut whole: Option<Part> = None;
    for sub in parts {
        let next = part(problem, sub, limits)?;
        whole = Some(match whole {
            None => next,
            Some(before) => join(before, next, series, limits)?,
        });
    }
    whole
}

fn stage(ladder: &Ladder, i: usize, limits: &mut Limits) -> Part {
    let (flow, least) = limits.prices.as_ref().map_or((0, 0), |p| (p.flow[i], p.least[i]));
    let rungs = ladder.time.iter().zip(&ladder.cost).zip(0..);
    let mut pairs: Vec<Pair> = rungs.map(|((&time, &cost), k)| Pair { time, cost, from: (k, k) }).collect();
    let left =
        limits.prices.as_ref().map_or(0..ladder.time.len(), |p| p.stretches[i].lo()..p.stretches[i].hi());
    pairs.drain(..left.start);
    pairs.truncate(left.len());
    pairs.retain(|p| limits.allow(p, flow, least));
    Part { front: Front { pairs, kind: Kind::Stage(i) }, flow, least }
}

fn join(a: Part, b: Part, series: bool, limits: &mut Limits) -> Option<Part> {
    let flow = if series { a.flow } else { a.flow + b.flow };
    let least = a.least + b.least;
    let (left, right) = (&a.front.pairs, &b.front.pairs);
    let looks =
        if series { left.len() as u64 * right.len() as u64 } else { (left.len() + right.len()) as u64 };
    limits.steps = limits.steps.checked_sub(looks)?;
    let fits = |p: &Pair| limits.allow(p, flow, least);
    let mut pairs: Vec<Pair> = if series {
        sums(left, right).filter(fits).take(MOST_PAIRS).collect()
    } else {
        maxima(left, right).into_iter().filter(fits).take(MOST_PAIRS).collect()
    };
    if pairs.len() == MOST_PAIRS {
        return None;
    }
    pairs.sort_unstable();
    let mut cost = i64::MAX;
    pairs.retain(|p| {
        p.cost < cost && {
            cost = p.cost;
            true
        }
    });
    pairs.shrink_to_fit();
    Some(Part { front: Front { pairs, kind: Kind::Joined(Box::new((a.front, b.front))) }, flow, least })
}

/// So many pairs at once would take too much memory (48 MB).
const MOST_PAIRS: usize = 2_000_000;

fn sums(left: &[Pair], right: &[Pair]) -> impl Iterator<Item = Pair> {
    left.iter().zip(0..).flat_map(|(a, x)| {
        right.iter().zip(0..).map(move |(b, y)| Pair {
            time: a.time + b.time,
            cost: a.cost + b.cost,
            from: (x, y),
        })
    })
}

/// For each time of either side the cheapest pair of both sides that keeps it.
fn maxima(left: &[Pair], right: &[Pair]) -> Vec<Pair> {
    let (mut x, mut y) = (0, 0);
    let mut pairs = Vec::with_capacity(left.len() + right.len());
    while let (Some(a), Some(b)) = (left.get(x), right.get(y)) {
        let at = |k: usize| u32::try_from(k).unwrap_or(u32::MAX);
        pairs.push(Pair { time: a.time.max(b.time), cost: a.cost + b.cost, from: (at(x), at(y)) });
        // The next time at which one side gets cheaper while the other one stays.
        let (next_a, next_b) = (left.get(x + 1).map(|p| p.time), right.get(y + 1).map(|p| p.time));
        match (next_a, next_b) {
            (None, None) => break,
            (Some(soon), next) if next.is_none_or(|other| soon <= other) => x += 1,
            (_, _) => y += 1,
        }
    }
    pairs
}

impl Limits {
    /// Whether a pair of a part may belong to a selection of interest.
    fn allow(&self, pair: &Pair, flow: i64, least: i128) -> bool {
        let dear = |p: &Prices| {
            let asked = (i128::from(pair.cost) << p.scale) + i128::from(flow) * i128::from(pair.time);
            asked - least > p.spare
        };
        pair.time <= self.time && !self.prices.as_ref().is_some_and(dear)
    }
}
