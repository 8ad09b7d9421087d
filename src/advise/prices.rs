//! B-C6: how old prices are, how well they are known, and at which rate they were converted.

use super::said::Said;
use super::taken::Taken;
use crate::catalog::Confidence;
use crate::catalog::usual::{self, FAR_BELOW};
use crate::choose::assemble::Found;
use crate::job::Purchase;
use crate::plan::{NoteKind, Plan};
use crate::rules::Threshold;
use crate::units::Currency;
use crate::units::number::{significant, things};

/// Age and confidence of the price of a choice.
pub fn price(taken: &Taken<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let choice = taken.choice;
    // Nothing is paid for a machine that is owned.
    if choice.purchase == Purchase::Owned {
        return Vec::new();
    }
    let name = taken.name();
    match (choice.age_months, choice.as_of) {
        (Some(age), Some(date))
            if f64::from(age) >= taken.job().thresholds.get(Threshold::PriceAgeMonths) =>
        {
            said.push(format!(
                "the price of {name} is of {date}, {} old: look it up before you rent",
                things(age, "month")
            ));
        }
        (None, _) | (_, None) => {
            said.push(format!("the price of {name} has no date: look it up before you rent"));
        }
        _ => {}
    }
    match choice.confidence {
        Confidence::Read => {}
        Confidence::Recall => said.push(format!("part of what is known of {name} was written from memory")),
        Confidence::Doubtful => said.push(format!("sources disagree on the price of {name}")),
    }
    if let Some(date) = choice.as_of.filter(|date| *date > taken.job().today) {
        said.push(format!("the price of {name} is of {date}, after today: look it up before you rent"));
    }
    said.extend(far_below(taken));
    said.into_iter().map(|text| Said::advice("B-C6", text).aloud(NoteKind::Warning)).collect()
}

/// An on-demand price far below what the card usually costs.
fn far_below(taken: &Taken<'_>) -> Option<String> {
    let catalog = taken.found.catalog;
    let gpu = taken.instance.gpu?;
    let price = catalog.usd_per_gpu(&taken.offer, gpu.count)?;
    let usual = usual::on_demand(catalog, gpu.accelerator).filter(|usual| price < FAR_BELOW * usual.price)?;
    Some(format!(
        "{} is listed at {} USD per GPU and hour, under a third of {:.2}, the median of this card over {} providers: look it \
         up before you rent",
        taken.name(),
        significant(price, 4),
        usual.price,
        usual.providers
    ))
}

/// Conversions that took part, with the rate and its day: advice where a chosen price is one of them.
pub fn conversions(found: Found<'_>, plan: &Plan) -> Vec<Said> {
    let to = plan.currency;
    let places = &found.job.place.providers;
    let allowed = |name: &str| places.is_empty() || places.iter().any(|p| p == name);
    let sells = |at: usize| found.catalog.instances.iter().any(|i| usize::from(i.provider.0) == at);
    let providers = found.catalog.providers.iter().enumerate();
    let mut currencies: Vec<Currency> = providers
        .filter(|(at, p)| p.currency != to && allowed(&p.name) && sells(*at))
        .map(|(_, p)| p.currency)
        .collect();
    currencies.sort();
    currencies.dedup();
    let chosen = |from: Currency| {
        plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()).any(|choice| {
            found.catalog.provider_named(&choice.provider).is_some_and(|(_, p)| p.currency == from)
        })
    };
    let convert = |from: Currency| {
        let factor = found.catalog.rates.factor(from, to)?;
        let rate = found.catalog.rates.rate(if from == Currency::USD { to } else { from })?;
        let text = format!(
            "prices in {from} are converted at {} {from} per {to} ({}, {})",
            significant(1.0 / factor, 6),
            rate.date,
            rate.source
        );
        let said = Said::advice("B-C6", text);
        Some(if chosen(from) { said.aloud(NoteKind::Advice) } else { said })
    };
    currencies.into_iter().filter_map(convert).collect()
}
