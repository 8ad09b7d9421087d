//! From the work alone: language models' GPU-hours, and rates and hours of image networks and encoders. Published rates of the
//! architecture are not used.

use super::pairs::{in_data_centre, usable};
use super::stats::Errors;
use super::{Bar, CATALOG, answer, family, field, number, work};
use super::{Row, rows};
use plan::cli::time::cases::Case;
use plan::cli::time::work::Answer;
use plan::duration::{Evidence, Terms};
use std::collections::BTreeMap;

pub(crate) fn terms() -> Terms {
    Terms { published: false, ..Terms::default() }
}

/// The number before a unit: `2e12 tokens`, `12.8e9 samples`.
fn amount(row: &Row) -> Option<(f64, &str)> {
    let (number, unit) = field(row, "samples_or_tokens").split_once(' ')?;
    Some((number.parse().ok()?, unit))
}

/// Rows that no model of hardware can know, by name.
fn exempt(name: &str) -> Option<&'static str> {
    match name {
        _ if name.contains("GPT3-125M") => Some("its own figures imply 104 % of the peak"),
        _ if name.contains("fairseq") => Some("recurrent over segments: not a plain decoder"),
        _ if name.contains("OpenCLIP") || name.contains("BART") => Some("not a language model in this sense"),
        _ => None,
    }
}

/// Recipes that state four cards and use one: by their own remark, or since the same recipe takes the same minutes on one.
fn uses_one_card(row: &Row, all: &[Row]) -> bool {
    let alone = field(row, "name").replace("4xA10G", "1xA10G");
    let hours = |row: &Row| number(row, "hours").unwrap_or(f64::NAN);
    let twin = all.iter().find(|other| field(other, "name") == alone && alone != field(row, "name"));
    field(row, "notes").contains("uses one device")
        || twin.is_some_and(|other| (hours(other) / hours(row) - 1.0).abs() < 0.03)
}

/// A training run of a language model as a case; `None` where its work or its card is not told.
pub(crate) fn language_case(row: &Row, all: &[Row]) -> Option<(Case, f64)> {
    let name = field(row, "name");
    let params = number(row, "params").filter(|p| *p > 5e7)?;
    let (amount, unit) = amount(row)?;
    let text = matches!(unit, "tokens" | "samples" | "conversations");
    let encoder = field(row, "model").to_lowercase().contains("bert");
    if exempt(name).is_some()
        || !text
        || encoder
        || CATALOG.accelerators.find(field(row, "hardware")).id().is_none()
    {
        return None;
    }
    let seq_len = field(row, "seq_len");
    // Frozen weights: adapters, or a projector in front of the language model.
    let task = match () {
        () if name.to_lowercase().contains("qlora") => "qlora",
        () if unit != "tokens" && name.contains("LLaVA") && !name.contains("pretrain") => "finetune",
        () if name.to_lowercase().contains("lora") || name.contains("LLaVA") && name.contains("pretrain") => {
            "lora"
        }
        () if unit != "tokens" => "finetune",
        () => "train",
    };
    let count = if uses_one_card(row, all) { 1.0 } else { number(row, "count").unwrap_or(1.0) };
    let mut case = Case::default()
        .with("id", name)
        .with("model", name)
        .with("family", "llm")
        .with("task", task)
        .with("precision", field(row, "precision").split('/').next().unwrap_or("bf16").replace("nf4", "bf16"))
        .with("seq_len", seq_len)
        .with("params", params.to_string())
        .with("to", field(row, "hardware"))
        .with("to_count", count.to_string());
    case = if unit == "tokens" {
        case.with("tokens", amount.to_string())
    } else {
        let epochs = number(row, "epochs").unwrap_or(1.0);
        if seq_len.is_empty() {
            return None;
        }
        case.with("samples", amount.to_string()).with("epochs", epochs.to_string())
    };
    Some((case, count))
}

fn language() -> Vec<Bar> {
    println!("\n== language models from scratch, GPU-hours ==");
    let (mut pretraining, mut tuning, mut all, mut a100) = <(Errors, Errors, Errors, Errors)>::default();
    let bills = rows("bills.csv");
    for row in &bills {
        let name = field(row, "name");
        if let Some(why) = exempt(name).filter(|_| amount(row).is_some()) {
            println!("not counted: {name}: {why}");
            continue;
        }
        let Some((case, count)) = language_case(row, &bills) else { continue };
        // Card-hours: of one card, hours; where the number of cards is not stated, as published.
        let hours = number(row, "hours").filter(|_| uses_one_card(row, &bills));
        let published = hours.or(number(row, "gpu_hours"));
        let Some(published) = published else {
            println!("not expressed: {name}: no hours");
            continue;
        };
        match answer(&case, &terms()) {
            Ok(a) => {
                let Some(whole) = a.whole else { continue };
                let of = |hours: plan::units::Hours| hours.get() * count;
                let (low, expected, high) =
                    (of(whole.time.low), of(whole.time.expected), of(whole.time.high));
                let kind = if case.get("tokens").is_empty() { &mut tuning } else { &mut pretraining };
                kind.add(published, low, expected, high);
                all.add(published, low, expected, high);
                if !case.get("tokens").is_empty() && field(row, "hardware").starts_with("A100") {
                    a100.add(published, low, expected, high);
                }
                if !(low..=high).contains(&published) {
                    println!("outside: {name}: {published:.4} GPU-hours, predicted {low:.4} to {high:.4}");
                }
            }
            Err(why) => println!("not expressed: {name}: {why}"),
        }
    }
    pretraining.print("tokens stated");
    tuning.print("samples of at most seq_len tokens");
    a100.print("tokens stated, A100");
    all.print("all");
    bars("language models from scratch (tokens stated)", &pretraining, 0.25, Some(0.9))
        .into_iter()
        .chain(bars("language models from scratch (all)", &all, 0.25, Some(0.9)))
        .collect()
}

