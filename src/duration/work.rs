//! A model in, its work per sample out: floating-point operations and bytes moved.

use crate::model::{Mode, Model, zoo};

/// Width over depth of a transformer, hidden size ÷ layers: 64 in GPT-2 124M, 128 in Llama-7B and GPT-3.
const WIDTH_PER_LAYER: f64 = 128.0;

/// Tokens per sample that are assumed where a transformer states none.
const DEFAULT_TOKENS: f64 = 512.0;

/// Share of `seq_len` that the texts of an instruction data set fill on average: published LoRA runs on Alpaca-like
/// data take the time of 35 to 45 % of the stated length. Pre-training packs its sequences full.
const INSTRUCTION_FILL: f64 = 0.4;

/// Bytes kept for the backward pass per forward operation, in mixed precision, of a network whose layers are not
/// known: ResNet-50 keeps 5.4 bytes per 1,000 operations, vision transformers 2, depthwise networks 40.
const KEPT_PER_FLOP: f64 = 5e-3;

/// Operations of one forward pass over one sample; `None` where the model does not say enough.
///
/// Token models: per token `2 × active parameters` for the matrix products and `4 × layers × width × tokens` for
/// attention (not halved for causal models, as published utilisations count it).
pub(super) fn forward_per_sample(model: &Model) -> Option<f64> {
    let stated = model.forward_flops.filter(|f| f.is_finite() && *f > 0.0);
    let fill = fill(model);
    if let Some(flops) = stated {
        return Some(flops * fill);
    }
    if !(model.active.is_finite() && model.active > 0.0) {
        return None;
    }
    if model.family.is_transformer() && model.image_size.is_none() {
        let tokens = tokens_per_sample(model);
        return Some(fill * tokens * (2.0 * model.active + attention_per_token(model.active, tokens)));
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

/// Tokens of one sample as stated.
fn tokens_per_sample(model: &Model) -> f64 {
    model.seq_len.filter(|n| *n >= 1.0).unwrap_or(DEFAULT_TOKENS)
}

/// Share of the stated length that is filled.
const fn fill(model: &Model) -> f64 {
    if matches!(model.mode, Mode::Lora | Mode::Qlora) { INSTRUCTION_FILL } else { 1.0 }
}

/// Operations of attention per token, forward.
fn attention_per_token(params: f64, tokens: f64) -> f64 {
    // N = 12·layers·width² with width = 128·layers, so layers·width = 128·(N ÷ (12·128²))^⅔.
    let layers = (params / (12.0 * WIDTH_PER_LAYER * WIDTH_PER_LAYER)).cbrt();
    4.0 * WIDTH_PER_LAYER * layers * layers * tokens
}

/// Forward passes that the whole work is worth: the backward pass takes twice the forward one; frozen weights need no
/// gradient of their own (LoRA), four-bit ones are unpacked twice (QLoRA, half a pass); recomputed activations cost
/// another forward pass.
pub(super) fn passes(model: &Model, trains: bool) -> f64 {
    if !trains {
        return 1.0;
    }
    let backward = match model.mode {
        Mode::Train | Mode::Inference => 2.0,
        Mode::Lora => 1.0,
        Mode::Qlora => 1.5,
    };
    1.0 + backward + if model.gradient_checkpointing { 1.0 } else { 0.0 }
}

/// Bytes that one sample's activations take in mixed precision, and whether they were measured for this architecture
/// (the zoo's `kept_amp`, at its native size; they grow with the area of the image).
pub(super) fn kept_bytes(model: &Model, forward: f64) -> (f64, bool) {
    let entry = model.architecture.as_deref().and_then(zoo::entry);
    let known = entry.and_then(|e| Some((e.number("kept_amp")?, e.number("size")?)));
    match known {
        Some((kept, native)) if kept > 0.0 => {
            let size = model.image_size.filter(|s| *s > 0.0).unwrap_or(native);
            (kept * (size / native).powi(2), true)
        }
        _ => (KEPT_PER_FLOP * forward, false),
    }
}
