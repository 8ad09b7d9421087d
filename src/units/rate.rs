//! Throughput as benchmarks state it: `250/s`, `250 images/s`, `45K tokens/s`.

use super::number::Count;
use super::{Quantity, QuantityError};

/// Rates that people measure lie between these: one thing in thirty years, and more than all machines do.
const SLOWEST: f64 = 1e-9;
const FASTEST: f64 = 1e12;

/// What a throughput counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Samples: images, sequences, rows, requests.
    Samples,
    /// Tokens.
    Tokens,
}

/// Things done in a second: finite and above zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    per_second: f64,
    counted: Counted,
}

impl Rate {
    /// Things per second.
    pub const fn per_second(self) -> f64 {
        self.per_second
    }

    /// What is counted.
    pub const fn counted(self) -> Counted {
        self.counted
    }
}

impl Quantity for Rate {
    const ALLOWED: &'static str =
        "a rate above zero, such as \"250/s\", \"900 images/min\" or \"45K tokens/s\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let Some((things, unit)) = text.rsplit_once('/') else {
            return Err(match Count::parse(text) {
                Ok(_) => error().suggest(format!("{}/s", text.trim())),
                Err(_) => error(),
            });
        };
        let seconds = match unit.trim() {
            "s" | "sec" | "second" => 1.0,
            "min" | "minute" => 60.0,
            "h" | "hour" => 3600.0,
            "d" | "day" => 86_400.0,
            _ => return Err(error()),
        };
        let things = things.trim();
        let word = things.rsplit_once(' ').map_or("", |(_, word)| word);
        let (number, counted) = match word {
            "tokens" => (things.trim_end_matches(word), Counted::Tokens),
            "samples" | "images" | "sequences" | "rows" | "requests" | "items" | "files" => {
                (things.trim_end_matches(word), Counted::Samples)
            }
            _ => (things, Counted::Samples),
        };
        let per_second = Count::parse(number).map_err(|_| error())?.get() / seconds;
        if per_second <= 0.0 {
            return Err(error());
        }
        if !(SLOWEST..=FASTEST).contains(&per_second) {
            return Err(QuantityError::new("a rate from 1e-9/s to 1e12/s"));
        }
        Ok(Self { per_second, counted })
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn reads_rates() {
        let r = |text: &str| Rate::parse(text).unwrap();
        assert_eq!(r("250/s").per_second(), 250.0);
        assert_eq!(r("900 images/min").per_second(), 15.0);
        assert_eq!(r("1_200 /s").per_second(), 1200.0);
        assert_eq!(r("45K tokens/s"), Rate { per_second: 45e3, counted: Counted::Tokens });
        assert_eq!(r("7200 rows/h").counted(), Counted::Samples);
        for bad in ["", "250", "0/s", "-1/s", "250/fortnight", "lots/s", "250 apples/s", "nan/s"] {
            assert!(Rate::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Rate::parse("250").unwrap_err().suggestion.as_deref(), Some("250/s"));
    }
}
