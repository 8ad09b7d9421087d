//! JSON for programs: schema `plan/1`. The types here are the contract and change only with its version; figures are
//! not rounded, units stand in the keys.

mod curve;
mod data;
mod layout;
mod service;
mod tie;

use crate::names::Named;
use crate::plan::{Alternative, Choice, Period, Plan, StagePlan};
use crate::price::spot_case::HazardFrom;
use crate::units::{Band, Hours, Money};
use layout::{Fallback, Pool};
use serde::Serialize;
use service::Service;
use std::io::{self, Write};

/// Writes a plan as one JSON document.
pub fn write(plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &document(plan))?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    workload: &'a str,
    currency: String,
    today: String,
    feasible: bool,
    holds: bool,
    limits: Limits<'a>,
    total: Option<Total>,
    data: Option<data::Data>,
    stages: Vec<Stage<'a>>,
    rules: Vec<Rule<'a>>,
    comparisons: Vec<Comparison<'a>>,
    notes: Vec<Note<'a>>,
    sensitivity: Vec<Sensitivity<'a>>,
    ties: Vec<tie::Tie<'a>>,
    catalog: Vec<CatalogUse<'a>>,
    settings: Vec<Setting<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_if: Vec<WhatIf<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frontier: Option<curve::Curve<'a>>,
}

/// Differences are those of the expected figures of a run, the changed one's minus this plan's.
#[derive(Serialize)]
struct WhatIf<'a> {
    change: &'a str,
    cost_difference: Option<f64>,
    duration_difference_hours: Option<f64>,
    scaled: Vec<Scaled<'a>>,
    plan: Document<'a>,
}

/// A stage whose stated times were taken for other work.
#[derive(Serialize)]
struct Scaled<'a> {
    stage: &'a str,
    factor: f64,
}

#[derive(Serialize)]
struct Limits<'a> {
    budget: Option<f64>,
    monthly_budget: Option<f64>,
    deadline_hours: Option<f64>,
    aim: &'static str,
    confidence: Option<f64>,
    chance: Option<Chance>,
    checks: Vec<Check<'a>>,
}

/// That a run meets the deadline: at the hazards to plan with, at the lowest and at the highest.
#[derive(Serialize)]
struct Chance {
    expected: f64,
    optimistic: f64,
    pessimistic: f64,
}

#[derive(Serialize)]
struct Check<'a> {
    limit: &'static str,
    kept: bool,
    text: &'a str,
}

/// `cost` and `duration_hours` are of one run, `services_per_month` of all services, `cost_per_month` of both.
#[derive(Serialize)]
struct Total {
    cost: Option<Cost>,
    duration_hours: Option<Span>,
    runs_per_month: Option<f64>,
    services_per_month: Option<Cost>,
    cost_per_month: Option<f64>,
    months: Vec<layout::Month>,
    cost_in_all: Option<f64>,
}

#[derive(Serialize)]
struct Cost {
    low: Option<f64>,
    expected: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct Span {
    low: Option<f64>,
    expected: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct Stage<'a> {
    name: &'a str,
    kind: String,
    after: &'a [String],
    starts_hours: Option<f64>,
    feasible: bool,
    #[serde(flatten)]
    choice: Option<Chosen<'a>>,
    why: &'a str,
    nearest_miss: Option<&'a str>,
    remedies: &'a [String],
    rules: Vec<Rule<'a>>,
    alternatives: Vec<Other<'a>>,
    ways: Vec<layout::Way<'a>>,
    quotes: usize,
    dominated: usize,
    rejected: Vec<Rejected<'a>>,
}

#[derive(Serialize)]
struct Chosen<'a> {
    class: String,
    provider: &'a str,
    instance: &'a str,
    region: Option<&'a str>,
    zone: Option<&'a str>,
    count: u32,
    vcpus: f64,
    memory_bytes: u64,
    gpu: Option<&'a str>,
    gpu_count: f64,
    purchase: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_months: Option<layout::Shared<'a>>,
    unit_price: &'a str,
    duration_hours: Duration,
    cost_period: String,
    cost: Cost,
    cost_per_video_hour: Option<f64>,
    vram: Option<Vram>,
    pool: Option<Pool<'a>>,
    service: Option<Service>,
    lines: Vec<Line<'a>>,
    price_as_of: Option<String>,
    price_source: &'a str,
    price_confidence: String,
    spot: Option<Spot>,
}

