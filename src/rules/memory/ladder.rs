//! A-V3, what to do when memory is short, in the documents' order: a smaller micro-batch, mixed precision, and only
//! then a larger card. The figure after each step comes from what was measured, from the architecture's parts, or from
//! the quick figure, and is never below what is exactly known.

use super::{Demand, T4, both, smallest, with_usable};
use crate::catalog::Accelerator;
use crate::model::{Model, Precision};
use crate::rules::{Finding, Verdict};
use crate::units::Bytes;
use crate::vram::need::{Need, NeedBy};

/// Where the ladder ends.
#[derive(Debug, Clone)]
pub struct Ladder<'a> {
    /// The steps in words.
    pub finding: Finding,
    /// The card that is reached: a T4, or the smallest that holds what is left; `None` where none does.
    pub reaches: Option<&'a Accelerator>,
    /// The model with the steps taken.
    pub model: Model,
    /// What it then takes.
    pub needs: Bytes,
}

impl Demand<'_> {
    /// The model at a micro-batch, with or without 16-bit arithmetic; the batch of an optimizer step stays.
    fn changed(&self, micro_batch: f64, half: bool) -> Model {
        let mut model = self.model.clone();
        if micro_batch < self.micro_batch {
            model.accumulation = self.passes(micro_batch);
            model.micro_batch = Some(micro_batch);
        }
        if half && !model.precision.is_half() {
            model.precision = Precision::AmpFp16;
        }
        model
    }

    /// Forward passes per optimizer step.
    fn passes(&self, micro_batch: f64) -> f64 {
        (self.micro_batch / micro_batch).ceil() * self.model.accumulation.max(1.0)
    }

    /// Memory at a micro-batch, with or without 16-bit arithmetic.
    fn at(&self, micro_batch: f64, half: bool) -> Bytes {
        let least = self.floor.total.as_f64();
        // What grows with the samples is halved by mixed precision; weights and states stay in 32 bits.
        let halved = if half { 0.5 } else { 1.0 };
        let bytes = match self.need.by {
            // A measurement was made as the stage runs now: above the floor it shrinks with the samples.
            NeedBy::Measured => {
                let now = if self.model.precision.is_half() { 0.5 } else { 1.0 };
                let above = (self.need.binding.as_f64() - least).max(0.0) / now;
                least + above * halved * micro_batch / self.micro_batch.max(1.0)
            }
            NeedBy::Components => {
                let changed = self.changed(micro_batch, half);
                return Need::of(&changed, 1.0, None).binding;
            }
            NeedBy::Family => {
                super::rule_of_thumb(self.model.params, micro_batch, self.copies).as_f64() * halved
            }
        };
        Bytes::from_f64(bytes.max(least))
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
    let mut micro_batch = demand.micro_batch;
    let mut now = demand.at(micro_batch, half);
    let mut steps = vec![format!("{} ({basis}) against {}", both(needs), with_usable(t4))];
    if half && now < needs {
        steps.push(format!("mixed precision is on, about half: {}", both(now)));
    }
    if demand.floor.total > has {
        // No step moves what is exactly known.
        steps.push(format!("at least {} whatever the batch", demand.floor.total.gib()));
    } else {
        let smaller = demand.halved_until(has, half);
        if now > has && smaller < micro_batch {
            micro_batch = smaller;
            now = demand.at(micro_batch, half);
            let with_half = demand.halved_until(has, true);
            let more = if now <= has && !half && with_half > micro_batch {
                format!(" (mixed precision too would allow {with_half})")
            } else {
                String::new()
            };
            let passes = demand.passes(micro_batch);
            steps
                .push(format!("micro_batch = {micro_batch} with accumulate = {passes}: {}{more}", both(now)));
        }
        if now > has && !half {
            half = true;
            micro_batch = demand.halved_until(has, half);
            now = demand.at(micro_batch, half);
            steps.push(format!("mixed precision at a micro-batch of {micro_batch}: {}", both(now)));
        }
    }
    let reaches = if now <= has { Some(t4) } else { smallest(cards, now.max(demand.floor.total)) };
    steps.push(match reaches {
        Some(card) if &*card.name == T4 => "a T4 holds it".to_owned(),
        Some(card) => format!("only then a larger card: {}", with_usable(card)),
        None => "no single card of the catalog holds it".to_owned(),
    });
    let finding = Finding::new("A-V3", Verdict::Advice, steps.join("; "));
    Some(Ladder { finding, reaches, model: demand.changed(micro_batch, half), needs: now })
}
