//! The servers of a service in JSON.

use super::Span;
use crate::plan::ServiceFigures;
use crate::units::{Band, Hours, Money};
use serde::Serialize;

/// A service: `cost` is that of a month.
#[derive(Serialize)]
pub(super) struct Service {
    requests_per_second: Option<f64>,
    mean_requests_per_second: Option<f64>,
    request_seconds: Option<Span>,
    concurrency: u32,
    places_of_a_server: f64,
    servers_at_peak: u32,
    servers: u32,
    headroom: f64,
    latency: Option<Latency>,
    answers: Option<Answers>,
    requests_per_second_of_a_server: Option<f64>,
    utilisation_at_peak: Option<f64>,
    hours: Vec<Hour>,
    idle: Option<Idle>,
    servers_reserved: u32,
    ways_to_buy: Vec<Bought>,
    decode: Option<Decode>,
    cost_per_million_requests: Option<f64>,
}

#[derive(Serialize)]
struct Latency {
    seconds: f64,
    share: f64,
}

#[derive(Serialize)]
struct Answers {
    share: f64,
    seconds: Option<f64>,
    waiting_probability: f64,
    mean_wait_seconds: Option<f64>,
    seconds_with_one_server_less: Option<f64>,
    latency_holds_up_to_requests_per_second: Option<f64>,
}

#[derive(Serialize)]
struct Hour {
    requests_per_second: f64,
    servers: u32,
    utilisation: f64,
}

#[derive(Serialize)]
struct Idle {
    share: f64,
    cost: f64,
    scaling_down_saves: Option<f64>,
}

#[derive(Serialize)]
struct Bought {
    way: String,
    purchase: String,
    servers_reserved: u32,
    servers_by_the_hour: u32,
    cost: f64,
    commits_for_years: bool,
}

#[derive(Serialize)]
struct Decode {
    vcpus_at_peak: f64,
    vcpus_to_feed_a_server: f64,
    vcpus_of_a_server: f64,
    limits_the_rate: bool,
}

pub(super) fn service(s: &ServiceFigures) -> Service {
    let seconds = |band: Band<Hours>| Span {
        low: Some(band.low.as_secs()),
        expected: Some(band.expected.as_secs()),
        high: Some(band.high.as_secs()),
    };
    let ends = |time: Hours| time.is_finite().then(|| time.as_secs());
    Service {
        requests_per_second: s.peak,
        mean_requests_per_second: s.mean,
        request_seconds: s.item.map(seconds),
        concurrency: s.concurrency,
        places_of_a_server: s.places,
        servers_at_peak: s.at_peak,
        servers: s.servers,
        headroom: s.headroom.unwrap_or(0.0),
        latency: s.latency.map(|l| Latency { seconds: l.within.as_secs(), share: l.share }),
        answers: s.answers.map(|a| Answers {
            share: a.share,
            seconds: ends(a.within),
            waiting_probability: a.waiting_chance,
            mean_wait_seconds: ends(a.mean_wait),
            seconds_with_one_server_less: ends(a.with_one_less),
            latency_holds_up_to_requests_per_second: a.up_to,
        }),
        requests_per_second_of_a_server: s.rate,
        utilisation_at_peak: s.utilisation,
        hours: s
            .hours
            .iter()
            .map(|h| Hour { requests_per_second: h.rate, servers: h.servers, utilisation: h.utilisation })
            .collect(),
        idle: s.idle.map(|i| Idle {
            share: i.share,
            cost: i.cost.as_f64(),
            scaling_down_saves: i.scaling_saves.map(Money::as_f64),
        }),
        servers_reserved: s.reserved,
        ways_to_buy: s
            .options
            .iter()
            .map(|o| Bought {
                way: o.way.to_string(),
                purchase: o.purchase.to_string(),
                servers_reserved: o.reserved,
                servers_by_the_hour: o.hourly,
                cost: o.month.as_f64(),
                commits_for_years: o.commits,
            })
            .collect(),
        decode: s.decode.map(|d| Decode {
            vcpus_at_peak: d.at_peak,
            vcpus_to_feed_a_server: d.to_feed,
            vcpus_of_a_server: d.has,
            limits_the_rate: d.starved,
        }),
        cost_per_million_requests: s.per_million.map(Money::as_f64),
    }
}
