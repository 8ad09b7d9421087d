//! What the spellings of cards mean.

use plan::catalog::{Accelerators, Catalog, Found};
use plan::diag::{Code, Diagnostics, Place, Severity};
use plan::read::Located;

fn cards() -> Accelerators {
    Catalog::embedded().accelerators
}

/// Spellings found in price lists, node labels, driver output and papers, and the one card that each means.
const ONE_CARD: &[(&str, &str)] = &[
    ("A100-40GB", "A100-40GB"),
    ("A100-SXM4-40GB", "A100-40GB"),
    ("A100-40GB-SXM", "A100-40GB"),
    ("NVIDIA A100-SXM4-40GB", "A100-40GB"),
    ("A100-80GB", "A100-80GB"),
    ("A100 80G", "A100-80GB"),
    ("A100 80GB", "A100-80GB"),
    ("a100_80gb", "A100-80GB"),
    ("A100 80 GB", "A100-80GB"),
    ("A100-SXM-80GB", "A100-80GB"),
    ("A100-80GB-SXM", "A100-80GB"),
    ("A100-SXM4-80GB", "A100-80GB"),
    ("NVIDIA-A100-SXM4-80GB", "A100-80GB"),
    ("NVIDIA A100 80GB SXM4", "A100-80GB"),
    ("A100-PCIE-40GB", "A100-PCIe-40GB"),
    ("A100-40GB-PCIe", "A100-PCIe-40GB"),
    ("A100-PCIe-80GB", "A100-PCIe-80GB"),
    ("A100-80GB-PCIe", "A100-PCIe-80GB"),
    ("NVIDIA A100 80GB PCIe", "A100-PCIe-80GB"),
    ("H100-SXM", "H100-SXM"),
    ("H100 SXM5", "H100-SXM"),
    ("H100-80GB-HBM3", "H100-SXM"),
    ("NVIDIA H100 80GB HBM3", "H100-SXM"),
    ("H100-PCIe", "H100-PCIe"),
    ("NVIDIA H100 PCIe", "H100-PCIe"),
    ("H100-NVL", "H100-NVL"),
    ("H100NVL", "H100-NVL"),
    ("NVIDIA H100 NVL", "H100-NVL"),
    ("H100 94GB", "H100-NVL"),
    ("H200", "H200"),
    ("H200-SXM", "H200"),
    ("NVIDIA H200 141GB", "H200"),
    ("B200-SXM", "B200"),
    ("B200 192GB", "B200"),
    ("B300-SXM", "B300"),
    ("GB200-NVL72", "GB200"),
    ("GH200-96GB", "GH200"),
    ("NVIDIA GH200 480GB", "GH200"),
    ("V100-16GB", "V100-16GB"),
    ("Tesla V100-SXM2-16GB", "V100-16GB"),
    ("V100-32GB", "V100-32GB"),
    ("V100 32G", "V100-32GB"),
    ("Tesla V100-SXM2-32GB", "V100-32GB"),
    ("Tesla V100-SXM3-32GB", "V100-32GB"),
    ("Tesla V100-PCIE-16GB", "V100-PCIe-16GB"),
    ("Tesla-T4", "T4"),
    ("NVIDIA Tesla T4", "T4"),
    ("nvidia-tesla-t4", "T4"),
    ("T4G", "T4g"),
    ("NVIDIA-A10", "A10"),
    ("NVIDIA A10G", "A10G"),
    ("A10G-24GB", "A10G"),
    ("NVIDIA L4", "L4"),
    ("NVIDIA L40S", "L40S"),
    ("L40", "L40"),
    ("Tesla P100-PCIE-16GB", "P100-16GB"),
    ("P100", "P100-16GB"),
    ("Tesla K80", "K80"),
    ("A40", "A40"),
    ("RTX A4000", "RTX-A4000"),
    ("RTXA4000", "RTX-A4000"),
    ("NVIDIA RTX A6000", "RTX-A6000"),
    ("A6000", "RTX-A6000"),
    ("RTX6000Ada", "RTX-6000-Ada"),
    ("NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada"),
    ("RTX 4000 Ada", "RTX-4000-Ada"),
    ("Quadro RTX 6000", "RTX-6000-Turing"),
    ("QuadroRTX6000", "RTX-6000-Turing"),
    ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000"),
    ("RTX Pro 6000 Server", "RTX-PRO-6000"),
    ("RTX4090", "RTX-4090"),
    ("NVIDIA GeForce RTX 3090", "RTX-3090"),
    ("AMD Instinct MI300X", "MI300X"),
    ("Gaudi 2", "Gaudi2"),
    ("Trainium", "Trainium1"),
    ("TPUv4", "TPU-v4"),
];

#[test]
fn a_spelling_means_its_card() {
    let cards = cards();
    assert!(ONE_CARD.len() >= 60);
    for (spelling, card) in ONE_CARD {
        let found = cards.find(spelling);
        let Found::Card(id) = found else { panic!("{spelling}: {found:?}") };
        assert_eq!(cards.name(id), *card, "{spelling}");
    }
}

#[test]
fn canonical_names_mean_themselves_and_nothing_else() {
    let cards = cards();
    for (id, card) in cards.iter() {
        assert_eq!(cards.find(&card.name), Found::Card(id), "{}", card.name);
        // One alias is that of two cards; its meaning is tested below.
        for alias in card.aliases.iter().filter(|alias| ***alias != *"RTX 6000") {
            assert_eq!(cards.find(alias), Found::Card(id), "{alias}");
        }
    }
}

