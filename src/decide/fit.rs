//! Whether a model fits: decided on what CUDA sees of one card. Memory is never pooled over cards.

use crate::catalog::Accelerator;
use crate::units::Bytes;

/// Memory that one process can use on one device of an instance with `count` of the card: the whole card, or the
/// part of it where the provider sells a fraction.
pub fn usable(card: &Accelerator, count: f64) -> Bytes {
    let (whole, _) = card.usable();
    if count < 1.0 { Bytes::from_f64((whole.as_f64() * count).floor()) } else { whole }
}