#[derive(Serialize)]
struct Vram {
    needed_bytes: ByteSpan,
    usable_bytes: u64,
    evidence: String,
}

#[derive(Serialize)]
struct ByteSpan {
    low: u64,
    expected: u64,
    high: u64,
}

#[derive(Serialize)]
struct Duration {
    low: Option<f64>,
    expected: Option<f64>,
    high: Option<f64>,
    evidence: String,
}

#[derive(Serialize)]
struct Line<'a> {
    kind: String,
    text: &'a str,
    amount: f64,
}

#[derive(Serialize)]
struct Spot {
    hazard_per_hour: Scenario,
    hazard_published: bool,
    interruptions: f64,
    uninterrupted_probability: f64,
    p50_hours: Option<f64>,
    p90_hours: Option<f64>,
    p95_hours: Option<f64>,
    rule_of_thumb: bool,
    hazard_source: &'static str,
    fallback: Option<Fallback>,
}

#[derive(Serialize)]
struct Scenario {
    optimistic: f64,
    default: f64,
    pessimistic: f64,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
    verdict: String,
    reason: &'a str,
}

#[derive(Serialize)]
struct Other<'a> {
    kind: String,
    reason: &'a str,
    #[serde(flatten)]
    choice: Chosen<'a>,
}

#[derive(Serialize)]
struct Rejected<'a> {
    rule: String,
    offers: usize,
    needs: Option<String>,
    has: Option<String>,
    nearest: Option<&'a str>,
}

#[derive(Serialize)]
struct Comparison<'a> {
    rule: &'a str,
    what: &'a str,
    cost: Option<f64>,
    duration_hours: Option<f64>,
    misses: &'a [&'static str],
    note: &'a str,
    consider: Option<&'a str>,
}

#[derive(Serialize)]
struct Note<'a> {
    kind: String,
    rule: &'a str,
    stage: Option<&'a str>,
    text: &'a str,
}

/// The least change of one stage's machine at which another plan wins, all else as it is.
#[derive(Serialize)]
struct Sensitivity<'a> {
    stage: &'a str,
    lever: String,
    factor: f64,
    rent: &'a str,
    purchase: String,
    bound: String,
    winner: Option<&'a str>,
    share_of_cost: f64,
}

#[derive(Serialize)]
struct CatalogUse<'a> {
    provider: &'a str,
    as_of: Option<String>,
    offers: usize,
    chosen: bool,
}

#[derive(Serialize)]
struct Setting<'a> {
    key: &'a str,
    value: &'a str,
    origin: &'static str,
    note: Option<String>,
}

