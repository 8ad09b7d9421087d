//! Accelerators: memory as sold, as the driver reports it and as CUDA sees it; bandwidth and dense peaks.

use super::{Confidence, Name};
pub use crate::terms::Stack;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use serde::{Deserialize, Serialize};

/// Position in the accelerator table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AcceleratorId(pub u16);

/// One way to cut a card by MIG. Slices cannot be joined for one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MigProfile {
    /// As NVIDIA writes it: `1g.10gb`.
    pub name: Name,
    /// Compute slices that it takes.
    pub slices: u8,
    /// Nominal memory of one slice.
    pub memory: Bytes,
    /// How many fit on one card at once.
    pub count: u8,
}

/// How the usable memory of a card is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsableFrom {
    /// What CUDA sees, written down from experience.
    Cuda,
    /// The driver's total; CUDA sees slightly less.
    Driver,
    /// Nothing better than 97 % of the nominal size: a guess.
    Nominal,
}

/// One card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accelerator {
    /// Canonical name, e.g. `A100-80GB`.
    pub name: Name,
    /// Who makes it.
    pub vendor: Name,
    /// The software that it runs.
    pub stack: Stack,
    /// Memory as sold ("16 GB" cards have 16 GiB or a little less).
    pub memory: Bytes,
    /// Total that the driver reports.
    pub driver_total: Option<Bytes>,
    /// What CUDA sees of it.
    pub cuda_visible: Option<Bytes>,
    /// Memory bandwidth.
    pub bandwidth: BytesPerSecond,
    /// Dense peak without tensor cores.
    pub fp32: Option<FlopsPerSecond>,
    /// Dense TF32 peak.
    pub tf32: Option<FlopsPerSecond>,
    /// Dense FP16/BF16 peak with FP32 accumulation.
    pub half: Option<FlopsPerSecond>,
    /// Dense FP8 peak.
    pub fp8: Option<FlopsPerSecond>,
    /// Dense INT8 peak (operations per second).
    pub int8: Option<FlopsPerSecond>,
    /// Board power in watts.
    pub watts: Option<u16>,
    /// PCIe, SXM, …
    pub form: Name,
    /// Year of release.
    pub year: u16,
    /// Ways to cut it.
    pub mig: Vec<MigProfile>,
    /// Video encoder engines; `None` when unknown, which is not zero.
    pub nvenc: Option<u8>,
    /// Video decoder engines.
    pub nvdec: Option<u8>,
    /// Other spellings, cleaned.
    pub aliases: Vec<Name>,
    /// How well the figures are known.
    pub confidence: Confidence,
    /// Sources and remarks.
    pub notes: Name,
}

impl Accelerator {
    /// Whether it computes in BF16. NVIDIA cards do from Ampere on, which is when they got TF32; a card of that age or
    /// younger whose TF32 peak is not known has it too. Cards of other makers in the table have it from 2020 on.
    pub fn has_bf16(&self) -> bool {
        self.tf32.is_some() || self.year >= 2020
    }

    /// What a program can use of one card's memory, and how that is known.
    pub fn usable(&self) -> (Bytes, UsableFrom) {
        if let Some(bytes) = self.cuda_visible {
            (bytes, UsableFrom::Cuda)
        } else if let Some(bytes) = self.driver_total {
            (bytes, UsableFrom::Driver)
        } else {
            (self.memory.scaled(0.97), UsableFrom::Nominal)
        }
    }
}

/// The accelerator table.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Accelerators(Vec<Accelerator>);

impl Accelerators {
    /// From cards in table order.
    pub fn new(cards: Vec<Accelerator>) -> Self {
        Self(cards)
    }

    /// The card at a position.
    pub fn get(&self, id: AcceleratorId) -> Option<&Accelerator> {
        self.0.get(usize::from(id.0))
    }

    /// All cards with their positions.
    pub fn iter(&self) -> impl Iterator<Item = (AcceleratorId, &Accelerator)> {
        (0u16..).map(AcceleratorId).zip(&self.0)
    }
}
