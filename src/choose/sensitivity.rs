//! Which price, duration or hazard would have to change by how much for another plan to win.
//!
//! One machine changes, all else stays. Without a deadline the stage's next best machine wins as soon as it is cheaper.
//! Under one the question is solved again without the machine: what the best plan without it costs more is what the change
//! may cost, and what is left to the deadline on the paths through the stage is what it may take longer. Both are exact, for
//! every other plan that keeps the machine gets dearer and slower by the same. Stages that share months stay with them, and
//! nothing is told of those.

use super::Kept;
use super::assemble::Found;
use super::chance::law::interrupted;
use super::exact::{Effort, Graph, Outcome, Proof};
use super::question::{Basis, Classes, Question, competes, percentile};
use super::select::preferred;
use crate::decide::Candidate;
use crate::job::{Aim, Stage, StageKind};
use crate::plan::sensitivity::{Bound, Lever, Sensitivity};
use crate::price::pricer::turned::Turned;
use crate::price::{Pricer, Quote};
use crate::units::{BilledTime, Hours, Money};

/// Most stages of a run under a deadline of which that is asked: each needs two answers of the solver.
const MOST_STAGES: usize = 24;
/// Steps of the solver per answer; what is not proven by then is not said.
const EFFORT: Effort = Effort::steps(200_000);
/// Changes beyond this factor are not looked for.
const FARTHEST: f64 = 100.0;
/// How near to the truth a factor is told.
const NARROW: f64 = 1e-7;

/// The changes of all stages' machines at which another plan wins, the smallest first.
pub(super) fn in_order(of_stages: Vec<Vec<Sensitivity>>) -> Vec<Sensitivity> {
    let mut all: Vec<Sensitivity> = of_stages.into_iter().flatten().collect();
    all.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    all
}

/// The plan under its deadline.
pub(super) struct Whole<'a> {
    found: Found<'a>,
    basis: Basis<'a>,
    /// What a run costs.
    cost: Money,
    /// The question without its limits changed, and what is left to the deadline on the paths through each stage; none
    /// without a deadline.
    question: Option<(Question, Vec<Hours>)>,
    classes: Classes,
}

/// One stage's choice.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    at: usize,
    stage: &'a Stage,
    candidate: &'a Candidate,
    quote: &'a Quote,
}

/// What wins without a machine: how much dearer it is, and the stage's quote in it.
type Rival = (Money, usize);

impl<'a> Whole<'a> {
    /// None is told where the least time is the aim or a chance is asked for, where the plan does not keep its
    /// deadline, and under a deadline where owned machines are shared out.
    pub(super) fn of(found: Found<'a>) -> Option<Self> {
        let Found { job, catalog, book, stages, .. } = found;
        let asked = job.limits.aim == Aim::Cost && job.limits.confidence.is_none();
        if !asked || !matches!(found.kept, Kept::Cheapest | Kept::Proven) {
            return None;
        }
        // Under a deadline every stage hangs together with those that share owned machines.
        if job.limits.deadline.is_some() && stages.iter().any(|c| c.selection.contested) {
            return None;
        }
        let basis = Basis { job, catalog, book };
        let chosen = |at: usize| {
            let considered = stages.get(at)?;
            considered.quotes.quotes.get(considered.selection.chosen?)
        };
        let run =
            || (0..stages.len()).filter(|at| job.stages.get(*at).is_some_and(|s| s.kind != StageKind::Serve));
        let cost = run().map(|at| chosen(at).map(|q| q.cost)).sum::<Option<Money>>()?;
        let selected = run().all(|at| {
            chosen(at).zip(stages.get(at)).is_some_and(|(q, c)| c.selection.classes.contains(&q.class))
        });
        let classes = if selected { Classes::Selected } else { Classes::Any };
        let mut whole = Self { found, basis, cost, question: None, classes };
        if let Some(deadline) = job.limits.deadline {
            if run().count() > MOST_STAGES {
                return None;
            }
            let times: Option<Vec<Hours>> = (0..stages.len())
                .map(|at| whole.chosen(at).map_or(Some(Hours::ZERO), |c| whole.counted(c, 1.0, 1.0)))
                .collect();
            let question = Question::new(basis, stages, classes)?;
            let slack = slack(question.problem().graph(), &times?, deadline);
            whole.question = Some((question, slack));
        }
        Some(whole)
    }

