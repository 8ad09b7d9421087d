//! A file of questions: published figures inside the predicted bands, and rows that have no answer.

use super::plan;
use plan::catalog::Catalog;
use plan::cli::Exit;
use plan::cli::time::cases::{Case, read};
use plan::duration::Terms;
use std::path::Path;

fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/time").join(name).display().to_string()
}

/// The rows of an answer by column.
fn rows(out: &str) -> Vec<Vec<String>> {
    csv::Reader::from_reader(out.as_bytes())
        .records()
        .map(|record| record.expect("CSV").iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn published_rates_lie_inside_the_bands() {
    let (exit, out, err) = plan(&["time", "--cases", &file("published.csv")]);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    // MosaicML llm-foundry, MPT-7B at 2,048 tokens on 8 cards: A100-80GB 37,130 and H100-SXM 85,144 tokens/s.
    // Lambda deeplearning-benchmark 2024, SSD in FP16: A100-80GB 458, V100-16GB 229 images/s.
    // Hours: meta-llama model card, Llama-2-7B 184,320 A100 GPU-hours; NVIDIA, ResNet-50 90 epochs on 8 A100 in about 3 h.
    let published = [
        ("mpt-7b", 1, 85_144.0),
        ("ssd", 1, 229.0),
        ("bert", 1, 308.0),
        ("llama-2-7b", 4, 184_320.0),
        ("resnet50", 4, 3.0),
    ];
    let rows = rows(&out);
    for ((id, column, figure), row) in published.iter().zip(&rows) {
        let number = |at: usize| row[at].parse::<f64>().unwrap();
        assert_eq!(row[0], *id);
        assert!(number(column + 1) <= *figure && *figure <= number(column + 2), "{id}: {row:?}");
    }
    assert_eq!(rows.len(), published.len());
}

#[test]
fn a_row_without_an_answer_says_why() {
    let (exit, out, err) = plan(&["time", "--cases", &file("bad.csv")]);
    assert_eq!((exit, err.as_str()), (Exit::No, ""));
    let messages = [
        ("unknown-card", "neither an accelerator nor an instance type: did you mean A100-80GB?"),
        ("zero-rate", "from_rate is \"0\"; it must be a number above zero"),
        ("negative-params", "params is \"-7e9\""),
        ("no-number", "samples is \"many\""),
        ("cpu-to-gpu", "a rate on a CPU says nothing about a GPU"),
        ("no-rate", "from without from_rate"),
        ("no-family", "no model family is called \"cnnn\": did you mean cnn?"),
        ("no-task", "task is \"ponder\""),
        ("no-precision", "precision is \"fp12\""),
        ("nowhere", "to is empty"),
        ("unknown-work", "the duration is unknown"),
    ];
    let rows = rows(&out);
    assert_eq!(rows.len(), messages.len());
    for ((id, message), row) in messages.iter().zip(&rows) {
        assert_eq!(row[0], *id);
        assert!(row[8].contains(message), "{row:?}");
        assert!(row[1..8].iter().all(String::is_empty), "{row:?}");
    }
}

#[test]
fn rows_with_open_wording_are_answered_and_remarked() {
    let (exit, out, _) = plan(&["time", "--cases", &file("open.csv")]);
    assert_eq!(exit, Exit::Done);
    let rows = rows(&out);
    for (row, message) in rows.iter().zip([
        "samples without epochs: no hours",
        "does not divide over 8 devices",
        "is not a number: not used",
    ]) {
        assert!(row[8].contains(message), "{row:?}");
        assert!(row[1].parse::<f64>().unwrap() > 0.0, "{row:?}");
    }
    assert!(rows[0][4].is_empty() && !rows[1][4].is_empty());
}

#[test]
fn an_unknown_column_is_refused() {
    assert!(read("id,modle\n1,resnet50\n").unwrap_err().contains("did you mean model?"));
}

#[test]
fn there_and_back_is_the_same_rate() {
    let catalog = Catalog::embedded();
    let case = |from: &str, rate: f64, to: &str| {
        let case = Case::default()
            .with("family", "cnn")
            .with("precision", "fp16")
            .with("from", from)
            .with("from_rate", rate.to_string())
            .with("to", to);
        case.answer(&catalog, &Terms::default()).unwrap().0.rate
    };
    for card in ["T4", "L4", "H100-SXM", "RTX-4090", "B200"] {
        let there = case("A100-80GB", 1000.0, card);
        assert!((case(card, there, "A100-80GB") - 1000.0).abs() < 1e-6, "{card}");
    }
}
