//! `plan time`: what it prints and what it refuses.

mod bad;
mod cases;

use plan::cli::{Env, Exit, run};
use plan::units::Date;

/// A run's exit, standard output and standard error.
pub(crate) fn plan(args: &[&str]) -> (Exit, String, String) {
    let env = Env { today: Date::new(2026, 11, 30).expect("a date"), width: Some(100), color: false };
    let args = std::iter::once("plan").chain(args.iter().copied()).map(Into::into);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run(args, &env, &mut out, &mut err);
    (exit, text(out), text(err))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("the program writes UTF-8")
}

#[test]
fn a_stated_utilisation_is_plain_arithmetic() {
    let question = [
        "time",
        "--family",
        "decoder",
        "--params",
        "1B",
        "--tokens",
        "1B",
        "--seq-len",
        "512",
        "--mfu",
        "0.4",
        "--precision",
        "amp",
        "--on",
        "A100-80GB",
        "--json",
    ];
    let (exit, out, err) = plan(&question);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rate = json["machines"][0]["rate_per_second"].as_f64().unwrap();
    // layers = (10⁹ ÷ 196,608)^⅓ = 17.196; 128 × 17.196² = 37,850; per token 3 × (2·10⁹ + 4 × 37,850 × 512) = 6.2326·10⁹;
    // 0.4 × 3.12·10¹⁴ ÷ 6.2326·10⁹ = 20,024 tokens/s.
    assert!((rate - 20_024.0).abs() < 20.0, "{rate}");
}

#[test]
fn all_cards_are_ordered_by_time() {
    let (exit, out, err) =
        plan(&["time", "--architecture", "resnet50", "--samples", "1.28M", "--epochs", "90", "--json"]);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let hours: Vec<f64> = json["machines"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|m| m["duration_hours"]["expected"].as_f64())
        .collect();
    assert!(hours.len() > 30 && hours.is_sorted());
    for machine in json["machines"].as_array().unwrap() {
        let band = &machine["duration_hours"];
        let (low, mid, high) = (band["low"].as_f64(), band["expected"].as_f64(), band["high"].as_f64());
        assert!(low < mid && mid < high, "{machine}");
    }
}

#[test]
fn a_table_fits_the_terminal() {
    let (exit, out, _) = plan(&[
        "time",
        "--architecture",
        "bert-large",
        "--samples",
        "88k",
        "--epochs",
        "2",
        "--seq-len",
        "384",
        "--count",
        "8",
        "--batch-size",
        "64",
    ]);
    assert_eq!(exit, Exit::Done);
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    assert!(out.contains("A100-80GB") && out.contains("published"), "{out}");
}

#[test]
fn few_vcpus_starve_a_fast_card() {
    // 4 vCPUs of a g4dn.xlarge decode 40 images a second: 1.28 million in 8 h 53 min an epoch, whatever the T4 could do.
    let (exit, out, _) = plan(&[
        "time",
        "--architecture",
        "resnet50",
        "--samples",
        "1.28M",
        "--epochs",
        "1",
        "--on",
        "g4dn.xlarge",
        "--decode-per-vcpu",
        "10",
        "--json",
    ]);
    assert_eq!(exit, Exit::Done);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rate = json["machines"][0]["rate_per_second"].as_f64().unwrap();
    assert!((rate - 40.0).abs() < 1e-6, "{rate}");
}

#[test]
fn a_stage_of_a_workload_takes_what_its_plan_says() {
    let workload = "tests/workloads/image-classification.toml";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(workload).display().to_string();
    let (exit, out, err) = plan(&["time", &path, "--stage", "train", "--json"]);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let machines = json["stages"][0]["machines"].as_array().unwrap();
    let hours = |name: &str| {
        let row = machines.iter().find(|m| m["machine"] == name).expect("a row");
        (row["duration_hours"]["expected"].as_f64().unwrap(), row["evidence"].as_str().unwrap())
    };
    // Stated: 50 h on T4. On L4: 1/12 h that no card shortens, the rest by (121 × 0.6 ÷ 32.5)^0.25 × (300 ÷ 320)^0.6 =
    // 1.1762: 0.0833 + 49.917 ÷ 1.1762 = 42.52 h.
    assert_eq!(hours("T4"), (50.0, "measured"));
    let (l4, evidence) = hours("L4");
    assert!(evidence == "scaled" && (l4 - 42.52).abs() < 0.05, "{l4}");
    // A card on which the model does not fit has no line; the nearest miss is named.
    assert!(machines.iter().all(|m| m["machine"] != "P4"));
    assert!(json["stages"][0]["notes"][0].as_str().unwrap().contains("memory: 43 offers; nearest"));
    let sorted: Vec<f64> = machines.iter().filter_map(|m| m["duration_hours"]["expected"].as_f64()).collect();
    assert!(sorted.len() > 20 && sorted.is_sorted());
}

