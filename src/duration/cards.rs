//! Accelerators in, relative speeds out, for one stage's model: `peak^a × bandwidth^b × memory^c`, times the measured
//! ratio of the card where there is one. Never the peak alone: between generations it grows faster than speed.

use super::ratios::{Ratio, Ratios};
use crate::catalog::{Accelerator, AcceleratorId, Catalog, Name};
use crate::model::{Family, Mode, Model, Precision};
use crate::units::FlopsPerSecond;

/// The reference card, an A100-80GB: dense half-precision peak in 10¹² operations per second,
pub(super) const REFERENCE_PEAK: f64 = 312.0;
/// its TF32 peak,
pub(super) const REFERENCE_TF32: f64 = 156.0;
/// its 8-bit integer peak,
const REFERENCE_INT8: f64 = 624.0;
/// its memory bandwidth in 10⁹ bytes per second,
pub(super) const REFERENCE_BANDWIDTH: f64 = 2039.0;
/// and its memory in GiB.
const REFERENCE_MEMORY: f64 = 80.0;

/// Which arithmetic a stage uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// FP16 or BF16 on tensor cores.
    Half,
    /// FP32, or TF32 where the card has it.
    Single,
    /// 8-bit integers.
    Int8,
}

impl Arithmetic {
    pub(super) fn of(model: Option<&Model>) -> Self {
        match model {
            // LoRA and QLoRA compute in 16 bits whatever the frozen weights are stored in.
            Some(m) if matches!(m.mode, Mode::Lora | Mode::Qlora) => Self::Half,
            Some(m) if m.precision == Precision::Fp32 => Self::Single,
            Some(m) if m.precision == Precision::Int8 => Self::Int8,
            _ => Self::Half,
        }
    }
}

/// The speed of one card for the stage.
#[derive(Debug, Clone)]
pub(super) struct Card {
    /// Its name.
    pub name: Name,
    /// Peak that it sustains at the stage's precision, in 10¹² operations per second.
    pub peak: f64,
    /// Share of the data sheet's peak that this is.
    pub sustained: f64,
    /// Memory bandwidth in 10⁹ bytes per second, lowered likewise on cards whose software lags.
    pub bandwidth: f64,
    /// Memory in GiB.
    pub memory: f64,
    /// The measured ratio, if any.
    pub ratio: Option<Ratio>,
    /// Speed; the reference card is 1.
    pub speed: f64,
    /// Factor by which it may be off against other cards.
    pub doubt: f64,
    /// Whether several in one machine are joined by NVLink or the like.
    pub linked: bool,
    /// Whether it computes in TF32 and BF16 (Ampere, 2020, and later).
    pub modern: bool,
}

/// How speed follows from the data sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exponents {
    pub peak: f64,
    pub bandwidth: f64,
    pub memory: f64,
}

/// All cards of a catalog, by position.
#[derive(Debug, Clone)]
pub(super) struct Cards {
    pub all: Vec<Option<Card>>,
    pub exponents: Exponents,
    pub arithmetic: Arithmetic,
}

impl Cards {
    pub(super) fn new(model: Option<&Model>, catalog: &Catalog, ratios: &Ratios) -> Self {
        let arithmetic = Arithmetic::of(model);
        let family = model.map(|m| m.family);
        let (exponents, pair) = rule(family, arithmetic);
        let mut all: Vec<Option<Card>> =
            catalog.accelerators.iter().map(|(_, card)| datasheet(card, arithmetic)).collect();
        let measured = family.map(|f| {
            ratios.of(if f == Family::Moe { Family::Decoder } else { f }, arithmetic != Arithmetic::Single)
        });
        for (name, ratio) in measured.into_iter().flatten() {
            for card in all.iter_mut().flatten().filter(|card| &*card.name == name) {
                card.ratio = Some(ratio);
            }
        }
        for card in all.iter_mut().flatten() {
            card.rate(exponents, pair, arithmetic);
        }
        Self { all, exponents, arithmetic }
    }

    pub(super) fn get(&self, id: AcceleratorId) -> Option<&Card> {
        self.all.get(usize::from(id.0))?.as_ref()
    }
}

impl Card {
    fn rate(&mut self, exponents: Exponents, pair: f64, arithmetic: Arithmetic) {
        let peak = match arithmetic {
            Arithmetic::Half => REFERENCE_PEAK,
            Arithmetic::Single => REFERENCE_TF32,
            Arithmetic::Int8 => REFERENCE_INT8,
        };
        self.speed = (self.peak / peak).powf(exponents.peak)
            * (self.bandwidth / REFERENCE_BANDWIDTH).powf(exponents.bandwidth)
            * (self.memory / REFERENCE_MEMORY).powf(exponents.memory)
            * self.ratio.map_or(1.0, |r| r.factor);
        // A pair's band is that of two cards, so a card's is its root in logarithms.
        self.doubt *= pair.powf(std::f64::consts::FRAC_1_SQRT_2);
        if self.ratio.is_none() {
            self.doubt *= NEVER_MEASURED;
        }
    }
}

/// Further factor for a card of which no published pair of the family is known. A guess.
const NEVER_MEASURED: f64 = 1.1;

/// Factor by which a card without figures for its tensor cores may be off. A guess.
const UNSURE_PEAK: f64 = 1.3;

