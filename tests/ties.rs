//! First and second choice that the known times cannot tell apart, and the measurement that would.

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::plan::{Plan, Probe};
use plan::read::{Source, workload};
use plan::render::{Format, Style, render};
use plan::resolve::{Overrides, resolve};
use plan::units::Date;
use std::path::PathBuf;

/// A plan between a T4 at 0.50 and an L4 at some price an hour.
fn planned(name: &str, price_of_l4: &str, text: &str) -> Plan {
    let card = |instance: &str, gpu: &str, price: &str| {
        format!(
            "[[instance]]\nname = \"{instance}\"\nvcpus = 8\nmemory = \"32 GiB\"\ngpu = \"{gpu}\"\ngpu_count = 1\n\
             prices = [{{ region = \"near\", on_demand = {price} }}]\n"
        )
    };
    let prices = format!(
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n{}{}",
        card("t4", "T4", "0.50"),
        card("l4", "L4", price_of_l4)
    );
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ties-{name}.toml"));
    std::fs::write(&path, prices).unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
    let raw = workload::read(&Source::new("test.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), &catalog, &mut diags);
    let messages: Vec<String> = diags.sorted().iter().map(ToString::to_string).collect();
    plan::plan(&job.unwrap_or_else(|| panic!("{messages:#?}")), &catalog)
}

const TRAIN: &str = "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 100\n\
    [[stage]]\nkind = \"train\"\nepochs = 10\nstartup = \"0s\"\nclass = \"gpu\"\n";

fn measured(on: &str) -> String {
    format!("{TRAIN}measured = [{on}]\n")
}

#[test]
fn two_choices_within_their_bands_are_a_tie() {
    let plan = planned("tie", "0.76", &measured("{ on = \"T4\", time = \"10h\" }"));
    let [tie] = plan.ties.as_slice() else { panic!("{:#?}", plan.ties) };
    assert_eq!(tie.first.rent, "acme/t4 (T4) in near");
    assert_eq!(tie.second.rent, "acme/l4 (L4) in near");
    let (first, second) =
        (tie.first.cost.expected.unwrap().as_f64(), tie.second.cost.expected.unwrap().as_f64());
    assert!((first - 5.0).abs() < 1e-9 && (5.0..5.5).contains(&second), "{first} {second}");
    // Costs follow the times, so their bands are those of the times: 1.1 for the same card, more for the other. The
    // ratio's logarithms add as squares.
    let edge = second / tie.second.cost.low.unwrap().as_f64();
    let band = (1.1f64.ln().powi(2) + edge.ln().powi(2)).sqrt().exp();
    assert!(edge > 1.3 && (tie.band - band).abs() < 0.01, "{} {band}", tie.band);
    // The card that was not measured is to be: 300 of 100,000 steps, about of the hours that its cost stands for.
    assert_eq!((tie.measure.on.as_str(), tie.measure.probe), ("acme/l4", Probe::Steps(300.0)));
    let there = second / 0.76;
    assert!((tie.measure.takes.get() - there * 300.0 / 100_000.0).abs() < 1e-3);
    assert!(
        (tie.measure.may_save.as_f64() - (first - second / edge)).abs() < 0.02,
        "{:?}",
        tie.measure.may_save
    );
    assert!(tie.measure.band < tie.band);
    // One line of the table, and the same in JSON.
    let shown = |format| {
        let mut out = Vec::new();
        render(&plan, format, Style { width: 200, color: false, explain: false }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let table = shown(Format::Table);
    assert_eq!(table.matches("a tie: acme/t4 (T4) in near for 5.00").count(), 1, "{table}");
    assert!(table.contains("run 300 steps on acme/l4"), "{table}");
    let json: serde_json::Value = serde_json::from_str(&shown(Format::Json)).unwrap();
    assert_eq!(json["ties"][0]["measure"]["amount"], 300.0);
    assert_eq!(json["ties"][0]["stage"], "train");
}

#[test]
fn what_is_measured_or_far_apart_is_no_tie() {
    let both = measured("{ on = \"T4\", time = \"10h\" }, { on = \"L4\", time = \"8h\" }");
    assert_eq!(planned("both", "0.62", &both).ties, []);
    let far = planned("far", "2.60", &measured("{ on = \"T4\", time = \"10h\" }"));
    assert_eq!(far.ties, []);
}

#[test]
fn of_two_estimates_the_wider_is_measured_and_of_equals_the_choice() {
    // Scaled from a card that nobody sells here: both are unsure.
    let plan = planned("estimates", "0.62", &measured("{ on = \"V100-16GB\", time = \"3h\" }"));
    let [tie] = plan.ties.as_slice() else { panic!("{:#?}", plan.ties) };
    let edge = |cost: &plan::units::Band<Option<plan::units::Money>>| {
        (
            cost.high.unwrap().as_f64() / cost.expected.unwrap().as_f64(),
            cost.expected.unwrap().as_f64() / cost.low.unwrap().as_f64(),
        )
    };
    let (first, second) = (edge(&tie.first.cost).0, edge(&tie.second.cost).1);
    let wider = if first >= second { &tie.first } else { &tie.second };
    assert!(wider.rent.starts_with(&tie.measure.on), "{tie:#?}");
}

#[test]
fn a_choice_too_slow_for_the_deadline_is_no_second() {
    let text = format!("[limits]\ndeadline = \"9h\"\n{}", measured("{ on = \"T4\", time = \"10h\" }"));
    let plan = planned("deadline", "0.76", &text);
    assert!(plan.stages[0].outcome.as_ref().is_ok_and(|c| c.instance == "l4"), "{plan:#?}");
    assert_eq!(plan.ties, []);
}

#[test]
fn what_is_cheaper_and_not_sure_enough_is_no_second() {
    let text = |limits: &str| {
        format!("[limits]\ndeadline = \"10.1h\"\n{limits}{}", measured("{ on = \"T4\", time = \"10h\" }"))
    };
    let sure = planned("sure", "0.76", &text("confidence = 0.7\n"));
    assert!(sure.holds() && sure.stages[0].outcome.as_ref().is_ok_and(|c| c.instance == "l4"), "{sure:#?}");
    // The T4 costs less than the L4, and so near that it was called a tie; no measurement makes it surer.
    assert_eq!(sure.ties, []);
    assert_eq!(planned("unsure", "0.76", &text("")).ties.len(), 1);
}

#[test]
fn with_time_as_the_aim_costs_are_no_tie() {
    let text = format!("[limits]\naim = \"time\"\n{}", measured("{ on = \"T4\", time = \"10h\" }"));
    let plan = planned("time", "0.76", &text);
    assert!(plan.stages[0].outcome.as_ref().is_ok_and(|c| c.instance == "l4"), "{plan:#?}");
    assert_eq!(plan.ties, []);
}
