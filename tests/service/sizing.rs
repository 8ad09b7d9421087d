//! How many servers a service needs, with figures worked out by hand, and what is said where none will do.

use super::{choice, figures, mistakes, planned, seller, serve, stage};
use plan::catalog::Catalog;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn machines() -> Catalog {
    seller(&[
        ("cpu", 8, "", 0, "on_demand = 0.2"),
        ("t4", 4, "T4", 1, "on_demand = 0.5"),
        ("t4x4", 16, "T4", 4, "on_demand = 1.9"),
    ])
}

/// M/M/c: 10 a second of 0.1 s are one erlang. With two places a third wait (Erlang's C = 1/3), with three 1/11.
#[test]
fn the_latency_decides_the_number() {
    let catalog = machines();
    let asked = |latency: &str| {
        let rest = format!(
            "requests_per_second = 10\ntime_variation = 1\nlatency = \"{latency}\"\ninstance = \"cpu\"\n\
             measured = [{{ on = \"cpu\", time = \"100ms\" }}]"
        );
        serve(&rest, &catalog)
    };
    // An exponential time of mean 0.1 s ends 95 times of 100 within 0.29957 s: no number of servers betters that.
    let late = asked("299ms");
    assert!(stage(&late).outcome.is_err());
    let miss = stage(&late).nearest_miss.as_deref().unwrap();
    assert!(
        miss.contains("95 of 100 within 0.2996 s when nothing waits (time_variation = 1), at most 0.299 s"),
        "{miss}"
    );
    // Two places: P(T > t) = e^(−10t)(1 + 10t/3), since the wait ends at the rate 2·10 − 10 = 10 too; 5 % at 0.381 s.
    let plan = asked("385ms");
    let service = figures(&plan);
    assert_eq!((service.at_peak, service.servers), (1, 2));
    let answers = service.answers.unwrap();
    assert!((answers.waiting_chance - 1.0 / 3.0).abs() < 1e-9);
    let t = answers.within.as_secs();
    assert!(((-10.0 * t).exp() * (1.0 + 10.0 * t / 3.0) - 0.05).abs() < 1e-6, "{t}");
    assert!(!answers.with_one_less.is_finite(), "one server is full");
    assert_eq!(figures(&asked("375ms")).servers, 3);
    assert_eq!(figures(&asked("350ms")).servers, 3);
}

#[test]
fn other_percentiles_ask_for_other_numbers() {
    let catalog = machines();
    let servers = |rest: &str| {
        let rest = format!(
            "requests_per_second = 60\nlatency = \"300ms\"\n{rest}measured = [{{ on = \"cpu\", time = \"100ms\" }}]"
        );
        figures(&serve(&rest, &catalog)).servers
    };
    assert_eq!(servers(""), servers("latency_percentile = 95\n"));
    assert!(
        servers("latency_percentile = 50\n") < servers("latency_percentile = 99\ntime_variation = 0.4\n")
    );
    // A stated head-room raises the rate before the queue is asked.
    let with = |room: &str| {
        let text = format!(
            "{room}[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 60\nlatency = \"300ms\"\n\
             measured = [{{ on = \"cpu\", time = \"100ms\" }}]\n"
        );
        figures(&planned(&text, &catalog)).servers
    };
    assert!(with("[rules]\nserve_headroom = 0.5\n") > with(""));
    assert_eq!(with("[rules]\nserve_headroom = 0\n"), with(""));
}

/// A server with four GPUs is four places; `concurrency` makes each of them several.
#[test]
fn places_are_gpus_times_concurrency() {
    let catalog = machines();
    let service = |rest: &str| {
        let rest = format!(
            "requests_per_second = 100\nlatency = \"400ms\"\nclass = \"gpu\"\nmeasured = [{{ on = \"T4\", time = \"100ms\" }}]\n{rest}"
        );
        figures(&serve(&rest, &catalog)).clone()
    };
    assert!((service("instance = \"t4\"").places - 1.0).abs() < 1e-9);
    assert!((service("instance = \"t4x4\"").places - 4.0).abs() < 1e-9);
    assert!((service("instance = \"t4x4\"\nconcurrency = 3").places - 12.0).abs() < 1e-9);
    // 10 at work: three servers of four places keep up, and so do ten of one.
    assert_eq!(service("instance = \"t4x4\"").at_peak, 3);
    assert_eq!(service("instance = \"t4\"").at_peak, 10);
}

