//! Durations against published rates, hours and bills.

mod bills;
mod choice;
mod devices;
mod distil;
mod pairs;
mod scaling;
mod scratch;
mod stats;

use crate::accuracy::oracles;
use plan::catalog::Catalog;
use plan::cli::time::cases::{Case, Wrong};
use plan::cli::time::work::Answer;
use plan::duration::Terms;
use std::sync::LazyLock;

/// A row of a CSV file by column names.
pub(crate) type Row = std::collections::BTreeMap<String, String>;

/// All rows of a file.
pub(crate) fn rows(file: &str) -> Vec<Row> {
    let path = oracles().join(file);
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    reader.deserialize().map(|row| row.unwrap_or_else(|e| panic!("{}: {e}", path.display()))).collect()
}

/// The embedded catalog, read once.
pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::embedded);

/// A bar of the report: what was measured, and whether it is where it should be.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) met: bool,
}

/// A column of a row; empty where there is none.
pub(crate) fn field<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column).map_or("", |text| text.trim())
}

/// A column's number.
pub(crate) fn number(row: &Row, column: &str) -> Option<f64> {
    field(row, column).parse().ok().filter(|n: &f64| n.is_finite())
}

/// The family under which a row is counted: the one that the file gives, except where it does not tell encoders apart.
pub(crate) fn family(row: &Row) -> String {
    match (field(row, "family"), field(row, "model")) {
        ("other", model) if model.contains("BERT") => "transformer-encoder".to_owned(),
        (family, _) => family.to_owned(),
    }
}

/// The part of a case that describes the work of a row of throughput.csv.
pub(crate) fn work(row: &Row) -> Case {
    Case::default()
        .with("model", field(row, "model"))
        .with("family", family(row))
        .with("task", field(row, "task"))
        .with("precision", field(row, "precision"))
        .with("seq_len", pairs::seq_len(row))
}

/// The answer, or why there is none.
pub(crate) fn answer(case: &Case, terms: &Terms) -> Result<Answer, String> {
    let told = |wrong: Vec<Wrong>| wrong.iter().map(|w| w.diagnostic.says()).collect::<Vec<_>>().join("; ");
    case.answer(&CATALOG, terms).map(|(answer, _)| answer).map_err(told)
}

#[test]
#[ignore = "a report over published figures that are not part of the repository"]
fn report() {
    let mut bars = Vec::new();
    bars.extend(scaling::report());
    bars.extend(scratch::report());
    bars.extend(devices::report());
    bars.extend(bills::report());
    bars.extend(choice::report());
    println!();
    for bar in &bars {
        println!("{} {}", if bar.met { "met    " } else { "NOT MET" }, bar.name);
    }
    let missed: Vec<&str> = bars.iter().filter(|bar| !bar.met).map(|bar| bar.name.as_str()).collect();
    assert!(missed.is_empty(), "not met: {missed:#?}");
}
