//! Processors behind vCPUs: how fast one is, by provider and instance family.

use super::{Name, Provenance};
use serde::{Deserialize, Serialize};

/// The processor of an instance family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Processor {
    /// The provider.
    pub provider: Name,
    /// The instance family, as the start of its instances' names up to the size: `m5`, `ecs.g7`.
    pub family: Name,
    /// The chip.
    pub cpu: Name,
    /// Its generation.
    pub generation: Name,
    /// vCPUs per physical core: 2 with hyper-threading.
    pub vcpus_per_core: u8,
    /// Base clock in GHz.
    pub base_ghz: f64,
    /// All-core turbo in GHz.
    pub turbo_ghz: f64,
    /// Rough speed of one vCPU on integer and string work; an AWS m5 vCPU is 1.0.
    pub relative: f64,
    /// Where the figures come from.
    pub provenance: Provenance,
}
