//! The scenarios of the two documents, planned on the embedded prices: what each must come to.

mod kinds;

use plan::catalog::{Catalog, load};
use plan::diag::Diagnostics;
use plan::job::{Class, Job, Purchase};
use plan::plan::{Alternative, AlternativeKind, Choice, Plan, SlotUnit, StagePlan};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::rules::{Finding, Verdict};
use plan::units::{Date, Money};
use std::path::PathBuf;
use std::sync::OnceLock;

fn embedded() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(Catalog::embedded)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("tests/workloads/{name}.toml")).unwrap()
}

fn job(text: &str, catalog: &Catalog) -> Job {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("scenario.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    job.unwrap_or_else(|| panic!("{:?}", diags.sorted()))
}

fn planned(text: &str) -> Plan {
    plan::plan(&job(text, embedded()), embedded())
}

fn stage<'a>(plan: &'a Plan, name: &str) -> &'a StagePlan {
    plan.stages.iter().find(|s| s.name == name).unwrap()
}

fn choice<'a>(plan: &'a Plan, name: &str) -> &'a Choice {
    stage(plan, name).outcome.as_ref().unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

fn other_class(stage: &StagePlan) -> Option<&Alternative> {
    stage.alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass)
}

/// The other class of a stage, which must be priced.
fn other<'a>(plan: &'a Plan, name: &str) -> &'a Choice {
    &other_class(stage(plan, name)).unwrap_or_else(|| panic!("{name} has no other class")).choice
}

fn finding<'a>(plan: &'a Plan, name: &str, rule: &str) -> &'a Finding {
    let found = stage(plan, name).findings.iter().find(|f| f.id == rule);
    found.unwrap_or_else(|| panic!("{name}: no {rule}"))
}

fn verdict(plan: &Plan, name: &str, rule: &str) -> Verdict {
    finding(plan, name, rule).verdict
}

fn money(text: &str) -> Money {
    Money::from_decimal(text).unwrap()
}

/// A: every stage on the class that the document gives it, by the measured times.
#[test]
fn image_classification() {
    let plan = planned(&text("image-classification"));
    for (name, class) in [
        ("prepare", Class::Cpu),
        ("tune", Class::Gpu),
        ("train", Class::Gpu),
        ("analyze", Class::Cpu),
        ("evaluate", Class::Cpu),
    ] {
        assert_eq!(choice(&plan, name).class, class, "{name}");
    }
    for name in ["prepare", "tune", "analyze", "evaluate"] {
        let (own, other) = (choice(&plan, name), other(&plan, name));
        assert_ne!(own.class, other.class);
        assert!(own.expected_cost() < other.expected_cost(), "{name}: measured times, so the cost decides");
    }
    // No checkpoint is declared, so a reclaimed instance would cost the whole training.
    assert_eq!(choice(&plan, "train").purchase, Purchase::OnDemand);
    let tune = choice(&plan, "tune");
    assert_eq!(tune.purchase, Purchase::Spot);
    let pool = tune.pool.as_ref().unwrap();
    assert!(pool.slots > 1 && matches!(pool.unit, SlotUnit::Gpu | SlotUnit::MigSlice), "{pool:?}");
    assert!(pool.slots * pool.rounds >= 24 && pool.trials == 24);
    assert!(plan.holds(), "{:?}", plan.checks);
    // The shares beside 70/30, and what one A100 for everything would cost.
    assert!(plan.notes.iter().any(|n| n.rule == "A-M2" && n.text.contains("70")), "{:?}", plan.notes);
    let one = plan.comparisons.iter().find(|c| c.rule == "A-M1").unwrap();
    assert!(one.what.contains("A100"), "{}", one.what);
    assert!(one.cost.unwrap() > plan.cost.unwrap().expected.unwrap());
}

