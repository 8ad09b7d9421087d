//! Bad files: exact messages, one per mistake, and no panic on any text.

use super::{messages, resolved, today};
use plan::resolve::Overrides;
use plan::units::{Amount, Hours, Quantity};
use std::path::Path;

/// Name and text of every file in `tests/workloads/bad`, in order of names.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workloads/bad");
    let mut files: Vec<(String, String)> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() >= 15, "{}", files.len());
    files
}

/// Beside each `x.toml` stands an `x.txt` with all that it says.
#[test]
fn each_bad_file_says_all_its_mistakes_in_file_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workloads/bad");
    let mut wrong = Vec::new();
    for (name, text) in files() {
        let (job, messages) = resolved(&name, &text, &Overrides::none(today()));
        assert!(job.is_none(), "{name}");
        let expected =
            std::fs::read_to_string(folder.join(name.replace(".toml", ".txt"))).unwrap_or_default();
        let found = messages.join("\n") + "\n";
        if found != expected {
            wrong.push(format!("== {name}\n-- expected\n{expected}-- found\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Cut off anywhere, a file still gives either a job without an error or an error without a job.
#[test]
fn a_text_cut_off_anywhere_is_a_job_or_an_error() {
    for (name, text) in files() {
        for (end, _) in text.char_indices().step_by(3) {
            let (job, messages) = resolved(&name, &text[..end], &Overrides::none(today()));
            let errors = messages.iter().filter(|m| m.contains(": error[")).count();
            assert_eq!(job.is_none(), errors > 0, "{name} up to byte {end}: {messages:#?}");
        }
    }
}

/// One slip, one line: what follows from it is not reported as well.
#[test]
fn a_mistake_does_not_cause_others() {
    let good = "[data]\nsamples = 50_000\n[model]\nparams = \"25.6M\"\nbatch_size = 256\n[[stage]]\nkind = \"tune\"\ntrials = 8\n";
    assert_eq!(messages(good), [] as [&str; 0]);
    for (right, slip, expected) in [
        ("samples =", "sampels =", "unknown-key"),
        ("50_000", "\"many\"", "bad-value"),
        ("params =", "parms =", "unknown-key"),
        ("\"25.6M\"", "\"25.6X\"", "bad-value"),
        ("\"25.6M\"", "25.6M", "syntax"),
        ("batch_size =", "batch-size =", "unknown-key"),
        ("256", "\"\"", "bad-value"),
        ("kind =", "knd =", "unknown-key"),
        ("\"tune\"", "\"tnue\"", "unknown-name"),
        ("trials =", "trails =", "unknown-key"),
        ("trials = 8", "trials = 0", "bad-value"),
        ("[[stage]]", "[[stages]]", "unknown-key"),
        ("params = \"25.6M\"", "architecture = \"resnet5O\"", "unknown-name"),
        ("trials = 8", "trials = 8\nmeasured = [{ on = \"T4\", tiem = \"1h\" }]", "unknown-key"),
        ("trials = 8", "trials = 8\nmeasured = [{ no = \"T4\", time = \"1h\" }]", "missing-key"),
    ] {
        let found = messages(&good.replace(right, slip));
        // `no` is near to nothing, so that its place is missed too.
        let lines = if slip.contains("no = ") { 2 } else { 1 };
        assert_eq!(found.len(), lines, "{slip}: {found:#?}");
        assert!(found[0].contains(&format!("error[{expected}]")), "{slip}: {found:#?}");
    }
}

#[test]
fn flags_are_checked_like_the_file() {
    let good = "[data]\nsamples = 50_000\n[model]\nparams = \"25.6M\"\nbatch_size = 256\n[[stage]]\nkind = \"train\"\n";
    let flags = Overrides {
        budget: Amount::parse("0 USD").ok(),
        deadline: Some(Hours::ZERO),
        providers: vec!["asw".to_owned(), "gcp".to_owned()],
        regions: vec!["gcp/us-central9".to_owned()],
        confidence: Some(95.0),
        ..Overrides::none(today())
    };
    let (job, messages) = resolved("w.toml", good, &flags);
    assert!(job.is_none());
    assert_eq!(
        messages,
        [
            "error[bad-value]: `--budget` is 0.00 USD; allowed: more than nothing",
            "error[bad-value]: `--deadline` is no time at all; allowed: more than nothing",
            "error[bad-value]: `--confidence` is 95; allowed: a share from 0.001 to 0.999; did you mean \
             `--confidence 0.95`?",
            "error[unknown-name]: `--provider` is \"asw\": no such provider in the catalog; allowed: alibaba, aws, \
             azure, gcp, hyperstack, lambda, nebius, oci, runpod, tencent or verda; did you mean `aws`?",
            "error[unknown-name]: `--region` is \"gcp/us-central9\": no such region of gcp in the catalog; did you \
             mean `us-central1`?",
        ]
    );
}

#[test]
fn a_budget_of_a_run_is_warned_of_where_all_is_paid_by_the_month() {
    let service = "[[stage]]\nkind = \"serve\"\nrequests_per_second = 5\nmeasured = [{ on = \"8 vCPU\", time = \"20ms\" }]\n";
    let said = messages(&format!("[limits]\nbudget = \"1500 USD\"\n{service}"));
    assert_eq!(
        said,
        [
            "w.toml:2:10: warning[conflict]: the budget is that of one run, and every stage is a service, paid by the month; \
          write `monthly_budget = \"1500.00 USD\"` under [limits]"
        ]
    );
    assert!(messages(&format!("[limits]\nmonthly_budget = \"1500 USD\"\n{service}")).is_empty());
    let run = "[[stage]]\nkind = \"batch\"\nmeasured = [{ on = \"8 vCPU\", time = \"2h\" }]\n";
    assert!(messages(&format!("[limits]\nbudget = \"1500 USD\"\n{service}{run}")).is_empty());
}
