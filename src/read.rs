//! The only module that opens files. A file becomes a [`Source`]; its text becomes raw types that know where
//! each value stood. Meaning comes later, in `catalog` and `resolve`.

pub mod catalog;
pub mod change;
pub mod json;
pub mod safetensors;
mod source;
pub mod table;
pub mod usage;
pub mod workload;

pub use source::{Located, Source};
