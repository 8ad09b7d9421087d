//! Kinds of transformers by the name that `config.json` gives them: what their layers do unless the file says
//! otherwise. Read off the models' definitions in the transformers library (5.24); each is a small difference to one
//! of a few plain kinds.

use super::Family;
use super::architecture::{Activation, Block, Gate, Head, Norm, Order, Position, QkNorm, Softmax};

/// A kind with its defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kind {
    /// Its name.
    pub class: &'static str,
    /// Its family, experts aside.
    pub family: Family,
    /// Its layer.
    pub block: Block,
    /// What stands on top.
    pub head: Head,
    /// The head has the embedding's weights.
    pub tied: bool,
    /// The head has a bias.
    pub head_bias: bool,
    /// The embedding is normalised.
    pub embedding_norm: bool,
    /// A norm follows the last layer.
    pub final_norm: bool,
    /// Rows of token types, where the configuration does not say.
    pub types: f64,
    /// Rows that the table of positions has beyond the stated length; none when there is no table.
    pub extra_positions: Option<f64>,
    /// Stated length where the configuration leaves it out.
    pub usual_positions: f64,
    /// A bias that is not trained is added to the logits.
    pub constant_bias: bool,
    /// The loss widens the logits to 32 bits first.
    pub wide_loss: bool,
}

const DECODER: Block = Block {
    norm: Norm::Rms,
    order: Order::Pre,
    norm_bias: false,
    fused_qkv: false,
    copied_parts: false,
    tokens_first: false,
    qkv_bias: false,
    key_bias: true,
    out_bias: false,
    mlp_bias: false,
    qk_norm: QkNorm::None,
    position: Position::Rotary,
    rotary: 1.0,
    activation: Activation::Silu,
    gate: Gate::Separate,
    softmax: Softmax::Wide,
    eager_only: false,
    wide_scores: false,
    softcap: false,
    attention_dropout: false,
    residual_dropout: false,
    output_dropout: false,
    inner_dropout: false,
    embedding_dropout: false,
    layer_scale: false,
    packed: false,
};

/// LayerNorm, biases everywhere, two matrices.
const PLAIN: Block = Block {
    norm: Norm::Layer,
    norm_bias: true,
    qkv_bias: true,
    out_bias: true,
    mlp_bias: true,
    position: Position::Embedding,
    activation: Activation::Gelu,
    gate: Gate::None,
    softmax: Softmax::Plain,
    ..DECODER
};

const BERT: Block = Block {
    order: Order::Post,
    attention_dropout: true,
    residual_dropout: true,
    output_dropout: true,
    embedding_dropout: true,
    ..PLAIN
};

const LLAMA: Kind = Kind {
    class: "llama",
    family: Family::Decoder,
    block: DECODER,
    head: Head::Causal,
    tied: false,
    head_bias: false,
    embedding_norm: false,
    final_norm: true,
    types: 0.0,
    extra_positions: None,
    usual_positions: 2048.0,
    constant_bias: false,
    wide_loss: true,
};

const ENCODER: Kind = Kind {
    class: "bert",
    family: Family::Encoder,
    block: BERT,
    head: Head::Masked,
    tied: true,
    head_bias: true,
    embedding_norm: true,
    final_norm: false,
    types: 2.0,
    extra_positions: Some(0.0),
    usual_positions: 512.0,
    constant_bias: false,
    wide_loss: false,
};

const SEQ2SEQ: Kind = Kind {
    class: "bart",
    family: Family::EncoderDecoder,
    block: Block {
        order: Order::Post,
        residual_dropout: true,
        output_dropout: true,
        embedding_dropout: true,
        ..PLAIN
    },
    head: Head::Causal,
    tied: true,
    head_bias: false,
    embedding_norm: true,
    final_norm: false,
    types: 0.0,
    extra_positions: Some(2.0),
    usual_positions: 1024.0,
    constant_bias: true,
    wide_loss: false,
};

const VIT: Kind = Kind {
    class: "vit",
    family: Family::Vit,
    block: PLAIN,
    head: Head::Classify,
    tied: false,
    head_bias: true,
    embedding_norm: false,
    final_norm: true,
    types: 0.0,
    extra_positions: None,
    usual_positions: 2048.0,
    constant_bias: false,
    wide_loss: false,
};

/// What a kind is taken for when nothing is known about it.
pub const FALLBACK: Kind = LLAMA;

