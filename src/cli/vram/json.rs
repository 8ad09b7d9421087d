//! The answer for programs: bytes as whole numbers, a version, nothing rounded.

use super::text::parts;
use super::{Answer, Card};
use crate::names::Named;
use crate::units::{Band, Bytes};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    model: &'a str,
    params: f64,
    trained_params: f64,
    phase: &'static str,
    total_bytes: u64,
    low_bytes: u64,
    high_bytes: u64,
    allocated: Range,
    needed: Range,
    shown: Range,
    components_bytes: BTreeMap<String, u64>,
    rule_of_thumb_bytes: u64,
    floor_bytes: u64,
    cards: Vec<Fit<'a>>,
    offers: Vec<Offer<'a>>,
    gpu: Option<Asked<'a>>,
    ladder: Vec<Step>,
    notes: &'a [String],
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "units stand in the key names")]
struct Range {
    expected_bytes: u64,
    low_bytes: u64,
    high_bytes: u64,
}

#[derive(Serialize)]
struct Fit<'a> {
    name: &'a str,
    usable_bytes: u64,
    left_bytes: u64,
}

#[derive(Serialize)]
struct Offer<'a> {
    card: &'a str,
    usable_bytes: u64,
    instance: &'a str,
    region: &'a str,
    on_demand_per_hour: f64,
    currency: String,
    as_of: Option<String>,
}

#[derive(Serialize)]
struct Asked<'a> {
    name: &'a str,
    usable_bytes: u64,
    fits: bool,
    largest_batch: Option<f64>,
}

#[derive(Serialize)]
struct Step {
    name: &'static str,
    needed_bytes: u64,
    allocated_bytes: u64,
    helps: bool,
}

/// Writes it.
pub(super) fn write(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let e = &answer.estimate;
    let need = e.needed.expected;
    let fit = |card: &Card| card.usable >= need;
    let document = Document {
        version: 1,
        model: &answer.what,
        params: e.params,
        trained_params: e.trained,
        phase: e.phase.name(),
        total_bytes: e.allocated.expected.get(),
        low_bytes: e.allocated.low.get(),
        high_bytes: e.allocated.high.get(),
        allocated: range(&e.allocated),
        needed: range(&e.needed),
        shown: range(&e.shown),
        components_bytes: parts(&e.components)
            .into_iter()
            .map(|(name, bytes)| {
                (name.replace([' ', '-'], "_").replace(',', ""), Bytes::from_f64(bytes).get())
            })
            .collect(),
        rule_of_thumb_bytes: answer.document.get(),
        floor_bytes: answer.floor.get(),
        cards: answer
            .cards
            .iter()
            .filter(|card| fit(card))
            .map(|card| Fit {
                name: &card.name,
                usable_bytes: card.usable.get(),
                left_bytes: card.usable.get().saturating_sub(need.get()),
            })
            .collect(),
        offers: answer
            .offers
            .iter()
            .map(|offer| Offer {
                card: &offer.card,
                usable_bytes: offer.usable.get(),
                instance: &offer.instance,
                region: &offer.region,
                on_demand_per_hour: offer.price.as_f64(),
                currency: offer.currency.to_string(),
                as_of: offer.as_of.map(|date| date.to_string()),
            })
            .collect(),
        gpu: answer.gpu.as_ref().map(|(card, most)| Asked {
            name: &card.name,
            usable_bytes: card.usable.get(),
            fits: fit(card),
            largest_batch: *most,
        }),
        ladder: answer
            .ladder
            .iter()
            .map(|rung| Step {
                name: rung.step.name(),
                needed_bytes: rung.estimate.needed.expected.get(),
                allocated_bytes: rung.estimate.allocated.expected.get(),
                helps: rung.helps,
            })
            .collect(),
        notes: &answer.notes,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn range(band: &Band<Bytes>) -> Range {
    Range { expected_bytes: band.expected.get(), low_bytes: band.low.get(), high_bytes: band.high.get() }
}
