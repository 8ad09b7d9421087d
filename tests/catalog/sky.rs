//! Price lists with SkyPilot's columns: what becomes an offer, and what is left out with its count.

use super::files::{offers, path};
use plan::catalog::{Catalog, load};
use plan::diag::{Diagnostics, Severity};
use plan::read::Source;

#[test]
fn rows_become_undated_offers_in_dollars() {
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[path("acme_vms.csv")], true, &mut diags);
    let names: Vec<&str> = catalog.instances.iter().map(|i| &*i.name).collect();
    assert_eq!(names, ["cpu-8", "h100-8", "slice", "t4-8"]);
    assert_eq!(catalog.providers.iter().map(|p| &*p.name).collect::<Vec<_>>(), ["acme"]);

    let cpu = offers(&catalog, "cpu-8");
    assert_eq!(cpu.iter().map(|o| o.place()).collect::<Vec<_>>(), ["north/north-a", "south"]);
    assert_eq!(cpu[0].on_demand_price().unwrap().to_string(), "0.40/h");
    assert_eq!(cpu[0].spot.unwrap().to_string(), "0.12/h");
    assert_eq!(cpu[1].spot, None);
    for offer in &catalog.offers {
        assert_eq!((offer.currency.code(), offer.provenance.as_of), ("USD", None));
        assert!(offer.provenance.source.ends_with("acme_vms.csv, undated"));
    }
    let card = |name: &str| {
        let gpu = catalog.instance(offers(&catalog, name)[0].instance).unwrap().gpu.unwrap();
        (catalog.accelerators.name(gpu.accelerator).to_owned(), gpu.count)
    };
    assert_eq!(card("t4-8"), ("T4".to_owned(), 1.0));
    assert_eq!(card("slice"), ("A10".to_owned(), 0.5));
    assert_eq!(card("h100-8"), ("H100-SXM".to_owned(), 8.0));
}

#[test]
fn what_is_left_out_is_counted_once_per_reason() {
    let mut diags = Diagnostics::new();
    load(Catalog::embedded(), &[path("acme_vms.csv")], true, &mut diags);
    let said: Vec<String> = diags
        .sorted()
        .iter()
        .map(|d| {
            assert_eq!(d.severity, Severity::Warning, "the rest of the list is used");
            format!("{} {}", d.place.as_ref().unwrap().line, d.message)
        })
        .collect();
    assert_eq!(
        said,
        [
            "1 `AcceleratorName` is \"H100\": taken for H100-SXM, not H100-PCIe or H100-NVL; rows: 1",
            "8 a T4 of another memory than the accelerator table's; rows left out: 1",
            "9 accelerators that are not in the table, rows left out: Y-1 (1), Z9000 (2)",
            "12 a row without an instance type is no machine; rows left out: 1",
            "13 a price of a machine without its accelerators; rows left out: 2",
            "15 a row without region, vCPUs, memory or number of GPUs; rows left out: 1",
            "16 a row without a price above zero; rows left out: 1",
        ]
    );
}

#[test]
fn a_file_without_a_provider_in_its_name_says_how_to_call_it() {
    let mut diags = Diagnostics::new();
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sky-names");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("_vms.csv");
    std::fs::write(&file, Source::open(&path("acme_vms.csv")).unwrap().text()).unwrap();
    let catalog = load(Catalog::embedded(), &[file], true, &mut diags);
    assert!(catalog.offers.is_empty());
    let all = diags.sorted();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].hint.as_deref(), Some("call the file `PROVIDER_vms.csv`"));
}
