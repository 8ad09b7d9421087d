//! All integration tests, in one binary.

mod accuracy;
mod catalog;
mod time;
