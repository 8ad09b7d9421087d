//! The cheapest plan that meets the deadline with a given chance.
//!
//! The chance of a whole run is no sum over its stages, so this is no question to the exact solver; but it lies between
//! two that are. With the p-percentile of each stage's time as its time:
//!
//! - A plan that meets the deadline D with chance c keeps it at p = 1 − (1 − c)^(1/k), k being the most stages on a
//!   path: all times of a path are at or above their p-percentiles with probability (1 − p)^k ≥ 1 − c or more, and
//!   were the sum of these above D, the chance would be c at most. So the cheapest at this p bounds the cost from below.
//! - A plan that keeps D at p = 1 − (1 − c)/n, n being all stages, meets it with chance c, because each stage is
//!   late with probability (1 − c)/n at most.
//!
//! Between both the least p is sought whose cheapest plan has the chance; then single stages are made cheaper as long
//! as it stays. Last, the selections of the first kind are told in rising order of cost ([`rising`]): the first of them
//! with the chance is the cheapest of all. Where too many have to be told, the last one bounds the cost from below; that a
//! plan is the cheapest is claimed only where it is proven. Chances come from fixed draws (`chance`), percentiles from evenly spread cases: exact to a few tenths of a
//! percentage point.

mod open;
mod rising;

use super::assemble::Considered;
use super::chance::law::{Law, Scenario};
use super::chance::{draws, graph, within};
use super::deadline::{Kept, keep_deadline};
use super::exact::{Answer, Effort, Graph, Outcome, Proof};
use super::question::{Basis, Classes, Clock, Percentiles, Question};
use crate::job::StageKind;
use crate::price::Pricer;
use crate::units::{BilledTime, Hours};
use std::collections::BTreeMap;

/// Halvings of the interval of percentiles.
const STEPS: u32 = 10;
/// Effort of the solver for each question that is asked on the way: a tenth of the ordinary one.
const EFFORT: Effort = Effort::steps(Effort::ORDINARY.get() / 10);
/// Most plans of which the chance is asked while stages are made cheaper.
const TRIES: usize = 200;

/// Selects the cheapest plan found whose chance to meet the deadline is what the job asks for.
pub(super) fn keep_confidence(basis: Basis<'_>, stages: &mut [Considered]) -> Kept {
    let limits = basis.job.limits;
    let (Some(deadline), Some(confidence)) = (limits.deadline, limits.confidence) else {
        return Kept::Cheapest;
    };
    let Some(graph) = graph(basis.job) else { return Kept::Cheapest };
    // A rule of thumb yields to a deadline that it cannot keep.
    let mut surest: Option<Found> = None;
    for classes in [Classes::Selected, Classes::Any] {
        let mut search =
            Search { basis, stages, graph: &graph, deadline, confidence, classes, drawn: BTreeMap::new() };
        match search.run() {
            None => return Kept::Cheapest,
            Some((found, at_least)) if found.chance >= confidence => {
                found.take(stages);
                return Kept::Confident(at_least);
            }
            Some((found, _)) => {
                if surest.as_ref().is_none_or(|s| s.chance < found.chance) {
                    surest = Some(found);
                }
            }
        }
    }
    keep_deadline(basis, stages);
    let quotes: Option<Vec<usize>> = stages.iter().map(|s| s.selection.chosen).collect();
    let classes = Classes::Any;
    let mut search =
        Search { basis, stages, graph: &graph, deadline, confidence, classes, drawn: BTreeMap::new() };
    let plain = quotes.and_then(|quotes| search.found(quotes));
    let Some(surest) = surest else { return Kept::Cheapest };
    let plain = plain.unwrap_or_else(|| surest.clone());
    surest.take(stages);
    Kept::NeverSure { cost: i64::try_from(plain.cost).unwrap_or(i64::MAX), chance: plain.chance }
}

/// A selection: for each stage the position of its quote.
#[derive(Debug, Clone)]
struct Found {
    quotes: Vec<usize>,
    cost: i128,
    chance: f64,
}

impl Found {
    fn take(&self, stages: &mut [Considered]) {
        for (considered, quote) in stages.iter_mut().zip(&self.quotes) {
            considered.selection.chosen = Some(*quote);
        }
    }
}

struct Search<'a> {
    basis: Basis<'a>,
    stages: &'a [Considered],
    graph: &'a Graph,
    deadline: Hours,
    confidence: f64,
    classes: Classes,
    /// Times drawn so far, by stage and quote.
    drawn: BTreeMap<(usize, usize), Vec<f64>>,
}

