//! Spot with on-demand fallback, and what a stage states of spot.

use super::{catalog, choice, money, planned, train, tried, way};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::price::spot_case::HazardFrom;
use plan::terms::Purchase;

/// A T4 at 1.00 an hour, on spot at 0.35, lost 0.3 times an hour.
fn t4() -> Catalog {
    catalog(&[("t4", "T4", &["region = \"r\", on_demand = 1.00, spot = 0.35, interruption = \"0.3/h\""])], "")
}

/// Quarters of an hour between checkpoints of a minute.
const SAVED: &str = "checkpoint = { every = \"15m\", takes = \"1m\" }";

fn within(deadline: &str, rest: &str) -> Plan {
    planned(&train(&format!("[limits]\ndeadline = \"{deadline}\""), "12h", rest), &t4())
}

#[test]
fn a_deadline_between_spot_and_on_demand_is_kept_by_both() {
    // 12 h of work. By the law of spot alone 95 of 100 end within 30 h or so; on-demand alone costs 12.00.
    let plan = within("20h", SAVED);
    let train = choice(&plan, "train");
    assert_eq!(train.purchase, Purchase::Fallback);
    let spot = train.spot.unwrap();
    let net = spot.fallback.unwrap();
    assert_eq!(net.within.get(), 20.0, "one stage may use all of the time");
    // 47 checkpoints are 47 min: on-demand all of it would take 12.78 h; some of each is expected.
    assert!(net.spot.get() > 8.0 && net.on_demand.get() > 0.2 && net.on_demand.get() < 4.0, "{net:?}");
    // The bill is the hours of each at their price, rounded to the cent.
    let lines = train.bill.lines();
    let cents = |price: f64, hours: f64| (price * hours * 100.0).round() / 100.0;
    assert!((lines[0].amount.as_f64() - cents(0.35, net.spot.get())).abs() < 0.011, "{lines:?}");
    assert!((lines[1].amount.as_f64() - cents(1.0, net.on_demand.get())).abs() < 0.011, "{lines:?}");
    assert_eq!(lines.len(), 2);
    assert!(train.expected_cost() < money("12.00"));
    // 20 h less the margin of 16 min is 1.54 times the work with its checkpoints: 1 % was missed there.
    assert!((net.missed - 0.01).abs() < 1e-3, "{}", net.missed);
    assert!(way(&plan, "train", Purchase::Spot).why.contains("of the time"), "spot alone is not sure enough");
    assert!(way(&plan, "train", Purchase::OnDemand).why.contains("times as much"));
}

#[test]
fn more_time_never_costs_more() {
    let mut before = f64::INFINITY;
    for deadline in ["13h", "15h", "16h", "18h", "20h", "24h", "30h", "40h", "80h"] {
        let cost = choice(&within(deadline, SAVED), "train").expected_cost().as_f64();
        assert!(cost <= before, "{deadline}: {cost} after {before}");
        before = cost;
    }
    // In the end spot alone does.
    assert_eq!(choice(&within("80h", SAVED), "train").purchase, Purchase::Spot);
    assert_eq!(choice(&within("13h", SAVED), "train").purchase, Purchase::OnDemand);
}

#[test]
fn what_stands_against_it_is_said() {
    let none = within("20h", "tolerates_interruption = true");
    assert!(way(&none, "train", Purchase::Fallback).why.contains("no durable checkpoint"));
    let local = within(
        "20h",
        "checkpoint = { every = \"15m\", takes = \"1m\", to = \"local\" }\ntolerates_interruption = true",
    );
    assert!(way(&local, "train", Purchase::Fallback).why.contains("no durable checkpoint"));
    // 12.78 h × 1.215 and 16 min: more than 15 h.
    let tight = within("15h", SAVED);
    let why = &way(&tight, "train", Purchase::Fallback).why;
    assert!(why.contains("needs 15 h 48 min") && why.contains("there are 15 h"), "{why}");
    let free = planned(&train("", "12h", SAVED), &t4());
    assert_eq!(way(&free, "train", Purchase::Fallback).why, "no deadline to keep");
    // Of two stages in a row each gets a part of the time.
    let two = train("[limits]\ndeadline = \"40h\"", "12h", SAVED)
        + "[[stage]]\nname = \"again\"\nkind = \"train\"\nafter = [\"train\"]\nstartup = \"0s\"\nmeasured = [{ on = \"T4\", time = \"12h\" }]\n"
        + SAVED;
    let two = planned(&two, &t4());
    let nets: f64 = ["train", "again"]
        .map(|name| choice(&two, name).spot.unwrap().fallback.map_or(0.0, |f| f.within.get()))
        .iter()
        .sum();
    assert!(nets > 30.0 && nets <= 40.0, "{nets}");
}

