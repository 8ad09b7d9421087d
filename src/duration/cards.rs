//! Accelerators in, relative speeds out, for one stage's model.

use crate::catalog::{Accelerator, AcceleratorId, Catalog, Name};
use crate::model::{Family, Mode, Model};

/// Dense half-precision peak of the reference card, an A100-80GB, in 10¹² operations per second.
pub(super) const REFERENCE_PEAK: f64 = 312.0;
/// Its TF32 peak.
const REFERENCE_TF32: f64 = 156.0;
/// Its memory bandwidth in 10⁹ bytes per second.
pub(super) const REFERENCE_BANDWIDTH: f64 = 2039.0;

/// The speed of one card for the stage.
#[derive(Debug, Clone)]
pub(super) struct Card {
    /// Its name.
    pub name: Name,
    /// Peak at the stage's precision, in 10¹² operations per second.
    pub peak: f64,
    /// Memory bandwidth in 10⁹ bytes per second.
    pub bandwidth: f64,
    /// Speed; the reference card is 1.
    pub speed: f64,
    /// Factor by which it may be off against other cards.
    pub doubt: f64,
}

/// How speed follows from peak `T` and bandwidth `B`: `T^peak × B^bandwidth`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exponents {
    pub peak: f64,
    pub bandwidth: f64,
}

/// All cards of a catalog, by position.
#[derive(Debug, Clone)]
pub(super) struct Cards {
    pub all: Vec<Option<Card>>,
    /// The exponents that hold for the stage.
    pub exponents: Exponents,
}

impl Cards {
    pub(super) fn new(model: Option<&Model>, catalog: &Catalog) -> Self {
        let half = model.is_none_or(|m| m.precision.is_half() || !matches!(m.mode, Mode::Train));
        let (exponents, doubt) = rule(model);
        let all = catalog
            .accelerators
            .iter()
            .map(|(_, accelerator)| card(accelerator, exponents, half, doubt))
            .collect();
        Self { all, exponents }
    }

    pub(super) fn get(&self, id: AcceleratorId) -> Option<&Card> {
        self.all.get(usize::from(id.0))?.as_ref()
    }
}

fn card(accelerator: &Accelerator, exponents: Exponents, half: bool, doubt: f64) -> Option<Card> {
    let tflops = |f: Option<crate::units::FlopsPerSecond>| f.map(crate::units::FlopsPerSecond::as_tflops);
    let plain = tflops(accelerator.fp32);
    let (peak, reference, sure) = if half {
        match tflops(accelerator.half) {
            Some(peak) => (peak, REFERENCE_PEAK, true),
            // No tensor cores, or none on record: 16-bit arithmetic gains nothing.
            None => (plain?, REFERENCE_PEAK, false),
        }
    } else {
        let peak = tflops(accelerator.tf32).or(plain).or(tflops(accelerator.half))?;
        (peak, REFERENCE_TF32, true)
    };
    let bandwidth = accelerator.bandwidth.as_gb();
    let speed =
        (peak / reference).powf(exponents.peak) * (bandwidth / REFERENCE_BANDWIDTH).powf(exponents.bandwidth);
    let doubt = if sure { doubt } else { doubt * UNSURE_PEAK };
    speed.is_finite().then(|| Card { name: accelerator.name.clone(), peak, bandwidth, speed, doubt })
}

/// Factor by which a card without figures for its tensor cores may be off: they are worth two to four times the
/// plain peak where they exist, which enters by its square root. A guess.
const UNSURE_PEAK: f64 = 1.5;

/// Exponents and doubt of one card of a pair by family and precision: the pair's band is √2 of it in logarithms.
fn rule(model: Option<&Model>) -> (Exponents, f64) {
    let Some(model) = model else { return (Exponents { peak: 0.5, bandwidth: 0.5 }, 1.35) };
    let half = model.precision.is_half();
    let (peak, bandwidth, pair): (f64, f64, f64) = match (model.family, half) {
        (Family::Cnn, true) => (0.25, 0.5, 1.28),
        (Family::Cnn, false) => (0.25, 0.5, 1.40),
        (Family::Recsys | Family::Mlp | Family::Linear | Family::BoostedTrees, _) => (0.25, 0.5, 1.5),
        (Family::Speech, true) => (0.4, 0.5, 1.97),
        (Family::Speech, false) => (0.4, 0.5, 1.63),
        (Family::Encoder | Family::Vit, _) => (0.5, 0.5, 1.34),
        (Family::Decoder, _) => (0.5, 0.5, 1.25),
        (Family::EncoderDecoder, true) => (0.5, 0.5, 1.79),
        (Family::Moe | Family::Diffusion, _) | (Family::EncoderDecoder, false) => (0.5, 0.5, 1.45),
    };
    (Exponents { peak, bandwidth }, pair.powf(std::f64::consts::FRAC_1_SQRT_2))
}
