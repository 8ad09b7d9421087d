//! The input pipeline: what the CPU prepares against what the accelerator consumes. The stage's rate is the smaller.

use crate::job::{Stage, StageKind};
use crate::units::BytesPerSecond;

/// Images that one vCPU reads, decodes, crops and flips in a second for training at 224 pixels, where nothing better is
/// known: Pillow decodes 185 million pixels per second and core and resizes at 55 (c5), which is some 275 ImageNet images
/// per core; FFCV makes 173 per vCPU, img2dataset 80 per core with download. Ordinary data loaders lie within 2.
pub const IMAGES_PER_VCPU: f64 = 100.0;

/// How much faster a vCPU feeds data that were prepared beforehand (resized and packed into TFRecord, LMDB and the
/// like): the documents take utilisation from about 30 % to 80 % and more (A-U3).
pub const PREPARED_GAIN: f64 = 2.7;

/// Bandwidth of a PCIe 3.0 link of 16 lanes as programs see it, in GB/s: the slowest that data-centre cards have.
const LINK_GB: f64 = 12.0;

/// What feeds an accelerator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feed {
    /// Samples that one vCPU prepares in a second.
    pub per_vcpu: f64,
    /// Bytes of one prepared sample on their way to the accelerator, where they matter.
    pub bytes: Option<f64>,
}

/// What comes of feeding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fed {
    /// Samples per second that really go through.
    pub rate: f64,
    /// Share of the time in which the accelerator works.
    pub utilisation: f64,
    /// vCPUs that would keep it busy.
    pub vcpus_needed: f64,
    /// Utilisation if the data were prepared beforehand.
    pub prepared: f64,
    /// Whether the link to the accelerator is what limits.
    pub link_bound: bool,
}

impl Feed {
    /// What a stage states (`decode`). Of a service it decides how many servers there are, not how long a request takes.
    pub fn of(stage: &Stage) -> Option<Self> {
        let decode = stage.decode.filter(|_| stage.kind.runs_model() && stage.kind != StageKind::Serve)?;
        let per_vcpu = 1.0 / decode.as_secs();
        per_vcpu.is_finite().then_some(Self { per_vcpu, bytes: None })
    }

    /// `vcpus` feed accelerators that would consume `consumption` samples per second over one link each; `links` of them.
    pub fn supply(&self, consumption: f64, vcpus: f64, links: f64) -> Fed {
        let link = self.link(links);
        let cpu = self.per_vcpu * vcpus;
        let rate = consumption.min(cpu).min(link);
        let share = |supply: f64| if consumption > 0.0 { (supply / consumption).min(1.0) } else { 1.0 };
        Fed {
            rate,
            utilisation: share(rate),
            vcpus_needed: consumption.min(link) / self.per_vcpu,
            prepared: share((cpu * PREPARED_GAIN).min(link)),
            link_bound: link < cpu.min(consumption),
        }
    }

    /// Samples per second that the links carry.
    fn link(&self, links: f64) -> f64 {
        let bandwidth = BytesPerSecond::from_gb(LINK_GB).map_or(f64::INFINITY, BytesPerSecond::get);
        self.bytes.filter(|b| *b > 0.0).map_or(f64::INFINITY, |bytes| links.max(1.0) * bandwidth / bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_of_the_two_sets_the_rate() {
        // 8 vCPUs make 800 images a second; the card would take 2,500: 32 % busy, 25 vCPUs would do.
        let decoding = Feed { per_vcpu: 100.0, bytes: None };
        let fed = decoding.supply(2500.0, 8.0, 1.0);
        assert!((fed.rate - 800.0).abs() < 1e-9 && (fed.utilisation - 0.32).abs() < 1e-9);
        assert!((fed.vcpus_needed - 25.0).abs() < 1e-9 && !fed.link_bound);
        // Prepared beforehand: 2,160 a second, 86 %.
        assert!((fed.prepared - 0.864).abs() < 1e-9);
        let fed = decoding.supply(2500.0, 32.0, 1.0);
        assert!((fed.rate - 2500.0).abs() < 1e-9 && (fed.utilisation - 1.0).abs() < 1e-9);
    }

    #[test]
    fn large_samples_meet_the_link() {
        // 100 MB of volume per sample: 120 a second over 12 GB/s.
        let fed = Feed { per_vcpu: 100.0, bytes: Some(1e8) }.supply(1000.0, 64.0, 1.0);
        assert!((fed.rate - 120.0).abs() < 1e-9 && fed.link_bound);
    }
}
