//! Catalog files: what they may say, and where each mistake is reported.

use plan::catalog::{Catalog, Hazard, Offer, TariffKind, Term, load};
use plan::diag::{Diagnostic, Diagnostics};
use plan::units::{Bytes, Date, Quantity};
use std::path::PathBuf;

pub(super) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/catalogs").join(name)
}

/// The files alone, with the embedded hardware.
fn alone(names: &[&str]) -> (Catalog, Vec<Diagnostic>) {
    let paths: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &paths, true, &mut diags);
    (catalog, diags.sorted())
}

pub(super) fn offers<'a>(catalog: &'a Catalog, instance: &str) -> Vec<Offer<'a>> {
    let of = |offer: &Offer<'_>| &*catalog.instance(offer.instance).unwrap().name == instance;
    catalog.offers.iter().filter(of).collect()
}

/// Line, column and code of each diagnostic.
fn places(diags: &[Diagnostic]) -> Vec<String> {
    let at =
        |d: &Diagnostic| d.place.as_ref().map_or_else(String::new, |p| format!("{}:{}", p.line, p.column));
    diags.iter().map(|d| format!("{} {} {}", at(d), d.severity, d.code)).collect()
}

#[test]
fn a_file_says_what_it_seems_to_say() {
    let (catalog, diags) = alone(&["acme.toml"]);
    assert!(diags.is_empty(), "{diags:?}");
    let node = offers(&catalog, "gpu-a100-8");
    let where_: Vec<String> = node.iter().map(|offer| offer.place()).collect();
    assert_eq!(where_, ["eu-1", "eu-2", "eu-3/eu-3a", "eu-3/eu-3b"]);
    // 2.10, 0.90 and 1,100 for each of eight GPUs.
    assert_eq!(node[0].on_demand_price().unwrap().to_string(), "16.80/h");
    assert_eq!(node[0].spot.unwrap().to_string(), "7.20/h");
    assert_eq!(node[0].term(Term::Month).unwrap().amount(), "8,800.00");
    assert_eq!(node[0].hazard, Some(Hazard::PerHour(0.05)));
    assert_eq!(node[0].currency.code(), "EUR");
    assert_eq!(node[2].provenance.as_of, Date::new(2026, 10, 1));
    assert_eq!(&*node[2].provenance.source, "contract 4711");

    let cpu = offers(&catalog, "cpu-8");
    let steps: Vec<String> =
        cpu[0].on_demand.iter().map(|t| format!("{}: {}", t.from_hours, t.price)).collect();
    assert_eq!(steps, ["0: 0.30/h", "96: 0.15/h", "360: 0.10/h"]);
    assert!(cpu[1].free && cpu[1].on_demand_price().unwrap().nanos() == 0);
    assert_eq!(catalog.instance(cpu[0].instance).unwrap().memory, Bytes::from_gb(16.0));

    let (_, acme) = catalog.provider_named("acme").unwrap();
    assert_eq!(acme.on_demand.as_ref().unwrap().granularity_secs, 3600);
    assert_eq!(acme.tariffs[0].kind, TariffKind::Internet);
    assert_eq!(acme.tariffs[0].tiers[1].from, Bytes::parse("10 TB").unwrap());
    assert_eq!(acme.as_of, Date::new(2026, 11, 1));
    // Nothing else is for sale, but the hardware and the rates are known.
    assert_eq!((catalog.providers.len(), catalog.offers.len()), (1, 6));
    assert!(catalog.accelerators.named("T4").is_some() && !catalog.rates.0.is_empty());
}

#[test]
fn csv_says_the_same() {
    let (catalog, diags) = alone(&["offers.csv"]);
    assert!(diags.is_empty(), "{diags:?}");
    assert_eq!(catalog.offers.len(), 3);
    assert_eq!(offers(&catalog, "cpu-8")[0].on_demand.len(), 3);
    let slice = offers(&catalog, "gpu-l4-half")[0];
    assert_eq!((slice.on_demand.len(), slice.place()), (1, "eu-1/eu-1a".to_owned()));
    let node = offers(&catalog, "gpu-a100, 8")[0];
    assert_eq!(node.term(Term::Year).unwrap().amount(), "88,000.00");
    assert_eq!(
        (&*node.provenance.source, node.provenance.as_of),
        ("contract \"4711\"", Date::from_year(2026))
    );
    let gpu = catalog.instance(node.instance).unwrap().gpu.unwrap();
    assert_eq!(catalog.accelerators.name(gpu.accelerator), "A100-80GB");
}

