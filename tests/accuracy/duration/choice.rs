//! CPU or GPU: which is faster, and which is cheaper, for small work.

use super::{Bar, CATALOG, answer, field, number};
use super::{Row, rows};
use plan::cli::time::cases::Case;
use plan::duration::Terms;

/// The card in a description, and how many: `8x V100`, `A10G (g5.4xlarge)`, `RTX4090 batch 512`.
fn card(text: &str) -> Option<(String, f64)> {
    // Sisters with the same chip, where the table has no other.
    let text = text
        .replace("GTX1080Ti", "P40")
        .replace("GTX1080 x2", "P40")
        .replace("P100-PCI", "P100")
        .replace("V100-PCI", "V100");
    let words: Vec<&str> = text.split([' ', '(', ')', '/']).filter(|w| !w.is_empty()).collect();
    let count = words.first().and_then(|w| w.strip_suffix('x')).and_then(|n| n.parse().ok()).unwrap_or(1.0);
    let known = |w: &&str| w.len() > 1 && CATALOG.accelerators.find(w).id().is_some();
    words.iter().find(|w| known(w)).map(|w| ((*w).to_owned(), count))
}

/// Boosting rounds in a task's name; five hundred where it has none.
fn rounds(task: &str) -> f64 {
    let words: Vec<&str> = task.split_whitespace().collect();
    let unit = words.iter().position(|w| matches!(*w, "trees" | "iterations" | "rounds"));
    unit.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok()).unwrap_or(500.0)
}

/// The work of a row; `None` with a reason where it cannot be told.
fn case(row: &Row) -> Result<Case, &'static str> {
    let domain = field(row, "domain");
    let training = field(row, "phase") == "train";
    let case =
        Case::default().with("task", if training { "train" } else { "infer" }).with("precision", "fp32");
    let some = "10000";
    match domain {
        "gbm" => Ok(case
            .with("family", "gbm")
            .with("model", field(row, "library"))
            .with("samples", field(row, "rows"))
            .with("epochs", rounds(field(row, "task")).to_string())
            .with("params", field(row, "features"))),
        "mlp" | "rl" => Ok(case
            .with("family", "mlp")
            .with("params", field(row, "model_params"))
            .with("samples", some)
            .with("epochs", "1")
            // Reinforcement learning steps through few samples at a time.
            .with("batch", if domain == "rl" { "64" } else { "128" })),
        "cnn" | "detector" | "vit" => {
            let batch = if training { "128" } else { "1" };
            let family = if domain == "vit" { "vit" } else { "cnn" };
            Ok(case
                .with("family", family)
                .with("params", field(row, "model_params"))
                .with("samples", some)
                .with("epochs", "1")
                .with("batch", batch))
        }
        "bert" | "nlp" => Ok(case
            .with("family", "encoder")
            .with("params", field(row, "model_params"))
            .with("samples", some)
            .with("seq_len", "384")),
        "seq2seq" | "rnn" => Ok(case
            .with("family", "encoder-decoder")
            .with("params", field(row, "model_params"))
            .with("samples", some)
            .with("epochs", "1")
            .with("seq_len", "32")),
        "transcode" => Ok(case.with("task", "transcode").with("samples", some)),
        _ => Err("no such family"),
    }
}

pub(crate) fn report() -> Vec<Bar> {
    println!("\n== CPU or GPU ==");
    let (mut compared, mut faster, mut priced, mut cheaper, mut worst) = (0, 0, 0, 0, 1.0_f64);
    let mut refused = 0;
    for row in &rows("cpu_vs_gpu.csv") {
        let name = format!("{} {} {}", field(row, "library"), field(row, "task"), field(row, "rows"));
        let outcome = || -> Result<(f64, f64), String> {
            let case = case(row).map_err(str::to_owned)?;
            let (gpu, count) = card(field(row, "gpu"))
                .ok_or_else(|| format!("{:?} is no card of the table", field(row, "gpu")))?;
            let cpu = match field(row, "cpu") {
                text if text.contains("not stated") => return Err("the CPU is not stated".to_owned()),
                text if text.starts_with("c5.2xlarge") => "c5.2xlarge",
                text if text.starts_with("c5.18xlarge") || text.contains("[c5.18xlarge]") => "c5.18xlarge",
                text if text.contains("[c5.2xlarge]") => "c5.2xlarge",
                text if text.starts_with("c6g.4xlarge") => "16 vCPU",
                text if text.contains("Colab") => "2 vCPU",
                text if text.starts_with("i7-6800K") => "6 cores",
                text if text.starts_with("i9-13900KS") => "24 cores",
                text => text,
            };
            let terms = Terms { published: false, ..Terms::default() };
            let seconds = |to: &str, n: f64| {
                answer(&case.clone().with("to", to).with("to_count", n.to_string()), &terms)
                    .map(|a| a.bare.time.expected.as_secs())
            };
            Ok((seconds(cpu, 1.0)?, seconds(&gpu, count)?))
        };
        let (cpu, gpu) = match outcome() {
            Ok(times) => times,
            Err(why) => {
                refused += 1;
                println!("not expressed: {name}: {why}");
                continue;
            }
        };
        let winner = if gpu < cpu { "gpu" } else { "cpu" };
        if !field(row, "winner_time").is_empty() {
            compared += 1;
            let right = matches!(field(row, "winner_time"), "tie") || field(row, "winner_time") == winner;
            faster += i32::from(right);
            if !right {
                println!("slower: {name} on {} or {}: said {winner}", field(row, "cpu"), field(row, "gpu"));
            }
        }
        if let (Some(cpu_price), Some(gpu_price)) = (number(row, "cpu_usd_h"), number(row, "gpu_usd_h")) {
            priced += 1;
            let choice = if gpu * gpu_price < cpu * cpu_price { "gpu" } else { "cpu" };
            let right = field(row, "winner_cost") == choice || field(row, "winner_cost") == "tie";
            cheaper += i32::from(right);
            if !right {
                let ratio = number(row, "gpu_cost_over_cpu_cost").unwrap_or(1.0);
                let regret = if choice == "gpu" { ratio } else { 1.0 / ratio };
                worst = worst.max(regret);
                println!("dearer by {regret:.2}: {name}: said {choice}");
            }
        }
    }
    println!("{refused} rows not expressed");
    let share = |good: i32, of: i32| f64::from(good) / f64::from(of.max(1));
    vec![
        Bar {
            name: format!("faster class: {faster} of {compared} right (at least 80 %)"),
            met: share(faster, compared) >= 0.8,
        },
        Bar {
            name: format!("cheaper class: {cheaper} of {priced} right (at least 85 %)"),
            met: share(cheaper, priced) >= 0.85,
        },
        Bar {
            name: format!("cheaper class where wrong: {worst:.2} times the best cost (at most 2)"),
            met: worst <= 2.0,
        },
    ]
}
