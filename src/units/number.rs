//! Plain numbers as people write them: `25.6M`, `1_281_167`, `10B`; and how the program prints them.

use super::{Quantity, QuantityError};

/// A count of things (samples, parameters, tokens): finite, not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Count(f64);

impl Count {
    /// A count from a plain number; `None` unless finite and not negative.
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && value >= 0.0).then_some(Self(value))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Quantity for Count {
    const ALLOWED: &'static str =
        "a number, with K, M, B (10⁹) or T if large, such as 50_000, \"25.6M\" or \"7B\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let (number, suffix) = split(text).ok_or_else(|| QuantityError::new(Self::ALLOWED))?;
        let scale = match suffix {
            "" => 1.0,
            "K" | "k" => 1e3,
            "M" => 1e6,
            "B" | "G" | "bn" => 1e9,
            "T" => 1e12,
            "m" => {
                return Err(QuantityError::new(Self::ALLOWED).suggest(format!("{number}M")));
            }
            "b" | "g" => return Err(QuantityError::new(Self::ALLOWED).suggest(format!("{number}B"))),
            "t" => return Err(QuantityError::new(Self::ALLOWED).suggest(format!("{number}T"))),
            _ => return Err(QuantityError::new(Self::ALLOWED)),
        };
        Self::new(number * scale).ok_or_else(|| QuantityError::new(Self::ALLOWED))
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (scale, suffix) in [(1e12, "T"), (1e9, "B"), (1e6, "M")] {
            if self.0 >= scale {
                return write!(f, "{}{suffix}", significant(self.0 / scale, 4));
            }
        }
        if self.0 >= 1000.0 && self.0.fract() == 0.0 {
            return f.write_str(&thousands(self.0));
        }
        f.write_str(&significant(self.0, 4))
    }
}

/// A whole number with a comma every three digits: `1,281,167`.
pub fn thousands(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below a quadrillion")]
    let digits = if value.abs() < 1e15 {
        (value.abs().round_ties_even() as u64).to_string()
    } else {
        format!("{:.0}", value.abs())
    };
    let mut out = String::new();
    if value < 0.0 {
        out.push('-');
    }
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A number with at most `digits` significant digits and no trailing zeros: `0.02845`, `131.4`, `12`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of an f64 is within ±324")]
    let exponent = value.abs().log10().floor() as i32;
    let digits = i32::try_from(digits).unwrap_or(i32::MAX);
    let decimals = usize::try_from((digits - 1 - exponent).max(0)).unwrap_or(0);
    if let Some(text) = plain(value, decimals) {
        return text;
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number of few digits with so many decimals and no trailing zeros, where the rounding is beyond doubt: what the exact
/// conversion gives, many times as fast. `None` near a half, and for large numbers.
fn plain(value: f64, decimals: usize) -> Option<String> {
    const POWERS: [u32; 10] =
        [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    let scale = POWERS.get(decimals).copied()?;
    let scaled = value.abs() * f64::from(scale);
    let doubt = (scaled.fract() - 0.5).abs() < 1e-3;
    if doubt || scaled >= 1e9 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a billion")]
    let digits = scaled.round() as u32;
    let (whole, mut rest, mut places) = (digits / scale, digits % scale, decimals);
    while places > 0 && rest.is_multiple_of(10) {
        (rest, places) = (rest / 10, places - 1);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    Some(if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:0places$}") })
}

/// So many of a thing: `1 run`, `4 runs`, `1.5 runs`. The number is as it is shown.
pub fn things(shown: impl std::fmt::Display, one: &str) -> String {
    let shown = shown.to_string();
    let ending = if shown == "1" { "" } else { "s" };
    format!("{shown} {one}{ending}")
}

/// A share from 0 to 1 as a percentage: `36 %`; below 10 % with two significant figures.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() >= 9.95 {
        format!("{} %", thousands(percent))
    } else {
        format!("{} %", significant(percent, 2))
    }
}

/// Splits `"1_281_167.5 GB"` into its number and its unit; `None` where no finite number leads.
pub fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = number_end(text);
    let number = parse_plain(&text[..end])?;
    Some((number, text[end..].trim()))
}

/// The length of the leading number: digits, `_` or `,` between digits, one dot, an exponent.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    if bytes.first().is_some_and(|b| *b == b'+' || *b == b'-') {
        end = 1;
    }
    let mut dot = false;
    while let Some(&b) = bytes.get(end) {
        let digit_next = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        match b {
            b'0'..=b'9' => end += 1,
            b'_' | b',' if end > 0 && digit_next => end += 1,
            b'.' if !dot && digit_next => {
                dot = true;
                end += 1;
            }
            b'e' | b'E' if end > 0 => {
                let signed = bytes.get(end + 1).is_some_and(|b| *b == b'+' || *b == b'-');
                let at = end + 1 + usize::from(signed);
                if bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    end = at;
                } else {
                    break;
                }
            }
            _ => break,
        }
    }
    end
}

