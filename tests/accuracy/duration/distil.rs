//! The table of measured ratios, distilled from rows: how `ratios.csv` was made, so that a model can be left out of it.

use super::pairs::Group;
use super::stats::quantile;
use super::{answer, field, work};
use plan::duration::{Ratios, Terms};
use plan::model::Family;
use plan::names::Named;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Pull towards the formula: as if so many further models lay on it.
const PULL: f64 = 2.0;

/// A model, and the logarithm of the rate over the formula by card.
type Over<'a> = (&'a str, Vec<(&'a str, f64)>);

/// Speed of a card by the formula alone, in logarithms.
fn formula(group: &Group<'_>, card: &str, terms: &Terms) -> Option<f64> {
    let case = work(group.row).with("from", "A100-80GB").with("from_rate", "1").with("to", card);
    answer(&case, terms).ok().map(|a| a.rate.ln())
}

/// The table without the rows of one model.
pub(crate) fn ratios(groups: &[Group<'_>], without: &str) -> Ratios {
    let bare = Terms { ratios: Ratios::from_text(String::new()), ..Terms::default() };
    let mut cells: BTreeMap<(String, String), Vec<Over<'_>>> = BTreeMap::new();
    for group in groups.iter().filter(|g| g.rates.len() > 1 && field(g.row, "model") != without) {
        let over: Vec<(&str, f64)> = group
            .rates
            .keys()
            .filter_map(|card| Some((*card, group.rate(card)?.ln() - formula(group, card, &bare)?)))
            .collect();
        let family = match super::family(group.row).as_str() {
            "llm" => "transformer-decoder".to_owned(),
            "seq2seq/transformer-xl" => "encoder-decoder".to_owned(),
            other => other.to_owned(),
        };
        // The program scales no others by family.
        if !Family::ALL.iter().any(|(_, name)| *name == family) {
            continue;
        }
        cells
            .entry((family, super::pairs::class(group.row)))
            .or_default()
            .push((field(group.row, "model"), over));
    }
    let mut text = String::new();
    for ((family, class), groups) in &cells {
        for (card, (factor, models)) in cell(groups) {
            writeln!(text, "{family},{class},{card},{factor:.2},{models}").expect("a string takes all");
        }
    }
    Ratios::from_text(text)
}

/// Alternately the median of each group and of each card, each model with the root of its rows' weight.
fn cell<'a>(groups: &[Over<'a>]) -> BTreeMap<&'a str, (f64, usize)> {
    let mut rows: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    let mut models: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (model, over) in groups {
        for (card, _) in over {
            *rows.entry((card, model)).or_default() += 1.0;
            models.entry(card).or_default().insert(model);
        }
    }
    let mut factor: BTreeMap<&str, f64> = BTreeMap::new();
    for _ in 0..12 {
        let mut by_card: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for (model, over) in groups {
            let rest: Vec<f64> =
                over.iter().map(|(c, y)| y - factor.get(c).copied().unwrap_or(0.0)).collect();
            let level = quantile(&rest, 0.5);
            for (card, y) in over {
                by_card.entry(card).or_default().push((y - level, rows[&(*card, *model)].powf(-0.5)));
            }
        }
        for (card, mut values) in by_card {
            #[expect(clippy::cast_precision_loss, reason = "a number of models")]
            let n = models[card].len() as f64;
            factor.insert(card, weighted_median(&mut values) * n / (n + PULL));
        }
    }
    factor.into_iter().map(|(card, f)| (card, (f.exp(), models[card].len()))).collect()
}

fn weighted_median(values: &mut [(f64, f64)]) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|v| v.1).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    for (at, (value, weight)) in values.iter().enumerate() {
        sum += weight;
        if (sum - half).abs() < 1e-9 {
            return f64::midpoint(*value, values.get(at + 1).map_or(*value, |v| v.0));
        }
        if sum > half {
            return *value;
        }
    }
    0.0
}
