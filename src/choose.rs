//! Quotes become a plan: the cheapest of what is open to each stage, with what else was possible beside it.

pub mod assemble;
pub mod port;
pub mod select;

pub use assemble::assemble;
pub use select::{ClassBy, Selection, select};
