//! The words of a workload, each with its one spelling: kinds of stage, classes of machine, ways to buy, number
//! formats, optimizers. What they mean is written where they are used.

use crate::names::named;

named! {
    /// What a stage does (the documents' roles).
    pub enum StageKind {
        /// Download, decompress, resize, convert, sample.
        Prepare = "prepare",
        /// Data augmentation.
        Augment = "augment",
        /// Negative mining: runs the model over data.
        Mine = "mine",
        /// Forward, backward, update.
        Train = "train",
        /// Hyper-parameter search: many small trainings.
        Tune = "tune",
        /// Trial logs, metric roll-ups.
        Analyze = "analyze",
        /// One forward pass over a validation set.
        Evaluate = "evaluate",
        /// Online inference.
        Serve = "serve",
        /// Serial batch work: branches, joins.
        Batch = "batch",
        /// Video transcoding.
        Transcode = "transcode",
    }
}

impl StageKind {
    /// Whether the stage runs the model.
    pub const fn runs_model(self) -> bool {
        matches!(self, Self::Mine | Self::Train | Self::Tune | Self::Evaluate | Self::Serve)
    }

    /// Whether it is made of pieces that are each run again when lost, rather than of one job.
    pub const fn in_pieces(self) -> bool {
        matches!(self, Self::Prepare | Self::Augment | Self::Mine | Self::Tune | Self::Transcode)
    }

    /// Whether it trains it.
    pub const fn trains(self) -> bool {
        matches!(self, Self::Train | Self::Tune)
    }
}

named! {
    /// What joins the machines that share one training.
    pub enum Network {
        /// Ordinary Ethernet between instances, 10 to 100 Gbit/s.
        Ethernet = "ethernet",
        /// InfiniBand, or what does the same (EFA, RoCE): a link of its own for each card.
        Infiniband = "infiniband",
    }
}

named! {
    /// Which kind of machine.
    pub enum Class {
        /// General-purpose instance.
        Cpu = "cpu",
        /// Instance with accelerators.
        Gpu = "gpu",
    }
}

named! {
    /// How an instance is bought.
    pub enum Purchase {
        /// By the hour, fixed price, released at any time.
        OnDemand = "on-demand",
        /// By the hour, cheaper, can be taken away.
        Spot = "spot",
        /// On spot while there is time, on-demand as soon as the deadline would otherwise be lost.
        Fallback = "spot-fallback",
        /// A whole month, paid whole.
        Month = "month",
        /// A year's commitment.
        Year = "year",
        /// Three years' commitment.
        ThreeYears = "three-years",
        /// A machine that is there and paid already.
        Owned = "owned",
    }
}

impl Purchase {
    /// The ways in which an offer of a catalog is sold, with their spellings.
    pub const SOLD: [(Self, &'static str); 5] = [
        (Self::OnDemand, "on-demand"),
        (Self::Spot, "spot"),
        (Self::Month, "month"),
        (Self::Year, "year"),
        (Self::ThreeYears, "three-years"),
    ];

    /// Whether it is paid by the hour.
    pub const fn is_hourly(self) -> bool {
        matches!(self, Self::OnDemand | Self::Spot | Self::Fallback)
    }

    /// Whether it is paid by whole terms.
    pub const fn is_prepaid(self) -> bool {
        matches!(self, Self::Month | Self::Year | Self::ThreeYears)
    }

    /// The way as tables show it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot => "spot",
            Self::Fallback => "spot + on-demand",
            Self::Month => "month",
            Self::Year => "1 year",
            Self::ThreeYears => "3 years",
            Self::Owned => "owned",
        }
    }
}

named! {
    /// What a plan is to have least of.
    pub enum Aim {
        /// Cost; under a deadline the least cost that keeps it.
        Cost = "cost",
        /// Time from start to end; under a budget the least time that it allows.
        Time = "time",
    }
}

named! {
    /// What time is worth (A-L3).
    pub enum Urgency {
        /// A baseline or a lesson: overnight will do.
        Experiment = "experiment",
        /// Work goes on with the result within hours.
        Iteration = "iteration",
        /// Time-sensitive.
        Online = "online",
    }
}

named! {
    /// Whether the software has a GPU version (B-Q2).
    pub enum GpuSupport {
        /// Yes, in wide use.
        Mature = "mature",
        /// Partly: some work to port.
        Partial = "partial",
        /// No.
        None = "none",
    }
}

named! {
    /// Whether the load is steady (B-Q3).
    pub enum Load {
        /// The same around the clock.
        Steady = "steady",
        /// Peaks and pauses.
        Bursty = "bursty",
    }
}

named! {
    /// What a measured time was taken for.
    pub enum Per {
        /// The whole stage.
        Stage = "stage",
        /// One pass over the data.
        Epoch = "epoch",
        /// One trial of a search.
        Trial = "trial",
        /// One sample or request.
        Item = "item",
    }
}

named! {
    /// Where a checkpoint is written.
    pub enum CheckpointTo {
        /// Object storage or a network disk: it outlives the instance.
        Durable = "durable",
        /// The instance's own disk: it is lost with the instance.
        Local = "local",
    }
}

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

    /// Whether it asks for BF16 by name: cards before Ampere do not have it.
    pub const fn needs_bf16(self) -> bool {
        matches!(self, Self::Bf16 | Self::AmpBf16)
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

named! {
    /// The software that a card runs. A stage runs on CUDA cards unless it says otherwise.
    pub enum Stack {
        /// NVIDIA.
        Cuda = "cuda",
        /// AMD.
        Rocm = "rocm",
        /// AWS Inferentia and Trainium.
        Neuron = "neuron",
        /// Intel Gaudi.
        Gaudi = "gaudi",
        /// Google TPU.
        Tpu = "tpu",
    }
}
