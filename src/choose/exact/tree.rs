//! Branch and bound: the selections that are still open, split stage by stage until none can be better.
//!
//! What is sought lies in a box: cost and makespan both at most a cap, one of them given by the caller, the other
//! one falling with every better selection found. A node of the tree leaves each stage a stretch of its ladder. It
//! is closed once the dual bound says that the box holds none of its selections; until then choices that no
//! selection in the box can have are cut off the ends of the stretches, and the stage at which the mixed optimum
//! is farthest from real choices is split at its duration there.

use super::answer::Pick;
use super::dual::{Dual, State};
use super::node::{Caps, Goal, Open, Stretch};
use super::problem::Problem;
use super::round::relax;
use std::collections::BinaryHeap;

/// The search.
#[derive(Debug, Clone)]
pub(super) struct Tree<'a> {
    pub(super) problem: &'a Problem,
    pub(super) dual: Dual,
    pub(super) goal: Goal,
    pub(super) caps: Caps,
    /// The best selection so far.
    pub(super) best: Pick,
    /// Nodes that hold no cheaper selection than `best` but may hold an equally cheap one (goal: cost).
    pub(super) ties: Vec<Vec<Stretch>>,
    /// The node being looked at.
    pub(super) stretches: Vec<Stretch>,
    /// The stretches that the hulls of the dual stand for.
    pub(super) shaped: Vec<Stretch>,
    open: BinaryHeap<Open>,
    serial: u64,
    pub(super) scratch: Scratch,
}

/// Times of every stage if all are as fast as they may be: its own, its end, and from its start to the very end.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    pub(super) fast: Vec<i64>,
    pub(super) end: Vec<i64>,
    pub(super) tail: Vec<i64>,
}

/// A node with its flow, to come back to.
struct Node {
    /// What its selections cost at least, scaled.
    bound: i128,
    /// The same in terms of the objective.
    key: i128,
    stretches: Vec<Stretch>,
    state: State,
}

impl<'a> Tree<'a> {
    /// All selections are open. `best` must lie within the given cap.
    pub(super) fn new(problem: &'a Problem, goal: Goal, given: i64, best: Pick) -> Self {
        let caps = match goal {
            Goal::Cost => Caps { cost: best.cost, time: given },
            Goal::Makespan => Caps { cost: given, time: best.makespan - 1 },
        };
        let all: Vec<Stretch> = problem.ladders.iter().map(|l| Stretch::new(0, l.time.len())).collect();
        Self {
            dual: Dual::new(problem, caps.time),
            shaped: all.clone(),
            stretches: all,
            problem,
            goal,
            caps,
            best,
            ties: Vec::new(),
            open: BinaryHeap::new(),
            serial: 0,
            scratch: Scratch::default(),
        }
    }

    /// The side of the box that the caller gave.
    pub(super) fn given(&self) -> i64 {
        match self.goal {
            Goal::Cost => self.caps.time,
            Goal::Makespan => self.caps.cost,
        }
    }

    /// Makes `deadline` the time cap and finds the best flow for the node at hand. False if that node cannot keep
    /// the deadline.
    pub(super) fn price(&mut self, deadline: i64) -> bool {
        self.caps.time = deadline;
        self.dual.set_deadline(deadline);
        self.dual.settle_from_afar()
    }

    /// Closes all open nodes, for the best selection is known; its equals lie in the node `ties`.
    pub(super) fn settle_for(&mut self, ties: Vec<Stretch>) {
        self.open.clear();
        self.ties = vec![ties];
    }

    /// The cost cap in the dual's units.
    pub(super) fn cap(&self) -> i128 {
        i128::from(self.caps.cost) << self.dual.scale
    }

    /// Opens a node of which no bound is known yet.
    pub(super) fn open(&mut self, stretches: Vec<Stretch>) {
        self.put(i128::MIN / 2, stretches);
    }

    /// Opens the node that holds every selection.
    pub(super) fn open_all(&mut self) {
        self.price(self.caps.time);
        self.open(self.stretches.clone());
    }

    fn put(&mut self, key: i128, stretches: Vec<Stretch>) {
        self.serial += 1;
        self.open.push(Open { key, serial: self.serial, stretches });
    }

    /// Looks at nodes until none is open or `limit` steps are done. True if none is open: then nothing in the
    /// box is better than `best`.
    pub(super) fn run(&mut self, limit: u64) -> bool {
        while let Some(open) = self.open.pop() {
            let worst = match self.goal {
                Goal::Cost => self.cap(),
                Goal::Makespan => i128::from(self.caps.time),
            };
            if open.key > worst {
                self.open.clear();
                return true;
            }
            self.load(&open.stretches);
            let Some(mut bound) = self.narrow() else { continue };
            let mut key = open.key;
            while let Some(narrowed) = self.improve(bound) {
                if self.dual.steps() > limit {
                    self.put(key.max(self.key(narrowed)), self.stretches.clone());
                    return false;
                }
                let Some(next) = self.split(narrowed) else { break };
                (bound, key) = next;
            }
        }
        true
    }

    /// The least objective that any selection may have, as far as is known.
    pub(super) fn at_least(&self) -> i64 {
        let (known, unit) = match self.goal {
            Goal::Cost => (self.best.cost, 1 << self.dual.scale),
            Goal::Makespan => (self.best.makespan, 1),
        };
        let lowest = self.open.peek().map_or(known, |o| i64::try_from(ceiling(o.key, unit)).unwrap_or(0));
        lowest.clamp(0, known)
    }

