//! One catalog over another, and the order of rows that must not matter.

use super::files::{offers, path};
use plan::catalog::pack::{pack, unpack};
use plan::catalog::{Catalog, TariffKind, extra, load};
use plan::diag::Diagnostics;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn loaded(base: Catalog, names: &[&str]) -> Catalog {
    let paths: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
    let mut diags = Diagnostics::new();
    let catalog = load(base, &paths, false, &mut diags);
    assert!(diags.is_empty(), "{:?}", diags.sorted());
    catalog
}

#[test]
fn nothing_given_changes_nothing() {
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[], false, &mut diags);
    assert_eq!(pack(&catalog).unwrap(), pack(&Catalog::embedded()).unwrap());
    let only = load(Catalog::embedded(), &[], true, &mut diags);
    assert!(only.offers.is_empty() && only.accelerators.named("T4").is_some());
}

#[test]
fn ones_own_price_replaces_the_embedded_one_of_the_same_machine() {
    let embedded = Catalog::embedded();
    let before = offers(&embedded, "g6e.12xlarge");
    let old = before.iter().find(|offer| &*offer.region == "us-east-1").unwrap();
    let catalog = loaded(Catalog::embedded(), &["negotiated.toml"]);
    let after = offers(&catalog, "g6e.12xlarge");
    // The same machine, the same places; one of them at another price.
    assert_eq!(catalog.instances, embedded.instances);
    assert_eq!(after.len(), before.len());
    let new = after.iter().find(|offer| &*offer.region == "us-east-1").unwrap();
    assert_eq!(new.on_demand_price().unwrap().to_string(), "9.00/h");
    assert_eq!(&*new.provenance.source, "private pricing agreement");
    assert_ne!(new.on_demand_price(), old.on_demand_price());
    assert_eq!(new.spot, None);
    let changed = catalog.offers.iter().zip(embedded.offers.iter()).filter(|(a, b)| a != b).count();
    assert_eq!((catalog.offers.len(), changed), (5303, 1));
}

#[test]
fn a_providers_rules_are_replaced_kind_by_kind() {
    let folder = std::env::temp_dir().join(format!("plan-layers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("aws.toml");
    std::fs::write(
        &file,
        "provider = \"aws\"\ncurrency = \"USD\"\nsource = \"contract\"\n[[tariff]]\nkind = \"internet\"\nfree = true\n\
         [billing.spot]\ngranularity = \"1h\"\n",
    )
    .unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), std::slice::from_ref(&file), false, &mut diags);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(diags.is_empty(), "{:?}", diags.sorted());
    let embedded = Catalog::embedded();
    let (_, old) = embedded.provider_named("aws").unwrap();
    let (_, new) = catalog.provider_named("aws").unwrap();
    let of = |provider: &plan::catalog::Provider, kind: TariffKind| {
        provider.tariffs.iter().filter(|tariff| tariff.kind == kind).cloned().collect::<Vec<_>>()
    };
    assert_eq!(of(new, TariffKind::Internet).len(), 1);
    assert_eq!(of(new, TariffKind::CrossRegion), of(old, TariffKind::CrossRegion));
    assert_eq!(new.spot.as_ref().unwrap().granularity_secs, 3600);
    assert_eq!(new.on_demand, old.on_demand);
    assert_eq!(new.card_prices, old.card_prices);
    assert_eq!(catalog.offers, embedded.offers);
}

#[test]
fn a_card_that_one_file_describes_may_be_sold_in_another() {
    let folder = std::env::temp_dir().join(format!("plan-cards-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("a-prices.toml"),
        "provider = \"acme\"\ncurrency = \"USD\"\nas_of = 2026\nsource = \"s\"\n[[instance]]\nname = \"x\"\nvcpus = 8\n\
         memory = \"32 GiB\"\ngpu = \"Titan RTX\"\nprices = [{ region = \"r\", on_demand = 0.5 }]\n",
    )
    .unwrap();
    std::fs::write(
        folder.join("b-cards.toml"),
        "[[accelerator]]\nname = \"Titan-RTX\"\nvendor = \"nvidia\"\nstack = \"cuda\"\nmemory = \"24 GiB\"\n\
         bandwidth_gb_s = 672\nfp32_tflops = 16.3\nsource = \"data sheet\"\n",
    )
    .unwrap();
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), std::slice::from_ref(&folder), false, &mut diags);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(diags.is_empty(), "{:?}", diags.sorted());
    let gpu = catalog.instance(offers(&catalog, "x")[0].instance).unwrap().gpu.unwrap();
    assert_eq!(&*catalog.accelerator(gpu).unwrap().name, "Titan-RTX");
    // The cards of all other instances are still theirs.
    let node = offers(&catalog, "p3.2xlarge")[0].instance;
    let gpu = catalog.instance(node).unwrap().gpu.unwrap();
    assert_eq!(&*catalog.accelerator(gpu).unwrap().name, "V100-16GB");
}

/// A fixed sequence of numbers that look random (an LCG with Knuth's constants).
fn shuffled<T>(mut items: Vec<T>, mut seed: u64) -> Vec<T> {
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, usize::try_from(seed >> 33).unwrap() % (i + 1));
    }
    items
}

#[test]
fn shuffled_rows_give_the_same_bytes() {
    let header = "provider,instance,region,zone,vcpus,memory_gib,gpu,gpu_count,currency,on_demand_h,spot_h,as_of,source";
    let mut rows = Vec::new();
    for n in 0..300 {
        let provider = ["zeta", "acme", "aws"][n % 3];
        let (gpu, count) = [("", ""), ("T4", "1"), ("A100-80GB", "8")][n % 7 % 3];
        let zone = if n % 5 == 0 { format!("z{n}") } else { String::new() };
        rows.push(format!(
            "{provider},i-{},r{},{zone},{},16,{gpu},{count},USD,{}.5,0.1,2026-11-0{},s{}",
            n / 4,
            n % 4,
            2 + n % 2,
            n + 1,
            1 + n % 9,
            n % 3
        ));
    }
    let folder = std::env::temp_dir().join(format!("plan-shuffled-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut packed = BTreeSet::new();
    for seed in 0..5 {
        let rows = if seed == 0 { rows.clone() } else { shuffled(rows.clone(), seed) };
        let file = folder.join(format!("{seed}.csv"));
        std::fs::write(&file, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        let mut diags = Diagnostics::new();
        let catalog = load(Catalog::embedded(), std::slice::from_ref(&file), false, &mut diags);
        assert!(diags.is_empty(), "{:?}", diags.sorted());
        assert_eq!(catalog.offers.len(), 5303 + 300);
        packed.insert(pack(&catalog).unwrap());
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(packed.len(), 1);
}

#[test]
fn packing_keeps_everything() {
    let mut diags = Diagnostics::new();
    let catalog = extra(&Catalog::embedded(), &[path("acme.toml")], &mut diags);
    let packed: &'static [u8] = pack(&catalog).unwrap().leak();
    let again = unpack(packed).unwrap();
    assert_eq!(again.offers, catalog.offers);
    assert_eq!(again.instances, catalog.instances);
    assert_eq!(again.providers, catalog.providers);
    assert!(unpack(&packed[..100]).is_err());
}
