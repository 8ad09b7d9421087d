//! The least cost under a deadline.

use super::answer::{Effort, Outcome, Pick, Proof};
use super::node::Goal;
use super::problem::Problem;
use super::prove::prove;
use super::round::relax;
use super::ties::first_of_equals;
use super::tree::Tree;

impl Problem {
    /// The selection of least cost whose longest path is at most `deadline` (none: any length).
    ///
    /// Of several with that cost the one of least makespan; of several with both the one whose places, read from
    /// the first stage to the last, come first. All that among choices that no other choice of their stage
    /// dominates; the order of the caller's list decides between equal choices.
    pub fn cheapest_within(&self, deadline: Option<i64>, effort: Effort) -> Outcome {
        let (fast, slow) = self.extremes();
        let (fast, slow) = (Pick::new(self, fast), Pick::new(self, slow));
        let deadline = deadline.map_or(slow.makespan, |d| d.min(slow.makespan));
        if deadline < fast.makespan {
            return Outcome::Infeasible { least: fast.makespan };
        }
        let mut rungs = fast.rungs;
        relax(self, &mut rungs, deadline);
        let (pick, proof, steps) = cheapest(self, deadline, Pick::new(self, rungs), effort);
        Outcome::Found(pick.answer(self, proof, steps))
    }
}

/// The least cost within a deadline, and the steps that were taken; `known` keeps it.
pub(super) fn cheapest(problem: &Problem, deadline: i64, known: Pick, effort: Effort) -> (Pick, Proof, u64) {
    let mut tree = Tree::new(problem, Goal::Cost, deadline, known);
    let done = prove(&mut tree, effort);
    let at_least = if done { tree.best.cost } else { tree.at_least() };
    let limit = tree.dual.steps().saturating_add(effort.share(4).get());
    let first_of_equals = done && first_of_equals(&mut tree, limit);
    let proof =
        if tree.best.cost > at_least { Proof::Gap { at_least } } else { Proof::Proven { first_of_equals } };
    let steps = tree.dual.steps();
    (tree.best, proof, steps)
}
