//! A model in, its work per sample out: floating-point operations and bytes moved.

use crate::model::{Family, Mode, Model, parameters, zoo};
use crate::units::number::{significant, thousands};

/// Width over depth of a transformer, hidden size ÷ layers: 64 in GPT-2 124M, 128 in Llama-7B and GPT-3.
const WIDTH_PER_LAYER: f64 = 128.0;

/// Tokens per sample that are assumed where a transformer states none.
const DEFAULT_TOKENS: f64 = 512.0;

/// Share of `seq_len` that the texts of an instruction data set fill on average: published fine-tuning runs on Alpaca-like
/// data take the time of 40 to 60 % of the stated length. Pre-training packs its sequences full.
pub(crate) const INSTRUCTION_FILL: f64 = 0.5;

/// Bytes kept for the backward pass per forward operation, in mixed precision, of a network whose layers are not
/// known: ResNet-50 keeps 5.4 bytes per 1,000 operations, vision transformers 2, depthwise networks 40.
const KEPT_PER_FLOP: f64 = 5e-3;

/// Operations of one forward pass over one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Forward {
    /// How many.
    pub flops: f64,
    /// Whether they follow from the parameters alone by a rule of thumb.
    pub guessed: bool,
}

/// Operations per parameter of an image network whose layers are not known: each weight is used at many places of the
/// image. EfficientNet-B0 150, ResNet-50 320, ViT-B 400, DenseNet-121 710; a diffusion network at 64 × 64 latents 930.
const FLOPS_PER_PARAM: f64 = 300.0;
const DIFFUSION_FLOPS_PER_PARAM: f64 = 900.0;

/// Operations of one forward pass; `None` where the model does not say enough.
///
/// Token models: per token `2 × active parameters` for the matrix products and `4 × layers × width × tokens` for
/// attention (not halved for causal models, as published utilisations count it).
pub(super) fn forward_per_sample(model: &Model) -> Option<Forward> {
    let known = |flops: f64| Some(Forward { flops, guessed: false });
    if let Some(flops) = model.forward_flops.filter(|f| f.is_finite() && *f > 0.0) {
        return known(flops * model.filled);
    }
    if !(model.active.is_finite() && model.active > 0.0) {
        return None;
    }
    match model.family {
        Family::Decoder | Family::Moe | Family::Encoder | Family::EncoderDecoder => {
            let tokens = tokens_per_sample(model);
            known(model.filled * tokens * (2.0 * model.active + 4.0 * depth(model).0 * tokens))
        }
        Family::Cnn | Family::Vit => {
            Some(Forward { flops: FLOPS_PER_PARAM * model.active * area(model, 224.0), guessed: true })
        }
        Family::Diffusion => {
            let flops = DIFFUSION_FLOPS_PER_PARAM * model.active * area(model, 512.0);
            Some(Forward { flops, guessed: true })
        }
        // Fully connected networks touch each weight once.
        Family::Mlp | Family::Linear | Family::BoostedTrees => known(2.0 * model.active),
        Family::Speech | Family::Recsys => None,
    }
}

/// The same as a formula with its numbers.
pub(super) fn forward_told(model: &Model) -> Option<String> {
    let Forward { flops, .. } = forward_per_sample(model)?;
    let filled = if model.filled < 1.0 {
        format!(" × {} filled", significant(model.filled, 3))
    } else {
        String::new()
    };
    let name = model.architecture.as_deref().unwrap_or("the model");
    let (active, which) =
        (scientific(model.active), if model.active < model.params { "active " } else { "" });
    let formula = match model.family {
        _ if model.forward_flops.is_some() && model.filled >= 1.0 => {
            return Some(format!("one sample forward: {} operations, known of {name}", scientific(flops)));
        }
        _ if model.forward_flops.is_some() => {
            format!("{} known of {name}{filled}", scientific(flops / model.filled))
        }
        Family::Decoder | Family::Moe | Family::Encoder | Family::EncoderDecoder => {
            let tokens = tokens_per_sample(model);
            let n = significant(tokens, 6);
            let (depth, of) = depth(model);
            let depth = thousands(depth.round());
            let of = if of.is_some() { "" } else { " by a rule of thumb" };
            format!(
                "{n} tokens × (2 × {active} {which}parameters + attention 4 × (layers × width = {depth}{of}) × {n} \
                 tokens){filled}"
            )
        }
        Family::Cnn | Family::Vit | Family::Diffusion => {
            let per_param = scientific(flops / model.active);
            format!("{active} {which}parameters × {per_param} operations each, a guess")
        }
        _ => format!("2 × {active} {which}parameters"),
    };
    Some(format!("one sample forward: {formula} = {} operations", scientific(flops)))
}

/// `1.234e12`, and small numbers as they are.
pub(super) fn scientific(value: f64) -> String {
    if (1e-3..1e6).contains(&value) { significant(value, 4) } else { format!("{value:.3e}") }
}

/// Area of the stage's images against those of the usual edge.
fn area(model: &Model, usual: f64) -> f64 {
    model.image_size.filter(|edge| *edge > 0.0).map_or(1.0, |edge| (edge / usual).powi(2))
}

/// Factor of these guesses: networks in the wild lie from 60 (AlexNet: 23) to 1,000.
pub(super) const GUESS_SPREAD: f64 = 4.0;

/// Tokens of one sample as stated.
fn tokens_per_sample(model: &Model) -> f64 {
    model.seq_len.filter(|n| *n >= 1.0).unwrap_or(DEFAULT_TOKENS)
}

/// Layers × width of a model, four times which a token's attention takes per token that it sees; and the architecture of
/// which it is known (layers × width of all queries), none where it follows from the parameters.
fn depth(model: &Model) -> (f64, Option<&str>) {
    // The utilisation of encoders was fitted on published rates with the rule of thumb: the two belong together.
    let decodes = matches!(model.family, Family::Decoder | Family::Moe);
    let known = model.architecture.as_deref().filter(|_| decodes).and_then(|name| {
        let shape = zoo::shape::shape(zoo::entry(name)?)?;
        let own = parameters::count(&shape).active;
        let same = (own / model.active - 1.0).abs() < SAME_SIZE;
        same.then(|| (shape.dims.layers * shape.dims.queries(), Some(name)))
    });
    known.unwrap_or_else(|| {
        // N = 12·layers·width² with width = 128·layers, so layers·width = 128·(N ÷ (12·128²))^⅔.
        let layers = (model.active / (12.0 * WIDTH_PER_LAYER * WIDTH_PER_LAYER)).cbrt();
        (WIDTH_PER_LAYER * layers * layers, None)
    })
}

/// A model whose stated parameters differ by more than this share from its architecture's has other dimensions.
const SAME_SIZE: f64 = 0.2;

/// Forward passes that the whole work is worth: the backward pass takes twice the forward one; frozen weights need no
/// gradient of their own (LoRA), four-bit ones are unpacked twice (QLoRA, one pass more); recomputed activations cost
/// another forward pass.
pub(super) fn passes(model: &Model, trains: bool) -> f64 {
    let [backward, recomputed] = passes_behind(model, trains);
    1.0 + backward + recomputed
}

/// What comes on top of the forward pass: the backward pass, and what is recomputed for it.
pub(super) fn passes_behind(model: &Model, trains: bool) -> [f64; 2] {
    if !trains {
        return [0.0, 0.0];
    }
    let backward = match model.mode {
        Mode::Train | Mode::Inference | Mode::Qlora => 2.0,
        Mode::Lora => 1.0,
    };
    [backward, if model.gradient_checkpointing { 1.0 } else { 0.0 }]
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
