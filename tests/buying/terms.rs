//! Months, shared months, and recurring work.

use super::{catalog, choice, money, planned, train, tried, way};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::terms::Purchase;

/// A T4 at 1.00 an hour or 365.00 a month.
fn t4() -> Catalog {
    catalog(&[("t4", "T4", &["region = \"r\", on_demand = 1.00, month = 365"])], "")
}

fn runs(head: &str, hours: &str) -> Plan {
    planned(&train(head, hours, ""), &t4())
}

fn bought(plan: &Plan) -> (Purchase, String) {
    let train = choice(plan, "train");
    (train.purchase, train.expected_cost().amount())
}

#[test]
fn whole_months_and_the_rest_on_demand() {
    // 364 h are cheaper by the hour, 366 h by the month; 365 h cost the same and stay undoable.
    assert_eq!(bought(&runs("", "364h")), (Purchase::OnDemand, "364.00".into()));
    assert_eq!(bought(&runs("", "365h")), (Purchase::OnDemand, "365.00".into()));
    assert_eq!(bought(&runs("", "366h")), (Purchase::Month, "365.00".into()));
    // 800 h: 800 by the hour, 730 by two months, 435 by one and 70 h.
    let mixed = runs("", "800h");
    assert_eq!(bought(&mixed), (Purchase::Month, "435.00".into()));
    let lines = choice(&mixed, "train").bill.lines();
    assert_eq!((lines[0].amount, lines[1].amount), (money("365"), money("70")));
    assert!(lines[1].text.contains("on-demand, beyond whole months"), "{lines:?}");
    assert_eq!(bought(&runs("", "1200h")), (Purchase::Month, "730.00".into()));
    assert!(way(&mixed, "train", Purchase::OnDemand).why.contains("costs 1.84 times as much"));
}

#[test]
fn more_busy_hours_make_a_month_relatively_cheaper() {
    let mut before = f64::INFINITY;
    for hours in [50.0, 100.0, 200.0, 365.0, 500.0, 730.0] {
        let text = train("", &format!("{hours}h"), "purchase = \"month\"");
        let per_hour = choice(&planned(&text, &t4()), "train").expected_cost().as_f64() / hours;
        assert!(per_hour < before, "{hours} h");
        before = per_hour;
    }
}

/// Two trainings, one after the other or side by side.
fn two(head: &str, first: &str, then: &str, after: &str) -> Plan {
    let text = train(head, first, "")
        + &format!(
            "[[stage]]\nname = \"again\"\nkind = \"train\"\nafter = [{after}]\nstartup = \"0s\"\nmeasured = [{{ on = \"T4\", time = \"{then}\" }}]\n"
        );
    planned(&text, &t4())
}

#[test]
fn stages_of_one_type_share_a_month() {
    // 300 h and 200 h one after the other: neither is worth 365 alone, both together are: 365 instead of 500.
    let row = two("", "300h", "200h", "\"train\"");
    let (train, again) = (choice(&row, "train"), choice(&row, "again"));
    assert_eq!((train.purchase, again.purchase), (Purchase::Month, Purchase::Month));
    // By hours: 365 × 300/500 = 219 and 146.
    assert_eq!((train.expected_cost(), again.expected_cost()), (money("219"), money("146")));
    assert!(train.bill.lines()[0].text.contains("shared with again"), "{:?}", train.bill);
    // Side by side each machine is busy for its own hours only: no month.
    let pair = two("", "300h", "200h", "");
    assert_eq!(pair.cost.unwrap().expected, Some(money("500")));
    // 500 h and 400 h side by side: two machines for 400 h and one for 100 h more; both are worth a month alone.
    let long = two("", "500h", "400h", "");
    assert_eq!(long.cost.unwrap().expected, Some(money("730")));
    // 600 h and 400 h in a row: a month and 270 h, instead of 365 each.
    let over = two("", "600h", "400h", "\"train\"");
    assert_eq!(over.cost.unwrap().expected, Some(money("635")));
}

#[test]
fn a_month_for_stages_in_a_row_is_one_machine_whatever_was_selected_before() {
    // By themselves 200 h each on the quick machine are 200 × 1.00 + 200 × 1.00; on the slow one, which takes 1.5 times as
    // long, 300 h each are one month for both: 300.
    let prices = [
        ("quick", "T4", &["region = \"r\", on_demand = 1.00"][..]),
        ("slow", "T4", &["region = \"r\", on_demand = 1.20, month = 300"][..]),
    ];
    let measured = |quick: u32| {
        format!(
            "measured = [{{ on = \"acme/quick\", time = \"{quick}h\" }}, {{ on = \"acme/slow\", time = \"{}h\" }}]\n",
            quick * 3 / 2
        )
    };
    let text = |head: &str| {
        let stage = |name: &str, after: &str| {
            format!(
                "[[stage]]\nname = \"{name}\"\nkind = \"train\"\n{after}startup = \"0s\"\n{}",
                measured(200)
            )
        };
        format!(
            "{head}\n[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n{}{}",
            stage("a", ""),
            stage("b", "after = [\"a\"]\n")
        )
    };
    let cost = |head: &str| planned(&text(head), &catalog(&prices, "")).cost.unwrap().expected.unwrap();
    assert_eq!(cost(""), money("300"));
    // A deadline that it keeps changes nothing; one that it misses does.
    assert_eq!(cost("[limits]\ndeadline = \"600h\""), money("300"));
    assert_eq!(cost("[limits]\ndeadline = \"599h\""), money("400"));
}

