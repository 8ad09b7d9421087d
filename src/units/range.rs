//! Ranges as people type them: `4..`, `..500 GB`, `16..64`, or one value. Both ends belong to the range.

use super::number::split;
use super::{Quantity, QuantityError};

/// From one value to another, both included; an end that is absent is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<T> {
    from: Option<T>,
    to: Option<T>,
}

impl<T: PartialOrd> Range<T> {
    /// A range between two ends; `None` where it would be empty.
    pub fn new(from: Option<T>, to: Option<T>) -> Option<Self> {
        let rises = match (&from, &to) {
            (Some(from), Some(to)) => from <= to,
            _ => true,
        };
        rises.then_some(Self { from, to })
    }

    /// Whether a value lies in it.
    pub fn contains(&self, value: &T) -> bool {
        self.from.as_ref().is_none_or(|from| from <= value) && self.to.as_ref().is_none_or(|to| value <= to)
    }

    /// The lower end.
    pub const fn from(&self) -> Option<&T> {
        self.from.as_ref()
    }

    /// The upper end.
    pub const fn to(&self) -> Option<&T> {
        self.to.as_ref()
    }

    /// The same range of other values, where a change that keeps their order has one for each end.
    pub fn map<U: PartialOrd>(self, f: impl Fn(T) -> U) -> Range<U> {
        Range { from: self.from.map(&f), to: self.to.map(&f) }
    }
}

impl<T: Quantity + PartialOrd + Clone> Quantity for Range<T> {
    const ALLOWED: &'static str = "a range with one or both ends, such as 4.., ..64 or 16..64, or one value";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let error = || {
            let unit = T::EXAMPLE_UNIT;
            let allowed = if unit.is_empty() {
                Self::ALLOWED.to_owned()
            } else {
                format!(
                    "a range with one or both ends, such as \"4 {unit}..\", \"..64 {unit}\" or \"16..64 {unit}\", or one \
                     value"
                )
            };
            QuantityError::new(format!("{allowed}; each value is {}", T::ALLOWED))
        };
        let Some((low, high)) = text.split_once("..") else {
            return match T::parse(text) {
                Ok(value) => Ok(Self { from: Some(value.clone()), to: Some(value) }),
                Err(inner) => {
                    let meant = inner.suggestion.or_else(|| respelt(text).filter(|m| Self::parse(m).is_ok()));
                    Err(QuantityError { suggestion: meant, ..error() })
                }
            };
        };
        let (low, high) = share_unit(low.trim(), high.trim());
        let end = |text: &str| (!text.is_empty()).then(|| T::parse(text)).transpose();
        match (end(&low), end(&high)) {
            (Ok(None), Ok(None)) => Err(error()),
            (Ok(from), Ok(to)) => {
                Self::new(from, to).ok_or_else(|| error().suggest(format!("{high}..{low}")))
            }
            (from, to) => {
                let mended = |end: Result<Option<T>, QuantityError>, text: String| match end {
                    Ok(_) => Some(text),
                    Err(inner) => inner.suggestion,
                };
                let ends = mended(from, low).zip(mended(to, high));
                Err(QuantityError { suggestion: ends.map(|(low, high)| format!("{low}..{high}")), ..error() })
            }
        }
    }
}

/// `16..64 GB` means 16 GB: an end without a unit has that of the other one.
fn share_unit(low: &str, high: &str) -> (String, String) {
    let unit = |text: &str| split(text).map(|(_, unit)| unit.to_owned());
    match (unit(low), unit(high)) {
        (Some(none), Some(unit)) if none.is_empty() && !unit.is_empty() => {
            (format!("{low} {unit}"), high.to_owned())
        }
        (Some(unit), Some(none)) if none.is_empty() && !unit.is_empty() => {
            (low.to_owned(), format!("{high} {unit}"))
        }
        _ => (low.to_owned(), high.to_owned()),
    }
}

/// Other spellings of a range in this one: `16-64`, `16+`, `>=16`, `<=64`.
fn respelt(text: &str) -> Option<String> {
    if let Some(low) = text.strip_suffix('+').or_else(|| text.strip_prefix(">=")) {
        return Some(format!("{}..", low.trim()));
    }
    if let Some(high) = text.strip_prefix("<=") {
        return Some(format!("..{}", high.trim()));
    }
    let (low, high) = text.split_once(['-', '–'])?;
    Some(format!("{}..{}", low.trim(), high.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;
    use crate::units::number::Count;

    fn range(text: &str) -> Range<Count> {
        Range::parse(text).unwrap()
    }

    #[test]
    fn ends_are_included_and_may_be_open() {
        for (text, inside, outside) in [
            ("4..", &[4.0, 1e9][..], &[3.9, 0.0][..]),
            ("..64", &[0.0, 64.0], &[64.1]),
            ("16..64", &[16.0, 20.0, 64.0], &[15.0, 65.0]),
            ("16 .. 64", &[16.0, 64.0], &[15.0]),
            ("8", &[8.0], &[7.0, 9.0]),
            ("0..", &[0.0, 5.0], &[]),
            ("0.5..1", &[0.5, 1.0], &[0.4]),
        ] {
            for value in inside {
                assert!(range(text).contains(&Count::new(*value).unwrap()), "{value} in {text}");
            }
            for value in outside {
                assert!(!range(text).contains(&Count::new(*value).unwrap()), "{value} not in {text}");
            }
        }
    }

    #[test]
    fn one_unit_serves_both_ends() {
        let sizes = Range::<Bytes>::parse("16..64 GiB").unwrap();
        assert_eq!(sizes.from(), Some(&Bytes::from_gib(16.0)));
        assert_eq!(sizes, Range::parse("16 GiB..64").unwrap());
        assert_eq!(Range::<Bytes>::parse("..500 GB").unwrap().to(), Some(&Bytes::from_gb(500.0)));
        assert_eq!(Range::<Bytes>::parse("1 GiB..1 TB").unwrap().to(), Some(&Bytes::from_gb(1000.0)));
    }

    #[test]
    fn slips_are_corrected() {
        let meant = |text| Range::<Count>::parse(text).unwrap_err().suggestion;
        assert_eq!(meant("16-64").as_deref(), Some("16..64"));
        assert_eq!(meant("16+").as_deref(), Some("16.."));
        assert_eq!(meant(">=16").as_deref(), Some("16.."));
        assert_eq!(meant("<= 64").as_deref(), Some("..64"));
        assert_eq!(meant("64..16").as_deref(), Some("16..64"));
        for bad in ["", "..", "a..b", "16..64..80", "-4..", "NaN.."] {
            assert!(Range::<Count>::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Range::<Bytes>::parse("16..64G").unwrap_err().suggestion.as_deref(), Some("16 GB..64 GB"));
        assert_eq!(Range::<Bytes>::parse("64G").unwrap_err().suggestion.as_deref(), Some("64 GB"));
        assert_eq!(Range::<Bytes>::parse("64").unwrap_err().suggestion, None);
    }
}
