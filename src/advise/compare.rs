//! The plan beside other ways of doing the same work: everything on one big GPU instance (A-M1), and the same
//! stages all on-demand (A-S1).

use crate::catalog::{Accelerator, Offer};
use crate::choose::assemble::{Considered, Found};
use crate::choose::totals::longest;
use crate::duration::{Machine, StageClock};
use crate::job::{Aim, Class, Purchase, Stage, StageKind};
use crate::plan::{Alternative, Choice, Comparison, Period, Plan};
use crate::price::pricer::default_startup;
use crate::price::{Pricer, compute};
use crate::units::{Hours, Money};

/// All comparisons that can be made.
pub fn comparisons(found: Found<'_>, plan: &Plan) -> Vec<Comparison> {
    let mut all = Vec::new();
    all.extend(one_machine(found, plan));
    all.extend(on_demand(found, plan));
    all
}

/// The cards that stand for "the one big GPU" (A-M1), in the order in which they are looked for.
const BIG_CARDS: [&str; 4] = ["A100-80GB", "A100-PCIe-80GB", "A100-40GB", "A100-PCIe-40GB"];

/// A-M1: the whole of a run, stage after stage, on one big GPU instance: the cheapest with an A100 that may be rented, or
/// the dearest GPU instance of the plan where there is none or that one is as big. It is rented once, on-demand, from
/// the first stage to the last.
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
    let dearest = choices.iter().filter(|c| c.class == Class::Gpu).max_by_key(|c| c.expected_cost());
    let dearest = dearest.filter(|_| choices.iter().any(|c| c.class == Class::Cpu))?;
    let own = found.catalog.offers.iter().position(|o| is_of(found, o, dearest))?;
    let run = Run::of(found);
    let offer = if is_big(found, own) { own } else { cheapest_big(&run).unwrap_or(own) };
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
            note: "on-demand, one rental".to_owned(),
            consider: consider(plan, cost, time),
        },
        Err(note) => Comparison { rule: "A-M1", what, cost: None, time: None, note, consider: None },
    })
}

/// Why another run is worth a thought: it keeps the limits, and the plan does not, or is dearer (slower, where time is the
/// aim). Neither search looks at one machine for several stages.
fn consider(plan: &Plan, cost: Money, time: Hours) -> Option<String> {
    let (mine, my_time) = (plan.cost?.expected?, plan.time?.expected);
    let limits = plan.limits;
    let services = plan.services.and_then(|band| band.expected).unwrap_or_default();
    let month = cost.scaled(plan.runs_per_month.unwrap_or(1.0)) + services;
    // The most runs of a month are not told here: where months are stated, a monthly budget keeps nothing.
    let monthly = limits.monthly_budget.is_none_or(|most| plan.months.is_empty() && month <= most);
    let keeps =
        monthly && limits.budget.is_none_or(|most| cost <= most) && limits.deadline.is_none_or(|d| time <= d);
    if !keeps {
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

/// The offer on which everything costs least among those with one of the first of the big cards, or with several where
/// it is not sold singly.
fn cheapest_big(run: &Run<'_>) -> Option<usize> {
    let found = run.found;
    let is_single = |at: usize| {
        let instance = found.catalog.offers.get(at).and_then(|o| found.catalog.instance(o.instance));
        instance.is_some_and(|i| i.gpu_count() < 2.0)
    };
    let open: Vec<(usize, &str)> = (0..found.catalog.offers.len())
        .filter(|at| found.book.entry(*at).is_some_and(|entry| entry.closed.is_none()))
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

/// The stages of a run, each with its clock and its pricer.
struct Run<'a> {
    found: Found<'a>,
    stages: Vec<(&'a Stage, &'a StageClock, Pricer<'a>)>,
}

impl<'a> Run<'a> {
    fn of(found: Found<'a>) -> Self {
        let priced = |(stage, considered): (&'a Stage, &'a Considered)| {
            (stage, &*considered.clock, Pricer::new(found.job, stage, found.catalog, found.book))
        };
        let stages = found.job.stages.iter().zip(found.stages).filter(|(s, _)| s.kind != StageKind::Serve);
        Self { found, stages: stages.map(priced).collect() }
    }

    /// Cost and time of all stages, one after the other on one instance, with the data moved there once.
    fn on_one(&self, offer: usize) -> Result<(Money, Hours), String> {
        let missing = || "no price".to_owned();
        let id = self.found.catalog.offers.get(offer).ok_or_else(missing)?.instance;
        let instance = self.found.catalog.instance(id).ok_or_else(missing)?;
        let mut work = Hours::ZERO;
        let mut moved = Money::ZERO;
        let mut staging = Hours::ZERO;
        for (stage, clock, pricer) in &self.stages {
            match clock.time_on(Machine { instance, instances: 1 }) {
                Ok(duration) => {
                    work = work + duration.time.expected;
                    staging = staging.max(stage.staging);
                }
                Err(why) => return Err(format!("{}: {why}", stage.name)),
            }
            let (into, _) =
                pricer.transfer(offer).ok_or("its data cannot be moved there at a known price")?;
            moved = moved.max(into);
        }
        let time = default_startup(Class::Gpu) + staging + work;
        let cost = self.found.on_demand_cost(offer, time).ok_or_else(missing)?;
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
        note: "the cheapest on-demand offer of each stage's class".to_owned(),
        consider: None,
    })
}