fn document(plan: &Plan) -> Document<'_> {
    let total = (plan.cost.is_some() || plan.services.is_some()).then(|| Total {
        cost: plan.cost.as_ref().map(cost),
        duration_hours: plan.time.as_ref().map(span),
        runs_per_month: plan.runs_per_month,
        services_per_month: plan.services.as_ref().map(cost),
        cost_per_month: plan.monthly_cost().map(Money::as_f64),
        months: plan.months.iter().map(layout::month).collect(),
        cost_in_all: plan.cost_in_all().map(Money::as_f64),
    });
    Document {
        schema: "plan/1",
        workload: &plan.workload,
        currency: plan.currency.to_string(),
        today: plan.today.to_string(),
        feasible: plan.stages.iter().all(|s| s.outcome.is_ok()),
        holds: plan.holds(),
        limits: Limits {
            budget: plan.limits.budget.map(Money::as_f64),
            monthly_budget: plan.limits.monthly_budget.map(Money::as_f64),
            deadline_hours: plan.limits.deadline.and_then(hours),
            aim: plan.limits.aim.name(),
            confidence: plan.limits.confidence,
            chance: plan.chance.map(|c| Chance {
                expected: c.expected,
                optimistic: c.optimistic,
                pessimistic: c.pessimistic,
            }),
            checks: plan
                .checks
                .iter()
                .map(|c| Check { limit: c.limit, kept: c.kept, text: &c.text })
                .collect(),
        },
        total,
        data: data::data(plan),
        stages: plan.stages.iter().map(stage).collect(),
        rules: plan.findings.iter().map(rule).collect(),
        comparisons: plan
            .comparisons
            .iter()
            .map(|c| Comparison {
                rule: c.rule,
                what: &c.what,
                cost: c.cost.map(Money::as_f64),
                duration_hours: c.time.and_then(hours),
                misses: &c.misses,
                note: &c.note,
                consider: c.consider.as_deref(),
            })
            .collect(),
        notes: plan
            .notes
            .iter()
            .map(|n| Note {
                kind: n.kind.to_string(),
                rule: n.rule,
                stage: n.stage.as_deref(),
                text: &n.text,
            })
            .collect(),
        ties: plan.ties.iter().map(tie::Tie::of).collect(),
        sensitivity: plan
            .sensitivity
            .iter()
            .map(|s| Sensitivity {
                stage: &s.stage,
                lever: s.lever.to_string(),
                factor: s.factor,
                rent: &s.rent,
                purchase: s.purchase.to_string(),
                bound: s.bound.to_string(),
                winner: s.winner.as_deref(),
                share_of_cost: s.share,
            })
            .collect(),
        catalog: plan
            .catalog
            .iter()
            .map(|c| CatalogUse {
                provider: &c.provider,
                as_of: c.as_of.map(|d| d.to_string()),
                offers: c.offers,
                chosen: c.chosen,
            })
            .collect(),
        settings: plan.settings.iter().map(setting).collect(),
        what_if: plan.what_if.iter().map(|w| what_if(plan, w)).collect(),
        frontier: plan.curve.as_ref().map(curve::curve),
    }
}

fn what_if<'a>(plan: &Plan, what_if: &'a crate::plan::WhatIf) -> WhatIf<'a> {
    let cost = |p: &Plan| p.cost.and_then(|band| band.expected);
    let time = |p: &Plan| p.time.and_then(|band| hours(band.expected));
    let new = &what_if.plan;
    let costs = cost(plan).zip(cost(new)).filter(|_| plan.currency == new.currency);
    WhatIf {
        change: &what_if.change,
        cost_difference: costs.map(|(old, new)| (new - old).as_f64()),
        duration_difference_hours: time(plan).zip(time(new)).map(|(old, new)| new - old),
        scaled: what_if.scaled.iter().map(|(stage, factor)| Scaled { stage, factor: *factor }).collect(),
        plan: document(new),
    }
}

fn setting(s: &crate::job::Setting) -> Setting<'_> {
    use crate::job::Origin;
    let (origin, note) = match &s.origin {
        Origin::Flag => ("flag", None),
        Origin::File(place) => ("file", Some(place.to_string())),
        Origin::Model(name) => ("model", Some(name.clone())),
        Origin::Default(why) => ("default", Some(why.clone())),
    };
    Setting { key: &s.key, value: &s.value, origin, note }
}

