//! The least makespan under a budget.

use super::answer::{Effort, Outcome, Pick, Proof};
use super::cheapest::cheapest;
use super::node::Goal;
use super::problem::Problem;
use super::prove::prove;
use super::round::relax;
use super::tree::Tree;

impl Problem {
    /// The selection of least longest path whose cost is at most `budget`. Of several with that makespan the
    /// cheapest, and of those the first, as [`Problem::cheapest_within`] has it.
    pub fn fastest_within(&self, budget: i64, effort: Effort) -> Outcome {
        let (fast, cheap) = self.extremes();
        let cheap = Pick::new(self, cheap);
        if budget < cheap.cost {
            return Outcome::Infeasible { least: cheap.cost };
        }
        let fastest = Pick::new(self, fast).makespan;
        let mut tree = Tree::new(self, Goal::Makespan, budget, cheap);
        let mixed = approach(&mut tree, fastest);
        let done = tree.best.makespan == mixed || prove(&mut tree, effort.less(effort.share(3).get()));
        let shortest = tree.best.makespan;
        let at_least = if done { shortest } else { tree.at_least().max(mixed) };
        let taken = tree.dual.steps();
        let left = effort.less(taken).max(effort.share(3));
        let (pick, proof, more) = cheapest(self, shortest, tree.best, left);
        let proof = match proof {
            _ if pick.makespan > at_least => Proof::Gap { at_least },
            Proof::Proven { first_of_equals } => Proof::Proven { first_of_equals },
            Proof::Gap { .. } => Proof::Proven { first_of_equals: false },
        };
        Outcome::Found(pick.answer(self, proof, taken + more))
    }
}

/// Finds the least makespan that a mix of choices reaches within the budget, which nothing real undercuts, and
/// near it a real selection to start from. `fastest` is the makespan of the fastest choices.
fn approach(tree: &mut Tree<'_>, fastest: i64) -> i64 {
    let mut low = fastest;
    // Each flow says how long the budget makes it take at least; at that deadline there is a better flow.
    while tree.price(low) {
        match tree.shortest_for_cap() {
            Some(time) if time > low => low = time,
            _ => break,
        }
    }
    let mixed = low;
    // The shorter the deadline, the dearer the rounded mix, by and large: halve towards where it meets the budget,
    // until what is left is small beside the way gone.
    let mut at = low;
    while at < tree.best.makespan && tree.price(at) {
        let mut rungs = tree.rounded();
        tree.dual.add_steps(relax(tree.problem, &mut rungs, at));
        if !tree.offer(&rungs) {
            low = at + 1;
        }
        let between = tree.best.makespan - low;
        if between <= (low - mixed) / 8 {
            break;
        }
        at = low + between / 2;
    }
    tree.caps.time = tree.best.makespan - 1;
    mixed
}
