//! A kind that nobody named, from the keys that its file has.

use super::keys::Keys;
use crate::model::architecture::{Activation, Gate, Norm, Order, Position, Softmax};
use crate::model::class::{FALLBACK, Kind, kind};
use serde_json::Value;

impl Keys<'_> {
    /// A kind nobody named, from the keys that its file has: RMSNorm or LayerNorm by the name of its epsilon, a gate
    /// where the activation is SiLU, rotary positions where there is a base for them.
    pub(super) fn guess(&self) -> Kind {
        let has = |name: &str| self.map.contains_key(name);
        let seq2seq = self.outer.get("is_encoder_decoder").and_then(Value::as_bool) == Some(true)
            || has("decoder_layers")
            || has("num_decoder_layers");
        let image = has("patch_size") && !has("vocab_size");
        let architectures = self.map.get("architectures").and_then(Value::as_array).and_then(|a| a.first());
        let masked = architectures.and_then(Value::as_str).is_some_and(|name| {
            name.contains("MaskedLM") || name.contains("Classification") || name.contains("PreTraining")
        });
        let encoder = has("type_vocab_size") || masked && !has("rope_theta") && !has("use_cache");
        let base = if image {
            "vit"
        } else if seq2seq && (has("relative_attention_num_buckets") || has("d_kv")) {
            "t5"
        } else if seq2seq {
            "bart"
        } else if encoder {
            "bert"
        } else if has("rms_norm_eps") || has("rms_norm_epsilon") || has("norm_eps") {
            "llama"
        } else if has("rope_theta") || has("rotary_dim") || has("rotary_pct") || has("partial_rotary_factor")
        {
            "starcoder2"
        } else {
            "opt"
        };
        let mut kind = kind(base).unwrap_or(FALLBACK);
        kind.class = "unknown";
        // These come without a gate.
        if matches!(self.text(&["hidden_act"]), Some("relu2" | "xielu" | "relu")) {
            kind.block.gate = Gate::None;
        }
        let rotary = has("rope_theta")
            || has("rope_parameters")
            || has("rotary_pct")
            || has("rotary_dim")
            || has("partial_rotary_factor");
        if base == "starcoder2" || base == "opt" {
            // LayerNorm: with a gate where the activation is SiLU.
            let silu = self.activation() == Some(Activation::Silu);
            kind.block.gate = if silu { Gate::Separate } else { Gate::None };
            kind.tied = false;
            kind.block.norm = Norm::Layer;
            kind.block.position = if rotary { Position::Rotary } else { Position::Embedding };
            kind.block.softmax = Softmax::Wide;
            if self.flag(&["parallel_attn", "parallel_residual", "use_parallel_residual"]) == Some(true) {
                kind.block.order = Order::Parallel;
            }
        }
        kind
    }
}
