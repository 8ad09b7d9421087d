//! Processors behind vCPUs: how fast one is, by provider and instance family.

use super::{Catalog, Instance, Name, Provenance};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

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
    /// Main memory of one socket, where known.
    pub socket: Option<SocketMemory>,
    /// Where the figures come from.
    pub provenance: Provenance,
}

/// What one socket's cores share: memory channels × transfer rate × 8 bytes, by the chip's data sheet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SocketMemory {
    /// Bandwidth in GB/s.
    pub gb_per_second: f64,
    /// Physical cores of the socket.
    pub cores: f64,
}

impl Processor {
    /// The share of one vCPU in the bandwidth of its socket's memory, in GB/s.
    pub fn bandwidth_per_vcpu(&self) -> Option<f64> {
        let vcpus = self.socket?.cores * f64::from(self.vcpus_per_core.max(1));
        Some(self.socket?.gb_per_second / vcpus).filter(|share| share.is_finite() && *share > 0.0)
    }
}

impl Catalog {
    /// The processor of an instance type, where its family is in the table.
    pub fn processor(&self, instance: &Instance) -> Option<&Processor> {
        let provider = self.provider(instance.provider)?;
        let family = family(&instance.name);
        self.processors.iter().find(|p| p.provider == provider.name && *p.family == *family)
    }
}

/// The family in an instance's name: what is left of it without the size.
///
/// `m5.2xlarge` → `m5`, `ecs.g7.xlarge` → `ecs.g7`, `n2-standard-8` → `n2`, `Standard_D8as_v5` → `Das_v5`.
pub fn family(instance: &str) -> Cow<'_, str> {
    if let Some(size) = instance.strip_prefix("Standard_") {
        let letters = size.find(|c: char| c.is_ascii_digit()).unwrap_or(size.len());
        let (start, rest) = size.split_at(letters);
        return format!("{start}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())).into();
    }
    let end = instance.rfind('.').or_else(|| instance.find('-')).unwrap_or(instance.len());
    instance.get(..end).unwrap_or(instance).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_size_off() {
        for (name, of) in [
            ("m5.2xlarge", "m5"),
            ("ecs.g7.xlarge", "ecs.g7"),
            ("S5.2XLARGE16", "S5"),
            ("n2-standard-8", "n2"),
            ("n2d-highmem-2", "n2d"),
            ("Standard_D8s_v5", "Ds_v5"),
            ("Standard_D16as_v5", "Das_v5"),
            ("Standard_F2s_v2", "Fs_v2"),
            ("bare", "bare"),
        ] {
            assert_eq!(family(name), of);
        }
    }
}
