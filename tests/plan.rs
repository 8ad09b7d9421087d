//! Properties of whole plans: what must hold whatever the prices are.

use plan::catalog::{Catalog, load};
use plan::cli::{Env, Exit, run};
use plan::diag::Diagnostics;
use plan::job::Job;
use plan::plan::Plan;
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Date, Money};
use std::path::PathBuf;

fn today() -> Date {
    Date::new(2026, 11, 30).unwrap()
}

/// A file that a test writes for itself.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A catalog of its own text alone, with the embedded hardware.
fn catalog(name: &str, text: &str) -> Catalog {
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[file(name, text)], true, &mut diags);
    let messages: Vec<String> = diags.sorted().iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{messages:?}");
    catalog
}

fn job(text: &str, catalog: &Catalog) -> Job {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("test.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(today()), catalog, &mut diags);
    job.unwrap_or_else(|| panic!("{:?}", diags.sorted()))
}

fn cost(plan: &Plan) -> Money {
    plan.cost.and_then(|band| band.expected).expect("a feasible plan")
}

const HEAD: &str = "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a test\"\n";

/// Instances of a small seller, with prices as text to be put in.
fn seller(t4: &str, cpu: &str) -> String {
    format!(
        "{HEAD}
[[instance]]
name = \"t4\"
vcpus = 8
memory = \"32 GiB\"
gpu = \"T4\"
gpu_count = 1
prices = [{t4}]

[[instance]]
name = \"cpu8\"
vcpus = 8
memory = \"32 GiB\"
prices = [{cpu}]
"
    )
}

const WORK: &str = "
[data]
samples = 1_000_000
[model]
architecture = \"resnet50\"
batch_size = 64
precision = \"amp\"
[[stage]]
name = \"prepare\"
kind = \"prepare\"
measured = [{ on = \"8 vCPU\", time = \"3h\" }]
[[stage]]
name = \"train\"
kind = \"train\"
after = [\"prepare\"]
measured = [{ on = \"T4\", time = \"7h\" }]
";

#[test]
fn bill_lines_add_up_to_the_total() {
    for name in ["minimal", "image-classification", "gpt2-124m"] {
        let text = std::fs::read_to_string(format!("tests/workloads/{name}.toml")).unwrap();
        let catalog = Catalog::embedded();
        let plan = plan::plan(&job(&text, &catalog), &catalog);
        let mut sum = Money::ZERO;
        for choice in plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()) {
            let lines: Money = choice.bill.lines().iter().map(|l| l.amount).sum();
            assert_eq!(Some(lines), choice.cost.expected, "{name}: {choice:?}");
            for line in choice.bill.lines() {
                assert_eq!(line.amount, line.amount.to_cents(), "{name}: {line:?}");
            }
            sum = sum + lines;
        }
        assert_eq!(sum, cost(&plan), "{name}");
        assert!(sum > Money::ZERO);
    }
}

#[test]
fn prices_times_three_make_the_bill_times_three() {
    let at = |t4: f64, cpu: f64| {
        let text = seller(
            &format!("{{ region = \"r\", on_demand = {t4} }}"),
            &format!("{{ region = \"r\", on_demand = {cpu} }}"),
        );
        let catalog = catalog(&format!("scale-{t4}.toml"), &text);
        cost(&plan::plan(&job(WORK, &catalog), &catalog))
    };
    // By hand: prepare 3 h + 5 min at 0.40 = 1.2333, train 7 h + 10 min at 0.60 = 4.30; rounded 1.23 + 4.30.
    assert_eq!(at(0.6, 0.4), Money::from_decimal("5.53").unwrap());
    // 3.70 + 12.90.
    assert_eq!(at(1.8, 1.2), Money::from_decimal("16.60").unwrap());
}

#[test]
fn the_order_of_the_rows_changes_nothing() {
    let rows = [
        "{ region = \"a\", on_demand = 0.6 }",
        "{ region = \"b\", on_demand = 0.6 }",
        "{ region = \"c\", on_demand = 0.5, spot = 0.2 }",
        "{ region = \"c\", zone = \"c1\", on_demand = 0.5, spot = 0.19 }",
    ];
    let write = |name: &str, rows: Vec<&str>| {
        let text = seller(&rows.join(", "), &rows.join(", "));
        let catalog = file(name, &text);
        let workload = file(&format!("{name}-work.toml"), WORK);
        let mut out = Vec::new();
        let args = [
            "plan".into(),
            workload.clone().into_os_string(),
            "--catalog".into(),
            catalog.into_os_string(),
            "--catalog-only".into(),
            "--format".into(),
            "json".into(),
        ];
        let env = Env { today: today(), width: None, color: false };
        assert_eq!(run(args, &env, &mut out, &mut Vec::new()), Exit::Done);
        // The name of the workload file is part of the answer.
        String::from_utf8(out).unwrap().replace(workload.to_str().unwrap(), "work").replace(name, "x")
    };
    let forward = write("rows-forward.toml", rows.to_vec());
    let backward = write("rows-backward.toml", rows.iter().rev().copied().collect());
    assert!(forward.contains("\"region\": \"c\""));
    assert_eq!(forward, backward);
    assert_eq!(forward, write("rows-forward.toml", rows.to_vec()), "two runs print the same bytes");
}

#[test]
fn another_offer_never_makes_the_plan_dearer() {
    let base = "{ region = \"a\", on_demand = 0.6 }";
    let of = |t4: &str, name: &str| {
        let catalog = catalog(name, &seller(t4, base));
        cost(&plan::plan(&job(WORK, &catalog), &catalog))
    };
    let before = of(base, "more-0.toml");
    for (i, more) in ["on_demand = 0.7", "on_demand = 0.59", "on_demand = 0.6, spot = 0.01", "month = 1"]
        .iter()
        .enumerate()
    {
        let after = of(&format!("{base}, {{ region = \"b\", {more} }}"), &format!("more-{}.toml", i + 1));
        assert!(after <= before, "{more}");
    }
}

#[test]
fn a_missing_price_is_a_rejection_with_its_reason() {
    // The T4 is sold on spot only, and training without checkpoints is not open to spot.
    let text = seller("{ region = \"a\", spot = 0.1 }", "{ region = \"a\", on_demand = 0.4 }");
    let catalog = catalog("no-price.toml", &text);
    let plan = plan::plan(&job(&format!("{WORK}class = \"gpu\"\n"), &catalog), &catalog);
    let train = &plan.stages[1];
    assert!(train.outcome.is_err());
    let reasons: Vec<String> = train.rejected.iter().map(|r| r.rejection.reason.to_string()).collect();
    assert!(reasons.contains(&"no-price".to_owned()), "{reasons:?}");
    assert!(plan.cost.is_none(), "a plan with a stage that has no price has no total");
}

#[test]
fn spot_at_the_price_of_on_demand_is_never_taken() {
    let text = seller(
        "{ region = \"a\", on_demand = 0.6, spot = 0.6 }",
        "{ region = \"a\", on_demand = 0.4, spot = 0.41 }",
    );
    let catalog = catalog("equal-spot.toml", &text);
    let work = WORK
        .replace("kind = \"train\"", "kind = \"train\"\ncheckpoint = { every = \"20m\", takes = \"10s\" }");
    let plan = plan::plan(&job(&work, &catalog), &catalog);
    for stage in &plan.stages {
        let choice = stage.outcome.as_ref().unwrap();
        assert_eq!(choice.purchase.to_string(), "on-demand", "{}", stage.name);
        let reasons: Vec<String> = stage.rejected.iter().map(|r| r.rejection.reason.to_string()).collect();
        assert!(reasons.contains(&"spot-not-cheaper".to_owned()), "{reasons:?}");
    }
}

#[test]
fn spot_without_checkpoints_is_refused_on_long_jobs() {
    // λ = 0.15/h without restart time: 3.3 h is open (λW = 0.5), 10.5 and 48.5 h are not (1.6 and 7.3).
    let text = seller(
        "{ region = \"a\", on_demand = 0.6, spot = 0.2, interruption = \"0.15/h\" }",
        "{ region = \"a\", on_demand = 0.4 }",
    );
    let catalog = catalog("refused.toml", &text);
    let purchase = |hours: &str| {
        let work = format!(
            "[data]\nsamples = 1000000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 64\n[[stage]]\nkind = \
             \"train\"\nstartup = \"0s\"\ntolerates_interruption = true\nclass = \"gpu\"\nmeasured = [{{ on = \"T4\", \
             time = \"{hours}\" }}]\n"
        );
        let plan = plan::plan(&job(&work, &catalog), &catalog);
        let choice = plan.stages[0].outcome.clone().unwrap();
        (choice.purchase.to_string(), choice.bill.total())
    };
    // (e^0.495 − 1) ÷ 0.15 = 4.270 h at 0.20 = 0.85, against 3.3 h at 0.60 = 1.98.
    assert_eq!(purchase("3.3h"), ("spot".to_owned(), Money::from_decimal("0.85").unwrap()));
    assert_eq!(purchase("10.5h").0, "on-demand");
    assert_eq!(purchase("48.5h").0, "on-demand");
}

#[test]
fn transfer_is_priced_from_where_the_data_lies() {
    let catalog = Catalog::embedded();
    let work = "
[data]
samples = 1000000
size = \"5 TB\"
location = \"aws/us-east-1\"
[where]
providers = [\"aws\"]
[model]
architecture = \"resnet50\"
batch_size = 64
[[stage]]
kind = \"train\"
measured = [{ on = \"T4\", time = \"7h\" }]
";
    let here = plan::plan(&job(work, &catalog), &catalog);
    assert_eq!(here.stages[0].outcome.as_ref().unwrap().region, "us-east-1");
    let away = work.replace("providers", "regions = [\"us-west-2\"]\nproviders");
    let away = plan::plan(&job(&away, &catalog), &catalog);
    let bill = &away.stages[0].outcome.as_ref().unwrap().bill;
    // 5,000 GB at 0.02 a GB between regions of AWS (2024-09-25).
    let transfer = bill.lines().iter().find(|l| l.kind.to_string() == "transfer").unwrap();
    assert_eq!(transfer.amount, Money::from_decimal("100").unwrap(), "{transfer:?}");
}

#[test]
fn a_deadline_buys_speed_where_it_costs_least() {
    // Prepare: 3 h on cpu8 at 0.40, half the time at four times the price on cpu16x. Train: 7 h on the T4 at 0.60; two T4
    // take about half of it at 1.40. Either alone keeps 8 h; the training step is the cheaper one to speed up.
    let text = format!(
        "{}
[[instance]]
name = \"cpu16\"
vcpus = 16
memory = \"32 GiB\"
prices = [{{ region = \"a\", on_demand = 3.2 }}]

[[instance]]
name = \"t4x2\"
vcpus = 16
memory = \"64 GiB\"
gpu = \"T4\"
gpu_count = 2
prices = [{{ region = \"a\", on_demand = 1.4 }}]
",
        seller("{ region = \"a\", on_demand = 0.6 }", "{ region = \"a\", on_demand = 0.4 }")
    );
    let catalog = catalog("deadline.toml", &text);
    let with = |deadline: &str| {
        let work = WORK.replace("[data]", &format!("[limits]\ndeadline = \"{deadline}\"\n[data]"));
        plan::plan(&job(&work, &catalog), &catalog)
    };
    let names = |plan: &Plan| -> Vec<String> {
        plan.stages
            .iter()
            .map(|s| s.outcome.as_ref().map_or_else(|_| "none".into(), |c| c.instance.clone()))
            .collect()
    };
    let loose = with("24h");
    assert_eq!(names(&loose), ["cpu8", "t4"]);
    let tight = with("8h");
    assert_eq!(names(&tight), ["cpu8", "t4x2"]);
    assert!(tight.holds() && cost(&tight) > cost(&loose));
    assert!(tight.time.unwrap().expected.get() <= 8.0);
    let never = with("1h");
    assert!(!never.holds());
    let check = never.checks.iter().find(|c| c.limit == "deadline").unwrap();
    assert!(!check.kept, "{check:?}");
}

#[test]
fn a_rule_of_thumb_yields_to_a_deadline() {
    // Without a time on a CPU the rule of thumb for preparation is CPU, whose time is a guess. Each of the two stages
    // alone would keep the deadline there, both after one another would not; on the T4 each takes a minute.
    let prices = ["{ region = \"a\", on_demand = 0.6 }", "{ region = \"a\", on_demand = 0.4 }"];
    let catalog = catalog("thumb-and-deadline.toml", &seller(prices[0], prices[1]));
    let stage = |name: &str, after: &str| {
        format!(
            "[[stage]]\nname = \"{name}\"\nkind = \"prepare\"\nstartup = \"0s\"\n{after}\
             gpu_support = \"mature\"\nmeasured = [{{ on = \"T4\", time = \"1m\" }}]\n"
        )
    };
    let work =
        format!("[data]\nsamples = 1_000_000\n{}{}", stage("one", ""), stage("two", "after = [\"one\"]\n"));
    let classes = |plan: &Plan| -> Vec<String> {
        plan.stages.iter().map(|s| s.outcome.as_ref().unwrap().class.to_string()).collect()
    };
    let free = plan::plan(&job(&work, &catalog), &catalog);
    assert_eq!(classes(&free), ["cpu", "cpu"]);
    let hours = free.time.unwrap().expected.get();
    let limited = format!("[limits]\ndeadline = \"{:.0}s\"\n{work}", hours * 3600.0 * 0.75);
    let kept = plan::plan(&job(&limited, &catalog), &catalog);
    assert!(kept.holds(), "{:?}", kept.checks);
    assert!(classes(&kept).contains(&"gpu".to_owned()), "{:?}", classes(&kept));
}

/// A month's free allowance is that of all its runs: 80 GB are free once, of 4 × 80 GB only 100 are.
#[test]
fn the_runs_of_a_month_share_its_tiers() {
    let mut text = seller("{ region = \"a\", on_demand = 9.00 }, { region = \"b\", on_demand = 0.50 }", "");
    text += "[[tariff]]\nkind = \"cross-region\"\ntiers = [{ from = \"100 GB\", price = 0.10 }]\n";
    let catalog = catalog("allowance.toml", &text);
    let work = |runs: &str| {
        format!(
            "{runs}\n[data]\nsamples = 1000\nsize = \"80 GB\"\nlocation = \"acme/a\"\n[model]\nparams = \"25M\"\n\
             family = \"cnn\"\nbatch_size = 10\n[[stage]]\nkind = \"train\"\nmeasured = [{{ on = \"T4\", time = \"9h\" }}]\n"
        )
    };
    let moved = |text: &str| {
        let plan = plan::plan(&job(text, &catalog), &catalog);
        let choice = plan.stages[0].outcome.as_ref().unwrap();
        assert_eq!(choice.region, "b");
        let lines = choice.bill.lines().iter().filter(|l| l.kind.to_string() == "transfer");
        lines.map(|l| l.amount).sum::<Money>()
    };
    assert_eq!(moved(&work("")), Money::ZERO);
    // Read again for each of 3 epochs: (3 × 80 − 100) × 0.10.
    let again = work("").replace("kind =", "staged = false\nepochs = 3\nkind =");
    assert_eq!(Some(moved(&again)), Money::from_decimal("14.00"));
    // (4 × 80 − 100) × 0.10 ÷ 4.
    assert_eq!(Some(moved(&work("runs_per_month = 4"))), Money::from_decimal("5.50"));
}

/// A launch copies the data first: 180 GB at 50 MB/s are an hour, which is paid like any other.
#[test]
fn copying_the_data_to_the_machine_takes_time_and_money() {
    let catalog = catalog(
        "staging.toml",
        &seller("{ region = \"r\", on_demand = 1.00 }", "{ region = \"r\", on_demand = 0.10 }"),
    );
    let workload = |bandwidth: &str| {
        format!(
            "[data]\nsize = \"180 GB\"\nsamples = 1000\n{bandwidth}\n[model]\nparams = \"25M\"\nfamily = \"cnn\"\nbatch_size = 10\n\
             [[stage]]\nkind = \"train\"\ngpu = \"T4\"\npurchase = \"on-demand\"\nmeasured = [{{ on = \"T4\", time = \"5h\" }}]\n"
        )
    };
    let planned = |text: &str| plan::plan(&job(text, &catalog), &catalog);
    let (without, with) = (planned(&workload("")), planned(&workload("bandwidth = \"50 MB/s\"")));
    assert_eq!(Some(cost(&with) - cost(&without)), Money::from_decimal("1.00"));
    let time = |p: &Plan| p.time.unwrap().expected.get();
    assert!((time(&with) - time(&without) - 1.0).abs() < 1e-9);
}
