//! The plan beside other ways of doing the same work: everything on one big GPU instance (A-M1), and the same
//! stages all on-demand (A-S1).

use crate::catalog::{Accelerator, InstanceId, Offer};
use crate::choose::assemble::{Considered, Found};
use crate::choose::totals::longest;
use crate::decide::alone::alone;
use crate::job::{Aim, Alike, Class, Purchase, Stage, StageKind};
use crate::plan::{Alternative, Choice, Comparison, Period, Plan};
use crate::price::pricer::default_startup;
use crate::price::{Pricer, compute, open};
use crate::units::{Hours, Money};
use std::collections::BTreeMap;

/// All comparisons that can be made; none where there is no plan.
pub fn comparisons(found: Found<'_>, plan: &Plan) -> Vec<Comparison> {
    let mut all = Vec::new();
    if plan.stages.iter().any(|s| s.outcome.is_err()) {
        return all;
    }
    all.extend(one_machine(found, plan));
    all.extend(on_demand(found, plan));
    all
}

/// The cards that stand for "the one big GPU" (A-M1), in the order in which they are looked for.
const BIG_CARDS: [&str; 4] = ["A100-80GB", "A100-PCIe-80GB", "A100-40GB", "A100-PCIe-40GB"];

/// A-M1: the whole of a run, stage after stage, on one big GPU instance that can do every stage: the cheapest with an A100
/// that may be rented, or the dearest GPU instance that the plan rents where there is none or that one is as big. It is rented
/// once, on-demand, from the first stage to the last.
fn one_machine(found: Found<'_>, plan: &Plan) -> Option<Comparison> {
    let choices: Vec<&Choice> = plan
        .stages
        .iter()
        .filter_map(|s| s.outcome.as_ref().ok())
        .filter(|c| c.period == Period::Run)
        .collect();
    if choices.len() < 2 {
        return None;
    }
    // A machine that is owned is no reason to rent a big one.
    let rented = |c: &&&Choice| c.class == Class::Gpu && c.purchase != Purchase::Owned;
    let dearest = choices.iter().filter(rented).max_by_key(|c| c.expected_cost());
    let dearest = dearest.filter(|_| choices.iter().any(|c| c.class == Class::Cpu))?;
    let own = found.catalog.offers.iter().position(|o| is_of(found, o, dearest))?;
    let run = Run::of(found, own)?;
    let able = Some(own).filter(|own| run.can(*own));
    let offer = able.filter(|own| is_big(found, *own)).or_else(|| cheapest_big(&run)).or(able)?;
    let id = found.catalog.offers.get(offer)?.instance;
    let instance = found.catalog.instance(id)?;
    let what = format!(
        "everything on one {}/{}{}",
        found.catalog.provider(instance.provider)?.name,
        instance.name,
        card(found, offer)
            .map(|card| format!(" ({})", Choice::label(&card.name, instance.gpu_count())))
            .unwrap_or_default()
    );
    Some(match run.on_one(offer) {
        Ok((cost, time)) => Comparison {
            rule: "A-M1",
            what,
            cost: Some(cost),
            time: Some(time),
            misses: misses(plan, cost, time),
            note: "on-demand, one rental".to_owned(),
            consider: consider(plan, cost, time),
        },
        Err(note) => {
            let (cost, time, consider) = (None, None, None);
            Comparison { rule: "A-M1", what, cost, time, misses: Vec::new(), note: note.to_owned(), consider }
        }
    })
}

/// The limits that another run misses by its expected figures. The most runs of a month are not told here: where months are
/// stated, nothing is known of a monthly budget.
fn misses(plan: &Plan, cost: Money, time: Hours) -> Vec<&'static str> {
    let limits = plan.limits;
    let services = plan.services.and_then(|band| band.expected).unwrap_or_default();
    let month = cost.scaled(plan.runs_per_month.unwrap_or(1.0)) + services;
    let monthly = limits.monthly_budget.filter(|_| plan.months.is_empty());
    [
        ("deadline", limits.deadline.is_some_and(|most| time > most)),
        ("budget", limits.budget.is_some_and(|most| cost > most)),
        ("monthly-budget", monthly.is_some_and(|most| month > most)),
    ]
    .into_iter()
    .filter_map(|(limit, missed)| missed.then_some(limit))
    .collect()
}

