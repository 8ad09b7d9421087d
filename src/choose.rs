//! Quotes become a plan: the cheapest of what is open to each stage, under a deadline the cheapest of the whole graph,
//! with what else was possible beside it.

pub mod assemble;
pub mod deadline;
pub mod exact;
pub mod port;
pub mod select;

pub use assemble::assemble;
pub use deadline::{Kept, keep_deadline};
pub use select::{ClassBy, Selection, select};
