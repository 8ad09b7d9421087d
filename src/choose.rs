//! Quotes become a plan: the cheapest of what is open to each stage, under a deadline the cheapest of the whole graph,
//! with what else was possible beside it.

mod alternatives;
pub mod assemble;
pub mod deadline;
pub mod exact;
mod figures;
mod infeasible;
pub mod port;
pub mod question;
pub mod select;
mod totals;

pub use assemble::assemble;
pub use deadline::{Kept, keep_deadline};
pub use figures::derivation;
pub use select::{ClassBy, Selection, select};
