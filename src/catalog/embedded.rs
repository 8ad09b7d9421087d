//! The catalog in the binary: `pricing/`, read and packed when the program was built.
//!
//! Apart from `catalog`, which the build script compiles too, before there is anything to embed.

use crate::catalog::{Accelerators, Catalog, pack::unpack};

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

static CARDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/accelerators.bin"));

impl Accelerators {
    /// Hardware alone, for commands that need no prices.
    ///
    /// # Panics
    /// Never: the build script wrote the bytes from the same type.
    pub fn embedded() -> Self {
        postcard::from_bytes(CARDS).expect("packed from this type at build time")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_those_of_the_catalog() {
        let (alone, whole) = (Accelerators::embedded(), Catalog::embedded().accelerators);
        assert!(alone.iter().count() > 20);
        assert!(alone.iter().eq(whole.iter()));
    }
}
