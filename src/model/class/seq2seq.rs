//! Encoders with decoders: translation, summaries, speech.

use super::{Kind, PLAIN, SEQ2SEQ};
use crate::model::Family;
use crate::model::architecture::{Activation, Block, Norm, Order, Position, Softmax};

/// The kind of a `model_type`.
pub(super) fn kind(class: &str) -> Option<Kind> {
    Some(match class {
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
        _ => return None,
    })
}
