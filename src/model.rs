//! Models: what is trained or run, as far as memory and time depend on it.

pub mod architecture;
pub mod class;
pub mod config;
pub mod parameters;
pub mod weights;
pub mod zoo;

use crate::names::named;

named! {
    /// Workload family: what shape the arithmetic has.
    pub enum Family {
        /// Convolutional network.
        Cnn = "cnn",
        /// Vision transformer.
        Vit = "vit",
        /// Transformer encoder (BERT).
        Encoder = "transformer-encoder",
        /// Transformer decoder (GPT, Llama).
        Decoder = "transformer-decoder",
        /// Encoder and decoder (T5, BART, translation).
        EncoderDecoder = "encoder-decoder",
        /// Decoder with a mixture of experts.
        Moe = "moe",
        /// Diffusion model.
        Diffusion = "diffusion",
        /// Speech recognition and synthesis.
        Speech = "speech",
        /// Recommender with embedding tables.
        Recsys = "recsys",
        /// Fully connected network.
        Mlp = "mlp",
        /// Linear or logistic regression.
        Linear = "linear",
        /// Boosted trees (XGBoost, LightGBM, CatBoost).
        BoostedTrees = "boosted-trees",
    }
}

impl Family {
    /// Whether it is built from attention and feed-forward layers over tokens.
    pub const fn is_transformer(self) -> bool {
        matches!(self, Self::Vit | Self::Encoder | Self::Decoder | Self::EncoderDecoder | Self::Moe)
    }

    /// Whether it is a deep network, for which A-L1 says GPU.
    pub const fn is_deep(self) -> bool {
        !matches!(self, Self::Linear | Self::BoostedTrees | Self::Mlp)
    }
}

named! {
    /// Number format of weights and arithmetic.
    pub enum Precision {
        /// 32-bit floats throughout.
        Fp32 = "fp32",
        /// Automatic mixed precision: 32-bit weights, 16-bit arithmetic; BF16 where the card has it.
        Amp = "amp",
        /// Mixed precision with FP16.
        AmpFp16 = "amp-fp16",
        /// Mixed precision with BF16.
        AmpBf16 = "amp-bf16",
        /// BF16 throughout.
        Bf16 = "bf16",
        /// FP16 throughout.
        Fp16 = "fp16",
        /// 8-bit integers (inference).
        Int8 = "int8",
        /// 4-bit integers with their scales (inference, QLoRA base).
        Int4 = "int4",
    }
}

impl Precision {
    /// Bytes of one stored weight. Four bits carry half a bit of scales (4.5 bits in all).
    pub const fn weight_bytes(self) -> f64 {
        match self {
            Self::Fp32 | Self::Amp | Self::AmpFp16 | Self::AmpBf16 => 4.0,
            Self::Bf16 | Self::Fp16 => 2.0,
            Self::Int8 => 1.0,
            Self::Int4 => 4.5 / 8.0,
        }
    }

    /// Whether the matrix arithmetic runs in 16 bits.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::Amp | Self::AmpFp16 | Self::AmpBf16 | Self::Bf16 | Self::Fp16)
    }
}

named! {
    /// What updates the weights.
    pub enum Optimizer {
        /// Plain stochastic gradient descent.
        Sgd = "sgd",
        /// With momentum.
        SgdMomentum = "sgd-momentum",
        /// Adam.
        Adam = "adam",
        /// AdamW, the usual torch form.
        AdamW = "adamw",
        /// AdamW, fused form.
        AdamWFused = "adamw-fused",
        /// Adafactor.
        Adafactor = "adafactor",
        /// AdamW with 8-bit states.
        AdamW8bit = "adamw-8bit",
        /// AdamW with 8-bit states paged to main memory.
        PagedAdamW8bit = "paged-adamw-8bit",
    }
}

impl Optimizer {
    /// Bytes of optimizer state per trainable parameter whose weights take `weight_bytes` each. States have the
    /// width of the weights (`PyTorch`); 8-bit states add one 4-byte scale per 256 values and tensor; Adafactor keeps
    /// row and column sums only, counted as none; paged states live in main memory when the card is full.
    pub const fn state_bytes(self, weight_bytes: f64) -> f64 {
        match self {
            Self::Sgd | Self::Adafactor | Self::PagedAdamW8bit => 0.0,
            Self::SgdMomentum => weight_bytes,
            Self::Adam | Self::AdamW | Self::AdamWFused => 2.0 * weight_bytes,
            Self::AdamW8bit => 2.0 + 8.0 / 256.0,
        }
    }
}

named! {
    /// What a stage does with a model.
    pub enum Mode {
        /// All weights are trained.
        Train = "train",
        /// Low-rank adapters are trained over frozen 16-bit weights.
        Lora = "lora",
        /// The same over frozen 4-bit weights.
        Qlora = "qlora",
        /// Forward passes only.
        Inference = "inference",
    }
}

named! {
    /// How one model is spread over several devices.
    pub enum Sharding {
        /// Every device holds everything (data parallel).
        None = "none",
        /// Optimizer states are divided.
        Zero1 = "zero1",
        /// Optimizer states and gradients are divided.
        Zero2 = "zero2",
        /// Weights too (FSDP).
        Zero3 = "zero3",
        /// Each layer is divided.
        Tensor = "tensor",
        /// Layers are divided among devices.
        Pipeline = "pipeline",
    }
}

/// A model as a stage uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Named architecture, where one was given.
    pub architecture: Option<String>,
    /// Its family.
    pub family: Family,
    /// Parameters.
    pub params: f64,
    /// Parameters that are trained; fewer than all with LoRA.
    pub trainable: f64,
    /// Parameters that take part in one token's arithmetic; fewer than all in a mixture of experts.
    pub active: f64,
    /// Samples (sequences) per optimizer step over all devices.
    pub batch_size: f64,
    /// Samples that one device holds in one forward pass, where stated.
    pub micro_batch: Option<f64>,
    /// Forward passes per optimizer step and device.
    pub accumulation: f64,
    /// Tokens per sample, for models over tokens.
    pub seq_len: Option<f64>,
    /// Edge of a square image in pixels, for models over images.
    pub image_size: Option<f64>,
    /// Forward floating-point operations per sample, where known.
    pub forward_flops: Option<f64>,
    /// Number format.
    pub precision: Precision,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// What is done with it.
    pub mode: Mode,
    /// How it is spread.
    pub sharding: Sharding,
    /// Whether activations are recomputed in the backward pass.
    pub gradient_checkpointing: bool,
}

impl Model {
    /// What one device holds in one forward pass when `devices` share a step.
    pub fn micro_batch_on(&self, devices: f64) -> f64 {
        self.micro_batch.unwrap_or_else(|| {
            (self.batch_size / devices.max(1.0) / self.accumulation.max(1.0)).ceil().max(1.0)
        })
    }
}
