//! Searches, services and transcoding on the prices of a small seller, with figures worked out by hand.

use super::{choice, job, money, stage};
use crate::seller::seller;
use plan::catalog::Catalog;
use plan::decide::{Candidate, Cut, Layout, StageCandidates, decide_stage};
use plan::duration::StageClock;
use plan::job::{Class, Purchase};
use plan::plan::{Period, Plan, SlotUnit};
use plan::units::Money;

fn planned(text: &str, catalog: &Catalog) -> Plan {
    plan::plan(&job(text, catalog), catalog)
}

/// The layouts of the first stage.
fn layouts(text: &str, catalog: &Catalog) -> StageCandidates {
    let job = job(text, catalog);
    decide_stage(&job, &job.stages[0], &StageClock::new(&job.stages[0], catalog), catalog)
}

fn search(trials: u32, memory: &str, rest: &str) -> String {
    format!(
        "[data]\nsamples = 100_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 64\nprecision = \"amp\"\n[[stage]]\n\
         kind = \"tune\"\ntrials = {trials}\nmeasured_memory = \"{memory}\"\nstartup = \"0s\"\n{rest}\n"
    )
}

const ON_T4: &str = "measured = [{ on = \"T4\", time = \"1h\" }]";
const ON_A100: &str = "measured = [{ on = \"A100-80GB\", time = \"1h\" }]";

/// (profile, slots of an instance, instances, rounds) of every pool on a card.
fn pools(found: &StageCandidates, catalog: &Catalog) -> Vec<(String, u32, u32, u32)> {
    found
        .candidates
        .iter()
        .map(|c| {
            let Layout::Pool(pool) = c.layout else { panic!("{c:?}") };
            let card = catalog.accelerator(catalog.instance(c.instance).unwrap().gpu.unwrap()).unwrap();
            let cut = match pool.cut {
                Cut::Slice(at) => card.mig[usize::from(at)].name.to_string(),
                other => format!("{other:?}").to_lowercase(),
            };
            (cut, pool.slots, c.count, pool.rounds)
        })
        .collect()
}

#[test]
fn one_trial_decides_the_slice_and_two_slices_are_never_joined() {
    let catalog = seller(&[("a100", 24, "A100-80GB", 1.0, "on_demand = 3")]);
    let cuts = |memory: &str| {
        let mut cuts: Vec<(String, u32)> = pools(&layouts(&search(7, memory, ON_A100), &catalog), &catalog)
            .into_iter()
            .map(|p| (p.0, p.1))
            .collect();
        cuts.dedup();
        cuts
    };
    let all = [("card", 1), ("1g.10gb", 7), ("1g.20gb", 4), ("2g.20gb", 3), ("3g.40gb", 2), ("4g.40gb", 1)];
    let named = |cuts: &[(&str, u32)]| cuts.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect::<Vec<_>>();
    // A slice of 10 GiB has 9.5 usable, one of 20 has 19, one of 40 has 38.
    assert_eq!(cuts("9 GiB"), named(&all));
    assert_eq!(cuts("9.6 GiB"), named(&[all[0], all[2], all[3], all[4], all[5]]));
    assert_eq!(cuts("19.5 GiB"), named(&[all[0], all[4], all[5]]));
    assert_eq!(cuts("39 GiB"), named(&all[..1]));
    assert!(layouts(&search(7, "80 GiB", ON_A100), &catalog).candidates.is_empty(), "more than the card");
}

#[test]
fn trials_take_whole_rounds_on_the_fewest_instances_that_do() {
    let catalog =
        seller(&[("t4", 8, "T4", 1.0, "on_demand = 0.5"), ("t4x4", 32, "T4", 4.0, "on_demand = 2")]);
    let found = layouts(&search(24, "9 GiB", ON_T4), &catalog);
    // One T4 each: 24 rounds on 1, 12 on 2, 6 on 4, 3 on 8, 2 on 12 (16 take no fewer), 1 on 24.
    let of = |slots: u32| -> Vec<(u32, u32)> {
        pools(&found, &catalog).into_iter().filter(|p| p.1 == slots).map(|p| (p.2, p.3)).collect()
    };
    assert_eq!(of(1), [(1, 24), (2, 12), (4, 6), (8, 3), (12, 2), (24, 1)]);
    // Four each: 6, 3, 2 (on 3, not 4) and 1.
    assert_eq!(of(4), [(1, 6), (2, 3), (3, 2), (6, 1)]);
    for c in &found.candidates {
        let Layout::Pool(pool) = c.layout else { panic!() };
        let hours = c.duration.time.expected.get();
        // Four cards of one machine share its disk and cores: 1 % less at each doubling.
        let trial = if pool.slots == 1 { 1.0 } else { 1.0 / 0.9801 };
        assert!((hours - f64::from(pool.rounds) * trial).abs() < 1e-6, "{pool:?}: {hours}");
    }
    let limited = layouts(&search(24, "9 GiB", &format!("instances = 3\n{ON_T4}")), &catalog);
    assert!(limited.candidates.iter().all(|c| c.count <= 3));
}