/// With a checkpoint, spot is open to the training too, and is shown with its risk.
#[test]
fn image_classification_with_checkpoints() {
    let with = planned(&text("image-classification-checkpoint"));
    let train = choice(&with, "train");
    assert_eq!((train.class, train.purchase), (Class::Gpu, Purchase::Spot));
    let risk = train.spot.unwrap();
    assert!(risk.interruptions > 0.0 && risk.percentiles[2] > risk.percentiles[0]);
    assert!(with.notes.iter().any(|n| n.rule == "A-S3" && n.stage.as_deref() == Some("train")));
    let without = planned(&text("image-classification"));
    assert!(with.cost.unwrap().expected < without.cost.unwrap().expected);
    let on_demand =
        stage(&with, "train").alternatives.iter().any(|a| a.choice.purchase == Purchase::OnDemand);
    assert!(on_demand, "the reversible way is shown beside it");
}

/// A, layer 1: a few thousand rows stay on a CPU, for minutes.
#[test]
fn logistic_regression() {
    let plan = planned(&text("logistic-regression"));
    let train = choice(&plan, "train");
    assert_eq!(train.class, Class::Cpu);
    assert!(train.time.expected.get() < 0.5, "{:?}", train.time);
    assert_eq!(verdict(&plan, "train", "A-L1"), Verdict::Cpu);
    assert!(other(&plan, "train").expected_cost() > train.expected_cost());
    // Also where time is short or the GPU is measured to be quick: it is not worth its launch.
    let measured = text("logistic-regression")
        + "measured = [{ on = \"8 vCPU\", time = \"2m\" }, { on = \"T4\", time = \"20s\" }]\n";
    assert_eq!(choice(&planned(&measured), "train").class, Class::Cpu);
}

/// B-1: a fifth of the servers on GPUs, and the cores that keep them fed.
#[test]
fn image_moderation() {
    let plan = planned(&text("image-moderation"));
    let own = choice(&plan, "moderate");
    assert_eq!(own.class, Class::Gpu);
    assert_ne!(own.purchase, Purchase::Spot);
    let service = own.service.as_ref().unwrap();
    // 60 × 0.060 = 3.6 → 4; with 30 % head-room 4.68 → 5.
    assert_eq!((service.at_peak, service.servers, own.count), (4, 5, 5));
    let decode = service.decode.unwrap();
    // 60 × 0.008 = 0.48 vCPUs at the peak; 16.7 a second on one server × 0.008 = 0.13.
    assert!((decode.at_peak - 0.48).abs() < 1e-9 && (decode.to_feed - 8.0 / 60.0).abs() < 1e-9);
    assert!(!decode.starved && decode.has >= decode.to_feed);
    // 5 × 0.526 × 730 a month; 60 × 2,628,000 s = 157.68 million requests.
    assert_eq!(own.expected_cost(), money("1919.90"));
    assert_eq!(service.per_million.unwrap().amount(), "12.18");
    assert_eq!(plan.monthly_cost(), Some(money("1919.90")));
    // As measured on the CPU server: 60 × 0.3 = 18, with head-room 23.4 → 24, at 0.34.
    let pinned = |pin: &str| {
        let plan =
            planned(&text("image-moderation").replace("concurrency = 1", &format!("instance = \"{pin}\"")));
        choice(&plan, "moderate").clone()
    };
    let cpu = pinned("aws/c5.2xlarge");
    let sized = cpu.service.as_ref().unwrap();
    assert_eq!((sized.at_peak, sized.servers), (18, 24));
    assert_eq!(cpu.expected_cost(), money("5956.80"));
    assert!(f64::from(sized.at_peak) / f64::from(service.at_peak) > 4.0, "about a fifth");
    let best = other(&plan, "moderate");
    assert_eq!(best.class, Class::Cpu);
    assert!(best.expected_cost() > own.expected_cost() && best.expected_cost() <= cpu.expected_cost());
    // Neither bought for years unasked, but shown.
    assert!(stage(&plan, "moderate").alternatives.iter().any(|a| a.choice.purchase == Purchase::ThreeYears));
}

