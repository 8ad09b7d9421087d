//! Which price, duration or hazard would have to change by how much for another plan to win.
//!
//! One machine changes, all else stays. Without a deadline the stage's next best machine wins as soon as it is cheaper.
//! Under one the question is solved again without the machine: what the best plan without it costs more is what the change
//! may cost, and what is left to the deadline on the paths through the stage is what it may take longer. Both are exact, for
//! every other plan that keeps the machine gets dearer and slower by the same. Bills are in whole cents, and so is what a change
//! makes of them: the factor is the first at which the plan, made anew, takes another machine. Stages that share months stay with them,
//! and nothing is told of those.

mod least;

use super::Kept;
use super::assemble::Found;
use super::chance::law::interrupted;
use super::exact::{Effort, Outcome, Proof};
use super::question::{Basis, Classes, Question, competes, percentile};
use super::select::{preference, preferred};
use crate::decide::Candidate;
use crate::job::{Aim, Stage, StageKind};
use crate::plan::sensitivity::{Bound, Lever, Sensitivity};
use crate::price::pricer::turned::Turned;
use crate::price::{Pricer, Quote};
use crate::units::{BilledTime, Hours, Money};
use least::first;
pub(super) use least::slack;

/// Most stages of a run under a deadline of which that is asked: each needs two answers of the solver.
const MOST_STAGES: usize = 24;
/// Steps of the solver per answer; what is not proven by then is not said.
const EFFORT: Effort = Effort::steps(200_000);

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

/// What wins without a machine.
#[derive(Clone, Copy)]
struct Rival {
    /// How much dearer it is than the plan.
    more: Money,
    /// The stage's quote in it.
    quote: usize,
    /// How long the run then takes by the times that count, under a deadline.
    lasts: Option<Hours>,
}

