//! Regions in which keeping data has no price, beside those in which it has.

use super::{choice, job, money};
use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::plan::{NoteKind, Plan};
use std::path::PathBuf;

/// A seller with a price for keeping data and a T4 at 1.00, and one without such a price whose T4 costs `other`.
fn two(name: &str, other: &str) -> Catalog {
    let seller = |provider: &str, price: &str, rest: &str| {
        let text = format!(
            "provider = \"{provider}\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n\
             [[instance]]\nname = \"t4\"\nvcpus = 8\nmemory = \"64 GiB\"\ngpu = \"T4\"\ngpu_count = 1\n\
             prices = [{{ region = \"r\", on_demand = {price} }}]\n{rest}"
        );
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("storage-{name}-{provider}.toml"));
        std::fs::write(&path, text).unwrap();
        path
    };
    let storage = "[[tariff]]\nkind = \"object-storage\"\nproduct = \"standard\"\ntiers = [{ from = \"0 GB\", price = 0.02 }]\nsource = \"a test\"\nas_of = 2026-11-01\n";
    let paths = [seller("known", "1.00", storage), seller("silent", other, "")];
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &paths, true, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.sorted());
    catalog
}

fn planned(head: &str, catalog: &Catalog) -> Plan {
    let text = super::train(head, "10h", "").replace("[data]", "[data]\nsize = \"10 GB\"");
    plan::plan(&job(&text, catalog), catalog)
}

/// The remark on the region, with its kind.
fn said(plan: &Plan) -> (NoteKind, &str) {
    let note = plan.notes.iter().find(|n| n.text.starts_with("data.location is not given")).unwrap();
    (note.kind, &note.text)
}

#[test]
fn a_region_without_a_storage_price_is_named_where_all_else_would_be_cheaper() {
    let catalog = two("cheaper", "0.90");
    let plan = planned("", &catalog);
    assert_eq!(choice(&plan, "train").provider, "known");
    let unpriced = plan.data.as_ref().unwrap().unpriced.as_ref().unwrap();
    assert_eq!((&*unpriced.provider, unpriced.cost, unpriced.exact), ("silent", money("9"), true));
    let (kind, text) = said(&plan);
    assert_eq!(kind, NoteKind::Advice);
    let there = "in silent/r, whose storage has no price in the catalog, it would be 9.00 USD and what storage costs there";
    assert!(text.ends_with(there), "{text}");
    assert!(text.contains("the cheapest for this plan of 1 region with a storage price"), "{text}");
    // 4 % less is not worth a word.
    let near = planned("", &two("near", "0.96"));
    assert_eq!(near.data.as_ref().unwrap().unpriced, None);
    // Everything is in one place, and it is said all the same.
    let (kind, text) = said(&near);
    assert_eq!(kind, NoteKind::Advice);
    assert!(text.ends_with("bringing it there is not priced"), "{text}");
}

#[test]
fn a_region_without_a_storage_price_is_taken_where_none_with_one_keeps_the_budget() {
    let catalog = two("budget", "0.90");
    for (budget, aim, taken) in [
        ("9.50", "", "silent"),
        ("9.50", "fastest", "silent"),
        ("11", "", "known"),
        ("8", "", "known"),
        ("8", "fastest", "known"),
    ] {
        let text = format!("[limits]\nbudget = \"{budget} USD\"\n");
        let text = super::train(&text, "10h", "").replace("[data]", "[data]\nsize = \"10 GB\"");
        let mut job = job(&text, &catalog);
        if aim == "fastest" {
            job.limits.aim = plan::job::Aim::Time;
        }
        let plan = plan::plan(&job, &catalog);
        let data = plan.data.as_ref().unwrap();
        assert_eq!((&*data.provider, &*choice(&plan, "train").provider), (taken, taken), "{budget} {aim}");
        assert_eq!(said(&plan).0 == NoteKind::Warning, taken == "silent", "{budget} {aim}");
    }
}

#[test]
fn where_nothing_keeps_the_deadline_the_region_is_that_of_the_fastest_run() {
    let catalog = Catalog::embedded();
    let at = |location: &str| {
        let text = format!(
            "[limits]\ndeadline = \"10m\"\n[data]\nsamples = 1_281_167\nsize = \"147 GB\"\n{location}\n[model]\n\
             architecture = \"resnet50\"\nbatch_size = 256\nprecision = \"amp\"\n\
             [[stage]]\nkind = \"prepare\"\nmeasured = [{{ on = \"aws/c5.2xlarge\", time = \"6h30m\" }}]\n\
             [[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nepochs = 90\n"
        );
        let plan = plan::plan(&job(&text, &catalog), &catalog);
        assert!(!plan.holds());
        (plan.time.unwrap().expected, plan.cost.unwrap().expected.unwrap(), said_of(&plan))
    };
    let (time, cost, text) = at("");
    assert!(text.contains(", the fastest for this plan of "), "{text}");
    for region in ["aws/us-east-1", "azure/eastus", "gcp/us-central1", "aws/us-west-2"] {
        let (other, dearer, _) = at(&format!("location = \"{region}\""));
        let slower = other.get() > time.get() + 1e-6;
        assert!(slower || dearer >= cost, "{region}: {dearer:?} instead of {cost:?}");
    }
}

/// The remark on the region, where there is one.
fn said_of(plan: &Plan) -> String {
    let note = plan.notes.iter().find(|n| n.text.starts_with("data.location is not given"));
    note.map(|note| note.text.clone()).unwrap_or_default()
}
