//! From a question to bytes: what lives all the time, the three moments at which the most may be alive, and the
//! largest of them.

mod bands;
mod plain;
mod transformer;

use super::request::{Request, Subject};
use crate::names::named;
use crate::units::{Band, Bytes};
pub use transformer::cache_bytes;

named! {
    /// The moment at which the most is alive.
    pub enum Phase {
        /// The end of the forward pass, in the loss.
        Forward = "forward",
        /// The backward pass.
        Backward = "backward",
        /// The optimizer's step.
        Optimizer = "optimizer",
    }
}

/// Bytes by what they are for, at the peak. They add up to the allocated peak.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Components {
    /// Weights.
    pub weights: f64,
    /// Gradients that exist during the whole phase.
    pub gradients: f64,
    /// Optimizer states.
    pub optimizer: f64,
    /// What the forward pass keeps for the backward pass.
    pub activations: f64,
    /// 16-bit copies of weights under autocast.
    pub copies: f64,
    /// Loss, gradients in flight, workspaces of the optimizer's step.
    pub temporaries: f64,
    /// Keys and values of generation.
    pub cache: f64,
    /// The batch, buffers and library workspaces.
    pub buffers: f64,
}

impl Components {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.weights
            + self.gradients
            + self.optimizer
            + self.activations
            + self.copies
            + self.temporaries
            + self.cache
            + self.buffers
    }
}

/// An answer. Three numbers are kept apart: what the tensors take, what a card must offer, and what `nvidia-smi`
/// would show on a roomy card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Peak of the bytes that tensors take (`torch.cuda.max_memory_allocated`).
    pub allocated: Band<Bytes>,
    /// The smallest usable memory on which it runs: fragmentation and context on top.
    pub needed: Band<Bytes>,
    /// What the driver reports for the process on a card with memory to spare.
    pub shown: Band<Bytes>,
    /// What the allocated peak is made of.
    pub components: Components,
    /// When it is reached.
    pub phase: Phase,
    /// All parameters.
    pub params: f64,
    /// Those that are trained.
    pub trained: f64,
}

/// The matrix library's workspace, one per process and stream (4,096 × 2 + 16 × 8 KiB; cuBLAS on Ampere).
const WORKSPACE: f64 = 8.2 * 1_048_576.0;

/// Estimates the memory of one device.
pub fn estimate(request: &Request) -> Estimate {
    let raw = match &request.subject {
        Subject::Transformer(t) => transformer::transformer(t, request),
        Subject::Image(image) => plain::images(image, request),
        Subject::Mlp { layers, hidden } => plain::mlp(*layers, *hidden, request),
        Subject::Plain => plain::plain(request),
    };
    bands::finish(&raw, request)
}

struct Raw {
    components: Components,
    phase: Phase,
    params: f64,
    trained: f64,
}

/// States and the three moments.
struct Moments {
    weights: f64,
    optimizer: f64,
    /// All gradients.
    gradients: f64,
    /// They exist before the passes begin.
    accumulated: bool,
    buffers: f64,
    forward: f64,
    backward: f64,
    kept: f64,
    copies: f64,
    step: f64,
    cache: f64,
}

impl Moments {
    fn peak(&self) -> (Components, Phase) {
        let before = if self.accumulated { self.gradients } else { 0.0 };
        let (forward, backward) = (before + self.forward, before + self.backward);
        let step = self.gradients + self.step;
        let mut c = Components {
            weights: self.weights,
            optimizer: self.optimizer,
            cache: self.cache,
            buffers: self.buffers,
            ..Components::default()
        };
        let phase = if step >= forward && step >= backward && step > 0.0 {
            c.gradients = self.gradients;
            c.temporaries = self.step;
            return (c, Phase::Optimizer);
        } else if backward > forward {
            Phase::Backward
        } else {
            Phase::Forward
        };
        let pass = if phase == Phase::Backward { self.backward } else { self.forward };
        c.gradients = before;
        c.copies = self.copies.min(pass);
        c.activations = (self.kept - self.copies).max(0.0).min(pass - c.copies);
        c.temporaries = pass - c.copies - c.activations;
        (c, phase)
    }
}
