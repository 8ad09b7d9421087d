//! `--what-if` on the amount of work: a time that was taken for the whole stage was taken for the samples, epochs and
//! trials of the file. With other ones the work, and so the time, changes in proportion.

use crate::job::{Job, Stage, StageKind};

/// Scales stated times of a changed job to its work; returns the stages of which that was done, with the factors.
pub fn carry(base: &Job, changed: &mut Job) -> Vec<(String, f64)> {
    let mut scaled = Vec::new();
    for stage in &mut changed.stages {
        let Some(old) = base.stages.iter().find(|s| s.name == stage.name) else { continue };
        if stage.kind == StageKind::Serve || old.kind != stage.kind {
            continue;
        }
        // One that works on data of its own, of which only the size is known, does not change with the data set.
        let own = old.size.is_some() && old.size != base.data_size;
        let (Some(before), Some(now)) = (work(old, own), work(stage, own)) else { continue };
        let factor = now / before;
        if !(factor.is_finite() && factor > 0.0) || (factor - 1.0).abs() < 1e-12 {
            continue;
        }
        let mut carried = false;
        for measurement in &mut stage.measured {
            // One that the change states itself holds as it is.
            let same =
                |m: &&crate::job::Measurement| m.place == measurement.place && m.label == measurement.label;
            if let Some(old) = old.measured.iter().find(same) {
                measurement.time = old.time * factor;
                carried = true;
            }
        }
        if let (Some(hours), true) = (stage.core_hours, old.core_hours == stage.core_hours) {
            stage.core_hours = Some(hours * factor);
            carried = true;
        }
        if carried {
            scaled.push((stage.name.clone(), factor));
        }
    }
    scaled
}

/// Samples that a stage goes through in all; of its `own` data how often it goes through them.
fn work(stage: &Stage, own: bool) -> Option<f64> {
    let samples = if own { 1.0 } else { stage.samples? };
    Some(samples * stage.epochs * stage.trials.map_or(1.0, f64::from))
}
