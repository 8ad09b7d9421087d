//! B-C5: the bytes that cross the link between main memory and GPU, beside the time that the GPU takes for them.

use super::said::Said;
use super::taken::Taken;
use crate::plan::NoteKind;
use crate::rules::Threshold;
use crate::units::number::{percent, significant};
use crate::units::{Bytes, BytesPerSecond, Hours};

/// Bytes of one colour value of a decoded image: three planes of 32-bit floats, what frameworks hand to a GPU.
const PLANE_BYTES: f64 = 4.0;
/// Bytes of one token: a 64-bit number.
const TOKEN_BYTES: f64 = 8.0;

/// What moving a sample takes of its time on the GPU.
pub fn link(taken: &Taken<'_>) -> Option<Said> {
    if !taken.on_gpu() || !taken.stage.kind.runs_model() {
        return None;
    }
    let (Some(rate), Some(bytes)) = (taken.consumption(), bytes_per_sample(taken)) else {
        return Some(Said::needs("B-C5", "samples, and image_size, seq_len or a size"));
    };
    let thresholds = &taken.job().thresholds;
    let bandwidth = BytesPerSecond::from_gb(thresholds.get(Threshold::LinkGbPerSecond))?;
    let moving = bytes.at(bandwidth);
    // Every device has a link of its own. A service is asked for a rate, which is not what its devices can do.
    let computing = served(taken).unwrap_or_else(|| Hours::from_secs(taken.devices().max(1.0) / rate));
    let share = moving / computing;
    let text = format!(
        "{bytes} per sample ÷ {bandwidth} = {} beside {} of computing on each device: {}",
        short(moving),
        short(computing),
        percent(share)
    );
    let said = Said::advice("B-C5", text);
    Some(if share > thresholds.get(Threshold::MaxTransferShare) {
        let text = format!(
            "moving a sample to the GPU takes {} of the time of computing it: keep data in GPU memory between steps",
            percent(share)
        );
        said.remarked(NoteKind::Warning, text)
    } else {
        said
    })
}

/// Time of a device for one request of a service: that of a request, shared by those at which it works at once.
fn served(taken: &Taken<'_>) -> Option<Hours> {
    let service = taken.choice.service.as_ref()?;
    let seconds = service.item?.expected.as_secs() / f64::from(service.concurrency.max(1));
    Some(Hours::from_secs(seconds))
}

/// `1.5 ms`, `50 µs`; longer times as elsewhere.
fn short(time: Hours) -> String {
    let seconds = time.as_secs();
    if seconds < 1e-3 {
        format!("{} µs", significant(seconds * 1e6, 3))
    } else if seconds < 1.0 {
        format!("{} ms", significant(seconds * 1e3, 3))
    } else {
        time.to_string()
    }
}

/// What one sample is when it reaches the GPU: decoded planes, tokens, else the sample as stored.
fn bytes_per_sample(taken: &Taken<'_>) -> Option<Bytes> {
    let model = taken.stage.model.as_ref()?;
    let decoded = model.image_size.map(|edge| 3.0 * edge * edge * PLANE_BYTES);
    let tokens = model.seq_len.map(|len| len * TOKEN_BYTES);
    let stored = || Some(taken.stage.size?.as_f64() / taken.stage.samples.filter(|n| *n > 0.0)?);
    decoded.or(tokens).or_else(stored).map(Bytes::from_f64)
}
