//! A stage without a measurement in, its time on the reference machine out: from arithmetic and published
//! utilisation, from stated core-hours, or from a rule of thumb.

use super::anchor::combined;
use super::cards::REFERENCE_PEAK;
use super::{NoDuration, Source, video, work};
use crate::job::{Stage, StageKind};
use crate::model::{Family, Mode, Model};
use crate::units::Hours;

/// A time on the reference machine of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub source: Source,
    pub time: Hours,
    /// Factor of its band on the reference machine.
    pub spread: f64,
}

/// Achieved operations per second on one physical core of an AWS m5, running a network through a tuned library, in
/// 10⁹: ResNet-50 on 14 cores of an i9-10940X makes 39 per core, YOLOv5 on a c5-like host 25 to 67.
const CORE_GFLOPS: f64 = 35.0;
/// The same for training, which is tuned less. A guess from few figures.
const CORE_TRAIN_GFLOPS: f64 = 20.0;
/// Factor within which both are known: software differs as much as hardware.
const CORE_SPREAD: f64 = 4.0;

/// The time on one reference GPU.
pub(super) fn on_gpu(stage: &Stage) -> Result<Estimate, NoDuration> {
    if stage.kind == StageKind::Transcode {
        return video::on_engine(stage);
    }
    let model = stage.model.as_ref().ok_or(NoDuration::Needs(MEASURED))?;
    let (utilisation, spread) = utilisation(model, stage.kind.trains());
    let work = flops(stage, model)?;
    Ok(arithmetic(work, REFERENCE_PEAK * 1e12 * utilisation, spread))
}

/// The time on one reference core.
pub(super) fn on_cpu(stage: &Stage) -> Result<Estimate, NoDuration> {
    if let Some(hours) = stage.core_hours.filter(|h| h.is_finite() && *h > 0.0) {
        return Ok(Estimate { source: Source::CoreHours, time: Hours::new(hours), spread: 1.15 });
    }
    if stage.kind.runs_model() {
        let model = stage.model.as_ref().ok_or(NoDuration::Needs(MEASURED))?;
        let work = flops(stage, model)?;
        let rate = 1e9 * if stage.kind.trains() { CORE_TRAIN_GFLOPS } else { CORE_GFLOPS };
        return Ok(arithmetic(work, rate, CORE_SPREAD));
    }
    thumb(stage)
}

const MEASURED: &str = "a measured time, or the model's parameters";

/// Work at a rate; a guess at the work widens the band.
fn arithmetic((flops, known): (f64, bool), rate: f64, spread: f64) -> Estimate {
    let (source, spread) = if known {
        (Source::Arithmetic { flops, rate }, spread)
    } else {
        (Source::Guess { flops, rate }, combined(&[spread, work::GUESS_SPREAD]))
    };
    Estimate { source, time: Hours::from_secs(flops / rate), spread }
}

/// All operations of the stage, and whether they are known or guessed from the parameters alone.
fn flops(stage: &Stage, model: &Model) -> Result<(f64, bool), NoDuration> {
    // A service has no end: its time is that of one request.
    let samples = if stage.kind == StageKind::Serve { Some(1.0) } else { stage.samples.filter(|n| *n > 0.0) };
    let samples = samples.ok_or(NoDuration::Needs("samples, or a measured time"))?;
    let known = work::forward_per_sample(model);
    let forward = known
        .or_else(|| work::guessed_forward(model))
        .ok_or(NoDuration::Needs("a known architecture, or a measured time"))?;
    let trials = match stage.kind {
        StageKind::Tune => {
            f64::from(stage.trials.ok_or(NoDuration::Needs("trials, or a measured time"))?.max(1))
        }
        _ => 1.0,
    };
    let flops = forward * work::passes(model, stage.kind.trains()) * samples * stage.epochs.max(0.0) * trials;
    if flops.is_finite() && flops > 0.0 {
        Ok((flops, known.is_some()))
    } else {
        Err(NoDuration::Needs("epochs above zero"))
    }
}

/// Share of the reference card's half-precision peak that a family reaches, and the factor of its band.
///
/// Training, from published figures on A100: decoders 35 % (whole runs; ordinary small-model code less), encoders 28 %,
/// convolutional networks 12 %, vision transformers 25 %; the others are guesses with wide bands. TF32 against mixed
/// precision: cnn 1.6 times slower, others 2.3 times. Forward passes in large batches reach about the same share.
fn utilisation(model: &Model, trains: bool) -> (f64, f64) {
    let (share, spread, slower): (f64, f64, f64) = match model.family {
        Family::Decoder => (0.35, 1.7, 2.3),
        Family::Moe | Family::EncoderDecoder => (0.2, 2.2, 2.3),
        Family::Encoder => (0.28, 1.8, 2.3),
        Family::Vit => (0.25, 1.8, 2.3),
        Family::Cnn => (0.12, 2.0, 1.6),
        Family::Diffusion => (0.2, 2.2, 2.0),
        Family::Speech => (0.08, 3.0, 1.2),
        Family::Recsys => (0.01, 6.0, 1.5),
        Family::Mlp | Family::Linear | Family::BoostedTrees => (0.01, 6.0, 1.3),
    };
    let share =
        if model.precision.is_half() || model.mode != Mode::Train && trains { share } else { share / slower };
    (share, if trains { spread } else { spread.max(2.5) })
}

/// Rules of thumb for work without a model. The rates are guesses: what one core does depends on the codec, the disk
/// and the code, so the bands are wide.
fn thumb(stage: &Stage) -> Result<Estimate, NoDuration> {
    let by = |items: f64, unit: &'static str, per_core: f64, spread: f64| Estimate {
        source: Source::PerCore { items, unit, per_core },
        time: Hours::from_secs(items / per_core),
        spread,
    };
    let size = stage.size.map(|b| b.as_f64() / 1e6).filter(|mb| *mb > 0.0);
    let samples = stage.samples.filter(|n| *n > 0.0);
    match stage.kind {
        // Decompress, decode, resize, write: published single-core JPEG pipelines make 50 to 200 images a second.
        StageKind::Prepare => size
            .map(|mb| by(mb, "MB", 10.0, 4.0))
            .or_else(|| samples.map(|n| by(n, "samples", 100.0, 5.0)))
            .ok_or(NoDuration::Needs("core_hours, size, samples or a measured time")),
        // Several filters and random crops per sample on top of decoding.
        StageKind::Augment => samples
            .map(|n| by(n * stage.epochs.max(1.0), "samples", 60.0, 5.0))
            .or_else(|| size.map(|mb| by(mb * stage.epochs.max(1.0), "MB", 6.0, 5.0)))
            .ok_or(NoDuration::Needs("core_hours, samples, size or a measured time")),
        // Reading and aggregating text logs.
        StageKind::Analyze => size
            .map(|mb| by(mb, "MB", 30.0, 6.0))
            .ok_or(NoDuration::Needs("core_hours, size or a measured time")),
        StageKind::Transcode => video::on_core(stage),
        _ => Err(NoDuration::Needs("core_hours or a measured time")),
    }
}
