//! The chance to meet a deadline, against what can be worked out by hand, and the search for a plan that has it.

use super::{MACHINES, catalog_of, figures, job_of};
use plan::catalog::Catalog;
use plan::plan::Plan;
use plan::price::spot::{
    Burst, FirstWait, Hazard, SpotJob, completion_spread, evaluate, segments_every, unknown_wait,
};
use plan::units::{Hours, Money};

/// A table of prices with spot beside on-demand.
fn with_spot(name: &str) -> Catalog {
    catalog_of(name, |price: f64| {
        format!("{{ region = \"r\", on_demand = {price}, spot = {}, interruption = \"0.2/h\" }}", price * 0.7)
    })
}

fn plan_of(catalog: &Catalog, limits: &str, stages: &str) -> Plan {
    plan::plan(&job_of(catalog, &format!("[limits]\n{limits}\n{stages}")), catalog)
}

/// A stage that is measured on the small machine and bought one way.
fn stage(name: &str, after: &str, hours: f64, purchase: &str) -> String {
    format!(
        "[[stage]]\nname = \"{name}\"\nkind = \"analyze\"\nstartup = \"0s\"\nafter = [{after}]\ninstance = \"acme/small\"\n\
         purchase = \"{purchase}\"\ncheckpoint = {{ every = \"30m\", takes = \"0s\" }}\n\
         measured = [{{ on = \"acme/small\", time = \"{hours}h\" }}]\n"
    )
}

fn chance(plan: &Plan) -> f64 {
    plan.chance.expect("a chance").expected
}

fn near(found: f64, wanted: f64) {
    // Three standard errors of 8,192 draws.
    let error = 3.0 * (wanted * (1.0 - wanted) / 8192.0).sqrt() + 0.002;
    assert!((found - wanted).abs() < error, "{found} instead of {wanted}");
}

/// The factor of the band of a measured time.
fn factor(plan: &Plan) -> f64 {
    plan.stages[0].outcome.as_ref().expect("a choice").spread
}

#[test]
fn the_band_of_the_work_counts_as_nine_times_of_ten() {
    let catalog = with_spot("chance-band.toml");
    let one = stage("a", "", 10.0, "on-demand");
    let f = factor(&plan_of(&catalog, "deadline = \"20h\"", &one));
    assert!(f > 1.01);
    for (hours, wanted) in [(10.0, 0.5), (10.0 * f, 0.95)] {
        near(chance(&plan_of(&catalog, &format!("deadline = \"{}s\"", hours * 3600.0), &one)), wanted);
    }
    // Both of two that run side by side must be in time; of two in a row, one may be late where the other one is early.
    let deadline = |hours: f64| format!("deadline = \"{}s\"", hours * 3600.0);
    let beside = one.clone() + &stage("b", "", 10.0, "on-demand");
    near(chance(&plan_of(&catalog, &deadline(10.0 * f), &beside)), 0.95 * 0.95);
    let row = one + &stage("b", "\"a\"", 10.0, "on-demand");
    // A sum of two equal log-normal times: mean and variance, and a log-normal with both.
    let s = f.ln() / 1.644_853_627;
    let (mean, variance) = (20.0 * (s * s / 2.0).exp(), 2.0 * 100.0 * ((s * s).exp() - 1.0) * (s * s).exp());
    let sum = (1.0 + variance / (mean * mean)).ln();
    let late = (mean.ln() - sum / 2.0 + 1.644_853_627 * sum.sqrt()).exp();
    near(chance(&plan_of(&catalog, &deadline(late), &row)), 0.95);
}

#[test]
fn interruptions_count_by_the_law_of_the_spot_model() {
    let catalog = with_spot("chance-spot.toml");
    let one = stage("a", "", 10.0, "spot");
    let f = factor(&plan_of(&catalog, "deadline = \"20h\"", &one));
    for deadline in [10.5, 11.5, 13.0, 16.0] {
        let found = chance(&plan_of(&catalog, &format!("deadline = \"{deadline}h\""), &one));
        // The mean over the work of the law given the work.
        let of_work = |k: u32| {
            let z = -3.5 + 7.0 * (f64::from(k) + 0.5) / 400.0;
            let work = Hours::new(10.0 * (f.ln() * z / 1.644_853_627).exp());
            let job = SpotJob {
                work,
                segments: segments_every(work, Hours::new(0.5)),
                checkpoint: Hours::ZERO,
                restart: Hours::ZERO,
                hazard: Hazard::per_hour(0.2).unwrap(),
                wait: unknown_wait(plan::price::spot::Machine::Cpu).default,
                first_wait: FirstWait::NONE,
            };
            let weight = (-z * z / 2.0).exp();
            (
                weight,
                weight
                    * completion_spread(&job, &evaluate(&job), Burst::DEFAULT).within(Hours::new(deadline)),
            )
        };
        let (weights, chances): (Vec<f64>, Vec<f64>) = (0..400).map(of_work).unzip();
        near(found, chances.iter().sum::<f64>() / weights.iter().sum::<f64>());
    }
}

