//! The search over the regions.

use super::Chosen;
use super::bounds::Bounds;
use super::places::Places;
use super::stock::{Entry, Shelf};
use crate::choose::assemble::Considered;
use crate::choose::budget::{EVERYTHING, solver_budget};
use crate::choose::exact::{self, Answer, Choice, Effort, Outcome, Prices, Problem, Proof};
use crate::choose::question::{Basis, Classes, Question};
use crate::choose::totals::weighed_runs;
use crate::job::{Aim, Job, Location};
use crate::plan::UnpricedRegion;
use crate::price::Book;
use crate::price::storage::keeping;
use crate::units::{BilledTime, Bytes, Money};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The region in which to keep the data of a job that does not name one; none where no data moves or nothing can be
/// rented. `stages` is what was found and selected with nothing charged for the data.
pub fn region(basis: Basis<'_>, stages: &[Considered]) -> Option<Chosen> {
    if !is_open(basis.job) {
        return None;
    }
    let book = Book::by_region(basis.job, basis.catalog);
    let basis = Basis { book: &book, ..basis };
    let places = Places::new(basis.catalog, basis.book);
    let (keeping, others): (Vec<usize>, Vec<usize>) = places.open().partition(|at| places.keeps(*at));
    // As the choice does it: a rule of thumb yields to a limit that it cannot keep; a limit that nothing keeps decides
    // nothing.
    for ask in asks(basis) {
        for homes in [&keeping, &others] {
            for classes in classes(basis.job, ask) {
                let Some(search) = Search::new(basis, &places, stages, *classes, ask) else { continue };
                if let Some(best) = search.best(homes, None) {
                    return search.beside(&best, &keeping, &others);
                }
            }
        }
    }
    let search = Search::new(basis, &places, stages, Classes::Any, Ask::CHEAPEST)?;
    search.serves_most(&keeping).or_else(|| search.serves_most(&others))
}

/// Whether a region has to be chosen: data moves, and the job does not say where it lies.
pub fn is_open(job: &Job) -> bool {
    let moves = |size: Option<Bytes>| size.is_some_and(|size| size > Bytes::ZERO);
    job.data_location.is_none() && job.stages.iter().any(|stage| moves(stage.size) || moves(stage.output))
}

/// The classes that compete, in turn. The fastest run that is shown where nothing keeps the deadline heeds no rule of thumb.
fn classes(job: &Job, ask: Ask) -> &'static [Classes] {
    if ask == Ask::Fastest && job.limits.aim == Aim::Cost {
        return &[Classes::Any];
    }
    &[Classes::Selected, Classes::Any]
}

/// What is asked of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ask {
    /// The least cost within a deadline in milliseconds, if any.
    Cheapest(Option<i64>),
    /// The least time: within the budgets where that is the aim.
    Fastest,
}

impl Ask {
    const CHEAPEST: Self = Self::Cheapest(None);
}

/// What the job asks for, and what is left when that cannot be had.
fn asks(basis: Basis<'_>) -> Vec<Ask> {
    let limits = &basis.job.limits;
    match (limits.aim, limits.deadline.and_then(BilledTime::from_hours)) {
        (Aim::Time, _) => vec![Ask::Fastest, Ask::CHEAPEST],
        (Aim::Cost, Some(deadline)) => {
            vec![Ask::Cheapest(Some(deadline.millis())), Ask::Fastest, Ask::CHEAPEST]
        }
        (Aim::Cost, None) => vec![Ask::CHEAPEST],
    }
}

/// One question of the job, to be asked for every region.
pub(super) struct Search<'a> {
    basis: Basis<'a>,
    pub(super) places: &'a Places<'a>,
    /// The stages that something can do.
    pub(super) shelves: Vec<Shelf<'a>>,
    pub(super) prices: Prices,
    ask: Ask,
    /// Steps that are left to the solver.
    left: Cell<u64>,
}

/// What the best plan with the data in one region comes to. The order is that in which regions are preferred.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    /// Cost and makespan, what is asked for first.
    rank: [i128; 2],
    name: (String, String),
    home: usize,
    /// Cost of the runs and of the services together.
    cost: Money,
    makespan: i64,
    proven: bool,
    /// Whether it is within the deadline and the budgets.
    keeps: bool,
}

/// Share by which a region without a price for keeping data must be better to be spoken of.
const WORTH: f64 = 0.05;

