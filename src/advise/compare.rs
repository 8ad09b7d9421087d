//! The plan beside other ways of doing the same work: everything on one big GPU instance (A-M1), and the same
//! stages all on-demand (A-S1).

use crate::catalog::InstanceId;
use crate::choose::assemble::Found;
use crate::duration::Machine;
use crate::job::{Class, Purchase};
use crate::plan::{Alternative, Choice, Comparison, Plan};
use crate::price::{compute, pricer::default_startup};
use crate::units::{Hours, Money};

/// All comparisons that can be made.
pub fn comparisons(found: Found<'_>, plan: &Plan) -> Vec<Comparison> {
    let mut all = Vec::new();
    all.extend(one_machine(found, plan));
    all.extend(on_demand(plan));
    all
}

/// A-M1: the whole job, stage after stage, on one instance of the type on which the plan computes with GPUs: its
/// dearest GPU choice. The instance is rented once, on-demand, from the first stage to the last.
fn one_machine(found: Found<'_>, plan: &Plan) -> Option<Comparison> {
    if plan.stages.len() < 2 {
        return None;
    }
    let choices: Vec<&Choice> = plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()).collect();
    let big = choices
        .iter()
        .filter(|c| c.class == Class::Gpu)
        .max_by_key(|c| c.expected_cost())
        .filter(|_| choices.iter().any(|c| c.class == Class::Cpu))?;
    let (at, offer) = found.catalog.offers.iter().enumerate().find(|(_, o)| {
        *o.region == *big.region
            && o.zone.as_deref() == big.zone.as_deref()
            && found.catalog.instance(o.instance).is_some_and(|i| {
                *i.name == *big.instance
                    && found.catalog.provider(i.provider).is_some_and(|p| *p.name == *big.provider)
            })
    })?;
    let work = work_on(found, offer.instance);
    let what = format!("everything on one {}/{}", big.provider, big.instance);
    let Ok(work) = work else {
        return Some(Comparison {
            rule: "A-M1",
            what,
            cost: None,
            time: None,
            note: work.err().unwrap_or_default(),
        });
    };
    let time = default_startup(Class::Gpu) + work;
    let cost = found.on_demand_cost(at, time)?;
    Some(Comparison {
        rule: "A-M1",
        what,
        cost: Some(cost),
        time: Some(time),
        note: "on-demand, one rental".to_owned(),
    })
}

fn work_on(found: Found<'_>, id: InstanceId) -> Result<Hours, String> {
    let instance = found.catalog.instance(id).ok_or("no such instance")?;
    let mut total = Hours::ZERO;
    for (stage, considered) in found.job.stages.iter().zip(found.stages) {
        match considered.clock.time_on(Machine { instance, instances: 1 }) {
            Ok(duration) => total = total + duration.time.expected,
            Err(why) => return Err(format!("{}: {why}", stage.name)),
        }
    }
    Ok(total)
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
fn on_demand(plan: &Plan) -> Option<Comparison> {
    let mut total = Money::ZERO;
    let mut differs = false;
    for stage in &plan.stages {
        let chosen = stage.outcome.as_ref().ok()?;
        if chosen.purchase == Purchase::OnDemand {
            total = total + chosen.expected_cost();
            continue;
        }
        differs = true;
        let same =
            |a: &&Alternative| a.choice.purchase == Purchase::OnDemand && a.choice.class == chosen.class;
        total = total + stage.alternatives.iter().find(same)?.choice.expected_cost();
    }
    differs.then(|| Comparison {
        rule: "A-S1",
        what: "every stage on-demand".to_owned(),
        cost: Some(total),
        time: None,
        note: "the cheapest on-demand offer of each stage's class".to_owned(),
    })
}
