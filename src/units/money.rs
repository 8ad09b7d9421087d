//! Money, exact: whole billionths of a currency unit, so that sums of bill lines never drift. Unit prices keep
//! their digits; a bill line is rounded to the cent once, when it is made.

use super::number::{significant, thousands};
use super::{BilledTime, Bytes, Hours, Quantity, QuantityError};
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Sub};

const NANO: i128 = 1_000_000_000;

/// The largest amount that people may type, in units of its currency.
const LARGEST: f64 = 1e12;

/// A currency by its three-letter code (ISO 4217).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Currency([u8; 3]);

impl Currency {
    /// US dollars, the currency of a plan that names none.
    pub const USD: Self = Self(*b"USD");

    /// The code, in capitals.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
}

impl std::fmt::Display for Currency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

impl Quantity for Currency {
    const ALLOWED: &'static str = "a currency code of three capital letters, such as USD or CNY";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        match text.as_bytes() {
            [a, b, c] if text.bytes().all(|b| b.is_ascii_uppercase()) => Ok(Self([*a, *b, *c])),
            _ if text.len() == 3 && text.bytes().all(|b| b.is_ascii_alphabetic()) => {
                Err(QuantityError::new(Self::ALLOWED).suggest(text.to_ascii_uppercase()))
            }
            _ => Err(QuantityError::new(Self::ALLOWED)),
        }
    }
}

/// An amount in the currency of its context (a plan has one currency; a catalog states its own).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Money(i128);

impl Money {
    /// Nothing to pay, and known to be so.
    pub const ZERO: Self = Self(0);

    /// From whole billionths.
    pub const fn from_nanos(nanos: i128) -> Self {
        Self(nanos)
    }

    /// From an estimate in currency units; not for sums. Not-a-number is refused.
    pub fn from_f64(units: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "bounded on the same line")]
        (units.is_finite() && units.abs() < 1e27).then_some(Self((units * 1e9).round() as i128))
    }

    /// From decimal text, exact to nine places and rounded half-even beyond them.
    pub fn from_decimal(text: &str) -> Option<Self> {
        decimal_nanos(text).map(Self)
    }

    /// In whole billionths.
    pub const fn nanos(self) -> i128 {
        self.0
    }

    /// In currency units, for ratios and for JSON.
    pub fn as_f64(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "display and ratios only; sums stay integer")]
        {
            self.0 as f64 / 1e9
        }
    }

    /// Rounded to the cent, halves away from zero, as invoices do. What is less than half a cent keeps its digits:
    /// nothing that costs something turns into nothing.
    #[must_use]
    pub const fn to_cents(self) -> Self {
        const CENT: i64 = 10_000_000;
        const LARGE: i128 = 1 << 62;
        let rounded = if self.0 > -LARGE && self.0 < LARGE {
            // The usual case without 128-bit division, which is slow.
            #[expect(clippy::cast_possible_truncation, reason = "checked on the line above")]
            let nanos = self.0 as i64;
            let half = if nanos < 0 { -CENT / 2 } else { CENT / 2 };
            ((nanos + half) / CENT * CENT) as i128
        } else {
            let cent = CENT as i128;
            let half = if self.0 < 0 { -cent / 2 } else { cent / 2 };
            (self.0 + half) / cent * cent
        };
        Self(if rounded == 0 { self.0 } else { rounded })
    }

    /// A part or a multiple of it (discounts, exchange rates), rounded to the billionth.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "the cast saturates"
        )]
        Self((self.0 as f64 * factor).round() as i128)
    }

    /// The amount with its cents: `1,234.50`; below one cent with the digits that it has: `0.0042`.
    pub fn amount(self) -> String {
        let cents = self.to_cents();
        if cents.0.abs() < NANO / 200 && self.0 != 0 {
            return significant(self.as_f64(), 2);
        }
        let sign = if cents.0 < 0 { "-" } else { "" };
        let whole = cents.0.unsigned_abs() / NANO.unsigned_abs();
        let rest = cents.0.unsigned_abs() % NANO.unsigned_abs() / (NANO.unsigned_abs() / 100);
        #[expect(clippy::cast_precision_loss, reason = "digits of an amount for the screen")]
        {
            format!("{sign}{}.{rest:02}", thousands(whole as f64))
        }
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u32> for Money {
    type Output = Self;

    fn mul(self, n: u32) -> Self {
        Self(self.0.saturating_mul(i128::from(n)))
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// An amount with its currency, as a person writes it: `400 USD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// How much.
    pub money: Money,
    /// Of what.
    pub currency: Currency,
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.money.amount(), self.currency)
    }
}