/// The part of the solver's usual effort that one region may take.
const SHARE: u64 = 8;
/// The part of it that all regions together may take.
const SHARE_OF_ALL: u64 = 4;
/// The part of what is left of that which one of them may take.
const SHARE_OF_REST: u64 = 4;

impl<'a> Search<'a> {
    /// None where nothing keeps the deadline with these classes even while nothing is charged for the data.
    fn new(
        basis: Basis<'a>,
        places: &'a Places<'a>,
        stages: &'a [Considered],
        classes: Classes,
        ask: Ask,
    ) -> Option<Self> {
        let none = || Prices::none(stages.len());
        let prices = match ask {
            Ask::Cheapest(Some(deadline)) => {
                match Question::new(basis, stages, classes) {
                    Some(question) => question.problem().prices_within(deadline)?,
                    // A stage that nothing can do: the plan is infeasible whatever the others are.
                    None => none(),
                }
            }
            Ask::Cheapest(None) | Ask::Fastest => none(),
        };
        let mut shelves = Shelf::all(basis, stages, classes);
        shelves.retain(Shelf::is_possible);
        let left = Cell::new(Effort::ORDINARY.get() / SHARE_OF_ALL);
        Some(Self { basis, places, shelves, prices, ask, left })
    }

    /// The best with what has to be said of regions in which keeping data has no price: one of them is taken where it
    /// keeps limits that the best does not, and spoken of where it is much better.
    fn beside(&self, best: &Found, keeping: &[usize], others: &[usize]) -> Option<Chosen> {
        if !self.places.keeps(best.home) {
            return self.chosen(best, others.len());
        }
        let other = self.best(others, Some(best));
        match other {
            Some(other) if other.keeps && !best.keeps => self.chosen(&other, others.len()),
            Some(other) if self.much_better(&other, best) => {
                Some(Chosen { unpriced: self.unpriced(&other), ..self.chosen(best, keeping.len())? })
            }
            _ => self.chosen(best, keeping.len()),
        }
    }

    fn much_better(&self, other: &Found, best: &Found) -> bool {
        let costs = other.cost < best.cost && best.cost - other.cost >= best.cost.scaled(WORTH);
        #[expect(clippy::cast_precision_loss, reason = "a share of it is asked for")]
        let times = (other.makespan as f64) < best.makespan as f64 * (1.0 - WORTH);
        match self.ask {
            Ask::Cheapest(_) => costs,
            Ask::Fastest => times || (costs && other.makespan <= best.makespan),
        }
    }

    fn unpriced(&self, other: &Found) -> Option<UnpricedRegion> {
        let Location { provider, region } = self.places.location(other.home)?;
        let time = (self.ask == Ask::Fastest).then(|| BilledTime::from_millis(other.makespan).hours());
        let monthly = self.shelves.iter().any(|shelf| !shelf.ends());
        Some(UnpricedRegion { provider, region, cost: other.cost, time, monthly, exact: self.proves(other) })
    }

    fn chosen(&self, found: &Found, among: usize) -> Option<Chosen> {
        let location = self.places.location(found.home)?;
        let priced = self.places.keeps(found.home);
        Some(Chosen { location, among, priced, proven: self.proves(found), unpriced: None })
    }

    /// Whether what was found is certainly the best: the chance of a run and the sharing of owned machines are no questions
    /// to the solver.
    fn proves(&self, found: &Found) -> bool {
        let job = self.basis.job;
        found.proven && job.limits.confidence.is_none() && job.place.owned.is_empty()
    }

    /// The best of some regions; none where no plan is possible in any of them, or none is better than one that is known.
    fn best(&self, homes: &[usize], known: Option<&Found>) -> Option<Found> {
        let mut best = [known.cloned(), self.first(homes)].into_iter().flatten().min();
        let stock = self.stock(best.as_ref());
        let bounds = Bounds::new(self, &stock);
        let mut order: Vec<(i128, usize)> =
            homes.iter().filter_map(|home| Some((bounds.of(self, *home)?, *home))).collect();
        order.sort_unstable();
        let shortest = self.shortest(&stock);
        for (bound, home) in order {
            let beaten = |best: &Found| match self.ask {
                Ask::Cheapest(_) => bound > self.scaled(best.cost),
                Ask::Fastest => best.makespan <= shortest && bound > self.scaled(best.cost),
            };
            if best.as_ref().is_some_and(beaten) {
                break;
            }
            let found = self.with(home, &stock);
            best = [best, found].into_iter().flatten().min();
        }
        best.filter(|best| known.is_none_or(|known| known.home != best.home))
    }

