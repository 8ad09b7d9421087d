//! What one trial of a search takes of a GPU's memory: the figure by which trials are packed.

use super::document::rule_of_thumb;
use super::need::{Need, NeedBy};
use crate::job::Stage;
use crate::units::Bytes;

/// Memory of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialMemory {
    /// A whole card with less cannot run it.
    pub least: Bytes,
    /// A slice with less is not cut for it.
    pub wanted: Bytes,
    /// Whether it was measured; worked out otherwise.
    pub measured: bool,
}

/// The memory of one trial, where anything is known of it. A measured figure holds for cards and slices alike, and so
/// does the estimate of a known architecture. Where only family and parameters are known, what is exactly known (the
/// floor) turns a card away; a slice, which is cut to fit, must hold the documents' quick figure too (A-V1), since the
/// floor leaves activations out.
pub fn trial_memory(stage: &Stage, gradient_copies: f64) -> Option<TrialMemory> {
    if let Some(seen) = stage.measured_memory {
        return Some(TrialMemory { least: seen, wanted: seen, measured: true });
    }
    let model = stage.model.as_ref()?;
    let need = Need::of(model, 1.0, None);
    if need.by == NeedBy::Components {
        return Some(TrialMemory { least: need.binding, wanted: need.binding, measured: false });
    }
    let batch = model.micro_batch.unwrap_or(model.batch_size / model.accumulation.max(1.0));
    let wanted = rule_of_thumb(model.params, batch, gradient_copies).max(need.binding);
    Some(TrialMemory { least: need.binding, wanted, measured: false })
}
