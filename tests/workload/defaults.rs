//! Defaults: each has a reason, and each that applies is shown.

use super::{job, setting};
use plan::job::{GpuSupport, Origin, StageKind};
use plan::names::Named;
use plan::resolve::defaults::{of_kind, rows};

const MINIMAL: &str = "
[data]
samples = 50_000
[model]
params = \"25.6M\"
batch_size = 256
[[stage]]
kind = \"train\"
";

#[test]
fn the_least_that_works_has_a_stated_default_for_all_else() {
    let job = job(MINIMAL);
    let [stage] = job.stages.as_slice() else { panic!("{:?}", job.stages) };
    assert_eq!(stage.name, "train");
    assert_eq!(stage.samples, Some(50_000.0));
    let model = stage.model.as_ref().unwrap();
    assert_eq!(
        [model.params, model.trainable, model.active, model.batch_size],
        [25.6e6, 25.6e6, 25.6e6, 256.0]
    );
    for (key, value) in [
        ("name", "w"),
        ("currency", "USD"),
        ("stale_after_months", "36"),
        ("where.providers", "all"),
        ("train.name", "train"),
        ("train.family", "cnn"),
        ("train.image_size", "224"),
        ("train.precision", "fp32"),
        ("train.optimizer", "adamw"),
        ("train.sharding", "none"),
        ("train.epochs", "1"),
        ("train.urgency", "iteration"),
        ("train.load", "bursty"),
        ("train.instances", "1"),
        ("train.gpu_support", "mature"),
        ("train.tolerates_interruption", "false"),
        ("train.stacks", "cuda"),
    ] {
        let (shown, origin) = setting(&job, key);
        assert_eq!(shown, value, "{key}");
        assert!(origin.starts_with("default: ") && origin.len() > 14, "{key}: {origin}");
    }
    assert_eq!(setting(&job, "train.params"), ("25,600,000".to_owned(), "line 5".to_owned()));
    let guesses: Vec<&str> = job.settings.iter().filter(|s| s.is_guess()).map(|s| s.key.as_str()).collect();
    assert_eq!(guesses, ["train.family", "train.image_size", "train.parallel_share"]);
}

/// The table of defaults that README shows is the one that is used: for each kind, a stage that states nothing but
/// what it must shows each of the table's rows.
#[test]
fn the_table_of_defaults_is_what_is_used() {
    let rows = rows();
    assert!(rows.iter().all(|r| !r.reason.is_empty() && !r.value.is_empty()));
    for (kind, name) in StageKind::ALL {
        let must = match kind {
            StageKind::Serve => "requests_per_second = 10",
            StageKind::Tune => "trials = 24",
            _ => "",
        };
        let job = job(&format!(
            "{MINIMAL}\n[[stage]]\nname = \"it\"\nkind = \"{name}\"\n{must}\nmodel = {{ architecture = \"bert-base\" }}\n\
             measured = [{{ on = \"8 vCPU\", time = \"1h\" }}]\ncheckpoint = {{}}\n"
        ));
        let mut shown = 0;
        for row in rows.iter().filter(|r| r.when == *name || r.when.is_empty()) {
            let key = row.key.strip_prefix("model.").unwrap_or(row.key);
            let found = job.settings.iter().find(|s| s.key == format!("it.{key}") || s.key == key);
            // What a kind does not know or a stage derives from its other facts is not shown with this row's reason.
            if let Some(setting) = found.filter(|s| s.origin == Origin::Default(row.reason.to_owned())) {
                assert_eq!(setting.value, row.value, "{name}: {}", row.key);
                shown += 1;
            }
        }
        assert!(shown >= 12, "{name}: only {shown} rows");
    }
}

/// RULES, "Precedence" 3: spot without more ado for work in pieces.
#[test]
fn only_training_and_services_must_not_be_interrupted() {
    for (kind, name) in StageKind::ALL {
        let harmless = !["train", "serve"].contains(name);
        assert_eq!(of_kind(*kind).tolerates_interruption.value, harmless, "{name}");
    }
}

/// B-Q1 and B-Q2 by kind, and what other statements say about the GPU version of the software.
#[test]
fn gpu_support_follows_from_what_is_stated() {
    let support = |stage: &str| {
        let job = job(&format!("[[stage]]\nname = \"it\"\n{stage}\n"));
        job.stages[0].gpu_support
    };
    let on_cpu = "measured = [{ on = \"8 vCPU\", time = \"2h\" }]";
    assert_eq!(support(&format!("kind = \"batch\"\n{on_cpu}")), GpuSupport::None);
    assert_eq!(support(&format!("kind = \"batch\"\nmigration_hours = 300\n{on_cpu}")), GpuSupport::Partial);
    assert_eq!(support("kind = \"batch\"\nmeasured = [{ on = \"T4\", time = \"2h\" }]"), GpuSupport::Mature);
    assert_eq!(
        support("kind = \"batch\"\nmeasured = [{ on = \"aws/g4dn.xlarge\", time = \"2h\" }]"),
        GpuSupport::Mature
    );
    // A back office without a model: no GPU unless it says so.
    assert_eq!(support(&format!("kind = \"serve\"\nrequests_per_second = 5\n{on_cpu}")), GpuSupport::None);
    assert_eq!(
        support(&format!("kind = \"serve\"\nrequests_per_second = 5\ngpu_support = \"mature\"\n{on_cpu}")),
        GpuSupport::Mature
    );
}
