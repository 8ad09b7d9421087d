//! Near ties in JSON.

use super::{Cost, cost, hours};
use crate::units::Money;
use serde::Serialize;

/// Two choices that the known times cannot tell apart.
#[derive(Serialize)]
pub(super) struct Tie<'a> {
    stage: &'a str,
    first: Contender<'a>,
    second: Contender<'a>,
    ratio_factor: f64,
    measure: Measure<'a>,
}

#[derive(Serialize)]
struct Contender<'a> {
    rent: &'a str,
    cost: Cost,
}

#[derive(Serialize)]
struct Measure<'a> {
    stage: &'a str,
    on: &'a str,
    instances: u32,
    unit: &'static str,
    amount: Option<f64>,
    takes_hours: Option<f64>,
    gives: &'static str,
    scale: f64,
    ratio_factor_after: f64,
    may_save: f64,
}

impl<'a> Tie<'a> {
    pub(super) fn of(tie: &'a crate::plan::Tie) -> Self {
        let contender = |c: &'a crate::plan::Contender| Contender { rent: &c.rent, cost: cost(&c.cost) };
        let measure = &tie.measure;
        let (unit, amount) = measure.probe.counted();
        Self {
            stage: &tie.stage,
            first: contender(&tie.first),
            second: contender(&tie.second),
            ratio_factor: tie.band,
            measure: Measure {
                stage: &tie.stage,
                on: &measure.on,
                instances: measure.instances,
                unit,
                amount,
                takes_hours: hours(measure.takes),
                gives: measure.gives,
                scale: measure.scale,
                ratio_factor_after: measure.band,
                may_save: Money::as_f64(measure.may_save),
            },
        }
    }
}
