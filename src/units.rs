//! Quantities with their units in the type: nothing below this module adds gigabytes to gibibytes, an
//! hour to a month or dollars to yuan by accident.
//!
//! Each type keeps its field private, is built by a constructor that names the unit, parses the spelling
//! that it prints, and refuses what is not finite.

pub mod bytes;
pub mod compute;
pub mod date;
pub mod money;
pub mod number;
pub mod range;
pub mod rate;
pub mod time;
pub mod typed;

pub use bytes::Bytes;
pub use compute::{BytesPerSecond, Flops, FlopsPerSecond};
pub use date::Date;
pub use money::{Amount, Currency, Money, PerGb, PerHour};
pub use range::Range;
pub use rate::{Counted, Rate};
pub use time::{Band, BilledTime, HOURS_PER_MONTH, Hours};
pub use typed::{HourlyPrice, NominalMemory};

/// Why a text is not the quantity that it should be: what is allowed, as one phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityError {
    /// What would have been accepted, e.g. `a size with its unit, such as "147 GB" or "16 GiB"`.
    pub allowed: String,
    /// A corrected spelling to type, when one is evident.
    pub suggestion: Option<String>,
}

impl QuantityError {
    /// An error that names what is allowed and has no correction to offer.
    pub fn new(allowed: impl Into<String>) -> Self {
        Self { allowed: allowed.into(), suggestion: None }
    }

    /// The same with one thing to type.
    #[must_use]
    pub fn suggest(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }
}

impl std::fmt::Display for QuantityError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "allowed: {}", self.allowed)?;
        match &self.suggestion {
            Some(text) => write!(f, "; did you mean {text:?}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QuantityError {}

/// A quantity that is written as text with its unit.
pub trait Quantity: Sized {
    /// What is allowed, as the phrase of an error message.
    const ALLOWED: &'static str;
    /// The unit of an example, where a number without one is not read; empty where it is.
    const EXAMPLE_UNIT: &'static str = "";

    /// Reads the text; surrounding white space does not count.
    fn parse(text: &str) -> Result<Self, QuantityError>;
}
