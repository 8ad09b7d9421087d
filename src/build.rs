//! Packs the embedded data at build time.
fn main() {}
