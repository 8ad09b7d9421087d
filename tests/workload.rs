//! Workload files: what a good one resolves to, and what a bad one says.

mod bad;
mod defaults;
mod good;
mod measured;

use plan::catalog::Catalog;
use plan::diag::Diagnostics;
use plan::job::Job;
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Date, Quantity};
use std::sync::OnceLock;

fn today() -> Date {
    Date::parse("2026-11-30").unwrap()
}

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(Catalog::embedded)
}

/// The job, if there is one, and all messages in file order.
fn resolved(name: &str, text: &str, overrides: &Overrides) -> (Option<Job>, Vec<String>) {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new(name, text), &mut diags);
    let job = resolve(&raw, overrides, catalog(), &mut diags);
    (job, diags.sorted().iter().map(ToString::to_string).collect())
}

/// The job of a file without a mistake.
fn job(text: &str) -> Job {
    let (job, messages) = resolved("w.toml", text, &Overrides::none(today()));
    assert!(messages.is_empty(), "{messages:#?}");
    job.unwrap()
}

/// The messages of a file.
fn messages(text: &str) -> Vec<String> {
    resolved("w.toml", text, &Overrides::none(today())).1
}

/// Value and origin (as words) of a setting.
fn setting(job: &Job, key: &str) -> (String, String) {
    let found: Vec<_> = job.settings.iter().filter(|s| s.key == key).collect();
    assert_eq!(found.len(), 1, "{key}: {found:?}");
    let origin = match &found[0].origin {
        plan::job::Origin::Flag => "flag".to_owned(),
        plan::job::Origin::File(place) => format!("line {}", place.line),
        plan::job::Origin::Model(name) => format!("model {name}"),
        plan::job::Origin::Default(reason) => format!("default: {reason}"),
    };
    (found[0].value.clone(), origin)
}
