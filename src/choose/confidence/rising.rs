//! Selections within a deadline in rising order of cost: the exact solver asked again and again, each time without what
//! it has answered (Lawler's partition, 1972).

use crate::choose::exact::{Effort, Outcome, Problem, Proof, Stage};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Steps of the solver per answer; one that is not proven by then ends the enumeration.
const EFFORT: Effort = Effort::steps(200_000);

/// What is left to enumerate.
pub(super) struct Rising {
    stages: Vec<Stage>,
    deadline: i64,
    open: BinaryHeap<Reverse<Part>>,
    serial: u64,
}

/// Selections among some choices of each stage, with the cheapest of them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    cost: i64,
    serial: u64,
    best: Vec<usize>,
    allowed: Vec<Vec<usize>>,
}

impl Rising {
    /// All selections of some stages; none where the solver cannot be asked.
    pub(super) fn new(stages: Vec<Stage>, deadline: i64) -> Option<Self> {
        let allowed = stages.iter().map(|s| (0..s.choices.len()).collect()).collect();
        let mut rising = Self { stages, deadline, open: BinaryHeap::new(), serial: 0 };
        rising.add(allowed)?;
        Some(rising)
    }

    /// The cost below which every selection has been told; none where there is no other one.
    pub(super) fn least(&self) -> Option<i64> {
        self.open.peek().map(|Reverse(part)| part.cost)
    }

    /// The next selection: for each stage the place of its choice. None at the end, or where the solver gave up.
    pub(super) fn next(&mut self) -> Option<Vec<usize>> {
        let Reverse(Part { best, allowed, .. }) = self.open.pop()?;
        let mut fixed = allowed.clone();
        for (at, choice) in best.iter().enumerate() {
            let mut part = fixed.clone();
            if let Some(choices) = part.get_mut(at) {
                choices.retain(|c| c != choice);
                if !choices.is_empty() {
                    self.add(part)?;
                }
            }
            if let Some(choices) = fixed.get_mut(at) {
                *choices = vec![*choice];
            }
        }
        Some(best)
    }

    /// Adds the selections among some choices, if any keeps the deadline. None where that is not known.
    fn add(&mut self, allowed: Vec<Vec<usize>>) -> Option<()> {
        let of = |(stage, allowed): (&Stage, &Vec<usize>)| Stage {
            choices: allowed.iter().filter_map(|c| stage.choices.get(*c)).copied().collect(),
            after: stage.after.clone(),
        };
        let stages: Vec<Stage> = self.stages.iter().zip(&allowed).map(of).collect();
        match Problem::new(&stages).ok()?.cheapest_within(Some(self.deadline), EFFORT) {
            Outcome::Infeasible { .. } => Some(()),
            Outcome::Found(answer) if matches!(answer.proof, Proof::Proven { .. }) => {
                let place = |(places, at): (&Vec<usize>, &usize)| places.get(*at).copied();
                let best = allowed.iter().zip(&answer.places).map(place).collect::<Option<_>>()?;
                self.serial += 1;
                self.open.push(Reverse(Part { cost: answer.cost, serial: self.serial, best, allowed }));
                Some(())
            }
            Outcome::Found(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::exact::Choice;

    #[test]
    fn all_selections_within_the_deadline_come_in_the_order_of_their_costs() {
        let stage = |choices: &[(i64, i64)], after: &[usize]| Stage {
            choices: choices.iter().map(|&(time, cost)| Choice { time, cost }).collect(),
            after: after.to_vec(),
        };
        // The dominated choices (5,9) and (4,4) are selections too.
        let stages = vec![stage(&[(1, 7), (3, 2), (5, 9)], &[]), stage(&[(2, 5), (4, 3), (4, 4)], &[0])];
        let mut all: Vec<(i64, Vec<usize>)> = Vec::new();
        for a in 0..3 {
            for b in 0..3 {
                let (x, y) = (stages[0].choices[a], stages[1].choices[b]);
                if x.time + y.time <= 7 {
                    all.push((x.cost + y.cost, vec![a, b]));
                }
            }
        }
        all.sort();
        let mut rising = Rising::new(stages, 7).unwrap();
        let mut found = Vec::new();
        while let Some(cost) = rising.least() {
            found.push((cost, rising.next().unwrap()));
        }
        assert!(found.windows(2).all(|w| w[0].0 <= w[1].0));
        found.sort();
        assert_eq!(found, all);
        assert_eq!(all.len(), 7);
    }
}
