//! Video: frames over the rate of a card's encoder engines.

use super::Estimate;
use crate::catalog::{Accelerator, Catalog};
use crate::duration::Source;
use crate::duration::cards::{Arithmetic, Card, Cards, Exponents};
use crate::job::Stage;
use crate::units::Hours;

/// Frames per second of playing time where a stage states hours of video. A guess: most courses and films have 24 to
/// 30, at 1080p.
const FRAMES_PER_SECOND: f64 = 30.0;

/// Frames of 1080p that one NVENC engine encodes in a second: 281 (H.264) and 332 (H.265) on a T4 at a preset of quality
/// near x264's default.
const ENGINE_FRAMES: f64 = 280.0;
/// Factor within which this is known: presets differ by more than engines.
const SPREAD: f64 = 2.5;

/// Factor by which one card's engines may be off against those of another generation. A guess.
const ENGINE_DOUBT: f64 = 1.5;

/// Speed is the number of engines and nothing else.
pub(in crate::duration) const BY_ENGINES: Exponents = Exponents { peak: 1.0, bandwidth: 0.0, memory: 0.0 };

impl Cards {
    /// Cards by their encoder engines: those with none, or with an unknown number, have no speed.
    pub(in crate::duration) fn of_encoders(catalog: &Catalog) -> Self {
        let all = catalog.accelerators.iter().map(|(_, accelerator)| by_engines(accelerator)).collect();
        Self { all, exponents: BY_ENGINES, arithmetic: Arithmetic::Half }
    }
}

fn by_engines(accelerator: &Accelerator) -> Option<Card> {
    let engines = accelerator.nvenc.filter(|n| *n > 0).map(f64::from)?;
    Some(Card {
        name: accelerator.name.clone(),
        peak: engines,
        sustained: 1.0,
        bandwidth: accelerator.bandwidth.as_gb(),
        memory: accelerator.memory.as_gib(),
        ratio: None,
        speed: engines,
        doubt: ENGINE_DOUBT,
        linked: false,
        modern: accelerator.year >= 2020,
        encoders: accelerator.nvenc,
    })
}

/// Frames of a stage: those of its playing time, else its samples.
pub(super) fn frames(stage: &Stage) -> Option<f64> {
    let playing = stage.video.map(|playing| playing.as_secs() * FRAMES_PER_SECOND);
    playing.or(stage.samples).filter(|n| *n > 0.0 && n.is_finite())
}

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
