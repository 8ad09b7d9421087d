//! How often spot is taken away, as written: a Spot Advisor band or a rate.

use crate::catalog::Hazard;
use crate::units::{Quantity, QuantityError, number};

impl Quantity for Hazard {
    const ALLOWED: &'static str =
        "a share per month such as \"<5%\", \"5-10%\" or \">20%\", or a rate such as \"0.05/h\"";

    fn parse(text: &str) -> Result<Self, QuantityError> {
        let error = || QuantityError::new(Self::ALLOWED);
        let text = text.trim();
        if let Some(rate) = text.strip_suffix("/h") {
            return match number::split(rate) {
                Some((rate, "")) if rate >= 0.0 => Ok(Self::PerHour(rate)),
                _ => Err(error()),
            };
        }
        let share = |text: &str| text.trim().parse::<u8>().ok().filter(|p| *p <= 100).ok_or_else(error);
        let band = text.strip_suffix('%').ok_or_else(error)?;
        if let Some(from) = band.strip_prefix('>') {
            Ok(Self::AwsBand { from: share(from)?, to: None })
        } else if let Some(to) = band.strip_prefix('<') {
            Ok(Self::AwsBand { from: 0, to: Some(share(to)?) })
        } else {
            let (from, to) = band.split_once('-').ok_or_else(error)?;
            let (from, to) = (share(from)?, share(to)?);
            if from < to { Ok(Self::AwsBand { from, to: Some(to) }) } else { Err(error()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_bands_and_rates() {
        assert_eq!(Hazard::parse(">20%").unwrap(), Hazard::AwsBand { from: 20, to: None });
        assert_eq!(Hazard::parse("<5%").unwrap(), Hazard::AwsBand { from: 0, to: Some(5) });
        assert_eq!(Hazard::parse("15-20%").unwrap(), Hazard::AwsBand { from: 15, to: Some(20) });
        assert_eq!(Hazard::parse("0.05/h").unwrap(), Hazard::PerHour(0.05));
        for bad in ["", "20", "20-15%", "-1/h", ">120%", "0.05", "nan/h", "5%"] {
            assert!(Hazard::parse(bad).is_err(), "{bad}");
        }
    }
}
