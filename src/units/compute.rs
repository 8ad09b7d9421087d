//! Arithmetic work and the rates of machines.

use serde::{Deserialize, Serialize};

use super::Hours;
use super::number::significant;

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
