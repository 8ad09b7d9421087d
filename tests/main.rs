//! All integration tests, in one binary.

mod catalog;
#[cfg(test)]
mod workload;
