//! The plan beside everything on one machine: only beside one that can do every stage, and with what it misses.

use super::job_of;
use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::plan::{Comparison, LimitCheck, Plan};
use plan::units::Money;
use std::path::PathBuf;

/// A CPU machine, two A100 and a larger card, all of 16 vCPUs; one with fewer.
fn catalog(name: &str, cpu: f64) -> Catalog {
    catalog_with(name, cpu, None)
}

/// The same with a further machine of 16 vCPUs.
fn catalog_with(name: &str, cpu: f64, more: Option<(&str, &str, f64)>) -> Catalog {
    let mut text =
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n".to_owned();
    for (instance, vcpus, card, price) in [
        ("cpu", 16, None, cpu),
        ("a100", 16, Some("A100-80GB"), 2.0),
        ("a40", 16, Some("A100-40GB"), 1.9),
        ("h200", 16, Some("H200"), 10.0),
        ("t4", 4, Some("T4"), 0.5),
    ]
    .into_iter()
    .chain(more.map(|(instance, card, price)| (instance, 16, Some(card), price)))
    {
        text += &format!(
            "[[instance]]\nname = \"{instance}\"\nvcpus = {vcpus}\nmemory = \"64 GiB\"\n\
             prices = [{{ region = \"r\", on_demand = {price}, month = 9000 }}]\n"
        );
        if let Some(card) = card {
            text += &format!("gpu = \"{card}\"\ngpu_count = 1\n");
        }
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("one-{name}.toml"));
    std::fs::write(&path, text).unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.sorted());
    catalog
}

/// 4 h of preparation on 16 vCPUs, then 1 h on an A100, each with further keys of its own; and stages after them.
fn planned(catalog: &Catalog, limits: &str, prepare: &str, train: &str, more: &str) -> Plan {
    let job = job_of(
        catalog,
        &format!(
            "{limits}\n[[stage]]\nname = \"prepare\"\nkind = \"prepare\"\nparallel_share = 1.0\n{prepare}\n\
             measured = [{{ on = \"16 vCPU\", time = \"4h\" }}]\n\
             [[stage]]\nname = \"train\"\nkind = \"train\"\nafter = [\"prepare\"]\n{train}\n\
             measured = [{{ on = \"acme/a100\", time = \"1h\" }}]\n{more}"
        ),
    );
    plan::plan(&job, catalog)
}

const NO_LIMITS: &str = "";
const GPU: &str = "class = \"gpu\"\nmeasured_memory = \"60 GiB\"";

fn one_machine(plan: &Plan) -> Option<&Comparison> {
    plan.comparisons.iter().find(|c| c.rule == "A-M1")
}

fn considered(cpu: f64, name: &str, limits: &str) -> Option<String> {
    let plan = planned(&catalog(name, cpu), &format!("[limits]\n{limits}"), "", GPU, "");
    one_machine(&plan).expect("one machine for all").consider.clone()
}

#[test]
fn one_machine_that_is_better_within_the_limits_is_pointed_out() {
    // 4 hours at 5.00 and 1 at 2.00, against about 5 at 2.00.
    assert_eq!(considered(5.0, "dear", "budget = \"60 USD\"").as_deref(), Some("cheaper: consider it"));
    assert_eq!(
        considered(5.0, "sure", "deadline = \"20h\"\nconfidence = 0.9").as_deref(),
        Some("cheaper: consider it (its chance of ending in time is not told)")
    );
    assert_eq!(
        considered(5.0, "over", "budget = \"15 USD\"").as_deref(),
        Some("within the limits by its expected figures: consider it")
    );
    assert_eq!(considered(5.0, "broken", "budget = \"5 USD\""), None);
    assert_eq!(considered(0.1, "cheap", "budget = \"60 USD\""), None, "it is dearer");
}

/// What is offered for everything: `None` where no machine can do it.
fn offered(catalog: &Catalog, limits: &str, prepare: &str, train: &str, more: &str) -> Option<String> {
    let plan = planned(catalog, limits, prepare, train, more);
    assert!(plan.stages.iter().all(|s| s.outcome.is_ok()), "there is a plan: {prepare} {train} {more}");
    one_machine(&plan).map(|c| c.what.clone())
}

