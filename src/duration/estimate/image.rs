//! Models over images: arithmetic plus memory traffic. Operations alone miss published rates by a factor of two,
//! since depthwise and normalisation layers move far more than they compute.

use super::{Amount, Estimate};
use crate::duration::anchor::Source;
use crate::duration::cards::{Arithmetic, Card};
use crate::duration::work;
use crate::model::{Family, Model};
use crate::units::Hours;

/// Time on one card: `operations ÷ (share × peak) + times × kept bytes ÷ bandwidth`.
///
/// The shares and times were fitted on published training rates of 30 networks (NVIDIA DeepLearningExamples, timm,
/// Lambda) on V100, A100, H100, A10, A40 and RTX cards: convolutions reach 0.6 of the half-precision peak, 0.4 of TF32 and
/// 0.9 of plain FP32, and each byte that is kept for the backward pass is moved 14 times in a training step (written and
/// read by each layer, normalisation and activation, and once more for gradients); vision transformers reach 0.7 and
/// move 10 times. Median error 21 %, nine of ten within 1.55; other people's code is up to twice as slow.
pub(super) fn on_card(
    amount: &Amount,
    model: &Model,
    card: &Card,
    arithmetic: Arithmetic,
) -> Option<Estimate> {
    let attention = model.family == Family::Vit;
    let share = match (arithmetic, attention) {
        (Arithmetic::Half, false) => 0.6,
        (Arithmetic::Half, true) => 0.7,
        (Arithmetic::Single, false) => {
            if card.modern {
                0.4
            } else {
                0.9
            }
        }
        (Arithmetic::Single, true) => {
            if card.modern {
                0.5
            } else {
                0.9
            }
        }
        (Arithmetic::Int8, _) => 0.4,
    };
    let times = if attention { 10.0 } else { 14.0 };
    let (kept, measured) = work::kept_bytes(model, amount.forward);
    let width = match arithmetic {
        Arithmetic::Half => 1.0,
        Arithmetic::Single => 2.0,
        Arithmetic::Int8 => 0.5,
    };
    // A forward pass moves about a third of what a training step does.
    let moved = kept * width * times * amount.passes / 3.0;
    let flops = amount.flops();
    let (rate, bytes, bandwidth) = (share * card.peak * 1e12, moved * amount.samples, card.bandwidth * 1e9);
    let source = Source::Work {
        flops,
        rate,
        bytes,
        bandwidth,
        steps: amount.steps,
        per_step: STEP_SECONDS,
        guessed: false,
    };
    let seconds = (flops / rate + bytes / bandwidth).max(amount.steps * STEP_SECONDS);
    let spread = if !amount.trains {
        2.5
    } else if model.family == Family::Diffusion {
        2.0
    } else {
        1.75
    };
    let spread = if measured { spread } else { spread * 1.25 };
    let time = Hours::from_secs(seconds);
    (time.is_finite() && rate > 0.0).then_some(Estimate {
        source,
        time,
        spread,
        long: false,
        thumb: amount.guessed,
    })
}

/// Least time of a step: a few hundred kernels have to be launched. Small detectors at batch 1 take 6 ms in PyTorch
/// and under 1 ms compiled.
const STEP_SECONDS: f64 = 0.003;
