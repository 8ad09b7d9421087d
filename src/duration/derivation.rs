//! A duration in, its formula with numbers and units out.

use super::anchor::Anchor;
use super::anchor::Source;
use super::cards::REFERENCE_BANDWIDTH;
use super::work::scientific;
use super::{Basis, Duration, Evidence, Hardware, Machine, StageClock, published};
use crate::job::Class;
use crate::units::Hours;
use crate::units::number::{significant, thousands};

/// Line by line, each redoable with a pocket calculator.
pub(super) fn write(clock: &StageClock, machine: Machine<'_>, duration: &Duration) -> Vec<String> {
    let mut lines = Vec::new();
    let Ok((_, basis)) = clock.unfed(machine) else { return lines };
    known(clock, machine, (duration, &basis), &mut lines);
    if duration.evidence != Evidence::Measured {
        let here = clock.effort(machine);
        let on_this_card =
            matches!(basis.source, Source::Work { .. } | Source::Trees { .. } | Source::Frames { .. });
        let mut ratio = format!("× {} ÷ {}", n(basis.here), n(basis.there));
        match here.map(|here| (here.hardware, here)) {
            Ok((Hardware::Gpu { card, count }, here)) if on_this_card => {
                let linked = clock.cards.get(card).is_none_or(|c| c.linked);
                let worth = clock.spreading.devices(count, linked, here.instances).unwrap_or(1.0);
                lines.push(format!(
                    "here: {} × {} of them, worth {}{} devices",
                    here.instances,
                    n(count),
                    clock.spreading.told(count, linked, here.instances).unwrap_or_default(),
                    n(worth)
                ));
                ratio = format!("÷ {}", n(worth));
            }
            Ok((_, here)) => lines.push(effort(clock, "here", here.hardware, here.instances, here.hours)),
            Err(_) => {}
        }
        let stretch = if basis.stretch > 1.0 {
            format!(" × {} for evaluation, checkpoints and restarts", n(basis.stretch))
        } else {
            String::new()
        };
        let known = if basis.fixed > Hours::ZERO {
            let fixed = hours(basis.fixed);
            format!("{fixed} that no machine shortens + ({} − {fixed})", hours(duration.known))
        } else {
            hours(duration.known)
        };
        lines.push(format!(
            "time = {known} {ratio}{stretch} = {}",
            hours(duration.time.expected / duration.starved)
        ));
    }
    if let Some(fed) = clock.feeding(machine, duration).filter(|_| duration.starved > 1.0) {
        lines.push(format!(
            "the vCPUs feed {} samples/s, {} % of what the accelerators take; {} vCPUs would do",
            n(fed.rate),
            n(100.0 * fed.utilisation),
            fed.vcpus_needed.ceil()
        ));
    }
    lines.push(format!(
        "band ×/÷ {}: {} to {}",
        significant(duration.spread, 3),
        hours(duration.time.low),
        hours(duration.time.high)
    ));
    lines
}

/// What the known time is made of.
fn known(
    clock: &StageClock,
    machine: Machine<'_>,
    (duration, basis): (&Duration, &Basis),
    lines: &mut Vec<String>,
) {
    let find = |anchors: &'_ [Anchor]| anchors.iter().position(|a| a.source == basis.source);
    match basis.source {
        Source::Measurement(_) => {
            if let Some(anchor) = find(&clock.anchors.measured).and_then(|at| clock.anchors.measured.get(at))
            {
                lines.push(format!("measured on {}: {}", anchor.label, hours(anchor.time)));
                if duration.evidence == Evidence::Scaled {
                    let there = anchor.there;
                    lines.push(effort(clock, "there", there.hardware, there.instances, there.hours));
                }
            }
        }
        Source::Published(line) => {
            if let Some(anchor) =
                find(&clock.anchors.published).and_then(|at| clock.anchors.published.get(at))
            {
                let there = anchor.there;
                let source = published::source(line);
                lines.push(match clock.samples {
                    Some(samples) => format!(
                        "published by {source}: {} samples ÷ {} samples/s = {}",
                        thousands(samples),
                        n(samples / anchor.time.as_secs()),
                        hours(anchor.time)
                    ),
                    None => format!("published by {source}: {} for the whole work", hours(anchor.time)),
                });
                lines.push(effort(clock, "there", there.hardware, there.instances, there.hours));
            }
        }
        Source::Work { flops, rate, bytes, bandwidth, steps, per_step, guessed } => {
            lines.extend(clock.anchors.estimates.told.iter().cloned());
            if guessed {
                lines.push("the operations are a guess from the number of parameters alone".to_owned());
            }
            lines.push(reached(clock, machine, duration.class, rate));
            if let Some(samples) = clock.samples.filter(|_| bytes > 0.0) {
                lines.push(format!(
                    "memory traffic: {} samples × {} bytes each = {} bytes",
                    thousands(samples),
                    scientific(bytes / samples),
                    scientific(bytes)
                ));
            }
            let moved = if bytes > 0.0 {
                format!(" + {} bytes ÷ {} bytes/s", scientific(bytes), scientific(bandwidth))
            } else {
                String::new()
            };
            let least = if flops / rate + bytes / bandwidth < steps * per_step {
                format!(", at least {} steps × {} s", thousands(steps.ceil()), n(per_step))
            } else {
                String::new()
            };
            lines.push(format!(
                "{} operations ÷ {} operations/s{moved}{least} = {} on one {}",
                scientific(flops),
                scientific(rate),
                hours(duration.known),
                if duration.class == Class::Gpu { "such card" } else { "reference core" }
            ));
        }
        Source::Trees { cells, per_second, trees, per_tree, what } => lines.push(format!(
            "{} rows × features × trees ÷ {} per second + {} trees × {} s = {} on one {what}",
            scientific(cells),
            scientific(per_second),
            thousands(trees),
            n(per_tree),
            hours(duration.known)
        )),
        Source::Frames { frames, per_second } => lines.push(format!(
            "rule of thumb: {} frames ÷ {} frames per second on one {} = {}",
            thousands(frames),
            n(per_second),
            if duration.class == Class::Gpu { "card's encoders" } else { "reference core" },
            hours(duration.known)
        )),
        Source::CoreHours => {
            lines.push(format!("work stated: {} core-hours of the reference core", n(duration.known.get())));
        }
        Source::PerCore { items, unit, per_core } => lines.push(format!(
            "rule of thumb: {} {unit} ÷ {} {unit} per second and core = {} on the reference core",
            thousands(items),
            n(per_core),
            hours(duration.known)
        )),
    }
}

