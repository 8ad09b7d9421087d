//! What the caching allocator of PyTorch counts as allocated for a tensor. Blocks come in multiples of 512 bytes; a
//! large request takes a segment of whole 2 MiB, a medium one a part of a 20 MiB segment, and what is left of it is
//! split off only when it exceeds 1 MiB: up to 1 MiB per tensor counts as allocated although nobody uses it.

const MIB: f64 = 1_048_576.0;
const MIB_WHOLE: u64 = 1 << 20;

/// 2⁵³ bytes, 9 PB.
const BEYOND: f64 = 9_007_199_254_740_992.0;

/// Bytes that count as allocated for a tensor of `bytes`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes are positive and below 2⁵³; the cast saturates"
)]
pub(super) fn allocated(bytes: f64) -> f64 {
    // No card is near it, and beyond it a real number no longer tells blocks apart.
    if bytes >= BEYOND {
        return bytes;
    }
    let rounded = (bytes as u64).saturating_add(511) & !511;
    let counted = if rounded <= MIB_WHOLE {
        rounded
    } else if rounded < 10 * MIB_WHOLE {
        let share = 20 * MIB_WHOLE / rounded;
        let left = 20 * MIB_WHOLE - share * rounded;
        if left <= MIB_WHOLE { rounded + left / share } else { rounded }
    } else {
        let segment = rounded.saturating_add(2 * MIB_WHOLE - 1) & !(2 * MIB_WHOLE - 1);
        if segment - rounded <= MIB_WHOLE { segment } else { rounded }
    };
    counted as f64
}

/// The same for one of many medium tensors that are cut from blocks which another use has left: what is left of such
/// a block is anything up to 1 MiB, on average 0.4 MiB as measured on 16-bit copies of weights in eight models.
pub(super) fn reused(bytes: f64) -> f64 {
    let own = allocated(bytes);
    if own > MIB && own < 10.0 * MIB { own + 0.4 * MIB } else { own }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers")]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_segment_counts_when_it_is_small() {
        // 1,600 × 6,400 × 4 bytes are 39.06 MiB: the segment of 40 MiB is not split.
        assert_eq!(allocated(1600.0 * 6400.0 * 4.0) / MIB, 40.0);
        // 18.75 MiB leave 1.25 MiB, which is split off.
        assert_eq!(allocated(1280.0 * 3840.0 * 4.0) / MIB, 18.75);
        assert_eq!(allocated(1.0), 512.0);
        assert_eq!(allocated(0.0), 0.0);
        for far in [1e16, 1e20, 1e300, f64::INFINITY] {
            assert_eq!(allocated(far), far, "beyond every card blocks do not matter");
        }
    }
}
