//! The question: which choices each stage has, what waits for what; dominated choices go here.

use super::graph::{Graph, GraphError};
use super::shape::Shape;
use std::sync::OnceLock;

/// One way to run a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// How long the stage takes, in any fixed unit (the program uses milliseconds); not negative.
    pub time: i64,
    /// What the stage costs, in any fixed unit (the program uses nano-units of money); not negative.
    pub cost: i64,
}

/// One stage: its choices in the caller's order of preference, and the stages that it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    /// The choices, the preferred ones first: of two that are equal in time and cost the earlier one is taken.
    pub choices: Vec<Choice>,
    /// Numbers of the stages that must have ended before this one starts.
    pub after: Vec<usize>,
}

/// Why a question cannot be answered at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemError {
    /// The dependencies are not a stage graph.
    Graph(GraphError),
    /// This stage has no choice.
    NoChoice(usize),
    /// A choice of this stage has a negative time or cost.
    Negative(usize),
    /// The times of all stages together could exceed 2⁵⁰ units (in milliseconds: 35,000 years), or their costs
    /// 2⁶⁰ (in nano-dollars: a thousand million dollars).
    TooLarge,
}

/// The choices of one stage that can be part of a best answer, the fastest first: costs fall strictly.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ladder {
    pub(super) time: Vec<i64>,
    pub(super) cost: Vec<i64>,
    /// The place of each in the caller's list.
    pub(super) place: Vec<usize>,
}

/// A checked question: no cycle, no empty stage, no dominated choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub(super) graph: Graph,
    pub(super) ladders: Vec<Ladder>,
    dominated: Vec<usize>,
    shape: OnceLock<Option<Shape>>,
}

/// Event times move up and down by sums of times: these leave room for thousands of such moves in an `i64`.
const LARGEST_TIMES: i64 = 1 << 50;
/// Sums of costs fit an `i64` with room for differences.
const LARGEST_COSTS: i64 = 1 << 60;

impl Problem {
    /// Checks the graph and the numbers, and drops every choice that another one of its stage dominates: no
    /// slower and no dearer, and of two equal ones the later.
    pub fn new(stages: &[Stage]) -> Result<Self, ProblemError> {
        let before: Vec<Vec<usize>> = stages.iter().map(|s| s.after.clone()).collect();
        let graph = Graph::new(&before).map_err(ProblemError::Graph)?.reduced();
        let choices: Vec<&[Choice]> = stages.iter().map(|s| s.choices.as_slice()).collect();
        let (ladders, dominated) = ladders(&choices)?;
        Ok(Self { graph, ladders, dominated, shape: OnceLock::new() })
    }

    /// The same stage graph with other choices, in the stages' order; as many as there are stages.
    pub(in crate::choose) fn with_choices(&self, choices: &[Vec<Choice>]) -> Result<Self, ProblemError> {
        let choices: Vec<&[Choice]> = choices.iter().map(Vec::as_slice).collect();
        let (ladders, dominated) = ladders(&choices)?;
        if let Some(missing) = (ladders.len()..self.graph.len()).next() {
            return Err(ProblemError::NoChoice(missing));
        }
        Ok(Self { graph: self.graph.clone(), ladders, dominated, shape: self.shape.clone() })
    }

    /// The stage graph, without the arcs that others imply.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How the graph is put together of parts in a row and side by side, if it is; found once.
    pub(super) fn shape(&self) -> Option<&Shape> {
        self.shape.get_or_init(|| Shape::of(&self.graph)).as_ref()
    }

    /// How many choices of each stage were dropped because another one is no slower and no dearer.
    pub fn dominated(&self) -> &[usize] {
        &self.dominated
    }

    /// The rungs of the fastest choices and those of the cheapest.
    pub(super) fn extremes(&self) -> (Vec<usize>, Vec<usize>) {
        self.ladders.iter().map(|l| (0, l.time.len() - 1)).unzip()
    }

    /// How many choices of each stage remain.
    pub fn remaining(&self) -> Vec<usize> {
        self.ladders.iter().map(|l| l.time.len()).collect()
    }
}

/// The ladders of all stages, and how many choices of each were dropped.
fn ladders(stages: &[&[Choice]]) -> Result<(Vec<Ladder>, Vec<usize>), ProblemError> {
    let (mut times, mut costs) = (0_i64, 0_i64);
    for (i, choices) in stages.iter().enumerate() {
        if choices.iter().any(|c| c.time < 0 || c.cost < 0) {
            return Err(ProblemError::Negative(i));
        }
        let (Some(time), Some(cost)) =
            (choices.iter().map(|c| c.time).max(), choices.iter().map(|c| c.cost).max())
        else {
            return Err(ProblemError::NoChoice(i));
        };
        times = times.saturating_add(time);
        costs = costs.saturating_add(cost);
    }
    let many = stages.iter().any(|choices| u32::try_from(choices.len()).is_err());
    if times > LARGEST_TIMES || costs > LARGEST_COSTS || many {
        return Err(ProblemError::TooLarge);
    }
    let ladders: Vec<Ladder> = stages.iter().map(|choices| ladder(choices)).collect();
    let dominated = stages.iter().zip(&ladders).map(|(c, l)| c.len() - l.time.len()).collect();
    Ok((ladders, dominated))
}

fn ladder(choices: &[Choice]) -> Ladder {
    let mut sorted: Vec<(Choice, usize)> = choices.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let mut kept = Ladder::default();
    for (choice, place) in sorted {
        if kept.cost.last().is_none_or(|&c| choice.cost < c) {
            kept.time.push(choice.time);
            kept.cost.push(choice.cost);
            kept.place.push(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(choices: &[(i64, i64)], after: &[usize]) -> Stage {
        Stage {
            choices: choices.iter().map(|&(time, cost)| Choice { time, cost }).collect(),
            after: after.to_vec(),
        }
    }

    #[test]
    fn dominated_choices_go_and_the_first_of_equals_stays() {
        // (5,9) is slower and dearer than (4,8); the second (4,8) and the slower (6,8) add nothing.
        let p = Problem::new(&[stage(&[(5, 9), (4, 8), (4, 8), (6, 8), (9, 1), (2, 20)], &[])]).unwrap();
        assert_eq!(p.ladders[0].place, [5, 1, 4]);
        assert_eq!((p.dominated(), p.remaining()), (&[3][..], vec![3]));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Problem::new(&[stage(&[], &[])]), Err(ProblemError::NoChoice(0)));
        assert_eq!(Problem::new(&[stage(&[(-1, 1)], &[])]), Err(ProblemError::Negative(0)));
        assert_eq!(Problem::new(&[stage(&[(i64::MAX, 1)], &[])]), Err(ProblemError::TooLarge));
        let cycle = Problem::new(&[stage(&[(1, 1)], &[0])]);
        assert_eq!(cycle, Err(ProblemError::Graph(GraphError::Cycle(vec![0]))));
    }
}
