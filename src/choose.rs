//! Quotes become a plan: the cheapest of what is open to each stage, under limits the best of the whole graph,
//! with what else was possible beside it.

pub mod aim;
mod alternatives;
pub mod assemble;
mod budget;
pub mod chance;
mod confidence;
pub mod curve;
pub mod deadline;
mod dominance;
pub mod exact;
mod figures;
mod infeasible;
mod interruptions;
pub mod own;
pub mod port;
pub mod question;
mod schedule;
pub mod select;
mod sensitivity;
mod share;
pub mod storage;
pub mod totals;
mod ways;

pub use assemble::assemble;
pub use deadline::Kept;
pub use figures::derivation;
pub use own::{settle, settle_roughly};
pub use select::{ClassBy, Selection, select};