    fn chosen(&self, at: usize) -> Option<Chosen<'a>> {
        let (stage, considered) = (self.found.job.stages.get(at)?, self.found.stages.get(at)?);
        let quote = considered.quotes.quotes.get(considered.selection.chosen?)?;
        let candidate = considered.candidates.candidates.get(quote.candidate)?;
        // Who gets owned machines would have to be asked again.
        let alone = !considered.selection.contested;
        (stage.kind != StageKind::Serve && alone).then_some(Chosen { at, stage, candidate, quote })
    }

    fn pricer(&self, stage: &'a Stage) -> Pricer<'a> {
        Pricer::new(self.found.job, stage, self.found.catalog, self.found.book)
    }

    /// The time that counts against the deadline when work and hazard are so many times what is expected.
    fn counted(&self, c: Chosen<'_>, work: f64, hazard: f64) -> Option<Hours> {
        let stage = self.found.job.stages.get(c.at)?;
        let turned = self.pricer(stage).turned(c.candidate, c.quote, work, hazard)?;
        Some(self.counts(c.quote, &turned))
    }

    fn counts(&self, quote: &Quote, turned: &Turned) -> Hours {
        match (&turned.spot, quote.net) {
            (_, Some(net)) => net.within.max(turned.time),
            (Some((job, outcome)), None) => percentile(self.found.job, job, outcome).max(turned.time),
            (None, None) => turned.time,
        }
    }

    /// The changes of a stage's machine at which another plan wins.
    pub(super) fn of_stage(&self, at: usize) -> Vec<Sensitivity> {
        // A change of shared months is one of all stages that share them.
        let Some(c) = self.chosen(at).filter(|c| c.quote.share.is_none()) else { return Vec::new() };
        let pricer = self.pricer(c.stage);
        let same_type = |q: &Quote| self.instance(q) == self.instance(c.quote);
        let same_way = |q: &Quote| {
            same_type(q) && (q.purchase == c.quote.purchase || (interrupted(q) && interrupted(c.quote)))
        };
        let (any_way, other_type) = (self.without(c, &same_way), self.without(c, &same_type));
        let slack = self.question.as_ref().and_then(|(_, slack)| slack.get(at)).copied();
        let mut all = Vec::new();
        let machines = pricer.machine_cost(c.candidate, c.quote).filter(|m| *m > Money::ZERO);
        if let (Some((more, rival)), Some(machines)) = (any_way, machines) {
            let factor = 1.0 + more.as_f64() / machines.as_f64();
            all.extend(self.told(c, Lever::Price, factor, Bound::Cost, Some(rival)));
        }
        let turned = |lever: Lever, factor: f64| match lever {
            Lever::Hazard => pricer.turned(c.candidate, c.quote, 1.0, factor),
            Lever::Price | Lever::Duration => pricer.turned(c.candidate, c.quote, factor, 1.0),
        };
        // How much longer than now it may take, and what counts now.
        let most =
            slack.and_then(|slack| Some((slack, self.counts(c.quote, &turned(Lever::Duration, 1.0)?))));
        for (lever, rival) in [(Lever::Duration, other_type), (Lever::Hazard, any_way)] {
            if lever == Lever::Hazard && !interrupted(c.quote) {
                continue;
            }
            let dear = |t: &Turned| rival.is_some_and(|(more, _)| t.cost - c.quote.cost > more);
            let late = |t: &Turned| {
                most.is_some_and(|(slack, now)| self.counts(c.quote, t).minus(now).get() > slack.get() + 1e-9)
            };
            // What never ends is both.
            let lost = |factor: f64| turned(lever, factor).is_none_or(|t| dear(&t) || late(&t));
            let Some(factor) = first(lost) else { continue };
            let at_it = turned(lever, factor);
            let bound = match &at_it {
                Some(t) if late(t) && !dear(t) => Bound::Deadline,
                _ => Bound::Cost,
            };
            all.extend(self.told(c, lever, factor, bound, rival.map(|(_, quote)| quote)));
        }
        all
    }

    /// Provider and instance type: one type may stand in the catalog several times, with other shapes by region.
    fn instance(&self, quote: &Quote) -> Option<(&'a str, &'a str)> {
        let instance = self.found.catalog.instance(self.found.catalog.offers.get(quote.offer)?.instance)?;
        Some((&*self.found.catalog.provider(instance.provider)?.name, &*instance.name))
    }

    /// The best plan without some quotes of a stage.
    fn without(&self, c: Chosen<'_>, gone: &dyn Fn(&Quote) -> bool) -> Option<Rival> {
        let considered = self.found.stages.get(c.at)?;
        let Some((question, _)) = &self.question else {
            let open = |q: &Quote| competes(c.stage, considered, self.classes, q) && !gone(q);
            let quotes = &considered.quotes.quotes;
            let best = preferred(self.found.job, self.found.catalog, quotes, open)?;
            return quotes.get(best).map(|quote| (quote.cost - c.quote.cost, best));
        };
        let question = question.without(self.basis, self.found.stages, c.at, self.classes, gone)?;
        let deadline = self.found.job.limits.deadline.and_then(BilledTime::from_hours)?;
        match question.problem().cheapest_within(Some(deadline.millis()), EFFORT) {
            Outcome::Found(answer) if matches!(answer.proof, Proof::Proven { .. }) => {
                let quote = question.quotes(&answer).get(c.at).copied().flatten()?;
                Some((Money::from_nanos(i128::from(answer.cost)) - self.cost, quote))
            }
            _ => None,
        }
    }

    fn told(
        &self,
        c: Chosen<'_>,
        lever: Lever,
        factor: f64,
        bound: Bound,
        rival: Option<usize>,
    ) -> Option<Sensitivity> {
        let considered = self.found.stages.get(c.at)?;
        let winner = rival.and_then(|at| considered.quotes.quotes.get(at));
        let share = if self.cost > Money::ZERO { c.quote.cost.as_f64() / self.cost.as_f64() } else { 0.0 };
        Some(Sensitivity {
            stage: c.stage.name.clone(),
            lever,
            factor: factor.max(1.0),
            rent: self.rent(c.quote, c.candidate)?,
            purchase: c.quote.purchase,
            bound,
            winner: winner.filter(|_| bound == Bound::Cost).and_then(|quote| {
                let candidate = considered.candidates.candidates.get(quote.candidate)?;
                Some(format!("{} {}", self.rent(quote, candidate)?, quote.purchase.label()))
            }),
            share,
        })
    }

    fn rent(&self, quote: &Quote, candidate: &Candidate) -> Option<String> {
        let (provider, instance) = self.instance(quote)?;
        let many = if candidate.count > 1 { format!("{} × ", candidate.count) } else { String::new() };
        Some(format!("{many}{provider} {instance}"))
    }
}

