//! The cost-time curve in `plan/1`.

use super::hours;
use crate::plan::curve;
use serde::Serialize;

/// `frontier`: all points that were found, the cheapest first.
#[derive(Serialize)]
pub(super) struct Curve<'a> {
    complete: bool,
    spot_confidence: f64,
    data_location: Option<&'a str>,
    one_class: &'a [String],
    points: Vec<Point<'a>>,
}

#[derive(Serialize)]
struct Point<'a> {
    cost: f64,
    within_hours: Option<f64>,
    expected_hours: Option<f64>,
    plan: bool,
    stages: Vec<Pick<'a>>,
}

#[derive(Serialize)]
struct Pick<'a> {
    stage: &'a str,
    provider: &'a str,
    instance: &'a str,
    gpu: &'a str,
    region: &'a str,
    zone: Option<&'a str>,
    count: u32,
    purchase: String,
    duration_hours: Option<f64>,
    cost: f64,
}

pub(super) fn curve(curve: &curve::Curve) -> Curve<'_> {
    Curve {
        complete: curve.complete,
        spot_confidence: curve.confidence,
        data_location: curve.data.as_deref(),
        one_class: &curve.one_class,
        points: curve
            .points
            .iter()
            .map(|p| Point {
                cost: p.cost.as_f64(),
                within_hours: hours(p.within),
                expected_hours: hours(p.expected),
                plan: p.taken,
                stages: p.picks.iter().map(pick).collect(),
            })
            .collect(),
    }
}

fn pick(p: &curve::Pick) -> Pick<'_> {
    Pick {
        stage: &p.stage,
        provider: &p.provider,
        instance: &p.instance,
        gpu: &p.gpu,
        region: &p.region,
        zone: p.zone.as_deref(),
        count: p.count,
        purchase: p.purchase.to_string(),
        duration_hours: hours(p.time),
        cost: p.cost.as_f64(),
    }
}
