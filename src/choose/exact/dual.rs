//! The lower bound: prices of time that flow through the network.
//!
//! Let a flow lead from start to finish, with fᵢ through stage i and F in all. Σ fᵢ timeᵢ is F times a mean of path
//! lengths, so every selection has cost + F × makespan ≥ Σᵢ minₘ (costᵢₘ + fᵢ timeᵢₘ). The best flow gives the
//! optimum of the problem in which choices may be mixed (Kelley 1961, Fulkerson 1961: project crashing as a
//! minimum-cost flow). Flow and values are whole numbers of 2^-scale units, so the bound is exact for the flow at
//! hand; that flow is found out of kilter (Fulkerson 1961), which starts from any flow, so from the one of the last
//! question asked.

use super::hull::{Hull, UNLIMITED};
use super::network::Network;
use super::problem::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A flow, the event times that go with it, and the hulls of the choices still open.
#[derive(Debug, Clone)]
pub(super) struct Dual {
    network: Network,
    pub(super) hulls: Vec<Hull>,
    pub(super) flow: Vec<i64>,
    /// When each event happens.
    time: Vec<i64>,
    /// How many binary digits flows and values have behind the point.
    pub(super) scale: u32,
    /// What the makespan may be.
    deadline: i64,
    /// Arcs and choices looked at so far: the measure of effort.
    pub(super) steps: u64,
    /// For each arc the duration that one more unit of flow pays for.
    more: Vec<i64>,
    /// For each arc minus the duration that one unit less would have paid for; `NONE` where nothing flows.
    less: Vec<i64>,
    way: Way,
}

/// Flow and event times, to come back to.
#[derive(Debug, Clone)]
pub(super) struct State {
    flow: Vec<i64>,
    time: Vec<i64>,
}

/// What the search for a way through the network works with.
#[derive(Debug, Clone)]
struct Way {
    /// How much slack lies between where the search began and each event; `FAR` if not known to be near.
    distance: Vec<i64>,
    /// The arc by which each event was reached, and whether along it.
    from: Vec<(usize, bool)>,
    /// The arcs of the loop around which flow is sent.
    arcs: Vec<(usize, bool)>,
    /// The events with a distance.
    reached: Vec<usize>,
    /// Events as near as the one being looked at.
    here: Vec<usize>,
    /// Events farther away.
    later: BinaryHeap<Reverse<(i64, usize)>>,
}

const FAR: i64 = i64::MAX;
const NONE: i64 = i64::MIN / 4;

impl Dual {
    /// No flow, and every stage as slow as it may be.
    pub(super) fn new(problem: &Problem, deadline: i64) -> Self {
        let network = Network::new(&problem.graph);
        let (arcs, events) = (network.arcs.len(), network.events());
        let mut dual = Self {
            hulls: vec![Hull::default(); network.stages],
            flow: vec![0; arcs],
            time: vec![0; events],
            scale: scale(problem),
            deadline,
            steps: 0,
            more: vec![0; arcs],
            less: vec![NONE; arcs],
            way: Way {
                distance: vec![FAR; events],
                from: vec![(0, false); events],
                arcs: Vec::new(),
                reached: Vec::new(),
                here: Vec::new(),
                later: BinaryHeap::new(),
            },
            network,
        };
        for (i, ladder) in problem.ladders.iter().enumerate() {
            dual.shape(i, &ladder.time, &ladder.cost);
        }
        let slow: Vec<i64> = problem.ladders.iter().filter_map(|l| l.time.last().copied()).collect();
        dual.time = dual.network.schedule(problem.graph.order(), &slow);
        dual.set_deadline(deadline);
        dual
    }

    /// Leaves these choices (fast to slow) at stage `i`.
    pub(super) fn shape(&mut self, i: usize, time: &[i64], cost: &[i64]) {
        self.hulls[i].set(time, cost, self.scale);
        self.steps += time.len() as u64;
        self.measure(i);
    }

    /// What the makespan may be from now on.
    pub(super) fn set_deadline(&mut self, deadline: i64) {
        self.deadline = deadline;
        self.measure(self.network.back());
    }

    /// How long stage `i` may take between its two events.
    pub(super) fn span(&self, i: usize) -> i64 {
        let (u, v) = self.network.arcs[i];
        self.time[v] - self.time[u]
    }

    /// The flow out of the end: what one unit of deadline is worth, scaled.
    pub(super) fn through(&self) -> i64 {
        self.flow[self.network.back()]
    }

    /// Σ min (cost + flow × time), scaled.
    pub(super) fn value(&self) -> i128 {
        self.hulls.iter().zip(&self.flow).map(|(h, &f)| h.value(f, self.scale)).sum()
    }

    /// A lower bound on the cost of every selection that keeps the deadline, scaled.
    pub(super) fn bound(&self) -> i128 {
        self.value() - i128::from(self.through()) * i128::from(self.deadline)
    }

    /// Flow and event times as they are.
    pub(super) fn state(&self) -> State {
        State { flow: self.flow.clone(), time: self.time.clone() }
    }

    /// Back to that flow and those event times.
    pub(super) fn restore(&mut self, state: &State) {
        self.time.clone_from(&state.time);
        for (a, &flow) in state.flow.iter().enumerate() {
            if self.flow[a] != flow {
                self.flow[a] = flow;
                self.measure(a);
            }
        }
    }

