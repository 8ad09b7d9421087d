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
use super::way::{Slack, Way};

/// A flow, the event times that go with it, and the hulls of the choices still open.
#[derive(Debug, Clone)]
pub(super) struct Dual {
    network: Network,
    hulls: Vec<Hull>,
    pub(super) flow: Vec<i64>,
    /// When each event happens.
    time: Vec<i64>,
    /// How many binary digits flows and values have behind the point.
    pub(super) scale: u32,
    /// What the makespan may be.
    deadline: i64,
    /// For each arc the duration that one more unit of flow pays for.
    more: Vec<i64>,
    /// For each arc minus the duration that one unit less would have paid for; `NONE` where nothing flows.
    less: Vec<i64>,
    way: Way,
    /// The arcs of the loop around which flow is sent.
    loop_arcs: Vec<(usize, bool)>,
}

/// Flow and event times, to come back to.
#[derive(Debug, Clone)]
pub(super) struct State {
    flow: Vec<i64>,
    time: Vec<i64>,
}

const NONE: i64 = i64::MIN / 4;
/// More than any bound.
const NO_CAP: i128 = i128::MAX / 2;

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
            more: vec![0; arcs],
            less: vec![NONE; arcs],
            way: Way::new(events),
            loop_arcs: Vec::new(),
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
        self.way.steps += time.len() as u64;
        self.measure(i);
    }

    /// Arcs and choices looked at so far: the measure of effort.
    pub(super) fn steps(&self) -> u64 {
        self.way.steps
    }

    /// Counts work done elsewhere.
    pub(super) fn add_steps(&mut self, steps: u64) {
        self.way.steps += steps;
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

    /// Min (cost + flow × time) over the choices left at stage `i`, scaled.
    pub(super) fn least(&self, i: usize) -> i128 {
        self.hulls[i].value(self.flow[i], self.scale)
    }

    /// The sum of these over all stages.
    pub(super) fn value(&self) -> i128 {
        (0..self.network.stages).map(|i| self.least(i)).sum()
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

    /// The same for a node far from the last one: with few corners of each hull first, then with more and more of
    /// them. The way there is one of many small steps otherwise, at least one per corner passed.
    pub(super) fn settle_from_afar(&mut self) -> bool {
        let most = self.hulls.iter().map(Hull::corners).max().unwrap_or(0);
        let mut stride = 1;
        while stride * 16 < most {
            stride *= 4;
        }
        if stride > 1 {
            let full = self.hulls.clone();
            while stride > 1 {
                self.replace(full.iter().map(|h| h.thinned(stride, self.scale)).collect());
                if !self.settle(NO_CAP) {
                    break;
                }
                stride /= 4;
            }
            self.replace(full);
        }
        self.settle(NO_CAP)
    }

    fn replace(&mut self, hulls: Vec<Hull>) {
        self.hulls = hulls;
        (0..self.network.stages).for_each(|i| self.measure(i));
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
            let by = Slack { network: &self.network, time: &self.time, more: &self.more, less: &self.less };
            let slack = self.way.search(by, v, u, excess);
            self.way.move_events(&mut self.time, slack);
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
        let mut arcs = std::mem::take(&mut self.loop_arcs);
        arcs.clear();
        arcs.push((a, more));
        self.way.trace(&self.network, from, to, &mut arcs);
        let amount = arcs.iter().map(|&(arc, along)| self.room(arc, along).1).min().unwrap_or(UNLIMITED);
        if amount < UNLIMITED {
            for &(arc, along) in &arcs {
                self.flow[arc] += if along { amount } else { -amount };
                self.measure(arc);
            }
        }
        self.loop_arcs = arcs;
        amount
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::exact::problem::{Choice, Stage};

    fn problem() -> Problem {
        let choice = |time, cost| Choice { time, cost };
        let stage =
            |choices: &[Choice], after: &[usize]| Stage { choices: choices.to_vec(), after: after.to_vec() };
        Problem::new(&[
            stage(&[choice(1, 90), choice(3, 50), choice(7, 10)], &[]),
            stage(&[choice(2, 80), choice(6, 20)], &[0]),
            stage(&[choice(4, 40), choice(5, 10)], &[0]),
        ])
        .unwrap()
    }

    /// Mixed optima by hand. Time costs 10 a unit at stage 0 from 7 down to 3 (20 below), 15 at stage 1, 30 at stage 2.
    #[test]
    fn the_bound_is_the_mixed_optimum() {
        let problem = problem();
        // Everything cheapest takes 13 and costs 40. Stage 0 saves 4 units for 10 each, then stage 1 one unit for
        // 15, until stages 1 and 2 are both critical (after 5 units saved); then stage 0 again, for 20 each.
        for (deadline, cost) in [(13, 40), (12, 50), (9, 80), (8, 95), (7, 115), (6, 135)] {
            let mut dual = Dual::new(&problem, deadline);
            assert!(dual.settle(NO_CAP));
            assert_eq!(dual.bound(), cost << dual.scale, "deadline {deadline}");
            let mut again = Dual::new(&problem, 13);
            again.set_deadline(deadline);
            assert!(again.settle_from_afar());
            assert_eq!(again.bound(), dual.bound());
        }
    }

    #[test]
    fn a_cap_below_the_bound_ends_the_search() {
        let mut dual = Dual::new(&problem(), 8);
        let cap = 95 << dual.scale;
        assert!(dual.clone().settle(cap) && !dual.settle(cap - 1));
    }
}
