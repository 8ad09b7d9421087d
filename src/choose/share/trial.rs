//! What a plan with some stages on common machines really costs: the others are chosen for it, the stages put on
//! machines in the order in which they start, and each machine bought by months or hours.

use super::machines::{machines, using};
use super::parts::{Able, Part, Seller};
use super::starts;
use crate::choose::assemble::Considered;
use crate::choose::exact::{Choice, Effort, Graph, Outcome};
use crate::choose::question::{Basis, Question};
use crate::job::Purchase;
use crate::price::{Pricer, Quote};
use crate::units::{BilledTime, Hours, Money};

/// What is asked of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The least cost; the other stages stay, which are the cheapest already.
    Free,
    /// The least cost; the other stages stay, and no stage takes longer than it counts now.
    NoSlower,
    /// The least cost within a deadline in milliseconds.
    Cheapest(i64),
    /// The least time within a budget in billionths.
    Fastest(i64),
}

/// A stage as it is selected.
#[derive(Debug, Clone)]
pub(super) struct Now {
    pub(super) cost: Money,
    /// The time that counts against a deadline.
    pub(super) counts: Hours,
    pub(super) owned: bool,
    /// What the cheapest way to do it costs.
    pub(super) least: Money,
}

/// A run as it is selected, and what is asked of a better one.
pub(super) struct Run<'a> {
    pub(super) basis: Basis<'a>,
    pub(super) stages: &'a [Considered],
    pub(super) graph: Graph,
    pub(super) mode: Mode,
    /// `None` for services.
    pub(super) now: Vec<Option<Now>>,
    /// The other stages' choices, where they may be chosen anew.
    pub(super) question: Option<Question>,
    /// What a run costs now, …
    pub(super) total: Money,
    /// … and how long it takes, with the times that count, in milliseconds.
    pub(super) makespan: i64,
}

/// Stages at one offer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pool {
    pub(super) offer: usize,
    pub(super) parts: Vec<Part>,
}

/// What the machines of a pool cost one run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lease {
    pub(super) cost: Money,
    pub(super) by_month: Vec<Money>,
    pub(super) machines: u32,
    pub(super) months: u32,
    pub(super) rest: Hours,
    /// Whether each of its stages shares a month with another.
    shared: bool,
}

/// A plan that was tried.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) pools: Vec<Pool>,
    pub(super) leases: Vec<Lease>,
    /// The quote of each stage outside the pools.
    pub(super) picks: Vec<Option<usize>>,
    /// What is asked for first, then the other: less is better.
    pub(super) rank: [i128; 2],
}