/// Half-precision peak over plain peak of Ampere and Ada boards, where the table has none: A6000, A40, L40, 6000 Ada
/// and A10 all have 4.0.
const TENSOR_GAIN: f64 = 4.0;

/// Share of the data sheet's peak that a board sustains under its power limit, where that is known to bind. The same
/// chip runs as an SXM module at 400 W (A100); the square root of the power is what its clocks follow. T4 and L4 are
/// 70 W boards that leave their boost clock within seconds: half and 0.6 are guesses from published rates.
fn sustained(name: &str) -> f64 {
    match name {
        "A100-PCIe-40GB" => 0.79, // √(250 W ÷ 400 W)
        "A100-PCIe-80GB" => 0.87, // √(300 W ÷ 400 W)
        "T4" | "T4g" => 0.5,
        "L4" => 0.6,
        "A10" | "A2" => 0.75,
        _ => 1.0,
    }
}

/// Share of peak and bandwidth of a Blackwell card that today's software reaches against what it reaches of a Hopper
/// card's: published B200 rates are 1.2 to 1.9 times those of an H100, not 2.3 times.
fn software(name: &str) -> f64 {
    if matches!(name, "B200" | "B300" | "GB200" | "GB300" | "RTX-PRO-6000") { 0.75 } else { 1.0 }
}

fn datasheet(accelerator: &Accelerator, arithmetic: Arithmetic) -> Option<Card> {
    let tflops = |f: Option<FlopsPerSecond>| f.map(FlopsPerSecond::as_tflops);
    let plain = tflops(accelerator.fp32);
    let (half, sure) = match tflops(accelerator.half) {
        Some(peak) => (Some(peak), true),
        // Without tensor cores 16 bits gain nothing.
        None if accelerator.year < 2020 => (plain, false),
        None => (plain.map(|p| p * TENSOR_GAIN), false),
    };
    let (peak, sure) = match arithmetic {
        Arithmetic::Half => (half?, sure),
        Arithmetic::Single => (tflops(accelerator.tf32).or(plain).or(half)?, true),
        Arithmetic::Int8 => match tflops(accelerator.int8) {
            Some(peak) => (peak, true),
            None => (half?, false),
        },
    };
    let software = software(&accelerator.name);
    let sustained = sustained(&accelerator.name) * software;
    let form = &*accelerator.form;
    Some(Card {
        name: accelerator.name.clone(),
        peak: peak * sustained,
        sustained,
        bandwidth: accelerator.bandwidth.as_gb() * software,
        memory: accelerator.memory.as_gib(),
        ratio: None,
        speed: 1.0,
        doubt: if sure { 1.0 } else { UNSURE_PEAK },
        linked: !form.starts_with("PCIe"),
        modern: accelerator.year >= 2020,
    })
}

/// Exponents by family and arithmetic, and the factor within which nine of ten published pairs of data-centre cards
/// lie. Round numbers: convolutions and embedding tables move data (bandwidth), transformers multiply (peak); where a
/// model fills the card, more memory means a larger batch and a little more speed (a fifth of the ratio's logarithm).
fn rule(family: Option<Family>, arithmetic: Arithmetic) -> (Exponents, f64) {
    let e = |peak, bandwidth, memory| Exponents { peak, bandwidth, memory };
    let half = arithmetic != Arithmetic::Single;
    let Some(family) = family else { return (e(0.5, 0.5, 0.0), 1.6) };
    match (family, half) {
        // MLPerf, 8-bit offline: the ratio of peaks to within 10 %.
        (Family::Encoder, _) if arithmetic == Arithmetic::Int8 => (e(0.9, 0.1, 0.0), 1.4),
        (Family::Cnn, true) => (e(0.25, 0.6, 0.0), 1.32),
        (Family::Cnn, false) => (e(0.2, 0.75, 0.0), 1.55),
        (Family::Encoder, true) => (e(0.6, 0.25, 0.2), 1.28),
        (Family::Encoder, false) => (e(0.45, 0.6, 0.2), 1.28),
        (Family::Decoder, true) => (e(0.6, 0.25, 0.0), 1.25),
        (Family::Decoder | Family::Moe | Family::Vit | Family::Diffusion, false) => (e(0.45, 0.6, 0.0), 1.4),
        (Family::Moe | Family::Vit | Family::Diffusion, true) => (e(0.5, 0.4, 0.0), 1.4),
        (Family::EncoderDecoder, true) => (e(0.4, 0.25, 0.2), 1.95),
        (Family::EncoderDecoder, false) => (e(0.35, 0.7, 0.1), 1.5),
        (Family::Speech, true) => (e(0.4, 0.5, 0.0), 1.97),
        (Family::Speech, false) => (e(0.4, 0.5, 0.0), 1.63),
        (Family::Recsys, true) => (e(0.25, 0.6, 0.0), 1.65),
        (Family::Recsys, false) => (e(0.2, 0.8, 0.0), 1.4),
        // XGBoost on 10 million rows: 5 s on V100 and A10, 6 s on L4, 3.7 s on an A100.
        (Family::Mlp | Family::Linear | Family::BoostedTrees, _) => (e(0.0, 0.3, 0.0), 1.4),
    }
}
