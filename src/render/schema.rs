//! JSON schemas (draft 2020-12) of the JSON answers. A version only gains keys; what a key means changes with the
//! version alone.

use crate::names::named;

named! {
    /// The JSON answers, by their command.
    pub enum Schema {
        /// `plan workload.toml --format json`: `plan/1`.
        Plan = "plan",
        /// `plan offers --format json`: `offers/1`.
        Offers = "offers",
        /// `plan usage --format json`: `usage/1`.
        Usage = "usage",
        /// `plan time --format json`: `plan-time/1`.
        Time = "time",
    }
}

impl Schema {
    /// The schema.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Plan => include_str!("schema/plan-1.json"),
            Self::Offers => include_str!("schema/offers-1.json"),
            Self::Usage => include_str!("schema/usage-1.json"),
            Self::Time => include_str!("schema/time-1.json"),
        }
    }
}