#[test]
fn a_share_that_is_dearer_than_another_machine_is_not_for_a_deadline() {
    // 300 h that only the first machine may do, and 200 h for 0.70 an hour on another one: 300 + 140. A month of the first
    // for both is 365: the 200 h bear 146 of it.
    let prices = [
        ("t4", "T4", &["region = \"r\", on_demand = 1.00, month = 365"][..]),
        ("cheap", "T4", &["region = \"r\", on_demand = 0.70"][..]),
    ];
    let text = train("", "300h", "instance = \"acme/t4\"")
        + "[[stage]]\nname = \"again\"\nkind = \"train\"\nafter = [\"train\"]\nstartup = \"0s\"\n\
           measured = [{ on = \"T4\", time = \"200h\" }]\n";
    let plan = planned(&text, &catalog(&prices, ""));
    assert_eq!(plan.cost.unwrap().expected, Some(money("365")));
    let again = plan.stages.iter().find(|s| s.name == "again").unwrap();
    assert!(again.why.contains("shares months with other stages"), "{}", again.why);
    assert!(again.why.contains("costs 140.00"), "{}", again.why);
    let told: Vec<&str> = again.alternatives.iter().map(|a| &*a.reason).chain([&*again.why]).collect();
    assert!(told.iter().all(|text| !text.contains("deadline")), "{told:?}");
}

#[test]
fn runs_of_a_month_share_it_and_a_deadline_holds() {
    // Four runs of 60 h and 40 h: 400 h a month, 365 instead of 400: 91.25 a run.
    let four = two("runs_per_month = 4", "60h", "40h", "\"train\"");
    assert_eq!(four.cost.unwrap().expected, Some(money("91.25")));
    assert_eq!(four.monthly_cost(), Some(money("365")));
    // A month is no slower than the hours.
    let kept = two("runs_per_month = 4\n[limits]\ndeadline = \"100h\"", "60h", "40h", "\"train\"");
    assert_eq!(kept.cost.unwrap().expected, Some(money("91.25")));
}

#[test]
fn each_month_of_a_schedule_pays_the_months_that_are_shared_in_it() {
    // 60 h and 40 h a run: 100, 700 and 400 h in the months; only in the first the hours are cheaper than a month.
    let shared = two("runs_per_month = [1, 7, 4]", "60h", "40h", "\"train\"");
    let months: Vec<String> = shared.months.iter().map(|m| m.cost.amount()).collect();
    assert_eq!(months, ["100.00", "365.00", "365.00"]);
    // 830 ÷ 12 runs.
    assert_eq!(shared.cost.unwrap().expected, Some(money("69.17")));
    let train = choice(&shared, "train").shared.as_ref().unwrap();
    assert_eq!((train.machines, train.months, train.rest.get()), (1, 2, 100.0));
    assert_eq!(train.with, ["again"]);
}

#[test]
fn shared_months_cost_more_where_the_work_takes_longer() {
    // 400 h and 320 h are a month; a tenth more is more than that, and is bought by the hour.
    let plan = two("", "400h", "320h", "\"train\"");
    let cost = plan.cost.unwrap();
    assert_eq!((cost.low, cost.expected), (Some(money("365")), Some(money("365"))));
    let high = ["train", "again"].map(|name| choice(&plan, name).time.high.get()).iter().sum::<f64>() - 730.0;
    assert!((cost.high.unwrap().as_f64() - 365.0 - high).abs() < 0.02, "{cost:?} {high}");
}

#[test]
fn a_schedule_is_bought_as_a_whole() {
    // 100 h a run. One run: 100 by the hour. Seven: a month at 365. Four: 365 instead of 400.
    let uneven = runs("runs_per_month = [1, 7, 4]", "100h");
    let months: Vec<String> = uneven.months.iter().map(|m| m.cost.amount()).collect();
    assert_eq!(months, ["100.00", "365.00", "365.00"]);
    assert_eq!((uneven.cost_in_all(), uneven.dearest_month()), (Some(money("830")), Some(money("365"))));
    let train = choice(&uneven, "train");
    assert_eq!(train.purchase, Purchase::Month);
    // 830 ÷ 12 runs, each line rounded to the cent: 730 ÷ 12 = 60.83 and 100 ÷ 12 = 8.33.
    assert_eq!(train.expected_cost(), money("69.16"));
    // Few runs: by the hour, 100 each.
    let few = runs("runs_per_month = 2\nmonths = 6", "100h");
    assert_eq!(bought(&few), (Purchase::OnDemand, "100.00".into()));
    assert_eq!((few.cost_in_all(), few.monthly_cost()), (Some(money("1200")), Some(money("200"))));
}