#[test]
fn a_confidence_is_met_and_what_is_claimed_of_the_cost_is_true() {
    let catalog = with_spot("chance-search.toml");
    let stages = |pins: Option<[usize; 3]>| {
        let mut text = "[where]\nexcluded = [\"small\"]\n".to_owned();
        for (at, (name, after, times)) in [
            ("a", "", [9.0, 5.0, 3.0, 2.0]),
            ("b", "", [6.0, 4.0, 2.5, 1.0]),
            ("c", "\"a\", \"b\"", [4.0, 2.5, 1.0, 0.5]),
        ]
        .iter()
        .enumerate()
        {
            let pin = pins.map_or_else(String::new, |pins| {
                let (machine, purchase) = (1 + pins[at] % 3, pins[at] / 3);
                let purchase = ["on-demand", "spot"][purchase];
                format!("instance = \"acme/{}\"\npurchase = \"{purchase}\"\n", MACHINES[machine].0)
            });
            let measured: Vec<String> = MACHINES
                .iter()
                .zip(times)
                .skip(1)
                .map(|((machine, ..), hours)| format!("{{ on = \"acme/{machine}\", time = \"{hours}h\" }}"))
                .collect();
            text += &format!(
                "[[stage]]\nname = \"{name}\"\nkind = \"analyze\"\nstartup = \"0s\"\nclass = \"cpu\"\nafter = [{after}]\n{pin}\
                 measured = [{}]\n",
                measured.join(", ")
            );
        }
        text
    };
    for deadline in [5.0] {
        let limit = format!("deadline = \"{deadline}h\"");
        let mut all: Vec<(Money, f64)> = Vec::new();
        for code in 0..216 {
            let plan = plan_of(&catalog, &limit, &stages(Some([code % 6, code / 6 % 6, code / 36])));
            // A long stage without checkpoints is refused on spot.
            if plan.cost.is_some() {
                all.push((figures(&plan).0, chance(&plan)));
            }
        }
        assert!(all.len() > 50, "{}", all.len());
        for confidence in [0.5, 0.8, 0.95, 0.99] {
            let plan = plan_of(&catalog, &format!("{limit}\nconfidence = {confidence}"), &stages(None));
            let text = &plan.checks[0].text;
            assert!(plan.holds() && chance(&plan) >= confidence, "{text}");
            let best = all.iter().filter(|(_, c)| *c >= confidence).map(|(cost, _)| *cost).min().unwrap();
            let cost = figures(&plan).0;
            assert!(cost >= best, "a chance of another plan");
            if text.ends_with("that is as sure costs less") {
                assert_eq!(cost, best, "{text}");
            } else {
                let least = text.rsplit(' ').next().unwrap();
                assert!(Money::from_decimal(least).unwrap() <= best, "{text}");
                assert!(cost.as_f64() <= best.as_f64() * 1.05, "{cost:?} instead of {best:?}");
            }
        }
    }
    let never = plan_of(&catalog, "deadline = \"2h15m\"\nconfidence = 0.99", &stages(None));
    assert!(!never.holds(), "the fastest takes two hours and a half");
    assert!(never.checks[0].text.ends_with("keeps a deadline below 2 h 30 min"), "{}", never.checks[0].text);
    let plan = plan_of(&catalog, "deadline = \"2h40m\"\nconfidence = 0.999", &stages(None));
    assert!(!plan.holds());
    let without = plan_of(&catalog, "deadline = \"2h40m\"", &stages(None));
    let text = &plan.checks[0].text;
    assert!(text.contains("; asked for: 99.9 times of 100;"), "{text}");
    let told = |chance: f64| format!("{:.1} times of 100", (chance * 1000.0).floor() / 10.0);
    let (dear, cheap) = (figures(&plan).0, figures(&without).0);
    assert!(dear > cheap, "{text}");
    let end = format!(
        "out of reach: the surest plan found meets it {} for {} USD; without confidence it is {} for {} USD",
        told(chance(&plan)),
        dear.amount(),
        told(chance(&without)),
        cheap.amount()
    );
    assert!(text.ends_with(&end), "{text}\n{end}");
}

#[test]
fn on_a_long_chain_the_fewest_fast_machines_are_taken_and_the_bound_is_near() {
    const STAGES: usize = 12;
    let catalog = with_spot("chance-chain.toml");
    // The first so many on the fast machine, the others on the slow one; or whatever is best.
    let stages = |fast: Option<usize>| -> String {
        let stage = |at: usize| {
            let pin = fast.map_or("", |fast| if at < fast { "large" } else { "small" });
            let pin = if pin.is_empty() { String::new() } else { format!("instance = \"acme/{pin}\"\n") };
            let after = if at > 0 { format!("\"s{}\"", at - 1) } else { String::new() };
            format!(
                "[[stage]]\nname = \"s{at}\"\nkind = \"analyze\"\nstartup = \"0s\"\npurchase = \"on-demand\"\nafter = [{after}]\n{pin}\
                 measured = [{{ on = \"acme/small\", time = \"3h\" }}, {{ on = \"acme/large\", time = \"1h\" }}]\n"
            )
        };
        "[where]\nexcluded = [\"middle\", \"huge\"]\n".to_owned()
            + &(0..STAGES).map(stage).collect::<String>()
    };
    let limit = "deadline = \"24h\"";
    let least = (0..=STAGES)
        .map(|fast| plan_of(&catalog, limit, &stages(Some(fast))))
        .find(|plan| chance(plan) >= 0.95)
        .expect("all fast are sure");
    let plan = plan_of(&catalog, &format!("{limit}\nconfidence = 0.95"), &stages(None));
    let (wanted, cost) = (figures(&least).0, figures(&plan).0);
    assert!(chance(&plan) >= 0.95);
    // Which of the equal stages are fast decides the draws only: one fewer may just be sure enough.
    assert!(cost <= wanted && cost.as_f64() > wanted.as_f64() - 0.31, "{cost:?} instead of {wanted:?}");
    let text = &plan.checks[0].text;
    if !text.ends_with("that is as sure costs less") {
        let bound = text.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
        assert!(bound <= cost.as_f64() && bound > 0.9 * cost.as_f64(), "{text}");
    }
}
