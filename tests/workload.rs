//! Workload files: what a good one resolves to, and what a bad one says.

mod catalog;

use plan::diag::Diagnostics;
use plan::job::{Job, Origin};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Date, Quantity};

fn today() -> Date {
    Date::parse("2026-11-30").unwrap()
}

/// The job, if there is one, and all messages in file order.
fn resolved(name: &str, text: &str, overrides: &Overrides) -> (Option<Job>, Vec<String>) {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new(name, text), &mut diags);
    let job = resolve(&raw, overrides, &catalog::small(), &mut diags);
    (job, diags.sorted().iter().map(ToString::to_string).collect())
}

fn job(text: &str) -> Job {
    let (job, messages) = resolved("w.toml", text, &Overrides::none(today()));
    job.unwrap_or_else(|| panic!("{messages:#?}"))
}

fn setting<'j>(job: &'j Job, key: &str) -> (&'j str, &'j Origin) {
    let found = job.settings.iter().find(|s| s.key == key).unwrap_or_else(|| panic!("no {key}"));
    (&found.value, &found.origin)
}

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
    println!("{:#?}", job.settings);
    assert_eq!(job.stages.len(), 1);
    let stage = &job.stages[0];
    assert_eq!((stage.name.as_str(), stage.samples, stage.epochs), ("train", Some(50_000.0), 1.0));
    let model = stage.model.as_ref().unwrap();
    assert_eq!((model.params, model.trainable, model.batch_size), (25.6e6, 25.6e6, 256.0));
    assert!(job.settings.iter().any(|s| s.key == "train.family" && s.is_guess()));
    assert_eq!(setting(&job, "train.precision").0, "fp32");
    assert!(matches!(setting(&job, "train.precision").1, Origin::Default(_)));
    assert!(matches!(setting(&job, "train.params").1, Origin::File(place) if place.line == 5));
}
