//! A transformer as far as memory and work depend on it: its dimensions, and what one of its layers does. The zoo
//! and `config.json` both become this; counts, FLOPs and memory are computed from it.

use super::Family;
use crate::names::named;

named! {
    /// How a layer normalises.
    pub enum Norm {
        /// LayerNorm, one fused operation.
        Layer = "layer-norm",
        /// LayerNorm in 32 bits without weights (OLMo).
        LayerFree = "layer-norm-free",
        /// LayerNorm written out in single operations (Cohere).
        LayerPlain = "layer-norm-plain",
        /// RMSNorm: normalised in 32 bits, cast back, then weighted (Llama).
        Rms = "rms-norm",
        /// RMSNorm weighted by 1 + w in 32 bits (Gemma).
        RmsOnePlus = "rms-norm-one-plus",
        /// RMSNorm whose input is scaled without a cast (T5).
        RmsT5 = "rms-norm-t5",
        /// RMSNorm weighted in 32 bits before the cast back (OLMo 2).
        RmsWide = "rms-norm-wide",
    }
}

named! {
    /// Where the norms of a layer stand.
    pub enum Order {
        /// Before attention and before the feed-forward part.
        Pre = "pre",
        /// After each residual sum (BERT).
        Post = "post",
        /// One norm feeds attention and feed-forward side by side (GPT-J, Phi).
        Parallel = "parallel",
        /// Side by side with a norm each (GPT-NeoX).
        ParallelTwo = "parallel-two",
        /// Before and after each part (Gemma 2).
        Sandwich = "sandwich",
        /// On the output of each part only (OLMo 2).
        Output = "output",
    }
}

named! {
    /// Activation of the feed-forward part.
    pub enum Activation {
        /// ReLU.
        Relu = "relu",
        /// GELU as one operation, exact or by tanh.
        Gelu = "gelu",
        /// GELU by tanh written out in single operations.
        GeluPlain = "gelu-new",
        /// GELU with a derivative of its own that keeps the input only (BLOOM).
        GeluOwn = "bloom-gelu",
        /// Sigmoid approximation, x · σ(1.702 x).
        GeluQuick = "quick-gelu",
        /// SiLU.
        Silu = "silu",
        /// Squared ReLU.
        ReluSquared = "relu2",
    }
}

named! {
    /// How the feed-forward part is gated.
    pub enum Gate {
        /// Two matrices, no gate.
        None = "none",
        /// A gate with a matrix of its own: three matrices.
        Separate = "separate",
        /// Gate and value come out of one matrix.
        Fused = "fused",
    }
}

named! {
    /// Normalisation of queries and keys.
    pub enum QkNorm {
        /// None.
        None = "none",
        /// Over each head.
        Head = "head",
        /// Over all heads together.
        Full = "full",
    }
}

named! {
    /// What the scores of written-out attention go through.
    pub enum Softmax {
        /// In the width that they have (autocast widens them).
        Plain = "plain",
        /// Widened to 32 bits and cast back.
        Wide = "wide",
    }
}

named! {
    /// How positions enter.
    pub enum Position {
        /// Added to the embedding, or not at all.
        Embedding = "embedding",
        /// Rotation of queries and keys.
        Rotary = "rotary",
        /// A bias on the scores (ALiBi).
        Alibi = "alibi",
        /// A trained bias on the scores (T5, MPNet).
        Bias = "bias",
    }
}

named! {
    /// What stands on top.
    pub enum Head {
        /// Next token over the vocabulary.
        Causal = "causal",
        /// Masked token over the vocabulary, after a transform.
        Masked = "masked",
        /// A few classes.
        Classify = "classify",
        /// A pooled vector.
        Pool = "pool",
        /// Nothing.
        None = "none",
    }
}

