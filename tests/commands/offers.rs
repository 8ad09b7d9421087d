//! `plan offers`.

use super::{json, path, plan};
use plan::catalog::Catalog;
use plan::cli::Exit;
use serde_json::Value;
use std::collections::BTreeSet;

fn rows(args: &[&str]) -> Vec<Value> {
    let args: Vec<&str> = ["offers", "--format", "json"].iter().chain(args).copied().collect();
    json(&args)["offers"].as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> Option<f64> {
    row[key].as_f64()
}

#[test]
fn every_filter_keeps_what_it_says() {
    let gib = 1_073_741_824.0;
    let within = |low: f64, high: f64| move |n: f64| (low..=high).contains(&n);
    let open = f64::INFINITY;
    for (args, key, holds) in [
        (&["--gpus", "4.."][..], "gpu_count", &within(4.0, open) as &dyn Fn(f64) -> bool),
        (&["--gpus", "..0.5"], "gpu_count", &within(0.0, 0.5)),
        (&["--gpus", "2"], "gpu_count", &within(2.0, 2.0)),
        (&["--vcpus", "16..64"], "vcpus", &within(16.0, 64.0)),
        (&["--memory", "..500 GB"], "memory_bytes", &within(0.0, 500e9)),
        (&["--memory", "64..128 GiB"], "memory_bytes", &within(64.0 * gib, 128.0 * gib)),
        (&["--vram", "24.."], "gpu_memory_bytes", &within(24.0 * gib, open)),
        (&["--vram", "..16 GB"], "gpu_memory_bytes", &within(0.0, 16.0 * gib)),
        (&["--price", "1..2"], "price_per_hour", &within(1.0, 2.0)),
        (&["--price", "..0.50 USD/h"], "price_per_hour", &within(0.0, 0.5)),
        (&["--class", "cpu"], "gpu_count", &within(0.0, 0.0)),
        (&["--class", "gpu"], "gpu_count", &within(0.01, open)),
    ] {
        let found = rows(args);
        assert!(!found.is_empty(), "{args:?}");
        for row in &found {
            assert!(number(row, key).is_some_and(holds), "{args:?}: {row}");
        }
    }
    for (args, key, value) in [
        (&["--provider", "gcp"][..], "provider", "gcp"),
        (&["--region", "us-east-1"], "region", "us-east-1"),
        (&["--region", "aws/eu-west-1"], "provider", "aws"),
        (&["--gpu", "8xA100-80GB"], "gpu", "A100-80GB"),
        (&["--purchase", "spot"], "purchase", "spot"),
        (&["--purchase", "year"], "period", "year"),
    ] {
        let found = rows(args);
        assert!(!found.is_empty(), "{args:?}");
        assert!(found.iter().all(|row| row[key] == value), "{args:?}");
    }
}

#[test]
fn no_gpu_is_in_a_range_that_begins_at_zero() {
    let cpu = |args: &[&str]| rows(args).iter().filter(|row| row["gpu"].is_null()).count();
    assert!(cpu(&["--gpus", "0.."]) > 100);
    assert_eq!(cpu(&["--gpus", "1.."]), 0);
    assert_eq!(rows(&["--gpus", "0.."]).len(), rows(&[]).len());
}

#[test]
fn memory_of_a_card_is_what_people_say() {
    let names = |args: &[&str]| -> BTreeSet<String> {
        rows(args).iter().map(|row| row["gpu"].as_str().unwrap().to_owned()).collect()
    };
    // An L4 has 22.5 GiB that a program sees, an A10G 22.1, an A100 79.3.
    assert!(names(&["--vram", "24.."]).is_superset(&["L4", "A10G"].map(str::to_owned).into()));
    assert!(names(&["--vram", "80 GB"]).contains("A100-80GB"));
    assert!(!names(&["--vram", "80 GB"]).contains("A100-40GB"));
    // An eighth of an L4 has 3 GB.
    assert!(
        rows(&["--gpu", "L4:0.125"])
            .iter()
            .all(|row| number(row, "gpu_memory_bytes") == Some(3_221_225_472.0))
    );
}

#[test]
fn a_count_belongs_to_the_name_only_where_it_is_written() {
    let counts = |args: &[&str]| -> BTreeSet<String> {
        rows(args).iter().map(|row| row["gpu_count"].to_string()).collect()
    };
    assert!(counts(&["--gpu", "T4"]).len() > 2);
    for spelling in ["T4:4", "4xT4", "T4 x4"] {
        assert_eq!(counts(&["--gpu", spelling]), ["4.0".to_owned()].into(), "{spelling}");
    }
    assert_eq!(counts(&["--gpu", "T4:1", "--gpu", "T4:4"]), ["1.0", "4.0"].map(str::to_owned).into());
}

#[test]
fn nothing_is_taken_for_something_else() {
    let ran = plan(&["offers", "--gpu", "A100-8:8"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Bad, ""));
    assert!(ran.err.contains("`A100-40GB:8`") && ran.err.contains("`A100-80GB:8`"), "{}", ran.err);
    for (args, message) in [
        (&["--provider", "asw"][..], "did you mean `aws`?"),
        (&["--region", "us-esat-1"], "did you mean `us-east-1`?"),
        (&["--gpu", "T5"], "no such accelerator"),
        (&["--vcpus", "16-64"], "did you mean `--vcpus 16..64`?"),
        (&["--memory", "64G.."], "did you mean `--memory \"64 GB..\"`?"),
        (&["--price", "..$2"], "did you mean `--price \"..2 USD\"`?"),
        (&["--price", "1 USD..2 CNY"], "both in USD and in CNY"),
        (&["--price", "..2 USD", "--currency", "CNY"], "both in CNY and in USD"),
        (&["--currency", "ISK"], "there is no rate to ISK"),
        (&["--sort", "prize"], "price"),
        (&["--purchase", "ondemand"], "on-demand"),
    ] {
        let args: Vec<&str> = std::iter::once("offers").chain(args.iter().copied()).collect();
        let ran = plan(&args);
        assert_eq!((ran.exit, ran.out.as_str()), (Exit::Bad, ""), "{args:?}");
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
    }
    // A name with several meanings is listed under the one that is stated.
    let ran = plan(&["offers", "--gpu", "A100", "--limit", "1"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.err.contains("taken for A100-40GB"), "{}", ran.err);
}

#[test]
fn every_order_is_total_and_the_unknown_comes_last() {
    type Key = fn(&Value) -> Option<f64>;
    for (sort, key) in [
        ("price", (|row| number(row, "price_per_hour")) as Key),
        ("gpu-price", |row| number(row, "price_per_gpu_hour")),
        ("gpus", |row| number(row, "gpu_count")),
        ("vram", |row| number(row, "gpu_memory_bytes")),
        ("vcpus", |row| number(row, "vcpus")),
        ("memory", |row| number(row, "memory_bytes")),
    ] {
        for reverse in [false, true] {
            let mut args = vec!["--sort", sort, "--provider", "aws", "--provider", "runpod"];
            args.extend(reverse.then_some("--reverse"));
            let found = rows(&args);
            let keys: Vec<Option<f64>> = found.iter().map(key).collect();
            let known = keys.iter().take_while(|key| key.is_some()).count();
            assert!(keys[known..].iter().all(Option::is_none), "{args:?}");
            for pair in keys[..known].windows(2) {
                let rises = pair[0] <= pair[1];
                assert!(pair[0] == pair[1] || rises != reverse, "{args:?}: {pair:?}");
            }
            // Among equal ones the cheaper comes first, what has no price last.
            for (rows, keys) in found.windows(2).zip(keys.windows(2)) {
                let price = |row: &Value| number(row, "price_per_hour").unwrap_or(f64::INFINITY);
                assert!(keys[0] != keys[1] || price(&rows[0]) <= price(&rows[1]), "{args:?}");
            }
        }
    }
    for sort in ["provider", "instance", "region"] {
        let names: Vec<String> =
            rows(&["--sort", sort, "--class", "gpu"]).iter().map(|row| row[sort].to_string()).collect();
        assert!(names.is_sorted(), "{sort}");
    }
    let dates: Vec<String> = rows(&["--sort", "date", "--class", "gpu"])
        .iter()
        .map(|row| row["price_as_of"].to_string())
        .collect();
    assert!(dates.first() > dates.last());
}

#[test]
fn a_price_that_is_not_known_is_never_zero() {
    let found = rows(&["--stale-after", "999"]);
    let missing: Vec<&Value> = found.iter().filter(|row| row["price"].is_null()).collect();
    // Some machines of the catalog have a spot price alone.
    assert!(!missing.is_empty());
    assert!(missing.iter().all(|row| row["missing"] == "no-price" && row["price_per_hour"].is_null()));
    assert!(found.iter().all(|row| number(row, "price") != Some(0.0)));
    // They pass no price filter, not even one without a lower end.
    assert!(
        rows(&["--stale-after", "999", "--price", "..1000000"]).iter().all(|row| !row["price"].is_null())
    );
    let priced = rows(&["--stale-after", "999", "--price", "0.."]).len();
    assert_eq!(priced + missing.len(), found.len());
}

#[test]
fn zones_share_a_row_and_none_is_lost() {
    let document = json(&["offers", "--format", "json", "--stale-after", "999"]);
    let offers: usize = document["offers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["zones"].as_array().unwrap().len().max(1))
        .sum();
    assert_eq!(offers, Catalog::embedded().offers.len());
    assert_eq!(document["matching_offers"], offers);
    let shared =
        document["offers"].as_array().unwrap().iter().any(|row| row["zones"].as_array().unwrap().len() > 1);
    assert!(shared);
}

/// What a filter alone keeps out is what comes in when it is dropped.
#[test]
fn each_filters_share_is_told() {
    let filters: [(&str, &[&str]); 4] = [
        ("--gpu T4", &["--gpu", "T4"]),
        ("--price ..0.60", &["--price", "..0.60"]),
        ("--provider aws", &["--provider", "aws"]),
        ("--vcpus 8..", &["--vcpus", "8.."]),
    ];
    let args = |without: Option<usize>| -> Vec<&str> {
        let kept = filters.iter().enumerate().filter(|(at, _)| Some(*at) != without);
        // A stale price counts either way here.
        kept.flat_map(|(_, (_, args))| args.iter().copied()).chain(["--stale-after", "999"]).collect()
    };
    let matching = |args: &[&str]| {
        let args: Vec<&str> = ["offers", "--format", "json"].iter().chain(args).copied().collect();
        json(&args)["matching_offers"].as_u64().unwrap()
    };
    let all: Vec<&str> = ["offers", "--format", "json"].iter().copied().chain(args(None)).collect();
    let document = json(&all);
    for (at, (text, _)) in filters.iter().enumerate() {
        let said = document["left_out"]
            .as_array()
            .unwrap()
            .iter()
            .find(|left| left["by"] == *text)
            .map_or(0, |left| left["offers"].as_u64().unwrap());
        assert_eq!(said, matching(&args(Some(at))) - matching(&args(None)), "{text}");
    }
}

#[test]
fn nothing_found_says_what_would_be() {
    let ran = plan(&["offers", "--gpu", "T4", "--provider", "aws", "--price", "..0.10"]);
    assert_eq!(ran.exit, Exit::No);
    assert!(ran.out.starts_with("none of 5,303 offers matches"), "{}", ran.out);
    assert!(ran.err.contains("without --price ..0.10:"), "{}", ran.err);
    assert!(ran.err.contains("such as aws g4dn.xlarge (T4)"), "{}", ran.err);
    let ran = plan(&["offers", "--gpu", "T4", "--provider", "oci", "--price", "..0.001"]);
    assert_eq!(ran.exit, Exit::No);
    assert!(ran.err.contains("nothing matches without any one of the filters either"), "{}", ran.err);
    let document = json(&["offers", "--gpu", "T4", "--price", "..0.001", "--format", "json"]);
    assert_eq!(document["offers"], Value::Array(Vec::new()));
}

#[test]
fn table_csv_and_json_show_the_same() {
    let args = ["offers", "--gpu", "T4", "--provider", "aws", "--limit", "0"];
    let with = |format| plan(&args.iter().copied().chain(["--format", format]).collect::<Vec<_>>()).out;
    let document: Value = serde_json::from_str(&with("json")).unwrap();
    let from_json = document["offers"].as_array().unwrap();
    let csv = with("csv");
    let mut lines = csv.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    // The table is wide here, so that a row of it is one line.
    let (mut table, mut err) = (Vec::new(), Vec::new());
    let env = plan::cli::Env { width: Some(400), ..super::env() };
    plan::cli::run(super::arguments(&args), &env, &mut table, &mut err);
    let table = String::from_utf8(table).unwrap();
    let mut table = table.lines().skip(1);
    assert!(from_json.len() > 10);
    for row in from_json {
        let line = lines.next().unwrap();
        let text = table.next().unwrap();
        let cells: Vec<&str> = line.split(',').collect();
        for (key, value) in row.as_object().unwrap() {
            if let Some(at) = header.iter().position(|name| name == key) {
                let cell = cells[at];
                match value {
                    Value::String(word) if key != "price_source" => assert_eq!(cell, word, "{key}"),
                    Value::Number(n) => assert_eq!(cell.parse().ok(), n.as_f64(), "{key}"),
                    Value::Null => assert_eq!(cell, "", "{key}"),
                    _ => {}
                }
            }
        }
        for key in ["provider", "instance", "gpu", "region", "price_as_of"] {
            assert!(text.contains(row[key].as_str().unwrap()), "{key}: {text}");
        }
        let price: f64 = text.split_once("/h").unwrap().0.rsplit(' ').next().unwrap().parse().unwrap();
        assert_eq!(Some(price), number(row, "price_per_hour"));
    }
    assert_eq!((lines.next(), table.next()), (None, Some("")));
}

#[test]
fn a_prepaid_term_counts_by_its_hours() {
    let acme = path("catalogs/acme.toml");
    let found = rows(&["--catalog", &acme, "--catalog-only", "--currency", "EUR", "--purchase", "month"]);
    // 1,100 EUR per GPU and month, 8 GPUs: 8,800 a month, ÷ 730 h = 12.054794521 an hour.
    assert_eq!(found.len(), 2);
    for row in found {
        assert_eq!((number(&row, "price"), row["period"].as_str()), (Some(8800.0), Some("month")));
        assert_eq!(number(&row, "price_per_hour"), Some(12.054_794_521));
        assert_eq!(number(&row, "price_per_gpu_hour"), Some(12.054_794_521 / 8.0));
        assert_eq!(row["listed_price"], Value::Null);
    }
}

#[test]
fn stale_prices_are_left_out_and_said_unless_named() {
    let document = json(&["offers", "--format", "json"]);
    let left: Vec<&Value> = document["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|left| left["by"] == "--stale-after 36")
        .collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["offers"], 498);
    assert_eq!(left[0]["providers"], serde_json::json!(["tencent"]));
    let matching = |args: &[&str]| json(args)["matching_offers"].as_u64().unwrap();
    assert_eq!(matching(&["offers", "--format", "json", "--provider", "tencent"]), 498);
    assert_eq!(document["matching_offers"].as_u64().unwrap() + 498, 5303);
}

#[test]
fn a_currency_without_a_rate_is_no_price() {
    let file = std::env::temp_dir().join(format!("plan-offers-{}.toml", std::process::id()));
    std::fs::write(
        &file,
        "provider = \"norn\"\ncurrency = \"ISK\"\nas_of = 2026-11-01\nsource = \"s\"\n[[instance]]\nname = \"x\"\nvcpus = 1\n\
         memory = \"1 GiB\"\nprices = [{ region = \"r\", on_demand = 70 }]\n",
    )
    .unwrap();
    let name = file.to_str().unwrap();
    let own = rows(&["--catalog", name, "--catalog-only", "--currency", "ISK"]);
    assert_eq!((number(&own[0], "price"), &own[0]["missing"]), (Some(70.0), &Value::Null));
    // Beside other prices it stands last, whatever the direction.
    for direction in [
        &["--provider", "norn", "--provider", "oci"][..],
        &["--provider", "norn", "--provider", "oci", "--reverse"],
    ] {
        let all = rows(&[&["--catalog", name], direction].concat());
        let last = all.last().unwrap();
        assert!(all.len() > 1);
        assert_eq!((&last["provider"], &last["missing"]), (&Value::from("norn"), &Value::from("no-rate")));
        assert_eq!((&last["price"], &last["price_per_hour"]), (&Value::Null, &Value::Null));
    }
    let table = plan(&["offers", "--catalog", name, "--provider", "norn"]).out;
    assert!(table.contains("no rate for ISK"), "{table}");
    std::fs::remove_file(&file).unwrap();
}
