//! All integration tests, in one binary.

mod catalog;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on, or small whole numbers")]
mod workload;
