//! Published rates of the same architecture: facts with their sources, one line each.
//!
//! `published.csv` holds the median of the published rates of an architecture (a name of the zoo) per mode, precision,
//! card and number of cards, with how many figures stand behind it and where they were published.

use crate::catalog::{AcceleratorId, Catalog};
use crate::model::{Mode, Model, zoo};

const EMBEDDED: &str = include_str!("published.csv");

/// Factor within which a user's own run repeats a published rate on the same card: the publishers tune their code, and
/// other people's code for the same model on the same card is 1.5 to 8 times slower. A guess that covers ordinary code.
pub(super) const SPREAD: f64 = 1.7;

/// A published rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Published {
    /// Line of the table, from 1 for the first below its header.
    pub line: u16,
    /// The card.
    pub card: AcceleratorId,
    /// How many of them.
    pub count: f64,
    /// Samples per second of all of them together.
    pub per_second: f64,
}

/// The published rates that fit a stage's model.
pub(super) fn rates(model: &Model, trains: bool, catalog: &Catalog) -> Vec<Published> {
    let Some(known) = model.architecture.as_deref().and_then(zoo::lookup) else { return Vec::new() };
    // Another size of the same name is another model.
    let same = (known.params / model.params - 1.0).abs() < 0.2
        && model.mode == if trains { Mode::Train } else { Mode::Inference };
    let native = match (known.image_size, model.image_size) {
        (Some(native), Some(size)) => (native - size).abs() < 0.5,
        _ => true,
    };
    if !(same && native) || model.gradient_checkpointing {
        return Vec::new();
    }
    let half = model.precision.is_half();
    lines().filter_map(|(line, text)| read(line, text, known.name, trains, half, model, catalog)).collect()
}

fn lines() -> impl Iterator<Item = (u16, &'static str)> {
    (0u16..).zip(EMBEDDED.lines()).skip(1)
}

fn read(
    line: u16,
    text: &'static str,
    name: &str,
    trains: bool,
    half: bool,
    model: &Model,
    catalog: &Catalog,
) -> Option<Published> {
    let mut fields = text.strip_prefix(name)?.strip_prefix(',')?.split(',');
    let mode = if trains { "train" } else { "infer" };
    let precision = if half { "half" } else { "single" };
    if fields.next()? != mode || fields.next()? != precision {
        return None;
    }
    let card = catalog.accelerators.named(fields.next()?)?;
    let count: f64 = fields.next()?.parse().ok()?;
    let rate: f64 = fields.next()?.parse().ok()?;
    let unit = fields.next()?;
    let seq_len: Option<f64> = fields.next()?.parse().ok();
    let per_second = match (unit, seq_len, model.seq_len) {
        ("tokens", _, Some(own)) => rate / own,
        // The same tokens per second at another length, as far as attention is a small part of the work.
        ("samples", Some(there), Some(own)) if (0.25..=4.0).contains(&(own / there)) => rate * there / own,
        ("samples", None, _) => rate,
        _ => return None,
    };
    (per_second > 0.0).then_some(Published { line, card, count, per_second })
}

/// Where a line's rate was published.
pub(super) fn source(line: u16) -> &'static str {
    lines().find(|(at, _)| *at == line).and_then(|(_, text)| text.rsplit(',').next()).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_names_an_architecture_a_card_and_a_source() {
        let catalog = Catalog::embedded();
        let mut keys = BTreeSet::new();
        for (_, text) in lines() {
            let fields: Vec<&str> = text.split(',').collect();
            let [name, mode, precision, card, count, rate, unit, seq_len, figures, source] =
                fields.as_slice()
            else {
                panic!("{text}");
            };
            assert_eq!(zoo::lookup(name).map(|k| k.name), Some(*name), "{text}");
            assert!(["train", "infer"].contains(mode) && ["half", "single"].contains(precision), "{text}");
            assert!(catalog.accelerators.named(card).is_some(), "{text}");
            assert!(rate.parse::<f64>().unwrap() > 0.0 && count.parse::<f64>().unwrap() >= 1.0, "{text}");
            assert!(["samples", "tokens"].contains(unit) && !source.is_empty(), "{text}");
            assert!(figures.parse::<u32>().unwrap() >= 1, "{text}");
            assert!(keys.insert((*name, *mode, *precision, *card, *count, *seq_len)), "twice: {text}");
        }
    }
}