impl Quantity for Amount {
    const ALLOWED: &'static str = "an amount with its currency, such as \"400 USD\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let (number, code) = text.trim().rsplit_once(' ').ok_or_else(|| {
            let bare = text.trim().trim_start_matches('$');
            match Money::from_decimal(bare) {
                Some(money) if money >= Money::ZERO => error().suggest(format!("{bare} USD")),
                _ => error(),
            }
        })?;
        let money = Money::from_decimal(number.trim()).ok_or_else(error)?;
        if money < Money::ZERO {
            return Err(error());
        }
        if money.as_f64() > LARGEST {
            return Err(QuantityError::new("at most 1,000,000,000,000 of a currency"));
        }
        Ok(Self {
            money,
            currency: Currency::parse(code).map_err(|e| QuantityError {
                allowed: Self::ALLOWED.into(),
                suggestion: e.suggestion.map(|c| format!("{} {c}", number.trim())),
            })?,
        })
    }
}

macro_rules! unit_price {
    ($(#[$doc:meta])* $name:ident, $per:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(i64);

        impl $name {
            /// From whole billionths of the currency unit.
            pub const fn from_nanos(nanos: i64) -> Self {
                Self(nanos)
            }

            /// From decimal text, to nine places; `None` where it is no number or does not fit.
            pub fn from_decimal(text: &str) -> Option<Self> {
                i64::try_from(decimal_nanos(text)?).ok().map(Self)
            }

            /// From a computed figure in currency units; `None` where it is not finite or does not fit.
            pub fn from_f64(units: f64) -> Option<Self> {
                i64::try_from(Money::from_f64(units)?.nanos()).ok().map(Self)
            }

            /// In whole billionths.
            pub const fn nanos(self) -> i64 {
                self.0
            }

            /// In currency units, for ratios and for JSON.
            pub fn as_f64(self) -> f64 {
                #[expect(clippy::cast_precision_loss, reason = "ratios and display only; sums stay integer")]
                {
                    self.0 as f64 / 1e9
                }
            }

            /// A part or a multiple of it (discounts, exchange rates), rounded to the billionth.
            #[must_use]
            pub fn scaled(self, factor: f64) -> Self {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the cast saturates")]
                Self((self.0 as f64 * factor).round() as i64)
            }
        }

        impl std::fmt::Display for $name {
            /// All the digits that the price has, at least two decimals, no currency.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = significant(self.as_f64(), 6);
                let decimals = text.split_once('.').map_or(0, |(_, d)| d.len());
                let pad = if decimals == 0 { ".00" } else if decimals == 1 { "0" } else { "" };
                write!(f, concat!("{}{}", $per), text, pad)
            }
        }
    };
}

unit_price!(
    /// Price of one hour.
    PerHour,
    "/h"
);
unit_price!(
    /// Price of one gigabyte (10⁹ bytes), or of keeping one for a month.
    PerGb,
    "/GB"
);

impl PerHour {
    /// The exact cost of a billed time, to the billionth (rounded to nearest).
    pub fn over(self, time: BilledTime) -> Money {
        match self.0.checked_mul(time.millis()).and_then(|product| product.checked_add(1_800_000)) {
            Some(product) => Money(i128::from(product / 3_600_000)),
            None => Money((i128::from(self.0) * i128::from(time.millis()) + 1_800_000) / 3_600_000),
        }
    }

    /// The cost of an estimated time: for estimates, not for bills.
    pub fn for_hours(self, hours: Hours) -> Option<Money> {
        Money::from_f64(self.as_f64() * hours.get())
    }
}

impl PerGb {
    /// The exact cost of a size (rounded to the nearest billionth).
    pub fn of(self, size: Bytes) -> Money {
        let product = i128::from(self.0) * i128::from(size.get());
        Money((product + NANO / 2) / NANO)
    }
}

/// The common case of [`decimal_nanos`]: up to nine digits on either side of the dot.
fn plain_nanos(text: &str) -> Option<i128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 9 || part.len() > 9 || !digits(whole) || !digits(part) {
        return None;
    }
    let number = |text: &str| text.bytes().fold(0i64, |sum, b| sum * 10 + i64::from(b - b'0'));
    let scale = 10i64.pow(9 - u32::try_from(part.len()).ok()?);
    Some(i128::from(number(whole) * 1_000_000_000 + number(part) * scale))
}

