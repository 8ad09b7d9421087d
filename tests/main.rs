//! All integration tests, in one binary.

mod accuracy;
mod exact;
