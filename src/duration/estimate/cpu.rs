//! Work on one core of the reference machine.

use super::{Amount, Estimate, MEASURED, tree, video};
use crate::duration::NoDuration;
use crate::duration::anchor::Source;
use crate::job::{Stage, StageKind};
use crate::model::{Family, Model};
use crate::units::Hours;

/// Achieved operations per second on one physical core of an AWS m5, running a network through a tuned library, in
/// 10⁹: ResNet-50 on 14 cores of an i9-10940X makes 39 per core, YOLOv5 on four of an E5-2686v4 25 to 67.
const CORE_GFLOPS: f64 = 35.0;
/// The same for training, which is tuned less: ResNet-164 on CIFAR makes 4 to 5 in PyTorch 0.1; today's libraries more.
/// A guess from few figures.
const CORE_TRAIN_GFLOPS: f64 = 20.0;
/// The same for small fully connected networks and linear models, which wait for memory.
const CORE_SMALL_GFLOPS: f64 = 4.0;
/// Least time of a step on a CPU: no launches, little else.
const STEP_SECONDS: f64 = 0.0002;
/// Factor within which all of them are known: software differs as much as hardware.
const SPREAD: f64 = 4.0;

pub(super) fn estimate(stage: &Stage) -> Result<Estimate, NoDuration> {
    if let Some(hours) = stage.core_hours.filter(|h| h.is_finite() && *h > 0.0) {
        return Ok(Estimate {
            source: Source::CoreHours,
            // Requests that a service works on at once share the cores.
            time: Hours::new(hours) * f64::from(stage.concurrency.max(1)),
            spread: 1.15,
            long: false,
            thumb: false,
        });
    }
    if stage.kind.runs_model() {
        let model = stage.model.as_ref().ok_or(NoDuration::Needs(MEASURED))?;
        return network(stage, model);
    }
    thumb(stage)
}

fn network(stage: &Stage, model: &Model) -> Result<Estimate, NoDuration> {
    if model.family == Family::BoostedTrees {
        return Ok(tree::Trees::of(stage, model)?.on_core());
    }
    let amount = Amount::of(stage, model)?;
    let gflops = match model.family {
        Family::Linear | Family::Mlp => CORE_SMALL_GFLOPS,
        _ if amount.trains => CORE_TRAIN_GFLOPS,
        _ => CORE_GFLOPS,
    };
    let (flops, rate) = (amount.flops(), gflops * 1e9);
    let source = Source::Work {
        flops,
        rate,
        bytes: 0.0,
        bandwidth: 1.0,
        steps: amount.steps,
        per_step: STEP_SECONDS,
        guessed: false,
    };
    let time = Hours::from_secs((flops / rate).max(amount.steps * STEP_SECONDS));
    Ok(Estimate { source, time, spread: SPREAD, long: false, thumb: false }.rested_on(&amount))
}

/// Rules of thumb for work without a model. The rates are guesses: what one core does depends on the codec, the disk
/// and the code, so the bands are wide.
fn thumb(stage: &Stage) -> Result<Estimate, NoDuration> {
    let by = |items: f64, unit: &'static str, per_core: f64, spread: f64| Estimate {
        source: Source::PerCore { items, unit, per_core },
        time: Hours::from_secs(items / per_core),
        spread,
        long: false,
        thumb: true,
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
        StageKind::Transcode => video::frames(stage).map(video::on_core),
        _ => Err(NoDuration::Needs("core_hours or a measured time")),
    }
}
