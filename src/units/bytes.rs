//! Sizes. GB is 10⁹ bytes, GiB is 2³⁰; both spellings are read and the difference is never lost.

use super::number::{significant, split};
use super::{BytesPerSecond, Hours, Quantity, QuantityError};
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul};

const GIB: f64 = 1_073_741_824.0;
const GB: f64 = 1e9;

/// Sizes that people type stay below it (9 PB): up to 2⁵³ bytes a real number holds each exactly.
const LARGEST: f64 = 9e15;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Bytes(u64);

impl Bytes {
    /// No bytes at all.
    pub const ZERO: Self = Self(0);

    /// From a whole number of bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// From bytes as a computed figure, rounded up; negative or non-finite input counts as none and as the
    /// largest size respectively, so that an overflow never "fits".
    pub fn from_f64(bytes: f64) -> Self {
        if bytes.is_nan() {
            return Self(u64::MAX);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        Self(bytes.max(0.0).ceil() as u64)
    }

    /// From gibibytes (2³⁰ bytes).
    pub fn from_gib(gib: f64) -> Self {
        Self::from_f64((gib * GIB).round())
    }

    /// From mebibytes (2²⁰ bytes).
    pub fn from_mib(mib: f64) -> Self {
        Self::from_f64((mib * 1_048_576.0).round())
    }

    /// From gigabytes (10⁹ bytes).
    pub fn from_gb(gb: f64) -> Self {
        Self::from_f64((gb * GB).round())
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bytes as a real number.
    pub fn as_f64(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "sizes stay far below 2⁵³ bytes (9 PB)")]
        {
            self.0 as f64
        }
    }

    /// In gibibytes (2³⁰).
    pub fn as_gib(self) -> f64 {
        self.as_f64() / GIB
    }

    /// In gigabytes (10⁹).
    pub fn as_gb(self) -> f64 {
        self.as_f64() / GB
    }

    /// A part or a multiple of it, rounded up.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::from_f64(self.as_f64() * factor)
    }

    /// How long it takes to move it at a rate.
    pub fn at(self, rate: BytesPerSecond) -> Hours {
        Hours::from_secs(self.as_f64() / rate.get())
    }

    /// As GiB with one decimal, the unit of memory on the screen: `14.6 GiB`.
    pub fn gib(self) -> String {
        let gib = self.as_gib();
        if gib >= 100.0 {
            format!("{gib:.0} GiB")
        } else if gib >= 0.1 {
            format!("{gib:.1} GiB")
        } else {
            format!("{} MiB", significant(gib * 1024.0, 2))
        }
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;

    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl std::fmt::Display for Bytes {
    /// Storage and traffic are shown in decimal units, as providers bill them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let b = self.as_f64();
        let (scale, unit) = match b {
            _ if b >= 1e15 => (1e15, "PB"),
            _ if b >= 1e12 => (1e12, "TB"),
            _ if b >= 1e9 => (1e9, "GB"),
            _ if b >= 1e6 => (1e6, "MB"),
            _ if b >= 1e3 => (1e3, "kB"),
            _ => (1.0, "B"),
        };
        write!(f, "{} {unit}", significant(b / scale, 4))
    }
}

impl Quantity for Bytes {
    const ALLOWED: &'static str = "a size with its unit, such as \"147 GB\" (10⁹) or \"16 GiB\" (2³⁰)";
    const EXAMPLE_UNIT: &'static str = "GiB";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let (number, unit) = split(text).ok_or_else(error)?;
        let scale = match unit {
            "B" | "bytes" => 1.0,
            "kB" | "KB" => 1e3,
            "MB" => 1e6,
            "GB" => GB,
            "TB" => 1e12,
            "PB" => 1e15,
            "KiB" => 1024.0,
            "MiB" => 1_048_576.0,
            "GiB" => GIB,
            "TiB" => GIB * 1024.0,
            "PiB" => GIB * 1_048_576.0,
            "G" | "g" | "gb" | "Gb" => return Err(error().suggest(format!("{number} GB"))),
            "Gi" | "gib" => return Err(error().suggest(format!("{number} GiB"))),
            "T" | "t" | "tb" => return Err(error().suggest(format!("{number} TB"))),
            "M" | "mb" => return Err(error().suggest(format!("{number} MB"))),
            _ => return Err(error()),
        };
        let bytes = number * scale;
        if bytes < 0.0 {
            return Err(error());
        }
        if bytes >= LARGEST {
            return Err(QuantityError::new("a size below 9 PB"));
        }
        Ok(Self::from_f64(bytes.round()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gb_and_gib_are_different() {
        assert_eq!(Bytes::parse("1 GB").unwrap().get(), 1_000_000_000);
        assert_eq!(Bytes::parse("1GiB").unwrap().get(), 1_073_741_824);
        // 70.55 B weights of two bytes: 141.1 GB and 131.4 GiB.
        let weights = Bytes::from_f64(70.55e9 * 2.0);
        assert_eq!(weights.to_string(), "141.1 GB");
        assert_eq!(format!("{:.1}", weights.as_gib()), "131.4");
    }

    #[test]
    fn refuses_a_size_without_a_unit() {
        for text in ["147", "GB", "-1 GB", "1e30 GB", "12 lb", ""] {
            assert!(Bytes::parse(text).is_err(), "{text}");
        }
        assert_eq!(Bytes::parse("16G").unwrap_err().suggestion.as_deref(), Some("16 GB"));
    }

    #[test]
    fn too_large_a_size_names_the_limit() {
        assert_eq!(Bytes::parse("10 PB").unwrap_err().allowed, "a size below 9 PB");
        assert_eq!(Bytes::parse("1e30 GB").unwrap_err().allowed, "a size below 9 PB");
        assert_eq!(Bytes::parse("8.9 PB").unwrap().get(), 8_900_000_000_000_000);
        assert_eq!(Bytes::parse("-1 PB").unwrap_err().allowed, Bytes::ALLOWED);
    }

    #[test]
    fn an_overflow_never_fits() {
        assert_eq!(Bytes::from_f64(f64::NAN).get(), u64::MAX);
        assert_eq!(Bytes::from_f64(f64::INFINITY).get(), u64::MAX);
    }
}