#[test]
fn a_wider_pool_is_taken_when_it_costs_little_more() {
    // Launches of 30 min: 24 trials of 1 h take 24.5 machine hours on 1, 25 on 2, 26 on 4 (6 % more), 28 on 8.
    let catalog = seller(&[("t4", 8, "T4", 1.0, "on_demand = 0.5")]);
    let work = search(24, "9 GiB", ON_T4).replace("\"0s\"", "\"30m\"");
    let count = |text: &str| choice(&planned(text, &catalog), "tune").count;
    assert_eq!(count(&work), 2);
    assert_eq!(count(&format!("[rules]\nwider_pool = 0.07\n{work}")), 4);
    assert_eq!(count(&format!("[rules]\nwider_pool = 0\n{work}")), 1);
    assert_eq!(count(&format!("urgency = \"experiment\"\n{work}")), 1, "time is worth nothing");
    let plan = planned(&work, &catalog);
    let tune = choice(&plan, "tune");
    assert_eq!(tune.expected_cost(), money("12.50"));
    let pool = tune.pool.as_ref().unwrap();
    assert_eq!((pool.unit, pool.slots, pool.rounds), (SlotUnit::Gpu, 2, 12));
    assert!((pool.gpu_hours - 24.0).abs() < 1e-9 && (pool.trial.get() - 1.0).abs() < 1e-9);
    assert_eq!(pool.to_string(), "24 trials in 12 rounds on 2 GPUs");
}

#[test]
fn spot_is_refused_by_the_length_of_one_trial() {
    // λ = 0.3/h, no start-up: a trial of 3 h has λW = 0.9, one of 4 h has 1.2; the sum of 24 has ten times as much.
    let catalog = seller(&[("t4", 8, "T4", 1.0, "on_demand = 0.5, spot = 0.1, interruption = \"0.3/h\"")]);
    let bought = |hours: &str, rest: &str| {
        let work =
            search(24, "9 GiB", &format!("measured = [{{ on = \"T4\", time = \"{hours}\" }}]\n{rest}"));
        choice(&planned(&work, &catalog), "tune").purchase
    };
    assert_eq!(bought("3h", ""), Purchase::Spot);
    assert_eq!(bought("4h", ""), Purchase::OnDemand);
    assert_eq!(bought("4h", "checkpoint = { every = \"30m\", takes = \"10s\" }"), Purchase::Spot);
}

#[test]
fn a_part_of_a_card_and_a_cpu_are_slots_of_their_own() {
    let catalog =
        seller(&[("half", 8, "A10", 0.5, "on_demand = 0.4"), ("cpu", 16, "", 0.0, "on_demand = 0.5")]);
    let work = search(
        4,
        "9 GiB",
        "measured = [{ on = \"A10\", time = \"1h\" }, { on = \"16 vCPU\", time = \"20h\" }]",
    );
    let found = layouts(&work, &catalog);
    let cuts: Vec<Cut> = found
        .candidates
        .iter()
        .filter_map(|c| if let Layout::Pool(p) = c.layout { Some(p.cut) } else { None })
        .collect();
    assert!(cuts.contains(&Cut::Share) && cuts.contains(&Cut::Machine), "{cuts:?}");
    let plan = planned(&work, &catalog);
    let tune = choice(&plan, "tune");
    // Half a card takes twice as long.
    assert!((tune.pool.as_ref().unwrap().trial.get() - 2.0).abs() < 1e-9);
    assert_eq!(tune.pool.as_ref().unwrap().unit, SlotUnit::GpuShare);
    let too_much = layouts(&work.replace("9 GiB", "12 GiB"), &catalog);
    assert!(too_much.candidates.iter().all(|c| c.class == Class::Cpu), "half of 24 GiB holds less than 12");
}

#[test]
fn a_measured_search_is_the_rounds_that_it_took() {
    // 10 trials on 4 cards took 3 h: 3 rounds of 1 h.
    let catalog = seller(&[("t4", 8, "T4", 1.0, "on_demand = 0.5")]);
    let work =
        search(10, "9 GiB", "measured = [{ on = \"T4\", instances = 4, time = \"3h\", per = \"stage\" }]");
    let found = layouts(&work, &catalog);
    let one = found.candidates.iter().find(|c| c.count == 1).unwrap();
    assert!((one.duration.time.expected.get() - 10.0).abs() < 1e-9, "{:?}", one.duration.time);
}

