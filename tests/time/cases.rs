//! A file of questions: published figures inside the predicted bands, and rows that have no answer.

use super::plan;
use plan::catalog::Catalog;
use plan::cli::Exit;
use plan::cli::time::cases::{Case, read};
use plan::diag::Diagnostics;
use plan::duration::Terms;
use plan::read::Source;
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
fn a_row_without_an_answer_keeps_its_place_and_its_mistakes_are_told_with_theirs() {
    let path = file("bad.csv");
    let (exit, out, err) = plan(&["time", "--cases", &path]);
    assert_eq!(exit, Exit::Bad);
    // Rows without a place are valid questions whose answer is no.
    let messages = [
        ("unknown-card", "2:46: error[unknown-name]", "`to` is \"A1000-80GB\": neither an accelerator"),
        ("zero-rate", "3:45: error[bad-value]", "`from_rate` is \"0\"; allowed: a number above zero"),
        ("negative-params", "4:34: error[bad-value]", "`params` is \"-7e9\"; allowed: a number above zero"),
        ("no-number", "5:37: error[bad-value]", "`samples` is \"many\"; allowed: a number above zero"),
        ("cpu-to-gpu", "", "a rate on a CPU says nothing about a GPU"),
        ("no-rate", "7:43: error[missing-key]", "`from` without `from_rate`"),
        (
            "no-family",
            "8:16: error[unknown-name]",
            "`family` is \"cnnn\": no model family; allowed: cnn, vit",
        ),
        ("no-task", "9:22: error[unknown-name]", "`task` is \"ponder\"; allowed: train, finetune"),
        ("no-precision", "10:33: error[unknown-name]", "`precision` is \"fp12\"; allowed: fp32, tf32"),
        ("nowhere", "11:41: error[missing-key]", "`to` is empty"),
        ("unknown-work", "", "the duration is unknown"),
    ];
    let rows = rows(&out);
    assert_eq!(rows.len(), messages.len());
    let mut lines = err.lines();
    for ((id, place, message), row) in messages.iter().zip(&rows) {
        assert_eq!(row[0], *id);
        assert!(row[8].contains(message), "{row:?}");
        assert!(row[1..8].iter().all(String::is_empty), "{row:?}");
        if !place.is_empty() {
            let line = lines.next().unwrap_or_default();
            assert!(line.starts_with(&format!("{path}:{place}: {message}")), "{line}");
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn an_answer_of_no_is_told_from_a_mistake_by_the_exit_status() {
    let path = std::env::temp_dir().join(format!("plan-time-cases-{}.csv", std::process::id()));
    let ask = |rows: &str| {
        let header = "id,model,family,task,precision,batch,samples,epochs,to";
        std::fs::write(&path, format!("\u{feff}{header}\r\n\r\n{rows}")).unwrap();
        plan(&["time", "--cases", &path.display().to_string()])
    };
    let good = "a,resnet50,cnn,train,amp,256,1M,1,T4\r\n";
    assert_eq!(ask(good).0, Exit::Done);
    let (exit, out, err) = ask(&format!("{good}b,mystery,other,train,amp,,1000,1,T4\r\n"));
    assert_eq!((exit, err.as_str()), (Exit::No, ""), "{out}");
    // Every mistake of a row is told, behind a blank line too; the good row keeps its figures.
    let (exit, out, err) = ask(&format!("{good}\r\nb,resnet50,cnn,train,amp,-1,0,x,\r\n"));
    assert_eq!(exit, Exit::Bad);
    let starts = [
        "5:26: error[bad-value]: `batch`",
        "5:29: error[bad-value]: `samples`",
        "5:31: error[bad-value]: `epochs`",
        "5:33: error[missing-key]: `to`",
    ];
    assert_eq!(err.lines().count(), starts.len(), "{err}");
    for (line, start) in err.lines().zip(starts) {
        assert!(line.starts_with(&format!("{}:{start}", path.display())), "{line}");
    }
    let rows = rows(&out);
    assert!(rows[0][1].parse::<f64>().unwrap() > 0.0 && rows[1][1].is_empty(), "{rows:?}");
    std::fs::remove_file(&path).unwrap();
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
    let mut diags = Diagnostics::new();
    assert!(read(&Source::new("cases.csv", "id,modle\n1,resnet50\n"), &mut diags).is_none());
    let told: Vec<String> = diags.sorted().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("cases.csv:1:4: error[unknown-key]: unknown column \"modle\""), "{told:?}");
    assert!(told[0].ends_with("did you mean `model`?"), "{told:?}");
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
