//! Complex numbers, as far as a Laplace transform needs them.

use std::ops::{Add, Mul, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    /// e^z.
    pub(super) fn exp(self) -> Self {
        let (sin, cos) = self.im.sin_cos();
        let size = self.re.exp();
        Self { re: size * cos, im: size * sin }
    }

    /// 1/z.
    pub(super) fn inverse(self) -> Self {
        let norm = self.re * self.re + self.im * self.im;
        Self { re: self.re / norm, im: -self.im / norm }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }

    /// z to a whole power, by repeated squaring.
    pub(super) fn powi(self, mut n: u32) -> Self {
        let (mut base, mut result) = (self, Self::real(1.0));
        while n > 0 {
            if n & 1 == 1 {
                result = result * base;
            }
            base = base * base;
            n >>= 1;
        }
        result
    }

    /// ln(1 + z), on the principal branch, to full relative precision for small z.
    pub(super) fn ln_1p(self) -> Self {
        let norm = self.re * (2.0 + self.re) + self.im * self.im;
        Self { re: 0.5 * norm.ln_1p(), im: self.im.atan2(1.0 + self.re) }
    }

    /// e^z − 1, likewise.
    pub(super) fn exp_m1(self) -> Self {
        let half = (0.5 * self.im).sin();
        Self { re: self.re.exp_m1() * self.im.cos() - 2.0 * half * half, im: self.re.exp() * self.im.sin() }
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_arguments_keep_their_digits() {
        let z = Complex { re: 3e-14, im: -4e-14 };
        let log = z.ln_1p();
        assert!((log.re / 3e-14 - 1.0).abs() < 1e-12 && (log.im / -4e-14 - 1.0).abs() < 1e-12);
        let back = log.exp_m1();
        assert!((back.re / z.re - 1.0).abs() < 1e-12 && (back.im / z.im - 1.0).abs() < 1e-12);
    }

    #[test]
    fn powers_and_inverses_agree() {
        let z = Complex { re: 0.8, im: -1.3 };
        let close = |a: Complex, b: Complex| {
            assert!((a.re - b.re).abs() < 1e-13 && (a.im - b.im).abs() < 1e-13, "{a:?} {b:?}");
        };
        close(z * z.inverse(), Complex::real(1.0));
        close(z.powi(3), z * z * z);
        let less = z - Complex::real(1.0);
        close(less.ln_1p().exp(), z);
        close(z.exp_m1() + Complex::real(1.0), z.exp());
        close(Complex { re: 0.3, im: std::f64::consts::PI }.exp(), Complex::real(-(0.3_f64.exp())));
    }
}
