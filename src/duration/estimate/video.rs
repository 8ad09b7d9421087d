//! Video: frames over the rate of a card's encoder engines.

use super::Estimate;
use crate::duration::Source;
use crate::duration::cards::Card;
use crate::units::Hours;

/// Frames of 1080p that one NVENC engine encodes in a second: 281 (H.264) and 332 (H.265) on a T4 at a preset of quality
/// near x264's default.
const ENGINE_FRAMES: f64 = 280.0;
/// Factor within which this is known: presets differ by more than engines.
const SPREAD: f64 = 2.5;

/// Time on one card; `None` where it has no encoder, or none is known of.
pub(super) fn on_card(frames: f64, card: &Card) -> Option<Estimate> {
    let engines = card.encoders.filter(|n| *n > 0)?;
    let per_second = ENGINE_FRAMES * f64::from(engines);
    let source = Source::Frames { frames, per_second };
    Some(Estimate {
        source,
        time: Hours::from_secs(frames / per_second),
        spread: SPREAD,
        long: false,
        thumb: true,
    })
}
