//! The questions of the search to the exact solver: the least cost within a deadline, or the least time within the budgets,
//! as if each stage had the owned machines for itself.

use super::branch::{self, Key, Limits, Pick, Solved};
use super::groups::{Entries, Entry, allowed, entries};
use super::pools::{Pools, Use};
use super::rows::{Gain, best_rows};
use crate::choose::assemble::Considered;
use crate::choose::budget::{EVERYTHING, solver_budget};
use crate::choose::exact::{Answer, Choice, Effort, Outcome, Prices, Problem, Proof, Stage};
use crate::choose::question::Classes;
use crate::choose::totals::weighed_runs;
use crate::job::{Purchase, StageKind};
use crate::units::Money;
use std::collections::BTreeMap;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The least cost, within a deadline in milliseconds if there is one.
    Cheapest(Option<i64>),
    /// The least time within the budgets.
    Fastest,
    /// The least time, whatever it costs.
    Soonest,
}

/// What takes no part in a run.
const FREE: Choice = Choice { time: 0, cost: 0 };

/// Rounds in which charges are tuned …
const ROUNDS: u32 = 60;
/// … and those without a better bound after which a step is half as long.
const PATIENCE: u32 = 3;

/// The part of the effort that one question may take.
const SHARE: u64 = 8;

/// What a machine of a pool is charged to a stage for, in billionths, by stage and pool.
type Charges = BTreeMap<(usize, usize), i64>;

pub(super) struct Questions<'a> {
    pools: &'a Pools<'a>,
    stages: &'a [Considered],
    goal: Goal,
    entries: Vec<Entries>,
    /// The stage graph, with choices that do not matter.
    graph: Option<Problem>,
    /// The charges that gave the best bound for the whole.
    tuned: Option<Charges>,
    /// Steps that are left to the solver.
    left: u64,
    /// Most steps of one question.
    most: u64,
}

/// The stages as the solver is asked about them.
struct Asked<'a> {
    problem: Problem,
    /// For each stage its options as they stand in the problem; of a service the one that is taken.
    options: Vec<Vec<&'a Entry>>,
    /// What the services cost in a month, with what they are charged.
    services: Money,
}

/// The answer to a question with charges.
struct Charged {
    /// The bound that it gives.
    least: i128,
    /// How many machines of each pool each stage has in the best rows …
    given: Limits,
    /// … and what it uses in the answer.
    uses: Vec<Option<Use>>,
    steps: u64,
}

impl<'a> Questions<'a> {
    pub(super) fn new(
        pools: &'a Pools<'a>,
        stages: &'a [Considered],
        classes: Classes,
        goal: Goal,
        effort: Effort,
    ) -> Self {
        let entries = entries(pools, stages, classes, goal != Goal::Cheapest(None));
        let bare = |after: &Vec<usize>| Stage { choices: vec![FREE], after: after.clone() };
        let graph: Vec<Stage> = pools.basis.job.stages.iter().map(|s| bare(&s.after)).collect();
        let graph = Problem::new(&graph).ok();
        Self {
            pools,
            stages,
            goal,
            entries,
            graph,
            tuned: None,
            left: effort.get(),
            most: effort.get() / SHARE,
        }
    }

    /// Asks for something else.
    pub(super) fn turn(&mut self, goal: Goal) {
        self.goal = goal;
    }

    /// Whether the solver can be asked: its numbers are not too large.
    pub(super) fn is_possible(&self) -> bool {
        self.asked(&Limits::new(), &Charges::new()).is_some()
    }

    fn serves(&self, stage: usize) -> bool {
        self.pools.basis.job.stages.get(stage).is_some_and(|s| s.kind == StageKind::Serve)
    }