fn bars(name: &str, e: &Errors, median: f64, within_two: Option<f64>) -> Vec<Bar> {
    let mut bars = vec![
        Bar {
            name: format!("{name}: median {:.1} % (at most {:.0} %)", 100.0 * e.median(), 100.0 * median),
            met: e.median() <= median,
        },
        Bar {
            name: format!(
                "{name}: {:.1} % of {} inside the band (at least 90 %)",
                100.0 * e.inside(),
                e.len()
            ),
            met: e.inside() >= 0.9,
        },
    ];
    if let Some(share) = within_two {
        let within = e.within(2.0);
        bars.push(Bar {
            name: format!("{name}: {:.1} % within ×2 (at least 90 %)", 100.0 * within),
            met: within >= share,
        });
    }
    bars
}

/// What the second part of the report collects.
#[derive(Default)]
struct Images {
    errors: BTreeMap<String, Errors>,
    unknown: BTreeMap<String, usize>,
    outside: BTreeMap<String, usize>,
}

impl Images {
    fn add(&mut self, group: String, what: &str, published: f64, band: (f64, f64, f64)) {
        let (low, expected, high) = band;
        for name in [group, "all".to_owned()] {
            self.errors.entry(name).or_default().add(published, low, expected, high);
        }
        if !(low..=high).contains(&published) {
            *self.outside.entry(format!("{what}: {:.2}", expected / published)).or_default() += 1;
        }
    }

    fn refuse(&mut self, what: &str, why: &str) {
        *self.unknown.entry(format!("{what}: {why}")).or_default() += 1;
    }
}

/// The answer, unless it rests on a rule of thumb.
fn estimated(case: &Case) -> Result<Answer, String> {
    match answer(case, &terms())? {
        a if a.bare.evidence == Evidence::RuleOfThumb => Err("operations unknown".to_owned()),
        a => Ok(a),
    }
}

fn rates(images: &mut Images) {
    let throughput = rows("throughput.csv");
    for (row, card, count, rate) in usable(&throughput, "train") {
        let (family, model) = (family(row), field(row, "model"));
        if !matches!(family.as_str(), "cnn" | "vit" | "transformer-encoder") {
            continue;
        }
        match estimated(&work(row).with("to", card).with("to_count", count.to_string())) {
            Ok(a) => {
                let desk = if in_data_centre(card) { "" } else { ", desk cards" };
                let what = format!("{model} on {card} {}", field(row, "precision"));
                images.add(format!("{family} rates{desk}"), &what, rate, (a.low, a.rate, a.high));
            }
            Err(why) => images.refuse(model, &why),
        }
    }
}

fn hours(images: &mut Images) {
    let bills = rows("bills.csv");
    for row in &bills {
        let Some((amount, unit)) = amount(row).filter(|(_, unit)| *unit == "images" || *unit == "samples")
        else {
            continue;
        };
        let (name, model) = (field(row, "name"), field(row, "model"));
        let (Some(hours), Some(epochs)) = (number(row, "hours"), number(row, "epochs")) else { continue };
        if language_case(row, &bills).is_some() {
            continue;
        }
        let Some(count) = number(row, "count") else {
            images.refuse(name, "the number of cards is not stated");
            continue;
        };
        let encoder = model.contains("bert");
        let case = Case::default()
            .with("model", model)
            .with("task", "train")
            .with("family", if encoder { "encoder" } else { "" })
            .with("params", if encoder { field(row, "params") } else { "" })
            .with("precision", field(row, "precision"))
            .with("seq_len", if unit == "samples" { field(row, "seq_len") } else { "" })
            .with("samples", amount.to_string())
            .with("epochs", epochs.to_string())
            .with("to", field(row, "hardware"))
            .with("to_count", count.to_string());
        match estimated(&case).map(|a| a.whole) {
            Ok(Some(whole)) => {
                let band = (whole.time.low.get(), whole.time.expected.get(), whole.time.high.get());
                images.add("hours of whole runs".to_owned(), name, hours, band);
            }
            Ok(None) => images.refuse(name, "no hours"),
            Err(why) => images.refuse(name, &why),
        }
    }
}

fn images_and_encoders() -> Vec<Bar> {
    println!("\n== image networks and encoders from scratch, training ==");
    let mut images = Images::default();
    rates(&mut images);
    hours(&mut images);
    for (what, n) in &images.outside {
        println!("outside: {n} × {what}");
    }
    println!("not expressed: {} rows", images.unknown.values().sum::<usize>());
    for (what, n) in &images.unknown {
        println!("not expressed: {n} × {what}");
    }
    for (name, e) in &images.errors {
        e.print(name);
    }
    let all = images.errors.remove("all").unwrap_or_default();
    bars("image networks and encoders from scratch", &all, 0.30, None)
}

pub(crate) fn report() -> Vec<Bar> {
    let mut bars = language();
    bars.extend(images_and_encoders());
    bars
}
