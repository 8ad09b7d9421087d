//! What the solver is asked: for each stage the quotes that compete, each with the time and the cost that count. The
//! only place where quotes become options; deadline, budget and cost-time curve all ask through it.

use super::assemble::Considered;
use super::exact::{Answer, Choice, Problem, Stage};
use super::select::preference;
use crate::catalog::Catalog;
use crate::decide::StageCandidates;
use crate::job::{self, Job, Purchase, StageKind};
use crate::price::open::commits;
use crate::price::{Book, Pricer, Quote, spot};
use crate::rules::Threshold;
use crate::units::{BilledTime, Hours};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What every question about a job's stages rests on.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The question.
    pub job: &'a Job,
    /// The prices.
    pub catalog: &'a Catalog,
    /// What holds for every offer.
    pub book: &'a Book<'a>,
}

/// Which classes of machine compete for a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// Those that its selection names: a rule of thumb may leave one only.
    Selected,
    /// Both, whatever a rule of thumb says.
    Any,
}

/// A question to the solver, with the quote behind each of its options.
#[derive(Debug, Clone)]
pub struct Question {
    quotes: Vec<Vec<usize>>,
    asked: Vec<Stage>,
    problem: Problem,
}

impl Question {
    /// All stages with the quotes of some classes; none where a stage has no quote, so that nothing can be chosen
    /// whatever the others are.
    pub fn new(basis: Basis<'_>, stages: &[Considered], classes: Classes) -> Option<Self> {
        let mut quotes = Vec::with_capacity(stages.len());
        let mut asked = Vec::with_capacity(stages.len());
        // Stages that ask for the same share their quotes, which are looked at once. A service has no options but its own.
        let mut known: BTreeMap<usize, Vec<(usize, Choice)>> = BTreeMap::new();
        for (stage, considered) in basis.job.stages.iter().zip(stages) {
            let options = || {
                let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
                let asked_for = Asked { job: basis.job, stage, pricer: &pricer, considered };
                options(basis, asked_for, classes, &|_| false)
            };
            let options = if stage.kind == StageKind::Serve {
                options()
            } else {
                known.entry(Arc::as_ptr(&considered.quotes).addr()).or_insert_with(options).clone()
            };
            let (of, choices) = options.into_iter().unzip();
            quotes.push(of);
            asked.push(Stage { choices, after: stage.after.clone() });
        }
        let problem = Problem::new(&asked).ok()?;
        Some(Self { quotes, asked, problem })
    }

    /// The same without some quotes of one stage; none where it has no other.
    pub fn without(
        &self,
        basis: Basis<'_>,
        stages: &[Considered],
        number: usize,
        classes: Classes,
        gone: &dyn Fn(&Quote) -> bool,
    ) -> Option<Self> {
        let (stage, considered) = (basis.job.stages.get(number)?, stages.get(number)?);
        let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
        let asked_for = Asked { job: basis.job, stage, pricer: &pricer, considered };
        let options = options(basis, asked_for, classes, gone);
        let (of, choices) = options.into_iter().unzip();
        let (mut quotes, mut asked) = (self.quotes.clone(), self.asked.clone());
        *quotes.get_mut(number)? = of;
        asked.get_mut(number)?.choices = choices;
        let problem = Problem::new(&asked).ok()?;
        Some(Self { quotes, asked, problem })
    }

    /// The problem with some stages held at one choice each, which is none of their quotes; the other stages' places in an
    /// answer stay what they are.
    pub(super) fn held(&self, held: &[(usize, Choice)]) -> Option<Problem> {
        let mut asked = self.asked.clone();
        for (stage, choice) in held {
            asked.get_mut(*stage)?.choices = vec![*choice];
        }
        Problem::new(&asked).ok()
    }

    /// The question as the solver sees it: times in milliseconds, costs in billionths.
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// For each stage the position of the quote that an answer takes.
    pub fn quotes(&self, answer: &Answer) -> Vec<Option<usize>> {
        let pairs = self.quotes.iter().zip(&answer.places);
        pairs.map(|(quotes, place)| quotes.get(*place).copied()).collect()
    }

    /// Selects what an answer takes; returns whether that is anything new.
    pub fn take(&self, answer: &Answer, stages: &mut [Considered]) -> bool {
        let mut changed = false;
        for (considered, quote) in stages.iter_mut().zip(self.quotes(answer)) {
            changed |= quote.is_some() && considered.selection.chosen != quote;
            considered.selection.chosen = quote.or(considered.selection.chosen);
        }
        changed
    }
}

/// The quotes of a stage that compete, without some of them, in order of preference, with the time that counts and the
/// cost; none that another one beats.
pub(super) fn choices(
    basis: Basis<'_>,
    stage: &job::Stage,
    considered: &Considered,
    classes: Classes,
    gone: &dyn Fn(&Quote) -> bool,
) -> Vec<(usize, Choice)> {
    let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
    options(basis, Asked { job: basis.job, stage, pricer: &pricer, considered }, classes, gone)
}

