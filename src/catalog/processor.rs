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
    /// The families of one entry: one, or several with ` / ` between them.
    pub fn families(&self) -> impl Iterator<Item = &str> {
        self.family.split(" / ")
    }

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

/// Whether an instance name belongs to a family: the family, then the end or a separator (`m5.large` is of `m5`,
/// `m5a.large` is not); Azure writes the size in the middle (`Standard_D8s_v5` is of `Ds_v5`).
pub(crate) fn is_of_family(instance: &str, family: &str) -> bool {
    if let Some(rest) = instance.strip_prefix("Standard_") {
        let digits = |c: char| c.is_ascii_digit();
        let start = rest.find(digits).unwrap_or(rest.len());
        let (letters, sized) = rest.split_at(start);
        let size = sized.find(|c| !digits(c)).unwrap_or(sized.len());
        let (family_letters, family_rest) = family.split_at_checked(start).unwrap_or((family, ""));
        return letters == family_letters && sized.get(size..) == Some(family_rest);
    }
    matches!(instance.as_bytes().get(family.len()), None | Some(b'.' | b'-' | b'_'))
        && instance.starts_with(family)
}

/// Whether the name says that the processor is an Arm one: `c7g.large`, `m6gd.large`, `ecs.g8y.large`, `t2a-…`,
/// `c4a-…`, `Standard_D8ps_v5`, `VM.Standard.A1.Flex`.
pub(crate) fn is_arm(instance: &str) -> bool {
    if let Some(rest) = instance.strip_prefix("Standard_") {
        let middle = rest.split('_').next().unwrap_or(rest);
        let letters = middle.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        return letters.trim_start_matches(|c: char| c.is_ascii_digit()).contains('p');
    }
    if let Some(rest) = instance.strip_prefix("ecs.") {
        return rest.split('.').next().is_some_and(|family| family.ends_with('y'));
    }
    if instance.starts_with("t2a-") || instance.starts_with("c4a-") {
        return true;
    }
    if instance.starts_with("VM.") || instance.starts_with("BM.") {
        return instance.contains(".A1.") || instance.contains(".A2.");
    }
    // AWS: letters, a generation, then the attributes, of which `g` is Graviton.
    let Some((family, _)) = instance.split_once('.') else { return false };
    let after = family.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let attributes = after.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() > attributes.len() && attributes.starts_with('g')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_whole_words() {
        for (instance, family, is) in [
            ("m5.large", "m5", true),
            ("m5a.large", "m5", false),
            ("n2-standard-8", "n2", true),
            ("n2d-standard-8", "n2", false),
            ("ecs.g7.2xlarge", "ecs.g7", true),
            ("ecs.g7a.2xlarge", "ecs.g7", false),
            ("Standard_D8s_v5", "Ds_v5", true),
            ("Standard_D8as_v5", "Ds_v5", false),
            ("Standard_D8as_v5", "Das_v5", true),
            ("Standard_F16s_v2", "Fs_v2", true),
            ("Standard_E96s_v5", "Ds_v5", false),
        ] {
            assert_eq!(is_of_family(instance, family), is, "{instance} {family}");
        }
    }

    #[test]
    fn arm_is_known_by_its_name() {
        for name in [
            "c7g.large",
            "m6gd.large",
            "g5g.xlarge",
            "ecs.g8y.large",
            "t2a-standard-4",
            "Standard_D8ps_v5",
            "VM.Standard.A1.Flex",
        ] {
            assert!(is_arm(name), "{name}");
        }
        for name in [
            "c7i.large",
            "g5.xlarge",
            "g4dn.xlarge",
            "ecs.g7.large",
            "n2-standard-4",
            "Standard_D8s_v5",
            "p4d.24xlarge",
            "VM.Standard.E4.Flex",
        ] {
            assert!(!is_arm(name), "{name}");
        }
    }

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
