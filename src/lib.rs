//! `plan` says what to rent for each stage of a machine-learning job, why, for how long and for how much.
//!
//! ```text
//! text ──read──▶ raw files ──resolve──▶ Job ──decide──▶ candidates + rejections ──price──▶ quotes
//!      ──choose──▶ Plan ──advise──▶ Plan ──render──▶ bytes
//! ```
//!
//! Each step is a plain function from one owned type to the next, without I/O, clock, environment or randomness;
//! only [`read`] opens files and only [`cli`] knows the terminal, the clock and the arguments.

pub mod catalog;
pub mod cli;
pub mod diag;
#[path = "catalog/embedded.rs"]
mod embedded;
pub mod job;
pub mod model;
pub mod names;
pub mod read;
pub mod units;
pub mod vram;
