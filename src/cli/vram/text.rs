//! The answer for people.

use super::{Answer, Card};
use crate::cli::Env;
use crate::model::architecture::Transformer;
use crate::model::{Mode, Optimizer, Sharding};
use crate::names::Named;
use crate::units::number::{Count, significant};
use crate::units::{Band, Bytes};
use crate::vram::ladder::{Rung, Step};
use crate::vram::zero::{Offload, model_states};
use crate::vram::{Components, Division, Phase, Request, Subject};
use std::io::{self, Write};

/// Writes it.
pub(super) fn write(answer: &Answer, env: &Env, out: &mut dyn Write) -> io::Result<()> {
    let width = usize::from(env.width.unwrap_or(100)).clamp(60, 140);
    let e = &answer.estimate;
    writeln!(out, "{}", headline(answer))?;
    writeln!(out)?;
    for (name, band, what) in [
        ("allocated", &e.allocated, "what tensors take at the peak"),
        ("needed", &e.needed, "usable memory of the smallest card on which it runs"),
        ("shown", &e.shown, "what nvidia-smi will say on a card with room"),
    ] {
        writeln!(out, "{name:<10} {:>10}   {:<22} {what}", band.expected.gib(), between(band))?;
    }
    writeln!(out)?;
    components(&e.components, e.phase, width, out)?;
    writeln!(out)?;
    document(answer, out)?;
    writeln!(out, "Exactly known (weights, gradients, optimizer states): {}", answer.floor.gib())?;
    sharing(answer, out)?;
    writeln!(out)?;
    offers(answer, out)?;
    match &answer.gpu {
        Some((card, most)) => named(answer, card, *most, out)?,
        None => cards(answer, width, out)?,
    }
    writeln!(out)?;
    ladder(answer, out)?;
    if !answer.notes.is_empty() {
        writeln!(out)?;
    }
    answer.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// Offers on whose cards it fits; nothing where they were not asked for.
fn offers(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    if answer.offers.is_empty() {
        return Ok(());
    }
    writeln!(out, "Cheapest on demand, by card:")?;
    for o in &answer.offers {
        let dated = o.as_of.map_or_else(|| "undated".to_owned(), |d| d.to_string());
        writeln!(
            out,
            "  {:>12} {}  {:<16} {:>9}  {}, {} ({dated})",
            o.price.to_string(),
            o.currency,
            o.card,
            o.usable.gib(),
            o.instance,
            o.region
        )?;
    }
    writeln!(out)
}

fn headline(answer: &Answer) -> String {
    let (r, e) = (&answer.request, &answer.estimate);
    let count = |n: f64| Count::new(n).map_or_else(String::new, |count| count.to_string());
    let mut parts = vec![format!("{}: {} parameters", answer.what, count(e.params))];
    parts.push(match r.mode {
        Mode::Train => format!("trained with {} in {}", r.optimizer, r.precision),
        Mode::Lora | Mode::Qlora => {
            format!(
                "{} of rank {} ({} trained) with {} in {}",
                r.mode,
                r.rank,
                count(e.trained),
                r.optimizer,
                r.precision
            )
        }
        Mode::Inference => format!("inference in {}", r.precision),
    });
    parts.push(format!("{} at a time", count(r.batch)));
    match &r.subject {
        Subject::Transformer(t) if t.patches.is_none() => {
            parts.push(format!("{} tokens", count(r.seq)));
            if two_texts(t) {
                parts.push(format!("{} tokens of target", count(r.target)));
            }
        }
        Subject::Transformer(_) | Subject::Image(_) => {
            parts.push(format!("{} × {0} pixels", significant(r.pixels.sqrt(), 4)));
        }
        Subject::Mlp { .. } | Subject::Plain => {}
    }
    if r.accumulate > 1.0 {
        parts.push(format!("{} passes per step", count(r.accumulate)));
    }
    if r.checkpointing {
        parts.push("layers recomputed".to_owned());
    }
    if r.devices > 1.0 {
        parts.push(format!("{} GPUs, sharding {}", count(r.devices), r.sharding));
    }
    parts.join(", ")
}

fn two_texts(t: &Transformer) -> bool {
    t.stacks.is_some_and(|stacks| stacks.mels.is_none())
}

fn between(band: &Band<Bytes>) -> String {
    format!("{:.1} – {}", band.low.as_gib(), band.high.gib())
}

/// The parts of an estimate with their names.
pub(super) fn parts(c: &Components) -> [(&'static str, f64); 8] {
    [
        ("weights", c.weights),
        ("gradients", c.gradients),
        ("optimizer states", c.optimizer),
        ("activations", c.activations),
        ("16-bit copies", c.copies),
        ("temporaries", c.temporaries),
        ("keys and values", c.cache),
        ("batch, buffers", c.buffers),
    ]
}

fn components(c: &Components, phase: Phase, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let when = match phase {
        Phase::Forward => "at the end of the forward pass",
        Phase::Backward => "in the backward pass",
        Phase::Optimizer => "in the optimizer's step",
    };
    writeln!(out, "Peak {when}:")?;
    let total = c.total().max(1.0);
    let room = width.saturating_sub(45).clamp(10, 50);
    for (name, bytes) in parts(c).into_iter().filter(|(_, bytes)| *bytes > 0.0) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a bar of at most 50 characters"
        )]
        let bar = "█".repeat((bytes / total * room as f64).round().max(0.0) as usize);
        let line = format!(
            "  {name:<17} {:>10} {:>4.0} %  {bar}",
            Bytes::from_f64(bytes).gib(),
            100.0 * bytes / total
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// A-V1 beside it, and why it differs.
fn document(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let r = &answer.request;
    let factor = answer.document.as_f64() / answer.estimate.allocated.expected.as_f64().max(1.0);
    let inference = r.mode == Mode::Inference;
    let why = if inference && factor > 1.1 {
        "it counts a copy of the parameters per sample, inference has none"
    } else if inference && factor < 0.9 {
        "it knows neither activations nor kept keys and values"
    } else if inference {
        "near by chance: it knows neither activations nor the number format"
    } else if factor > 1.1 {
        "it multiplies parameters by the batch, but what a sample adds is its activations"
    } else if factor < 0.9 {
        "it knows no optimizer states and no activations"
    } else {
        "near by chance: it knows neither optimizer states nor activations"
    };
    let how = if factor >= 1.0 {
        format!("{} times the estimate", significant(factor, 2))
    } else {
        format!("{:.0} % of the estimate", 100.0 * factor)
    };
    let samples =
        if answer.copies > 0.0 { format!("(batch + {})", answer.copies) } else { "batch".to_owned() };
    writeln!(
        out,
        "Rule of thumb (A-V1), parameters × 4 × {samples}: {}, {how}: {why}.",
        answer.document.gib()
    )
}

/// What several devices divide and what not.
fn sharing(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let r = &answer.request;
    if r.devices < 2.0 {
        return Ok(());
    }
    let d = Division::of(r.sharding, r.devices);
    let divided = |by: f64| if by > 1.0 { format!("÷ {}", significant(by, 3)) } else { "whole".to_owned() };
    writeln!(
        out,
        "On each of {} GPUs: weights {}, gradients {}, optimizer states {}, activations {}.",
        r.devices,
        divided(d.weights),
        divided(d.gradients),
        divided(d.optimizer),
        divided(d.activations)
    )?;
    let c = &answer.estimate.components;
    if c.activations + c.temporaries > 0.5 * c.total() && r.sharding != Sharding::Tensor {
        writeln!(
            out,
            "Activations decide here, and {} does not divide them: a smaller batch or checkpointing helps, more GPUs do not.",
            r.sharding
        )?;
    }
    if let Subject::Transformer(t) = &r.subject {
        let largest = crate::model::parameters::count(t).layer;
        let states = model_states(answer.estimate.params, largest, r.sharding, r.devices, Offload::None);
        if let (Some(states), Mode::Train) = (states, r.mode) {
            writeln!(
                out,
                "Model states as DeepSpeed counts them (16-bit with a 32-bit master copy): {}.",
                states.gib()
            )?;
        }
    }
    Ok(())
}

/// Cards of one memory size in one line.
fn cards(answer: &Answer, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let need = answer.estimate.needed.expected;
    let fitting: Vec<&Card> = answer.cards.iter().filter(|card| card.usable >= need).collect();
    if fitting.is_empty() {
        let largest = answer.cards.last();
        return match largest {
            Some(card) => writeln!(
                out,
                "No single card fits: the largest, {}, has {} usable. The ladder below shows what helps.",
                card.name,
                card.usable.gib()
            ),
            None => writeln!(out, "No cards are known."),
        };
    }
    writeln!(out, "Fits on (usable memory, room that is left):")?;
    let mut at = 0;
    while let Some(first) = fitting.get(at) {
        let same = fitting.iter().skip(at).take_while(|card| card.usable.gib() == first.usable.gib()).count();
        let names: Vec<String> = fitting
            .iter()
            .skip(at)
            .take(same)
            .map(|card| if card.guessed { format!("{}*", card.name) } else { card.name.clone() })
            .collect();
        at += same.max(1);
        let room = Bytes::from_f64(first.usable.as_f64() - need.as_f64());
        let mut line = format!("  {:>9}  {:>9}  ", first.usable.gib(), room.gib());
        let indent = line.chars().count();
        for (i, name) in names.iter().enumerate() {
            let piece = if i == 0 { name.clone() } else { format!(", {name}") };
            if line.chars().count() + piece.chars().count() > width && line.chars().count() > indent {
                writeln!(out, "{line},")?;
                line = format!("{:indent$}{name}", "");
            } else {
                line.push_str(&piece);
            }
        }
        writeln!(out, "{line}")?;
    }
    if fitting.iter().any(|card| card.guessed) {
        writeln!(out, "  * usable memory supposed as 97 % of the nominal size")?;
    }
    Ok(())
}

fn named(answer: &Answer, card: &Card, most: Option<f64>, out: &mut dyn Write) -> io::Result<()> {
    let need = answer.estimate.needed.expected;
    let batch = match most {
        Some(most) => format!("; the largest batch that fits is {}", significant(most, 8)),
        None if answer.seen => String::new(),
        None => "; not even one sample fits".to_owned(),
    };
    if need <= card.usable {
        let room = Bytes::from_f64(card.usable.as_f64() - need.as_f64());
        let unused = 100.0 * room.as_f64() / card.usable.as_f64().max(1.0);
        writeln!(
            out,
            "Fits on {} ({} usable): {} ({unused:.0} %) left{batch}.",
            card.name,
            card.usable.gib(),
            room.gib()
        )
    } else {
        writeln!(
            out,
            "Does not fit on {}: needs {}, has {} usable{batch}.",
            card.name,
            need.gib(),
            card.usable.gib()
        )
    }
}

fn smallest<'a>(answer: &'a Answer, rung: &Rung) -> &'a str {
    let fits = |card: &&Card| card.usable >= rung.estimate.needed.expected;
    answer.cards.iter().find(fits).map_or("no card", |card| card.name.as_str())
}