#[test]
fn only_a_machine_that_can_do_every_stage_is_offered() {
    let catalog = catalog("can", 5.0);
    let big = Some("everything on one acme/a100 (A100-80GB)".to_owned());
    let of = |prepare: &str, train: &str| offered(&catalog, NO_LIMITS, prepare, train, "");
    assert_eq!(of("", GPU), big);
    for pin in ["instance = \"acme/cpu\"", "class = \"cpu\"", "purchase = \"month\""] {
        assert_eq!(of(pin, GPU), None, "{pin}");
    }
    assert_eq!(of("min_vcpus = 16\nmin_memory = \"64 GiB\"", GPU), big);
    // A pinned machine is one on which everything can be done, unless it is another than the other stage needs.
    assert_eq!(of("", "instance = \"acme/a100\""), big);
    assert_eq!(of("min_vcpus = 16", "instance = \"acme/t4\""), None, "4 vCPUs");
    assert_eq!(of("", "instance = \"acme/t4\""), Some("everything on one acme/t4 (T4)".to_owned()));
    // The preparation takes 16 h on the 4 vCPUs beside a T4; on 16 of them 4 h.
    let limits = |hours| format!("[limits]\ndeadline = \"{hours}h\"");
    assert_eq!(offered(&catalog, &limits(14), "", "instance = \"acme/t4\"", ""), None);
    assert!(offered(&catalog, &limits(17), "", "instance = \"acme/t4\"", "").is_some());
}

#[test]
fn the_memory_of_every_stage_is_looked_at() {
    let catalog = catalog("memory", 5.0);
    let last = |memory: &str, more: &str| {
        format!(
            "[[stage]]\nname = \"evaluate\"\nkind = \"evaluate\"\nafter = [\"train\"]\nclass = \"gpu\"\n\
             measured_memory = \"{memory}\"\nmeasured = [{{ on = \"acme/a100\", time = \"6m\" }}]\n{more}"
        )
    };
    let of =
        |memory: &str, train: &str, more: &str| offered(&catalog, NO_LIMITS, "", train, &last(memory, more));
    assert_eq!(of("60 GiB", GPU, "").as_deref(), Some("everything on one acme/a100 (A100-80GB)"));
    // 100 GiB are only on the H200, which is the plan's own and not its dearest.
    assert_eq!(of("100 GiB", GPU, "").as_deref(), Some("everything on one acme/h200 (H200)"));
    // Where the A100 with more memory cannot, the other one is found.
    let small = "class = \"gpu\"\nmeasured_memory = \"20 GiB\"";
    let pinned = "gpu = \"A100-40GB\"";
    assert_eq!(of("20 GiB", small, pinned).as_deref(), Some("everything on one acme/a40 (A100-40GB)"));
    assert_eq!(of("20 GiB", GPU, pinned), None);
}

#[test]
fn an_owned_machine_is_no_reason_to_rent_a_big_one() {
    let catalog = catalog("owned", 0.1);
    let own = "[where]\nowned = [{ instance = \"acme/t4\" }]";
    assert_eq!(offered(&catalog, own, "", "gpu = \"T4\"", ""), None);
    let other = "[where]\nowned = [{ instance = \"acme/h200\" }]";
    assert!(offered(&catalog, other, "", "gpu = \"A100-80GB\"", "").is_some());
}

#[test]
fn what_misses_a_limit_says_so() {
    let catalog = catalog("misses", 0.1);
    let misses = |limits: &str| {
        let plan = planned(
            &catalog,
            &format!("runs_per_month = 4\n[limits]\n{limits}"),
            "",
            "instance = \"acme/t4\"",
            "",
        );
        let one = one_machine(&plan).expect("one machine for all").clone();
        (one.misses, one.time.unwrap().get(), one.cost.unwrap())
    };
    let (none, time, cost) = misses("budget = \"60 USD\"");
    assert_eq!(none, Vec::<&str>::new());
    // 10 min of start-up, 16 h of preparation on 4 vCPUs, and an hour of an A100 on a T4.
    assert!(time > 16.0 + 1.0 / 6.0 + 2.0, "{time}");
    assert_eq!(cost, Money::from_f64(time * 0.5).unwrap().to_cents());
    assert_eq!(misses(&format!("deadline = \"{}m\"", (time * 60.0).ceil())).0, Vec::<&str>::new());
    assert_eq!(misses(&format!("deadline = \"{}m\"", (time * 60.0).floor())).0, ["deadline"]);
    assert_eq!(misses(&format!("budget = \"{} USD\"", cost.amount())).0, Vec::<&str>::new());
    assert_eq!(misses("budget = \"1 USD\"").0, ["budget"]);
    let month = cost.scaled(4.0);
    assert_eq!(misses(&format!("monthly_budget = \"{} USD\"", month.amount())).0, Vec::<&str>::new());
    assert_eq!(
        misses(&format!("monthly_budget = \"{} USD\"", cost.scaled(3.9).amount())).0,
        ["monthly-budget"]
    );
}