/// Decimal text to billionths, half-even beyond nine places. Takes `12`, `12.5`, `1_000.25`, `1e-3`.
fn decimal_nanos(text: &str) -> Option<i128> {
    if let Some(nanos) = plain_nanos(text) {
        return Some(nanos);
    }
    let cleaned: String = text.trim().chars().filter(|c| *c != '_').collect();
    let (mantissa, exponent) = match cleaned.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i32>().ok().filter(|e| (-30..=15).contains(e))?),
        None => (cleaned.as_str(), 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = whole.chars().chain(part.chars()).collect();
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i128 = all.parse().ok()?;
    let shift = 9 + exponent - i32::try_from(part.len()).ok()?;
    let nanos = if shift >= 0 {
        number.checked_mul(10i128.checked_pow(u32::try_from(shift).ok()?)?)?
    } else {
        match 10i128.checked_pow(shift.unsigned_abs()) {
            None => 0,
            Some(scale) => {
                let (quotient, rest) = (number / scale, number % scale);
                let round_up = match (rest * 2).cmp(&scale) {
                    std::cmp::Ordering::Greater => true,
                    std::cmp::Ordering::Equal => quotient % 2 == 1,
                    std::cmp::Ordering::Less => false,
                };
                quotient + i128::from(round_up)
            }
        }
    };
    Some(if negative { -nanos } else { nanos })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(PerHour::from_decimal("32.7726").unwrap().nanos(), 32_772_600_000);
        assert_eq!(PerHour::from_decimal("12.7948475088219").unwrap().nanos(), 12_794_847_509);
        assert_eq!(PerHour::from_decimal("1e-3").unwrap().nanos(), 1_000_000);
        assert_eq!(Money::from_decimal("-5.255").unwrap().nanos(), -5_255_000_000);
        assert_eq!(Money::from_decimal("999999999.999999999").unwrap().nanos(), 999_999_999_999_999_999);
        for (text, nanos) in [("0", 0), ("7", 7_000_000_000), ("0.000000001", 1), ("1.", 1_000_000_000)] {
            assert_eq!(Money::from_decimal(text).unwrap().nanos(), nanos, "{text}");
        }
        for bad in ["", "NaN", "inf", "1.2.3", "$5", "1,5", "-", "."] {
            assert!(Money::from_decimal(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_bill_is_exact() {
        // 20 minutes at 3.06 an hour: 1.02.
        assert_eq!(PerHour::from_decimal("3.06").unwrap().over(BilledTime::from_secs(1200)).amount(), "1.02");
        // A half cent goes up: 0.005 -> 0.01.
        assert_eq!(Money::from_decimal("0.005").unwrap().to_cents().nanos(), 10_000_000);
        assert_eq!(Money::from_decimal("-0.005").unwrap().to_cents().nanos(), -10_000_000);
        // Less than half a cent stays what it is.
        assert_eq!(Money::from_decimal("0.0049").unwrap().to_cents().nanos(), 4_900_000);
        assert_eq!(PerGb::from_decimal("0.09").unwrap().of(Bytes::from_gb(100.0)).amount(), "9.00");
    }

    #[test]
    fn nothing_prints_as_zero_unless_it_is() {
        assert_eq!(Money::ZERO.amount(), "0.00");
        assert_eq!(Money::from_decimal("0.0042").unwrap().amount(), "0.0042");
        assert_eq!(Money::from_decimal("1234567.891").unwrap().amount(), "1,234,567.89");
        assert_eq!(PerHour::from_decimal("0.000025").unwrap().to_string(), "0.000025/h");
        assert_eq!(PerHour::from_decimal("14").unwrap().to_string(), "14.00/h");
    }

    #[test]
    fn amounts_need_a_currency() {
        assert_eq!(Amount::parse("400 USD").unwrap().to_string(), "400.00 USD");
        assert_eq!(Amount::parse("400").unwrap_err().suggestion.as_deref(), Some("400 USD"));
        assert_eq!(Amount::parse("$400").unwrap_err().suggestion.as_deref(), Some("400 USD"));
        assert_eq!(Amount::parse("400 usd").unwrap_err().suggestion.as_deref(), Some("400 USD"));
        assert!(Amount::parse("-4 USD").is_err());
    }
}
