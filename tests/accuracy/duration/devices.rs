//! From one card to several of the same.

use super::pairs::{key, usable};
use super::stats::{Errors, quantile};
use super::{Bar, answer, family, work};
use crate::accuracy::{Row, rows};
use plan::duration::Terms;
use std::collections::BTreeMap;

pub(crate) fn report() -> Vec<Bar> {
    let rows = rows("throughput.csv");
    let mut groups: BTreeMap<(Vec<String>, &str), BTreeMap<u32, (&Row, Vec<f64>)>> = BTreeMap::new();
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