fn parse_plain(text: &str) -> Option<f64> {
    // A comma groups thousands only: "1,5" is more likely a decimal comma, which would be read ten times too large.
    if text.contains(',') {
        let whole = text.split('.').next().unwrap_or(text);
        let mut groups = whole.split(',');
        let first = groups.next().unwrap_or("");
        if first.is_empty() || first.len() > 3 || groups.any(|g| g.len() != 3) {
            return None;
        }
    }
    let cleaned: String = text.chars().filter(|c| *c != '_' && *c != ',').collect();
    let value: f64 = cleaned.parse().ok()?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures that are exact in binary")]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, value) in [
            ("25.6M", 25.6e6),
            ("1_281_167", 1_281_167.0),
            ("1,281,167", 1_281_167.0),
            ("7B", 7e9),
            ("10 B", 1e10),
            ("1.5e6", 1.5e6),
            ("0.5", 0.5),
        ] {
            assert_eq!(Count::parse(text).unwrap().get(), value, "{text}");
        }
        for text in ["", "M", "-5", "1,5", "25.6Q", "nan", "inf", "1..2"] {
            assert!(Count::parse(text).is_err(), "{text}");
        }
        assert_eq!(Count::parse("30m").unwrap_err().suggestion.as_deref(), Some("30M"));
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([things(1, "run"), things(significant(1.0, 4), "run")], ["1 run"; 2].map(str::to_owned));
        assert_eq!(things(0, "run") + &things("1.5", "GPU"), "0 runs1.5 GPUs");
    }

    #[test]
    fn prints_so_that_it_reads_back() {
        for value in [0.0, 7e9, 25.6e6, 1_281_167.0, 50_000.0, 124e6, 1e10, 999.0, 12.5] {
            let text = Count(value).to_string();
            let back = Count::parse(&text).unwrap().get();
            assert!((back - value).abs() <= value * 5e-4, "{value} -> {text} -> {back}");
        }
        assert_eq!(Count(1_281_167.0).to_string(), "1.281M");
        assert_eq!(Count(50_000.0).to_string(), "50,000");
        assert_eq!(significant(0.025, 4), "0.025");
        assert_eq!(significant(32.7726, 6), "32.7726");
        assert_eq!(
            [0.363, 0.0042, 13.1, 0.0, 0.0996].map(percent),
            ["36 %", "0.42 %", "1,310 %", "0 %", "10 %"]
        );
    }
    #[test]
    fn the_quick_way_gives_what_the_exact_one_gives() {
        let exact = |value: f64, decimals: usize| {
            let text = format!("{value:.decimals$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        };
        let mut state = 1_u64;
        let mut quick = 0;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let decimals = usize::try_from(state >> 60).unwrap() % 9;
            #[expect(clippy::cast_precision_loss, reason = "any number will do")]
            let value = ((state >> 20) as f64 / 2f64.powi(34) - 500.0)
                * 10f64.powi(3 - i32::try_from(decimals).unwrap());
            if let Some(text) = plain(value, decimals) {
                assert_eq!(text, exact(value, decimals), "{value:?} {decimals}");
                quick += 1;
            }
        }
        assert!(quick > 19_000, "{quick}");
        assert_eq!((plain(0.5, 0), plain(2.675, 2), plain(1e10, 0)), (None, None, None));
        assert_eq!(
            [2.5, 3.5, 1_234_567.5, 1e15].map(thousands),
            ["2", "4", "1,234,568", "1,000,000,000,000,000"]
        );
    }
}
