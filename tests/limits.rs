//! What a plan does with its limits, against every possible selection of a small job.

mod chance;
mod comparisons;
mod sensitivity;

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::job::{Job, Limits};
use plan::plan::Plan;
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Date, Hours, Money};
use std::path::PathBuf;

/// Instances of one seller: name, price of an hour, vCPUs.
const MACHINES: [(&str, f64, u32); 4] =
    [("small", 0.10, 2), ("middle", 0.24, 4), ("large", 0.60, 8), ("huge", 1.70, 16)];

/// Three stages, two of them side by side, each with its time on every machine in hours; and the last after both.
const STAGES: [(&str, &[&str], [f64; 4]); 3] = [
    ("left", &[], [20.0, 11.0, 6.0, 3.5]),
    ("right", &[], [30.0, 14.0, 9.0, 4.0]),
    ("last", &["left", "right"], [8.0, 5.0, 2.0, 1.0]),
];

fn catalog(name: &str) -> Catalog {
    catalog_of(name, |price| format!("{{ region = \"r\", on_demand = {price} }}"))
}

/// The machines with a line of prices for each price of an hour.
fn catalog_of(name: &str, prices: impl Fn(f64) -> String) -> Catalog {
    let mut text =
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n".to_owned();
    for (name, price, vcpus) in MACHINES {
        text += &format!(
            "[[instance]]\nname = \"{name}\"\nvcpus = {vcpus}\nmemory = \"32 GiB\"\nprices = [{}]\n",
            prices(price)
        );
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path], true, &mut diags);
    assert!(!diags.has_errors(), "{:?}", diags.sorted());
    catalog
}

/// The job with some limits and, where pinned, the machine of each stage.
fn job(catalog: &Catalog, limits: &str, pins: Option<[usize; 3]>) -> Job {
    let mut text = format!("[limits]\n{limits}\n");
    for (at, (name, after, hours)) in STAGES.iter().enumerate() {
        text += &format!(
            "[[stage]]\nname = \"{name}\"\nkind = \"prepare\"\nstartup = \"0s\"\nclass = \"cpu\"\nafter = {after:?}\nmeasured = ["
        );
        for ((machine, _, _), hours) in MACHINES.iter().zip(hours) {
            text += &format!("{{ on = \"acme/{machine}\", time = \"{hours}h\" }}, ");
        }
        text += "]\n";
        if let Some(pins) = pins {
            text += &format!("instance = \"acme/{}\"\n", MACHINES[pins[at]].0);
        }
    }
    job_of(catalog, &text)
}

fn job_of(catalog: &Catalog, text: &str) -> Job {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("test.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    job.unwrap_or_else(|| panic!("{:?}", diags.sorted()))
}

fn figures(plan: &Plan) -> (Money, Hours) {
    (plan.cost.and_then(|band| band.expected).expect("a cost"), plan.time.expect("a time").expected)
}

/// Cost and time of every selection there is.
fn all(catalog: &Catalog) -> Vec<(Money, Hours)> {
    let machines = 0..MACHINES.len();
    let mut all = Vec::new();
    for left in machines.clone() {
        for right in machines.clone() {
            for last in machines.clone() {
                let job = job(catalog, "", Some([left, right, last]));
                all.push(figures(&plan::plan(&job, catalog)));
            }
        }
    }
    all
}

#[test]
fn every_aim_finds_the_best_of_all_selections() {
    let catalog = catalog("limits-aim.toml");
    let all = all(&catalog);
    assert_eq!(all.len(), 64);
    // By hand: 30 h on the small one and then 8 h there; 20 h beside it.
    assert!(all.contains(&(Money::from_decimal("5.80").unwrap(), Hours::new(38.0))));
    for deadline in [5.0, 5.5, 6.0, 8.0, 11.0, 14.0, 17.0, 22.0, 30.0, 37.0, 38.0, 50.0] {
        let job = job(&catalog, &format!("deadline = \"{deadline}h\""), None);
        let best = all.iter().filter(|(_, time)| *time <= Hours::new(deadline)).map(|(cost, _)| *cost).min();
        assert_eq!(Some(figures(&plan::plan(&job, &catalog)).0), best, "{deadline} h");
    }
    for budget in ["5.8", "5.9", "6.2", "7", "8", "9.5", "11", "13.9", "14.45", "100"] {
        let job = job(&catalog, &format!("budget = \"{budget} USD\"\naim = \"time\""), None);
        let plan = plan::plan(&job, &catalog);
        let allowed = all.iter().filter(|(cost, _)| *cost <= Money::from_decimal(budget).unwrap());
        let best = allowed.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).unwrap();
        assert_eq!(figures(&plan), *best, "{budget} USD");
        assert!(plan.holds(), "{budget} USD");
    }
    // The monthly budget of four runs leaves 7 for one.
    let month = job(&catalog, "monthly_budget = \"28 USD\"\naim = \"time\"", None);
    let four = Job { runs_per_month: Some(4.0), ..month };
    let one = job(&catalog, "budget = \"7 USD\"\naim = \"time\"", None);
    assert_eq!(figures(&plan::plan(&four, &catalog)), figures(&plan::plan(&one, &catalog)));
}

