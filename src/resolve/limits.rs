//! Money of the job: its currency, and every amount converted to it at the catalog's dated rates.

use super::Overrides;
use super::defaults;
use super::ledger::{Found, Ledger, file, flag, shown};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Place};
use crate::job::{Limits, Origin, Stage, StageKind};
use crate::names::list;
use crate::read::Located;
use crate::read::workload::RawWorkload;
use crate::units::{Amount, Currency, Hours, Money};

/// The currency of the plan: flag, file, that of the budget, USD.
pub(super) fn currency(
    raw: &RawWorkload,
    overrides: &Overrides,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Currency {
    let of_budget = || {
        let flagged = overrides.budget.map(|b| (b.currency, Origin::Flag));
        let budgets = [&raw.limits.budget, &raw.limits.monthly_budget];
        let stated = budgets.into_iter().find_map(|b| b.as_ref());
        flagged.or_else(|| stated.map(|b| (b.value.currency, Origin::File(b.place.clone()))))
    };
    let found = flag(overrides.currency).or_else(|| file(raw.currency.as_ref())).or_else(of_budget);
    let place = found.as_ref().and_then(|(_, origin)| place_of(origin));
    let currency = ledger.settle_or("currency", found, &defaults::CURRENCY);
    let mut without_rate: Vec<Currency> = catalog
        .offers
        .iter()
        .map(|offer| offer.currency)
        .filter(|sold_in| catalog.rates.factor(*sold_in, currency).is_none())
        .collect();
    without_rate.sort_unstable();
    without_rate.dedup();
    if !without_rate.is_empty() {
        let codes: Vec<String> = without_rate.iter().map(ToString::to_string).collect();
        let prices = list(codes.iter().map(String::as_str));
        ledger.diags.push(no_rate(
            catalog,
            place,
            format!("the plan is in {currency}, the catalog has prices in {prices}, and there is no rate between them"),
        ));
    }
    currency
}

fn no_rate(catalog: &Catalog, place: Option<Place>, message: String) -> Diagnostic {
    let mut codes: Vec<String> = catalog.rates.0.iter().map(|r| r.currency.to_string()).collect();
    codes.push(Currency::USD.to_string());
    codes.sort_unstable();
    codes.dedup();
    Diagnostic::error(Code::NoRate, place, message)
        .allowed(list(codes.iter().map(String::as_str)))
        .hint("write `currency = \"USD\"` and amounts in currencies that have a rate")
}

fn place_of(origin: &Origin) -> Option<Place> {
    match origin {
        Origin::File(place) => Some(place.clone()),
        Origin::Flag | Origin::Model(_) | Origin::Default(_) => None,
    }
}

/// Budget, monthly budget, deadline, and what to have least of within them.
pub(super) fn limits(
    raw: &RawWorkload,
    overrides: &Overrides,
    currency: Currency,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Limits {
    nothing(overrides, ledger);
    let budget = flag(overrides.budget).or_else(|| file(raw.limits.budget.as_ref()));
    let deadline = flag(overrides.deadline).or_else(|| file(raw.limits.deadline.as_ref()));
    let budget = money("limits.budget", budget, currency, catalog, ledger);
    let monthly = raw.limits.monthly_budget.as_ref();
    let monthly_budget = stated_money("limits.monthly_budget", monthly, currency, catalog, ledger);
    let deadline = ledger.settle("limits.deadline", deadline);
    let aim = flag(overrides.aim).or_else(|| file(raw.limits.aim.as_ref()));
    let aim = ledger.settle_or("limits.aim", aim, &defaults::AIM);
    let confidence = confidence(raw, overrides, deadline, ledger);
    Limits { budget, monthly_budget, deadline, aim, confidence }
}

/// The chance with which a run must meet its deadline: a share, and nothing without a deadline.
fn confidence(
    raw: &RawWorkload,
    overrides: &Overrides,
    deadline: Option<Hours>,
    ledger: &mut Ledger<'_>,
) -> Option<f64> {
    let found = flag(overrides.confidence).or_else(|| file(raw.limits.confidence.as_ref()));
    let (confidence, origin) = found?;
    let place = place_of(&origin);
    let (name, set) = match origin {
        Origin::Flag => ("--confidence", " "),
        _ => ("confidence", " = "),
    };
    // Beyond a thousandth the draws cannot tell one chance from another.
    if !(0.001..=0.999).contains(&confidence) {
        let message = format!("`{name}` is {}", shown(confidence));
        let error = Diagnostic::error(Code::BadValue, place, message).allowed("a share from 0.001 to 0.999");
        let share = format!("did you mean `{name}{set}{}`?", confidence / 100.0);
        let hint = (1.0..100.0).contains(&confidence).then_some(share).filter(|_| confidence >= 10.0);
        ledger.diags.push(Diagnostic { hint, ..error });
        return None;
    }
    let stated = raw.limits.deadline.is_some() || overrides.deadline.is_some();
    if deadline.is_none() && !stated {
        ledger.diags.push(
            Diagnostic::error(
                Code::MissingKey,
                place,
                format!("`{name}` is the chance to meet a deadline, and there is none"),
            )
            .hint("add `--deadline 24h`, or `deadline = \"24h\"` in [limits]"),
        );
        return None;
    }
    ledger.settle("limits.confidence", Some((confidence, origin)))
}

/// A budget of one run where every stage is a service, which is paid by the month: it guards nothing.
pub(super) fn budget_of_no_run(
    raw: &RawWorkload,
    limits: Limits,
    stages: &[Stage],
    currency: Currency,
    ledger: &mut Ledger<'_>,
) {
    let Some(budget) = limits.budget.filter(|_| limits.monthly_budget.is_none()) else { return };
    if stages.is_empty() || stages.iter().any(|stage| stage.kind != StageKind::Serve) {
        return;
    }
    let place = raw.limits.budget.as_ref().map(|stated| stated.place.clone());
    let message = "the budget is that of one run, and every stage is a service, paid by the month";
    let hint = format!(
        "write `monthly_budget = \"{} {currency}\"` under [limits]",
        budget.amount().replace(',', "")
    );
    ledger.diags.push(Diagnostic::warning(Code::Conflict, place, message).hint(hint));
}

/// Flags that allow nothing at all.
fn nothing(overrides: &Overrides, ledger: &mut Ledger<'_>) {
    let budget = overrides.budget.filter(|b| b.money == Money::ZERO).map(|b| format!("`--budget` is {b}"));
    let deadline =
        overrides.deadline.filter(|d| *d == Hours::ZERO).map(|_| "`--deadline` is no time at all".to_owned());
    for message in budget.into_iter().chain(deadline) {
        ledger.diags.push(Diagnostic::error(Code::BadValue, None, message).allowed("more than nothing"));
    }
}

/// An amount of the file in the plan's currency.
pub(super) fn stated_money(
    key: &str,
    stated: Option<&Located<Amount>>,
    currency: Currency,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Option<Money> {
    money(key, file(stated), currency, catalog, ledger)
}

fn money(
    key: &str,
    found: Found<Amount>,
    currency: Currency,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Option<Money> {
    let (amount, origin) = found?;
    let Some(factor) = catalog.rates.factor(amount.currency, currency) else {
        let name = key.rsplit('.').next().unwrap_or(key);
        let message =
            format!("`{name}` is {amount}, the plan is in {currency}, and there is no rate between them");
        ledger.diags.push(no_rate(catalog, place_of(&origin), message));
        return None;
    };
    let money = if amount.currency == currency { amount.money } else { amount.money.scaled(factor) };
    ledger.record(key, Amount { money, currency }.to_string(), origin);
    Some(money)
}
