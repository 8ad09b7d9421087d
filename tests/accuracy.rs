//! How well the program reproduces published figures. The reports read the figures from the folder in `PLAN_ORACLES`, else
//! `../shared/oracles` beside the repository; they are run with `cargo test -- --ignored accuracy --nocapture`.

mod duration;

use std::path::PathBuf;

/// The folder of published figures.
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("PLAN_ORACLES")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/oracles"), PathBuf::from)
}

/// A row of a CSV file by column names.
pub(crate) type Row = std::collections::BTreeMap<String, String>;

/// All rows of a file.
pub(crate) fn rows(file: &str) -> Vec<Row> {
    let path = folder().join(file);
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    reader.deserialize().map(|row| row.unwrap_or_else(|e| panic!("{}: {e}", path.display()))).collect()
}
