//! The rules that decide, one file per group; their thresholds are data.

pub mod thresholds;