/// What one layer does.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Kind of its norms.
    pub norm: Norm,
    /// Where they stand.
    pub order: Order,
    /// Whether the norms have a bias.
    pub norm_bias: bool,
    /// Queries, keys and values come out of one matrix.
    pub fused_qkv: bool,
    /// Keys and values are copied out of that one matrix's result, not cut out of it (Falcon, CodeGen).
    pub copied_parts: bool,
    /// A partial rotation is put together again before heads and tokens are exchanged (GPT-J).
    pub tokens_first: bool,
    /// Bias of the query, key and value matrices.
    pub qkv_bias: bool,
    /// The key matrix has a bias too, where the others have.
    pub key_bias: bool,
    /// Bias of the output matrix of attention.
    pub out_bias: bool,
    /// Bias of the feed-forward matrices.
    pub mlp_bias: bool,
    /// Normalisation of queries and keys.
    pub qk_norm: QkNorm,
    /// How positions enter.
    pub position: Position,
    /// Share of a head that is rotated.
    pub rotary: f64,
    /// Activation.
    pub activation: Activation,
    /// Gate.
    pub gate: Gate,
    /// Softmax of written-out attention.
    pub softmax: Softmax,
    /// Attention is always written out: there is no fused form of it.
    pub eager_only: bool,
    /// Scores are computed in 32 bits whatever the queries have (GPT-J, GPT-Neo, CodeGen).
    pub wide_scores: bool,
    /// Scores are capped by tanh.
    pub softcap: bool,
    /// Dropout on attention weights.
    pub attention_dropout: bool,
    /// Dropout after attention.
    pub residual_dropout: bool,
    /// Dropout after the feed-forward part.
    pub output_dropout: bool,
    /// Dropout inside the feed-forward part.
    pub inner_dropout: bool,
    /// Dropout on the embedding.
    pub embedding_dropout: bool,
    /// Each part is scaled by a trained vector before it is added (DINOv2).
    pub layer_scale: bool,
    /// Queries, keys, values and the result are copied into a layout of their own (torchvision's attention).
    pub packed: bool,
}

/// Sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dims {
    /// Layers (of each stack, where there are two).
    pub layers: f64,
    /// Width of the residual stream.
    pub hidden: f64,
    /// Heads of queries.
    pub heads: f64,
    /// Heads of keys and values.
    pub kv_heads: f64,
    /// Width of a head.
    pub head_dim: f64,
    /// Width of the feed-forward part (of one expert).
    pub ffn: f64,
    /// Tokens in the vocabulary, or classes.
    pub vocab: f64,
    /// Rows of the table of positions.
    pub positions: f64,
    /// Rows of the table of token types.
    pub types: f64,
    /// Width of the embedding where it differs from `hidden`.
    pub embedding: f64,
}

impl Dims {
    /// Width of all queries.
    pub fn queries(&self) -> f64 {
        self.heads * self.head_dim
    }

    /// Width of all keys.
    pub fn keys(&self) -> f64 {
        self.kv_heads * self.head_dim
    }
}

/// A mixture of experts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experts {
    /// Experts per layer.
    pub count: f64,
    /// Experts per token.
    pub top: f64,
    /// Width of the experts that every token passes.
    pub shared: f64,
}

/// Images cut into patches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patches {
    /// Native edge of the image.
    pub image: f64,
    /// Edge of a patch.
    pub patch: f64,
    /// Tokens beside the patches.
    pub extra: f64,
}

/// The two stacks of an encoder-decoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stacks {
    /// Layers of the decoder; the encoder has `dims.layers`.
    pub decoder_layers: f64,
    /// Width of the decoder's feed-forward part.
    pub decoder_ffn: f64,
    /// Frequency bins of a speech encoder; none for text.
    pub mels: Option<f64>,
    /// Positions of a speech encoder after its convolutions.
    pub frames: f64,
}

/// A transformer.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transformer {
    /// Kind by its name in `config.json` (`model_type`).
    pub class: &'static str,
    /// Family.
    pub family: Family,
    /// Sizes.
    pub dims: Dims,
    /// Its layer.
    pub block: Block,
    /// Experts, where it has them.
    pub experts: Option<Experts>,
    /// What stands on top.
    pub head: Head,
    /// The head has the embedding's weights.
    pub tied: bool,
    /// The head has a bias.
    pub head_bias: bool,
    /// The loss widens the logits to 32 bits first.
    pub wide_loss: bool,
    /// A bias that is not trained is added to the logits (BART).
    pub constant_bias: bool,
    /// The logits are capped by tanh.
    pub logit_softcap: bool,
    /// One layer is run `layers` times (ALBERT).
    pub shared_layers: bool,
    /// The embedding is normalised.
    pub embedding_norm: bool,
    /// A norm follows the last layer.
    pub final_norm: bool,
    /// Image input.
    pub patches: Option<Patches>,
    /// Encoder and decoder.
    pub stacks: Option<Stacks>,
    /// Attention reaches back so many tokens only, on all layers but every `global_every`-th.
    pub window: Option<f64>,
    /// Every so many layers attention is not windowed; none when all are.
    pub global_every: Option<f64>,
    /// Width of the compressed cache entry of latent attention.
    pub latent: Option<f64>,
}
