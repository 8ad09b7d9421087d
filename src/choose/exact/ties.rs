//! Among equally cheap selections: the shortest, and of those the first in the caller's order.

use super::answer::Pick;
use super::node::{Goal, Stretch};
use super::tree::Tree;

/// Turns the best selection of a finished search for the least cost into the first of all equals. The nodes that
/// the search set aside hold all of them. False if `limit` steps did not suffice.
pub(super) fn first_of_equals(tree: &mut Tree<'_>, limit: u64) -> bool {
    let ties = std::mem::take(&mut tree.ties);
    tree.goal = Goal::Makespan;
    tree.caps.time = tree.best.makespan - 1;
    for node in &ties {
        tree.open(node.clone());
    }
    if !tree.run(limit) {
        return false;
    }
    tree.caps.time = tree.best.makespan;
    ties.into_iter().all(|node| first_places(tree, node, limit))
}

/// Looks through a node for a selection in the box whose places come before those of the best one, the first
/// places first.
fn first_places(tree: &mut Tree<'_>, node: Vec<Stretch>, limit: u64) -> bool {
    let problem = tree.problem;
    let mut open = vec![node];
    let mut best = tree.best.places(problem);
    while let Some(node) = open.pop() {
        if tree.dual.steps() > limit {
            return false;
        }
        tree.load(&node);
        if tree.narrow().is_none() {
            continue;
        }
        let first: Vec<(usize, usize)> = (problem.ladders.iter().zip(&tree.stretches))
            .map(|(l, s)| (s.lo()..s.hi()).map(|k| (l.place[k], k)).min().unwrap_or_default())
            .collect();
        tree.dual.add_steps(first.len() as u64);
        if first.iter().map(|f| f.0).ge(best.iter().copied()) {
            continue;
        }
        let node = tree.stretches.clone();
        let Some(i) = node.iter().position(|s| !s.single()) else {
            // One selection is left, and the box holds it.
            tree.best = Pick::new(problem, first.into_iter().map(|f| f.1).collect());
            best = tree.best.places(problem);
            continue;
        };
        let (stretch, rung) = (node[i], first[i].1);
        for (lo, hi) in [(rung + 1, stretch.hi()), (stretch.lo(), rung), (rung, rung + 1)] {
            if lo < hi {
                let mut part = node.clone();
                part[i] = Stretch::new(lo, hi);
                open.push(part);
            }
        }
    }
    true
}
