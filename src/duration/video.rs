//! Playing time of video in, times on encoder engines and on cores out.

use super::cards::{Card, Cards, Exponents};
use super::estimate::Estimate;
use super::{NoDuration, Source};
use crate::catalog::Catalog;
use crate::job::Stage;
use crate::units::Hours;

/// Frames per second of playing time where a stage states hours of video. A guess: most courses and films have 24 to
/// 30, at 1080p.
const FRAMES_PER_SECOND: f64 = 30.0;
/// Frames of 1080p that one NVENC engine encodes in a second, at a quality near x264's default: published figures of a
/// T4 are about 280 (H.264) and 330 (H.265). Taken for every engine, which later generations exceed.
const ENGINE_RATE: f64 = 280.0;
/// Factor within which it is known: presets and resolutions differ by more than engines.
const ENGINE_SPREAD: f64 = 3.0;
/// Frames of 1080p that one reference core encodes in a second: x264 at its default preset makes about 17 and x265 7.
/// A guess between them.
const CORE_RATE: f64 = 12.0;
/// Factor within which it is known.
const CORE_SPREAD: f64 = 3.0;
/// Factor by which one card's engines may be off against those of another generation. A guess.
const ENGINE_DOUBT: f64 = 1.5;

/// Speed is the number of engines and nothing else.
pub(super) const BY_ENGINES: Exponents = Exponents { peak: 1.0, bandwidth: 0.0 };

/// Cards by their encoder engines: speed is their number. Those with none, or with an unknown number, have none.
pub(super) fn cards(catalog: &Catalog) -> Cards {
    let all = catalog
        .accelerators
        .iter()
        .map(|(_, card)| {
            let engines = card.nvenc.filter(|n| *n > 0).map(f64::from)?;
            let (peak, bandwidth) = (engines, card.bandwidth.as_gb());
            Some(Card { name: card.name.clone(), peak, bandwidth, speed: engines, doubt: ENGINE_DOUBT })
        })
        .collect();
    Cards { all, exponents: BY_ENGINES }
}

/// The time on one engine.
pub(super) fn on_engine(stage: &Stage) -> Result<Estimate, NoDuration> {
    encoded(stage, ENGINE_RATE, ENGINE_SPREAD)
}

/// The time on one reference core.
pub(super) fn on_core(stage: &Stage) -> Result<Estimate, NoDuration> {
    encoded(stage, CORE_RATE, CORE_SPREAD)
}

fn encoded(stage: &Stage, per_second: f64, spread: f64) -> Result<Estimate, NoDuration> {
    let frames = stage
        .video
        .map(|playing| playing.as_secs() * FRAMES_PER_SECOND)
        .or(stage.samples)
        .filter(|n| *n > 0.0 && n.is_finite())
        .ok_or(NoDuration::Needs("video (its playing time), or a measured time"))?;
    Ok(Estimate {
        source: Source::Frames { frames, per_second },
        time: Hours::from_secs(frames / per_second),
        spread,
    })
}
