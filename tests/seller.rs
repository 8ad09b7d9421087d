//! A small seller, for prices and machines that a test works out by hand.

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A seller with one instance type per line: name, vCPUs, card and its number (empty: none), prices.
pub(crate) fn seller<N: Display>(machines: &[(&str, u32, &str, N, &str)]) -> Catalog {
    // Tests run side by side and some share a catalog: each writes a file of its own.
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let mut text =
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n".to_owned();
    for (name, vcpus, card, count, prices) in machines {
        text += &format!("[[instance]]\nname = \"{name}\"\nvcpus = {vcpus}\nmemory = \"64 GiB\"\n");
        if !card.is_empty() {
            text += &format!("gpu = \"{card}\"\ngpu_count = {count}\n");
        }
        text += &format!("prices = [{{ region = \"r\", {prices} }}]\n");
    }
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("seller-{number}.toml"));
    std::fs::write(&path, text).unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.sorted());
    catalog
}