#[test]
fn where_there_is_no_plan_nothing_is_compared() {
    let catalog = catalog("none", 5.0);
    let limits = "[limits]\nbudget = \"60 USD\"\nmonthly_budget = \"60 USD\"\ndeadline = \"20h\"";
    let of = |prepare: &str, more: &str| {
        let plan = planned(&catalog, limits, prepare, GPU, more);
        assert!(plan.stages.iter().any(|s| s.outcome.is_err()) && plan.comparisons.is_empty());
        assert!(plan.findings.iter().all(|f| f.id != "A-M1" && f.id != "A-M2"), "{:?}", plan.findings);
        assert!(plan.notes.iter().all(|n| n.rule != "A-M2"), "{:?}", plan.notes);
        let told = |c: &LimitCheck| (c.limit, c.kept, c.text.clone());
        plan.checks.iter().map(told).collect::<Vec<_>>()
    };
    let all =
        |text: &str| ["budget", "monthly-budget", "deadline"].map(|limit| (limit, false, text.to_owned()));
    let evaluate = "[[stage]]\nname = \"evaluate\"\nkind = \"evaluate\"\nafter = [\"train\"]\nclass = \"gpu\"\n\
                    measured_memory = \"300 GiB\"\nmeasured = [{ on = \"acme/a100\", time = \"6m\" }]\n";
    assert_eq!(of("", evaluate), all("no plan at all: nothing can do evaluate"));
    assert_eq!(of("min_vcpus = 32", evaluate), all("no plan at all: nothing can do prepare, evaluate"));
}

#[test]
fn what_cannot_end_in_time_is_shown_with_the_deadline_that_could_be_kept() {
    let catalog = catalog("later", 5.0);
    let slow = "[[stage]]\nname = \"slow\"\nkind = \"analyze\"\nparallel = false\n\
                measured = [{ on = \"16 vCPU\", time = \"50h\" }]\n";
    let of =
        |deadline: &str| planned(&catalog, &format!("[limits]\ndeadline = \"{deadline}\""), "", GPU, slow);
    let plan = of("20h");
    let time = plan.time.expect("the fastest run").expected;
    assert!(time.get() > 50.0 && !plan.holds(), "{time}");
    let check = &plan.checks[0];
    let end = format!(
        "this is the fastest run: no run with a machine for each stage keeps a deadline below {time}"
    );
    assert!(!check.kept && check.text.ends_with(&end), "{}", check.text);
    // What is said to be kept is kept, and no less.
    let seconds = time.as_secs();
    assert!(of(&format!("{}s", seconds.ceil())).holds());
    assert!(!of(&format!("{}s", seconds.ceil() - 60.0)).holds());
}

#[test]
fn a_cheaper_machine_of_another_card_is_pointed_out_and_starts_once() {
    let catalog = catalog("other", 1.0);
    let plan = |prepare: &str, train: &str| planned(&catalog, NO_LIMITS, prepare, train, "");
    let slow = plan("startup = \"0s\"", &format!("{GPU}\nstartup = \"2h\""));
    let quick = plan("startup = \"0s\"", &format!("{GPU}\nstartup = \"0s\""));
    let [slow, quick] = [slow, quick].map(|plan| one_machine(&plan).unwrap().clone());
    // The longer of the stages' own start-ups, once.
    assert!((slow.time.unwrap().get() - quick.time.unwrap().get() - 2.0).abs() < 1e-9);
    assert!((quick.time.unwrap().get() - 5.0).abs() < 1e-9, "{quick:?}");
    // A card that is slower in training, but cheaper by the hour: not in the plan, and no A100.
    let catalog = catalog_with("cheapest", 5.0, Some(("l40s", "L40S", 1.6)));
    let plan = planned(&catalog, NO_LIMITS, "", "class = \"gpu\"\nmeasured_memory = \"20 GiB\"", "");
    let rented: Vec<&str> =
        plan.stages.iter().map(|s| s.outcome.as_ref().unwrap().instance.as_str()).collect();
    let ones: Vec<&Comparison> = plan.comparisons.iter().filter(|c| c.rule == "A-M1").collect();
    let [big, cheapest] = ones.as_slice() else { panic!("{ones:?}") };
    assert!(!rented.contains(&"l40s") && !cheapest.what.contains("A100"), "{rented:?} {cheapest:?}");
    assert_eq!(cheapest.what, "everything on one acme/l40s (L40S)");
    assert!(big.what.contains("A100") && cheapest.cost < big.cost, "{big:?} {cheapest:?}");
    assert_eq!(cheapest.consider.as_deref(), Some("cheaper: consider it"));
}
