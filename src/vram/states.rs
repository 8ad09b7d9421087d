//! What lives all the time: weights, optimizer states; and what the optimizer's step makes for a moment.

use super::pen::Arithmetic;
use crate::model::{Mode, Optimizer, Precision, Sharding};

/// How weights are stored and trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Storage {
    /// Number formats of the passes.
    pub(super) math: Arithmetic,
    /// Bytes of a trained weight.
    pub(super) trained: f64,
    /// Bytes of a frozen weight in a matrix of a layer.
    pub(super) frozen: f64,
    /// Bytes of a frozen weight elsewhere (tables, head, norms).
    pub(super) frozen_rest: f64,
}

/// Bytes of a 4-bit NormalFloat weight: 4 bits, and one scale per 64 weights stored in 8 bits with a second scale per
/// 256 of those (double quantisation: 0.127 bits) or in 32 bits (0.5 bits). QLoRA, arXiv:2305.14314.
pub(super) const NF4_DOUBLE: f64 = 0.5 + 0.127 / 8.0;
/// See [`NF4_DOUBLE`].
pub(super) const NF4: f64 = 0.5 + 0.5 / 8.0;

impl Storage {
    pub(super) const fn of(precision: Precision, mode: Mode, widened: bool) -> Self {
        let math = match precision {
            Precision::Fp32 => Arithmetic::Full,
            Precision::Amp | Precision::AmpFp16 | Precision::AmpBf16 => Arithmetic::Amp,
            Precision::Bf16 | Precision::Fp16 | Precision::Int8 | Precision::Int4 => Arithmetic::Half,
        };
        let stream = match math {
            Arithmetic::Half => 2.0,
            Arithmetic::Full | Arithmetic::Amp => 4.0,
        };
        match mode {
            Mode::Train => Self { math, trained: stream, frozen: stream, frozen_rest: stream },
            // Adapters stand beside 16-bit weights, unless everything is in 32 bits.
            Mode::Lora => {
                let base = if matches!(math, Arithmetic::Full) { 4.0 } else { 2.0 };
                Self { math, trained: stream, frozen: base, frozen_rest: base }
            }
            // Preparation for 4-bit training widens tables, norms and head to 32 bits; without it they keep 16.
            Mode::Qlora if widened => {
                Self { math: Arithmetic::Amp, trained: 4.0, frozen: NF4_DOUBLE, frozen_rest: 4.0 }
            }
            Mode::Qlora => {
                Self { math: Arithmetic::Half, trained: stream, frozen: NF4_DOUBLE, frozen_rest: 2.0 }
            }
            Mode::Inference => match precision {
                Precision::Int8 => Self { math, trained: 2.0, frozen: 1.0, frozen_rest: 2.0 },
                Precision::Int4 => Self { math, trained: 2.0, frozen: NF4, frozen_rest: 2.0 },
                Precision::Fp32
                | Precision::Amp
                | Precision::AmpFp16
                | Precision::AmpBf16
                | Precision::Bf16
                | Precision::Fp16 => Self { math, trained: stream, frozen: stream, frozen_rest: stream },
            },
        }
    }
}

/// Bytes that the optimizer's step makes and frees: foreach forms make one list of the size of all trained
/// parameters; Adafactor two 32-bit tensors of the size of the largest, and two more where weights have 16 bits.
pub(super) fn step(optimizer: Optimizer, trained: f64, bytes: f64, largest: f64) -> f64 {
    match optimizer {
        Optimizer::Adam | Optimizer::AdamW | Optimizer::SgdMomentum => trained * bytes,
        Optimizer::Adafactor => largest.min(trained) * if bytes > 2.0 { 8.0 } else { 16.0 },
        Optimizer::Sgd | Optimizer::AdamWFused | Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 0.0,
    }
}

/// Bytes of optimizer states per trained parameter. Adafactor keeps sums of rows and columns of matrices, of the
/// order of three thousandths of a 32-bit copy in transformers; in convolutions 2/k of the weight for k × k kernels.
pub(super) fn state(optimizer: Optimizer, bytes: f64, convolutions: bool) -> f64 {
    match optimizer {
        Optimizer::Adafactor if convolutions => 4.0,
        Optimizer::Adafactor => 0.012,
        other => other.state_bytes(bytes),
    }
}

/// By how much a sharding over `n` devices divides weights, gradients, optimizer states and activations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Division {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Optimizer states.
    pub optimizer: f64,
    /// Activations of one layer. ZeRO divides none; tensor parallel divides the inner ones of a layer, pipeline
    /// parallel divides the layers but keeps as many micro-batches in flight as there are stages.
    pub activations: f64,
}

impl Division {
    /// Of a sharding.
    pub fn of(sharding: Sharding, devices: f64) -> Self {
        let n = devices.max(1.0);
        let (weights, gradients, optimizer, activations) = match sharding {
            Sharding::None => (1.0, 1.0, 1.0, 1.0),
            Sharding::Zero1 => (1.0, 1.0, n, 1.0),
            Sharding::Zero2 => (1.0, n, n, 1.0),
            Sharding::Zero3 | Sharding::Pipeline => (n, n, n, 1.0),
            Sharding::Tensor => (n, n, n, 1.0 + (n - 1.0) * 0.6),
        };
        Self { weights, gradients, optimizer, activations }
    }
}