    /// Makes a node the one at hand.
    pub(super) fn load(&mut self, stretches: &[Stretch]) {
        self.stretches.copy_from_slice(stretches);
    }

    /// The bound of the node at hand as it orders the open nodes.
    fn key(&self, bound: i128) -> i128 {
        match self.goal {
            Goal::Cost => bound,
            Goal::Makespan => self.shortest_for_cap().map_or(0, i128::from),
        }
    }

    /// The least makespan that the flow at hand allows within the cost cap; none if nothing flows.
    pub(super) fn shortest_for_cap(&self) -> Option<i64> {
        let through = i128::from(self.dual.through());
        if through == 0 {
            return None;
        }
        i64::try_from(ceiling(self.dual.value() - self.cap(), through)).ok()
    }

    /// For each stage the slowest choice that fits the event times.
    pub(super) fn rounded(&self) -> Vec<usize> {
        let fit = |(i, stretch): (usize, &Stretch)| {
            let (span, time) =
                (self.dual.span(i), &self.problem.ladders[i].time[stretch.lo() + 1..stretch.hi()]);
            stretch.lo() + time.partition_point(|&t| t <= span)
        };
        self.stretches.iter().enumerate().map(fit).collect()
    }

    /// Rounds the mixed optimum of the node at hand, and narrows the node if that gave a better selection.
    /// None if the node is closed.
    fn improve(&mut self, mut bound: i128) -> Option<i128> {
        loop {
            let mut rungs = self.rounded();
            let mut found = self.goal == Goal::Makespan && self.offer(&rungs);
            if !found {
                self.dual.add_steps(relax(self.problem, &mut rungs, self.caps.time));
                found = self.offer(&rungs);
            }
            if !found {
                return self.keep(bound).then_some(bound);
            }
            bound = self.narrow()?;
            if self.goal == Goal::Cost {
                return self.keep(bound).then_some(bound);
            }
        }
    }

    /// Takes a selection if it is better than the best one.
    pub(super) fn offer(&mut self, rungs: &[usize]) -> bool {
        let pick = Pick::new(self.problem, rungs.to_vec());
        let better = match self.goal {
            Goal::Cost => pick.cost < self.best.cost,
            Goal::Makespan => pick.cost <= self.caps.cost && pick.makespan < self.best.makespan,
        };
        if better {
            match self.goal {
                Goal::Cost => self.caps.cost = pick.cost,
                Goal::Makespan => self.caps.time = pick.makespan - 1,
            }
            self.best = pick;
            self.ties.clear();
        }
        better
    }

    /// Whether a node with this bound may hold a better selection. One that may hold an equal one is set aside.
    fn keep(&mut self, bound: i128) -> bool {
        if self.goal == Goal::Cost && bound > self.cap() - (1 << self.dual.scale) {
            self.ties.push(self.stretches.clone());
            return false;
        }
        true
    }

    /// Splits the node at hand in two, goes on with the more promising half (its bound and key are returned) and
    /// opens the other one. None if both are closed.
    fn split(&mut self, bound: i128) -> Option<(i128, i128)> {
        let (i, rung) = self.widest()?;
        let whole = self.node(bound);
        let stretch = self.stretches[i];
        self.stretches[i] = Stretch::new(stretch.lo(), rung + 1);
        let fast = self.narrow().filter(|&b| self.keep(b)).map(|b| self.node(b));
        self.load(&whole.stretches);
        self.dual.restore(&whole.state);
        self.stretches[i] = Stretch::new(rung + 1, stretch.hi());
        let slow = self.narrow().filter(|&b| self.keep(b)).map(|b| self.node(b));
        let (next, other) = match (fast, slow) {
            (None, None) => return None,
            (Some(only), None) | (None, Some(only)) => (only, None),
            (Some(fast), Some(slow)) if fast.key <= slow.key => (fast, Some(slow)),
            (Some(fast), Some(slow)) => (slow, Some(fast)),
        };
        if let Some(other) = other {
            self.put(other.key.max(whole.key), other.stretches);
        }
        self.load(&next.stretches);
        self.dual.restore(&next.state);
        Some((next.bound, next.key.max(whole.key)))
    }

    fn node(&self, bound: i128) -> Node {
        Node { bound, key: self.key(bound), stretches: self.stretches.clone(), state: self.dual.state() }
    }

    /// The stage at which the mixed optimum is farthest below the choice that fits, with the rung after which to
    /// split it.
    fn widest(&self) -> Option<(usize, usize)> {
        let rungs = self.rounded();
        let mut widest: Option<(i128, usize)> = None;
        for (i, &rung) in rungs.iter().enumerate().filter(|&(i, _)| !self.stretches[i].single()) {
            let (flow, cost) = (self.dual.flow[i], self.problem.ladders[i].cost[rung]);
            let real =
                (i128::from(cost) << self.dual.scale) + i128::from(flow) * i128::from(self.dual.span(i));
            let gap = real - self.dual.least(i);
            if widest.is_none_or(|(most, _)| gap > most) {
                widest = Some((gap, i));
            }
        }
        let (_, i) = widest?;
        Some((i, rungs[i].min(self.stretches[i].hi() - 2)))
    }
}

/// The quotient rounded up; `unit` is positive.
fn ceiling(value: i128, unit: i128) -> i128 {
    -(-value).div_euclid(unit)
}
