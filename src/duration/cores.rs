//! Processors in, efforts out: how long the cores of an instance take for an hour's work of the reference core.

use crate::catalog::processor::{is_arm, is_of_family};
use crate::catalog::{Catalog, Instance, ProviderId};

/// vCPUs of the reference core: an AWS m5 core has two, each of relative speed 1.
const REFERENCE_VCPUS: f64 = 2.0;

/// Factor within which the speed of a known processor is known: the table is from memory and clouds put several
/// chips behind one family. A guess.
const KNOWN_DOUBT: f64 = 1.15;

/// The same for an instance whose processor is not in the table: x86 servers of the last ten years lie within about
/// 0.7 and 1.4 of an m5 vCPU. A guess.
const UNKNOWN_DOUBT: f64 = 1.4;

/// GB/s of main memory for each vCPU of the reference machine: six channels of DDR4-2666 (128 GB/s) for the 24 cores of an
/// m5's socket. Work that memory limits (`memory_bound`) scales by this share instead of the clock.
const REFERENCE_BANDWIDTH: f64 = 128.0 / 48.0;

/// Factor within which that share says how fast memory-bound work runs: a machine may draw more than its share while its
/// neighbours are idle, and channels are not always all filled. A guess.
const SHARE_DOUBT: f64 = 1.3;

/// The same where the processor's memory is not known and an m5's is supposed: servers of the last ten years lie
/// within about 1.6 and 4 GB/s per vCPU.
const UNKNOWN_SHARE_DOUBT: f64 = 1.7;

/// Relative speed of one Arm vCPU, a whole core, where the table has none: between an x86 vCPU (half a core) and a
/// whole x86 core. A guess from Graviton2 and Ampere Altra figures.
const ARM_RELATIVE: f64 = 1.3;

/// The cores of one machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cores {
    /// vCPUs as sold.
    pub vcpus: f64,
    /// vCPUs per physical core.
    pub vcpus_per_core: f64,
    /// Speed of one vCPU; an AWS m5 vCPU is 1.
    pub relative: f64,
    /// Whether the processor stands in the table.
    pub known: bool,
    /// What limits the work; [`Cores::relative`] is of that.
    pub limit: Limit,
}

/// What limits work on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Limit {
    /// Arithmetic: the speed of the cores.
    #[default]
    Cores,
    /// Main memory: its bandwidth.
    Memory,
}

impl Cores {
    /// Some x86 machine of which only the number of vCPUs is known.
    pub(super) const fn unknown(vcpus: f64, limit: Limit) -> Self {
        Self { vcpus, vcpus_per_core: REFERENCE_VCPUS, relative: 1.0, known: false, limit }
    }

    /// GB/s of main memory for one vCPU, where that limits the work.
    pub(super) fn bandwidth(&self) -> Option<f64> {
        (self.limit == Limit::Memory).then_some(self.relative * REFERENCE_BANDWIDTH)
    }

    /// Physical cores; half a core where one vCPU of two is sold.
    pub(super) fn physical(&self) -> f64 {
        self.vcpus / self.vcpus_per_core
    }

    /// Speed of one core; the reference core is 1.
    pub(super) fn core_speed(&self) -> f64 {
        self.relative * self.vcpus_per_core / REFERENCE_VCPUS
    }

    /// Hours for one core-hour of the reference, of which the share `parallel` uses all cores and the rest one
    /// (Amdahl's law).
    pub(super) fn effort(&self, parallel: f64) -> f64 {
        let cores = self.physical();
        ((1.0 - parallel) / cores.min(1.0) + parallel / cores) / self.core_speed()
    }

    /// Whether both are cores of one known chip, or of two that are alike: only their number tells them apart.
    pub(super) fn is_same_chip(&self, other: &Self) -> bool {
        let alike = |a: f64, b: f64| (a - b).abs() < f64::EPSILON;
        self.known
            && other.known
            && alike(self.relative, other.relative)
            && alike(self.vcpus_per_core, other.vcpus_per_core)
    }