fn stage(stage: &StagePlan) -> Stage<'_> {
    let failed = stage.outcome.as_ref().err();
    Stage {
        name: &stage.name,
        kind: stage.kind.to_string(),
        after: &stage.after,
        starts_hours: hours(stage.starts),
        feasible: stage.outcome.is_ok(),
        choice: stage.outcome.as_ref().ok().map(chosen),
        why: &stage.why,
        nearest_miss: stage.nearest_miss.as_deref(),
        remedies: failed.map_or(&[], |f| &f.remedies),
        rules: stage.findings.iter().map(rule).collect(),
        alternatives: stage.alternatives.iter().map(other).collect(),
        ways: stage.ways.iter().map(layout::way).collect(),
        quotes: stage.compared.quotes,
        dominated: stage.compared.dominated,
        rejected: stage
            .rejected
            .iter()
            .map(|r| Rejected {
                rule: r.rejection.reason.to_string(),
                offers: r.rejection.offers,
                needs: r.rejection.near.map(|n| n.needs.to_string()).or(r.rejection.needs.map(str::to_owned)),
                has: r.rejection.near.map(|n| n.has.to_string()),
                nearest: r.nearest.as_deref(),
            })
            .collect(),
    }
}

fn rule(f: &crate::rules::Finding) -> Rule<'_> {
    Rule { id: f.id, verdict: f.verdict.to_string(), reason: &f.reason }
}

fn other(a: &Alternative) -> Other<'_> {
    Other { kind: a.kind.to_string(), reason: &a.reason, choice: chosen(&a.choice) }
}

fn chosen(c: &Choice) -> Chosen<'_> {
    // A service has no end.
    let time =
        if c.period == Period::Run { span(&c.time) } else { Span { low: None, expected: None, high: None } };
    Chosen {
        class: c.class.to_string(),
        provider: &c.provider,
        instance: &c.instance,
        // An owned machine may be anywhere.
        region: Some(c.region.as_str()).filter(|_| c.placed),
        zone: c.zone.as_deref().filter(|_| c.placed),
        count: c.count,
        vcpus: c.vcpus,
        memory_bytes: c.memory.get(),
        gpu: c.gpu.as_deref(),
        gpu_count: c.gpu_count,
        purchase: c.purchase.to_string(),
        shared_months: c.shared.as_ref().map(layout::shared),
        unit_price: &c.unit_price,
        duration_hours: Duration {
            low: time.low,
            expected: time.expected,
            high: time.high,
            evidence: c.evidence.to_string(),
        },
        cost_period: c.period.to_string(),
        cost: cost(&c.cost),
        cost_per_video_hour: c.per_video_hour.map(Money::as_f64),
        vram: c.memory_need.map(|m| Vram {
            needed_bytes: ByteSpan {
                low: m.needed.low.get(),
                expected: m.needed.expected.get(),
                high: m.needed.high.get(),
            },
            usable_bytes: m.usable.get(),
            evidence: m.by.to_string(),
        }),
        pool: c.pool.as_ref().map(layout::pool),
        service: c.service.as_ref().map(service::service),
        lines: c
            .bill
            .lines()
            .iter()
            .map(|l| Line { kind: l.kind.to_string(), text: &l.text, amount: l.amount.as_f64() })
            .collect(),
        price_as_of: c.as_of.map(|d| d.to_string()),
        price_source: &c.source,
        price_confidence: c.confidence.to_string(),
        spot: c.spot.map(|s| Spot {
            hazard_per_hour: Scenario {
                optimistic: s.hazard[0],
                default: s.hazard[1],
                pessimistic: s.hazard[2],
            },
            hazard_published: s.from == HazardFrom::Published,
            interruptions: s.interruptions,
            uninterrupted_probability: s.uninterrupted,
            p50_hours: hours(s.percentiles[0]),
            p90_hours: hours(s.percentiles[1]),
            p95_hours: hours(s.percentiles[2]),
            rule_of_thumb: s.crew,
            hazard_source: s.from.name(),
            fallback: s.fallback.map(layout::fallback),
        }),
    }
}

/// Hours; null stands for "never".
fn hours(h: Hours) -> Option<f64> {
    h.is_finite().then_some(h.get())
}

fn span(band: &Band<Hours>) -> Span {
    Span { low: hours(band.low), expected: hours(band.expected), high: hours(band.high) }
}

fn cost(band: &Band<Option<Money>>) -> Cost {
    let figure = |m: Option<Money>| m.map(Money::as_f64);
    Cost { low: figure(band.low), expected: figure(band.expected), high: figure(band.high) }
}
