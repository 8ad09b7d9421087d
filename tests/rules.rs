//! Every rule of the two documents: a workload that makes it speak, with what it says, and one where it is silent. The
//! prices are the round ones of `tests/catalogs/rules.toml`; the figures were worked out by hand.

mod buying;
mod class;
mod cost;
mod memory;
mod notes;
mod thresholds;

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::plan::Plan;
use plan::read::{Source, workload};
use plan::render::{Format, Style, render};
use plan::resolve::{Overrides, resolve};
use plan::rules::{ALIASES, Finding, Verdict, rule, rules};
use plan::units::Date;
use std::path::PathBuf;
use std::sync::OnceLock;

/// One rule under test.
struct Case {
    id: &'static str,
    /// A workload that makes it speak.
    fires: &'static str,
    /// The verdict that it comes to.
    verdict: Verdict,
    /// Parts of what it says.
    says: &'static [&'static str],
    /// A workload where it does not apply, or lacks a fact.
    silent: &'static str,
}

fn cases() -> impl Iterator<Item = &'static Case> {
    [class::CASES, memory::CASES, buying::CASES, cost::CASES].into_iter().flatten()
}

fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| {
        let mut diags = Diagnostics::new();
        let path = PathBuf::from("tests/catalogs/rules.toml");
        let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
        assert!(diags.is_empty(), "{:?}", diags.sorted());
        catalog
    })
}

fn planned(text: &str) -> Plan {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("rules.toml", text), &mut diags);
    let today = Date::new(2026, 11, 30).unwrap();
    let job = resolve(&raw, &Overrides::none(today), catalog(), &mut diags);
    let messages: Vec<String> = diags.sorted().iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{messages:#?}\n{text}");
    plan::plan(&job.unwrap(), catalog())
}

/// All that a rule says in a plan.
fn findings<'a>(plan: &'a Plan, id: &str) -> Vec<&'a Finding> {
    let of_stages = plan.stages.iter().flat_map(|s| &s.findings);
    of_stages.chain(&plan.findings).filter(|f| f.id == id).collect()
}

/// All that it says where it has the facts that it needs.
fn spoken<'a>(plan: &'a Plan, id: &str) -> Vec<&'a Finding> {
    findings(plan, id).into_iter().filter(|f| f.verdict != Verdict::NotEvaluated).collect()
}

fn rendered(plan: &Plan, format: Format) -> String {
    let mut out = Vec::new();
    render(plan, format, Style { width: 100, color: false, explain: true }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Without white space and line breaks, which wrapping adds.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn every_rule_speaks_where_it_applies() {
    for Case { id, fires, verdict, says, .. } in cases() {
        let plan = planned(fires);
        let said = spoken(&plan, id);
        assert!(!said.is_empty(), "{id} says nothing: {:#?}", findings(&plan, id));
        let right = said.iter().any(|f| f.verdict == *verdict && says.iter().all(|s| f.reason.contains(s)));
        assert!(right, "{id}: expected {verdict} with {says:#?}, found {said:#?}");
    }
}

#[test]
fn every_rule_is_silent_where_it_does_not_apply() {
    for Case { id, silent, .. } in cases() {
        let plan = planned(silent);
        let said = spoken(&plan, id);
        assert!(said.is_empty(), "{id} should be silent: {said:#?}");
    }
}

#[test]
fn what_a_rule_says_stands_in_the_explanation_and_in_json() {
    for Case { id, fires, .. } in cases() {
        let plan = planned(fires);
        let table = squeezed(&rendered(&plan, Format::Table));
        let json: serde_json::Value = serde_json::from_str(&rendered(&plan, Format::Json)).unwrap();
        let lists = json["stages"].as_array().unwrap().iter().map(|s| &s["rules"]).chain([&json["rules"]]);
        let entries: Vec<_> = lists.flat_map(|l| l.as_array().unwrap()).collect();
        for finding in spoken(&plan, id) {
            let line = squeezed(&format!("{} {}: {}", finding.id, finding.verdict, finding.reason));
            assert!(table.contains(&line), "{id}: {line}");
            let same = |e: &&&serde_json::Value| {
                e["id"] == finding.id
                    && e["reason"] == finding.reason
                    && e["verdict"] == finding.verdict.to_string()
            };
            assert!(entries.iter().any(|e| same(&e)), "{id}: {finding:?}");
        }
    }
}

/// The ids of the two documents' rules.
const IDS: &[&str] = &[
    "A-K1", "A-K2", "A-K3", "A-K4", "A-K5", "A-K6", "B-K7", "B-K8", "B-K9", "A-L1", "A-L2", "A-L3", "B-Q1",
    "B-Q2", "B-Q3", "A-V1", "A-V2", "A-V3", "A-V4", "A-V5", "A-S1", "A-S2", "A-S3", "B-S4", "A-R1", "A-R2",
    "A-R3", "A-R4", "B-C1", "A-C1", "B-C2", "B-C3", "A-C4", "B-C5", "B-C8", "B-C6", "B-C7", "A-M1", "A-M2",
    "A-U1", "A-U2", "A-U3", "A-U4",
];

#[test]
fn every_id_has_a_rule_a_case_and_a_row() {
    for id in IDS {
        let rule = rule(id).unwrap_or_else(|| panic!("{id} is not in the registry"));
        assert!(cases().any(|c| c.id == rule.id), "{id} has no case");
    }
    let known = |id: &str| IDS.contains(&id);
    assert!(rules().all(|rule| known(rule.id)), "a rule that the documents do not have");
    assert!(ALIASES.iter().all(|(alias, id)| known(alias) && known(id)));
    assert!(cases().all(|case| rules().any(|rule| rule.id == case.id)));
}

/// README's row of a rule.
fn row(rule: &plan::rules::Rule) -> String {
    let thresholds: Vec<String> = rule
        .thresholds()
        .map(|t| {
            format!("`{t}` = {} {}", plan::units::number::significant(t.spec().default, 12), t.spec().unit)
        })
        .collect();
    let ids: Vec<String> = std::iter::once(rule.id)
        .chain(ALIASES.iter().filter(|(_, id)| *id == rule.id).map(|(alias, _)| *alias))
        .map(|id| format!("`{id}`"))
        .collect();
    format!("| {} | {} | {} | {} |", ids.join(", "), rule.says, thresholds.join("; "), rule.source)
}

#[test]
fn every_rule_stands_in_readme() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let rows: Vec<String> = rules().map(row).collect();
    let missing: Vec<&String> = rows.iter().filter(|row| !readme.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "not in README.md, of which these are the rows:\n{}", rows.join("\n"));
}

#[test]
fn a_rule_that_lacks_a_fact_names_it() {
    let plan = planned(&format!("{}{}", "", memory::ON_T4));
    let lacking: Vec<_> = plan
        .stages
        .iter()
        .flat_map(|s| &s.findings)
        .chain(&plan.findings)
        .filter(|f| f.verdict == Verdict::NotEvaluated)
        .collect();
    let said =
        |id: &str, fact: &str| lacking.iter().any(|f| f.id == id && f.reason == format!("needs {fact}"));
    assert!(said("A-R1", "data.location (transfer and storage are not priced)"), "{lacking:#?}");
    assert!(said("B-C7", "runs_per_month"), "{lacking:#?}");
    assert!(said("A-U1", "gpu_utilisation, or decode and samples"), "{lacking:#?}");
    assert!(said("A-U2", "decode, or a stage that prepares for it"), "{lacking:#?}");
    assert!(lacking.iter().all(|f| f.reason.starts_with("needs ")), "{lacking:#?}");
}
