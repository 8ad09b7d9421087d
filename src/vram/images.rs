//! Image models by measured bytes per sample: the zoo's columns scaled by batch and by the area of the image.
//! Convolutional networks follow the square of the edge within about 1 %.

use crate::model::zoo::{Entry, Table};

/// Bytes of an image model at its native size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageModel {
    /// Native edge in pixels.
    pub(super) native: f64,
    /// Parameters.
    pub(super) params: f64,
    /// Buffers (running means and variances).
    pub(super) buffers: f64,
    /// Figures in 32 bits, and under autocast.
    pub(super) full: Slope,
    pub(super) amp: Slope,
    /// The same with recomputed blocks, where they are known.
    pub(super) full_recomputed: Option<Slope>,
    pub(super) amp_recomputed: Option<Slope>,
    /// Figures in 16 bits throughout, where they are known; half of 32 bits otherwise.
    pub(super) half: Option<Slope>,
    /// The most that one sample needs in a forward pass without gradients, in 32 bits.
    pub(super) infer: f64,
    /// It scales its input to a size of its own (detectors).
    pub(super) resizes: bool,
    /// Its input is not an image (latent diffusion).
    pub(super) latent: bool,
    /// Its kernels are mostly larger than 1 × 1 and its layers convolutions.
    pub(super) convolutions: bool,
    /// The factor within which its figure lies nine times out of ten.
    pub(super) spread: f64,
}

/// Bytes per sample and beside.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Slope {
    /// Kept by the forward pass, per sample.
    pub(super) kept: f64,
    /// At the peak of the backward pass, per sample.
    pub(super) peak: f64,
    /// At that peak, whatever the batch.
    pub(super) fixed: f64,
}

impl ImageModel {
    /// A line of the zoo; `None` for transformers.
    pub fn of(entry: &Entry) -> Option<Self> {
        let n = |column: &str| entry.number(column);
        let family = entry.text("family")?;
        let (native, params) = (n("size")?, n("params")?);
        let convolutions = family == "cnn";
        match entry.table() {
            Table::Transformers => None,
            Table::Images => {
                let slope = |kept: &str, peak: &str, fixed: &str| -> Option<Slope> {
                    Some(Slope { kept: n(kept)?, peak: n(peak)?, fixed: n(fixed)? })
                };
                Some(Self {
                    native,
                    params,
                    buffers: n("buffers").unwrap_or(0.0),
                    full: slope("kept_fp32", "peak_fp32", "fixed_fp32")?,
                    amp: slope("kept_amp", "peak_amp", "fixed_amp")?,
                    full_recomputed: slope("ckpt_fp32", "ckpt_fp32", "ckpt_fixed_fp32"),
                    amp_recomputed: slope("ckpt_amp", "ckpt_amp", "ckpt_fixed_amp"),
                    half: None,
                    infer: n("infer_fp32")?,
                    resizes: false,
                    latent: false,
                    convolutions,
                    spread: MEASURED,
                })
            }
            Table::Dense => {
                // The table holds one batch of one: weight copies of autocast are inside, the rest is per sample.
                let slope = |kept: &str, peak: &str, copies: f64| -> Option<Slope> {
                    let (kept, peak) = (n(kept)?, n(peak)?);
                    Some(Slope { kept, peak: peak.max(kept), fixed: copies })
                };
                let name = entry.name();
                Some(Self {
                    native,
                    params,
                    buffers: 0.0,
                    full: slope("kept_fp32", "peak_fp32", 0.0)?,
                    amp: slope("kept_amp", "peak_amp", 2.0 * params)?,
                    full_recomputed: None,
                    amp_recomputed: None,
                    half: slope("kept_pure", "peak_pure", 0.0),
                    infer: 0.12 * n("kept_fp32")?,
                    resizes: name.contains("rcnn") || name.contains("retina") || name.contains("ssd"),
                    latent: name == "sd15-unet",
                    convolutions,
                    spread: MEASURED,
                })
            }
        }
    }

    /// A convolutional network nobody measured, from the sum of its convolutions' outputs (elements per sample). A
    /// network with batch norm keeps each of them twice: as the norm's input and as the next layer's.
    pub fn from_outputs(params: f64, native: f64, outputs: f64) -> Self {
        let kept = 4.0 * outputs * OUTPUT_COPIES;
        Self { spread: 1.7, ..Self::plain(params, native, kept) }
    }

    /// One of which only the parameters are known: the typical bytes per sample of the zoo's networks of that size.
    pub fn typical(params: f64, native: f64) -> Self {
        // Regression over the zoo's convolutional networks on the logarithm of the parameters is hardly better than
        // the median: from 20 to 300 MB per sample at 224 pixels.
        let kept = 85e6 * (params / 25e6).powf(0.2);
        Self { spread: 3.0, ..Self::plain(params, native, kept * (native / 224.0).powi(2)) }
    }

    fn plain(params: f64, native: f64, kept: f64) -> Self {
        // The fixed part is the gradients that exist while the early, large maps are still alive: about half.
        let full = Slope { kept, peak: kept, fixed: 2.0 * params };
        let amp = Slope { kept: 0.51 * kept, peak: 0.51 * kept, fixed: 4.0 * params };
        let recomputed =
            |slope: Slope| Slope { kept: 0.4 * slope.kept, peak: 0.4 * slope.peak, fixed: slope.fixed };
        Self {
            native,
            params,
            buffers: 0.0,
            full,
            amp,
            full_recomputed: Some(recomputed(full)),
            amp_recomputed: Some(recomputed(amp)),
            half: None,
            infer: 0.12 * kept,
            resizes: false,
            latent: false,
            convolutions: true,
            spread: 3.0,
        }
    }
}

/// Kept bytes over the bytes of all convolutions' outputs: 1.9–2.2 in ResNet, ResNeXt and RegNet, 2.5–2.9 in
/// MobileNet, 3.3 in EfficientNet, 1.3 in VGG without and 2.3 with batch norm, 4.7 in DenseNet.
const OUTPUT_COPIES: f64 = 2.1;

/// Networks of the zoo: other sizes, batches and optimizers stay within 5 % nine times out of ten in the measured
/// steps; other implementations of the same network and convolution workspaces make it a quarter.
const MEASURED: f64 = 1.26;
