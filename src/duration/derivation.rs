//! A duration in, its formula with numbers and units out.

use super::{Duration, Evidence, Hardware, Machine, Source, StageClock};
use crate::units::Hours;
use crate::units::number::{significant, thousands};

/// Line by line, each redoable with a pocket calculator.
pub(super) fn write(clock: &StageClock, machine: Machine<'_>, duration: &Duration) -> Vec<String> {
    let basis = duration.basis;
    let mut lines = Vec::new();
    match basis.source {
        Source::Measurement(at) => {
            let anchor = clock.anchors.measured.iter().find(|a| a.measurement == at);
            if let Some(anchor) = anchor {
                lines.push(format!("measured on {}: {}", anchor.label, hours(anchor.time)));
                if duration.evidence == Evidence::Scaled {
                    lines.push(effort(
                        clock,
                        "there",
                        anchor.there.hardware,
                        anchor.there.instances,
                        anchor.there.hours,
                    ));
                }
            }
        }
        Source::Arithmetic { flops, rate } => lines.push(format!(
            "work {flops:.3e} operations ÷ {} per second on the reference = {}",
            rate_text(rate),
            hours(basis.known)
        )),
        Source::Guess { flops, rate } => lines.push(format!(
            "work guessed from the parameters alone, {flops:.3e} operations ÷ {} per second on the reference = {}",
            rate_text(rate),
            hours(basis.known)
        )),
        Source::Frames { frames, per_second } => lines.push(format!(
            "rule of thumb: {} frames ÷ {} frames per second and {} = {}",
            thousands(frames),
            n(per_second),
            if basis.class == crate::job::Class::Gpu { "encoder engine" } else { "core" },
            hours(basis.known)
        )),
        Source::OneServer => {
            lines.push("no time of a request is known: one server, by rule of thumb".to_owned());
            return lines;
        }
        Source::CoreHours => {
            lines.push(format!("work stated: {} core-hours of the reference core", n(basis.known.get())));
        }
        Source::PerCore { items, unit, per_core } => lines.push(format!(
            "rule of thumb: {} {unit} ÷ {} {unit} per second and core = {} on the reference core",
            thousands(items),
            n(per_core),
            hours(basis.known)
        )),
    }
    if duration.evidence != Evidence::Measured {
        if let Ok(here) = clock.effort(machine) {
            lines.push(effort(clock, "here", here.hardware, here.instances, here.hours));
        }
        lines.push(format!(
            "time = {} × {} ÷ {} = {}",
            hours(basis.known),
            n(basis.here),
            n(basis.there),
            hours(duration.time.expected)
        ));
    }
    lines.push(format!(
        "band ×/÷ {}: {} to {}",
        significant(basis.spread, 3),
        hours(duration.time.low),
        hours(duration.time.high)
    ));
    lines
}

fn n(value: f64) -> String {
    significant(value, 4)
}

fn hours(time: Hours) -> String {
    format!("{} h", n(time.get()))
}

fn rate_text(rate: f64) -> String {
    if rate >= 1e12 { format!("{} × 10¹²", n(rate / 1e12)) } else { format!("{} × 10⁹", n(rate / 1e9)) }
}

/// The effort of a machine: hours for one hour of the reference's work.
fn effort(clock: &StageClock, place: &str, hardware: Hardware, instances: u32, value: f64) -> String {
    match hardware {
        Hardware::Gpu { card, count } => {
            let e = clock.cards.exponents;
            let (name, peak, bandwidth, speed) = clock
                .cards
                .get(card)
                .map_or(("?", 0.0, 0.0, 0.0), |c| (&*c.name, c.peak, c.bandwidth, c.speed));
            let worth = clock.spreading.devices(count, instances).unwrap_or(0.0);
            if e == super::video::BY_ENGINES {
                return format!(
                    "{place}: {instances} × {} {name} with {} encoder engines each, worth {} cards: effort 1 ÷ ({} × {}) = {}",
                    n(count),
                    n(speed),
                    n(worth),
                    n(speed),
                    n(worth),
                    n(value)
                );
            }
            format!(
                "{place}: {instances} × {} {name}, each {} of an A100-80GB (peak {} TFLOPS to the power {}, memory {} GB/s to the power {}), \
                 worth {} devices: effort 1 ÷ ({} × {}) = {}",
                n(count),
                n(speed),
                n(peak),
                e.peak,
                n(bandwidth),
                e.bandwidth,
                n(worth),
                n(speed),
                n(worth),
                n(value)
            )
        }
        Hardware::Cpu(cores) => {
            let p = clock.parallel_share;
            format!(
                "{place}: {instances} × {} cores ({} vCPU), each {} of an m5 core; effort ({} ÷ {} + {} ÷ {}) ÷ {} ÷ {instances} = {}",
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
