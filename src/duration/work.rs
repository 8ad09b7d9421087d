//! A model in, floating-point operations out.

use crate::model::{Mode, Model};

/// Width over depth of a transformer: hidden size ÷ layers. 64 in GPT-2 124M, 128 in Llama-7B and GPT-3.
const WIDTH_PER_LAYER: f64 = 128.0;

/// Tokens per sample that are assumed where a transformer states none.
const DEFAULT_TOKENS: f64 = 512.0;

/// Operations of one forward pass over one sample; `None` where the model does not say enough.
///
/// Token models: `2 × active parameters` per token for the matrix products and `4 × layers × width × tokens` for the
/// attention over them, halved where each token sees only those before it.
pub(super) fn forward_per_sample(model: &Model) -> Option<f64> {
    if let Some(flops) = model.forward_flops.filter(|f| f.is_finite() && *f > 0.0) {
        return Some(flops);
    }
    if !(model.active.is_finite() && model.active > 0.0) {
        return None;
    }
    if model.family.is_transformer() && model.image_size.is_none() {
        let tokens = tokens_per_sample(model);
        return Some(tokens * (2.0 * model.active + attention_per_token(model, tokens)));
    }
    // Fully connected networks touch each weight once; of the others nothing is known without their shape.
    (!model.family.is_deep()).then_some(2.0 * model.active)
}

/// Operations of one forward pass per parameter of a network over images, sound or tables whose layers are not known.
/// A guess: ResNet-50 makes 320, VGG-16 224, MobileNet-V2 170, EfficientNet-B0 150, ConvNeXt-T 320.
const FLOPS_PER_PARAM: f64 = 250.0;
/// Factor of that guess: networks in the wild lie from 60 (AlexNet: 23) to 1,000.
pub(super) const GUESS_SPREAD: f64 = 4.0;

/// The guess for a model of which only the parameters are known.
pub(super) fn guessed_forward(model: &Model) -> Option<f64> {
    (model.active.is_finite() && model.active > 0.0).then_some(FLOPS_PER_PARAM * model.active)
}

/// Tokens of one sample.
pub(super) fn tokens_per_sample(model: &Model) -> f64 {
    model.seq_len.filter(|n| *n >= 1.0).unwrap_or(DEFAULT_TOKENS)
}

/// Operations of attention per token, forward.
pub(super) fn attention_per_token(model: &Model, tokens: f64) -> f64 {
    // N = 12·layers·width² with width = 128·layers, so layers·width = 128·(N ÷ (12·128²))^⅔.
    let layers = (model.active / (12.0 * WIDTH_PER_LAYER * WIDTH_PER_LAYER)).cbrt();
    let causal = if matches!(model.family, crate::model::Family::Decoder | crate::model::Family::Moe) {
        0.5
    } else {
        1.0
    };
    4.0 * causal * WIDTH_PER_LAYER * layers * layers * tokens
}

/// Operations of the whole work per forward operation: the backward pass takes twice the forward one; frozen weights
/// need no gradient of their own (LoRA); recomputed activations cost another forward pass.
pub(super) fn passes(model: &Model, trains: bool) -> f64 {
    if !trains {
        return 1.0;
    }
    let backward = match model.mode {
        Mode::Train | Mode::Inference => 2.0,
        Mode::Lora | Mode::Qlora => 1.0,
    };
    1.0 + backward + if model.gradient_checkpointing { 1.0 } else { 0.0 }
}
