//! From one card to several of the same.

use super::pairs::{key, usable};
use super::stats::{Errors, quantile};
use super::{Bar, CATALOG, answer, family, field, number, work};
use super::{Row, rows};
use plan::cli::time::cases::Case;
use plan::cli::time::hardware::hardware;
use plan::cli::time::work::Measured;
use plan::duration::{Machine, StageClock, Terms};
use std::collections::BTreeMap;

/// Rates by number of cards, with a row for the description.
type Counts<'a> = BTreeMap<u32, (&'a Row, Vec<f64>)>;

pub(crate) fn report() -> Vec<Bar> {
    whole_jobs();
    throughputs()
}

/// Published hours of the same training on one and on several cards, for information: no bar is set.
fn whole_jobs() {
    println!("\n== hours of whole jobs on several cards from one, for information ==");
    let bills = rows("bills.csv");
    let key =
        |row: &Row| ["name", "hardware", "precision", "batch", "epochs"].map(|c| field(row, c).to_owned());
    let mut errors = Errors::default();
    for row in bills.iter().filter(|row| field(row, "source").starts_with("NVIDIA/")) {
        let (Some(hours), Some(count)) = (number(row, "hours"), number(row, "count").filter(|n| *n > 1.0))
        else {
            continue;
        };
        let one = bills.iter().find(|other| key(other) == key(row) && number(other, "count") == Some(1.0));
        let Some(one) = one.and_then(|other| number(other, "hours")) else { continue };
        let card = field(row, "hardware");
        let case = Case::default().with("family", "cnn").with("precision", field(row, "precision"));
        let mut wrong = Vec::new();
        let work = case.work(&mut Vec::new(), &mut wrong);
        if !wrong.is_empty() {
            continue;
        }
        let (Ok(from), Ok(to)) = (hardware(card, 1.0, &CATALOG), hardware(card, count, &CATALOG)) else {
            continue;
        };
        let measured = Measured { on: from.on, label: card.to_owned(), instances: 1, rate: 1.0 / one };
        // One item takes the whole time on one card.
        let stage = work.stage(3600.0, vec![measured.measurement(3600.0)]);
        let machine = Machine { instance: &to.instance, instances: 1 };
        if let Ok(d) = StageClock::new(&stage, &CATALOG).time_on(machine) {
            errors.add(hours, d.time.low.get(), d.time.expected.get(), d.time.high.get());
        }
    }
    errors.print("NVIDIA DeepLearningExamples");
}

fn throughputs() -> Vec<Bar> {
    let rows = rows("throughput.csv");
    let mut groups: BTreeMap<(Vec<String>, &str), Counts<'_>> = BTreeMap::new();
    for (row, card, count, rate) in usable(&rows, "train") {
        let counts = groups.entry((key(row), card)).or_default();
        counts.entry(count).or_insert_with(|| (row, Vec::new())).1.push(rate);
    }
    println!("\n== several cards from one, training ==");
    let mut errors: BTreeMap<String, Errors> = BTreeMap::new();
    for ((_, card), counts) in &groups {
        let Some((_, one)) = counts.get(&1) else { continue };
        for (count, (row, rates)) in counts.iter().filter(|(count, _)| **count > 1) {
            let case = work(row)
                .with("from", *card)
                .with("from_count", "1")
                .with("from_rate", quantile(one, 0.5).to_string())
                .with("to", *card)
                .with("to_count", count.to_string());
            match answer(&case, &Terms::default()) {
                Ok(a) => {
                    for name in [family(row), "all".to_owned()] {
                        errors.entry(name).or_default().add(quantile(rates, 0.5), a.low, a.rate, a.high);
                    }
                }
                Err(why) => println!("not expressed: {card} {}: {why}", family(row)),
            }
        }
    }
    for (name, e) in &errors {
        e.print(name);
    }
    let median = errors.get("all").map_or(f64::NAN, Errors::median);
    vec![Bar {
        name: format!("several cards from one: median {:.1} % (at most 7 %)", 100.0 * median),
        met: median <= 0.07,
    }]
}