/// B-2: a high-clock CPU; a GPU is never taken, whether or not somebody offers a port.
#[test]
fn month_end() {
    let plan = planned(&text("month-end"));
    let close = choice(&plan, "close");
    assert_eq!(close.class, Class::Cpu);
    assert!(close.instance.contains("hfg") || close.instance.contains("hfc"), "{}", close.instance);
    assert!(close.time.expected.get() < 1.0, "about 40 minutes: {:?}", close.time);

    let ported = planned(&text("month-end-port"));
    assert_eq!(choice(&ported, "close").class, Class::Cpu);
    let gpu = other(&ported, "close");
    // 300 h × 200 = 60,000, over the twelve runs of a year 5,000 each.
    let port = gpu.bill.lines().iter().find(|l| l.kind.to_string() == "migration").unwrap();
    assert_eq!(port.amount, money("5000"));
    let saved = choice(&ported, "close").expected_cost() - (gpu.expected_cost() - port.amount);
    assert!(saved > Money::ZERO, "the run itself is cheaper on the GPU: the port decides");
    let runs = (60_000.0 / saved.as_f64()).ceil();
    let port = finding(&ported, "close", "B-C2");
    assert_eq!(port.verdict, Verdict::Cpu);
    let count = format!("it pays after {} runs", plan::units::number::thousands(runs));
    assert!(port.reason.contains(&count), "{count} in {}", port.reason);

    // Without a price of labour the port is not free: the rule of thumb decides.
    let unpriced = text("month-end-port").replace("labour_per_hour = \"200 CNY\"\n", "");
    let unpriced = planned(&unpriced);
    assert_eq!(choice(&unpriced, "close").class, Class::Cpu);
    assert!(finding(&unpriced, "close", "B-C2").reason.contains("labour_per_hour"));
    // A single run would bear all of it.
    let once = planned(&text("month-end-port").replace("runs_per_month = 1\n", ""));
    assert_eq!(choice(&once, "close").class, Class::Cpu);
    // And with nothing to port it is a question of cost alone.
    let free = planned(&text("month-end-port").replace("migration_hours = 300\n", ""));
    assert_eq!(choice(&free, "close").class, Class::Gpu);
}

/// B-3: cards with a known encoder engine only, several times the CPU's speed.
#[test]
fn transcode() {
    let plan = planned(&text("transcode"));
    let own = choice(&plan, "transcode");
    assert_eq!(own.class, Class::Gpu);
    let engines = |c: &Choice| {
        let gpu = c.gpu.as_deref().unwrap();
        embedded().accelerators.iter().find(|(_, card)| *card.name == *gpu).unwrap().1.nvenc
    };
    let shown = stage(&plan, "transcode").alternatives.iter().map(|a| &a.choice).chain([own]);
    for c in shown.filter(|c| c.class == Class::Gpu) {
        assert!(engines(c).is_some_and(|n| n > 0), "{:?}", c.gpu);
    }
    let cpu = other(&plan, "transcode");
    assert!(cpu.expected_cost() > own.expected_cost());
    assert!(cpu.time.expected.get() > 4.0 * own.time.expected.get());
    let per_hour = own.per_video_hour.unwrap().as_f64();
    assert!((per_hour * 500.0 - own.expected_cost().as_f64()).abs() < 0.01);
    for (pin, can) in [("A100-80GB", false), ("H100-SXM", false), ("MI300X", false), ("T4", true)] {
        let pinned = planned(
            &text("transcode")
                .replace("instances = 8", &format!("gpu = \"{pin}\"\nstacks = [\"cuda\", \"rocm\"]"))
                .replace("regions = [\"aws/us-east-1\"]", ""),
        );
        assert_eq!(stage(&pinned, "transcode").outcome.is_ok(), can, "{pin}");
    }
    // Nothing measured: a rule of thumb on both classes, with a wide band.
    let head = text("transcode");
    let guessed = planned(&head[..head.find("measured").unwrap()]);
    let own = choice(&guessed, "transcode");
    assert_eq!(own.class, Class::Gpu);
    assert!(own.spread >= 2.5, "{}", own.spread);
    assert!(other(&guessed, "transcode").expected_cost() > own.expected_cost());
}

