//! A service in words: the ways to buy its servers, and its day.

use crate::job::Purchase;
use crate::plan::{Choice, Plan, ServiceFigures};
use crate::price::service::{ServiceOption, ServiceWay};
use crate::units::Money;
use crate::units::number::{percent, significant};

/// The ways to buy the servers of each service that leaves a choice: stage, way, servers, cost of a month, why not.
pub(super) fn ways(plan: &Plan) -> Vec<[String; 5]> {
    let chosen = plan.stages.iter().filter_map(|s| Some((s, s.outcome.as_ref().ok()?)));
    chosen
        .filter_map(|(stage, choice)| Some((stage, choice, choice.service.as_ref()?)))
        .filter(|(_, _, service)| service.options.len() > 1)
        .flat_map(|(stage, choice, service)| {
            let rented = service.options.iter().map(|option| way(&stage.name, choice, service, option));
            owned(&stage.name, choice, service).into_iter().chain(rented)
        })
        .collect()
}

/// The row of servers that are owned, where they are taken.
fn owned(stage: &str, choice: &Choice, service: &ServiceFigures) -> Option<[String; 5]> {
    (choice.purchase == Purchase::Owned).then(|| {
        let (name, servers) = (choice.purchase.label().to_owned(), service.servers.to_string());
        [stage.to_owned(), name, servers, format!("{}/month", Money::ZERO.amount()), "taken".to_owned()]
    })
}

fn way(stage: &str, choice: &Choice, service: &ServiceFigures, option: &ServiceOption) -> [String; 5] {
    let servers = match option.way {
        ServiceWay::Autoscaled => {
            format!("{}–{}", option.least, option.hourly)
        }
        ServiceWay::AlwaysOn => option.hourly.to_string(),
        ServiceWay::Reserved => option.reserved.to_string(),
        ServiceWay::BaseAndPeak => format!("{} + 0–{}", option.reserved, option.hourly),
    };
    let taken = is_taken(choice, service, option);
    let own = service.options.iter().find(|o| is_taken(choice, service, o)).map(|o| o.month);
    let own = own.or((choice.purchase == Purchase::Owned).then_some(Money::ZERO));
    let why = match own {
        _ if taken => "taken".to_owned(),
        _ if option.commits => "if you commit".to_owned(),
        Some(own) if option.month > own => format!("{} more", (option.month - own).amount()),
        _ => String::new(),
    };
    [stage.to_owned(), name(option).to_owned(), servers, format!("{}/month", option.month.amount()), why]
}

/// Whether the plan buys the servers so.
pub(super) fn is_taken(choice: &Choice, service: &ServiceFigures, option: &ServiceOption) -> bool {
    let same = option.purchase == choice.purchase && option.reserved == service.reserved;
    let scales = service.options.iter().any(|o| o.way == ServiceWay::Autoscaled);
    same && (option.way != ServiceWay::AlwaysOn || !scales)
}

fn name(option: &ServiceOption) -> &'static str {
    match (option.way, option.purchase) {
        (ServiceWay::Autoscaled, _) => "on-demand, scaled",
        (ServiceWay::AlwaysOn, _) => "on-demand, always on",
        (ServiceWay::Reserved, Purchase::Month) => "month",
        (ServiceWay::Reserved, Purchase::Year) => "1 year",
        (ServiceWay::Reserved, _) => "3 years",
        (ServiceWay::BaseAndPeak, Purchase::Month) => "month + on-demand",
        (ServiceWay::BaseAndPeak, Purchase::Year) => "1 year + on-demand",
        (ServiceWay::BaseAndPeak, _) => "3 years + on-demand",
    }
}

/// The hours of the day of a service, alike ones together, and what its idle share costs.
pub fn day(choice: &Choice) -> Vec<String> {
    let Some(service) = &choice.service else { return Vec::new() };
    let mut lines = Vec::new();
    let mut from = 0;
    for alike in service.hours.chunk_by(|a, b| a == b) {
        let [first, ..] = alike else { continue };
        let to = from + alike.len();
        let servers = if first.servers == 1 { "server" } else { "servers" };
        lines.push(format!(
            "{from}–{to} h: {} per second, {} {servers}, {} used",
            significant(first.rate, 4),
            first.servers,
            percent(first.utilisation)
        ));
        from = to;
    }
    if let Some(idle) = service.idle {
        let saves = match idle.scaling_saves {
            Some(saves) if saves > Money::ZERO => {
                format!("; by the hour, scaling down in quiet hours saves {} a month", saves.amount())
            }
            _ => String::new(),
        };
        lines.push(format!(
            "{} of the paid capacity is idle: {} a month{saves}",
            percent(idle.share),
            idle.cost.amount()
        ));
    }
    lines
}
