//! Who gets the owned machines, with figures worked out by hand.

use super::{catalog, choice, money, planned, train};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::terms::Purchase;

/// T4s at 1.00 an hour, and faster A100s.
fn shop() -> Catalog {
    let a100 = "region = \"r\", on_demand = 3.00";
    catalog(&[("t4", "T4", &["region = \"r\", on_demand = 1.00"]), ("a100", "A100-80GB", &[a100])], "")
}

/// Trainings by name: the stages that they wait for, and hours on a T4 and on an A100.
fn trainings(head: &str, stages: &[(&str, &[&str], f64, f64)]) -> String {
    let mut text = format!(
        "{head}\n[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n"
    );
    for (name, after, t4, a100) in stages {
        text += &format!(
            "[[stage]]\nname = \"{name}\"\nkind = \"train\"\nafter = {after:?}\nstartup = \"0s\"\n\
             measured = [{{ on = \"T4\", time = \"{t4}h\" }}, {{ on = \"A100-80GB\", time = \"{a100}h\" }}]\n"
        );
    }
    text
}

fn owners(plan: &Plan) -> Vec<&str> {
    let owned =
        plan.stages.iter().filter(|s| s.outcome.as_ref().is_ok_and(|c| c.purchase == Purchase::Owned));
    owned.map(|s| s.name.as_str()).collect()
}

fn cost(plan: &Plan) -> plan::units::Money {
    plan.cost.and_then(|band| band.expected).unwrap()
}

/// The one in the middle saves most by itself, 10; beside it the two others, which are in a row, save 9 and 8 on one machine.
#[test]
fn two_that_save_less_by_themselves_save_more_together() {
    let owned = "[where]\nowned = [{ instance = \"t4\" }]";
    let stages: [(&str, &[&str], f64, f64); 3] =
        [("first", &[], 9.0, 8.0), ("second", &["first"], 8.0, 7.0), ("beside", &[], 10.0, 9.0)];
    let plan = planned(&trainings(owned, &stages), &shop());
    assert_eq!((owners(&plan), cost(&plan)), (vec!["first", "second"], money("10.00")));
}

/// Twenty in a row need one machine, twenty side by side one each.
#[test]
fn any_number_of_stages_is_shared_out() {
    let names: Vec<String> = (0..20).map(|i| format!("s{i}")).collect();
    let head = |count: u32| format!("[where]\nowned = [{{ instance = \"t4\", count = {count} }}]");
    let before: Vec<Vec<&str>> =
        (0..20).map(|i| if i == 0 { vec![] } else { vec![&*names[i - 1]] }).collect();
    let row: Vec<_> = names.iter().zip(&before).map(|(n, b)| (&**n, &**b, 1.0, 0.9)).collect();
    assert_eq!(owners(&planned(&trainings(&head(1), &row), &shop())).len(), 20);
    let side: Vec<(&str, &[&str], f64, f64)> = names.iter().map(|n| (&**n, &[][..], 1.0, 0.9)).collect();
    let plan = planned(&trainings(&head(2), &side), &shop());
    assert_eq!((owners(&plan).len(), cost(&plan)), (2, money("18.00")));
    assert!(plan.notes.iter().all(|n| n.rule != "owned"), "proven: {:?}", plan.notes);
}

/// One machine at the data, one far away to which bringing 100 GB costs 2.00, and a third stage that rents for 10.00.
#[test]
fn each_place_has_its_own_machines() {
    let rest = "[[tariff]]\nkind = \"cross-region\"\ntiers = [{ from = \"0 GB\", price = 0.02 }]\nsource = \"a test\"\nas_of = 2026-11-01\n";
    let prices = ["region = \"r\", on_demand = 1.00", "region = \"far\", on_demand = 1.20"];
    let machines = catalog(&[("t4", "T4", &prices)], rest);
    let head =
        "[where]\nowned = [{ instance = \"t4\", region = \"r\" }, { instance = \"t4\", region = \"far\" }]";
    let stages: Vec<(&str, &[&str], f64, f64)> =
        ["a", "b", "c"].iter().map(|n| (*n, &[][..], 10.0, 9.0)).collect();
    let text = trainings(head, &stages).replace("[data]", "[data]\nsize = \"100 GB\"\nlocation = \"acme/r\"");
    let plan = planned(&text, &machines);
    assert_eq!((owners(&plan).len(), cost(&plan)), (2, money("12.00")));
    let mut places: Vec<&str> =
        owners(&plan).iter().map(|name| choice(&plan, name).region.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["far", "r"]);
}

