//! What one device must hold whatever the framework does: weights, and for training the gradients and optimizer
//! states of the trained parameters. Activations, workspaces and the context come on top, so a card that is smaller
//! than this is certainly too small.

use crate::model::{Mode, Model, Optimizer, Precision, Sharding};
use crate::units::Bytes;

/// The least that one device holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// Weights, of all parameters.
    pub weights: Bytes,
    /// Gradients, of the trained parameters.
    pub gradients: Bytes,
    /// Optimizer states, of the trained parameters; those that are paged to main memory do not count.
    pub optimizer: Bytes,
    /// Their sum.
    pub total: Bytes,
}

/// Bytes per frozen 4-bit weight with its double-quantised scales: 4 bits and 0.127 bits of
/// scales (QLoRA, arXiv:2305.14314).
const NF4: f64 = 0.5 + 0.127 / 8.0;

/// What the floor depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct States {
    /// Parameters in all.
    pub params: f64,
    /// Those that are trained.
    pub trainable: f64,
    /// What is done with them.
    pub mode: Mode,
    /// Number format.
    pub precision: Precision,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// How devices share them.
    pub sharding: Sharding,
}

impl From<&Model> for States {
    fn from(model: &Model) -> Self {
        let Model { params, trainable, mode, precision, optimizer, sharding, .. } = *model;
        Self { params, trainable, mode, precision, optimizer, sharding }
    }
}

/// The floor of a model when `devices` share it as its sharding says.
pub fn floor(model: impl Into<States>, devices: f64) -> Floor {
    let model: States = model.into();
    let n = devices.max(1.0);
    let share = Shares::of(model.sharding, n);
    let trained = if model.mode == Mode::Inference { 0.0 } else { model.trainable };
    let frozen = (model.params - trained).max(0.0);
    // Adapters are trained in the format of the arithmetic; what is frozen is stored in 16 bits, or in 4 with QLoRA.
    let frozen_bytes = match (model.mode, model.precision) {
        (Mode::Qlora, _) | (Mode::Lora, Precision::Int4) => NF4,
        (Mode::Lora, Precision::Int8) => 1.0,
        (Mode::Lora, _) => 2.0,
        (Mode::Train | Mode::Inference, precision) => precision.weight_bytes(),
    };
    let trained_bytes = match model.precision {
        Precision::Fp32 | Precision::Amp | Precision::AmpFp16 | Precision::AmpBf16 => 4.0,
        Precision::Bf16 | Precision::Fp16 | Precision::Int8 | Precision::Int4 => 2.0,
    };
    let state_bytes = match model.optimizer {
        // Plain 8-bit states can be smaller than the table says where tensors are tiny; the scales are left out.
        Optimizer::AdamW8bit => 2.0,
        other => other.state_bytes(trained_bytes),
    };
    let weights = Bytes::from_f64((frozen * frozen_bytes + trained * trained_bytes) / share.weights);
    let gradients = Bytes::from_f64(trained * trained_bytes / share.gradients);
    let optimizer = Bytes::from_f64(trained * state_bytes / share.optimizer);
    Floor { weights, gradients, optimizer, total: weights + gradients + optimizer }
}

/// By how much a sharding divides each state. Tensor and pipeline parallel divide all three, and not more evenly
/// than into equal parts.
struct Shares {
    weights: f64,
    gradients: f64,
    optimizer: f64,
}

impl Shares {
    fn of(sharding: Sharding, n: f64) -> Self {
        let (weights, gradients, optimizer) = match sharding {
            Sharding::None => (1.0, 1.0, 1.0),
            Sharding::Zero1 => (1.0, 1.0, n),
            Sharding::Zero2 => (1.0, n, n),
            Sharding::Zero3 | Sharding::Tensor | Sharding::Pipeline => (n, n, n),
        };
        Self { weights, gradients, optimizer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Family;

    fn model(params: f64, precision: Precision, optimizer: Optimizer) -> Model {
        Model {
            architecture: None,
            family: Family::Decoder,
            params,
            trainable: params,
            active: params,
            batch_size: 1.0,
            micro_batch: None,
            accumulation: 1.0,
            seq_len: None,
            image_size: None,
            forward_flops: None,
            precision,
            optimizer,
            mode: Mode::Train,
            sharding: Sharding::None,
            gradient_checkpointing: false,
            filled: 1.0,
        }
    }

    #[test]
    fn seven_billion_parameters_with_adam_need_more_than_112_gb() {
        let floor = floor(&model(7e9, Precision::Fp32, Optimizer::Adam), 1.0);
        assert_eq!(floor.total.get(), 112_000_000_000);
        assert_eq!(floor.gradients.get(), 28_000_000_000);
    }

    #[test]
    fn inference_holds_weights_only() {
        let mut m = model(70.55e9, Precision::Fp16, Optimizer::AdamW);
        m.mode = Mode::Inference;
        let floor = floor(&m, 1.0);
        assert_eq!(floor.total, floor.weights);
        assert_eq!(format!("{:.1}", floor.total.as_gib()), "131.4");
    }

    #[test]
    fn adapters_train_few() {
        let mut m = model(6.758e9, Precision::Bf16, Optimizer::AdamW);
        m.trainable = 20e6;
        m.mode = Mode::Lora;
        let lora = floor(&m, 1.0).total;
        m.mode = Mode::Qlora;
        let qlora = floor(&m, 1.0).total;
        m.mode = Mode::Train;
        m.trainable = m.params;
        let full = floor(&m, 1.0).total;
        assert!(qlora < lora && lora < full);
        assert!((lora.as_gb() - 13.64).abs() < 0.02, "{}", lora.as_gb());
    }

    #[test]
    fn sharding_divides_what_it_says() {
        let mut m = model(8e9, Precision::Fp32, Optimizer::Adam);
        for (sharding, gb) in [
            (Sharding::None, 128.0),
            (Sharding::Zero1, 80.0),
            (Sharding::Zero2, 56.0),
            (Sharding::Zero3, 32.0),
        ] {
            m.sharding = sharding;
            assert!((floor(&m, 4.0).total.as_gb() - gb).abs() < 1e-6, "{sharding}");
        }
    }
}
