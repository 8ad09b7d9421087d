//! The answer: one choice per stage, with what was proven about it.

use super::problem::Problem;

/// How much work a question may take, counted in steps of the search and not in seconds, so that equal questions
/// get equal answers on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effort(u64);

impl Effort {
    /// Close to two seconds (measured 1.3 to 1.8 s for 100 to 1000 choices at each of 200 stages, on one core of a
    /// rented EPYC server).
    pub const ORDINARY: Self = Self(180_000_000);

    /// This many steps.
    pub const fn steps(steps: u64) -> Self {
        Self(steps)
    }

    /// The number of steps.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// One of `parts` equal parts.
    #[must_use]
    pub(super) fn share(self, parts: u64) -> Self {
        Self(self.0 / parts.max(1))
    }

    /// What is left after so many steps.
    #[must_use]
    pub(super) fn less(self, steps: u64) -> Self {
        Self(self.0.saturating_sub(steps))
    }
}

/// What is known about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// No selection is better.
    Proven {
        /// Whether it is also the first of all equally good ones in the order that the question states. False
        /// when the effort ran out while they were compared.
        first_of_equals: bool,
    },
    /// The effort ran out: the answer is allowed, but only this much is certain.
    Gap {
        /// No allowed selection has a smaller objective (cost or makespan, as asked) than this.
        at_least: i64,
    },
}

/// One choice for every stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// For each stage the place of its choice in the caller's list.
    pub places: Vec<usize>,
    /// The sum of the costs.
    pub cost: i64,
    /// The longest path.
    pub makespan: i64,
    /// What is known about it.
    pub proof: Proof,
    /// Steps that were taken to find it.
    pub steps: u64,
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The best selection found.
    Found(Answer),
    /// No selection keeps the limit.
    Infeasible {
        /// The least that the limit would have to be: the shortest possible makespan if a deadline was given, the
        /// lowest possible cost if a budget was given.
        least: i64,
    },
}

impl Outcome {
    /// The answer, if there is one.
    pub fn found(self) -> Option<Answer> {
        match self {
            Self::Found(answer) => Some(answer),
            Self::Infeasible { .. } => None,
        }
    }
}

/// A selection while it is being improved: for each stage a rung of its ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) rungs: Vec<usize>,
    pub(super) cost: i64,
    pub(super) makespan: i64,
}

impl Pick {
    /// With the sums that belong to the rungs.
    pub(super) fn new(problem: &Problem, rungs: Vec<usize>) -> Self {
        let ladders = problem.ladders.iter().zip(&rungs);
        let (cost, time): (Vec<i64>, Vec<i64>) = ladders.map(|(l, &k)| (l.cost[k], l.time[k])).unzip();
        Self { rungs, cost: cost.iter().sum(), makespan: problem.graph.makespan(&time) }
    }

    /// In the caller's numbering.
    pub(super) fn places(&self, problem: &Problem) -> Vec<usize> {
        problem.ladders.iter().zip(&self.rungs).map(|(l, &k)| l.place[k]).collect()
    }

    /// As an answer.
    pub(super) fn answer(&self, problem: &Problem, proof: Proof, steps: u64) -> Answer {
        Answer { places: self.places(problem), cost: self.cost, makespan: self.makespan, proof, steps }
    }
}