impl Search<'_> {
    /// The cheapest selection found that has the chance, or the surest where none was, and the least that any with the
    /// chance costs. None where a stage has nothing to choose from.
    fn run(&mut self) -> Option<(Found, i64)> {
        let late = 1.0 - self.confidence;
        let longest = longest(self.basis, self.graph).max(1);
        let all = u32::try_from(self.basis.job.stages.len()).unwrap_or(u32::MAX).max(1);
        let (mut low, mut high) = (1.0 - late.powf(1.0 / f64::from(longest)), 1.0 - late / f64::from(all));
        let lowest = low;
        let mut clock = Percentiles::default();
        let (bound, first) = match self.cheapest(low, &mut clock)? {
            (Some(answer), quotes) => {
                let bound = match answer.proof {
                    Proof::Gap { at_least } => at_least,
                    Proof::Proven { .. } => answer.cost,
                };
                (bound, Some(self.found(quotes)?))
            }
            (None, _) => (0, None),
        };
        let Some(first) = first else {
            // Nothing can have the chance: the plan that is fastest when it takes long.
            return Some((self.fastest(high, &mut clock)?, 0));
        };
        let mut best: Option<Found> = Some(first.clone()).filter(|f| f.chance >= self.confidence);
        let mut surest = first;
        for _ in 0..if best.is_some() { 0 } else { STEPS } {
            let level = f64::midpoint(low, high);
            match self.cheapest(level, &mut clock)? {
                (Some(_), quotes) => {
                    let found = self.found(quotes)?;
                    if found.chance > surest.chance {
                        surest = found.clone();
                    }
                    if found.chance >= self.confidence {
                        high = level;
                        if best.as_ref().is_none_or(|b| found.cost < b.cost) {
                            best = Some(found);
                        }
                    } else {
                        low = level;
                    }
                }
                // Too much is asked of every stage by itself.
                (None, _) => high = level,
            }
        }
        if best.is_none() {
            let fastest = self.fastest(high, &mut clock)?;
            if fastest.chance > surest.chance {
                surest = fastest.clone();
            }
            best = Some(fastest).filter(|f| f.chance >= self.confidence);
        }
        match best {
            Some(best) => {
                let best = self.cheapened(best, bound, &mut clock)?;
                let levels = [0.0, 0.8, 0.6, 0.4, 0.2].map(|part| lowest + (high - lowest) * part);
                Some(self.enumerated(best, bound, levels))
            }
            None => Some((surest, bound)),
        }
    }

    /// The cheapest selection that keeps the deadline with every stage at a percentile; none where nothing does.
    fn cheapest(&self, level: f64, clock: &mut Percentiles) -> Option<(Option<Answer>, Vec<usize>)> {
        let question = self.question(level, clock)?;
        let deadline = BilledTime::from_hours(self.deadline)?.millis();
        Some(match question.problem().cheapest_within(Some(deadline), EFFORT) {
            Outcome::Infeasible { .. } => (None, Vec::new()),
            Outcome::Found(answer) => {
                let quotes = question.quotes(&answer).into_iter().collect::<Option<_>>()?;
                (Some(answer), quotes)
            }
        })
    }

    /// The selection whose longest path is shortest with every stage at a percentile.
    fn fastest(&mut self, level: f64, clock: &mut Percentiles) -> Option<Found> {
        let question = self.question(level, clock)?;
        let answer = question.problem().fastest_within(super::budget::EVERYTHING, EFFORT).found()?;
        let quotes = question.quotes(&answer).into_iter().collect::<Option<_>>()?;
        self.found(quotes)
    }

    fn question(&self, level: f64, clock: &mut Percentiles) -> Option<Question> {
        let mut asked = Clock::Percentile(std::mem::take(clock).at(level));
        let question = Question::new(self.basis, self.stages, self.classes, &mut asked);
        if let Clock::Percentile(percentiles) = asked {
            *clock = percentiles;
        }
        question
    }

    /// A selection with its cost and its chance.
    fn found(&mut self, quotes: Vec<usize>) -> Option<Found> {
        let mut cost = 0;
        let mut times = Vec::with_capacity(quotes.len());
        for (number, index) in quotes.iter().enumerate() {
            let (stage, considered) = (self.basis.job.stages.get(number)?, self.stages.get(number)?);
            if stage.kind == StageKind::Serve {
                times.push(&[][..]);
                continue;
            }
            let quote = considered.quotes.quotes.get(*index)?;
            cost += quote.cost.nanos();
            self.drawn.entry((number, *index)).or_insert_with(|| {
                let pricer = Pricer::new(self.basis.job, stage, self.basis.catalog, self.basis.book);
                draws(number, &Law::of(stage, &pricer, considered, quote, Scenario::Default))
            });
            times.push(&[][..]);
        }
        for (number, (slot, index)) in times.iter_mut().zip(&quotes).enumerate() {
            *slot = self.drawn.get(&(number, *index)).map_or(&[][..], Vec::as_slice);
        }
        let chance = within(self.graph, &times, self.deadline);
        Some(Found { quotes, cost, chance })
    }

    /// The same selection with single stages made cheaper, the largest saving first, as long as the chance stays.
    fn cheapened(&mut self, mut best: Found, bound: i64, clock: &mut Percentiles) -> Option<Found> {
        let question = self.question(self.confidence, clock)?;
        let mut tries = TRIES;
        loop {
            let mut cheaper: Vec<(i128, usize, usize)> = Vec::new();
            for (number, options) in question.options().enumerate() {
                let (Some(considered), Some(now)) = (self.stages.get(number), best.quotes.get(number)) else {
                    continue;
                };
                let quotes = &considered.quotes.quotes;
                let Some(now) = quotes.get(*now) else { continue };
                for index in options {
                    let Some(quote) = quotes.get(*index) else { continue };
                    let saved = (now.cost - quote.cost).nanos();
                    if saved > 0 && best.cost - saved >= i128::from(bound) {
                        cheaper.push((-saved, number, *index));
                    }
                }
            }
            cheaper.sort_unstable();
            let mut better = None;
            for (_, number, index) in cheaper {
                if tries == 0 {
                    return Some(best);
                }
                tries -= 1;
                let mut quotes = best.quotes.clone();
                if let Some(slot) = quotes.get_mut(number) {
                    *slot = index;
                }
                let found = self.found(quotes)?;
                if found.chance >= self.confidence {
                    better = Some(found);
                    break;
                }
            }
            match better {
                Some(found) => best = found,
                None => return Some(best),
            }
        }
    }
}

/// The most stages of a run on one path.
fn longest(basis: Basis<'_>, graph: &Graph) -> u32 {
    let counts: Vec<i64> = basis.job.stages.iter().map(|s| i64::from(s.kind != StageKind::Serve)).collect();
    u32::try_from(graph.makespan(&counts)).unwrap_or(u32::MAX)
}
