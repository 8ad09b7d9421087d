//! What one device must offer for a stage's model, and how that is known: the figure that decides which cards can do
//! the stage.

use super::describe::request_of;
use super::estimate::estimate;
use super::floor::floor;
use super::request::Basis;
use crate::catalog::{AcceleratorId, Catalog};
use crate::job::{MeasuredOn, Stage};
use crate::model::Model;
use crate::names::named;
use crate::units::{Band, Bytes};
use std::cell::RefCell;

named! {
    /// How the memory that a stage needs is known.
    pub enum NeedBy {
        /// Seen while it ran (`measured_memory`).
        Measured = "measured",
        /// Estimated from the architecture's components.
        Components = "components",
        /// Estimated from the family and the number of parameters: too rough to turn a card away.
        Family = "family",
    }
}

/// What one device must offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Need {
    /// A card with less usable memory is turned away.
    pub binding: Bytes,
    /// What is expected to be needed, with its band.
    pub expected: Band<Bytes>,
    /// How it is known.
    pub by: NeedBy,
}

impl Need {
    /// The need of a model on one of `devices`. The estimate binds where the architecture is known; where only family and
    /// parameters are, what is exactly known does (weights, gradients and optimizer states), and the estimate warns.
    pub fn of(model: &Model, devices: f64, measured: Option<Bytes>) -> Self {
        if let Some(seen) = measured {
            return Self { binding: seen, expected: Band::exact(seen), by: NeedBy::Measured };
        }
        let request = request_of(model, devices);
        let least = floor(model, devices).total;
        let expected = estimate(&request).needed;
        match request.basis {
            Basis::Known | Basis::Keys => {
                Self { binding: expected.expected.max(least), expected, by: NeedBy::Components }
            }
            Basis::Family => Self { binding: least, expected, by: NeedBy::Family },
        }
    }
}

/// The needs of one stage by number of devices, each worked out once; and the cards on which it was seen to run, which
/// nothing but what is exactly known can turn away.
#[derive(Debug)]
pub struct Needs<'a> {
    model: Option<&'a Model>,
    measured: Option<Bytes>,
    ran_on: Vec<AcceleratorId>,
    known: RefCell<Vec<(f64, Need)>>,
    floors: RefCell<Vec<(f64, Bytes)>>,
}

impl<'a> Needs<'a> {
    /// The needs of a stage.
    pub fn new(stage: &'a Stage, catalog: &Catalog) -> Self {
        let card = |on: &MeasuredOn| match on {
            MeasuredOn::Gpu { accelerator, .. } => Some(*accelerator),
            MeasuredOn::Instance { instance, .. } => {
                catalog.instances.iter().find(|i| *i.name == **instance)?.gpu.map(|gpu| gpu.accelerator)
            }
            MeasuredOn::Vcpus(_) => None,
        };
        Self {
            model: stage.model.as_ref(),
            measured: stage.measured_memory,
            ran_on: stage.measured.iter().filter_map(|m| card(&m.on)).collect(),
            known: RefCell::new(Vec::new()),
            floors: RefCell::new(Vec::new()),
        }
    }

    /// What one of `devices` must offer; `None` for a stage of which nothing is known.
    pub fn on(&self, devices: f64) -> Option<Need> {
        let Some(model) = self.model else {
            return self.measured.map(|seen| Need {
                binding: seen,
                expected: Band::exact(seen),
                by: NeedBy::Measured,
            });
        };
        let found =
            self.known.borrow().iter().find(|(n, _)| n.total_cmp(&devices).is_eq()).map(|(_, need)| *need);
        Some(found.unwrap_or_else(|| {
            let need = Need::of(model, devices, self.measured);
            self.known.borrow_mut().push((devices, need));
            need
        }))
    }

    /// What a model exactly needs on one of `devices`; `None` for a stage without one.
    pub fn floor(&self, devices: f64) -> Option<Bytes> {
        let model = self.model?;
        let mut floors = self.floors.borrow_mut();
        let found = floors.iter().find(|(n, _)| n.total_cmp(&devices).is_eq()).map(|(_, floor)| *floor);
        Some(found.unwrap_or_else(|| {
            let least = floor(model, devices).total;
            floors.push((devices, least));
            least
        }))
    }

    /// The memory below which a card is turned away.
    pub fn least(&self, card: AcceleratorId, devices: f64) -> Option<Bytes> {
        let need = self.on(devices)?;
        let ran = need.by == NeedBy::Components && self.ran_on.contains(&card);
        if ran { self.floor(devices) } else { Some(need.binding) }
    }
}
