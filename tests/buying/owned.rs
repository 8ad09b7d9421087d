//! Machines that are owned.

use super::{catalog, choice, money, planned, stage, train, tried};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::terms::Purchase;

const T4: &str = "region = \"r\", on_demand = 1.00, spot = 0.35, interruption = \"0.3/h\"";

fn both() -> Catalog {
    catalog(&[("t4", "T4", &[T4]), ("a100", "A100-80GB", &["region = \"r\", on_demand = 3.00"])], "")
}

/// `owned` in `[where]`.
fn own(entries: &str) -> String {
    format!("[where]\nowned = [{entries}]")
}

#[test]
fn an_owned_machine_costs_nothing_and_takes_its_time() {
    let plan = planned(&train(&own("{ instance = \"acme/t4\" }"), "10h", ""), &both());
    let train = choice(&plan, "train");
    assert_eq!(
        (train.purchase, train.expected_cost(), train.time.expected.get()),
        (Purchase::Owned, money("0"), 10.0)
    );
    assert_eq!(train.instance, "t4");
    // Nothing owned, nothing free.
    let rented = planned(&super::train("", "10h", ""), &both());
    assert!(choice(&rented, "train").expected_cost() > money("0"));
}

#[test]
fn not_more_than_there_are() {
    // Five hours on two T4s want two of them.
    let work = |count: u32| {
        let own = own(&format!("{{ instance = \"t4\", count = {count} }}"));
        let head = format!("[limits]\ndeadline = \"7h\"\n{own}");
        let rest = "instances = 2\nnetwork = \"ethernet\"\ninstance = \"t4\"";
        planned(&train(&head, "10h", rest), &both())
    };
    let (one, two) = (work(1), work(2));
    assert_eq!((choice(&one, "train").purchase, choice(&one, "train").count), (Purchase::OnDemand, 2));
    assert_eq!((choice(&two, "train").purchase, choice(&two, "train").count), (Purchase::Owned, 2));
}

/// Two trainings of 10 h on a T4 each, one after the other or side by side.
fn two(head: &str, after: &str) -> String {
    train(head, "10h", "")
        + &format!(
            "[[stage]]\nname = \"again\"\nkind = \"train\"\nafter = [{after}]\nstartup = \"0s\"\nmeasured = [{{ on = \"T4\", time = \"8h\" }}]\n"
        )
}

#[test]
fn stages_that_overlap_share_what_there_is() {
    let one = own("{ instance = \"t4\" }");
    let row = planned(&two(&one, "\"train\""), &both());
    assert!(["train", "again"].iter().all(|name| choice(&row, name).purchase == Purchase::Owned));
    // Side by side one of them must rent: the one for which that costs less, 8 h instead of 10.
    let pair = planned(&two(&one, ""), &both());
    assert_eq!(choice(&pair, "train").purchase, Purchase::Owned);
    let again = choice(&pair, "again");
    assert_ne!(again.purchase, Purchase::Owned);
    let said = &stage(&pair, "again").ways.iter().find(|w| w.purchase == Purchase::Owned).unwrap().why;
    assert!(said.contains("train"), "{said}");
    // Two of them are enough for both.
    let enough = planned(&two(&own("{ instance = \"t4\", count = 2 }"), ""), &both());
    assert!(["train", "again"].iter().all(|name| choice(&enough, name).purchase == Purchase::Owned));
}

#[test]
fn owned_capacity_takes_part_wherever_it_is_and_pays_for_its_data() {
    let rest = "[[tariff]]\nkind = \"cross-region\"\ntiers = [{ from = \"0 GB\", price = 0.02 }]\nsource = \"a test\"\nas_of = 2026-11-01\n";
    let far = "region = \"far\", on_demand = 1.20";
    let catalog = catalog(&[("t4", "T4", &[T4, far])], rest);
    let data = |head: &str| {
        train(head, "10h", "").replace("[data]", "[data]\nsize = \"100 GB\"\nlocation = \"acme/r\"")
    };
    // 100 GB × 0.02 = 2.00 to bring the data there, less than the 10.00 of renting at the data.
    let plan = planned(&data(&own("{ instance = \"t4\", region = \"far\" }")), &catalog);
    let train = choice(&plan, "train");
    assert_eq!(
        (train.purchase, train.region.as_str(), train.expected_cost()),
        (Purchase::Owned, "far", money("2.00"))
    );
    // Excluded from renting, but owned.
    let kept = own("{ instance = \"t4\" }") + "\nexcluded = [\"acme/t4\"]";
    let plan = planned(&data(&kept), &catalog);
    assert_eq!(choice(&plan, "train").purchase, Purchase::Owned);
    assert_eq!(choice(&plan, "train").region, "r", "at the data");
}

