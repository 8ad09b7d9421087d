//! The catalog in the binary: `pricing/`, read and packed when the program was built.
//!
//! Apart from `catalog`, which the build script compiles too, before there is anything to embed.

use crate::catalog::{Catalog, pack::unpack};

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"));

impl Catalog {
    /// Prices and hardware as the program was built with them.
    ///
    /// # Panics
    /// Never: the build script has unpacked the same bytes before it let the program be built.
    pub fn embedded() -> Self {
        unpack(PACKED).expect("unpacked once at build time")
    }
}