#[test]
fn pinned_without_what_it_needs_is_a_mistake() {
    let pinned = format!("purchase = \"spot-fallback\"\n{SAVED}");
    let mistakes = tried(&train("", "12h", &pinned), &t4()).unwrap_err();
    assert!(mistakes[0].contains("no deadline"), "{mistakes:?}");
    let bare = train("[limits]\ndeadline = \"20h\"", "12h", "purchase = \"spot-fallback\"");
    let mistakes = tried(&bare, &t4()).unwrap_err();
    assert!(mistakes[0].contains("durable checkpoint"), "{mistakes:?}");
    let plan = planned(&train("[limits]\ndeadline = \"30h\"", "12h", &pinned), &t4());
    assert_eq!(choice(&plan, "train").purchase, Purchase::Fallback);
}

#[test]
fn a_stated_hazard_counts_instead_of_the_published_one() {
    // λ = 0.01: B = 12.78 h and next to nothing; at 0.35 that is 4.47 and a cent or two.
    let spot = |rest: &str| planned(&train("", "12h", &format!("{SAVED}\n{rest}")), &t4());
    let stated = spot("spot = { interruptions_per_hour = 0.01 }");
    let train = choice(&stated, "train");
    let figures = train.spot.unwrap();
    assert_eq!((figures.from, figures.hazard[1]), (HazardFrom::Stated, 0.01));
    // With one in 100 h a third and three times of it are shown beside.
    assert!((figures.hazard[0] - 0.01 / 3.0).abs() < 1e-12 && (figures.hazard[2] - 0.03).abs() < 1e-12);
    assert!((figures.interruptions - 0.128).abs() < 0.001, "{}", figures.interruptions);
    let none = choice(&spot(""), "train").clone();
    assert_eq!(none.spot.unwrap().from, HazardFrom::Published);
    assert!(train.expected_cost() < none.expected_cost());
}

#[test]
fn protection_and_lifetime_change_the_hazard() {
    let bought = |rest: &str| {
        let plan = planned(&train("", "12h", &format!("{SAVED}\npurchase = \"spot\"\n{rest}")), &t4());
        choice(&plan, "train").spot.unwrap().interruptions
    };
    let plain = bought("");
    // Shielded for an hour: λ/(1 + λ) = 0.3/1.3 per hour.
    let shielded = bought("spot = { protection = \"1h\" }");
    assert!((shielded / plain - 1.0 / 1.3).abs() < 0.02, "{plain} {shielded}");
    // Always taken after 6 h: λ/(1 − e^−1.8).
    let cut = bought("spot = { lifetime = \"6h\" }");
    assert!((cut / plain - 1.0 / (1.0 - (-1.8_f64).exp())).abs() < 0.03, "{plain} {cut}");
    // A job that fits into the shielded time is safe.
    let short = planned(
        &train(
            "",
            "50m",
            "purchase = \"spot\"\ntolerates_interruption = true\nspot = { protection = \"1h\" }",
        ),
        &t4(),
    );
    assert_eq!(choice(&short, "train").spot.unwrap().interruptions, 0.0);
    assert_eq!(choice(&short, "train").expected_cost(), money("0.29"));
}

#[test]
fn a_handler_saves_what_the_notice_leaves_time_for() {
    let noticed = |notice: &str, takes: &str| {
        let rest = format!(
            "[billing.spot]\ngranularity = \"1s\"\nminimum = \"1s\"\nnotice = \"{notice}\"\nsource = \"a test\"\nas_of = 2026-11-01\n"
        );
        let machine = "region = \"r\", on_demand = 1.00, spot = 0.35, interruption = \"0.3/h\"";
        let catalog = catalog(&[("t4", "T4", &[machine])], &rest);
        let cost = |on: bool| {
            let stage = format!(
                "purchase = \"spot\"\ncheckpoint = {{ every = \"1h\", takes = \"{takes}\", on_notice = {on} }}"
            );
            choice(&planned(&train("", "12h", &stage), &catalog), "train").expected_cost()
        };
        (cost(false), cost(true))
    };
    // Two minutes of notice: a checkpoint of a minute is written in time, one of two minutes is not.
    let (without, with) = noticed("120s", "60s");
    assert!(with < without, "{with:?} {without:?}");
    let (without, with) = noticed("120s", "120s");
    assert_eq!(with, without);
}
