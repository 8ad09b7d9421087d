//! `--what-if`: the plan of a changed workload is that of the workload that says so itself.

use super::{json, path, plan};
use plan::cli::Exit;
use serde_json::Value;

const TODAY: [&str; 4] = ["--format", "json", "--today", "2026-11-30"];

fn workload(name: &str, text: &str) -> String {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(file: &str, more: &[&str]) -> Value {
    json(&[&[file], &TODAY[..], more].concat())
}

/// The stages of a plan without what differs by the name of the file alone.
fn answer(plan: &Value) -> Value {
    serde_json::json!([plan["stages"], plan["total"], plan["limits"], plan["notes"]])
}

#[test]
fn a_change_is_the_same_as_the_file_that_says_so() {
    let text = std::fs::read_to_string(path("workloads/image-classification.toml")).unwrap();
    let base = workload("what-if-base.toml", &text);
    for (change, old, new) in [
        ("limits.deadline=20h", "deadline = \"3d\"", "deadline = \"20h\""),
        ("limits.budget=\"30 USD\"", "budget = \"400 USD\"", "budget = \"30 USD\""),
        ("where.providers=[gcp]", "providers = [\"aws\", \"gcp\", \"azure\"]", "providers = [\"gcp\"]"),
        (
            "stage.train.checkpoint.to=durable",
            "epochs = 90",
            "epochs = 90\ncheckpoint = { to = \"durable\" }",
        ),
        ("train.gpu=L4", "epochs = 90", "epochs = 90\ngpu = \"L4\""),
        ("model.batch_size=64", "batch_size = 256", "batch_size = 64"),
        ("runs_per_month=1", "runs_per_month = 4", "runs_per_month = 1"),
    ] {
        assert!(text.contains(old), "{old}");
        let edited = workload("what-if-edited.toml", &text.replacen(old, new, 1));
        let beside = run(&base, &["--what-if", change]);
        let changed = &beside["what_if"][0];
        assert_eq!(answer(&changed["plan"]), answer(&run(&edited, &[])), "{change}");
        assert_eq!(answer(&beside), answer(&run(&base, &[])), "the plan itself stays");
        let cost = |plan: &Value| plan["total"]["cost"]["expected"].as_f64().unwrap();
        let difference = cost(&changed["plan"]) - cost(&beside);
        assert!((changed["cost_difference"].as_f64().unwrap() - difference).abs() < 1e-9, "{change}");
    }
}

#[test]
fn a_stage_is_named_with_quotes_or_without() {
    let file = path("workloads/dotted-names.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let edited = |old: &str, new: &str| {
        assert!(text.contains(old), "{old}");
        run(&workload("what-if-dotted-names.toml", &text.replacen(old, new, 1)), &[])
    };
    for (change, old, new) in [
        ("first pass.epochs=5", "epochs = 2", "epochs = 5"),
        ("\"first pass\".epochs=5", "epochs = 2", "epochs = 5"),
        ("stage.'first pass'.epochs=5", "epochs = 2", "epochs = 5"),
        ("stage . \"v1.2\" . epochs = 5", "after =", "epochs = 5\nafter ="),
    ] {
        let changed = &run(&file, &["--what-if", change])["what_if"][0];
        assert_eq!(answer(&changed["plan"]), answer(&edited(old, new)), "{change}");
    }
    // A quoted key is the same key as an unquoted one, for the flag that states it too.
    let beside = run(&file, &["--deadline", "30h", "--what-if", "\"limits\".deadline="]);
    assert_eq!(beside["what_if"][0]["plan"]["limits"]["deadline_hours"], Value::Null);
}

#[test]
fn a_change_outranks_the_flag_of_its_key_and_no_other_one() {
    let file = path("workloads/image-classification.toml");
    let flags = [
        "--deadline",
        "20h",
        "--provider",
        "aws",
        "--what-if",
        "limits.deadline=5h",
        "--what-if",
        "limits.deadline=",
    ];
    let beside = run(&file, &flags);
    let direct = run(&file, &["--deadline", "5h", "--provider", "aws"]);
    assert_eq!(answer(&beside["what_if"][0]["plan"]), answer(&direct));
    assert_eq!(beside["what_if"][1]["plan"]["limits"]["deadline_hours"], Value::Null);
}

#[test]
fn stated_times_follow_the_work() {
    // A rate needs no scaling: what it says holds for any number of samples.
    let text = |measured: &str, samples: u32, epochs: u32| {
        format!(
            "[data]\nsamples = {samples}\n[model]\narchitecture = \"resnet50\"\nbatch_size = 64\n[[stage]]\nkind = \"train\"\n\
             epochs = {epochs}\nmeasured = [{{ on = \"T4\", {measured} }}]\n"
        )
    };
    // 1,000,000 samples twice in 10 h.
    let time = workload("what-if-time.toml", &text("time = \"10h\"", 1_000_000, 2));
    let epoch = workload("what-if-epoch.toml", &text("time = \"5h\", per = \"epoch\"", 1_000_000, 2));
    for (change, factor, samples, epochs) in
        [("data.samples=3M", 3.0, 3_000_000, 2), ("train.epochs=5", 2.5, 1_000_000, 5)]
    {
        let rate = workload("what-if-rate.toml", &text("rate = \"55.555555555555556/s\"", samples, epochs));
        let wanted = run(&rate, &[])["total"]["duration_hours"]["expected"].as_f64().unwrap();
        for file in [&time, &epoch] {
            let beside = run(file, &["--what-if", change]);
            let changed = &beside["what_if"][0];
            let found = changed["plan"]["total"]["duration_hours"]["expected"].as_f64().unwrap();
            assert!((found - wanted).abs() < 1e-6, "{change}: {found} instead of {wanted}");
            let scaled = &changed["scaled"][0];
            assert_eq!((scaled["stage"].as_str(), scaled["factor"].as_f64()), (Some("train"), Some(factor)));
        }
    }
    // A time that the change itself states is that of the changed work.
    let own = run(&time, &["--what-if", "train={ epochs = 4, measured = [{ on = \"T4\", time = \"9h\" }] }"]);
    assert_eq!(own["what_if"][0]["scaled"], serde_json::json!([]));
}

#[test]
fn the_keys_that_a_change_may_name_are_those_of_the_file() {
    let allowed = |err: &str| err.split("allowed: ").nth(1).unwrap().trim().to_owned();
    let file = workload("what-if-keys.toml", "zzzzzzzz = 1\n");
    let of_file = plan(&[&file]);
    let line = of_file.err.lines().find(|l| l.contains("zzzzzzzz")).unwrap().to_owned();
    let of_flag = plan(&[&path("workloads/minimal.toml"), "--what-if", "zzzzzzzz=1"]);
    assert_eq!(of_flag.exit, Exit::Bad);
    let words = |text: &str| {
        let mut words: Vec<String> = text
            .replace(" or ", ", ")
            .split(", ")
            .map(str::to_owned)
            .filter(|w| *w != "stage" && *w != "train")
            .collect();
        words.sort();
        words
    };
    assert_eq!(words(&allowed(&of_flag.err)), words(&allowed(&line)));
}