fn ladder(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Ladder (A-V3), each rung on top of the ones that help:")?;
    let column = answer.ladder.iter().map(|rung| setting(&rung.request).chars().count()).max().unwrap_or(0);
    let mut below = answer.ladder.first().map(|rung| rung.request.precision);
    for rung in &answer.ladder {
        // Adapters stand beside 16-bit weights, whatever helped before.
        let narrower = matches!(rung.step, Step::Lora | Step::Qlora) && Some(rung.request.precision) != below;
        let name = format!("{}{}", rung.step.name(), if narrower { " with mixed precision" } else { "" });
        if rung.helps {
            below = Some(rung.request.precision);
        }
        let end = if rung.helps { smallest(answer, rung) } else { "does not help" };
        writeln!(
            out,
            "  {name:<36} {:>10}   {:<column$}  {end}",
            rung.estimate.needed.expected.gib(),
            setting(&rung.request)
        )?;
    }
    Ok(())
}

fn setting(r: &Request) -> String {
    let optimizer = match (r.mode, r.optimizer) {
        (Mode::Inference, _) => String::new(),
        (_, Optimizer::AdamW8bit) => ", 8-bit AdamW".to_owned(),
        _ => String::new(),
    };
    let recomputed = if r.checkpointing { ", recomputed" } else { "" };
    let passes =
        if r.accumulate > 1.0 { format!(" × {}", significant(r.accumulate, 6)) } else { String::new() };
    format!("batch {}{passes}, {}{recomputed}{optimizer}", significant(r.batch, 6), r.precision)
}
