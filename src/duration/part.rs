//! A part of a card in, the time of the work on it out.

use super::anchor::combined;
use super::{Duration, Evidence, Machine, NoDuration, StageClock, Supply};
use crate::units::Band;

/// A slice of a card, in shares of the whole card from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Share of its arithmetic units.
    pub compute: f64,
    /// Share of its memory and of the bandwidth to it.
    pub memory: f64,
}

/// Factor by which the speed of a slice may be off from what its shares say. A guess: no published rows.
const PART_SPREAD: f64 = 1.3;

impl StageClock {
    /// The time of the work on a slice of a card of the machine, by the same law that carries times from card to card:
    /// a small model that does not fill a card loses less than the slice is smaller.
    pub fn time_on_part(&self, machine: Machine<'_>, part: Part) -> Result<Duration, NoDuration> {
        let (whole, _) = self.unfed(machine)?;
        let spread = combined(&[whole.spread, PART_SPREAD]);
        let time = Band::exact(whole.time.expected * (1.0 / self.part_speed(part))).widened(spread);
        let part_time = Duration { time, evidence: whole.evidence.max(Evidence::Scaled), spread, ..whole };
        let share = |supply: Supply| Supply { vcpus: supply.vcpus * part.compute, ..supply };
        Ok(self.fed(machine).map_or(part_time, |supply| share(supply).limit(part_time)))
    }

    /// Speed of a slice; the whole card is 1.
    pub fn part_speed(&self, part: Part) -> f64 {
        let exponents = self.cards.exponents;
        part.compute.powf(exponents.peak) * part.memory.powf(exponents.bandwidth + exponents.memory)
    }

    /// The speed of a slice as a formula.
    pub fn part_derivation(&self, part: Part) -> String {
        let exponents = self.cards.exponents;
        let n = |value: f64| crate::units::number::significant(value, 4);
        format!(
            "({} of the arithmetic)^{} × ({} of memory and bandwidth)^{} = {} of the whole card's speed",
            n(part.compute),
            exponents.peak,
            n(part.memory),
            n(exponents.bandwidth + exponents.memory),
            n(self.part_speed(part))
        )
    }
}
