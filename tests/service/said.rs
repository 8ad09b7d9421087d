//! What the rules say about a service.

use super::{planned, seller, serve, stage};
use plan::catalog::Catalog;
use plan::plan::{NoteKind, Plan};

fn machines() -> Catalog {
    seller(&[("cpu", 8, "", 0, "on_demand = 0.2, month = 90"), ("big", 16, "", 0, "on_demand = 0.3")])
}

fn said<'a>(plan: &'a Plan, rule: &str) -> Vec<&'a str> {
    stage(plan).findings.iter().filter(|f| f.id == rule).map(|f| f.reason.as_str()).collect()
}

const TIMED: &str = "measured = [{ on = \"cpu\", time = \"100ms\" }]\n";

/// 12 hours of 10 and 12 of 50 a second, no head-room: 1 and 5 servers.
fn day() -> String {
    let day = [[10; 12], [50; 12]].concat();
    format!(
        "[rules]\nserve_headroom = 0\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nstartup = \"0s\"\ninstance = \"cpu\"\nprofile = {day:?}\n{TIMED}"
    )
}

#[test]
fn three_ways_to_buy_stand_side_by_side() {
    let plan = planned(&day(), &machines());
    // 72 server hours a day × 365 ÷ 12 × 0.20 = 438; 5 × 90 = 450; 90 + 48 × 365 ÷ 12 × 0.20 = 382.
    let ways = "all by the hour 438.00 USD, all reserved (month) 450.00 USD, 1 reserved (month) and the rest by the hour 382.00 USD";
    assert_eq!(said(&plan, "B-S4"), [format!("a month of the servers: {ways}")]);
    assert!(said(&plan, "B-Q3")[0].ends_with(ways), "{:?}", said(&plan, "B-Q3"));
    assert!(said(&plan, "B-Q3")[0].contains("1 to 5 servers"));
    // Around the clock the old break-even hours stand there.
    let flat = serve(&format!("requests_per_second = 50\ninstance = \"cpu\"\n{TIMED}"), &machines());
    assert!(said(&flat, "B-S4")[0].starts_with("break-even: month"), "{:?}", said(&flat, "B-S4"));
}

#[test]
fn idle_capacity_is_pointed_out_with_its_price() {
    // 50 a second need 7 servers of 10 a second each: 5 of 7 are used, 28.6 % of 630 is idle.
    let flat = serve(&format!("requests_per_second = 50\ninstance = \"cpu\"\n{TIMED}"), &machines());
    assert_eq!(said(&flat, "B-C3"), ["29 % of the paid capacity is idle over the month: 180.00 USD"]);
    assert!(flat.notes.iter().all(|n| n.rule != "B-C3"), "less than half of it");
    let low = serve(&format!("requests_per_second = 3\ninstance = \"cpu\"\n{TIMED}"), &machines());
    let note = low.notes.iter().find(|n| n.rule == "B-C3").unwrap();
    assert!(
        note.text.starts_with("70 % of what its servers cost is idle capacity: give `profile`"),
        "{}",
        note.text
    );
    // With the head-room 2 and 7 servers: 7 × 146 around the clock, 108 server hours a day × 365 ÷ 12 × 0.20 = 657.
    let day = planned(&day().replace("[rules]\nserve_headroom = 0\n", ""), &machines());
    assert!(
        said(&day, "B-C3")[0].contains("cost 365.00 USD less than all around the clock"),
        "{:?}",
        said(&day, "B-C3")
    );
}

#[test]
fn a_latency_that_the_band_may_break_is_warned_of() {
    // Scaled from 8 to 16 vCPUs: the upper end of the band may be too late.
    let plan = serve(
        &format!(
            "requests_per_second = 60\ntime_variation = 0\nlatency = \"80ms\"\ninstance = \"big\"\n{TIMED}"
        ),
        &machines(),
    );
    let warned = plan.notes.iter().find(|n| n.rule == "B-K7").unwrap();
    assert_eq!(warned.kind, NoteKind::Warning);
    assert!(warned.text.contains("the upper end of its band"), "{}", warned.text);
    // Measured there, with room: nothing to warn of.
    let exact = serve(
        &format!(
            "requests_per_second = 1\ntime_variation = 0\nlatency = \"1s\"\ninstance = \"cpu\"\n{TIMED}"
        ),
        &machines(),
    );
    assert!(exact.notes.iter().all(|n| n.rule != "B-K7"), "{:?}", exact.notes);
}

