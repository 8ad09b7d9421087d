//! All integration tests, in one binary.

#[cfg(test)]
mod accuracy;
mod catalog;
#[cfg(test)]
mod vram;