    /// The question within some limits; none where a stage has no option left. A stage that has none by itself takes no part:
    /// the plan is infeasible whatever the others are.
    fn asked(&self, limits: &Limits, charges: &Charges) -> Option<Asked<'_>> {
        let price = |stage: usize, entry: &Entry| match entry.used {
            Some(Use { pool, count }) => charges.get(&(stage, pool)).map_or(entry.choice.cost, |each| {
                entry.choice.cost.saturating_add(each.saturating_mul(i64::from(count)))
            }),
            None => entry.choice.cost,
        };
        let mut services = 0_i128;
        let mut asked = Vec::with_capacity(self.entries.len());
        let mut options = Vec::with_capacity(self.entries.len());
        for (at, entries) in self.entries.iter().enumerate() {
            let mut open: Vec<&Entry> = allowed(entries, at, limits).collect();
            let choices = if entries.is_empty() {
                vec![FREE]
            } else if self.serves(at) {
                let best = open.iter().copied().min_by_key(|entry| price(at, entry))?;
                services += i128::from(price(at, best));
                open = vec![best];
                vec![FREE]
            } else {
                open.iter().map(|entry| Choice { cost: price(at, entry), ..entry.choice }).collect()
            };
            options.push(open);
            asked.push(choices);
        }
        let problem = self.graph.as_ref()?.with_choices(&asked).ok()?;
        Some(Asked { problem, options, services: Money::from_nanos(services) })
    }

    fn answer(&self, asked: &Asked<'_>) -> Option<Answer> {
        let effort = Effort::steps(self.most.min(self.left));
        let problem = &asked.problem;
        let outcome = match self.goal {
            Goal::Cheapest(deadline) => problem.cheapest_within(deadline, effort),
            Goal::Fastest => {
                problem.fastest_within(solver_budget(self.pools.basis.job, asked.services), effort)
            }
            Goal::Soonest => problem.fastest_within(EVERYTHING, effort),
        };
        match outcome {
            Outcome::Found(answer) => Some(answer),
            Outcome::Infeasible { .. } => None,
        }
    }

    /// The cost of a run and the services as what is to be least.
    fn whole(&self, run: i64, services: Money) -> i128 {
        i128::from(run) * i128::from(weighed_runs(self.pools.basis.job)) + services.nanos()
    }

    fn found(&self, asked: &Asked<'_>, answer: &Answer) -> (Key, Pick) {
        let (cost, time) = (self.whole(answer.cost, asked.services), i128::from(answer.makespan));
        let (at_least, first) = match answer.proof {
            Proof::Gap { at_least } => (Some(at_least), false),
            Proof::Proven { first_of_equals } => (None, first_of_equals),
        };
        let (key, bound) = match self.goal {
            Goal::Cheapest(_) => {
                ((cost, time), (at_least.map_or(cost, |run| self.whole(run, asked.services)), time))
            }
            Goal::Fastest | Goal::Soonest => ((time, cost), (at_least.map_or(time, i128::from), cost)),
        };
        let bound = if first { bound } else { (bound.0, 0) };
        let both = asked.options.iter().zip(&answer.places);
        let taken: Vec<Option<&Entry>> = both.map(|(open, place)| open.get(*place).copied()).collect();
        let quotes = taken.iter().map(|entry| entry.map(|e| e.quote)).collect();
        let uses = taken.iter().map(|entry| entry.and_then(|e| e.used)).collect();
        (bound, Pick { key, quotes, uses, makespan: answer.makespan })
    }

    /// What a machine of each pool saves each stage, with the prices of time of the question; beside what is rented, or
    /// beside all that is not of the pool.
    fn charges(&self, limits: &Limits, prices: &Prices, rented: bool) -> Charges {
        let mut charges = Charges::new();
        for (at, entries) in self.entries.iter().enumerate() {
            let weigh = |e: &Entry| prices.weigh(at, i128::from(e.choice.cost), e.choice.time);
            let open = || allowed(entries, at, limits);
            for pool in 0..self.pools.len() {
                let beside = open().filter(|e| match e.used {
                    None => true,
                    Some(used) => !rented && used.pool != pool,
                });
                let Some(beside) = beside.map(weigh).min() else { continue };
                let saves = open().filter_map(|e| {
                    let used = e.used.filter(|used| used.pool == pool)?;
                    Some((beside - weigh(e)) / i128::from(used.count.max(1)))
                });
                let saves = saves.max().unwrap_or(0) / prices.scaled(1);
                if saves > 0 {
                    charges.insert((at, pool), i64::try_from(saves).unwrap_or(i64::MAX));
                }
            }
        }
        charges
    }

    fn prices(&self, limits: &Limits) -> Option<Prices> {
        match self.goal {
            Goal::Cheapest(Some(deadline)) => {
                self.asked(limits, &Charges::new())?.problem.prices_within(deadline)
            }
            Goal::Cheapest(None) => Some(Prices::none(self.entries.len())),
            Goal::Fastest | Goal::Soonest => None,
        }
    }

    /// The most that the machines of all pools can be charged together, and how many of each pool each stage has then.
    fn charged(&self, limits: &Limits, charges: &Charges) -> (i128, Limits) {
        let job = self.pools.basis.job;
        let before: Vec<Vec<usize>> = job.stages.iter().map(|s| s.after.clone()).collect();
        let (mut all, mut given) = (0, Limits::new());
        for pool in 0..self.pools.len() {
            let gain = |(at, entries): (usize, &Entries)| {
                let weight = if self.serves(at) { 1 } else { i128::from(weighed_runs(job)) };
                let used =
                    allowed(entries, at, limits).filter_map(|e| e.used).filter(|used| used.pool == pool);
                let each = charges.get(&(at, pool)).map_or(0, |each| i128::from(*each) * weight);
                Gain { each, most: used.map(|used| used.count).max().unwrap_or(0) }
            };
            let gains: Vec<Gain> = self.entries.iter().enumerate().map(gain).collect();
            let (most, has) = best_rows(&before, &gains, self.pools.has(pool));
            all += most;
            for (at, (gain, has)) in gains.iter().zip(has).enumerate() {
                if gain.most > 0 {
                    given.insert((at, pool), has);
                }
            }
        }
        (all, given)
    }

    /// What everything within some limits is at least, with these charges.
    fn bound(&self, limits: &Limits, charges: &Charges) -> Option<Charged> {
        let (back, given) = self.charged(limits, charges);
        let asked = self.asked(limits, charges)?;
        let answer = self.answer(&asked)?;
        let run = match answer.proof {
            Proof::Gap { at_least } => at_least,
            Proof::Proven { .. } => answer.cost,
        };
        let uses = self.found(&asked, &answer).1.uses;
        let least = self.whole(run, asked.services) - back;
        Some(Charged { least, given, uses, steps: answer.steps })
    }

    fn both_charges(&self, limits: &Limits) -> Vec<Charges> {
        let Some(prices) = self.prices(limits) else { return Vec::new() };
        let mut both = vec![self.charges(limits, &prices, true)];
        if self.pools.len() > 1 {
            both.push(self.charges(limits, &prices, false));
        }
        both
    }
}