/// Why another run is worth a thought: it keeps the limits, and the plan does not, or is dearer (slower, where time is the
/// aim). Neither search looks at one machine for several stages.
fn consider(plan: &Plan, cost: Money, time: Hours) -> Option<String> {
    let (mine, my_time) = (plan.cost?.expected?, plan.time?.expected);
    let limits = plan.limits;
    let unknown = limits.monthly_budget.is_some() && !plan.months.is_empty();
    if unknown || !misses(plan, cost, time).is_empty() {
        return None;
    }
    let better = match limits.aim {
        _ if plan.checks.iter().any(|c| !c.kept) => "within the limits by its expected figures",
        Aim::Cost if cost < mine => "cheaper",
        Aim::Time if time < my_time => "faster",
        Aim::Cost | Aim::Time => return None,
    };
    let unknown =
        if limits.confidence.is_some() { " (its chance of ending in time is not told)" } else { "" };
    Some(format!("{better}: consider it{unknown}"))
}

fn is_of(found: Found<'_>, offer: &Offer, choice: &Choice) -> bool {
    *offer.region == *choice.region
        && offer.zone.as_deref() == choice.zone.as_deref()
        && found.catalog.instance(offer.instance).is_some_and(|i| {
            *i.name == *choice.instance
                && found.catalog.provider(i.provider).is_some_and(|p| *p.name == *choice.provider)
        })
}

fn card(found: Found<'_>, offer: usize) -> Option<&Accelerator> {
    let instance = found.catalog.instance(found.catalog.offers.get(offer)?.instance)?;
    found.catalog.accelerator(instance.gpu.filter(|gpu| gpu.count >= 1.0)?)
}

/// Whether an offer has a card with as much memory as the smaller A100.
fn is_big(found: Found<'_>, offer: usize) -> bool {
    card(found, offer).is_some_and(|card| card.memory.as_gib() >= 40.0)
}

/// The offer on which everything costs least among those with one of the first of the big cards that can do every stage, or
/// with several where it is not sold singly or one cannot.
fn cheapest_big(run: &Run<'_>) -> Option<usize> {
    let found = run.found;
    let is_single = |at: usize| {
        let instance = found.catalog.offers.get(at).and_then(|o| found.catalog.instance(o.instance));
        instance.is_some_and(|i| i.gpu_count() < 2.0)
    };
    let open: Vec<(usize, &str)> = (0..found.catalog.offers.len())
        .filter(|at| found.book.entry(*at).is_some_and(|entry| entry.closed.is_none()))
        .filter(|at| run.can(*at))
        .filter_map(|at| Some((at, &*card(found, at)?.name)))
        .collect();
    [true, false].iter().flat_map(|single| BIG_CARDS.map(|name| (*single, name))).find_map(
        |(single, name)| {
            let of_card = open.iter().filter(|(at, card)| *card == name && is_single(*at) == single);
            let of_card = of_card.map(|(at, _)| *at);
            of_card.filter_map(|at| Some((run.on_one(at).ok()?.0, at))).min().map(|(_, at)| at)
        },
    )
}

/// The stages of a run, each with its pricer and the time of its work on each machine that can do it alone.
struct Run<'a> {
    found: Found<'a>,
    stages: Vec<(&'a Stage, Pricer<'a>, BTreeMap<InstanceId, Hours>)>,
}

