//! Decoders, dense and with experts.

use super::{DECODER, Kind, LLAMA, PLAIN};
use crate::model::Family;
use crate::model::architecture::{Activation, Block, Gate, Norm, Order, Position, QkNorm, Softmax};

/// The kind of a `model_type`.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn kind(class: &str) -> Option<Kind> {
    let block = |block: Block| Kind { block, ..LLAMA };
    Some(match class {
        "llama" => LLAMA,
        "mistral" => Kind { class: "mistral", ..LLAMA },
        "granite" => Kind { class: "granite", ..LLAMA },
        "smollm3" => Kind { class: "smollm3", tied: true, ..LLAMA },
        "exaone" => Kind { class: "exaone", ..LLAMA },
        "qwen2" => Kind { class: "qwen2", ..block(Block { qkv_bias: true, ..DECODER }) },
        "qwen3" => Kind { class: "qwen3", ..block(Block { qk_norm: QkNorm::Head, ..DECODER }) },
        "gemma" => Kind {
            class: "gemma",
            tied: true,
            ..block(Block { norm: Norm::RmsOnePlus, activation: Activation::Gelu, ..DECODER })
        },
        "gemma2" => Kind {
            class: "gemma2",
            tied: true,
            ..block(Block {
                norm: Norm::RmsOnePlus,
                order: Order::Sandwich,
                activation: Activation::Gelu,
                softcap: true,
                eager_only: true,
                ..DECODER
            })
        },
        "gemma3_text" => Kind {
            class: "gemma3_text",
            tied: true,
            ..block(Block {
                norm: Norm::RmsOnePlus,
                order: Order::Sandwich,
                activation: Activation::Gelu,
                qk_norm: QkNorm::Head,
                ..DECODER
            })
        },
        "phi" => Kind {
            class: "phi",
            head_bias: true,
            ..block(Block {
                order: Order::Parallel,
                position: Position::Rotary,
                rotary: 0.5,
                activation: Activation::GeluPlain,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "phi3" => Kind { class: "phi3", ..block(Block { fused_qkv: true, gate: Gate::Fused, ..DECODER }) },
        "glm" => Kind {
            class: "glm",
            ..block(Block { qkv_bias: true, gate: Gate::Fused, rotary: 0.5, ..DECODER })
        },
        "glm4" => Kind {
            class: "glm4",
            ..block(Block { order: Order::Sandwich, gate: Gate::Fused, rotary: 0.5, ..DECODER })
        },
        "olmo" => Kind { class: "olmo", ..block(Block { norm: Norm::LayerFree, ..DECODER }) },
        "olmo2" => Kind {
            class: "olmo2",
            ..block(Block { norm: Norm::RmsWide, order: Order::Output, qk_norm: QkNorm::Full, ..DECODER })
        },
        "olmo3" => Kind {
            class: "olmo3",
            ..block(Block { norm: Norm::RmsWide, order: Order::Output, qk_norm: QkNorm::Full, ..DECODER })
        },
        "exaone4" => Kind {
            class: "exaone4",
            ..block(Block { order: Order::Output, qk_norm: QkNorm::Head, ..DECODER })
        },
        "hunyuan_v1_dense" => {
            Kind { class: "hunyuan_v1_dense", ..block(Block { qk_norm: QkNorm::Head, ..DECODER }) }
        }
        "arcee" => Kind {
            class: "arcee",
            ..block(Block { activation: Activation::ReluSquared, gate: Gate::None, ..DECODER })
        },
        "apertus" => Kind {
            class: "apertus",
            ..block(Block {
                activation: Activation::GeluPlain,
                gate: Gate::None,
                qk_norm: QkNorm::Head,
                ..DECODER
            })
        },
        "cohere" => Kind {
            class: "cohere",
            tied: true,
            ..block(Block { norm: Norm::LayerPlain, order: Order::Parallel, ..DECODER })
        },
        "stablelm" => Kind {
            class: "stablelm",
            ..block(Block { norm: Norm::Layer, norm_bias: true, rotary: 0.25, ..DECODER })
        },
        "starcoder2" => Kind {
            class: "starcoder2",
            tied: true,
            ..block(Block { position: Position::Rotary, softmax: Softmax::Wide, ..PLAIN })
        },
        "nemotron" => Kind {
            class: "nemotron",
            ..block(Block {
                norm: Norm::Layer,
                norm_bias: true,
                rotary: 0.5,
                activation: Activation::ReluSquared,
                gate: Gate::None,
                ..DECODER
            })
        },
        "persimmon" => Kind {
            class: "persimmon",
            ..block(Block {
                position: Position::Rotary,
                rotary: 0.5,
                fused_qkv: true,
                qk_norm: QkNorm::Head,
                activation: Activation::ReluSquared,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "mixtral" => Kind { class: "mixtral", family: Family::Moe, ..LLAMA },
        "qwen2_moe" => {
            Kind { class: "qwen2_moe", family: Family::Moe, ..block(Block { qkv_bias: true, ..DECODER }) }
        }
        "qwen3_moe" => Kind {
            class: "qwen3_moe",
            family: Family::Moe,
            ..block(Block { qk_norm: QkNorm::Head, ..DECODER })
        },
        "olmoe" => {
            Kind { class: "olmoe", family: Family::Moe, ..block(Block { qk_norm: QkNorm::Full, ..DECODER }) }
        }
        "gpt2" => Kind {
            class: "gpt2",
            usual_positions: 1024.0,
            tied: true,
            extra_positions: Some(0.0),
            ..block(Block {
                fused_qkv: true,
                activation: Activation::GeluPlain,
                attention_dropout: true,
                residual_dropout: true,
                output_dropout: true,
                embedding_dropout: true,
                ..PLAIN
            })
        },
        "openai-gpt" => Kind {
            class: "openai-gpt",
            tied: true,
            final_norm: false,
            extra_positions: Some(0.0),
            usual_positions: 512.0,
            ..block(Block {
                order: Order::Post,
                fused_qkv: true,
                activation: Activation::GeluPlain,
                eager_only: true,
                attention_dropout: true,
                residual_dropout: true,
                output_dropout: true,
                embedding_dropout: true,
                ..PLAIN
            })
        },
        "gpt_bigcode" => Kind {
            class: "gpt_bigcode",
            usual_positions: 1024.0,
            tied: true,
            extra_positions: Some(0.0),
            ..block(Block {
                fused_qkv: true,
                attention_dropout: true,
                residual_dropout: true,
                output_dropout: true,
                embedding_dropout: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "gpt_neo" => Kind {
            class: "gpt_neo",
            tied: true,
            extra_positions: Some(0.0),
            ..block(Block {
                qkv_bias: false,
                activation: Activation::GeluPlain,
                eager_only: true,
                wide_scores: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "gptj" => Kind {
            class: "gptj",
            head_bias: true,
            ..block(Block {
                order: Order::Parallel,
                position: Position::Rotary,
                rotary: 0.25,
                tokens_first: true,
                wide_scores: true,
                qkv_bias: false,
                out_bias: false,
                activation: Activation::GeluPlain,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "codegen" => Kind {
            class: "codegen",
            head_bias: true,
            ..block(Block {
                order: Order::Parallel,
                position: Position::Rotary,
                rotary: 0.5,
                fused_qkv: true,
                copied_parts: true,
                tokens_first: true,
                wide_scores: true,
                qkv_bias: false,
                out_bias: false,
                activation: Activation::GeluPlain,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "gpt_neox" => Kind {
            class: "gpt_neox",
            ..block(Block {
                order: Order::ParallelTwo,
                position: Position::Rotary,
                rotary: 0.25,
                fused_qkv: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "opt" => Kind {
            class: "opt",
            tied: true,
            extra_positions: Some(2.0),
            ..block(Block {
                activation: Activation::Relu,
                residual_dropout: true,
                output_dropout: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "bloom" => Kind {
            class: "bloom",
            tied: true,
            embedding_norm: true,
            ..block(Block {
                fused_qkv: true,
                position: Position::Alibi,
                activation: Activation::GeluOwn,
                eager_only: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "mpt" => Kind {
            class: "mpt",
            tied: true,
            ..block(Block {
                norm_bias: false,
                fused_qkv: true,
                qkv_bias: false,
                out_bias: false,
                mlp_bias: false,
                position: Position::Alibi,
                eager_only: true,
                softmax: Softmax::Wide,
                ..PLAIN
            })
        },
        "falcon" => Kind {
            class: "falcon",
            tied: true,
            ..block(Block {
                order: Order::Parallel,
                fused_qkv: true,
                copied_parts: true,
                qkv_bias: false,
                out_bias: false,
                mlp_bias: false,
                position: Position::Rotary,
                ..PLAIN
            })
        },
        _ => return None,
    })
}
