//! From one card's rate to another's: every ordered pair of data-centre cards that is comparable. The rows from which the
//! program's table of ratios was made are judged by a table without the pair's own model; other rows, of which it has
//! seen none, by the program as it is.

use super::pairs::{Group, class, groups};
use super::rows;
use super::stats::Errors;
use super::{Bar, answer, distil, family, field, work};
use plan::duration::{Ratios, Terms};
use std::collections::BTreeMap;

pub(crate) fn report() -> Vec<Bar> {
    let rows = rows("throughput.csv");
    let pairs = groups(&rows, true);
    let table = groups(&rows, false);
    println!("\n== one card to another, training, data-centre cards, the model left out ==");
    let left_out =
        measure(&pairs, |model| Terms { ratios: distil::ratios(&table, model), ..Terms::default() });
    println!("-- the same with the table that comes with the program --");
    let shipped = measure(&pairs, |_| Terms::default());
    let Some(drift) = drift(&distil::ratios(&table, "")) else {
        println!("-- judged by the latter: the program's table was made of other rows --");
        return bars(&shipped);
    };
    println!("-- judged by the former: the program's table was made of these rows --");
    let mut bars = bars(&left_out);
    bars.push(Bar {
        name: format!("the program's ratios are those of these rows: at most {drift:.3} apart"),
        met: drift < 0.015,
    });
    bars
}

/// How far the program's table is from one made anew; `None` where it was made of other rows: then the numbers of models
/// are others.
fn drift(made: &Ratios) -> Option<f64> {
    let own = Ratios::embedded();
    let (own, made) = (own.entries(), made.entries());
    let same = own.len() == made.len();
    let apart = own.iter().map(|(cell, (factor, models))| {
        let (other, of) = made.get(cell)?;
        (models == of).then_some((factor - other).abs())
    });
    apart.collect::<Option<Vec<f64>>>().filter(|_| same)?.into_iter().reduce(f64::max)
}

/// Errors by family and precision, and over all families.
fn measure(groups: &[Group<'_>], terms: impl Fn(&str) -> Terms) -> BTreeMap<(String, String), Errors> {
    let mut by_model: BTreeMap<&str, Terms> = BTreeMap::new();
    let mut errors: BTreeMap<(String, String), Errors> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for group in groups {
        let model = field(group.row, "model");
        let terms = by_model.entry(model).or_insert_with(|| terms(model));
        for from in group.rates.keys() {
            for to in group.rates.keys().filter(|to| *to != from) {
                let (Some(known), Some(published)) = (group.rate(from), group.rate(to)) else { continue };
                let case = work(group.row)
                    .with("from", *from)
                    .with("from_count", group.count.to_string())
                    .with("from_rate", known.to_string())
                    .with("to", *to)
                    .with("to_count", group.count.to_string());
                match answer(&case, terms) {
                    Ok(a) => {
                        for family in [family(group.row), "all".to_owned()] {
                            errors
                                .entry((family, class(group.row)))
                                .or_default()
                                .add(published, a.low, a.rate, a.high);
                        }
                    }
                    Err(why) => *refused.entry(why).or_default() += 1,
                }
            }
        }
    }
    for ((family, class), e) in &errors {
        e.print(&format!("{family} {class}"));
    }
    for (why, n) in refused {
        println!("not expressed: {n} pairs: {why}");
    }
    errors
}

fn bars(errors: &BTreeMap<(String, String), Errors>) -> Vec<Bar> {
    const MEDIANS: [(&str, &str, f64); 6] = [
        ("cnn", "half", 0.09),
        ("transformer-encoder", "half", 0.08),
        ("llm", "half", 0.08),
        ("all", "half", 0.14),
        ("cnn", "single", 0.09),
        ("transformer-encoder", "single", 0.14),
    ];
    let mut bars: Vec<Bar> = MEDIANS
        .iter()
        .map(|(family, class, bar)| {
            let median =
                errors.get(&((*family).to_owned(), (*class).to_owned())).map_or(f64::NAN, Errors::median);
            Bar {
                name: format!(
                    "scaling {family} {class}: median {:.1} % (at most {:.0} %)",
                    100.0 * median,
                    100.0 * bar
                ),
                met: median <= *bar,
            }
        })
        .collect();
    for ((family, class), e) in errors.iter().filter(|((family, _), e)| e.len() >= 20 && family != "all") {
        bars.push(Bar {
            name: format!(
                "scaling {family} {class}: {:.1} % of {} inside the band (at least 90 %)",
                100.0 * e.inside(),
                e.len()
            ),
            met: e.inside() >= 0.9,
        });
    }
    bars
}