impl branch::Ask for Questions<'_> {
    fn solve(&mut self, limits: &Limits) -> Solved {
        let Some(asked) = self.asked(limits, &Charges::new()) else { return Solved::Nothing };
        let Some(answer) = self.answer(&asked) else { return Solved::Nothing };
        let (bound, pick) = self.found(&asked, &answer);
        self.left = self.left.saturating_sub(answer.steps);
        Solved::Found(bound, pick)
    }

    /// The bound of Lagrange: with each machine charged what it saves, the stages pay as if they rented; what comes back is
    /// what so many machines can be charged at most.
    fn lift(&mut self, limits: &Limits) -> Option<i128> {
        let mut all = self.both_charges(limits);
        all.extend(self.tuned.clone());
        let bounds = all.iter().filter_map(|charges| self.bound(limits, charges));
        let (bounds, steps): (Vec<i128>, Vec<u64>) = bounds.map(|known| (known.least, known.steps)).unzip();
        self.left = self.left.saturating_sub(steps.iter().sum());
        bounds.into_iter().max()
    }

    /// Charges stages more where they use more of a pool than the best rows give them, and less where they use less, in steps
    /// that get smaller (the subgradient method).
    fn tune(&mut self, target: i128) -> Option<i128> {
        let none = Limits::new();
        let mut charges = self.both_charges(&none).into_iter().next()?;
        let (mut best, mut pace, mut failed) = (None, 1.0_f64, 0);
        for _ in 0..ROUNDS {
            let Some(known) = self.bound(&none, &charges) else { break };
            self.left = self.left.saturating_sub(known.steps);
            if Some(known.least) > best {
                (best, failed) = (Some(known.least), 0);
                self.tuned = Some(charges.clone());
            } else {
                failed += 1;
                if failed % PATIENCE == 0 {
                    pace /= 2.0;
                }
            }
            let excess = |key: &(usize, usize)| {
                let used = known.uses.get(key.0).copied().flatten().filter(|used| used.pool == key.1);
                f64::from(used.map_or(0, |used| used.count))
                    - f64::from(known.given.get(key).copied().unwrap_or(0))
            };
            let all: Vec<((usize, usize), f64)> = known.given.keys().map(|key| (*key, excess(key))).collect();
            let size: f64 = all.iter().map(|(_, excess)| excess * excess).sum();
            let runs = f64::from(weighed_runs(self.pools.basis.job));
            #[expect(clippy::cast_precision_loss, reason = "the length of a step")]
            let step = pace * (target - known.least) as f64 / size / runs;
            if !(step > 0.0 && step.is_finite()) {
                break;
            }
            for (key, excess) in all {
                let each = charges.entry(key).or_default();
                #[expect(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    reason = "the cast saturates"
                )]
                {
                    *each = (*each as f64 + step * excess).max(0.0) as i64;
                }
            }
        }
        best
    }

    fn hints(&mut self) -> Vec<Limits> {
        let none = Limits::new();
        self.both_charges(&none).iter().map(|charges| self.charged(&none, charges).1).collect()
    }

    fn saves(&self, stage: usize, quote: usize) -> i128 {
        saves(self.stages, stage, quote)
    }

    fn may_go_on(&self) -> bool {
        self.left > 0
    }
}

/// What a quote saves beside the cheapest that is rented.
pub(super) fn saves(stages: &[Considered], stage: usize, quote: usize) -> i128 {
    let quotes = stages.get(stage).map_or(&[][..], |c| &c.quotes.quotes);
    let rented = quotes.iter().filter(|q| q.purchase != Purchase::Owned).map(|q| q.cost).min();
    let cost = quotes.get(quote).map(|q| q.cost);
    rented.zip(cost).map_or(i128::MAX, |(rented, cost)| (rented - cost).nanos())
}
