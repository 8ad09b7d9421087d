//! What an nvidia-smi log says (A-U4): log and, where it is known, what was rented → [`Usage`]: how busy each GPU
//! was, what its idle share costs, and what to do about it (A-U1).

pub mod advice;
pub mod cost;

pub use advice::Advice;
pub use cost::{IdleCost, Rent};

use crate::read::usage::{Sample, UsageLog};
use crate::thresholds::{Threshold, Thresholds};
use crate::units::{Bytes, Hours};
use std::sync::Arc;

/// Utilisation below which a GPU counts as idle. A guess: what a desktop or a monitor makes of an idle card is 0 to 3 %.
pub const IDLE_BELOW: f64 = 0.05;

/// How busy a GPU was. Shares of the readings, which nvidia-smi takes at equal intervals, so of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// How many readings have a utilisation.
    pub readings: usize,
    /// Mean utilisation.
    pub mean: f64,
    /// Median utilisation.
    pub median: f64,
    /// Share of readings below the threshold of A-U1.
    pub low: f64,
    /// Share of readings in which it was idle.
    pub idle: f64,
}

/// What a log says about one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuUsage {
    /// How the log calls it.
    pub label: String,
    /// Its model, where the log has it.
    pub name: Option<String>,
    /// How many readings there are.
    pub samples: usize,
    /// How busy it was; `None` where no reading says so.
    pub load: Option<Load>,
    /// The most memory that was in use; `None` where the log does not have it.
    pub memory_peak: Option<Bytes>,
    /// Its memory: what the driver reports, else what CUDA sees of the card that was rented.
    pub memory: Option<Bytes>,
}

/// What a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// The log.
    pub file: Arc<str>,
    /// Lines that could not be read.
    pub unread: Vec<u32>,
    /// From the first reading to the last, where the log has times.
    pub span: Option<Hours>,
    /// Utilisation below which A-U1 speaks.
    pub low_below: f64,
    /// The GPUs, in order of their index.
    pub gpus: Vec<GpuUsage>,
    /// What was rented.
    pub rent: Option<Rent>,
    /// What the idle share costs; `None` without a price or without a utilisation.
    pub cost: Option<IdleCost>,
    /// What to do.
    pub advice: Vec<Advice>,
}

/// Reads the meaning of a log.
pub fn usage(log: &UsageLog, rent: Option<Rent>, thresholds: &Thresholds) -> Usage {
    let low_below = thresholds.get(Threshold::MinGpuUtilisation);
    let mut readings: Vec<Vec<&Sample>> = vec![Vec::new(); log.gpus.len()];
    for sample in &log.samples {
        if let Some(of_gpu) = readings.get_mut(sample.gpu) {
            of_gpu.push(sample);
        }
    }
    let mut gpus: Vec<GpuUsage> = log
        .gpus
        .iter()
        .zip(readings)
        .map(|(gpu, samples)| GpuUsage {
            label: gpu.label.clone(),
            name: gpu.name.clone(),
            samples: samples.len(),
            load: load(samples.iter().filter_map(|sample| sample.utilisation).collect(), low_below),
            memory_peak: samples.iter().filter_map(|sample| sample.memory).max(),
            memory: gpu.memory.or_else(|| rent.as_ref()?.gpu.as_ref()?.memory),
        })
        .collect();
    gpus.sort_by(|a, b| {
        let index = |gpu: &GpuUsage| gpu.label.parse::<u32>().unwrap_or(u32::MAX);
        index(a).cmp(&index(b)).then_with(|| a.label.cmp(&b.label))
    });
    let cost = rent.as_ref().and_then(|rent| cost::idle_cost(rent, &gpus));
    let advice = advice::advice(&gpus, low_below, thresholds.get(Threshold::OversizeUnused));
    Usage {
        file: Arc::clone(&log.file),
        unread: log.unread.clone(),
        span: span(&log.samples),
        low_below,
        gpus,
        rent,
        cost,
        advice,
    }
}

fn load(mut utilisation: Vec<f64>, low_below: f64) -> Option<Load> {
    utilisation.sort_by(f64::total_cmp);
    let count = utilisation.len();
    let below = |limit: f64| share(utilisation.partition_point(|u| *u < limit), count);
    let (upper, lower) = (*utilisation.get(count / 2)?, *utilisation.get(count.saturating_sub(1) / 2)?);
    Some(Load {
        readings: count,
        mean: utilisation.iter().sum::<f64>() / as_f64(count),
        median: f64::midpoint(lower, upper),
        low: below(low_below),
        idle: below(IDLE_BELOW),
    })
}

fn span(samples: &[Sample]) -> Option<Hours> {
    let times = || samples.iter().filter_map(|sample| sample.at);
    let (first, last) = (times().min_by(f64::total_cmp)?, times().max_by(f64::total_cmp)?);
    Some(Hours::from_secs(last - first))
}

fn share(part: usize, of: usize) -> f64 {
    as_f64(part) / as_f64(of)
}

#[expect(clippy::cast_precision_loss, reason = "readings of a log stay below 2⁵³")]
fn as_f64(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
