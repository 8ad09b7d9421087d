//! `[model]` and a stage's own `model = { … }` as written.

use crate::diag::Diagnostics;
use crate::read::Located;
use crate::read::table::Fields;
use crate::terms::{Family, Mode, Optimizer, Precision, Sharding};

/// `[model]`: what is trained or run. A stage's own model overrides it key by key.
#[derive(Debug, Clone, Default)]
pub struct RawModel {
    /// Keys that the table states, misspelt ones as what they most likely mean.
    pub stated: Vec<String>,
    /// `architecture`: a known model by name, which gives family, parameters and native size.
    pub architecture: Option<Located<String>>,
    /// `family`: the shape of its arithmetic.
    pub family: Option<Located<Family>>,
    /// `params`: number of parameters.
    pub params: Option<Located<f64>>,
    /// `active_params`: parameters that take part in one token's arithmetic (mixture of experts).
    pub active_params: Option<Located<f64>>,
    /// `trainable_params`: parameters that are trained (frozen layers, adapters).
    pub trainable_params: Option<Located<f64>>,
    /// `batch_size`: samples per optimizer step over all devices; for inference, samples per forward pass.
    pub batch_size: Option<Located<f64>>,
    /// `micro_batch`: samples that one device holds in one forward pass.
    pub micro_batch: Option<Located<f64>>,
    /// `accumulate`: forward passes per optimizer step and device.
    pub accumulate: Option<Located<u32>>,
    /// `seq_len`: tokens per sample.
    pub seq_len: Option<Located<u32>>,
    /// `image_size`: edge of a square image in pixels.
    pub image_size: Option<Located<u32>>,
    /// `precision`: number format of weights and arithmetic.
    pub precision: Option<Located<Precision>>,
    /// `optimizer`: what updates the weights.
    pub optimizer: Option<Located<Optimizer>>,
    /// `mode`: what the training stages train; other stages run forward passes.
    pub mode: Option<Located<Mode>>,
    /// `sharding`: how the model is spread over several devices. Only then is their memory added up.
    pub sharding: Option<Located<Sharding>>,
    /// `gradient_checkpointing`: whether activations are recomputed in the backward pass.
    pub gradient_checkpointing: Option<Located<bool>>,
    /// `filled`: share of `seq_len` that the samples fill on average, above 0 to 1.
    pub filled: Option<Located<f64>>,
}

impl RawModel {
    pub(super) fn read(mut fields: Fields<'_>, diags: &mut Diagnostics) -> Self {
        let mut raw = Self {
            stated: Vec::new(),
            architecture: fields.text("architecture", diags),
            family: fields.named("family", diags),
            params: fields.count("params", diags),
            active_params: fields.count("active_params", diags),
            trainable_params: fields.count("trainable_params", diags),
            batch_size: fields.count("batch_size", diags),
            micro_batch: fields.count("micro_batch", diags),
            accumulate: fields.whole("accumulate", (1, 1_000_000), diags),
            seq_len: fields.whole("seq_len", (1, 100_000_000), diags),
            image_size: fields.whole("image_size", (1, 100_000), diags),
            precision: fields.named("precision", diags),
            optimizer: fields.named("optimizer", diags),
            mode: fields.named("mode", diags),
            sharding: fields.named("sharding", diags),
            gradient_checkpointing: fields.boolean("gradient_checkpointing", diags),
            filled: fields.number_within("filled", (0.01, 1.0), diags),
        };
        raw.stated = fields.finish(diags);
        raw
    }
}
