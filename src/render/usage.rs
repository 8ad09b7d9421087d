//! What a log says becomes bytes: a table for people, or JSON.

mod json;

use super::text::{heading, paragraph, plain, right, section, write_table};
use super::{Format, Style};
use crate::catalog::Confidence;
use crate::thresholds::Threshold;
use crate::units::number::{percent, significant, things, thousands};
use crate::units::{Bytes, Money};
use crate::usage::{GpuUsage, IDLE_BELOW, IdleCost, Rent, Usage};
use std::io::{self, Write};

/// Writes it in a format.
pub fn write(usage: &Usage, format: Format, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table => text(usage, style, out),
        Format::Json => json::write(usage, out),
    }
}

fn text(usage: &Usage, style: Style, out: &mut dyn Write) -> io::Result<()> {
    heading(&headline(usage), style, out)?;
    writeln!(out)?;
    let mut table = plain(style.width);
    let low = format!("< {}", percent(usage.low_below));
    let idle = format!("idle < {}", percent(IDLE_BELOW));
    table.set_header(["GPU", "readings", "mean", "median", &low, &idle, "memory peak"]);
    for gpu in &usage.gpus {
        table.add_row(row(gpu));
    }
    right(&mut table, &[1, 2, 3, 4, 5, 6]);
    write_table(&table, out)?;
    if let Some(rent) = &usage.rent {
        let mut lines = vec![priced(rent)];
        match usage.cost {
            Some(cost) => lines.push(idle_line(&cost, rent)),
            None => lines.push("the idle share cannot be told: the log lacks a utilisation".to_owned()),
        }
        section("What the idle share costs", &lines, style, out)?;
    }
    let advice: Vec<String> = usage
        .advice
        .iter()
        .map(|advice| {
            let gpu = advice.gpu.as_ref().map_or_else(String::new, |gpu| format!("GPU {gpu}: "));
            format!("{gpu}{} [{}]", advice.text, advice.rule)
        })
        .collect();
    section("Advice", &advice, style, out)?;
    writeln!(out)?;
    paragraph(
        "Utilisation is the share of time in which something ran on the GPU, not how much of it that took.",
        style,
        out,
    )
}

fn headline(usage: &Usage) -> String {
    let readings: usize = usage.gpus.iter().map(|gpu| gpu.samples).sum();
    let span = usage.span.map_or_else(String::new, |span| format!(" over {span}"));
    format!(
        "{}: {}, {}{span}",
        usage.file,
        things(usage.gpus.len(), "GPU"),
        things(count(readings), "reading")
    )
}

fn row(gpu: &GpuUsage) -> [String; 7] {
    let share = |share: fn(&crate::usage::Load) -> f64| {
        gpu.load.as_ref().map_or_else(|| "unknown".to_owned(), |load| percent(share(load)))
    };
    let name = gpu.name.as_ref().filter(|name| **name != gpu.label);
    let memory = match (gpu.memory_peak, gpu.memory) {
        (None, _) => "unknown".to_owned(),
        (Some(peak), None) => peak.gib(),
        (Some(peak), Some(memory)) => format!("{} of {}", peak.gib(), Bytes::gib(memory)),
    };
    [
        name.map_or_else(|| gpu.label.clone(), |name| format!("{} {name}", gpu.label)),
        count(gpu.samples),
        share(|load| load.mean),
        share(|load| load.median),
        share(|load| load.low),
        share(|load| load.idle),
        memory,
    ]
}

/// `aws g4dn.xlarge in us-east-1, on-demand: 0.526 USD/h (2026-07-20)`.
fn priced(rent: &Rent) -> String {
    let what = rent.what.as_ref().map_or_else(|| "the price given".to_owned(), Clone::clone);
    let price = rent.per_hour.to_string();
    let mut text = format!("{what}: {} {}/h", price.trim_end_matches("/h"), rent.currency);
    let old = rent.age_months.filter(|age| f64::from(*age) >= Threshold::PriceAgeMonths.spec().default);
    let marks: Vec<String> = rent
        .what
        .is_some()
        .then(|| rent.as_of.map_or_else(|| "undated".to_owned(), |date| date.to_string()))
        .into_iter()
        .chain(old.map(|age| format!("{} old", things(age, "month"))))
        .chain(match rent.confidence {
            Some(Confidence::Recall) => Some("from memory".to_owned()),
            Some(Confidence::Doubtful) => Some("doubtful".to_owned()),
            Some(Confidence::Read) | None => None,
        })
        .collect();
    if !marks.is_empty() {
        text += &format!(" ({})", marks.join(", "));
    }
    text
}

fn idle_line(cost: &IdleCost, rent: &Rent) -> String {
    let amount = |money: Money, per: &str| format!("{} {}/{per}", money.amount(), rent.currency);
    let part = rent.gpu.as_ref().filter(|_| cost.logged < 1.0).map_or_else(String::new, |gpu| {
        format!(
            " (the log has {} of its {}; the others are not counted)",
            significant(cost.logged * gpu.count, 4),
            things(significant(gpu.count, 4), "GPU")
        )
    });
    format!(
        "idle {} of the time{part}: {} {}/h, {}, {} (730 h)",
        percent(cost.idle),
        significant(cost.per_hour.as_f64(), 4),
        rent.currency,
        amount(cost.per_day, "day"),
        amount(cost.per_month, "month")
    )
}

fn count(n: usize) -> String {
    thousands(u32::try_from(n).map_or(f64::from(u32::MAX), f64::from))
}