/// The least factor above 1 from which on a condition holds; none up to `FARTHEST`.
fn first(holds: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut low, mut high) = (1.0, 1.01);
    while !holds(high) {
        if high >= FARTHEST {
            return None;
        }
        (low, high) = (high, (1.0 + (high - 1.0) * 2.0).min(FARTHEST));
    }
    while high - low > NARROW * low {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// What is left to the deadline on the longest path through each stage.
pub(super) fn slack(graph: &Graph, times: &[Hours], deadline: Hours) -> Vec<Hours> {
    let time = |at: usize| times.get(at).copied().unwrap_or(Hours::ZERO);
    let before = |at: usize| graph.before().get(at).map_or(&[][..], Vec::as_slice);
    let mut until = vec![Hours::ZERO; times.len()];
    for at in graph.order() {
        let start =
            before(*at).iter().filter_map(|b| until.get(*b)).fold(Hours::ZERO, |latest, e| latest.max(*e));
        if let Some(slot) = until.get_mut(*at) {
            *slot = start + time(*at);
        }
    }
    let mut after = vec![Hours::ZERO; times.len()];
    for at in graph.order().iter().rev() {
        let behind = after.get(*at).copied().unwrap_or(Hours::ZERO) + time(*at);
        for b in before(*at) {
            if let Some(slot) = after.get_mut(*b) {
                *slot = slot.max(behind);
            }
        }
    }
    until.iter().zip(&after).map(|(until, after)| deadline.minus(*until + *after)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_is_that_of_the_longest_path_through_a_stage() {
        let graph = Graph::new(&[vec![], vec![0], vec![0], vec![1, 2]]).unwrap();
        let times = [1.0, 5.0, 2.0, 3.0].map(Hours::new);
        let left: Vec<f64> = slack(&graph, &times, Hours::new(10.0)).iter().map(|h| h.get()).collect();
        assert_eq!(left, [1.0, 1.0, 4.0, 1.0]);
    }

    #[test]
    fn the_first_factor_is_found_to_a_millionth() {
        assert!((first(|f| f > 1.04).unwrap() - 1.04).abs() < 1e-6);
        assert!((first(|f| f > 37.5).unwrap() - 37.5).abs() < 1e-4);
        assert_eq!(first(|_| false), None);
    }
}
