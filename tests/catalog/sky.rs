//! Price lists with SkyPilot's columns: what becomes an offer, and what is left out with its count.

use super::files::{offers, path};
use plan::catalog::lint::check;
use plan::catalog::{Catalog, load};
use plan::diag::{Diagnostics, Severity};
use plan::read::Source;
use plan::units::Date;

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
    for offer in catalog.offers.iter() {
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

/// A list under a name of its own, which says the provider.
fn list(name: &str, text: &str) -> std::path::PathBuf {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}_vms.csv"));
    std::fs::write(&file, text).unwrap();
    file
}

/// What loading it says, without the file's name.
fn said(file: &std::path::Path) -> (Catalog, Vec<String>) {
    let mut diags = Diagnostics::new();
    let catalog = load(Catalog::embedded(), &[file.to_path_buf()], true, &mut diags);
    let shown = format!("{}:", file.display());
    (catalog, diags.sorted().iter().map(|d| d.to_string().replace(&shown, "")).collect())
}

const HEADER: &str = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n";

#[test]
fn a_bad_cell_leaves_its_row_out_and_is_named_with_its_place() {
    let rows = "a,,,8,32,abc,0.1,north\nb,,,8,32,nan,,north\n\nc,,,8,32,-1,,north\nd,,,8,32,0.5,inf,north\ne,,,x,32,0.5,,north\n\
                f,,,8,-32,0.5,,north\ng,T4,y,8,32,0.5,,north\nh,,,8,32,\"1,5\",,north\ngood,,,8,32,0.5,0.1,north\n";
    let file = list("badcells", &format!("{HEADER}{rows}"));
    let (catalog, said) = said(&file);
    let price = "the row is left out; allowed: a price above zero, empty where it is not known";
    let number = "the row is left out; allowed: a number above zero";
    assert_eq!(
        said,
        [
            format!("2:10: warning[bad-price]: `Price` is \"abc\": {price}"),
            format!("3:10: warning[bad-price]: `Price` is \"nan\": {price}"),
            format!("5:10: warning[bad-price]: `Price` is \"-1\": {price}"),
            format!("6:14: warning[bad-price]: `SpotPrice` is \"inf\": {price}"),
            format!("7:5: warning[bad-value]: `vCPUs` is \"x\": {number}"),
            format!("8:7: warning[bad-value]: `MemoryGiB` is \"-32\": {number}"),
            format!("9:6: warning[bad-value]: `AcceleratorCount` is \"y\": {number}"),
            format!("10:10: warning[bad-price]: `Price` is \"1,5\": {price}"),
        ]
    );
    assert_eq!(catalog.instances.iter().map(|i| &*i.name).collect::<Vec<_>>(), ["good"]);
    // Whoever checks the list wants to mend it.
    let (found, summaries) = check(&Catalog::embedded(), &[file], Date::new(2026, 11, 30).unwrap());
    assert!(found.has_errors());
    assert_eq!((summaries[0].offers, summaries[0].errors), (1, 8));
}

#[test]
fn of_many_bad_cells_the_first_ones_are_named_and_the_rest_is_counted() {
    let rows = "i,,,8,32,?,,north\n".repeat(300) + "good,,,8,32,0.5,,north\n";
    let (catalog, said) = said(&list("manybad", &format!("{HEADER}{rows}")));
    assert_eq!(catalog.offers.len(), 1);
    assert_eq!(said.len(), 11);
    assert!(said[9].starts_with("11:"), "{}", said[9]);
    assert!(said[10].starts_with("12:") && said[10].contains("more rows left out: 290"), "{}", said[10]);
}

#[test]
fn a_missing_column_is_one_of_the_lists_own_form() {
    let rows = "a,,,8,32,0.5,,north\n";
    for (from, to, message) in [
        (
            ",Price,",
            ",price,",
            "no column `Price` in a list of SkyPilot's form; call the column \"price\" `Price`",
        ),
        (",Price,", ",,", "no column `Price` in a list of SkyPilot's form; add the column `Price`"),
        (
            ",vCPUs,",
            ",cpus,",
            "no column `vCPUs` in a list of SkyPilot's form; call the column \"cpus\" `vCPUs`",
        ),
    ] {
        let (catalog, said) = said(&list("nocolumn", &format!("{}{rows}", HEADER.replace(from, to))));
        assert_eq!(said, [format!("1:1: error[missing-key]: {message}")]);
        assert!(catalog.offers.is_empty());
    }
}

#[test]
fn an_offer_that_is_stated_again_is_counted_and_the_last_one_wins() {
    let rows = "a,,,8,32,0.5,,north\nb,,,8,32,0.7,,north\na,,,8,32,0.6,,north\na,,,8,32,0.6,,north\nb,,,8,32,0.7,,south\n";
    let path = list("again", &format!("{HEADER}{rows}"));
    let (_, files) =
        check(&Catalog::embedded(), std::slice::from_ref(&path), Date::new(2026, 11, 30).unwrap());
    assert_eq!(files[0].offers, 3);
    let (catalog, said) = said(&path);
    assert_eq!(
        said,
        [
            "4:1: warning[duplicate]: again a in north is stated again, first in line 2: the last one counts; such rows: 2, at \
          another price: 1"
        ]
    );
    assert_eq!(catalog.offers.len(), 3);
    assert_eq!(offers(&catalog, "a")[0].on_demand_price().unwrap().to_string(), "0.60/h");
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