#[test]
fn alarms_of_services_follow_the_monthly_budget() {
    let text = format!(
        "[limits]\nmonthly_budget = \"1000 USD\"\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 50\n{TIMED}"
    );
    let plan = planned(&text, &machines());
    let alarm = plan.findings.iter().find(|f| f.id == "A-C4").unwrap();
    assert!(alarm.reason.contains("alarms at 500.00, 800.00 and 1,000.00 USD"), "{}", alarm.reason);
}

#[test]
fn what_hands_on_nothing_has_no_output() {
    let timed = "measured = [{ on = \"T4\", time = \"25ms\" }]";
    let said = super::mistakes(&format!("requests_per_second = 5\noutput = \"20 kB\"\n{timed}"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("`output` means nothing to a stage of kind serve"), "{said:?}");
}

#[test]
fn a_server_less_that_cannot_keep_up_lets_the_queue_grow() {
    // 40 a second on places of 25 ms: one is busy without a pause, two answer in time.
    let machines = seller(&[("t4", 8, "T4", 1, "on_demand = 0.5")]);
    let rest =
        "requests_per_second = 40\nlatency = \"150ms\"\nmeasured = [{ on = \"T4\", time = \"25ms\" }]\n";
    let model = "[model]\narchitecture = \"bert-base\"\nbatch_size = 1\nseq_len = 256\n";
    let plan = planned(&format!("{model}[[stage]]\nname = \"s\"\nkind = \"serve\"\n{rest}"), &machines);
    let derived = super::choice(&plan).derivation.join("\n");
    assert!(derived.contains("with 1 the queue grows without end"), "{derived}");
    assert!(!derived.contains("inf"), "{derived}");
    // A device computes a request in its measured 25 ms, however many are asked for.
    assert!(
        said(&plan, "B-C5")[0].contains("beside 25 ms of computing on each device"),
        "{:?}",
        said(&plan, "B-C5")
    );
}

#[test]
fn a_class_that_is_scaled_by_the_hour_says_so() {
    let day = day()
        .replace("instance = \"cpu\"\n", "")
        .replace("kind = \"serve\"", "kind = \"serve\"\nlatency = \"1s\"");
    let day = day.replace(
        TIMED,
        "measured = [{ on = \"cpu\", time = \"100ms\" }, { on = \"T4\", time = \"20ms\" }]\n",
    );
    let machines = seller(&[("cpu", 8, "", 0, "on_demand = 0.2"), ("t4", 8, "T4", 1, "on_demand = 0.5")]);
    let plan = planned(&day, &machines);
    let said = said(&plan, "B-C1");
    assert!(said[0].contains(", scaled by the hour of the day ("), "{said:?}");
}

#[test]
fn a_budget_of_a_run_says_that_it_limits_no_service() {
    let limit = "[limits]\nbudget = \"1 USD\"\n";
    let service = format!(
        "[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 5\ninstance = \"cpu\"\n{TIMED}"
    );
    let text = |plan: &Plan| plan.checks.iter().map(|c| (c.kept, c.text.clone())).collect::<Vec<_>>();
    // A server of 0.20 an hour is 146 a month; by the month it is 90.
    let alone = planned(&format!("{limit}{service}"), &machines());
    let says = "1.00 USD per run limits nothing here: the services cost 90.00 per month, which monthly_budget limits";
    assert_eq!(text(&alone), [(true, says.to_owned())]);
    let run = "[[stage]]\nname = \"p\"\nkind = \"prepare\"\nmeasured = [{ on = \"cpu\", time = \"1h\" }]\n";
    let beside = planned(&format!("{limit}{service}{run}"), &machines());
    let found = text(&beside);
    assert!(found[0].0 && found[0].1.contains(" of 1.00 USD per run ("), "{found:?}");
    assert!(
        found[0].1.ends_with("; services are counted by the month, which monthly_budget limits"),
        "{found:?}"
    );
}
