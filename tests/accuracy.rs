//! Reports over the oracles: truths from elsewhere that are too large to live here.
//!
//! Their folder comes from `PLAN_ORACLES`, else it is `../shared/oracles` beside this crate. The reports are ignored
//! by default, so that a plain clone passes; `cargo test --release -- --ignored --nocapture` runs them.

use std::path::PathBuf;

mod choice;

/// A folder or file among the oracles.
fn oracle(name: &str) -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "where the oracles lie is the caller's to say")]
    let folder = std::env::var("PLAN_ORACLES")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/oracles"), PathBuf::from);
    let path = folder.join(name);
    assert!(path.exists(), "no {name} among the oracles: set PLAN_ORACLES to their folder");
    path
}