    /// Factor within which the speed is known.
    pub(super) const fn doubt(&self) -> f64 {
        match (self.limit, self.known) {
            (Limit::Cores, true) => KNOWN_DOUBT,
            (Limit::Cores, false) => UNKNOWN_DOUBT,
            (Limit::Memory, true) => SHARE_DOUBT,
            (Limit::Memory, false) => UNKNOWN_SHARE_DOUBT,
        }
    }
}

/// The processors of a catalog, ready to be looked up by instance: per provider, one entry for each family.
#[derive(Debug, Clone, Default)]
pub(super) struct Chips {
    limit: Limit,
    by_provider: Vec<Vec<Chip>>,
}

#[derive(Debug, Clone)]
struct Chip {
    family: Box<str>,
    vcpus_per_core: f64,
    relative: f64,
    known: bool,
}

impl Chips {
    /// `limit` is what limits the work that they are to be compared by.
    pub(super) fn new(catalog: &Catalog, limit: Limit) -> Self {
        let mut all = vec![Vec::new(); catalog.providers.len()];
        for p in &catalog.processors {
            let Some((ProviderId(provider), _)) = catalog.provider_named(&p.provider) else { continue };
            let Some(chips) = all.get_mut(usize::from(provider)) else { continue };
            let relative = match limit {
                Limit::Cores => Some(p.relative).filter(|r| *r > 0.0),
                Limit::Memory => p.bandwidth_per_vcpu().map(|share| share / REFERENCE_BANDWIDTH),
            };
            chips.extend(p.families().map(|family| Chip {
                family: family.into(),
                vcpus_per_core: f64::from(p.vcpus_per_core.max(1)),
                relative: relative.unwrap_or(1.0),
                known: relative.is_some(),
            }));
        }
        Self { limit, by_provider: all }
    }

    /// What limits the work.
    pub(super) const fn limit(&self) -> Limit {
        self.limit
    }

    /// The cores of an instance.
    pub(super) fn cores(&self, instance: &Instance) -> Cores {
        let vcpus = if instance.vcpus > 0.0 { instance.vcpus } else { 1.0 };
        let limit = self.limit;
        let chips = self.by_provider.get(usize::from(instance.provider.0)).map_or(&[][..], Vec::as_slice);
        match chips.iter().find(|chip| is_of_family(&instance.name, &chip.family)) {
            Some(Chip { vcpus_per_core, relative, known, .. }) => {
                Cores { vcpus, vcpus_per_core: *vcpus_per_core, relative: *relative, known: *known, limit }
            }
            None if is_arm(&instance.name) => {
                let relative = if limit == Limit::Cores { ARM_RELATIVE } else { 1.0 };
                Cores { vcpus, vcpus_per_core: 1.0, relative, known: false, limit }
            }
            None => Cores::unknown(vcpus, limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vcpu_is_half_a_core() {
        // 96 reference core-hours on 48 m5 vCPUs = 24 cores, 95 % parallel: 96 × (0.05 + 0.95 ÷ 24) = 8.6 h.
        let m5 = Cores { vcpus: 48.0, vcpus_per_core: 2.0, relative: 1.0, known: true, limit: Limit::Cores };
        assert!((96.0 * m5.effort(0.95) - 8.6).abs() < 1e-9);
        // One vCPU is half a core, for the serial part too.
        let small = Cores { vcpus: 1.0, ..m5 };
        assert!((small.effort(0.95) - 2.0).abs() < 1e-12);
        // An Arm vCPU of the same relative speed is a whole core, but half as fast a one.
        let arm = Cores { vcpus: 24.0, vcpus_per_core: 1.0, relative: 2.0, ..m5 };
        assert!((arm.effort(0.95) - m5.effort(0.95)).abs() < 1e-12);
    }
}