/// What stands beside the place counts for the latency: 100 ms on the GPU and 50 ms of decoding are 150 ms.
#[test]
fn decoding_is_part_of_the_answer() {
    let catalog = machines();
    let plan = |latency: &str| {
        let rest = format!(
            "requests_per_second = 1\ntime_variation = 0\ndecode = \"50ms\"\nlatency = \"{latency}\"\ninstance = \"t4\"\n\
             measured = [{{ on = \"T4\", time = \"100ms\" }}]"
        );
        serve(&rest, &catalog)
    };
    assert!(stage(&plan("149ms")).outcome.is_err());
    let exact = plan("150ms");
    // Just in time without a wait: so many servers that fewer than one in twenty waits; C(2; 0.1) = 0.0095.
    assert_eq!(figures(&exact).servers, 2);
}

#[test]
fn a_larger_card_counts_as_faster_where_a_latency_is_asked_for() {
    let catalog =
        seller(&[("t4", 8, "T4", 1, "on_demand = 0.1"), ("h100", 8, "H100-SXM", 1, "on_demand = 4")]);
    let plan = |latency: &str| {
        let rest = format!(
            "requests_per_second = 5\ntime_variation = 0\n{latency}measured = [{{ on = \"T4\", time = \"400ms\" }}]"
        );
        serve(&rest, &catalog)
    };
    assert_eq!(choice(&plan("")).instance, "t4");
    assert_eq!(choice(&plan("latency = \"2s\"\n")).instance, "t4");
    let quick = plan("latency = \"300ms\"\n");
    assert_eq!(choice(&quick).instance, "h100");
    let item = figures(&quick).item.unwrap();
    // Halfway, on a scale of factors, between no gain and what scaling says; no gain at all is the end of the band.
    assert!(item.expected.as_secs() < 0.3 && item.high.as_secs() >= 0.4 - 1e-9, "{item:?}");
    assert!(choice(&quick).derivation.iter().any(|l| l.contains("a guess halfway to the 0.4 s measured")));
    // Too slow for every card.
    let never = plan("latency = \"5ms\"\n");
    assert!(stage(&never).outcome.is_err());
    assert!(stage(&never).nearest_miss.as_deref().unwrap().contains("at most 0.005 s is allowed"));
}

#[test]
fn too_few_servers_are_told_apart_from_an_overload() {
    let catalog = machines();
    let rest = "requests_per_second = 60\nlatency = \"240ms\"\ninstance = \"cpu\"\nmeasured = [{ on = \"cpu\", time = \"100ms\" }]\n";
    let plan = |instances: u32| serve(&format!("{rest}instances = {instances}"), &catalog);
    // 6 erlang on 6 places grow without end: 7 at least keep up … by the last digit 6 × 0.1 × 10 is 6, so 6 are named.
    let overload = plan(5);
    assert_eq!(
        stage(&overload).nearest_miss.as_deref().unwrap(),
        "5 × acme/cpu cannot keep up: the queue grows without end; at least 6 are needed"
    );
    let needs = figures(&serve(rest, &catalog)).servers;
    assert!(needs > 7);
    let few = plan(7);
    let miss = stage(&few).nearest_miss.as_deref().unwrap();
    assert!(miss.contains(&format!("has 7 of the {needs} needed (servers)")), "{miss}");
    assert!(stage(&plan(needs)).outcome.is_ok());
}