/// Whether a quote of a stage may be taken.
pub(super) fn competes(stage: &job::Stage, considered: &Considered, classes: Classes, quote: &Quote) -> bool {
    let of_class = quote.purchase == Purchase::Owned
        || classes == Classes::Any
        || considered.selection.classes.contains(&quote.class);
    of_class && !commits(stage, quote.purchase)
}

/// The quotes of a stage that compete, in order of preference, with the time that counts and the cost.
fn options(
    basis: Basis<'_>,
    asked: Asked<'_>,
    classes: Classes,
    gone: &dyn Fn(&Quote) -> bool,
) -> Vec<(usize, Choice)> {
    let Asked { stage, considered, .. } = asked;
    let quotes = &considered.quotes.quotes;
    // A service has no end and is no part of a run: its cheapest quote stays, and takes neither time nor money of it.
    if stage.kind == StageKind::Serve {
        return considered.selection.chosen.map(|at| (at, Choice { time: 0, cost: 0 })).into_iter().collect();
    }
    // What it bears of shared months is its cost only as long as the others share them too: it stays with them.
    if let Some(at) = considered.selection.chosen.filter(|_| considered.selection.shares(quotes)) {
        let choice =
            |q: &Quote| Some(Choice { time: millis(q.time), cost: i64::try_from(q.cost.nanos()).ok()? });
        return quotes.get(at).and_then(choice).map(|choice| (at, choice)).into_iter().collect();
    }
    let open = |q: &Quote| competes(stage, considered, classes, q) && !gone(q);
    let mut open: Vec<(usize, &Quote)> = quotes.iter().enumerate().filter(|(_, q)| open(q)).collect();
    let prefer = |a: &(usize, &Quote), b: &(usize, &Quote)| preference(basis.job, basis.catalog, a.1, b.1);
    let mut kept = Kept { asked, fastest: i64::MAX, choices: Vec::new() };
    // The first few leave little to sort.
    for _ in 0..FIRST {
        let first = open.iter().enumerate().min_by(|(_, a), (_, b)| prefer(a, b));
        let Some((at, _)) = first else { break };
        kept.add(open.swap_remove(at));
        open.retain(|quote| kept.may_need(quote.1));
    }
    open.sort_unstable_by(prefer);
    for quote in open {
        kept.add(quote);
    }
    kept.choices
}

/// Quotes that are looked for one by one before the others are sorted.
const FIRST: usize = 4;

/// The options of a stage so far, the cheapest first.
struct Kept<'a> {
    asked: Asked<'a>,
    fastest: i64,
    choices: Vec<(usize, Choice)>,
}

impl Kept<'_> {
    /// Whether a quote that is no cheaper may be needed: one that is no faster than a cheaper one never is.
    fn may_need(&self, quote: &Quote) -> bool {
        millis(quote.time) < self.fastest
    }

    /// Adds the quote at a position if it is needed. The costly percentile is asked for only where it may matter.
    fn add(&mut self, (index, quote): (usize, &Quote)) {
        if !self.may_need(quote) {
            return;
        }
        let Asked { job, pricer, considered, .. } = self.asked;
        let time = millis(counted(job, pricer, &considered.candidates, quote));
        let cost = i64::try_from(quote.cost.nanos()).unwrap_or(i64::MAX);
        if time < self.fastest && time < i64::MAX && cost < i64::MAX {
            self.fastest = time;
            self.choices.push((index, Choice { time, cost }));
        }
    }
}

fn millis(time: Hours) -> i64 {
    BilledTime::from_hours(time).map_or(i64::MAX, BilledTime::millis)
}

/// A stage of which options are asked.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    job: &'a Job,
    stage: &'a job::Stage,
    pricer: &'a Pricer<'a>,
    considered: &'a Considered,
}

/// The time of a quote that counts: on spot the one within which the stage ends as often as `spot_confidence` asks, for
/// expected values would miss a deadline half the time; with on-demand fallback the one within which it is to end.
pub fn counted(job: &Job, pricer: &Pricer<'_>, candidates: &StageCandidates, quote: &Quote) -> Hours {
    if let Some(net) = quote.net() {
        return net.within;
    }
    if quote.purchase != Purchase::Spot {
        return quote.time;
    }
    let candidate = candidates.of(quote.candidate);
    let Some((_, spot_job, outcome)) = candidate.and_then(|c| pricer.spot_details(c, quote)) else {
        return Hours::NEVER;
    };
    percentile(job, &spot_job, &outcome).max(quote.time)
}

/// The time within which a stage on spot ends as often as `spot_confidence` asks.
pub(super) fn percentile(job: &Job, of: &spot::SpotJob, outcome: &spot::SpotOutcome) -> Hours {
    let spread = spot::completion_spread(of, outcome, spot::Burst::DEFAULT);
    spread.percentile(job.thresholds.get(Threshold::SpotConfidence))
}
