//! A-V1, the documents' quick figure: `parameters × 4 bytes × (batch size + gradient copies)`.
//!
//! It knows no optimizer state, no architecture and no length, so it understates large models at small batches
//! and overstates many others. It ranks and warns; it never rejects a card.

use crate::units::Bytes;

/// Gradient copies, unless the workload's rules say otherwise (document A).
pub const GRADIENT_COPIES: f64 = 1.0;

/// A-V1 for `batch_size` samples on one device.
pub fn rule_of_thumb(params: f64, batch_size: f64, gradient_copies: f64) -> Bytes {
    Bytes::from_f64(params * 4.0 * (batch_size + gradient_copies))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_document() {
        // 7e9 × 4 × (1 + 1) = 56 GB, half of what Adam's states alone need.
        assert_eq!(rule_of_thumb(7e9, 1.0, GRADIENT_COPIES).get(), 56_000_000_000);
        assert_eq!(rule_of_thumb(25.6e6, 31.0, 1.0).get(), 3_276_800_000);
    }
}
