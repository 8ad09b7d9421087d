//! A band holds its middle, whatever is bought.

use super::{catalog, choice, job, planned};
use crate::exact::random::Random;
use plan::catalog::Catalog;
use plan::terms::Purchase;
use std::collections::BTreeMap;

/// A T4 and an A100 that are sold in every way, with interruptions by default.
fn shop() -> Catalog {
    catalog(
        &[
            (
                "t4",
                "T4",
                &[
                    "region = \"r\", on_demand = 1.00, spot = 0.35, month = 365, year = 4000, three_years = 9000",
                ],
            ),
            (
                "a100",
                "A100-80GB",
                &["region = \"r\", on_demand = 3.00, spot = 1.05, interruption = \"0.1/h\""],
            ),
        ],
        "",
    )
}

#[test]
fn low_is_not_above_expected_nor_that_above_high() {
    let (shop, mut random) = (shop(), Random(31));
    let mut seen: BTreeMap<Purchase, usize> = BTreeMap::new();
    for case in 0..600 {
        let hours = 0.1 * 10_f64.powf(3.0 * random.unit());
        let on = random.one_of(&["T4", "A100-80GB", "L4"]);
        let deadline = hours * (1.0 + 8.0 * random.unit()) + 0.5;
        let purchase =
            random.one_of(&["on-demand", "spot", "spot-fallback", "month", "year", "three-years", ""]);
        let head = random.one_of(&["", "runs_per_month = 20\n"]);
        let takes = random.one_of(&["5s", "30s", "2m"]);
        let more = random.one_of(&["", ", every = \"20m\"", ", on_notice = true"]);
        let checkpoint = if random.below(4) > 0 {
            format!("checkpoint = {{ takes = \"{takes}\"{more} }}")
        } else {
            "tolerates_interruption = true".to_owned()
        };
        let buy = if purchase.is_empty() { String::new() } else { format!("purchase = \"{purchase}\"") };
        let owned = if random.below(5) == 0 && purchase.is_empty() {
            "[where]\nowned = [{ instance = \"acme/t4\", count = 1 }]\n"
        } else {
            ""
        };
        let text = format!(
            "{head}[limits]\ndeadline = \"{deadline:.2}h\"\n[data]\nsamples = 1_000_000\n{owned}[model]\n\
             architecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\nkind = \"train\"\n{checkpoint}\n{buy}\n\
             measured = [{{ on = \"{on}\", time = \"{hours:.2}h\" }}]\n"
        );
        let mut diags = plan::diag::Diagnostics::new();
        let raw = plan::read::workload::read(&plan::read::Source::new("bands.toml", &text), &mut diags);
        let today = plan::resolve::Overrides::none(plan::units::Date::new(2026, 11, 30).unwrap());
        // Fallback without a durable checkpoint is a mistake.
        let Some(job) = plan::resolve::resolve(&raw, &today, &shop, &mut diags) else { continue };
        let plan = plan::plan(&job, &shop);
        let Ok(choice) = &plan.stages[0].outcome else { continue };
        *seen.entry(choice.purchase).or_default() += 1;
        let (cost, time) = (choice.cost, choice.time);
        let told = || format!("case {case}: {:?} {cost:?} {time:?}\n{text}", choice.purchase);
        assert!(cost.low <= cost.expected, "{}", told());
        assert!(cost.high.is_none() || cost.expected <= cost.high, "{}", told());
        assert!(time.low <= time.expected && time.expected <= time.high, "{}", told());
        let all = plan.cost.unwrap();
        assert!(all.low <= all.expected && (all.high.is_none() || all.expected <= all.high), "{}", told());
    }
    for purchase in plan::price::pricer::PURCHASES {
        assert!(seen.get(&purchase).is_some_and(|n| *n > 5), "{purchase}: {seen:?}");
    }
}

#[test]
fn the_low_end_of_fallback_is_spot_too() {
    // At its low end the work is too short for a checkpoint at the interval that is best for the default hazard.
    let text = "[limits]\ndeadline = \"3h\"\n[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\n\
                batch_size = 32\n[[stage]]\nkind = \"train\"\npurchase = \"spot-fallback\"\ngpu = \"T4\"\n\
                checkpoint = { takes = \"2m\" }\nmeasured = [{ on = \"A100-80GB\", time = \"9m\" }]\n";
    let shop = shop();
    assert!(job(text, &shop).stages[0].checkpoint.is_some());
    let plan = planned(text, &shop);
    let train = choice(&plan, "train");
    let net = train.spot.as_ref().unwrap().fallback.as_ref().unwrap();
    assert!(net.on_demand.get() > 0.0);
    // On-demand alone it would be 1.00 an hour; on spot it is 0.35 and half as much again at most.
    let low = train.cost.low.unwrap().as_f64();
    assert!(low > 0.0 && low < 0.53 * train.time.low.get(), "{low} for {}", train.time.low);
    assert!(train.cost.low < train.cost.expected && train.cost.expected < train.cost.high);
}