/// The kind of a `model_type`; `None` for one that is not known.
#[expect(clippy::too_many_lines, reason = "a table")]
pub fn kind(class: &str) -> Option<Kind> {
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
        "bert" => ENCODER,
        "roberta" | "xlm-roberta" | "camembert" => Kind { class: "roberta", types: 1.0, ..ENCODER },
        "electra" => Kind { class: "electra", head: Head::None, ..ENCODER },
        "distilbert" => Kind {
            class: "distilbert",
            types: 0.0,
            block: Block { residual_dropout: false, ..BERT },
            ..ENCODER
        },
        "albert" => Kind {
            class: "albert",
            block: Block {
                activation: Activation::GeluPlain,
                attention_dropout: false,
                residual_dropout: false,
                output_dropout: false,
                embedding_dropout: false,
                ..BERT
            },
            ..ENCODER
        },
        "mpnet" => Kind {
            class: "mpnet",
            types: 0.0,
            block: Block { position: Position::Bias, eager_only: true, ..BERT },
            ..ENCODER
        },
        "modernbert" => Kind {
            class: "modernbert",
            wide_loss: true,
            types: 0.0,
            extra_positions: None,
            final_norm: true,
            block: Block {
                norm: Norm::Layer,
                fused_qkv: true,
                gate: Gate::Fused,
                activation: Activation::Gelu,
                softmax: Softmax::Wide,
                ..DECODER
            },
            ..ENCODER
        },
        "bart" => SEQ2SEQ,
        "mbart" => Kind {
            class: "mbart",
            final_norm: true,
            block: Block { order: Order::Pre, ..SEQ2SEQ.block },
            ..SEQ2SEQ
        },
        "pegasus" => Kind {
            class: "pegasus",
            final_norm: true,
            embedding_norm: false,
            extra_positions: Some(0.0),
            block: Block { order: Order::Pre, activation: Activation::Relu, ..SEQ2SEQ.block },
            ..SEQ2SEQ
        },
        "m2m_100" => Kind {
            class: "m2m_100",
            constant_bias: false,
            final_norm: true,
            embedding_norm: false,
            extra_positions: None,
            block: Block { order: Order::Pre, activation: Activation::Relu, ..SEQ2SEQ.block },
            ..SEQ2SEQ
        },
        "marian" => Kind {
            class: "marian",
            embedding_norm: false,
            extra_positions: Some(0.0),
            block: Block { activation: Activation::Silu, ..SEQ2SEQ.block },
            ..SEQ2SEQ
        },
        "t5" | "mt5" | "umt5" => Kind {
            class: "t5",
            constant_bias: false,
            embedding_norm: false,
            final_norm: true,
            extra_positions: None,
            block: Block {
                norm: Norm::RmsT5,
                order: Order::Pre,
                norm_bias: false,
                qkv_bias: false,
                out_bias: false,
                mlp_bias: false,
                position: Position::Bias,
                activation: Activation::Relu,
                attention_dropout: true,
                residual_dropout: true,
                output_dropout: true,
                inner_dropout: true,
                embedding_dropout: true,
                softmax: Softmax::Wide,
                ..PLAIN
            },
            ..SEQ2SEQ
        },
        "whisper" => Kind {
            class: "whisper",
            constant_bias: false,
            usual_positions: 448.0,
            family: Family::Speech,
            embedding_norm: false,
            final_norm: true,
            extra_positions: Some(0.0),
            block: Block { order: Order::Pre, key_bias: false, ..PLAIN },
            ..SEQ2SEQ
        },
        "vit" | "deit" => VIT,
        "vit_timm" => Kind { class: "vit_timm", block: Block { fused_qkv: true, ..PLAIN }, ..VIT },
        "vit_torch" => {
            Kind { class: "vit_torch", block: Block { fused_qkv: true, packed: true, ..PLAIN }, ..VIT }
        }
        "dinov2" => Kind { class: "dinov2", block: Block { layer_scale: true, ..PLAIN }, ..VIT },
        _ => return None,
    })
}

/// The kinds that are known by name.
pub const CLASSES: &[&str] = &[
    "albert",
    "bart",
    "bert",
    "bloom",
    "camembert",
    "codegen",
    "cohere",
    "deit",
    "dinov2",
    "distilbert",
    "electra",
    "exaone",
    "falcon",
    "gemma",
    "gemma2",
    "gemma3_text",
    "glm",
    "glm4",
    "gpt2",
    "gpt_bigcode",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "granite",
    "llama",
    "m2m_100",
    "marian",
    "mbart",
    "mistral",
    "mixtral",
    "modernbert",
    "mpnet",
    "mpt",
    "mt5",
    "nemotron",
    "olmo",
    "olmo2",
    "olmoe",
    "opt",
    "pegasus",
    "persimmon",
    "phi",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "roberta",
    "smollm3",
    "stablelm",
    "starcoder2",
    "t5",
    "umt5",
    "vit",
    "whisper",
    "xlm-roberta",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_kind() {
        for class in CLASSES {
            assert!(kind(class).is_some(), "{class}");
        }
        assert!(kind("quaternion").is_none());
    }
}