/// The stage's machine after a change.
#[derive(Clone, Copy)]
struct Changed {
    /// How much more the stage costs.
    dearer: Money,
    /// How long it takes.
    time: Hours,
    /// How much longer counts against the deadline.
    later: Hours,
}

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
        let candidate = considered.candidates.of(quote.candidate)?;
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
        let pricer = self.pricer(stage);
        let turned = pricer.turned(c.candidate, c.quote, work, hazard)?;
        Some(self.counts(c, &pricer, &turned, work, hazard))
    }

    /// The same of a quote that was `turned` so.
    fn counts(&self, c: Chosen<'_>, pricer: &Pricer<'_>, turned: &Turned, work: f64, hazard: f64) -> Hours {
        if let Some(net) = c.quote.net() {
            return net.within.max(turned.time);
        }
        match pricer.turned_on_spot(c.candidate, c.quote, work, hazard) {
            Some((job, outcome)) => percentile(self.found.job, &job, &outcome).max(turned.time),
            None => turned.time,
        }
    }

    /// The changes of a stage's machine at which another plan wins.
    pub(super) fn of_stage(&self, at: usize) -> Vec<Sensitivity> {
        // A change of shared months is one of all stages that share them.
        let Some(c) = self.chosen(at).filter(|c| c.quote.share().is_none()) else { return Vec::new() };
        let pricer = self.pricer(c.stage);
        let same_type = |q: &Quote| self.instance(q) == self.instance(c.quote);
        let same_way = |q: &Quote| {
            same_type(q) && (q.purchase == c.quote.purchase || (interrupted(q) && interrupted(c.quote)))
        };
        let (any_way, other_type) = (self.without(c, &same_way), self.without(c, &same_type));
        let slack = self.question.as_ref().and_then(|(_, slack)| slack.get(at)).copied();
        let mut all = Vec::new();
        // Costs are compared in whole cents, as they are billed: what counts is the bill that the change makes.
        let machines = |price: f64| pricer.machines_at(c.candidate, c.quote, price);
        if let (Some(rival), Some(now)) = (any_way, machines(1.0).filter(|m| *m > Money::ZERO)) {
            let wins = |price: f64| {
                let (time, later) = (c.quote.time, Hours::ZERO);
                let then = machines(price).map(|then| Changed { dearer: then - now, time, later });
                then.is_none_or(|then| self.beats(c, rival, then))
            };
            let factor = first(wins);
            all.extend(factor.and_then(|f| self.told(c, Lever::Price, f, Bound::Cost, Some(rival.quote))));
        }
        let factors = |lever: Lever, factor: f64| match lever {
            Lever::Hazard => (1.0, factor),
            Lever::Price | Lever::Duration => (factor, 1.0),
        };
        let turned = |lever: Lever, factor: f64| {
            let (work, hazard) = factors(lever, factor);
            pricer.turned(c.candidate, c.quote, work, hazard)
        };
        // How much longer than now it may take, and what counts now.
        let most = slack.and_then(|slack| Some((slack, self.counted(c, 1.0, 1.0)?)));
        for (lever, rival) in [(Lever::Duration, other_type), (Lever::Hazard, any_way)] {
            if lever == Lever::Hazard && !interrupted(c.quote) {
                continue;
            }
            let later = |t: &Turned, factor: f64| {
                let (work, hazard) = factors(lever, factor);
                most.map(|(_, now)| self.counts(c, &pricer, t, work, hazard).minus(now))
            };
            let dear = |t: &Turned, factor: f64| {
                let later = later(t, factor).unwrap_or(Hours::ZERO);
                let then = Changed { dearer: t.cost - c.quote.cost, time: t.time, later };
                rival.is_some_and(|of| self.beats(c, of, then))
            };
            let late = |t: &Turned, factor: f64| {
                most.zip(later(t, factor)).is_some_and(|((slack, _), later)| later.get() > slack.get() + 1e-9)
            };
            // What never ends is both.
            let lost =
                |factor: f64| turned(lever, factor).is_none_or(|t| dear(&t, factor) || late(&t, factor));
            let Some(factor) = first(lost) else { continue };
            let at_it = turned(lever, factor);
            let bound = match &at_it {
                Some(t) if late(t, factor) && !dear(t, factor) => Bound::Deadline,
                _ => Bound::Cost,
            };
            all.extend(self.told(c, lever, factor, bound, rival.map(|of| of.quote)));
        }
        all
    }

    /// Whether what wins without a machine beats it after a change: of equal costs the one that is preferred for another reason,
    /// under a deadline the shorter run.
    fn beats(&self, c: Chosen<'_>, rival: Rival, then: Changed) -> bool {
        if then.dearer != rival.more {
            return then.dearer > rival.more;
        }
        let quotes = self.found.stages.get(c.at).map(|s| &s.quotes.quotes);
        let other = quotes.and_then(|quotes| quotes.get(rival.quote));
        let mut alone = true;
        if let (Some((_, slack)), Some(lasts), Some(deadline)) =
            (&self.question, rival.lasts, self.found.job.limits.deadline)
        {
            let own = slack.get(c.at).copied().unwrap_or(Hours::ZERO).minus(then.later);
            let least = slack.iter().copied().fold(own, |a, b| if b < a { b } else { a });
            let longer = deadline.minus(least).get() - lasts.get();
            // A millisecond is what the solver counts in.
            if longer.abs() > 1e-6 {
                return longer > 0.0;
            }
            // Equally long runs that differ in this stage only.
            alone = other.is_some_and(|other| other.cost - c.quote.cost == rival.more);
        }
        other.filter(|_| alone).is_some_and(|other| {
            let then = Quote { cost: other.cost, time: then.time, ..c.quote.clone() };
            preference(self.found.job, self.found.catalog, other, &then).is_lt()
        })
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
            let more = quotes.get(best)?.cost - c.quote.cost;
            return Some(Rival { more, quote: best, lasts: None });
        };
        let question = question.without(self.basis, self.found.stages, c.at, self.classes, gone)?;
        let deadline = self.found.job.limits.deadline.and_then(BilledTime::from_hours)?;
        match question.problem().cheapest_within(Some(deadline.millis()), EFFORT) {
            Outcome::Found(answer) if matches!(answer.proof, Proof::Proven { .. }) => {
                let quote = question.quotes(&answer).get(c.at).copied().flatten()?;
                let more = Money::from_nanos(i128::from(answer.cost)) - self.cost;
                let lasts = Some(BilledTime::from_millis(answer.makespan).hours());
                Some(Rival { more, quote, lasts })
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
                let candidate = considered.candidates.of(quote.candidate)?;
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