impl<'a> Run<'a> {
    /// The run on one machine with a big card, or on the one of an offer; none where a stage may not be bought on-demand.
    fn of(found: Found<'a>, own: usize) -> Option<Self> {
        let Found { job, catalog, book, .. } = found;
        let own = catalog.offers.get(own)?.instance;
        let admits = |id: InstanceId| {
            let gpu = catalog.instance(id).and_then(|i| i.gpu).and_then(|gpu| catalog.accelerator(gpu));
            id == own || gpu.is_some_and(|card| BIG_CARDS.contains(&&*card.name))
        };
        let all: Vec<(&Stage, &Considered)> = job.stages.iter().zip(found.stages).collect();
        let machines = Alike::new(&job.stages).each_here(&all, |(stage, considered)| match stage.kind {
            StageKind::Serve => BTreeMap::new(),
            _ => alone(job, stage, &considered.clock, catalog, &admits),
        });
        let stages = job.stages.iter().zip(machines).filter(|(stage, _)| stage.kind != StageKind::Serve);
        let priced = |(stage, machines): (&'a Stage, _)| {
            let open = open::closed(job, stage, Purchase::OnDemand).is_none();
            open.then(|| (stage, Pricer::new(job, stage, catalog, book), machines))
        };
        Some(Self { found, stages: stages.map(priced).collect::<Option<_>>()? })
    }

    /// Whether the machine of an offer can do every stage.
    fn can(&self, offer: usize) -> bool {
        let instance = self.found.catalog.offers.get(offer).map(|o| o.instance);
        instance.is_some_and(|id| self.stages.iter().all(|(_, _, machines)| machines.contains_key(&id)))
    }

    /// Cost and time of all stages, one after the other on one instance, with the data moved there once.
    fn on_one(&self, offer: usize) -> Result<(Money, Hours), &'static str> {
        let missing = "no price";
        let id = self.found.catalog.offers.get(offer).ok_or(missing)?.instance;
        let mut work = Hours::ZERO;
        let mut moved = Money::ZERO;
        let mut staging = Hours::ZERO;
        for (stage, pricer, machines) in &self.stages {
            work = work + *machines.get(&id).ok_or("it cannot do every stage")?;
            staging = staging.max(stage.staging);
            let (into, _) =
                pricer.transfer(offer).ok_or("its data cannot be moved there at a known price")?;
            moved = moved.max(into);
        }
        let time = default_startup(Class::Gpu) + staging + work;
        let cost = self.found.on_demand_cost(offer, time).ok_or(missing)?;
        Ok((cost + moved, time))
    }
}

impl Found<'_> {
    /// What one instance of an offer costs on-demand for a time, in the plan's currency and after discounts.
    pub fn on_demand_cost(&self, offer: usize, time: Hours) -> Option<Money> {
        let offer = self.catalog.offers.get(offer)?;
        let provider = self.catalog.provider(self.catalog.instance(offer.instance)?.provider)?;
        let factor = self.catalog.rates.factor(offer.currency, self.job.currency)?
            * (1.0 - self.job.discount(&provider.name));
        let billed = compute::billed(time, provider.on_demand.as_ref())?;
        (!offer.on_demand.is_empty()).then(|| compute::tiered(&offer.on_demand, factor, billed).to_cents())
    }
}

/// A-S1: the cheapest on-demand choice of every stage, where the plan buys some stage another way.
fn on_demand(found: Found<'_>, plan: &Plan) -> Option<Comparison> {
    let mut total = Money::ZERO;
    let mut times = vec![Hours::ZERO; plan.stages.len()];
    let mut differs = false;
    for (stage, time) in plan.stages.iter().zip(&mut times) {
        let chosen = stage.outcome.as_ref().ok()?;
        if chosen.period == Period::Month {
            continue;
        }
        let same =
            |a: &&Alternative| a.choice.purchase == Purchase::OnDemand && a.choice.class == chosen.class;
        let taken = if chosen.purchase == Purchase::OnDemand {
            chosen
        } else {
            differs = true;
            &stage.alternatives.iter().find(same)?.choice
        };
        total = total + taken.expected_cost();
        *time = taken.time.expected;
    }
    let time = longest(found.job, &times);
    differs.then(|| Comparison {
        rule: "A-S1",
        what: "every stage on-demand".to_owned(),
        cost: Some(total),
        time: Some(time),
        misses: misses(plan, total, time),
        note: "the cheapest on-demand offer of each stage's class".to_owned(),
        consider: None,
    })
}
