//! Sentences of the report that must be true of the case at hand. Lines are joined, so that no width matters.

use plan::cli::{Env, run};
use plan::units::{Date, Quantity};
use std::ffi::OsString;

/// What `plan` says on standard output and standard error, each as one line.
fn said(args: &[&str]) -> [String; 2] {
    let env = Env { today: Date::parse("2026-11-30").unwrap(), width: None, color: false };
    let args = std::iter::once("plan").chain(args.iter().copied()).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run(args.collect::<Vec<_>>(), &env, &mut out, &mut err);
    [out, err].map(|text| {
        let text = String::from_utf8(text).unwrap();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// A file with this text, and its path.
fn file(name: &str, text: &str) -> String {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn has(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no {wanted:?} in: {text}");
}

fn has_not(text: &str, unwanted: &str) {
    assert!(!text.contains(unwanted), "{unwanted:?} in: {text}");
}

const NIGHTLY: &str = r#"
name = "nightly"
runs_per_month = 30
[data]
samples = 1_000_000
size = "120 GB"
location = "aws/us-east-1"
[model]
architecture = "resnet50"
batch_size = 256
precision = "amp"
optimizer = "sgd-momentum"
[[stage]]
name = "prepare"
kind = "prepare"
output = "100 GB"
[[stage]]
name = "train"
kind = "train"
after = ["prepare"]
epochs = 5
checkpoint = { every = "10m", takes = "20s", to = "durable" }
[[stage]]
name = "evaluate"
kind = "evaluate"
after = ["train"]
samples = 50_000
size = "6 GB"
"#;

const SERVICE: &str = r#"
name = "answers"
[limits]
monthly_budget = "3000 USD"
[model]
architecture = "llama-2-7b"
precision = "fp16"
[[stage]]
name = "answer"
kind = "serve"
requests_per_second = 4
latency = "2s"
instance = "aws/g5.xlarge"
"#;

#[test]
fn a_class_that_is_too_slow_is_not_left_out_by_a_rule_of_thumb() {
    let [out, _] = said(&["tests/workloads/image-classification.toml", "--deadline", "24h"]);
    has(&out, "train: cheapest that can do it; no CPU can in 24 h: at best 6 d 21 h");
    let year = file(
        "texts-year.toml",
        "[data]\nsamples = 50_000\n[model]\nparams = \"11.7M\"\nbatch_size = 128\n[[stage]]\nkind = \"train\"\nmeasured = \
         [{ on = \"aws/c5.24xlarge\", time = \"4000d\" }, { on = \"T4\", time = \"10d\" }]\n",
    );
    has(&said(&[&year])[0], "no CPU can in a year, beyond which nothing is planned: at best ");
    let text = std::fs::read_to_string(&year).unwrap().replace("kind =", "class = \"cpu\"\nkind =");
    let [out, _] = said(&[&file("texts-year-cpu.toml", &text)]);
    has(&out, "takes 3,057 d at best; the most is a year, beyond which nothing is planned");
    let cards = "tests/catalogs/node14.toml";
    let [out, _] = said(&["tests/workloads/minimal.toml", "--catalog", cards, "--catalog-only"]);
    has(&out, "no CPU is for sale");
}

#[test]
fn what_was_never_priced_is_not_called_the_cheapest() {
    let path = file("texts-nightly.toml", NIGHTLY);
    let [out, _] = said(&[&path, "--deadline", "30m"]);
    has(
        &out,
        "train: part of the fastest run; nothing keeps the deadline of 30 min; the cheapest whose work alone, without start-up and \
         interruptions, fits into 30 min costs",
    );
    // In a minute no machine does the training: all that do it later were priced.
    let [out, _] = said(&[&path, "--deadline", "1m"]);
    has(&out, "train: part of the fastest run; nothing keeps the deadline of 1 min; the cheapest costs ");
    let [out, _] = said(&[&path, "--deadline", "20m", "--fastest", "--budget", "20 USD"]);
    has(
        &out,
        "prepare: part of the fastest run within the budget; the cheapest whose work alone fits into 20 min costs",
    );
    has(&out, "the cheapest whose work alone, without start-up and interruptions, fits into 20 min costs");
    has(
        &said(&[&path, "--explain"])[0],
        "a checkpoint at most every 10 min of work (stated): 2 parts of 8 min",
    );
    has(&said(&[&path, "--explain"])[0], "what train hands on is not priced: give its output");
}

#[test]
fn advice_that_was_taken_is_not_given() {
    let path = file("texts-named.toml", NIGHTLY);
    has(&said(&[&path])[0], "Naming your own providers");
    has_not(&said(&[&path, "--provider", "aws"])[0], "Naming your own providers");
}

#[test]
fn a_slow_service_says_that_the_variation_is_guessed() {
    let measured = "measured = [{ on = \"A10G\", time = \"1.2s\" }]\n";
    let path = file("texts-slow.toml", &format!("{SERVICE}{measured}"));
    let [out, _] = said(&[&path]);
    has(
        &out,
        "answers 95 of 100 within 3.595 s when nothing waits (time_variation = 1, a guess: state it), at most 2 s is",
    );
    has(&out, "monthly budget: no plan at all: nothing can do answer");
    let stated = file("texts-stated.toml", &format!("{SERVICE}time_variation = 1\n{measured}"));
    has(&said(&[&stated])[0], "when nothing waits (time_variation = 1), at most 2 s is allowed");
    let even = file("texts-even.toml", &format!("{SERVICE}time_variation = 0\n{measured}"));
    has(&said(&[&even])[0], "answers: 1 stage, ");
}

#[test]
fn an_aim_that_changes_nothing_is_told() {
    let service =
        file("texts-aim.toml", &format!("{SERVICE}measured = [{{ on = \"A10G\", time = \"0.2s\" }}]\n"));
    has(&said(&[&service, "--fastest"])[1], "--fastest: no stage has an end");
    let run = "tests/workloads/minimal.toml";
    has(&said(&[run, "--fastest", "--frontier"])[1], "--fastest: the curve shows cheap plans and fast ones");
    for args in [&[run, "--fastest"][..], &[run, "--frontier"]] {
        has_not(&said(args)[1], "--fastest");
    }
}

#[test]
fn what_nothing_can_do_says_why() {
    let path = file(
        "texts-cards.toml",
        "[data]\nsamples = 50_000\nsize = \"1 GB\"\n[model]\nparams = \"11.7M\"\nbatch_size = 128\n[[stage]]\nkind = \"prepare\"\n",
    );
    let [out, _] = said(&[&path, "--catalog", "tests/catalogs/node14.toml", "--catalog-only"]);
    has(
        &out,
        "prepare: prices of machines without a GPU: this work would leave one idle, and there are none",
    );
}

#[test]
fn a_search_is_measured_by_one_trial_and_a_thumb_is_named() {
    let path = file(
        "texts-search.toml",
        "[data]\nsamples = 60_000\nsize = \"200 MB\"\n[model]\nfamily = \"cnn\"\nparams = \"3M\"\nimage_size = 32\nbatch_size = \
         128\n[[stage]]\nname = \"search\"\nkind = \"tune\"\ntrials = 40\nepochs = 20\n",
    );
    let [out, _] = said(&[&path, "--fastest"]);
    has(&out, "search: part of the fastest run with a GPU, which the rule of thumb says; the cheapest costs");
    has(&out, "run one trial once on ");
    has(&out, "40 × hyperstack/n3-RTX-A4000x1 forgotten for 7 d cost 1,008.00 USD");
    has_not(&out, "the machine of another stage");
}

#[test]
fn one_month_is_told_once_and_one_region_is_one() {
    let text = "[data]\nsamples = 50_000\nsize = \"50 GB\"\n[where]\nproviders = [\"aws\"]\nregions = [\"us-east-1\"]\n[model]\nparams \
                = \"11.7M\"\nbatch_size = 128\n[[stage]]\nkind = \"train\"\n";
    let path = file("texts-month.toml", &format!("runs_per_month = 1\nmonths = 1\n{text}"));
    let [out, _] = said(&[&path]);
    has(&out, "USD per month (1 run)");
    has_not(&out, "in 1 month");
    has(&out, "for this plan of 1 region with a storage price");
    has(&said(&[&path, "--explain"])[0], "the only region with a price for keeping data for this plan");
}

#[test]
fn one_misspelt_key_is_one_message() {
    let path = file(
        "texts-prices.toml",
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026-11-01\nsource = \"a list\"\n[[instance]]\nname = \"cpu\"\nvcpu = 4\nmemory \
         = \"8 GiB\"\nprices = [{ region = \"eu-1\", on_demand = 0.1 }]\n",
    );
    let [out, err] = said(&["catalog", "check", &path]);
    has(&err, "unknown key `vcpu` in [[instance]]; did you mean `vcpus`?");
    has_not(&err, "has no `vcpus`");
    has(&out, ": 1 error, no warnings");
}

const OWNED: &str = "[data]\nsamples = 50_000\n[where]\nowned = [{ instance = \"aws/g4dn.xlarge\" }]\n[model]\narchitecture = \
     \"bert-base\"\nbatch_size = 32\nseq_len = 128\nprecision = \"amp\"\n[[stage]]\nkind = \"prepare\"\ncore_hours = \
     30\n[[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nepochs = 3\ngpu = \"T4\"\n";

#[test]
fn what_is_owned_is_not_bought_on_demand_and_where_nothing_is_rented_nothing_is_released() {
    let [out, _] = said(&[&file("texts-owned.toml", OWNED)]);
    has(&out, "train: owned: nothing is paid for it");
    has(&out, "every rented stage on-demand: ");
    let [explained, _] = said(&[&file("texts-owned.toml", OWNED), "--explain"]);
    has(
        &explained,
        "A-S1 bound: aws/g4dn.xlarge is owned: neither is bought; the cheapest of each is expected to cost: on-demand 0.27 USD",
    );
    let [out, _] = said(&["tests/workloads/infeasible.toml", "--format", "json"]);
    has_not(&out, "A-C4");
    has_not(&out, "alarms at");
}

#[test]
fn a_chance_says_what_it_is_the_chance_of() {
    let text = "[limits]\ndeadline = \"11h\"\n[where]\nproviders = [\"aws\"]\n[data]\nsamples = 1_000_000\n[[stage]]\nname = \
                \"prepare\"\nmeasured = [{ on = \"aws/c5.2xlarge\", time = \"6h30m\" }]\npurchase = \"spot-fallback\"\n";
    let path = file("texts-net.toml", text);
    let [out, _] = said(&[&path, "--explain"]);
    has(&out, "; the run meets it ");
    has(&out, "prepare: spot + on-demand: ");
    has(&out, " possible) if spot alone did it; on-demand steps in so that the stage ends within ");
    has(
        &out,
        "in time: this stage alone, within what the deadline leaves it; with on-demand beside it as replayed traces kept it",
    );
    // A crew by its rule of thumb.
    let crew = text.replace(
        "purchase = \"spot-fallback\"",
        "purchase = \"spot\"\ninstances = 4\ninstance = \"aws/c5.xlarge\"",
    );
    let path = file("texts-crew.toml", &crew.replace("\"11h\"", "\"12h\""));
    let [out, _] = said(&[&path, "--explain"]);
    has(&out, "; its end on several spot machines is a rule of thumb");
    has(&out, " 95 times of 100, by a rule of thumb for several machines [A-S3]");
    has(&said(&[&path, "--format", "json"])[0], "\"rule_of_thumb\": true");
    let one = file("texts-one.toml", &crew.replace("instances = 4", "").replace("\"11h\"", "\"30h\""));
    has(&said(&[&one, "--format", "json"])[0], "\"rule_of_thumb\": false");
    has_not(&said(&[&one])[0], "rule of thumb");
}

#[test]
fn what_was_measured_of_a_part_says_how_it_becomes_the_whole() {
    let text = "[where]\nproviders = [\"gcp\"]\n[[stage]]\nname = \"video\"\nkind = \"transcode\"\nvideo = \"500h\"\n";
    let [out, _] = said(&[&file("texts-part.toml", text)]);
    has(&out, ": run 1 % of it on gcp/");
    has(&out, ") and give 100 times that time: measured = [{ on = \"gcp/");
}

#[test]
fn a_price_far_below_the_others_of_its_card_is_told() {
    let text = "[where]\nproviders = [\"verda\"]\n[data]\nsamples = 50_000\n[model]\nparams = \"11.7M\"\nbatch_size = 128\n[[stage]]\n\
                kind = \"train\"\ngpu = \"V100-16GB\"\n";
    let [out, _] = said(&[&file("texts-verda.toml", text)]);
    has(&out, "verda/1V100.6V is listed at 0.1381 USD per GPU and hour, under a third of ");
    let aws = text.replace("verda", "aws");
    has_not(&said(&[&file("texts-aws.toml", &aws)])[0], "under a third of ");
}

/// Without training each device runs a batch of its own: a machine with four cards needs as much on each as one with one card,
/// and as `plan vram` tells.
#[test]
fn an_evaluation_needs_the_same_on_each_of_several_cards() {
    let path = |machine: &str, more: &str| {
        let text = format!(
            "[data]\nsamples = 50_000\n[model]\narchitecture = \"bert-base\"\nbatch_size = 64\nseq_len = 512\n{more}\n\
             [[stage]]\nkind = \"evaluate\"\ninstance = \"aws/{machine}\"\n"
        );
        file(&format!("texts-{machine}-{}.toml", more.len()), &text)
    };
    let need = |args: &[&str], key: &str| {
        let [out, err] = said(args);
        let at = out.find(key).unwrap_or_else(|| panic!("no {key} in {out} {err}"));
        out[at + key.len()..].split('}').next().unwrap().to_owned()
    };
    let planned =
        |machine: &str, more: &str| need(&[&path(machine, more), "--format", "json"], "\"needed_bytes\": {");
    let one = planned("g4dn.xlarge", "");
    let expected =
        |band: &str| band.split("\"expected\": ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let one = expected(&one);
    assert_eq!(expected(&planned("g4dn.12xlarge", "")), one);
    assert_ne!(expected(&planned("g4dn.12xlarge", "micro_batch = 16")), one);
    let [vram, _] = said(&["vram", &path("g4dn.12xlarge", ""), "--format", "json"]);
    has(&vram, &one);
}