#[test]
fn every_mistake_of_a_toml_file_is_shown_at_its_place() {
    let (_, diags) = alone(&["mistakes.toml"]);
    assert_eq!(
        places(&diags),
        [
            "2:12 error bad-value",
            "5:1 error unknown-key",
            "12:3 error missing-key",
            "12:22 error unknown-key",
            "13:34 error bad-price",
            "13:48 error bad-price",
            "13:61 error bad-price",
            "14:34 error wrong-type",
            "15:3 error missing-key",
            "19:8 error bad-value",
            "20:9 error bad-value",
            "21:10 error bad-value",
            "22:7 error unknown-name",
            "31:14 error wrong-spec",
            "40:20 error wrong-spec",
            "48:14 error wrong-spec",
            "56:14 error wrong-spec",
            "65:3 error duplicate",
        ]
    );
    assert_eq!(diags[3].hint.as_deref(), Some("did you mean `on_demand`?"));
    assert_eq!(diags[13].hint.as_deref(), Some("this is the total: `gpu_memory` is that of one"));
    assert_eq!(diags[14].hint.as_deref(), Some("this is the memory of one: `gpu_memory`"));
    assert_eq!(diags[16].hint.as_deref(), Some("is the unit right?"));
}

#[test]
fn a_wrong_row_of_csv_does_not_hide_the_others() {
    let (catalog, diags) = alone(&["mistakes.csv"]);
    assert_eq!(
        places(&diags),
        [
            "1:111 error unknown-key",
            "3:41 error bad-price",
            "4:29 error bad-price",
            "4:31 error bad-price",
            "5:1 error missing-key",
            "6:6 error missing-key",
            "6:13 error bad-value",
            "6:19 error missing-key",
            "6:23 error bad-value",
            "6:34 error bad-value",
            "7:1 error syntax",
            "8:22 error unknown-name",
            "9:36 error wrong-spec",
            "10:1 error undated",
            "11:1 error duplicate",
        ]
    );
    assert_eq!(offers(&catalog, "good-too").len(), 1);
    // Of the two that are stated, the later.
    assert_eq!(offers(&catalog, "good")[0].on_demand_price().unwrap().to_string(), "0.31/h");
}

#[test]
fn prices_without_a_date_are_refused_once_for_a_file() {
    let (catalog, diags) = alone(&["undated.toml"]);
    assert_eq!(places(&diags), ["9:3 error undated"]);
    assert!(diags[0].message.contains("2 prices in all"), "{}", diags[0].message);
    assert!(catalog.offers.is_empty());
}

#[test]
fn what_is_not_there_is_said() {
    let (_, diags) = alone(&["no-such-file.toml"]);
    assert_eq!(places(&diags), [" error unreadable"]);
}

#[test]
fn a_folder_takes_its_files_in_the_order_of_their_names() {
    let mut diags = Diagnostics::new();
    let folder = std::env::temp_dir().join(format!("plan-catalogs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |price: &str| {
        format!(
            "provider = \"acme\"\ncurrency = \"EUR\"\nas_of = 2026-11-01\nsource = \"s\"\n[[instance]]\nname = \"x\"\n\
             vcpus = 1\nmemory = \"1 GiB\"\nprices = [{{ region = \"r\", on_demand = {price} }}]\n"
        )
    };
    std::fs::write(folder.join("b.toml"), file("0.2")).unwrap();
    std::fs::write(folder.join("a.toml"), file("0.1")).unwrap();
    std::fs::write(folder.join("notes.txt"), "not a catalog").unwrap();
    let catalog = load(Catalog::embedded(), std::slice::from_ref(&folder), true, &mut diags);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(diags.is_empty());
    assert_eq!(catalog.offers.len(), 1);
    assert_eq!(catalog.offers.get(0).unwrap().on_demand_price().unwrap().to_string(), "0.20/h");
}
