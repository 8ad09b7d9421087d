//! What to do about the use of GPUs: A-U1 (mend data loading before paying for more), A-V5 (memory left unused),
//! B-C3 (idle time), A-U4 (what to log).

use super::{GpuUsage, IDLE_BELOW, Load};
use crate::units::number::percent;

/// A remark of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The rule.
    pub rule: &'static str,
    /// The GPU as the log calls it; none when it is about the log.
    pub gpu: Option<String>,
    /// What to do and why.
    pub text: String,
}

/// Share of the readings that makes a state that of the whole log. A guess for A-U1's "for long": more than half.
const MOSTLY: f64 = 0.5;
/// Share of the readings from which a GPU counts as not used at all. A guess.
const ALWAYS: f64 = 0.95;
/// Readings below which a log says little: a minute at dmon's one a second. A guess.
const FEW: usize = 60;

/// All remarks: GPU by GPU, then about the log.
pub(super) fn advice(gpus: &[GpuUsage], low_below: f64, oversize: f64) -> Vec<Advice> {
    let mut all: Vec<Advice> = gpus.iter().flat_map(|gpu| of_gpu(gpu, low_below, oversize)).collect();
    let busy_but_low = all.iter().any(|advice| advice.rule == "A-U1");
    if busy_but_low {
        all.push(of_log(
            "run `top` beside the next log: CPU cores that are full mean that loading or decoding data is the limit, \
             idle ones that it is the batch size or waiting"
                .to_owned(),
        ));
    }
    if gpus.iter().all(|gpu| gpu.memory_peak.is_none()) {
        all.push(of_log(
            "the log does not have the memory in use (`mem` of dmon is how busy the memory was): add it with \
             `nvidia-smi dmon -s pucm`"
                .to_owned(),
        ));
    }
    if gpus.iter().any(|gpu| gpu.load.is_none()) {
        all.push(of_log("some GPUs have no utilisation in the log: their use cannot be told".to_owned()));
    }
    let fewest = gpus.iter().map(|gpu| gpu.samples).min().unwrap_or(0);
    if fewest < FEW {
        let readings = if fewest == 1 { "1 reading".to_owned() } else { format!("{fewest} readings") };
        all.push(of_log(format!("{readings} of a GPU say little about a run: take some hundred of them")));
    }
    all
}

fn of_log(text: String) -> Advice {
    Advice { rule: "A-U4", gpu: None, text }
}

fn of_gpu(gpu: &GpuUsage, low_below: f64, oversize: f64) -> Vec<Advice> {
    let mut all = Vec::new();
    let mut add = |rule, text| all.push(Advice { rule, gpu: Some(gpu.label.clone()), text });
    let unused = gpu.memory_peak.zip(gpu.memory).and_then(|(peak, memory)| {
        let unused = 1.0 - peak.as_f64() / memory.as_f64();
        (memory.get() > 0 && unused > oversize).then_some((peak, memory, unused))
    });
    let idle = gpu.load.is_some_and(|load| load.idle >= ALWAYS);
    if let Some(load) = gpu.load {
        if idle {
            add("B-C3", idle_text(load));
        } else if load.low > MOSTLY {
            add("A-U1", low_text(load, low_below, unused.is_some()));
        }
    }
    if let Some((peak, memory, unused)) = unused.filter(|_| !idle) {
        add(
            "A-V5",
            format!(
                "at most {} of {} were in use, {} stayed free: a smaller card may do",
                peak.gib(),
                memory.gib(),
                percent(unused)
            ),
        );
    }
    all
}

fn idle_text(load: Load) -> String {
    format!(
        "below {} in {} of the readings: nothing ran on it; release it, or rent fewer GPUs",
        percent(IDLE_BELOW),
        percent(load.idle)
    )
}

fn low_text(load: Load, low_below: f64, free_memory: bool) -> String {
    let batch = if free_memory {
        "there is memory for a larger batch"
    } else {
        "raise the batch size if memory allows"
    };
    format!(
        "below {} in {} of the readings (mean {}, idle in {}): mend data loading (more workers, prepared files) before paying \
         for a bigger instance; {batch}",
        percent(low_below),
        percent(load.low),
        percent(load.mean),
        percent(load.idle)
    )
}
