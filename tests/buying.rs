//! Ways of buying, planned on the prices of a small seller with figures worked out by hand.

mod bands;
mod fallback;
mod given;
mod owned;
pub(crate) mod properties;
mod shared;
mod sharing;
mod storage;
mod terms;

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::job::Job;
use plan::plan::{Choice, Plan, StagePlan, Way};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::terms::Purchase;
use plan::units::{Date, Money};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A seller `acme`: one instance type per line, as name, card (empty: none) and prices by region.
fn catalog(machines: &[(&str, &str, &[&str])], rest: &str) -> Catalog {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let mut text =
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n".to_owned();
    for (name, card, prices) in machines {
        text += &format!("[[instance]]\nname = \"{name}\"\nvcpus = 8\nmemory = \"64 GiB\"\n");
        if !card.is_empty() {
            text += &format!("gpu = \"{card}\"\ngpu_count = 1\n");
        }
        let prices: Vec<String> = prices.iter().map(|p| format!("{{ {p} }}")).collect();
        text += &format!("prices = [{}]\n", prices.join(", "));
    }
    text += rest;
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("buying-{number}.toml"));
    std::fs::write(&path, text).unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.sorted());
    catalog
}

/// The job of a workload, which has no mistakes.
fn job(text: &str, catalog: &Catalog) -> Job {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("buying.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    job.unwrap_or_else(|| panic!("{:?}\n{text}", diags.sorted()))
}

/// The plan of a workload, or its mistakes.
fn tried(text: &str, catalog: &Catalog) -> Result<Plan, Vec<String>> {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("buying.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    job.map(|job| plan::plan(&job, catalog))
        .ok_or_else(|| diags.sorted().iter().map(ToString::to_string).collect())
}

fn planned(text: &str, catalog: &Catalog) -> Plan {
    tried(text, catalog).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{text}"))
}

fn stage<'a>(plan: &'a Plan, name: &str) -> &'a StagePlan {
    plan.stages.iter().find(|s| s.name == name).unwrap()
}

fn choice<'a>(plan: &'a Plan, name: &str) -> &'a Choice {
    stage(plan, name).outcome.as_ref().unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

fn way<'a>(plan: &'a Plan, name: &str, purchase: Purchase) -> &'a Way {
    let ways = &stage(plan, name).ways;
    ways.iter()
        .find(|w| w.purchase == purchase)
        .unwrap_or_else(|| panic!("{name}: no {purchase} in {ways:#?}"))
}

fn money(text: &str) -> Money {
    Money::from_decimal(text).unwrap()
}

/// A training on a T4 without start-up, `rest` in its stage and `head` above all.
fn train(head: &str, hours: &str, rest: &str) -> String {
    format!(
        "{head}\n[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\nkind = \"train\"\n\
         startup = \"0s\"\nmeasured = [{{ on = \"T4\", time = \"{hours}\" }}]\n{rest}\n"
    )
}