const SERVICE: &str = "[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 100\n";

fn servers() -> Catalog {
    seller(&[
        ("cpu", 8, "", 0.0, "on_demand = 0.2, month = 140, spot = 0.01"),
        ("gpu", 4, "T4", 1.0, "on_demand = 0.5, spot = 0.02, year = 2628, three_years = 5256"),
    ])
}

#[test]
fn servers_are_counted_before_and_with_head_room() {
    let catalog = servers();
    let work = format!("{SERVICE}measured = [{{ on = \"cpu\", time = \"95ms\" }}]\n");
    let sized = |text: &str| {
        let plan = planned(text, &catalog);
        let c = choice(&plan, "s").clone();
        let s = c.service.clone().unwrap();
        (s.at_peak, s.servers, c.purchase, c.expected_cost())
    };
    // 100 × 0.095 = 9.5 → 10; × 1.3 = 12.35 → 13. A month at 140 is less than 0.2 × 730 = 146: 13 × 140.
    assert_eq!(sized(&work), (10, 13, Purchase::Month, money("1820")));
    assert_eq!(
        sized(&format!("[rules]\nserve_headroom = 0\n{work}")),
        (10, 10, Purchase::Month, money("1400"))
    );
    // Four at once on each server: 2.375 → 3; 3.0875 → 4.
    let four = sized(&format!("{work}concurrency = 4\n"));
    assert_eq!((four.0, four.1), (3, 4));
    // Exactly ten is not eleven.
    assert_eq!(sized(&work.replace("95ms", "100ms")).0, 10);
    let few = planned(&format!("{work}instances = 12\n"), &catalog);
    assert!(stage(&few, "s").outcome.is_err());
    assert!(
        stage(&few, "s").nearest_miss.as_deref().unwrap().contains("13"),
        "{:?}",
        stage(&few, "s").nearest_miss
    );
}

#[test]
fn a_service_is_never_on_spot_and_years_are_only_shown() {
    let catalog = servers();
    let work = format!("{SERVICE}measured = [{{ on = \"gpu\", time = \"40ms\" }}]\n");
    let plan = planned(&work, &catalog);
    let own = choice(&plan, "s");
    // 100 × 0.04 × 1.3 = 5.2 → 6; 6 × 0.5 × 730 = 2,190.
    assert_eq!((own.count, own.purchase, own.expected_cost()), (6, Purchase::OnDemand, money("2190")));
    let other: Vec<(Purchase, Money)> = stage(&plan, "s")
        .alternatives
        .iter()
        .map(|a| (a.choice.purchase, a.choice.expected_cost()))
        .collect();
    // A year at 2,628 is 219 a month, three at 5,256 are 146.
    assert_eq!(other, [(Purchase::Year, money("1314")), (Purchase::ThreeYears, money("876"))]);
    let pinned = planned(&format!("{work}purchase = \"year\"\n"), &catalog);
    assert_eq!(choice(&pinned, "s").expected_cost(), money("1314"));
}

#[test]
fn vcpus_that_cannot_decode_limit_the_server() {
    let catalog = servers();
    let work = format!("{SERVICE}decode = \"200ms\"\nmeasured = [{{ on = \"gpu\", time = \"40ms\" }}]\n");
    let plan = planned(&work, &catalog);
    let own = choice(&plan, "s");
    let service = own.service.as_ref().unwrap();
    // The GPU does 25 a second, for which 5 vCPUs must decode; 4 vCPUs do 20 a second: 5 servers, 6.5 → 7.
    assert_eq!((service.at_peak, service.servers), (5, 7));
    assert!((service.rate.unwrap() - 20.0).abs() < 1e-9);
    let decode = service.decode.unwrap();
    assert!(decode.starved && (decode.to_feed - 5.0).abs() < 1e-9 && (decode.at_peak - 20.0).abs() < 1e-9);
    assert!(stage(&plan, "s").why.contains("cannot keep the GPU fed"), "{}", stage(&plan, "s").why);
}

#[test]
fn a_request_takes_no_longer_than_it_was_measured_to_take() {
    let catalog =
        seller(&[("cpu8", 8, "", 0.0, "on_demand = 0.4"), ("cpu2", 2, "", 0.0, "on_demand = 0.02")]);
    let plan = planned(&format!("{SERVICE}measured = [{{ on = \"cpu8\", time = \"100ms\" }}]\n"), &catalog);
    assert_eq!(choice(&plan, "s").instance, "cpu8");
    assert!(stage(&plan, "s").rejected.iter().any(|r| r.rejection.reason.to_string() == "latency"));
}

