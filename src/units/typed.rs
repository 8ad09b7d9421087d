//! Quantities that only people type: a price per hour with or without its currency, and the memory of a card as
//! it is sold.

use super::number::split;
use super::{Currency, PerHour, Quantity, QuantityError};

/// A price per hour as typed: `2.10`, `2.10 USD` or `2.10 USD/h`. Ordered by the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HourlyPrice {
    /// The figure.
    pub price: PerHour,
    /// Its currency, where one was typed.
    pub currency: Option<Currency>,
}

impl Quantity for HourlyPrice {
    const ALLOWED: &'static str = "a price per hour, such as 2.10 or \"2.10 USD\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let text = text.trim();
        let plain = text.strip_suffix("/h").unwrap_or(text).trim_end();
        let dollars = plain.strip_prefix('$').map(str::trim);
        let (number, currency) = match plain.rsplit_once(' ') {
            None => (plain, None),
            Some((number, code)) => match Currency::parse(code) {
                Ok(currency) => (number.trim(), Some(currency)),
                Err(inner) => {
                    let meant = inner.suggestion.map(|code| format!("{} {code}", number.trim()));
                    return Err(QuantityError { suggestion: meant, ..error() });
                }
            },
        };
        match PerHour::from_decimal(number) {
            Some(price) if price.nanos() >= 0 => Ok(Self { price, currency }),
            _ => Err(match dollars.filter(|d| PerHour::from_decimal(d).is_some()) {
                Some(number) => error().suggest(format!("{number} USD")),
                None => error(),
            }),
        }
    }
}

/// The memory of one card as people say it: the "24 GB" of an L4, whatever of it a program can use. `24`, `24 GB`
/// and `24 GiB` name the same cards: makers write GB and mean GiB.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct NominalMemory(f64);

impl NominalMemory {
    /// From gibibytes as sold.
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib)
    }
}

impl std::fmt::Display for NominalMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Quantity for NominalMemory {
    const ALLOWED: &'static str = "a card's memory as it is sold, such as 24 or \"24 GB\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        match split(text).ok_or_else(error)? {
            (gib, "" | "GB" | "GiB" | "G" | "gb" | "Gi") if gib >= 0.0 => Ok(Self(gib)),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Range;

    #[test]
    fn reads_prices_per_hour() {
        let read = |text| HourlyPrice::parse(text).unwrap();
        assert_eq!(read("2.10").price, PerHour::from_decimal("2.1").unwrap());
        assert_eq!(read("2.10").currency, None);
        assert_eq!(read("2.10 USD"), read(" 2.10 USD/h "));
        assert_eq!(read("2.10 USD").currency, Some(Currency::USD));
        for bad in ["", "-1", "free", "2,10", "2.10 dollars", "NaN", "inf"] {
            assert!(HourlyPrice::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(HourlyPrice::parse("$2.10").unwrap_err().suggestion.as_deref(), Some("2.10 USD"));
        assert_eq!(HourlyPrice::parse("2 usd").unwrap_err().suggestion.as_deref(), Some("2 USD"));
        let range = Range::<HourlyPrice>::parse("1..2 USD").unwrap();
        assert_eq!(range.from(), Some(&read("1 USD")));
        assert!(range.contains(&read("2 USD")));
    }

    #[test]
    fn a_cards_memory_is_what_people_say() {
        let l4 = NominalMemory::from_gib(24.0);
        for text in ["24", "24 GB", "24GiB", "24..", "..24 GB", "16..24"] {
            assert!(Range::<NominalMemory>::parse(text).unwrap().contains(&l4), "{text}");
        }
        for text in ["25..", "..22.5", "23"] {
            assert!(!Range::<NominalMemory>::parse(text).unwrap().contains(&l4), "{text}");
        }
        assert!(NominalMemory::parse("24 TB").is_err());
    }
}
