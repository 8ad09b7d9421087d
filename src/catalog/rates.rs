//! Exchange rates of one day each. Without a rate there is no conversion.

use super::Name;
use crate::units::{Currency, Date};
use serde::{Deserialize, Serialize};

/// Units of a currency that one US dollar bought on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExchangeRate {
    /// The currency.
    pub currency: Currency,
    /// Units of it per US dollar.
    pub per_usd: f64,
    /// The day.
    pub date: Date,
    /// Who published it.
    pub source: Name,
}

/// The known rates.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ExchangeRates(pub Vec<ExchangeRate>);

impl ExchangeRates {
    /// The rate of a currency against the US dollar.
    pub fn rate(&self, currency: Currency) -> Option<&ExchangeRate> {
        self.0.iter().find(|rate| rate.currency == currency)
    }

    /// The factor that turns an amount in `from` into `to`; `None` without a rate for either.
    pub fn factor(&self, from: Currency, to: Currency) -> Option<f64> {
        if from == to {
            return Some(1.0);
        }
        let per_usd =
            |c: Currency| if c == Currency::USD { Some(1.0) } else { self.rate(c).map(|r| r.per_usd) };
        Some(per_usd(to)? / per_usd(from)?)
    }
}
