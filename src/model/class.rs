//! Kinds of transformers by the name that `config.json` gives them: what their layers do unless the file says
//! otherwise. Read off the models' definitions in the transformers library (5.24); each is a small difference to one
//! of a few plain kinds.

mod decoder;
mod encoder;
mod seq2seq;

use super::Family;
use super::architecture::{Activation, Block, Gate, Head, Norm, Order, Position, QkNorm, Softmax};

/// A kind with its defaults.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
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
pub fn kind(class: &str) -> Option<Kind> {
    decoder::kind(class).or_else(|| encoder::kind(class)).or_else(|| seq2seq::kind(class))
}

/// The kinds that are known by name.
pub const CLASSES: &[&str] = &[
    "albert",
    "apertus",
    "arcee",
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
    "exaone4",
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
    "hunyuan_v1_dense",
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
    "nomic_bert",
    "olmo",
    "olmo2",
    "olmo3",
    "openai-gpt",
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
