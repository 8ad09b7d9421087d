//! What must hold for every purchase, on random workloads and prices.

use super::{catalog, job};
use plan::catalog::{Catalog, Term, Tier};
use plan::price::compute::{billed, tiered};
use plan::price::months::{Prices, Recurrence, buy, share};
use plan::terms::Purchase;
use plan::units::{Hours, Money, PerHour};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::sync::OnceLock;

/// The same inputs in every run.
pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_261_130),
        ..ProptestConfig::default()
    }
}

/// Two cards and a CPU machine in two regions, sold in every way; moving data between the regions costs something.
fn shop() -> &'static Catalog {
    static SHOP: OnceLock<Catalog> = OnceLock::new();
    SHOP.get_or_init(|| {
        catalog(
            &[
                (
                    "t4",
                    "T4",
                    &[
                        "region = \"r\", on_demand = 1.00, spot = 0.35, month = 365, interruption = \"0.3/h\"",
                        "region = \"far\", on_demand = 0.80, spot = 0.80, interruption = \"0.01/h\"",
                    ],
                ),
                ("a100", "A100-80GB", &["region = \"r\", on_demand = 6.00, spot = 6.00, month = 3000"]),
                ("cpu", "", &["region = \"r\", on_demand = 0.40, spot = 0.15, interruption = \"0.05/h\""]),
            ],
            "[[tariff]]\nkind = \"cross-region\"\ntiers = [{ from = \"0 GB\", price = 0.02 }]\nsource = \"a test\"\n\
             as_of = 2026-11-01\n",
        )
    })
}

/// A stage: hours on a T4, whether it waits for the one before, whether it saves its work, instances.
type Step = (f64, bool, bool, u32);

fn workload(steps: &[Step], rest: &str, head: &str) -> String {
    let mut text = format!(
        "{head}\n[data]\nsamples = 1_000_000\nsize = \"100 GB\"\nlocation = \"acme/r\"\n[where]\nexcluded = []\n{rest}\n\
         [model]\narchitecture = \"resnet50\"\nbatch_size = 32\n"
    );
    for (i, (hours, waits, saves, instances)) in steps.iter().enumerate() {
        let kind = if i % 2 == 0 { "train" } else { "evaluate" };
        text += &format!(
            "[[stage]]\nname = \"s{i}\"\nkind = \"{kind}\"\ninstances = {instances}\n\
             measured = [{{ on = \"T4\", time = \"{hours:.2}h\" }}, {{ on = \"8 vCPU\", time = \"{:.2}h\" }}]\n",
            hours * 6.0
        );
        if *waits && i > 0 {
            text += &format!("after = [\"s{}\"]\n", i - 1);
        }
        if *saves {
            text += "checkpoint = { every = \"20m\", takes = \"30s\" }\n";
        }
    }
    text
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0.2..300.0, any::<bool>(), any::<bool>(), 1..3u32), 1..5)
}

/// The cost of a run, and whether every stage can be done.
fn cost(text: &str) -> Option<Money> {
    let plan = plan::plan(&job(text, shop()), shop());
    for stage in &plan.stages {
        let choice = stage.outcome.as_ref().ok()?;
        // Spot of the A100 costs as much as on-demand, and that of the T4 far away too: never chosen.
        let equal = choice.instance == "a100" || choice.region == "far";
        assert!(!(equal && choice.purchase == Purchase::Spot), "{text}");
    }
    plan.cost?.expected
}

#[test]
fn owned_capacity_never_raises_the_cost() {
    owned_never_dearer(256);
}

