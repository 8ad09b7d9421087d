//! Quotes become a plan: the cheapest of what is open to each stage, with what else was possible beside it.

mod alternatives;
pub mod assemble;
mod figures;
mod infeasible;
pub mod select;
mod totals;

pub use assemble::assemble;
pub use select::{ClassBy, Selection, select};
