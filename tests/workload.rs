//! Workload files: what a good one resolves to, and what a bad one says.

mod bad;
mod good;

use plan::catalog::Catalog;
use plan::diag::Diagnostics;
use plan::job::Job;
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
    let job = resolve(&raw, overrides, &Catalog::embedded(), &mut diags);
    (job, diags.sorted().iter().map(ToString::to_string).collect())
}