#[test]
fn the_curve_is_every_selection_that_none_beats() {
    let catalog = catalog("limits-curve.toml");
    let mut all = all(&catalog);
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut best: Vec<(Money, Hours)> = Vec::new();
    for (cost, time) in all {
        if best.last().is_none_or(|(_, fastest)| time < *fastest) {
            best.push((cost, time));
        }
    }
    assert!(best.len() > 10);
    let job = job(&catalog, "deadline = \"20h\"", None);
    let plan = plan::plan(&job, &catalog);
    let curve = plan::curve(&job, &catalog, &plan).unwrap();
    let points: Vec<(Money, Hours)> = curve.points.iter().map(|p| (p.cost, p.expected)).collect();
    assert_eq!(points, best);
    assert!(curve.complete && curve.one_class.is_empty());
    // On-demand, the time that counts is the expected one.
    assert!(curve.points.iter().all(|p| (p.within.get() - p.expected.get()).abs() < 1e-6));
    let taken: Vec<Money> = curve.points.iter().filter(|p| p.taken).map(|p| p.cost).collect();
    assert_eq!(taken, [figures(&plan).0], "the plan is a point of it");
}

#[test]
fn each_point_of_the_curve_is_the_plan_for_its_deadline() {
    let text = std::fs::read_to_string("tests/workloads/image-classification.toml").unwrap();
    let catalog = Catalog::embedded();
    let job = Job {
        limits: Limits { deadline: None, ..job_of(&catalog, &text).limits },
        ..job_of(&catalog, &text)
    };
    let curve = plan::curve(&job, &catalog, &plan::plan(&job, &catalog)).unwrap();
    assert!(curve.points.len() > 100 && curve.complete);
    for pair in curve.points.windows(2) {
        assert!(pair[0].cost < pair[1].cost && pair[0].within > pair[1].within, "{pair:?}");
    }
    for point in curve.points.iter().step_by(curve.points.len() / 6) {
        let limits = Limits { deadline: Some(point.within), ..job.limits };
        let plan = plan::plan(&Job { limits, ..job.clone() }, &catalog);
        assert_eq!(figures(&plan).0, point.cost, "{}", point.within);
    }
}

#[test]
fn a_budget_below_the_cheapest_is_answered_with_the_cheapest_and_is_not_kept() {
    let catalog = catalog("limits-below.toml");
    let plan = plan::plan(&job(&catalog, "budget = \"5.79 USD\"\naim = \"time\"", None), &catalog);
    assert_eq!(figures(&plan).0, Money::from_decimal("5.80").unwrap());
    assert!(!plan.holds());
}

#[test]
fn why_names_what_decided() {
    let catalog = catalog("why.toml");
    let never = plan::plan(&job(&catalog, "deadline = \"4h\"", None), &catalog);
    assert!(!never.holds());
    for stage in &never.stages {
        let why = &stage.why;
        assert!(why.starts_with("part of the fastest run; nothing keeps the deadline of 4 h; "), "{why}");
        assert!(why.ends_with("; class = \"cpu\" is pinned"), "{why}");
    }
    let cheaper =
        |s: &plan::plan::StagePlan| s.why.contains("; the cheapest whose work alone fits into 4 h costs ");
    assert!(never.stages.iter().any(cheaper));
    let all = all(&catalog);
    let fastest = all.iter().map(|(_, time)| *time).min_by(Hours::total_cmp).unwrap();
    let cheapest = all.iter().filter(|(_, time)| *time <= fastest).map(|(cost, _)| *cost).min().unwrap();
    assert_eq!(figures(&never), (cheapest, fastest));
    let pinned = plan::plan(&job(&catalog, "", Some([0, 1, 2])), &catalog);
    let why: Vec<&str> = pinned.stages.iter().map(|s| s.why.as_str()).collect();
    let of = |name| format!("cheapest; instance = \"acme/{name}\" is pinned");
    assert_eq!(why, [of("small"), of("middle"), of("large")]);
    let faster = plan::plan(&job(&catalog, "deadline = \"12h\"", None), &catalog);
    assert!(faster.holds());
    assert!(faster.stages.iter().any(|s| s.why.starts_with("faster for the deadline; the cheapest costs")));
}