#[test]
fn a_larger_card_is_not_counted_as_faster_for_single_requests() {
    let catalog = seller(&[
        ("t4", 8, "T4", 1.0, "on_demand = 0.5"),
        ("h100x2", 64, "H100-SXM", 2.0, "on_demand = 0.9"),
    ]);
    let work = format!("{SERVICE}measured = [{{ on = \"T4\", time = \"40ms\" }}]\n");
    let found = layouts(&work, &catalog);
    let of = |found: &StageCandidates, name: &str| {
        let named = |c: &&Candidate| &*catalog.instance(c.instance).unwrap().name == name;
        let candidate = found.candidates.iter().find(named).unwrap();
        let Layout::Service(service) = &candidate.layout else { panic!() };
        (candidate.duration.time.expected.as_secs(), service.at_peak)
    };
    let (t4, h100) = (of(&found, "t4"), of(&found, "h100x2"));
    assert!((t4.0 - 0.04).abs() < 1e-9 && (h100.0 - 0.04).abs() < 1e-9);
    // Two cards work on two requests: 4 servers, or 2.
    assert_eq!((t4.1, h100.1), (4, 2));
    // Several at once fill the card: there its speed counts.
    let batched = layouts(&format!("{work}concurrency = 8\n"), &catalog);
    assert!(of(&batched, "h100x2").0 < 0.03);
}

#[test]
fn runs_and_services_are_kept_apart() {
    let catalog = servers();
    let work = format!(
        "runs_per_month = 10\n[limits]\nbudget = \"3 USD\"\nmonthly_budget = \"1800 USD\"\ndeadline = \"6h\"\n\
         [[stage]]\nname = \"p\"\nkind = \"prepare\"\npurchase = \"on-demand\"\nstartup = \"0s\"\n\
         measured = [{{ on = \"cpu\", time = \"5h\" }}]\n{SERVICE}after = [\"p\"]\n\
         measured = [{{ on = \"cpu\", time = \"95ms\" }}]\n"
    );
    let plan = planned(&work, &catalog);
    assert_eq!(choice(&plan, "s").period, Period::Month);
    // 5 h × 0.2 a run; 13 × 140 a month; 10 × 1.00 + 1,820.
    assert_eq!(plan.cost.unwrap().expected, Some(money("1")));
    assert_eq!(plan.services.unwrap().expected, Some(money("1820")));
    assert_eq!(plan.monthly_cost(), Some(money("1830")));
    assert!((plan.time.unwrap().expected.get() - 5.0).abs() < 1e-9, "a service has no end");
    let kept: Vec<(&str, bool)> = plan.checks.iter().map(|c| (c.limit, c.kept)).collect();
    assert_eq!(kept, [("budget", true), ("monthly-budget", false), ("deadline", true)]);
    // Without the number of runs a month's cost is not known.
    let unknown = planned(&work.replace("runs_per_month = 10\n", ""), &catalog);
    assert_eq!(unknown.monthly_cost(), None);
}

#[test]
fn video_is_split_over_engines_by_a_rule_of_thumb() {
    let catalog = seller(&[
        ("t4", 8, "T4", 1.0, "on_demand = 0.5"),
        ("l4", 8, "L4", 1.0, "on_demand = 0.9"),
        ("a100", 8, "A100-80GB", 1.0, "on_demand = 0.01"),
        ("mystery", 8, "MI210", 1.0, "on_demand = 0.01"),
        ("cpu", 8, "", 0.0, "on_demand = 0.3"),
    ]);
    let work = "[[stage]]\nkind = \"transcode\"\nvideo = \"28h\"\nstartup = \"0s\"\nstacks = [\"cuda\", \"rocm\"]\ninstances = 4\n";
    let found = layouts(work, &catalog);
    let of = |name: &str, count: u32| {
        found
            .candidates
            .iter()
            .find(|c| &*catalog.instance(c.instance).unwrap().name == name && c.count == count)
            .map(|c| c.duration.time.expected.get())
    };
    // 28 h × 3,600 × 30 = 3,024,000 frames: at 280 a second 3 h on the one engine of a T4, half on the two of an L4.
    assert!((of("t4", 1).unwrap() - 3.0).abs() < 1e-9 && (of("l4", 1).unwrap() - 1.5).abs() < 1e-9);
    assert!((of("t4", 4).unwrap() - 0.75).abs() < 1e-9, "segments over instances");
    assert_eq!((of("a100", 1), of("mystery", 1)), (None, None), "no engine, or none known of");
    let plan = planned(work, &catalog);
    let own = choice(&plan, "transcode");
    // 1.5 h × 0.9 = 1.35 on the L4; 3 h × 0.5 = 1.50 on the T4.
    assert_eq!((own.instance.as_str(), own.expected_cost()), ("l4", money("1.35")));
    assert!((own.per_video_hour.unwrap().as_f64() - 1.35 / 28.0).abs() < 1e-6);
}