#[test]
fn a_port_is_spread_over_the_stated_runs() {
    // 10 hours at 60.00 over 24 runs are 25.00 each; without `months` over the runs of a year, 12.50 each.
    let port = |head: &str| {
        let text = train(&format!("labour_per_hour = \"60 USD\"\n{head}"), "10h", "migration_hours = 10");
        choice(&planned(&text, &t4()), "train").expected_cost().amount()
    };
    assert_eq!(port("runs_per_month = 4\nmonths = 6"), "35.00");
    assert_eq!(port("runs_per_month = [8, 0, 16]"), "35.00");
    assert_eq!(port("runs_per_month = 4"), "22.50");
}

#[test]
fn mistakes_of_a_schedule_are_told() {
    let wrong = |head: &str| tried(&train(head, "10h", ""), &t4()).unwrap_err().join("\n");
    assert!(wrong("months = 6").contains("without `runs_per_month`"));
    assert!(
        wrong("runs_per_month = [1, 2]\nmonths = 6").contains("`months` is 6, but `runs_per_month` lists 2")
    );
    assert!(wrong("runs_per_month = [0, 0]").contains("0 in every month"));
    assert!(wrong("runs_per_month = [1, \"two\"]").contains("a list of numbers"));
    assert!(wrong("runs_per_month = 0").contains("a number above 0"));
    assert!(wrong("runs_per_month = 4\nmonths = 0").contains("months"));
}

/// Published: eight H100 for a week at 4.00 an hour each are 5,376, at 1.69 they are 2,271.
#[test]
fn a_week_of_eight_h100() {
    for (price, cost) in [("32.00", "5376.00"), ("13.52", "2271.36")] {
        let machine = format!("region = \"r\", on_demand = {price}");
        let node = catalog(&[("node", "H100-SXM", &[&machine])], "");
        let text = train("", "168h", "").replace("T4", "H100-SXM");
        assert_eq!(choice(&planned(&text, &node), "train").expected_cost(), money(cost));
    }
}

/// Published: four H100 of a service at 2.50 and at 1.60 an hour; a month is 730 h, and the bill says so.
#[test]
fn a_month_of_four_h100() {
    for (price, cost) in [("2.50", "7300.00"), ("1.60", "4672.00")] {
        let machine = format!("region = \"r\", on_demand = {price}");
        let node = catalog(&[("h100", "H100-SXM", &[&machine])], "");
        // 3.2 requests a second of a second each, with a quarter of head-room: four servers.
        let text = "[[stage]]\nkind = \"serve\"\nrequests_per_second = 3.2\nclass = \"gpu\"\ngpu_support = \"mature\"\n\
                    measured = [{ on = \"H100-SXM\", time = \"1s\" }]\n[rules]\nserve_headroom = 0.25\n";
        let plan = planned(text, &node);
        let serve = choice(&plan, "serve");
        assert_eq!((serve.count, serve.expected_cost()), (4, money(cost)), "{:?}", serve.bill);
        assert!(serve.bill.lines()[0].text.contains("730 h"), "{:?}", serve.bill);
    }
}

/// Published: BERT on one V100, 20 h on-demand at 61.20, 21 h on spot at 18.40 (3.06 and 0.876 an hour). With one
/// interruption every 6 to 10 hours the expected bill lies within 10 % of it.
#[test]
fn bert_on_a_v100() {
    for hours in [6.0, 8.0, 10.0] {
        let rate: f64 = 1.0 / hours;
        let machine =
            format!("region = \"r\", on_demand = 3.06, spot = 0.876, interruption = \"{rate:.4}/h\"");
        let node = catalog(&[("p3", "V100-16GB", &[&machine])], "");
        let stage = |rest: &str| {
            let text = train("", "20h", rest).replace("T4", "V100-16GB");
            let text = text.replace("startup = \"0s\"", "startup = \"5m\"");
            choice(&planned(&text, &node), "train").expected_cost().as_f64()
        };
        let on_demand = stage("purchase = \"on-demand\"");
        let spot = stage("purchase = \"spot\"\ncheckpoint = { every = \"15m\", takes = \"20s\" }");
        assert!((on_demand / 61.2 - 1.0).abs() < 0.01, "{on_demand}");
        assert!((spot / 18.4 - 1.0).abs() < 0.10, "every {hours} h: {spot}");
    }
}