/// The rate of operations as a share of what the card can do.
fn reached(clock: &StageClock, machine: Machine<'_>, class: Class, rate: f64) -> String {
    let card = machine.instance.gpu.and_then(|gpu| clock.cards.get(gpu.accelerator));
    match (class, card) {
        (Class::Gpu, Some(card)) => format!(
            "rate on one {}: {} TFLOPS that it sustains × {} reached = {} operations/s",
            card.name,
            n(card.peak),
            n(rate / (card.peak * 1e12)),
            scientific(rate)
        ),
        _ => format!("rate of one reference core: {} operations/s", scientific(rate)),
    }
}

fn n(value: f64) -> String {
    significant(value, 4)
}

/// Hours; seconds where hours would be all zeros.
fn hours(time: Hours) -> String {
    if time.get() < 0.001 { format!("{} s", n(time.as_secs())) } else { format!("{} h", n(time.get())) }
}

/// The effort of a machine: hours for one hour of the reference's work.
fn effort(clock: &StageClock, place: &str, hardware: Hardware, instances: u32, value: f64) -> String {
    match hardware {
        Hardware::Gpu { card: id, count } => {
            let e = clock.cards.exponents;
            let Some(card) = clock.cards.get(id) else { return format!("{place}: effort {}", n(value)) };
            let worth = clock.spreading.devices(count, card.linked, instances).unwrap_or(0.0);
            let how = clock.spreading.told(count, card.linked, instances).unwrap_or_default();
            if e == super::estimate::video::BY_ENGINES {
                return format!(
                    "{place}: {instances} × {} {} with {} encoder engines each, worth {} cards: effort 1 ÷ ({} × {}) = {}",
                    n(count),
                    card.name,
                    n(card.speed),
                    n(worth),
                    n(card.speed),
                    n(worth),
                    n(value)
                );
            }
            let peak = match clock.cards.arithmetic {
                super::cards::Arithmetic::Half => super::cards::REFERENCE_PEAK,
                super::cards::Arithmetic::Single => super::cards::REFERENCE_TF32,
                super::cards::Arithmetic::Int8 => 2.0 * super::cards::REFERENCE_PEAK,
            };
            let memory = if e.memory > 0.0 {
                format!(" × ({} ÷ 80 GiB)^{}", n(card.memory), e.memory)
            } else {
                String::new()
            };
            let ratio = card.ratio.map_or_else(String::new, |r| {
                format!(
                    " × {} measured on {} model{}",
                    n(r.factor),
                    r.models,
                    if r.models == 1 { "" } else { "s" }
                )
            });
            format!(
                "{place}: {instances} × {} {}, each ({} ÷ {} TFLOPS)^{} × ({} ÷ {} GB/s)^{}{memory}{ratio} = {} of an \
                 A100-80GB; worth {how}{} devices; effort 1 ÷ ({} × {}) = {}",
                n(count),
                card.name,
                n(card.peak),
                n(peak),
                e.peak,
                n(card.bandwidth),
                n(REFERENCE_BANDWIDTH),
                e.bandwidth,
                n(card.speed),
                n(worth),
                n(card.speed),
                n(worth),
                n(value)
            )
        }
        Hardware::Cpu(cores) => {
            let p = clock.parallel_share;
            let by = match (cores.bandwidth(), cores.known) {
                (None, _) => String::new(),
                (Some(share), true) => {
                    format!(" by its share of main memory ({} GB/s per vCPU, 2.667 there)", n(share))
                }
                (Some(_), false) => {
                    " (memory-bound; the bandwidth of this processor is not known: an m5's is supposed)"
                        .to_owned()
                }
            };
            format!(
                "{place}: {instances} × {} cores ({} vCPU), each {} of an m5 core{by}; effort ({} ÷ {} + {} ÷ {}) ÷ {} ÷ \
                 {instances} = {}",
                n(cores.physical()),
                n(cores.vcpus),
                n(cores.core_speed()),
                n(1.0 - p),
                n(cores.physical().min(1.0)),
                n(p),
                n(cores.physical()),
                n(cores.core_speed()),
                n(value)
            )
        }
    }
}
