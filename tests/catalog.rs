//! Prices and hardware: what is embedded, what files may say, what spellings mean.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod aliases;
mod check;
mod embedded;
mod files;
mod layers;
mod sky;
