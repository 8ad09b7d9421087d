//! What is asked: a model and how it is run on one device.

use super::images::ImageModel;
use crate::model::architecture::Transformer;
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A transformer with known dimensions.
    Transformer(Transformer),
    /// An image model by bytes per sample.
    Image(ImageModel),
    /// A fully connected network; a linear model has one layer.
    Mlp {
        /// Layers.
        layers: f64,
        /// Width of the hidden layers.
        hidden: f64,
    },
    /// Trees and what else has no layers: its parameters alone.
    Plain,
}

/// How sure the description is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// An architecture of the zoo, or a configuration of a known kind.
    Known,
    /// A configuration of a kind that is not known: read from its keys.
    Keys,
    /// Parameters and family alone: an architecture of that family and size stands in.
    Family,
}

/// Which matrices have low-rank adapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    /// All of every layer.
    All,
    /// Queries and values.
    QueriesAndValues,
}

/// A question.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// What is run.
    pub subject: Subject,
    /// Its family.
    pub family: Family,
    /// How sure that is.
    pub basis: Basis,
    /// Parameters, where they are stated otherwise than the subject's own count.
    pub params: Option<f64>,
    /// Samples that the device holds in one forward pass.
    pub batch: f64,
    /// Tokens per sample (of the encoder, where there are two stacks).
    pub seq: f64,
    /// Tokens of the decoder, where there are two stacks.
    pub target: f64,
    /// Pixels per image: width × height.
    pub pixels: f64,
    /// Number format.
    pub precision: Precision,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// What is done.
    pub mode: Mode,
    /// Layers are recomputed in the backward pass.
    pub checkpointing: bool,
    /// Forward passes per optimizer step.
    pub accumulate: f64,
    /// Attention is written out instead of fused.
    pub eager: bool,
    /// Rank of the adapters.
    pub rank: f64,
    /// Which matrices have them.
    pub targets: Targets,
    /// 4-bit scales are quantised once more.
    pub double_quantised: bool,
    /// Tables, norms and head of a model with 4-bit weights are widened to 32 bits for training (k-bit preparation).
    pub widened: bool,
    /// Each parameter is updated as soon as it has its gradient, which is then freed.
    pub step_in_backward: bool,
    /// Devices that share the model.
    pub devices: f64,
    /// How.
    pub sharding: Sharding,
}

impl Request {
    /// One sample, trained in 32 bits with AdamW on one device, at the subject's native size.
    pub fn new(subject: Subject, family: Family, basis: Basis) -> Self {
        let (seq, target, edge) = match subject {
            Subject::Transformer(t) => (512.0, 512.0, t.patches.map_or(224.0, |p| p.image)),
            Subject::Image(image) => (1.0, 1.0, image.native),
            Subject::Mlp { .. } | Subject::Plain => (1.0, 1.0, 224.0),
        };
        Self {
            subject,
            family,
            basis,
            params: None,
            batch: 1.0,
            seq,
            target,
            pixels: edge * edge,
            precision: Precision::Fp32,
            optimizer: Optimizer::AdamW,
            mode: Mode::Train,
            checkpointing: false,
            accumulate: 1.0,
            eager: false,
            rank: 8.0,
            targets: Targets::All,
            double_quantised: true,
            widened: true,
            step_in_backward: false,
            devices: 1.0,
            sharding: Sharding::None,
        }
    }
}
