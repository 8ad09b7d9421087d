//! Encoders of text and of images.

use super::{BERT, DECODER, ENCODER, Kind, PLAIN, VIT};
use crate::model::architecture::{Activation, Block, Gate, Head, Norm, Position, Softmax};

/// The kind of a `model_type`.
pub(super) fn kind(class: &str) -> Option<Kind> {
    Some(match class {
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
        "nomic_bert" => Kind {
            class: "nomic_bert",
            extra_positions: None,
            block: Block {
                position: Position::Rotary,
                gate: Gate::Separate,
                activation: Activation::Silu,
                qkv_bias: false,
                out_bias: false,
                mlp_bias: false,
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
        "vit" | "deit" => VIT,
        "vit_timm" => Kind { class: "vit_timm", block: Block { fused_qkv: true, ..PLAIN }, ..VIT },
        "vit_torch" => {
            Kind { class: "vit_torch", block: Block { fused_qkv: true, packed: true, ..PLAIN }, ..VIT }
        }
        "dinov2" => Kind { class: "dinov2", block: Block { layer_scale: true, ..PLAIN }, ..VIT },
        _ => return None,
    })
}
