//! x
pub mod price;
pub mod units;
