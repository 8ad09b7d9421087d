//! Video: frames over the rate of a card's encoder engines, or of a core.

use super::Estimate;
use crate::catalog::Catalog;
use crate::duration::NoDuration;
use crate::duration::anchor::Source;
use crate::duration::cards::{Arithmetic, Card, Cards, Exponents};
use crate::job::Stage;
use crate::units::Hours;

/// Frames per second of playing time where a stage states hours of video. A guess: most courses and films have 24 to
/// 30, at 1080p.
const FRAMES_PER_SECOND: f64 = 30.0;
/// Frames of 1080p that one NVENC engine encodes in a second at a quality near x264's default: published figures of a
/// T4 are about 280 (H.264) and 330 (H.265). Taken for every engine, which later generations exceed.
const ENGINE_FRAMES: f64 = 280.0;
/// Frames of 1080p that one reference core encodes in a second: x264 at its default preset makes about 17 and x265 7.
/// A guess between them.
const CORE_FRAMES: f64 = 12.0;
/// Factor within which both are known: presets and resolutions differ by more than engines and cores.
const SPREAD: f64 = 3.0;
/// Factor by which one card's engines may be off against those of another generation. A guess.
const ENGINE_DOUBT: f64 = 1.5;

/// Speed is the number of engines and nothing else.
pub(in crate::duration) const BY_ENGINES: Exponents = Exponents { peak: 1.0, bandwidth: 0.0, memory: 0.0 };

impl Cards {
    /// Cards by their encoder engines: those with none, or with an unknown number, have no speed.
    pub(in crate::duration) fn of_encoders(catalog: &Catalog) -> Self {
        let card = |card: &crate::catalog::Accelerator| {
            let engines = card.nvenc.filter(|n| *n > 0).map(f64::from)?;
            Some(Card {
                name: card.name.clone(),
                peak: engines,
                sustained: 1.0,
                bandwidth: card.bandwidth.as_gb(),
                memory: card.memory.as_gib(),
                ratio: None,
                speed: engines,
                doubt: ENGINE_DOUBT,
                linked: false,
                modern: card.year >= 2020,
            })
        };
        let all = catalog.accelerators.iter().map(|(_, accelerator)| card(accelerator)).collect();
        Self { all, exponents: BY_ENGINES, arithmetic: Arithmetic::Half }
    }
}

/// Frames of a stage: those of its playing time, else its samples.
pub(super) fn frames(stage: &Stage) -> Result<f64, NoDuration> {
    stage
        .video
        .map(|playing| playing.as_secs() * FRAMES_PER_SECOND)
        .or(stage.samples)
        .filter(|n| *n > 0.0 && n.is_finite())
        .ok_or(NoDuration::Needs("video (its playing time), samples (frames), or a measured time"))
}

/// The time on one card, which has encoders.
pub(super) fn on_card(frames: f64, card: &Card) -> Estimate {
    at_rate(frames, ENGINE_FRAMES * card.speed)
}

/// The time on one reference core.
pub(super) fn on_core(frames: f64) -> Estimate {
    at_rate(frames, CORE_FRAMES)
}

fn at_rate(frames: f64, per_second: f64) -> Estimate {
    let source = Source::Frames { frames, per_second };
    Estimate { source, time: Hours::from_secs(frames / per_second), spread: SPREAD, long: false, thumb: true }
}
