//! Models over tokens: operations over the utilisation that published runs reach.

use super::{Amount, Estimate};
use crate::duration::anchor::Source;
use crate::duration::cards::{Arithmetic, Card, REFERENCE_PEAK};
use crate::model::{Family, Mode, Model};
use crate::units::Hours;

/// Highest share of the data sheet's peak that a bare matrix product reaches on a well cooled card (A100 87 %, H100 80 %,
/// B200 78 %, measured by ml-engineering's MAMF). No training exceeds it.
pub(in crate::duration) const MATMUL_CEILING: f64 = 0.87;

/// The same by generation, for what a user states: Hopper reaches 80 %, Blackwell 78 %; others are taken as an A100.
pub fn matmul_ceiling(card: &str) -> f64 {
    match card {
        _ if card.starts_with('H') || card.starts_with("GH") => 0.80,
        _ if card.starts_with('B') || card.starts_with("GB") => 0.78,
        _ => MATMUL_CEILING,
    }
}

/// Highest utilisation assumed on cards other than the A100, which is an outlier: published training on every other
/// card lies below.
const OTHERS_CEILING: f64 = 0.45;

/// The same before Ampere: no BF16 and no fused attention. V100 runs lie at 4 to 25 %, tuned encoders at 32 %.
const OLD_DECODER_CEILING: f64 = 0.22;

/// Slower in TF32 than in mixed precision on the reference card: BERT on A100.
const SINGLE_SLOWER: f64 = 2.3;

/// Time on one card: the rate of the reference card times this card's speed.
pub(super) fn on_card(
    amount: &Amount,
    model: &Model,
    card: &Card,
    arithmetic: Arithmetic,
) -> Option<Estimate> {
    let (share, mut spread) = reference_utilisation(model);
    let share = match arithmetic {
        Arithmetic::Half => share,
        Arithmetic::Single => share / SINGLE_SLOWER,
        // Twice the peak, of which three quarters are reached.
        Arithmetic::Int8 => share * 1.5,
    };
    let mut rate = REFERENCE_PEAK * 1e12 * share * card.speed;
    let peak = card.peak * 1e12;
    let is_reference = card.name.starts_with("A100");
    if matches!(model.family, Family::Decoder | Family::Moe) {
        rate = rate.min(
            peak * if card.modern {
                OTHERS_CEILING.max(if is_reference { MATMUL_CEILING } else { 0.0 })
            } else {
                OLD_DECODER_CEILING
            },
        );
    }
    rate = rate.min(peak * MATMUL_CEILING);
    spread = crate::duration::anchor::combined(&[spread, if is_reference { 1.0 } else { OTHER_CARD }]);
    if matches!(model.mode, Mode::Lora | Mode::Qlora) {
        spread = crate::duration::anchor::combined(&[spread, FILL_SPREAD]);
    }
    // Forward passes alone are tuned less evenly than training.
    let spread = if amount.trains { spread } else { spread.max(FORWARD_SPREAD) };
    let long = amount.trains && matches!(model.family, Family::Decoder | Family::Moe);
    at_rate(amount.flops(), rate, amount.steps, spread, long)
}

/// Further factor on cards other than the A100: the H100's published runs scatter twice as far.
const OTHER_CARD: f64 = 1.6;
/// Factor within which the filled share of a fine-tuning data set's sequences is known.
const FILL_SPREAD: f64 = 1.8;
/// Least band of forward passes: batch and software decide.
const FORWARD_SPREAD: f64 = 2.5;

/// Time at a stated utilisation of the card's peak.
pub(super) fn at_utilisation(amount: &Amount, card: &Card, share: f64) -> Option<Estimate> {
    let rate = card.peak / card.sustained * 1e12 * share.min(MATMUL_CEILING);
    at_rate(amount.flops(), rate, amount.steps, 1.2, false)
}

/// Least time of a step: a few hundred kernels have to be launched.
const STEP_SECONDS: f64 = 0.003;

fn at_rate(flops: f64, rate: f64, steps: f64, spread: f64, long: bool) -> Option<Estimate> {
    let source = Source::Work {
        flops,
        rate,
        bytes: 0.0,
        bandwidth: 1.0,
        steps,
        per_step: STEP_SECONDS,
        guessed: false,
    };
    let time = Hours::from_secs((flops / rate).max(steps * STEP_SECONDS));
    (time.is_finite() && rate > 0.0).then_some(Estimate { source, time, spread, long, thumb: false })
}

/// Utilisation of the reference card in mixed precision, attention counted, and the factor of its band.
///
/// Decoders: the curve of llm-foundry's benchmark (125M 34 %, 350M 42 to 50 %, 1B 52 to 60 %, 3–30B 54 to 60 %). Encoders: BERT-base and large 28 to 33 %. The others are guesses.
fn reference_utilisation(model: &Model) -> (f64, f64) {
    match model.family {
        Family::Decoder => (decoder_curve(model.active), 1.6),
        Family::Moe => (0.5 * decoder_curve(model.active), 2.0),
        Family::Encoder => (0.30, 1.7),
        Family::EncoderDecoder => (0.2, 2.2),
        Family::Speech => (0.12, 2.5),
        // Small fully connected networks wait for launches and memory.
        _ => (0.02, 4.0),
    }
}

/// Utilisation by parameters, linear in their logarithm between the points.
fn decoder_curve(params: f64) -> f64 {
    const POINTS: [(f64, f64); 3] = [(1e8, 0.40), (1e9, 0.52), (7e9, 0.55)];
    let mut before = POINTS[0];
    for point in POINTS {
        if params <= point.0 {
            let span = (point.0 / before.0).ln();
            let part = if span > 0.0 { (params.max(before.0) / before.0).ln() / span } else { 0.0 };
            return before.1 + (point.1 - before.1) * part;
        }
        before = point;
    }
    before.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_models_use_the_card_better() {
        assert!((decoder_curve(1e7) - 0.40).abs() < 1e-12);
        assert!((decoder_curve(1e9) - 0.52).abs() < 1e-12);
        assert!((decoder_curve(3.162_277_66e8) - 0.46).abs() < 1e-6);
        assert!((decoder_curve(7e11) - 0.55).abs() < 1e-12);
    }
}
