//! What time is worth in a question, as a bound for every question with the same stage graph and deadline.

use super::answer::Pick;
use super::dual::Dual;
use super::problem::{Ladder, Problem};

/// A price of time for each stage. Whatever choices the stages have, every selection that keeps the deadline costs at
/// least Σ minₘ (costₘ + price × timeₘ) − price of the deadline × deadline (the dual bound, see `dual`). Scaled figures
/// are in fixed-point fractions of a unit of cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prices {
    flow: Vec<i64>,
    through: i64,
    deadline: i64,
    scale: u32,
}

impl Prices {
    /// Time is worth nothing: there is no deadline.
    pub fn none(stages: usize) -> Self {
        Self { flow: vec![0; stages], through: 0, deadline: 0, scale: 0 }
    }

    /// An amount, scaled.
    pub const fn scaled(&self, cost: i128) -> i128 {
        cost << self.scale
    }

    /// What time is worth of a stage, scaled, per millisecond.
    pub fn of_time(&self, stage: usize) -> i64 {
        self.flow.get(stage).copied().unwrap_or(0)
    }

    /// Cost and time of a choice of a stage together, scaled.
    pub fn weigh(&self, stage: usize, cost: i128, time: i64) -> i128 {
        self.scaled(cost) + i128::from(self.of_time(stage)) * i128::from(time)
    }

    /// What is to be taken off the sum over the stages, scaled.
    pub fn deadline(&self) -> i128 {
        i128::from(self.through) * i128::from(self.deadline)
    }
}

impl Problem {
    /// The prices of time that give the best bound for this question; none where it cannot keep the deadline.
    pub fn prices_within(&self, deadline: i64) -> Option<Prices> {
        let (fast, slow) = self.extremes();
        let (fast, slow) = (Pick::new(self, fast), Pick::new(self, slow));
        if fast.makespan > deadline {
            return None;
        }
        if slow.makespan <= deadline {
            return Some(Prices::none(self.ladders.len()));
        }
        let mut dual = Dual::new(self, slow.makespan);
        dual.set_deadline(deadline);
        dual.settle_from_afar().then(|| Prices {
            flow: dual.flow.iter().take(self.ladders.len()).copied().collect(),
            through: dual.through(),
            deadline,
            scale: dual.scale,
        })
    }

    /// The bound of some prices for this question, scaled.
    pub fn bound(&self, prices: &Prices) -> i128 {
        let least = |(i, stage): (usize, &Ladder)| {
            let choices = stage.time.iter().zip(&stage.cost);
            choices.map(|(t, c)| prices.weigh(i, i128::from(*c), *t)).min().unwrap_or(0)
        };
        self.ladders.iter().enumerate().map(least).sum::<i128>() - prices.deadline()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::exact::{Choice, Effort, Stage};

    /// Two stages in a row and one beside them; `more` is added to every cost of the second.
    fn problem(more: i64) -> Problem {
        let stage = |choices: &[(i64, i64)], after: &[usize], more: i64| Stage {
            choices: choices.iter().map(|&(time, cost)| Choice { time, cost: cost + more }).collect(),
            after: after.to_vec(),
        };
        Problem::new(&[
            stage(&[(1, 90), (3, 50), (7, 10)], &[], 0),
            stage(&[(2, 80), (6, 20)], &[0], more),
            stage(&[(9, 40), (12, 10)], &[], 0),
        ])
        .unwrap()
    }

    #[test]
    fn the_bound_of_one_question_holds_for_others_with_the_same_graph() {
        for deadline in 9..15 {
            let prices = problem(0).prices_within(deadline).unwrap();
            for more in 0..40 {
                let other = problem(more);
                let best = other.cheapest_within(Some(deadline), Effort::ORDINARY).found().unwrap();
                let bound = other.bound(&prices);
                assert!(bound <= prices.scaled(i128::from(best.cost)), "{deadline}, {more}");
            }
        }
        // Everything slow takes 13: a looser deadline costs nothing, and no deadline below 9 can be kept.
        assert_eq!(problem(0).prices_within(13), Some(Prices::none(3)));
        assert_eq!(problem(0).prices_within(8), None);
    }

    /// Deadline 9: stage 2 must be fast (40); stages 0 and 1 in 9: mixed optimum 7 → 3 and 6: 50 + 20 = 70.
    #[test]
    fn the_bound_is_tight_where_the_mixed_optimum_is_a_selection() {
        let problem = problem(0);
        let prices = problem.prices_within(9).unwrap();
        assert_eq!(problem.bound(&prices), prices.scaled(110));
    }
}
