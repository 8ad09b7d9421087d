//! Models: what is trained or run, as far as memory and time depend on it.

pub mod architecture;
pub mod class;
pub mod config;
pub mod parameters;
pub mod weights;
pub mod zoo;

pub use crate::terms::{Family, Mode, Optimizer, Precision, Sharding};

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
    /// Samples (sequences) per optimizer step over all devices; without training what one device runs at once.
    pub batch_size: f64,
    /// Samples that one device holds in one forward pass, where stated; without training what it runs at once.
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
    /// Share of `seq_len` that the samples fill on average; 1 where they are packed full.
    pub filled: f64,
}

impl Model {
    /// What one device holds in one forward pass when `devices` share a step. Without training there is no step to share:
    /// each device runs its own passes, of the whole batch.
    pub fn micro_batch_on(&self, devices: f64) -> f64 {
        self.micro_batch.unwrap_or_else(|| {
            if self.mode == Mode::Inference {
                return self.batch_size.max(1.0);
            }
            (self.batch_size / devices.max(1.0) / self.accumulation.max(1.0)).ceil().max(1.0)
        })
    }
}
