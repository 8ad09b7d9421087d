//! The layer of a configuration: its kind's, with what the keys say otherwise.

use super::keys::Keys;
use crate::model::architecture::{Activation, Block, Gate, Order, QkNorm};
use crate::model::class::Kind;
use serde_json::Value;

impl Keys<'_> {
    pub(super) fn activation(&self) -> Option<Activation> {
        let name = self.text(&[
            "hidden_act",
            "hidden_activation",
            "activation_function",
            "activation",
            "feed_forward_proj",
        ])?;
        Some(match name {
            "relu" => Activation::Relu,
            // xIELU is written out in about as many operations.
            "gelu_new" | "gelu_fast" | "gated-gelu" | "xielu" => Activation::GeluPlain,
            "silu" | "swish" => Activation::Silu,
            "quick_gelu" => Activation::GeluQuick,
            "relu2" => Activation::ReluSquared,
            _ if name.contains("gelu") => Activation::Gelu,
            _ => return None,
        })
    }

    /// The kind's layer with what the file says otherwise.
    pub(super) fn block(&self, kind: &Kind, known: bool) -> Block {
        let class = kind.class;
        let mut block = kind.block;
        // Gemma's first files name an activation that the code never used; BLOOM's and MPT's is their own.
        if !matches!(class, "gemma" | "bloom" | "mpt" | "modernbert" | "gpt_bigcode" | "openai-gpt")
            && let Some(activation) = self.activation()
        {
            block.activation = activation;
        }
        if self.text(&["feed_forward_proj"]).is_some_and(|name| name.starts_with("gated")) {
            block.gate = Gate::Separate;
        }
        if let Some(share) = self.rotary_share(block.rotary) {
            block.rotary = share;
        }
        let named = |names: &[&str], slot: &mut bool| {
            if let Some(value) = self.flag(names) {
                *slot = value;
            }
        };
        match class {
            "falcon" => {
                named(&["bias"], &mut block.qkv_bias);
                block.out_bias = block.qkv_bias;
                block.mlp_bias = block.qkv_bias;
                if self.flag(&["new_decoder_architecture"]) == Some(true) {
                    block.order = Order::ParallelTwo;
                } else if self.flag(&["parallel_attn"]) == Some(false) {
                    block.order = Order::Pre;
                }
            }
            "starcoder2" => {
                named(&["use_bias"], &mut block.qkv_bias);
                block.out_bias = block.qkv_bias;
                block.mlp_bias = block.qkv_bias;
            }
            "stablelm" => {
                named(&["use_qkv_bias"], &mut block.qkv_bias);
                if self.flag(&["qk_layernorm"]) == Some(true) {
                    block.qk_norm = QkNorm::Head;
                }
                if self.flag(&["use_parallel_residual"]) == Some(true) {
                    block.order = Order::Parallel;
                }
            }
            "gpt_neox" if self.flag(&["use_parallel_residual"]) == Some(false) => block.order = Order::Pre,
            "opt" if self.flag(&["do_layer_norm_before"]) == Some(false) => block.order = Order::Post,
            "persimmon" if self.flag(&["qk_layernorm"]) == Some(false) => block.qk_norm = QkNorm::None,
            "cohere" if self.flag(&["use_qk_norm"]) == Some(true) => block.qk_norm = QkNorm::Head,
            // Qwen 2 has biases on queries, keys and values whatever the file says.
            "qwen2" | "qwen2_moe" => {}
            "glm" | "glm4" => named(&["attention_bias"], &mut block.qkv_bias),
            _ => {
                if let Some(bias) = self.flag(&["attention_bias", "qkv_bias", "use_bias"]) {
                    block.qkv_bias = bias;
                    block.out_bias = bias;
                }
                named(&["mlp_bias"], &mut block.mlp_bias);
            }
        }
        if let Some(on) = self.dropout(&[
            "hidden_dropout_prob",
            "hidden_dropout",
            "resid_pdrop",
            "resid_dropout",
            "dropout",
            "dropout_rate",
            "residual_dropout",
        ]) {
            // DistilBERT has dropout on the output of its feed-forward part only.
            block.residual_dropout = on && class != "distilbert";
            block.output_dropout = on && class != "albert";
            block.embedding_dropout = on && class != "opt";
        }
        if matches!(class, "whisper" | "bart" | "mbart" | "pegasus" | "marian" | "m2m_100") {
            block.inner_dropout = self.dropout(&["activation_dropout"]).unwrap_or(false);
        }
        if class == "t5" {
            block.inner_dropout = block.residual_dropout;
            block.attention_dropout = block.residual_dropout;
        }
        if let Some(on) = self.dropout(&["embd_pdrop", "embed_dropout", "embd_dropout"]) {
            block.embedding_dropout = on;
        }
        if let Some(on) =
            self.dropout(&["attention_probs_dropout_prob", "attention_dropout", "attn_pdrop", "attn_dropout"])
        {
            block.attention_dropout = on;
        }
        if !known && self.map.contains_key("qk_norm") || self.flag(&["use_qk_norm"]) == Some(true) {
            block.qk_norm = QkNorm::Head;
        }
        block
    }

    fn rotary_share(&self, default: f64) -> Option<f64> {
        let nested = |table: &str| {
            self.map
                .get(table)
                .and_then(Value::as_object)
                .and_then(|t| t.get("partial_rotary_factor"))
                .and_then(Value::as_f64)
        };
        if let Some(dim) = self.number(&["rotary_dim"]) {
            let hidden = self.number(&["n_embd", "hidden_size"])?;
            let heads = self.number(&["n_head", "num_attention_heads"])?;
            return Some((dim / (hidden / heads)).clamp(0.0, 1.0));
        }
        self.number(&["partial_rotary_factor", "rotary_pct", "rope_pct"])
            .or_else(|| nested("rope_parameters"))
            .or_else(|| nested("rope_scaling"))
            .or(Some(default))
            .map(|share| share.clamp(0.0, 1.0))
    }
}
