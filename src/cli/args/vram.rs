//! The arguments of `plan vram`.

use super::quantity;
use crate::units::Date;
use std::path::PathBuf;

/// Memory that a model needs on one GPU, what fits, and what to try when it does not.
#[derive(Debug, clap::Args)]
pub struct VramArgs {
    /// A workload: the memory of each of its stages that runs a model.
    #[arg(value_name = "WORKLOAD", conflicts_with_all = ["architecture", "config", "params", "cases"])]
    pub workload: Option<PathBuf>,
    /// Only this stage of the workload.
    #[arg(long, value_name = "NAME", requires = "workload")]
    pub stage: Option<String>,
    /// Offers on whose cards it fits too, the cheapest first (always for a workload).
    #[arg(long)]
    pub offers: bool,
    /// A named architecture, such as resnet50, bert-base or llama-3-8b.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["config", "cases"])]
    pub architecture: Option<String>,
    /// A Hugging Face config.json, or a .safetensors file or index (only its header is read).
    #[arg(long, value_name = "FILE", conflicts_with = "cases")]
    pub config: Option<PathBuf>,
    /// Parameters, such as 7B, where nothing more is known.
    #[arg(long, value_name = "N")]
    pub params: Option<String>,
    /// Workload family, beside --params.
    #[arg(long, value_name = "FAMILY")]
    pub family: Option<String>,
    /// Elements of all convolutions' outputs per sample, for a CNN beside --params.
    #[arg(long, value_name = "N")]
    pub conv_outputs: Option<String>,
    /// Samples (sequences, images) that the GPU holds in one pass.
    #[arg(long, short = 'b', value_name = "N", allow_hyphen_values = true)]
    pub batch_size: Option<String>,
    /// Tokens per sequence.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seq_len: Option<String>,
    /// Tokens per target sequence of an encoder-decoder.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub target_len: Option<String>,
    /// Edge of a square image, or WIDTHxHEIGHT.
    #[arg(long, value_name = "PIXELS", allow_hyphen_values = true)]
    pub image_size: Option<String>,
    /// Number format: fp32, amp-fp16, amp-bf16, bf16, fp16, int8 or int4.
    #[arg(long, value_name = "FORMAT")]
    pub precision: Option<String>,
    /// Optimizer: sgd, sgd-momentum, adam, adamw, adamw-fused, adafactor, adamw-8bit or paged-adamw-8bit.
    #[arg(long, value_name = "NAME")]
    pub optimizer: Option<String>,
    /// Recompute activations in the backward pass.
    #[arg(long)]
    pub gradient_checkpointing: bool,
    /// Forward passes per optimizer step.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub accumulate: Option<String>,
    /// Attention: sdpa (fused, flash) or eager (written out).
    #[arg(long, value_name = "KIND")]
    pub attention: Option<String>,
    /// What is done: train, inference, lora or qlora.
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Rank of low-rank adapters.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub lora_rank: Option<String>,
    /// Matrices with adapters: all or qv (queries and values).
    #[arg(long, value_name = "WHICH")]
    pub lora_targets: Option<String>,
    /// GPUs that share the model.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub gpus: Option<String>,
    /// How they share it: none (data parallel), zero1, zero2, zero3 (FSDP), tensor or pipeline.
    #[arg(long, value_name = "KIND")]
    pub sharding: Option<String>,
    /// A card, such as T4: does it fit (exit status 1 if not), and the largest batch that does.
    #[arg(long, value_name = "CARD")]
    pub gpu: Option<String>,
    /// Many cases in one process: a CSV file with the columns model, family, params, …; answers in CSV.
    #[arg(long, value_name = "FILE")]
    pub cases: Option<PathBuf>,
    /// Format of the answer: text or json.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Count ages of prices from this day instead of today.
    #[arg(long, value_name = "DATE", value_parser = quantity::<Date>)]
    pub today: Option<Date>,
}