/// The model's weights must fit on one device whatever the rate, and several requests at once need no second copy.
#[test]
fn memory_binds_with_concurrency() {
    let catalog =
        seller(&[("t4x8", 8, "T4", 8, "on_demand = 0.01"), ("a100", 8, "A100-80GB", 1, "on_demand = 4")]);
    let text = |concurrency: u32| {
        format!(
            "[model]\narchitecture = \"llama-2-7b\"\nprecision = \"fp16\"\nmode = \"inference\"\n[[stage]]\nname = \"s\"\n\
             kind = \"serve\"\nrequests_per_second = 2\nclass = \"gpu\"\nconcurrency = {concurrency}\nlatency = \"60s\"\n\
             measured = [{{ on = \"A100-80GB\", time = \"2s\" }}]\n"
        )
    };
    let plan = planned(&text(1), &catalog);
    // 6.74 billion parameters of 2 bytes are 12.6 GiB, and with what else it takes more than the 14.6 GiB of a T4.
    assert_eq!(choice(&plan).instance, "a100");
    let needs = |plan: &plan::plan::Plan| choice(plan).memory_need.unwrap().needed.expected;
    let many = planned(&text(16), &catalog);
    assert!(needs(&many) > needs(&plan), "16 requests at once hold 16 contexts");
}

#[test]
fn keys_that_contradict_each_other_are_said() {
    let timed = "measured = [{ on = \"8 vCPU\", time = \"20ms\" }]";
    for (rest, says) in [
        (
            "requests_per_second = 5\nprofile = [1, 2]",
            "`profile` in [[stage]] has 2 numbers; allowed: a list of 24",
        ),
        ("profile = 5", "`profile` in [[stage]] is 5 (integer); allowed: a list of 24"),
        ("profile = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,-2]", "`profile` in [[stage]] holds -2"),
        (
            "profile = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
            "the largest number of `profile` is 0",
        ),
        (
            "requests_per_second = 9\nprofile = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
            "`requests_per_second` is 9, but the largest number of `profile` is 2",
        ),
        (
            "requests_per_second = 9\nsteady = 3",
            "`steady` is stated without the hours of the peak; add `peak_hours = 4`",
        ),
        (
            "requests_per_second = 9\npeak_hours = 3",
            "`peak_hours` is stated without the rate outside of them",
        ),
        ("requests_per_second = 9\nsteady = 30\npeak_hours = 3", "`steady` is 30, above the peak rate of 9"),
        (
            "requests_per_second = 9\nlatency_percentile = 99",
            "`latency_percentile` is stated without `latency`",
        ),
        (
            "requests_per_second = 9\nlatency = \"200ms\"\nlatency_percentile = 0.95",
            "`latency_percentile` in [[stage]] is 0.95",
        ),
        ("requests_per_second = 9\nlatency = \"0s\"", "`latency` is no time at all"),
        ("requests_per_second = 9\nlatncy = \"1s\"", "did you mean `latency`?"),
    ] {
        let found = mistakes(&format!("{rest}\n{timed}"));
        assert!(found.len() == 1 && found[0].contains(says), "{rest}: {found:?}");
    }
    // A latency of which no time is known cannot be kept.
    let found = mistakes("gpu_support = \"none\"\nrequests_per_second = 5\nlatency = \"1s\"");
    assert!(found.len() == 1 && found[0].contains("states no time per request"), "{found:?}");
}

/// Hours of the peak and a steady rate outside of them are a day of two levels.
#[test]
fn steady_with_peak_hours_is_a_profile() {
    let catalog = machines();
    let plan = serve(
        "requests_per_second = 50\nsteady = 10\npeak_hours = 6\nmeasured = [{ on = \"cpu\", time = \"100ms\" }]",
        &catalog,
    );
    let hours: Vec<(f64, u32)> = figures(&plan).hours.iter().map(|h| (h.rate, h.servers)).collect();
    // 50 × 0.1 × 1.3 = 6.5 → 7; 10 × 0.1 × 1.3 = 1.3 → 2.
    assert_eq!(hours, [[(50.0, 7); 6].as_slice(), &[(10.0, 2); 18]].concat());
    assert!((figures(&plan).mean.unwrap() - 20.0).abs() < 1e-9);
}