    /// What the stages may take; for the least cost, what weighs more than the best plan known is left out.
    fn stock(&self, best: Option<&Found>) -> Vec<Vec<Entry>> {
        let mut known: BTreeMap<(usize, i64), i128> = BTreeMap::new();
        let mut least_of = |shelf: &Shelf<'_>| {
            *known.entry(shelf.alike(&self.prices)).or_insert_with(|| shelf.least(&self.prices).unwrap_or(0))
        };
        let least: Vec<i128> = self.shelves.iter().map(&mut least_of).collect();
        let best = best.filter(|_| self.ask != Ask::Fastest);
        let spare = best.map(|best| self.scaled(best.cost) - self.total(&least));
        let most = |stage: &Shelf<'_>, least: &i128| {
            spare.map_or(i128::MAX, |spare| least + spare / self.weight(stage) + 1)
        };
        // Stages that ask for the same have the same where time is worth the same to them.
        let mut known: BTreeMap<((usize, i64), i128), Vec<Entry>> = BTreeMap::new();
        let mut entries = |(shelf, least): (&Shelf<'_>, &i128)| {
            let most = most(shelf, least);
            let entries = || shelf.entries(self.places, &self.prices, most, None);
            known.entry((shelf.alike(&self.prices), most)).or_insert_with(entries).clone()
        };
        self.shelves.iter().zip(&least).map(&mut entries).collect()
    }

    /// The shortest that a run can be, wherever the data is kept.
    fn shortest(&self, stock: &[Vec<Entry>]) -> i64 {
        let choice = |entry: &Entry| Choice { time: entry.time, cost: 0 };
        let runs = self.shelves.iter().zip(stock).filter(|(stage, _)| stage.ends());
        let asked = self.asked(runs.map(|(s, entries)| (s.index, entries.iter().map(choice).collect())));
        match Problem::new(&asked).map(|problem| problem.cheapest_within(Some(-1), Effort::steps(0))) {
            Ok(Outcome::Infeasible { least }) => least,
            _ => 0,
        }
    }

    /// The stage graph with these choices; the other stages take no time and cost nothing.
    fn asked(&self, choices: impl Iterator<Item = (usize, Vec<Choice>)>) -> Vec<exact::Stage> {
        let free = |after: &Vec<usize>| exact::Stage {
            choices: vec![Choice { time: 0, cost: 0 }],
            after: after.clone(),
        };
        let mut asked: Vec<exact::Stage> = self.basis.job.stages.iter().map(|s| free(&s.after)).collect();
        for (index, choices) in choices {
            if let Some(stage) = asked.get_mut(index) {
                stage.choices = choices;
            }
        }
        asked
    }

    /// A good region to begin with: what was selected, with its data anywhere; and what is sold in the most promising
    /// regions beside it.
    fn first(&self, homes: &[usize]) -> Option<Found> {
        let selected: Vec<Vec<Entry>> =
            self.shelves.iter().map(|s| s.selected(self.places).into_iter().collect()).collect();
        let best = homes.iter().filter_map(|home| self.with(*home, &selected)).min();
        let dearest = selected.iter().flatten().max_by_key(|e| e.cost).map(|e| e.place);
        let near = [best.as_ref().map(|best| best.home), dearest.filter(|at| homes.contains(at))];
        let mut tried = None;
        let mut all = best;
        for home in near.into_iter().flatten() {
            if tried.replace(home) == Some(home) {
                continue;
            }
            let mut stock = selected.clone();
            let mut known: BTreeMap<(usize, i64), Vec<Entry>> = BTreeMap::new();
            for (shelf, entries) in self.shelves.iter().zip(&mut stock) {
                let there = || shelf.entries(self.places, &self.prices, i128::MAX, Some(home));
                entries.extend(known.entry(shelf.alike(&self.prices)).or_insert_with(there).iter());
            }
            all = [all, self.with(home, &stock)].into_iter().flatten().min();
        }
        all
    }

    /// The best plan with the data in one region, of these entries; none where there is no plan.
    fn with(&self, home: usize, stock: &[Vec<Entry>]) -> Option<Found> {
        let mut services = Money::ZERO;
        let mut choices = Vec::with_capacity(stock.len());
        for (shelf, entries) in self.shelves.iter().zip(stock) {
            let month = self.places.month(home, shelf.stage.size);
            let mut moving: BTreeMap<usize, Option<Money>> = BTreeMap::new();
            let costs = entries.iter().filter_map(|entry| {
                let moved =
                    moving.entry(entry.place).or_insert_with(|| self.moving(shelf, home, entry.place));
                Some((entry, entry.cost + (*moved)? + keeping(month, entry.expected).to_cents()))
            });
            if shelf.ends() {
                let choice = |(entry, cost): (&Entry, Money)| {
                    Some(Choice { time: entry.time, cost: i64::try_from(cost.nanos()).ok()? })
                };
                choices.push((shelf.index, costs.filter_map(choice).collect()));
            } else {
                services = services + costs.map(|(_, cost)| cost).min()?;
            }
        }
        let problem = Problem::new(&self.asked(choices.into_iter())).ok()?;
        let steps = (Effort::ORDINARY.get() / SHARE).min(self.left.get() / SHARE_OF_REST);
        let effort = Effort::steps(steps);
        let outcome = match self.ask {
            Ask::Cheapest(deadline) => problem.cheapest_within(deadline, effort),
            Ask::Fastest if self.basis.job.limits.aim == Aim::Cost => {
                problem.fastest_within(EVERYTHING, effort)
            }
            Ask::Fastest => problem.fastest_within(solver_budget(self.basis.job, services), effort),
        };
        let Outcome::Found(answer) = outcome else { return None };
        let proven = matches!(answer.proof, Proof::Proven { .. });
        self.left.set(self.left.get().saturating_sub(answer.steps));
        let location = self.places.location(home)?;
        let cost = Money::from_nanos(i128::from(answer.cost)) * self.runs() + services;
        let makespan = i128::from(answer.makespan);
        Some(Found {
            rank: match self.ask {
                Ask::Cheapest(_) => [cost.nanos(), makespan],
                Ask::Fastest => [makespan, cost.nanos()],
            },
            name: (location.provider, location.region),
            home,
            cost,
            makespan: answer.makespan,
            proven,
            keeps: self.keeps(&answer, services),
        })
    }

    /// Whether a plan is within the deadline and the budgets.
    fn keeps(&self, answer: &Answer, services: Money) -> bool {
        let limits = &self.basis.job.limits;
        let deadline = limits.deadline.and_then(BilledTime::from_hours);
        answer.cost <= solver_budget(self.basis.job, services)
            && deadline.is_none_or(|deadline| answer.makespan <= deadline.millis())
    }

    fn moving(&self, stage: &Shelf<'_>, home: usize, at: usize) -> Option<Money> {
        self.places.moving(home, at, stage.stage.brought(), stage.stage.output)
    }

    /// Where nothing serves all stages: the region to and from which most of them can be moved, the first by name. The
    /// plan then says which stages cannot.
    fn serves_most(&self, homes: &[usize]) -> Option<Chosen> {
        let stock: Vec<Vec<Entry>> =
            self.shelves.iter().map(|s| s.entries(self.places, &self.prices, i128::MAX, None)).collect();
        let unserved = |home: usize| {
            let both = self.shelves.iter().zip(&stock);
            both.filter(|(s, entries)| !entries.iter().any(|e| self.moving(s, home, e.place).is_some()))
                .count()
        };
        let name = |home: usize| self.places.location(home).map(|l| (l.provider, l.region));
        let best = homes.iter().copied().min_by_key(|home| (unserved(*home), name(*home)))?;
        let (location, priced) = (self.places.location(best)?, self.places.keeps(best));
        Some(Chosen { location, among: homes.len(), priced, proven: true, unpriced: None })
    }

    /// How many runs a month of the services is weighed with.
    fn runs(&self) -> u32 {
        weighed_runs(self.basis.job)
    }

    /// What the weight of a stage counts for in the whole.
    fn weight(&self, stage: &Shelf<'_>) -> i128 {
        if stage.ends() { i128::from(self.runs()) } else { 1 }
    }

    pub(super) fn scaled(&self, cost: Money) -> i128 {
        self.prices.scaled(cost.nanos())
    }

    /// Weights of the stages together.
    pub(super) fn total(&self, weights: &[i128]) -> i128 {
        let sum: i128 = self.shelves.iter().zip(weights).map(|(s, weight)| weight * self.weight(s)).sum();
        sum - self.prices.deadline() * i128::from(self.runs())
    }
}