#[test]
fn machines_of_one_training_are_joined_by_a_stated_network() {
    let question = |more: &[&'static str]| {
        let base = [
            "time",
            "--architecture",
            "resnet50",
            "--samples",
            "1M",
            "--epochs",
            "1",
            "--on",
            "aws/g5.12xlarge",
        ];
        let args: Vec<&str> = base.iter().chain(&["--count", "2", "--json"]).chain(more).copied().collect();
        plan(&args)
    };
    let (exit, _, err) = question(&[]);
    assert!(exit == Exit::Bad && err.contains("give network, what joins the machines"), "{err}");
    let hours = |network: &'static str| {
        let (exit, out, err) = question(&["--network", network]);
        assert_eq!((exit, err.as_str()), (Exit::Done, ""));
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        json["machines"][0]["duration_hours"]["expected"].as_f64().unwrap()
    };
    assert!((hours("ethernet") / hours("infiniband") - 1.1).abs() < 1e-9);
    // A workload is told which key it lacks.
    let text = "[data]\nsamples = 1_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 8\n[[stage]]\nkind = \"train\"\n\
                instances = 4\n";
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-network.toml");
    std::fs::write(&path, text).unwrap();
    let (_, _, err) = plan(&["time", &path.display().to_string(), "--on", "T4"]);
    assert!(err.contains("no-network.toml:8:13: warning") && err.contains("add `network = "), "{err}");
}

#[test]
fn the_default_precision_is_that_of_a_workload() {
    let time = |precision: &[&str]| {
        let base =
            ["time", "--architecture", "resnet50", "--samples", "1M", "--epochs", "1", "--on", "A100-80GB"];
        let args: Vec<&str> = base.iter().chain(precision).copied().collect();
        let (exit, out, err) = plan(&args);
        assert_eq!((exit, err.as_str()), (Exit::Done, ""));
        out
    };
    let preset = plan::resolve::defaults::PRECISION.value.to_string();
    let out = time(&[]);
    assert_eq!(out, time(&["--precision", &preset]));
    assert!(out.starts_with(&format!("resnet50 in {preset}: 1,000,000 samples")), "{out}");
    assert_ne!(out.lines().nth(2), time(&["--precision", "amp"]).lines().nth(2));
}

#[test]
fn a_stage_lists_the_fastest_and_what_was_measured() {
    let workload = "tests/workloads/image-classification.toml";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(workload).display().to_string();
    let run = |width: u16, more: &[&str]| {
        let env = Env { today: Date::new(2026, 11, 30).expect("a date"), width: Some(width), color: false };
        let args = ["plan", "time", &path, "--stage", "train"];
        let args = args.iter().chain(more).map(Into::into);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(run(args, &env, &mut out, &mut err), Exit::Done);
        text(out)
    };
    let out = run(160, &[]);
    let row = |line: &&str| line.starts_with(' ') && line.contains('/') && !line.contains("evidence");
    let rows: Vec<&str> = out.lines().filter(row).collect();
    // The GPUs; 192 vCPU take 33 times as long as the first; the 96 vCPU were measured.
    assert_eq!(rows.len(), 12, "{out}");
    assert!(rows[11].contains("96 vCPU") && rows[11].contains("measured"), "{out}");
    assert!(!out.contains("192 vCPU"), "{out}");
    let json: serde_json::Value = serde_json::from_str(&run(160, &["--json"])).unwrap();
    let all = json["stages"][0]["machines"].as_array().unwrap().len();
    assert!(out.contains(&format!("{} more, slower; --all shows", all - 12)), "{out}");
    assert!(run(160, &["--all"]).lines().count() > all && !run(160, &["--all"]).contains("more, slower"));
    // A name that is too long for its column is broken between its parts.
    let narrow = run(80, &[]);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("azure/\n") && narrow.contains(" Standard_NC40ads_H100_v5"), "{narrow}");
}
