//! A catalog small enough to know by heart: three providers, a few machines, two regions each.

use plan::catalog::{
    Accelerator, AcceleratorId, Accelerators, Catalog, Confidence, ExchangeRate, ExchangeRates, Instance,
    InstanceId, Offer, OfferGpu, Provenance, Provider, ProviderId, Stack, Tier,
};
use plan::units::{Bytes, BytesPerSecond, Currency, Date, PerHour, Quantity};

#[expect(clippy::type_complexity, reason = "a table that is read like one")]
/// Provider, instance, vCPUs, memory in GiB, GPU and its number, dollars per hour.
const MACHINES: &[(u16, &str, f64, f64, Option<(u16, f64)>, &str)] = &[
    (0, "c5.2xlarge", 8.0, 16.0, None, "0.34"),
    (0, "g4dn.xlarge", 4.0, 16.0, Some((0, 1.0)), "0.526"),
    (0, "p4d.24xlarge", 96.0, 1152.0, Some((1, 8.0)), "32.7726"),
    (1, "n2-standard-8", 8.0, 32.0, None, "0.39"),
    (1, "a2-ultragpu-1g", 12.0, 170.0, Some((2, 1.0)), "5.07"),
    (2, "1x-mi300x", 24.0, 200.0, Some((3, 1.0)), "1.99"),
];

/// Regions of each provider.
const REGIONS: &[&[&str]] = &[&["eu-west-1", "us-east-1"], &["europe-west4", "us-central1"], &["us-east-1"]];

/// The catalog.
pub(crate) fn small() -> Catalog {
    let provenance = || Provenance {
        source: "test".into(),
        as_of: Date::parse("2026-06-01").ok(),
        confidence: Confidence::Read,
    };
    let card = |name: &str, gib: f64, stack| Accelerator {
        name: name.into(),
        vendor: "test".into(),
        stack,
        memory: Bytes::from_gib(gib),
        driver_total: None,
        cuda_visible: None,
        bandwidth: BytesPerSecond::from_gb(1000.0).unwrap(),
        fp32: None,
        tf32: None,
        half: None,
        fp8: None,
        int8: None,
        watts: None,
        form: "PCIe".into(),
        year: 2020,
        mig: Vec::new(),
        nvenc: None,
        nvdec: None,
        aliases: Vec::new(),
        confidence: Confidence::Read,
        notes: "".into(),
    };
    let provider = |name: &str| Provider {
        name: name.into(),
        currency: Currency::USD,
        on_demand: None,
        spot: None,
        tariffs: Vec::new(),
        card_prices: Vec::new(),
        as_of: None,
    };
    let mut catalog = Catalog {
        accelerators: Accelerators::new(vec![
            card("T4", 16.0, Stack::Cuda),
            card("A100-40GB", 40.0, Stack::Cuda),
            card("A100-80GB", 80.0, Stack::Cuda),
            card("MI300X", 192.0, Stack::Rocm),
        ]),
        providers: ["aws", "gcp", "hotaisle"].map(provider).to_vec(),
        rates: ExchangeRates(vec![ExchangeRate {
            currency: Currency::parse("CNY").unwrap(),
            per_usd: 7.0,
            date: Date::parse("2026-09-29").unwrap(),
            source: "test".into(),
        }]),
        ..Catalog::default()
    };
    for (at, (seller, name, vcpus, gib, gpu, price)) in (0u32..).zip(MACHINES) {
        catalog.instances.push(Instance {
            provider: ProviderId(*seller),
            name: (*name).into(),
            vcpus: *vcpus,
            memory: Bytes::from_gib(*gib),
            gpu: gpu.map(|(id, count)| OfferGpu { accelerator: AcceleratorId(id), count }),
        });
        for region in REGIONS[usize::from(*seller)] {
            catalog.offers.push(Offer {
                instance: InstanceId(at),
                region: (*region).into(),
                zone: None,
                currency: Currency::USD,
                on_demand: vec![Tier { from_hours: 0.0, price: PerHour::from_decimal(price).unwrap() }],
                spot: None,
                month: None,
                sustained_month: None,
                year: None,
                three_years: None,
                hazard: None,
                free: false,
                provenance: provenance(),
            });
        }
    }
    catalog
}