#[test]
fn mistakes_are_told() {
    let wrong = |entry: &str| tried(&train(&own(entry), "10h", ""), &both()).unwrap_err().join("\n");
    assert!(wrong("{ count = 2 }").contains("has no `instance`"));
    assert!(
        wrong("{ instance = \"acme/a10\" }").contains("did you mean"),
        "{}",
        wrong("{ instance = \"acme/a10\" }")
    );
    assert!(wrong("{ instance = \"t4\", count = 0 }").contains("count"));
    assert!(wrong("{ instance = \"t4\", region = \"nowhere\" }").contains("no such region"));
    let pinned = tried(&train("", "10h", "purchase = \"owned\""), &both()).unwrap_err().join("\n");
    assert!(pinned.contains("no machine is owned") || pinned.contains("owned = "), "{pinned}");
}

/// Why no owned machine does a stage.
fn refused(plan: &Plan, name: &str) -> String {
    super::way(plan, name, Purchase::Owned).why.clone()
}

#[test]
fn why_no_owned_machine_does_it_is_told() {
    // Four servers are needed for 120 a second at 25 ms, and two are there.
    let serve = |count: u32| {
        let own = own(&format!("{{ instance = \"t4\", count = {count} }}"));
        let text = format!(
            "{own}\n[rules]\nserve_headroom = 0\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 150\n\
             measured = [{{ on = \"T4\", time = \"25ms\" }}]\n"
        );
        planned(&text, &both())
    };
    assert_eq!(refused(&serve(2), "s"), "acme/t4: 2 are owned, 4 are needed");
    assert_eq!(refused(&serve(1), "s"), "acme/t4: 1 is owned, 4 are needed");
    assert_eq!(choice(&serve(4), "s").purchase, Purchase::Owned);
    // Serial work has no use for a GPU.
    let text = format!(
        "{}\n[[stage]]\nname = \"b\"\nkind = \"batch\"\nmeasured = [{{ on = \"8 vCPU\", time = \"1h\" }}]\n",
        own("{ instance = \"t4\" }")
    );
    let machines = catalog(&[("t4", "T4", &[T4]), ("cpu", "", &["region = \"r\", on_demand = 0.20"])], "");
    assert_eq!(refused(&planned(&text, &machines), "b"), "acme/t4: the work would leave its GPU idle");
}

#[test]
fn what_is_owned_has_no_price_to_be_warned_of() {
    let old = "region = \"r\", on_demand = 1.00";
    let machines = catalog(&[("t4", "T4", &[old])], "");
    let text = train(&own("{ instance = \"t4\" }"), "10h", "");
    let mut job = super::job(&text, &machines);
    // Four years after the date of the prices.
    job.today = plan::units::Date::new(2030, 11, 1).unwrap();
    let plan = plan::plan(&job, &machines);
    let stage = stage(&plan, "train");
    assert_eq!(choice(&plan, "train").purchase, Purchase::Owned);
    assert!(stage.findings.iter().all(|f| f.id != "B-C6"), "{:?}", stage.findings);
    assert!(plan.notes.iter().all(|n| n.rule != "B-C6"), "{:?}", plan.notes);
    assert!(stage.why.starts_with("owned: nothing is paid for it"), "{}", stage.why);
    // Where it stands is known only where it is said.
    assert!(!choice(&plan, "train").placed);
    let placed = planned(&train(&own("{ instance = \"t4\", region = \"r\" }"), "10h", ""), &machines);
    assert!(choice(&placed, "train").placed);
}