/// A month of the server costs 730 to rent, a training 10.
#[test]
fn a_service_weighs_by_its_month_and_a_run_by_how_often_it_runs() {
    let machines = catalog(&[("t4", "T4", &["region = \"r\", on_demand = 1.00"])], "");
    let work = |runs: u32| {
        let head = format!(
            "runs_per_month = {runs}\n[where]\nowned = [{{ instance = \"t4\" }}]\n[rules]\nserve_headroom = 0"
        );
        let serve = "[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 10\nmeasured = [{ on = \"T4\", time = \"25ms\" }]\n";
        planned(&(train(&head, "10h", "name = \"t\"") + serve), &machines)
    };
    let (seldom, often) = (work(72), work(74));
    assert_eq!(owners(&seldom), ["s"]);
    assert_eq!(choice(&seldom, "t").expected_cost(), money("10.00"));
    assert_eq!(owners(&often), ["t"]);
    assert_eq!(choice(&often, "s").expected_cost(), money("730.00"));
}

/// A100s are owned only, and there is one. The last stage takes 2 h on it; of those before it one takes 2 h too and the other
/// 4 h at least: 6 h, for 4.00.
#[test]
fn an_impossible_deadline_shows_the_fastest_run_that_the_machines_allow() {
    let head =
        "[limits]\ndeadline = \"5h\"\n[where]\nexcluded = [\"acme/a100\"]\nowned = [{ instance = \"a100\" }]";
    let stages: [(&str, &[&str], f64, f64); 3] =
        [("a", &[], 4.0, 2.0), ("b", &[], 4.5, 2.0), ("c", &["a", "b"], 4.0, 2.0)];
    let plan = planned(&trainings(head, &stages), &shop());
    assert_eq!((owners(&plan), cost(&plan)), (vec!["b", "c"], money("4.00")));
    let check = &plan.checks[0];
    assert!(
        !check.kept && check.text.contains("no run with a machine for each stage keeps a deadline below 6 h"),
        "{check:?}"
    );
    // An hour more, and it is kept.
    let plan = planned(&trainings(&head.replace("5h", "6h"), &stages), &shop());
    assert!(plan.checks[0].kept && cost(&plan) == money("4.00"), "{:?}", plan.checks);
}

/// One of the two rents: the shorter one, for 4.00.
#[test]
fn a_budget_that_can_be_kept_is_kept() {
    let head = "[limits]\nbudget = \"6 USD\"\naim = \"time\"\n[where]\nexcluded = [\"acme/a100\"]\nowned = [{ instance = \"t4\" }]";
    let stages: [(&str, &[&str], f64, f64); 2] = [("a", &[], 5.0, 1.0), ("b", &[], 4.0, 1.0)];
    let plan = planned(&trainings(head, &stages), &shop());
    assert!(plan.checks[0].kept && cost(&plan) == money("4.00"), "{:?}", plan.checks);
    let plan = planned(&trainings(&head.replace("6 USD", "3 USD"), &stages), &shop());
    assert!(!plan.checks[0].kept && cost(&plan) == money("4.00"), "{:?}", plan.checks);
}

#[test]
fn where_a_chance_is_asked_for_machines_are_shared_too() {
    let head = "[limits]\ndeadline = \"20h\"\nconfidence = 0.9\n[where]\nowned = [{ instance = \"t4\" }]";
    let stages: [(&str, &[&str], f64, f64); 3] =
        [("first", &[], 9.0, 8.0), ("second", &["first"], 8.0, 7.0), ("beside", &[], 10.0, 9.0)];
    let plan = planned(&trainings(head, &stages), &shop());
    assert_eq!((owners(&plan), cost(&plan)), (vec!["first", "second"], money("10.00")));
    let check = &plan.checks[0];
    assert!(check.kept && check.text.contains("as sure costs less"), "{check:?}");
}
