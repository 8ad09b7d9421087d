//! A-V3, what to do when memory is short, in the documents' order: a smaller micro-batch, mixed precision, and only
//! then a larger card. The figure after each step comes from the quick figure, or from what was measured, and is never
//! below what is exactly known.

use super::{Demand, T4, both, smallest, with_usable};
use crate::catalog::Accelerator;
use crate::rules::{Finding, Verdict};
use crate::units::Bytes;

/// Where the ladder ends.
#[derive(Debug, Clone)]
pub struct Ladder<'a> {
    /// The steps in words.
    pub finding: Finding,
    /// The card that is reached: a T4, or the smallest that holds what is left; `None` where none does.
    pub reaches: Option<&'a Accelerator>,
}

impl Demand<'_> {
    /// Memory at a micro-batch, with or without 16-bit arithmetic. What grows with the samples is halved by it; what
    /// is exactly known is not, since weights and states stay in 32 bits.
    fn at(&self, micro_batch: f64, half: bool) -> Bytes {
        let half = if half { 0.5 } else { 1.0 };
        let bytes = match self.measured {
            // A measurement was made as the stage runs now: above the floor it shrinks with the samples.
            Some(measured) => {
                let floor = self.floor.total.as_f64();
                let now = if self.model.precision.is_half() { 0.5 } else { 1.0 };
                let above = (measured.as_f64() - floor).max(0.0) / now;
                floor + above * half * micro_batch / self.micro_batch.max(1.0)
            }
            None => super::rule_of_thumb(self.model.params, micro_batch, self.copies).as_f64() * half,
        };
        Bytes::from_f64(bytes.max(self.floor.total.as_f64()))
    }

    /// The largest micro-batch, halving from the present one, that fits; 1 where none does.
    fn halved_until(&self, has: Bytes, half: bool) -> f64 {
        let mut micro_batch = self.micro_batch;
        while micro_batch > 1.0 && self.at(micro_batch, half) > has {
            micro_batch = (micro_batch / 2.0).ceil();
        }
        micro_batch
    }
}

/// The ladder of a training that needs more than a T4 has; `None` where a T4 is not sold or is enough from the start.
pub fn ladder<'a>(demand: &Demand<'_>, cards: &[&'a Accelerator]) -> Option<Ladder<'a>> {
    let t4 = cards.iter().copied().find(|card| &*card.name == T4)?;
    let has = t4.usable().0;
    let (needs, basis) = demand.needs();
    if !demand.trains || demand.shared || needs <= has {
        return None;
    }
    let mut half = demand.model.precision.is_half();
    let mut now = demand.at(demand.micro_batch, half);
    let mut steps = vec![format!("{} ({basis}) against {}", both(needs), with_usable(t4))];
    if half && now < needs {
        steps.push(format!("mixed precision is on, about half: {}", both(now)));
    }
    if demand.floor.total > has {
        // No step moves what is exactly known.
        steps.push(format!("at least {} whatever the batch", demand.floor.total.gib()));
    } else {
        if now > has {
            let micro_batch = demand.halved_until(has, half);
            if micro_batch < demand.micro_batch {
                now = demand.at(micro_batch, half);
                let with_half = demand.halved_until(has, true);
                let more = if now <= has && !half && with_half > micro_batch {
                    format!(" (mixed precision too would allow {with_half})")
                } else {
                    String::new()
                };
                steps.push(batch_step(demand, micro_batch, now) + &more);
            }
        }
        if now > has && !half {
            half = true;
            let micro_batch = demand.halved_until(has, half);
            now = demand.at(micro_batch, half);
            steps.push(format!(
                "mixed precision, about half at a micro-batch of {micro_batch}: {}",
                both(now)
            ));
        }
    }
    let reaches = if now <= has { Some(t4) } else { smallest(cards, now.max(demand.floor.total)) };
    steps.push(match reaches {
        Some(card) if &*card.name == T4 => "a T4 holds it".to_owned(),
        Some(card) => format!("only then a larger card: {}", with_usable(card)),
        None => "no single card holds it: sharding over several, adapters (lora, qlora)".to_owned(),
    });
    Some(Ladder { finding: Finding::new("A-V3", Verdict::Advice, steps.join("; ")), reaches })
}

fn batch_step(demand: &Demand<'_>, micro_batch: f64, now: Bytes) -> String {
    let passes = (demand.micro_batch / micro_batch).ceil() * demand.model.accumulation.max(1.0);
    format!("micro_batch = {micro_batch} with accumulate = {passes}: {}", both(now))
}