#[test]
fn a_name_that_leaves_something_open_has_a_stated_meaning() {
    let cards = cards();
    for (spelling, card, others) in [
        ("A100", "A100-40GB", &["A100-PCIe-40GB", "A100-80GB", "A100-PCIe-80GB"][..]),
        ("A100-SXM", "A100-40GB", &["A100-80GB"]),
        ("A100-PCIe", "A100-PCIe-40GB", &["A100-PCIe-80GB"]),
        ("V100", "V100-16GB", &["V100-32GB", "V100-PCIe-16GB"]),
        ("Tesla V100", "V100-16GB", &["V100-32GB", "V100-PCIe-16GB"]),
        ("H100", "H100-SXM", &["H100-PCIe", "H100-NVL"]),
        ("H100-80GB", "H100-SXM", &["H100-PCIe"]),
        ("RTX 6000", "RTX-6000-Turing", &["RTX-6000-Ada"]),
    ] {
        let Found::Ambiguous { id, meaning, others: found } = cards.find(spelling) else {
            panic!("{spelling}: {:?}", cards.find(spelling))
        };
        assert_eq!(cards.name(id), card, "{spelling}");
        assert_eq!(found.iter().map(|id| cards.name(*id)).collect::<Vec<_>>(), others, "{spelling}");
        assert!(meaning.contains(card), "{meaning}");
    }
    // With the memory stated, nothing is open.
    assert_eq!(cards.find("RTX 6000 48GB").id().map(|id| cards.name(id)), Some("RTX-6000-Ada"));
}

#[test]
fn what_is_no_card_stays_unknown() {
    let cards = cards();
    for (spelling, near) in [
        ("A100-8", Some("A100-40GB")),
        ("A100-60GB", Some("A100-40GB")),
        ("H100-MEGA", Some("H100-SXM")),
        ("V100-PCIe-32GB", Some("V100-16GB")),
        ("GH200-141GB", Some("GH200")),
        ("RTX 4000", None),
        ("Quadro RTX 8000", None),
        ("GTX 1080 Ti", None),
        ("T44", None),
        ("A1000", None),
        ("g5.xlarge A10G", Some("A10G")),
        ("A10G A10", None),
        ("80GB", None),
        ("NVIDIA", None),
        ("", None),
    ] {
        let Found::Unknown { near: found } = cards.find(spelling) else {
            panic!("{spelling}: {:?}", cards.find(spelling))
        };
        if let Some(near) = near {
            assert_eq!(found.first().map(|id| cards.name(*id)), Some(near), "{spelling}");
        }
    }
}

#[test]
fn distinct_cards_never_match_one_another() {
    let cards = cards();
    for (a, b) in [
        ("A10", "A10G"),
        ("A100-40GB", "A100-80GB"),
        ("V100-16GB", "V100-32GB"),
        ("RTX A4000", "A40"),
        ("H100-SXM", "H100 NVL"),
        ("T4", "T4g"),
        ("RTX 6000 Ada", "Quadro RTX 6000"),
        ("RTX 6000 Ada", "RTX A6000"),
        ("RTX A6000", "RTX PRO 6000"),
        ("L4", "L40"),
        ("L40", "L40S"),
        ("A2", "A16"),
        ("RTX 4000 Ada", "RTX A4000"),
        ("GH200", "H200"),
        ("GB200", "B200"),
        ("P4", "P40"),
    ] {
        let (first, second) = (cards.find(a).id().unwrap(), cards.find(b).id().unwrap());
        assert_ne!(first, second, "{a} and {b}");
    }
}

#[test]
fn counts_are_read_beside_names() {
    let cards = cards();
    for (text, card, count) in [
        ("8xA100-80GB", "A100-80GB", 8.0),
        ("8 x A100 80GB", "A100-80GB", 8.0),
        ("8×H100-SXM", "H100-SXM", 8.0),
        ("A100-80GB:8", "A100-80GB", 8.0),
        ("A100-80GB x8", "A100-80GB", 8.0),
        ("0.125xL4", "L4", 0.125),
        ("L4:0.5", "L4", 0.5),
        ("QuadroRTX6000", "RTX-6000-Turing", 1.0),
        ("T4", "T4", 1.0),
    ] {
        let (found, n) = cards.parse_gpu_with_count(text);
        assert_eq!(found.id().map(|id| cards.name(id)), Some(card), "{text}");
        assert!((n - count).abs() < 1e-12, "{text}: {n}");
    }
    for text in ["A100-8:8", "T4:0", "T4:-1", "T4:", "0xT4", ":8", "T4:NaN", "T4:1e3"] {
        assert!(cards.parse_gpu_with_count(text).0.id().is_none(), "{text}");
    }
}

#[test]
fn the_reader_is_told() {
    let cards = cards();
    let place = Place { file: "job.toml".into(), line: 3, column: 7 };
    let mut diags = Diagnostics::new();
    let text = |value: &str| Located { value: value.to_owned(), place: place.clone() };
    assert!(cards.resolve("gpu", &text("T4"), &mut diags).is_some());
    assert!(diags.is_empty());
    assert!(cards.resolve("gpu", &text("A100"), &mut diags).is_some());
    assert!(cards.resolve("gpu", &text("A100-8"), &mut diags).is_none());
    let found = diags.sorted();
    assert_eq!((found[0].severity, found[0].code), (Severity::Error, Code::UnknownName));
    assert_eq!(
        found[0].to_string(),
        "job.toml:3:7: error[unknown-name]: `gpu` is \"A100-8\", which is no accelerator of the table; did you mean \
         `A100-40GB`, `A100-PCIe-40GB`, `A100-80GB` or `A100-PCIe-80GB`?"
    );
    assert_eq!((found[1].severity, found[1].code), (Severity::Warning, Code::AmbiguousName));
}
