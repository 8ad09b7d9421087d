//! The embedded catalog against the counts of the lists that it was made from.

use plan::catalog::{Catalog, Confidence, Hazard, Term};
use std::collections::BTreeMap;

fn offers_by_provider(catalog: &Catalog) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for offer in catalog.offers.iter() {
        let provider = catalog.instance(offer.instance).and_then(|i| catalog.provider(i.provider)).unwrap();
        *counts.entry(provider.name.to_string()).or_insert(0) += 1;
    }
    counts
}

#[test]
fn every_offer_is_there() {
    let catalog = Catalog::embedded();
    let expected = [
        ("alibaba", 2214),
        ("aws", 879),
        ("azure", 264),
        ("gcp", 1048),
        ("hyperstack", 25),
        ("lambda", 100),
        ("nebius", 61),
        ("oci", 25),
        ("runpod", 156),
        ("tencent", 498),
        ("verda", 33),
    ];
    let expected: BTreeMap<String, usize> = expected.iter().map(|(p, n)| ((*p).to_owned(), *n)).collect();
    assert_eq!(offers_by_provider(&catalog), expected);
    assert_eq!(catalog.offers.len(), 5303);
    // 733 names, three of which stand for two machines each.
    assert_eq!(catalog.instances.len(), 736);
    assert_eq!(catalog.accelerators.iter().count(), 60);
    assert_eq!(catalog.providers.iter().map(|p| p.card_prices.len()).sum::<usize>(), 720);
    assert_eq!(catalog.rates.0.len(), 7);
    assert_eq!(catalog.processors.len(), 31);
}

#[test]
fn every_file_of_the_folder_is_embedded() {
    let catalog = Catalog::embedded();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("pricing");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    files.sort();
    let mut embedded: Vec<String> = catalog.providers.iter().map(|p| p.name.to_string()).collect();
    embedded.extend(["accelerators".to_owned(), "rates".to_owned()]);
    embedded.sort();
    assert_eq!(files, embedded);
}

#[test]
fn every_price_has_a_date_and_a_source() {
    let catalog = Catalog::embedded();
    for offer in catalog.offers.iter() {
        for provenance in [&*offer.provenance, offer.term_provenance(), offer.hazard_provenance()] {
            assert!(provenance.as_of.is_some() && !provenance.source.is_empty(), "{offer:?}");
        }
        assert!(!offer.on_demand.is_empty() || offer.spot.is_some(), "{offer:?}");
    }
    for provider in &catalog.providers {
        for tariff in &provider.tariffs {
            // Two lists bear no date; they count as remembered.
            let dated = tariff.provenance.as_of.is_some() || tariff.provenance.confidence != Confidence::Read;
            assert!(dated && !tariff.provenance.source.is_empty(), "{} {tariff:?}", provider.name);
        }
        for card in &provider.card_prices {
            assert!(card.provenance.as_of.is_some(), "{} {card:?}", provider.name);
        }
    }
}

#[test]
fn a_few_offers_read_as_their_lists_say() {
    let catalog = Catalog::embedded();
    let find = |provider: &str, instance: &str, region: &str, zone: Option<&str>| {
        let (id, _) = catalog.provider_named(provider).unwrap();
        let offers = catalog.offers.iter().filter(|offer| {
            let i = catalog.instance(offer.instance).unwrap();
            i.provider == id
                && &*i.name == instance
                && &*offer.region == region
                && offer.zone.as_deref() == zone
        });
        offers.collect::<Vec<_>>()
    };
    let tencent = &find("tencent", "GN10X.2XLARGE40", "ap-beijing", Some("ap-beijing-7"))[0];
    let tiers: Vec<_> =
        tencent.on_demand.iter().map(|t| (t.from_hours, t.price.nanos() / 10_000_000)).collect();
    assert_eq!(tiers, [(0.0, 1804), (96.0, 902), (360.0, 613)]);
    assert_eq!(tencent.term(Term::Month).unwrap().amount(), "5,190.00");
    assert_eq!(tencent.term(Term::Year).unwrap().amount(), "51,692.40");
    assert_eq!(tencent.provenance.confidence, Confidence::Recall);
    assert_eq!(tencent.currency.code(), "CNY");

    let gcp = &find("gcp", "a3-highgpu-1g", "asia-east1", None)[0];
    assert_eq!(gcp.on_demand[0].price.nanos(), 12_794_848_000);
    // 6,479.73014466 × 12 and 4,102.08452318 × 36; the whole month is not below 730 hours.
    assert_eq!(gcp.term(Term::Year).unwrap().nanos(), 77_756_761_735_920);
    assert_eq!(gcp.term(Term::ThreeYears).unwrap().nanos(), 147_675_042_834_480);
    assert_eq!(gcp.sustained_month(), None);
    assert_eq!(gcp.term_provenance().as_of.unwrap().to_string(), "2026-07-30");

    let aws = &find("aws", "c5.12xlarge", "eu-central-1", None)[0];
    assert_eq!(aws.hazard, Some(Hazard::AwsBand { from: 20, to: None }));
    assert_eq!(aws.hazard_provenance().as_of.unwrap().to_string(), "2025-06-28");

    assert!(find("verda", "2B300.60V", "FIN-03", None)[0].on_demand.is_empty());
}
