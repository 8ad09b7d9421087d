//! Architectures by name, with published figures.

use super::Family;

/// A known architecture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Parameters.
    pub params: f64,
    /// Parameters that take part in one token's arithmetic.
    pub active: f64,
    /// Forward floating-point operations per sample at the native size.
    pub forward_flops: Option<f64>,
    /// Tokens per sample, for models over tokens.
    pub seq_len: Option<f64>,
    /// Native edge of a square image.
    pub image_size: Option<f64>,
}

const fn image(name: &'static str, family: Family, params: f64, gmacs: f64) -> Known {
    let forward_flops = Some(gmacs * 2e9);
    Known { name, family, params, active: params, forward_flops, seq_len: None, image_size: Some(224.0) }
}

const fn text(name: &'static str, family: Family, params: f64, seq_len: f64) -> Known {
    let seq_len = Some(seq_len);
    Known { name, family, params, active: params, forward_flops: None, seq_len, image_size: None }
}

/// Figures of the torchvision model table (multiply-adds doubled) and of the models' cards.
const ZOO: &[Known] = &[
    image("resnet18", Family::Cnn, 11_689_512.0, 1.814),
    image("resnet50", Family::Cnn, 25_557_032.0, 4.089),
    image("mobilenet-v2", Family::Cnn, 3_504_872.0, 0.301),
    image("vit-b-16", Family::Vit, 86_567_656.0, 17.564),
    text("bert-base", Family::Encoder, 109_482_240.0, 512.0),
    text("bert-large", Family::Encoder, 335_141_888.0, 512.0),
    text("gpt2", Family::Decoder, 124_439_808.0, 1024.0),
    text("gpt2-xl", Family::Decoder, 1_557_611_200.0, 1024.0),
    text("llama-2-7b", Family::Decoder, 6_738_415_616.0, 4096.0),
];

/// The architecture of a name.
pub fn lookup(name: &str) -> Option<Known> {
    ZOO.iter().find(|known| known.name == name).copied()
}

/// All names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ZOO.iter().map(|known| known.name)
}
