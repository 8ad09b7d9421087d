//! Reproducible random numbers, and the normal law.

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 bits of state, passes the usual tests, and the same on every machine.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// One stream per number.
    pub(super) fn new(stream: u64) -> Self {
        let mut seeds = Self(0x706C_616E ^ stream.wrapping_mul(0xD605_BBB5_8C8A_BC03));
        Self(seeds.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly between 0 and 1, neither of them ever.
    #[expect(clippy::cast_precision_loss, reason = "the 53 bits that are left are exact")]
    pub(super) fn open(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

/// The z that a standard normal variable stays below with probability `p`, for 0 < p < 1.
///
/// Rational approximations of P. J. Acklam (2003), relative error below 1.2e-9.
pub(super) fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let horner = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        horner(&C, q) / horner(&D, q)
    };
    if p < 0.02425 {
        tail(p)
    } else if p > 1.0 - 0.02425 {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        q * horner(&A, q * q) / horner(&B, q * q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.95, 1.644_853_627),
            (0.975, 1.959_963_985),
            (0.001, -3.090_232_306),
            (0.2, -0.841_621_234),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-8, "{p}");
        }
    }

    #[test]
    fn streams_are_even_and_differ() {
        let (mut a, mut b) = (Random::new(0), Random::new(1));
        let (x, y): (Vec<f64>, Vec<f64>) = (0..10_000).map(|_| (a.open(), b.open())).unzip();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / 1e4;
        assert!((mean(&x) - 0.5).abs() < 0.01 && (mean(&y) - 0.5).abs() < 0.01);
        let together: f64 = x.iter().zip(&y).map(|(x, y)| (x - 0.5) * (y - 0.5)).sum::<f64>() / 1e4;
        assert!(together.abs() < 0.003, "{together}");
    }
}
