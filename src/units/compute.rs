//! Arithmetic work and the rates of machines.

use serde::{Deserialize, Serialize};

use super::Hours;
use super::number::{significant, split};
use super::{Quantity, QuantityError};

/// Bandwidths that people type lie between these, in bytes per second.
const SLOWEST: f64 = 1e3;
const FASTEST: f64 = 1e15;

macro_rules! positive {
    ($(#[$doc:meta])* $name:ident, $unit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("From ", $unit, "; `None` unless finite and above zero.")]
            pub fn new(value: f64) -> Option<Self> {
                (value.is_finite() && value > 0.0).then_some(Self(value))
            }

            #[doc = concat!("In ", $unit, ".")]
            pub fn get(self) -> f64 {
                self.0
            }

            /// A part or a multiple of it.
            #[must_use]
            pub fn scaled(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
    };
}

positive!(
    /// Floating-point operations of a piece of work.
    Flops,
    "operations"
);
positive!(
    /// Arithmetic rate of a machine.
    FlopsPerSecond,
    "operations per second"
);
positive!(
    /// Rate of moving data: memory bandwidth, disk or network.
    BytesPerSecond,
    "bytes per second"
);

impl Flops {
    /// Time at a rate.
    pub fn at(self, rate: FlopsPerSecond) -> Hours {
        Hours::from_secs(self.0 / rate.0)
    }
}

impl FlopsPerSecond {
    /// From 10¹² operations per second.
    pub fn from_tflops(tflops: f64) -> Option<Self> {
        Self::new(tflops * 1e12)
    }

    /// In 10¹² operations per second.
    pub fn as_tflops(self) -> f64 {
        self.0 / 1e12
    }
}

impl BytesPerSecond {
    /// From 10⁹ bytes per second.
    pub fn from_gb(gb: f64) -> Option<Self> {
        Self::new(gb * 1e9)
    }

    /// In 10⁹ bytes per second.
    pub fn as_gb(self) -> f64 {
        self.0 / 1e9
    }
}

impl Quantity for BytesPerSecond {
    const ALLOWED: &'static str =
        "a bandwidth above zero, such as \"500 MB/s\" (bytes) or \"10 Gbit/s\" (bits)";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let (number, unit) = split(text).ok_or_else(error)?;
        let bits = |scale: f64| scale / 8.0;
        let scale = match unit {
            "kB/s" | "KB/s" => 1e3,
            "MB/s" => 1e6,
            "GB/s" => 1e9,
            "KiB/s" => 1024.0,
            "MiB/s" => 1_048_576.0,
            "GiB/s" => 1_073_741_824.0,
            "kbit/s" | "Kbit/s" => bits(1e3),
            "Mbit/s" => bits(1e6),
            "Gbit/s" => bits(1e9),
            "Mbps" | "Mb/s" => return Err(error().suggest(format!("{number} Mbit/s"))),
            "Gbps" | "Gb/s" => return Err(error().suggest(format!("{number} Gbit/s"))),
            "MB" | "MBps" => return Err(error().suggest(format!("{number} MB/s"))),
            "GB" | "GBps" => return Err(error().suggest(format!("{number} GB/s"))),
            _ => return Err(error()),
        };
        let rate = Self::new(number * scale).ok_or_else(error)?;
        let within = (SLOWEST..=FASTEST).contains(&rate.get());
        if within { Ok(rate) } else { Err(QuantityError::new("from 1 kB/s to 1000000 GB/s")) }
    }
}

impl std::fmt::Display for Flops {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3e} FLOPs", self.0)
    }
}

impl std::fmt::Display for FlopsPerSecond {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} TFLOPS", significant(self.as_tflops(), 4))
    }
}

impl std::fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} GB/s", significant(self.as_gb(), 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_bytes_are_different() {
        let of = |text: &str| BytesPerSecond::parse(text).map(BytesPerSecond::get);
        assert_eq!(of("500 MB/s"), Ok(5e8));
        assert_eq!(of("10 Gbit/s"), Ok(1.25e9));
        assert_eq!(of("1 GiB/s"), Ok(1_073_741_824.0));
        for text in ["0 MB/s", "-1 GB/s", "10", "GB/s", "10 Gbps", "1 GB"] {
            assert!(of(text).is_err(), "{text}");
        }
        assert_eq!(of("10 Gbps").unwrap_err().suggestion.as_deref(), Some("10 Gbit/s"));
    }
}
