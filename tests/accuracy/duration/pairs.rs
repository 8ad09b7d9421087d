//! Rows of throughput.csv in, groups of comparable figures out: the same source, model, task, precision class, count and unit
//! and, where the notes give them, sequence length, phase, compiler and latency mode.

use super::Row;
use super::{CATALOG, family, field, number};
use plan::catalog::Found;
use std::collections::BTreeMap;

/// Cards of data centres; the others are for desks.
const DATA_CENTRE: [&str; 22] = [
    "V100-16GB",
    "V100-32GB",
    "V100-PCIe-16GB",
    "P100-16GB",
    "T4",
    "A10",
    "A10G",
    "A30",
    "A40",
    "A100-40GB",
    "A100-PCIe-40GB",
    "A100-80GB",
    "A100-PCIe-80GB",
    "L4",
    "L40S",
    "H100-PCIe",
    "H100-SXM",
    "H100-NVL",
    "H200",
    "GH200",
    "B200",
    "GB200",
];

/// `half` for 16-bit arithmetic, `single` for FP32 and TF32; the others by themselves.
pub(crate) fn class(row: &Row) -> String {
    match field(row, "precision") {
        "fp16-mixed" | "fp16" | "bf16" | "bf16-mixed" => "half".to_owned(),
        "fp32" | "tf32" => "single".to_owned(),
        other => other.to_owned(),
    }
}

/// The canonical name of a row's card, if it is one of the table.
pub(crate) fn card(row: &Row) -> Option<&'static str> {
    let Found::Card(id) = CATALOG.accelerators.find(field(row, "hardware")) else { return None };
    CATALOG.accelerators.get(id).map(|card| &*card.name)
}

/// Whether a card is one of a data centre.
pub(crate) fn in_data_centre(card: &str) -> bool {
    DATA_CENTRE.contains(&card)
}

/// A number after a word of the notes.
fn after<'a>(notes: &'a str, words: &[&str]) -> &'a str {
    let lower = notes.to_lowercase();
    for word in words {
        if let Some(at) = lower.find(word) {
            let rest = &notes[at + word.len()..];
            return rest
                .split(|c: char| !c.is_ascii_alphanumeric() && c != 'x' && c != '-')
                .next()
                .unwrap_or("");
        }
    }
    ""
}

/// Tokens per sequence, where the notes or the name of the model give them.
pub(crate) fn seq_len(row: &Row) -> String {
    let notes = field(row, "notes");
    let stated = after(notes, &["sequence length=", "seq="]);
    match (stated, field(row, "model")) {
        ("", "bert_large_squad[PyTorch]" | "bert_base_squad[PyTorch]") => "384".to_owned(),
        (stated, _) => stated.to_owned(),
    }
}

/// What of the notes tells rows apart.
fn details(row: &Row) -> Vec<String> {
    let notes = field(row, "notes");
    let flag = |words: &[&str]| words.iter().find(|w| notes.contains(**w)).map_or("", |w| w).to_owned();
    vec![
        seq_len(row),
        flag(&["pretraining", "fine-tuning"]),
        after(notes, &["xla="]).to_owned() + &flag(&["+ XLA"]),
        flag(&["atency"]),
        after(notes, &["dimension="]).to_owned(),
        flag(&["Large model", "Base model"]),
        after(notes, &["model size="]).to_owned(),
        after(notes, &["resolution="]).to_owned(),
        after(notes, &["input length="]).to_owned(),
        flag(&["QAT"]),
    ]
}

/// A key of comparable rows, whatever their number of cards.
pub(crate) fn key(row: &Row) -> Vec<String> {
    let mut key = vec![
        family(row),
        class(row),
        field(row, "model").to_owned(),
        field(row, "source").to_owned(),
        field(row, "unit").to_owned(),
    ];
    key.extend(details(row));
    key
}

/// Rows that say something about training on a known card.
pub(crate) fn usable<'a>(
    rows: &'a [Row],
    task: &'a str,
) -> impl Iterator<Item = (&'a Row, &'static str, u32, f64)> {
    rows.iter()
        .filter(move |row| field(row, "task") == task && !field(row, "notes").contains("SUSPECT"))
        .filter_map(|row| {
            let count = number(row, "count").filter(|n| *n >= 1.0)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of cards")]
            Some((row, card(row)?, count as u32, number(row, "throughput")?))
        })
}

/// Comparable figures: one row for the description, and the rates by card.
pub(crate) struct Group<'a> {
    pub(crate) row: &'a Row,
    pub(crate) count: u32,
    /// All figures of a card; its rate is their median.
    pub(crate) rates: BTreeMap<&'static str, Vec<f64>>,
}

impl Group<'_> {
    pub(crate) fn rate(&self, card: &str) -> Option<f64> {
        Some(super::stats::quantile(self.rates.get(card)?, 0.5))
    }
}

/// Groups of training rows with equal counts; `data_centre` leaves desk cards out.
pub(crate) fn groups(rows: &[Row], data_centre: bool) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(Vec<String>, u32), Group<'_>> = BTreeMap::new();
    for (row, card, count, rate) in usable(rows, "train") {
        if (data_centre && !in_data_centre(card)) || field(row, "model").contains("MAMF") {
            continue;
        }
        let group =
            groups.entry((key(row), count)).or_insert_with(|| Group { row, count, rates: BTreeMap::new() });
        group.rates.entry(card).or_default().push(rate);
    }
    groups.into_values().collect()
}