impl Run<'_> {
    /// The rank of the plan as it is.
    pub(super) fn rank(&self) -> [i128; 2] {
        self.ranked(self.total, self.makespan)
    }

    fn ranked(&self, cost: Money, makespan: i64) -> [i128; 2] {
        match self.mode {
            Mode::Free | Mode::NoSlower | Mode::Cheapest(_) => [cost.nanos(), i128::from(makespan)],
            Mode::Fastest(_) => [i128::from(makespan), cost.nanos()],
        }
    }

    /// Whether a plan with a trial's rank is better than another one: it costs less, or where the least time is asked for,
    /// takes less time, or as much and costs less.
    pub(super) fn is_better(&self, rank: [i128; 2], than: [i128; 2]) -> bool {
        match self.mode {
            Mode::Free | Mode::NoSlower | Mode::Cheapest(_) => rank[0] < than[0],
            Mode::Fastest(budget) => {
                let fits = |rank: [i128; 2]| rank[1] <= i128::from(budget);
                fits(rank) && (!fits(than) || rank < than)
            }
        }
    }

    /// Whether a month's price is within what a run may cost.
    pub(super) fn affords(&self, month: Money) -> bool {
        match self.mode {
            Mode::Free | Mode::NoSlower | Mode::Cheapest(_) => month < self.total,
            Mode::Fastest(budget) => month.nanos() <= i128::from(budget),
        }
    }

    /// The most that a month at an offer can save with the stages that `open` says yes to; of the least time what is left of
    /// the budget.
    pub(super) fn most_saved(&self, seller: &Seller, open: &dyn Fn(usize) -> bool) -> Money {
        let beside = |able: &Able| able.ways.iter().map(|way| way.beside).min().unwrap_or_default();
        let at_offer = |stage: usize| {
            seller.able.iter().find(|able| able.stage == stage).filter(|_| open(stage)).map(beside)
        };
        let stages = self.now.iter().enumerate().filter_map(|(at, now)| Some((at, now.as_ref()?)));
        match self.mode {
            Mode::Free | Mode::NoSlower => {
                let gain = |(at, now): (usize, &Now)| {
                    at_offer(at).map_or(Money::ZERO, |b| (now.cost - b).max(Money::ZERO))
                };
                stages.map(gain).sum::<Money>() - seller.month
            }
            // The others may become slower and cheaper.
            Mode::Cheapest(_) => {
                let gain = |(at, now): (usize, &Now)| {
                    now.cost - at_offer(at).map_or(now.least, |b| b.min(now.least))
                };
                stages.map(gain).sum::<Money>() - seller.month
            }
            Mode::Fastest(budget) => {
                let least = |(at, now): (usize, &Now)| at_offer(at).map_or(now.least, |b| b.min(now.least));
                let cent = Money::from_nanos(10_000_000);
                Money::from_nanos(i128::from(budget)) + cent - seller.month - stages.map(least).sum::<Money>()
            }
        }
    }

    /// The plan with these pools; none where it breaks a limit or where they share nothing. Steps of the solver are taken from
    /// `left`.
    pub(super) fn trial(&self, pools: Vec<Pool>, left: &mut u64) -> Option<Trial> {
        let (picks, makespan) = self.others(&pools, left)?;
        self.with(pools, picks, makespan)
    }

    /// The plan with these pools and quotes, which takes so long with the times that count.
    pub(super) fn with(&self, pools: Vec<Pool>, picks: Vec<Option<usize>>, makespan: i64) -> Option<Trial> {
        let mut lengths = vec![Hours::ZERO; self.stages.len()];
        let mut cost = Money::ZERO;
        for (at, slot) in lengths.iter_mut().enumerate() {
            if let Some(quote) = self.quote(at, picks.get(at).copied().flatten()) {
                *slot = quote.time;
                cost = cost + quote.cost;
            }
        }
        for part in pools.iter().flat_map(|pool| &pool.parts) {
            *lengths.get_mut(part.stage)? = part.time;
            cost = cost + part.beside;
        }
        let starts = starts(&self.graph, &lengths);
        let leases: Vec<Lease> = pools.iter().map(|pool| self.lease(pool, &starts)).collect::<Option<_>>()?;
        cost = cost + leases.iter().map(|lease| lease.cost).sum();
        if let Mode::Fastest(budget) = self.mode
            && cost.nanos() > i128::from(budget)
        {
            return None;
        }
        let rank = self.ranked(cost, makespan);
        Some(Trial { pools, leases, picks, rank })
    }

    /// The quotes of the stages outside the pools, and how long the run takes.
    fn others(&self, pools: &[Pool], left: &mut u64) -> Option<(Vec<Option<usize>>, i64)> {
        let mut held: Vec<(usize, Choice)> = Vec::new();
        for part in pools.iter().flat_map(|pool| &pool.parts) {
            let cost = i64::try_from(part.beside.nanos()).ok()?;
            held.push((part.stage, Choice { time: millis(part.time), cost }));
        }
        let is_held = |at: usize| held.iter().any(|(stage, _)| *stage == at);
        let Some(question) = &self.question else {
            *left = left.saturating_sub(SMALL);
            let run = |at: usize| self.now.get(at).is_some_and(Option::is_some) && !is_held(at);
            let stays = |(at, stage): (usize, &Considered)| stage.selection.chosen.filter(|_| run(at));
            let picks = self.stages.iter().enumerate().map(stays).collect();
            let mut lengths: Vec<i64> =
                self.now.iter().map(|now| now.as_ref().map_or(0, |now| millis(now.counts))).collect();
            for (at, choice) in &held {
                *lengths.get_mut(*at)? = choice.time;
            }
            return Some((picks, self.graph.makespan(&lengths)));
        };
        let problem = question.held(&held)?;
        let effort = Effort::steps((*left).min(EACH));
        let outcome = match self.mode {
            Mode::Fastest(budget) => {
                let machines: Money = pools.iter().map(|pool| self.at_least(pool)).sum::<Option<Money>>()?;
                let rest = i128::from(budget) - machines.nanos();
                problem.fastest_within(i64::try_from(rest).ok().filter(|rest| *rest >= 0)?, effort)
            }
            Mode::Cheapest(deadline) => problem.cheapest_within(Some(deadline), effort),
            Mode::Free | Mode::NoSlower => problem.cheapest_within(None, effort),
        };
        *left = left.saturating_sub(LARGE);
        let Outcome::Found(answer) = outcome else { return None };
        *left = left.saturating_sub(answer.steps);
        let mut picks = question.quotes(&answer);
        for (at, pick) in picks.iter_mut().enumerate() {
            let now = self.now.get(at).and_then(Option::as_ref);
            if is_held(at) || now.is_none() {
                *pick = None;
            } else if let Some(quote) = self.quote(at, *pick)
                && quote.purchase == Purchase::Owned
                && !now.is_some_and(|now| now.owned)
            {
                // Owned machines were given out already.
                return None;
            }
        }
        Some((picks, answer.makespan))
    }

    pub(super) fn quote(&self, at: usize, pick: Option<usize>) -> Option<&Quote> {
        self.stages.get(at)?.quotes.quotes.get(pick?)
    }

    /// What a pool's machines cost at the least: as if its stages ran one right after the other.
    fn at_least(&self, pool: &Pool) -> Option<Money> {
        let mut starts = vec![Hours::ZERO; self.stages.len()];
        let mut end = Hours::ZERO;
        for part in &pool.parts {
            *starts.get_mut(part.stage)? = end;
            end = end + part.time;
        }
        Some(self.lease(pool, &starts)?.cost)
    }

    /// What a pool's machines cost; none where one of its stages shares no month with another.
    fn lease(&self, pool: &Pool, starts: &[Hours]) -> Option<Lease> {
        self.rented(pool, starts, &|part| part.time).filter(|lease| lease.shared)
    }

    /// What the machines of each pool of a plan cost if the work of its stages took as long as at the lower and at the upper end
    /// of its band.
    pub(super) fn at_ends(&self, trial: &Trial) -> Vec<[Money; 2]> {
        let mut lengths: Vec<Hours> = (0..)
            .zip(&trial.picks)
            .map(|(at, pick)| self.quote(at, *pick).map_or(Hours::ZERO, |q| q.time))
            .collect();
        let mut ends = vec![[Money::ZERO; 2]; trial.pools.len()];
        for end in [0, 1] {
            let time = |part: &Part| part.ends.get(end).copied().unwrap_or(part.time);
            for part in trial.pools.iter().flat_map(|pool| &pool.parts) {
                if let Some(slot) = lengths.get_mut(part.stage) {
                    *slot = time(part);
                }
            }
            let starts = starts(&self.graph, &lengths);
            for ((pool, lease), ends) in trial.pools.iter().zip(&trial.leases).zip(&mut ends) {
                let cost = self.rented(pool, &starts, &time).map_or(lease.cost, |lease| lease.cost);
                if let Some(slot) = ends.get_mut(end) {
                    *slot = cost;
                }
            }
        }
        ends
    }

    /// What a pool's machines cost if each part takes so long.
    fn rented(&self, pool: &Pool, starts: &[Hours], time: &dyn Fn(&Part) -> Hours) -> Option<Lease> {
        let stage = self.basis.job.stages.get(pool.parts.first()?.stage)?;
        let pricer = Pricer::new(self.basis.job, stage, self.basis.catalog, self.basis.book);
        let uses = pool.parts.iter().map(|part| {
            let start = starts.get(part.stage).copied().unwrap_or(Hours::ZERO);
            using(part.stage, start, time(part), part.count)
        });
        let mut sharing = vec![false; self.stages.len()];
        let machines = machines(uses.collect())?;
        let count = u32::try_from(machines.len()).ok()?;
        let mut lease = Lease {
            cost: Money::ZERO,
            by_month: Vec::new(),
            machines: count,
            months: 0,
            rest: Hours::ZERO,
            shared: false,
        };
        for alike in machines.chunk_by(|a, b| a == b) {
            let (machine, many) = (alike.first()?, u32::try_from(alike.len()).ok()?);
            let (bought, by_month) = pricer.leased(pool.offer, &machine.spans)?;
            lease.cost = lease.cost + (bought.prepaid + bought.hourly) * many;
            lease.months = lease.months.saturating_add(bought.terms.saturating_mul(many));
            lease.rest = lease.rest + bought.rest * f64::from(many);
            lease.by_month.resize(by_month.len(), Money::ZERO);
            for (sum, month) in lease.by_month.iter_mut().zip(by_month) {
                *sum = *sum + month * many;
            }
            if bought.terms > 0 && machine.stages.len() > 1 {
                for stage in &machine.stages {
                    *sharing.get_mut(*stage)? = true;
                }
            }
        }
        lease.cost = lease.cost.to_cents();
        lease.shared = pool.parts.iter().all(|part| sharing.get(part.stage) == Some(&true));
        Some(lease)
    }
}

/// Steps that a trial counts for without the solver, …
pub(super) const SMALL: u64 = 400;
/// … and beside those of the solver.
const LARGE: u64 = 5_000;
/// Most steps of the solver for one trial.
const EACH: u64 = 200_000;

/// In milliseconds; what never ends takes longer than anything that does.
pub(super) fn millis(time: Hours) -> i64 {
    BilledTime::from_hours(time).map_or(i64::MAX >> 12, BilledTime::millis)
}