/// Over so many workloads; none of them takes spot at the price of on-demand either.
pub(crate) fn owned_never_dearer(cases: u32) {
    let limits = proptest::option::weighted(0.1, 100.0..2000.0);
    let given = (steps(), 0..3u32, 0..2u32, limits);
    let held = TestRunner::new(config(cases)).run(&given, |(steps, t4, a100, deadline)| {
        let own: Vec<String> = [("t4", t4), ("a100", a100)]
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(name, n)| format!("{{ instance = \"acme/{name}\", count = {n} }}"))
            .collect();
        let limits =
            deadline.map_or(String::new(), |hours| format!("[limits]\ndeadline = \"{hours:.1}h\"\n"));
        let without = workload(&steps, "", &limits);
        let with = workload(&steps, &format!("owned = [{}]", own.join(", ")), &limits);
        match (cost(&without), cost(&with)) {
            (Some(rented), Some(owned)) => prop_assert!(owned <= rented, "{owned:?} > {rented:?}\n{with}"),
            (Some(_), None) => prop_assert!(false, "no plan any more\n{with}"),
            (None, _) => {}
        }
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn tiers_are_continuous_and_rise(
        first in 1..10_000_000_000i64, parts in proptest::collection::vec((0.01..1.0, 1.0..500.0), 0..4), at in 0.0..3000.0,
    ) {
        let mut tiers = vec![Tier { from_hours: 0.0, price: PerHour::from_nanos(first) }];
        for (share, after) in parts {
            let last = tiers[tiers.len() - 1];
            tiers.push(Tier { from_hours: last.from_hours + after, price: last.price.scaled(share) });
        }
        let cost = |hours: f64| tiered(&tiers, 1.0, billed(Hours::new(hours), None).unwrap()).nanos();
        // A second more costs at most a second of the first tier, and never less, at a border too.
        for hours in tiers.iter().map(|t| t.from_hours).chain([at]) {
            let (before, after) = (cost(hours.max(1.0) - 1.0 / 3600.0), cost(hours.max(1.0)));
            prop_assert!(before <= after && after - before <= i128::from(first) / 1800 + 2, "{hours}: {before} {after}");
        }
    }

    #[test]
    fn within_one_month_more_hours_are_never_relatively_dearer(
        whole in 1..5_000_000_000_000i128, hour in 1..30_000_000_000i64, a in 0.1..730.0, b in 0.1..730.0,
    ) {
        let (less, more) = if a < b { (a, b) } else { (b, a) };
        let prices = Prices { term: Term::Month, whole: Money::from_nanos(whole), hour: Some(PerHour::from_nanos(hour)) };
        let per_hour = |busy: f64| {
            let bought = share(prices, Hours::new(busy), Recurrence::Once).unwrap();
            (bought.prepaid + bought.hourly).as_f64() / busy
        };
        prop_assert!(per_hour(more) <= per_hour(less) * (1.0 + 1e-9) + 1e-9);
    }

    #[test]
    fn the_mix_is_never_dearer_than_either_pure_way(
        whole in 1..5_000_000_000_000i128, hour in 1..30_000_000_000i64, busy in 0.1..9000.0, runs in 0.1..50.0,
    ) {
        let prices = Prices { term: Term::Month, whole: Money::from_nanos(whole), hour: Some(PerHour::from_nanos(hour)) };
        for recurrence in [Recurrence::Once, Recurrence::EachMonth(runs)] {
            let runs = if recurrence == Recurrence::Once { 1.0 } else { runs.max(1.0) };
            let used = busy * runs;
            let mixed = share(prices, Hours::new(busy), recurrence).unwrap();
            let mixed = (mixed.prepaid + mixed.hourly).as_f64() * runs;
            let months = (used / 730.0 - 1e-9).ceil() * prices.whole.as_f64();
            let hours = used * prices.hour.unwrap().as_f64();
            prop_assert!(mixed <= months.min(hours) * (1.0 + 1e-7) + 1e-6, "{mixed} {months} {hours}");
            // With at least one month it is no cheaper.
            let bought = buy(prices, Hours::new(busy), recurrence).unwrap();
            prop_assert!((bought.prepaid + bought.hourly).as_f64() * runs >= mixed * (1.0 - 1e-7) - 1e-6);
        }
    }
}
