//! x
pub mod choose;
pub mod units;