/// B, the pitfall: a back office gets no GPU, and nothing need be known of it.
#[test]
fn crud() {
    let plan = planned(&text("crud"));
    let own = choice(&plan, "back-office");
    assert_eq!((own.class, own.count, own.gpu.as_deref()), (Class::Cpu, 1, None));
    assert!(other_class(stage(&plan, "back-office")).is_none(), "no GPU at all");
    assert!(stage(&plan, "back-office").why.contains("rule of thumb"));
    assert_eq!(plan.monthly_cost(), Some(own.expected_cost()));
    assert_eq!((plan.cost, plan.time), (None, None), "no stage has an end");
    let larger = planned(&(text("crud") + "min_vcpus = 8\nmin_memory = \"32 GiB\"\n"));
    let larger = choice(&larger, "back-office");
    assert!(larger.vcpus >= 8.0 && larger.memory.as_gib() >= 32.0);
    // A measured time sizes it: 5 × 0.9 s × 1.3 = 5.85 → 6 on 2 vCPUs, more than one in any case.
    let timed = planned(&(text("crud") + "measured = [{ on = \"2 vCPU\", time = \"900ms\" }]\n"));
    let timed = choice(&timed, "back-office");
    assert!(timed.service.as_ref().unwrap().item.is_some());
    assert_eq!(timed.class, Class::Cpu);
}

/// A-R1: 15 % off the GPU does not pay for moving 5 TB to it, until the work is long enough.
#[test]
fn cross_region() {
    let mut diags = Diagnostics::new();
    let folder = PathBuf::from("tests/catalogs/west-15-off.toml");
    let catalog = load(Catalog::embedded(), &[folder], false, &mut diags);
    let at = |text: &str| choice(&plan::plan(&job(text, &catalog), &catalog), "train").clone();
    let work = text("cross-region");
    // 200 h save 0.1509 × 200.17 = 30.21; moving 5,000 GB costs 100.00.
    let home = at(&work);
    assert_eq!(home.region, "us-east-1");
    // 1,000 h save 150.93.
    let away = at(&work.replace("200h", "1000h"));
    assert_eq!(away.region, "us-west-2");
    let moved = away.bill.lines().iter().find(|l| l.kind.to_string() == "transfer").unwrap();
    assert_eq!(moved.amount, money("100"));
    // Without data to move, the cheaper region wins.
    assert_eq!(at(&work.replace("size = \"5 TB\"\n", "")).region, "us-west-2");
}

/// A-L2 and A-L3 agree on a GPU for a large daily refresh; a small experiment may take the night on a CPU.
#[test]
fn daily_refresh() {
    let plan = planned(&text("daily-refresh"));
    let train = choice(&plan, "train");
    assert_eq!(train.class, Class::Gpu);
    assert_eq!(verdict(&plan, "train", "A-L2"), Verdict::Gpu);
    assert_eq!(verdict(&plan, "train", "A-L3"), Verdict::Gpu);
    let cpu = other(&plan, "train");
    assert!(cpu.time.expected.get() > 10.0 * train.time.expected.get(), "ten times as fast and more");
    assert!(cpu.expected_cost() > train.expected_cost());
    assert_eq!(plan.monthly_cost(), Some(train.expected_cost().scaled(30.0).to_cents()));

    let night = planned(&text("daily-refresh-experiment"));
    let train = choice(&night, "train");
    assert_eq!(train.class, Class::Cpu);
    assert!(train.time.expected.get() <= 12.0, "overnight: {:?}", train.time);
    assert_eq!(verdict(&night, "train", "A-L3"), Verdict::Cpu);
    assert_eq!(other(&night, "train").class, Class::Gpu);
}
