//! Searches until the best selection is proven: by branch and bound, and where the graph is series-parallel and
//! that takes long, by putting the trade-offs of its parts together.

use super::answer::Effort;
use super::front::{Front, Limits, Prices};
use super::node::Goal;
use super::shape::Shape;
use super::tree::Tree;

/// Searches a tree of which nothing is open yet. True if its best selection is proven to be best.
pub(super) fn prove(tree: &mut Tree<'_>, effort: Effort) -> bool {
    let last = tree.dual.steps().saturating_add(effort.get());
    tree.open_all();
    let half = last - effort.share(2).get();
    if tree.run(half) {
        return true;
    }
    tree.problem.shape().is_some_and(|shape| by_parts(tree, shape, last)) || tree.run(last)
}

/// The best selection within the box from the trade-offs of the parts. A good selection known makes them short.
/// False if the steps until `last` do not suffice.
fn by_parts(tree: &mut Tree<'_>, shape: &Shape, last: u64) -> bool {
    let mut whole = Tree::new(tree.problem, tree.goal, tree.given(), tree.best.clone());
    whole.price(whole.caps.time);
    let Some(bound) = whole.narrow() else { return true };
    let dual = &whole.dual;
    let prices = Prices {
        flow: dual.flow.clone(),
        least: (0..tree.problem.ladders.len()).map(|i| dual.least(i)).collect(),
        scale: dual.scale,
        spare: (i128::from(tree.caps.cost) << dual.scale) - bound,
        stretches: whole.stretches.clone(),
    };
    let steps = last.saturating_sub(tree.dual.steps() + dual.steps());
    let mut limits = Limits { time: tree.caps.time, steps, prices: Some(prices) };
    let front = Front::of(tree.problem, shape, &mut limits);
    tree.dual.add_steps(dual.steps() + (steps - limits.steps));
    let Some(front) = front else { return false };
    let best = match tree.goal {
        Goal::Cost => front.pairs.len().checked_sub(1),
        Goal::Makespan => front.pairs.iter().position(|p| p.cost <= tree.caps.cost),
    };
    if let Some(pair) = best {
        let mut rungs = vec![0; tree.problem.ladders.len()];
        front.rungs(pair, &mut rungs);
        tree.offer(&rungs);
    }
    // All equally good selections lie in the whole.
    tree.settle_for(whole.stretches.clone());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::exact::answer::Pick;
    use crate::choose::exact::problem::{Choice, Problem, Stage};

    /// Two branches side by side between two stages, one of the branches with a pair inside.
    fn stages(seed: i64) -> Vec<Stage> {
        let after: [&[usize]; 8] = [&[], &[0], &[1], &[1], &[2, 3], &[0], &[5], &[4, 6]];
        let choice = |i: i64, k: i64| {
            let spread = (seed * 7919 + i * 104_729 + k * 1_299_709) % 1009;
            Choice { time: 3 + 40 * k + spread % 37, cost: 2000 - 30 * k * k - spread % 101 }
        };
        let stage = |(i, after): (i64, &&[usize])| Stage {
            choices: (0..6).map(|k| choice(i, k)).collect(),
            after: after.to_vec(),
        };
        (0..).zip(&after).map(stage).collect()
    }

    #[test]
    fn the_parts_give_what_the_tree_gives() {
        let plenty = Effort::ORDINARY;
        let mut better = 0;
        for seed in 0..60 {
            let problem = Problem::new(&stages(seed)).unwrap();
            let shape = Shape::of(problem.graph()).unwrap();
            let (fast, slow) = problem.extremes();
            let (fast, slow) = (Pick::new(&problem, fast), Pick::new(&problem, slow));
            let deadline = fast.makespan + (slow.makespan - fast.makespan) * (seed % 10) / 10;
            let budget = slow.cost + (fast.cost - slow.cost) * (seed % 10) / 10;
            for (goal, given, known) in [(Goal::Cost, deadline, fast), (Goal::Makespan, budget, slow)] {
                let mut tree = Tree::new(&problem, goal, given, known);
                let mut parts = tree.clone();
                assert!(prove(&mut tree, plenty));
                assert!(by_parts(&mut parts, &shape, plenty.get()));
                let objective = |p: &Pick| if goal == Goal::Cost { p.cost } else { p.makespan };
                assert_eq!(objective(&parts.best), objective(&tree.best), "seed {seed}, {goal:?}");
                better += usize::from(parts.best.rungs.iter().any(|&k| k > 0));
            }
        }
        assert!(better > 60);
    }
}
