//! Model states as DeepSpeed counts them: 16-bit weights and gradients, a 32-bit master copy and Adam's two moments,
//! divided by ZeRO. These are its published formulas (`estimate_zero2_model_states_mem_needs`, `estimate_zero3_…`),
//! shown beside the estimate because many people plan with them; activations and buffers come on top.

use crate::model::Sharding;
use crate::units::Bytes;

/// Where states are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offload {
    /// All on the device.
    None,
    /// Optimizer states in main memory.
    Optimizer,
    /// Weights too.
    All,
}

/// Bytes of model states on one device; `largest` is the parameters of the largest layer, which is gathered at a time.
/// `None` for shardings that DeepSpeed has no such formula for.
pub fn model_states(
    params: f64,
    largest: f64,
    sharding: Sharding,
    devices: f64,
    offload: Offload,
) -> Option<Bytes> {
    let n = devices.max(1.0);
    let bytes = match (sharding, offload) {
        (Sharding::Zero2, Offload::None) => 4.0 * params + 16.0 * params / n,
        (Sharding::Zero2, Offload::Optimizer | Offload::All) => 2.0 * params,
        (Sharding::Zero3, Offload::None) => 4.0 * largest + 18.0 * params / n,
        (Sharding::Zero3, Offload::Optimizer) => 4.0 * largest + 2.0 * params / n,
        (Sharding::Zero3, Offload::All) => 4.0 * largest,
        (Sharding::None | Sharding::Zero1 | Sharding::Tensor | Sharding::Pipeline, _) => return None,
    };
    Some(Bytes::from_f64(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduces_published_model_states() {
        // 6,805 M parameters, largest layer 131 M, 4 devices: 0.49, 3.66 and 29.01 GB (of 2³⁰) with all, the
        // optimizer's and nothing offloaded.
        let gib = |offload| {
            let states = model_states(6805e6, 131e6, Sharding::Zero3, 4.0, offload).unwrap();
            format!("{:.2}", states.as_gib())
        };
        assert_eq!(gib(Offload::All), "0.49");
        assert_eq!(gib(Offload::Optimizer), "3.66");
        assert_eq!(gib(Offload::None), "29.01");
        let zero2 = model_states(6805e6, 131e6, Sharding::Zero2, 4.0, Offload::None).unwrap();
        assert_eq!(format!("{:.2}", zero2.as_gib()), "50.70");
        assert_eq!(model_states(1e9, 1e6, Sharding::Tensor, 2.0, Offload::None), None);
    }
}