#[test]
fn a_queue_that_is_just_full_is_warned_of() {
    let catalog = machines();
    let text = "[rules]\nserve_headroom = 0\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nrequests_per_second = 100\n\
                instance = \"cpu\"\nmeasured = [{ on = \"cpu\", time = \"100ms\" }]\n";
    let plan = planned(text, &catalog);
    assert_eq!(figures(&plan).servers, 10);
    assert!(!figures(&plan).answers.unwrap().within.is_finite());
    let warned = plan.notes.iter().find(|n| n.rule == "B-K7").unwrap();
    assert!(
        warned.text.contains("all 10 servers are busy without a pause") && warned.text.contains("11 keep up")
    );
}

#[test]
fn a_latency_that_is_missed_by_little_is_told_from_its_bound() {
    let catalog = machines();
    let rest = "requests_per_second = 1\ntime_variation = 0\nlatency = \"99.9ms\"\ninstance = \"cpu\"\n\
                measured = [{ on = \"cpu\", time = \"100ms\" }]";
    let plan = serve(rest, &catalog);
    assert_eq!(
        stage(&plan).nearest_miss.as_deref().unwrap(),
        "acme/cpu answers 95 of 100 within 0.1 s when nothing waits, at most 0.0999 s is allowed"
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_260_101),
        ..ProptestConfig::default()
    })]

    /// The whole way: more requests, a tighter latency or a higher percentile never take fewer servers of a machine nor
    /// cost less, and the ends of the band of the cost lie on both sides of it.
    #[test]
    fn asking_for_more_never_takes_less(rate in 1u32..2000, more in 0u32..500, time in 5u32..400, slack in 100u32..900, percent in 50u32..99, places in 1u32..16) {
        let catalog = machines();
        let plan = |rate: u32, latency: u32, percent: u32| {
            let rest = format!(
                "requests_per_second = {rate}\nlatency = \"{latency}ms\"\nlatency_percentile = {percent}\nconcurrency = {places}\n\
                 time_variation = 0.3\ninstance = \"cpu\"\nmeasured = [{{ on = \"8 vCPU\", time = \"{time}ms\" }}]"
            );
            serve(&rest, &catalog)
        };
        let cost = |plan: &plan::plan::Plan| stage(plan).outcome.as_ref().ok().map(|c| (c.count, c.expected_cost()));
        let latency = time * slack / 100;
        let asked = plan(rate, latency, percent);
        let Some(least) = cost(&asked) else { return Ok(()) };
        let band = choice(&asked).cost;
        prop_assert!(band.low.unwrap() <= least.1 && least.1 <= band.high.unwrap(), "{band:?}");
        for harder in [plan(rate + more, latency, percent), plan(rate, latency - latency / 10, percent), plan(rate, latency, percent + 1)] {
            if let Some(found) = cost(&harder) {
                prop_assert!(found.0 >= least.0 && found.1 >= least.1, "{found:?} {least:?}");
            }
        }
    }
}

/// Demands beyond all reason are answered at once, with a plan or with the figure that is missing.
#[test]
fn absurd_demands_are_answered() {
    let catalog = machines();
    let ask = |rest: &str| {
        let rest = format!("requests_per_second = 1e9\nlatency = \"3h\"\ninstance = \"cpu\"\n{rest}");
        serve(&rest, &catalog)
    };
    let many = ask("concurrency = 1_000_000\nmeasured = [{ on = \"cpu\", time = \"1h\" }]");
    // 3.6 × 10¹² at work ÷ 10⁶ each: 3.6 million servers, and one more for the queue.
    assert!((3_600_000..3_600_010).contains(&choice(&many).count), "{}", choice(&many).count);
    let none = ask("measured = [{ on = \"cpu\", time = \"1h\" }]");
    let miss = stage(&none).nearest_miss.as_deref().unwrap();
    assert!(miss.contains("cannot keep up"), "{miss}");
}
