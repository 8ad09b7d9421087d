//! Accuracy against large oracles that are not part of this repository. Ignored by default; run with
//! `--ignored --nocapture` where their folder is in `PLAN_ORACLES` or in `../shared/oracles`.

mod choice;
mod duration;
mod picks;
mod spot;
mod vram;

#[test]
#[ignore = "long without optimization; run with --ignored in release"]
fn whole_plans_over_ten_thousand_cases() {
    crate::whole::all(10_000);
    println!("whole plans: 5 properties hold over 10,000 random cases each");
}

#[test]
#[ignore = "long without optimization; run with --ignored in release"]
fn buying_over_four_thousand_workloads() {
    crate::buying::properties::owned_never_dearer(4096);
    println!(
        "buying: owned machines never raise the cost, nor is spot at the price of on-demand taken: 4,096 workloads"
    );
}

/// The folder of the oracles.
fn oracles() -> std::path::PathBuf {
    std::env::var_os("PLAN_ORACLES").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/oracles"),
        std::path::PathBuf::from,
    )
}

/// A folder or file among them.
fn oracle(name: &str) -> std::path::PathBuf {
    let path = oracles().join(name);
    assert!(path.exists(), "no {name} among the oracles: set PLAN_ORACLES to their folder");
    path
}
