//! JSON of what a log says: schema `usage/1`. Figures are not rounded, units stand in the keys, `null` is unknown;
//! utilisations and shares are of one.

use crate::units::{Bytes, Hours};
use crate::usage::{GpuUsage, IDLE_BELOW, IdleCost, Rent, Usage};
use serde::Serialize;
use std::io::{self, Write};

/// Writes it as one JSON document.
pub(super) fn write(usage: &Usage, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: "usage/1",
        file: &usage.file,
        unread_lines: &usage.unread,
        span_hours: usage.span.map(Hours::get),
        low_below: usage.low_below,
        idle_below: IDLE_BELOW,
        gpus: usage.gpus.iter().map(gpu).collect(),
        rent: usage.rent.as_ref().map(rent),
        idle_cost: usage.cost.as_ref().map(cost),
        advice: usage
            .advice
            .iter()
            .map(|advice| Advice { rule: advice.rule, gpu: advice.gpu.as_deref(), text: &advice.text })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    unread_lines: &'a [u32],
    span_hours: Option<f64>,
    low_below: f64,
    idle_below: f64,
    gpus: Vec<OfGpu<'a>>,
    rent: Option<Rented<'a>>,
    idle_cost: Option<Cost>,
    advice: Vec<Advice<'a>>,
}

#[derive(Serialize)]
struct OfGpu<'a> {
    gpu: &'a str,
    name: Option<&'a str>,
    readings: usize,
    utilisation: Option<Utilisation>,
    memory_peak_bytes: Option<u64>,
    memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Utilisation {
    readings: usize,
    mean: f64,
    median: f64,
    low_share: f64,
    idle_share: f64,
}

#[derive(Serialize)]
struct Rented<'a> {
    what: Option<&'a str>,
    gpu: Option<&'a str>,
    gpu_count: Option<f64>,
    price_per_hour: f64,
    currency: String,
    price_as_of: Option<String>,
    price_age_months: Option<u32>,
    price_confidence: Option<String>,
    price_source: Option<&'a str>,
}

#[derive(Serialize)]
struct Cost {
    logged_share: f64,
    idle_share: f64,
    per_hour: f64,
    per_day: f64,
    per_month: f64,
}

#[derive(Serialize)]
struct Advice<'a> {
    rule: &'a str,
    gpu: Option<&'a str>,
    text: &'a str,
}

fn gpu(gpu: &GpuUsage) -> OfGpu<'_> {
    OfGpu {
        gpu: &gpu.label,
        name: gpu.name.as_deref(),
        readings: gpu.samples,
        utilisation: gpu.load.map(|load| Utilisation {
            readings: load.readings,
            mean: load.mean,
            median: load.median,
            low_share: load.low,
            idle_share: load.idle,
        }),
        memory_peak_bytes: gpu.memory_peak.map(Bytes::get),
        memory_bytes: gpu.memory.map(Bytes::get),
    }
}

fn rent(rent: &Rent) -> Rented<'_> {
    Rented {
        what: rent.what.as_deref(),
        gpu: rent.gpu.as_ref().map(|gpu| &*gpu.name),
        gpu_count: rent.gpu.as_ref().map(|gpu| gpu.count),
        price_per_hour: rent.per_hour.as_f64(),
        currency: rent.currency.to_string(),
        price_as_of: rent.as_of.map(|date| date.to_string()),
        price_age_months: rent.age_months,
        price_confidence: rent.confidence.map(|confidence| confidence.to_string()),
        price_source: rent.source.as_deref(),
    }
}

fn cost(cost: &IdleCost) -> Cost {
    Cost {
        logged_share: cost.logged,
        idle_share: cost.idle,
        per_hour: cost.per_hour.as_f64(),
        per_day: cost.per_day.as_f64(),
        per_month: cost.per_month.as_f64(),
    }
}
