//! The plan beside other ways of doing the same work: everything on one big GPU instance (A-M1), and the same
//! stages all on-demand (A-S1).

mod one_machine;

use crate::choose::assemble::Found;
use crate::choose::totals::longest;
use crate::job::{Aim, Purchase};
use crate::plan::{Alternative, Comparison, Period, Plan};
use crate::price::compute;
use crate::units::{Hours, Money};
use one_machine::one_machine;

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

/// A-S1: the cheapest on-demand choice of every stage, where the plan buys some stage another way. What is owned stays so: it
/// is not bought at all.
fn on_demand(found: Found<'_>, plan: &Plan) -> Option<Comparison> {
    let mut total = Money::ZERO;
    let mut times = vec![Hours::ZERO; plan.stages.len()];
    let mut differs = false;
    let mut owned = false;
    for (stage, time) in plan.stages.iter().zip(&mut times) {
        let chosen = stage.outcome.as_ref().ok()?;
        if chosen.period == Period::Month {
            continue;
        }
        let same =
            |a: &&Alternative| a.choice.purchase == Purchase::OnDemand && a.choice.class == chosen.class;
        owned |= chosen.purchase == Purchase::Owned;
        let taken = if matches!(chosen.purchase, Purchase::OnDemand | Purchase::Owned) {
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
        what: format!("every {}stage on-demand", if owned { "rented " } else { "" }),
        cost: Some(total),
        time: Some(time),
        misses: misses(plan, total, time),
        note: "the cheapest on-demand offer of each stage's class".to_owned(),
        consider: None,
    })
}