    /// Improves the flow until event times fit it everywhere, which makes the bound the best. False as soon as
    /// the bound exceeds `cap` (scaled), or if the choices left cannot keep the deadline: then the event times
    /// mean nothing, but the flow is still a flow.
    pub(super) fn settle(&mut self, cap: i128) -> bool {
        let zero = self.time[self.network.start];
        for time in &mut self.time {
            *time -= zero;
        }
        let mut spare = cap - self.bound();
        let arcs = (0..self.network.stages).chain([self.network.back()]);
        arcs.into_iter()
            .all(|a| self.repair(a, true, cap, &mut spare) && self.repair(a, false, cap, &mut spare))
    }

    /// Length of an arc for one more unit of flow, or one less, and for how many units it stays so.
    fn room(&self, a: usize, more: bool) -> (i64, i64) {
        let flow = self.flow[a];
        match (self.hulls.get(a), more) {
            (Some(hull), true) => hull.more(flow),
            (Some(hull), false) => hull.less(flow),
            (None, true) => (if a == self.network.back() { -self.deadline } else { 0 }, UNLIMITED),
            (None, false) => (if a == self.network.back() { -self.deadline } else { 0 }, flow),
        }
    }

    fn measure(&mut self, a: usize) {
        self.more[a] = self.room(a, true).0;
        self.less[a] = if self.flow[a] > 0 { -self.room(a, false).0 } else { NONE };
    }

    /// Sends flow around arc `a` (more through it, or less) or moves events, until neither helps.
    fn repair(&mut self, a: usize, more: bool, cap: i128, spare: &mut i128) -> bool {
        let (tail, head) = self.network.arcs[a];
        let (u, v) = if more { (tail, head) } else { (head, tail) };
        loop {
            let length = if more { self.more[a] } else { self.less[a] };
            let excess = length + self.time[u] - self.time[v];
            if excess <= 0 {
                return true;
            }
            let slack = self.search(v, u, excess);
            for w in self.way.reached.drain(..) {
                self.time[w] += (slack - self.way.distance[w]).max(0);
                self.way.distance[w] = FAR;
            }
            if slack < excess {
                let amount = self.around(a, more, v, u);
                if amount == UNLIMITED {
                    return false;
                }
                *spare -= i128::from(amount) * i128::from(excess - slack);
                if *spare < 0 {
                    // Prices are rounded, so the gain was a guess; the bound is not.
                    *spare = cap - self.bound();
                    if *spare < 0 {
                        return false;
                    }
                }
            }
        }
    }

    /// Sends as much as possible around the loop of arc `a` and the way from `from` to `to` of the last search.
    fn around(&mut self, a: usize, more: bool, from: usize, to: usize) -> i64 {
        let mut arcs = std::mem::take(&mut self.way.arcs);
        arcs.clear();
        arcs.push((a, more));
        let mut event = to;
        while event != from {
            let (arc, along) = self.way.from[event];
            let (tail, head) = self.network.arcs[arc];
            event = if along { tail } else { head };
            arcs.push((arc, along));
        }
        let amount = arcs.iter().map(|&(arc, along)| self.room(arc, along).1).min().unwrap_or(UNLIMITED);
        if amount < UNLIMITED {
            for &(arc, along) in &arcs {
                self.flow[arc] += if along { amount } else { -amount };
                self.measure(arc);
            }
        }
        self.way.arcs = arcs;
        amount
    }

    /// The least slack on a way from event `from` to event `to`, or `limit` if that is less. Leaves the distances
    /// of the nearer events, and the way.
    fn search(&mut self, from: usize, to: usize, limit: i64) -> i64 {
        let way = &mut self.way;
        way.later.clear();
        way.here.clear();
        way.distance[from] = 0;
        way.reached.push(from);
        way.here.push(from);
        let mut near = 0;
        loop {
            let Some(w) = way.here.pop() else {
                let Some(Reverse((next, w))) = way.later.pop() else { return limit };
                if next == way.distance[w] {
                    near = next;
                    if w == to {
                        return near;
                    }
                    way.here.push(w);
                }
                continue;
            };
            let joins = self.network.at(w);
            self.steps += joins.len() as u64;
            for &(a, along, x) in joins {
                let length = if along { self.more[a] } else { self.less[a] };
                let far = near + (self.time[x] - self.time[w] - length).max(0);
                if far < limit && far < way.distance[x] {
                    if way.distance[x] == FAR {
                        way.reached.push(x);
                    }
                    way.distance[x] = far;
                    way.from[x] = (a, along);
                    if far > near {
                        way.later.push(Reverse((far, x)));
                    } else if x == to {
                        return near;
                    } else {
                        way.here.push(x);
                    }
                }
            }
        }
    }
}

/// As many binary digits behind the point as leave room for sixteen times the largest flow.
fn scale(problem: &Problem) -> u32 {
    let steepest = |time: &[i64], cost: &[i64]| {
        let steps = time.windows(2).zip(cost.windows(2));
        steps.map(|(t, c)| (c[0] - c[1]) / (t[1] - t[0]) + 1).max().unwrap_or(0)
    };
    let sum: i64 = problem.ladders.iter().map(|l| steepest(&l.time, &l.cost)).sum();
    (sum.leading_zeros() - 1).saturating_sub(5).min(30)
}
