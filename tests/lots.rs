//! Offers put together in lots against offers looked at one by one: the same cheapest ones, the same counts.

use crate::exact::random::Random;
use plan::catalog::{
    Catalog, Confidence, Hazard, Instance, InstanceId, Listing, Name, Offer, OfferEntry, OfferGpu, Offers,
    Provenance, Term, Terms, Tier, Tiers,
};
use plan::decide::{StageCandidates, decide_stage};
use plan::diag::Diagnostics;
use plan::duration::StageClock;
use plan::job::{Job, Purchase, Stage};
use plan::price::{Book, Quote, StageQuotes, price_stage};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Bytes, Currency, Date, Hours, Money, PerHour, Quantity};
use std::collections::BTreeMap;
use std::sync::Arc;

const JOB: &str = r#"
[data]
samples = 1_000_000
size = "150 GB"
location = "aws/us-east-1"
[model]
architecture = "resnet50"
batch_size = 64
[where]
excluded = ["aws/eu-west-3"]
discounts = { gcp = 0.1 }
[[stage]]
name = "prepare"
measured = [{ on = "8 vCPU", time = "3h" }]
instances = 4
[[stage]]
name = "train"
measured = [{ on = "T4", time = "30h" }]
tolerates_interruption = true
output = "1 GB"
[[stage]]
name = "serve"
requests_per_second = 40
measured = [{ on = "T4", rate = "20/s" }, { on = "8 vCPU", rate = "10/s" }]
[[stage]]
name = "pinned"
kind = "train"
purchase = "month"
measured = [{ on = "T4", time = "3h" }]
"#;

const PLACES: [(&str, &str); 7] = [
    ("aws", "us-east-1"),
    ("aws", "us-east-2"),
    ("aws", "eu-west-1"),
    ("aws", "eu-west-3"),
    ("gcp", "us-central1"),
    ("gcp", "europe-west4"),
    ("lambda", "us-west-1"),
];

/// The embedded providers with other offers: an instance with a T4 and one without at each of them, at random prices
/// of a coarse grid, so that equal ones are frequent.
fn catalog(base: &Catalog, zones: usize, rng: &mut Random) -> Catalog {
    let t4 = base.accelerators.named("T4").unwrap();
    let mut offers = Vec::new();
    let mut catalog = Catalog { offers: Offers::default(), instances: Vec::new(), ..base.clone() };
    for (provider, names) in [("aws", &PLACES[..4]), ("gcp", &PLACES[4..6]), ("lambda", &PLACES[6..])] {
        for gpu in [None, Some(OfferGpu { accelerator: t4, count: 1.0 })] {
            let instance = InstanceId(u32::try_from(catalog.instances.len()).unwrap());
            catalog.instances.push(Instance {
                provider: base.provider_named(provider).unwrap().0,
                name: Name::from(if gpu.is_some() { "with" } else { "without" }),
                vcpus: 8.0,
                memory: Bytes::from_gib(32.0),
                gpu,
            });
            for (_, region) in names {
                for zone in 0..rng.below(zones) {
                    let zone = Name::from(format!("z{zone}"));
                    offers.push(offer(instance, Name::from(*region), zone, rng));
                }
            }
        }
    }
    Catalog { offers: offers.into_iter().collect(), ..catalog }
}

fn offer(instance: InstanceId, region: Name, zone: Name, rng: &mut Random) -> OfferEntry {
    let mut some = |n, of| (rng.below(of) < n).then(|| rng.one_of(&[1, 2, 3, 4, 5, 6]));
    let hour = |n: i32| PerHour::from_nanos(i64::from(n) * 200_000_000);
    let one = |n: i32| Tiers::from(hour(n));
    let falling = |n: i32| {
        Tiers::from(vec![
            Tier { from_hours: 0.0, price: hour(n + 1) },
            Tier { from_hours: 10.0, price: hour(n) },
        ])
    };
    let tiered = some(1, 12).is_some();
    let on_demand = some(9, 10).map_or_else(Tiers::default, |n| if tiered { falling(n) } else { one(n) });
    let month = |n: i32| Money::from_f64(f64::from(n) * 90.0).unwrap();
    let terms = Terms {
        month: some(1, 8).map(month),
        sustained_month: None,
        year: some(1, 8).map(|n| month(n * 10)),
        three_years: None,
        provenance: None,
    };
    let listing = Arc::new(Listing {
        region,
        zone: Some(zone),
        currency: Currency::parse(if some(1, 10).is_some() { "CNY" } else { "USD" }).unwrap(),
        provenance: Arc::new(Provenance {
            source: Name::from("a test"),
            as_of: Date::new(if some(1, 10).is_some() { 2020 } else { 2026 }, 11, 1),
            confidence: Confidence::Read,
        }),
        hazard_provenance: None,
    });
    OfferEntry {
        instance,
        listing,
        on_demand,
        spot: some(9, 10).map(hour),
        terms: (terms != Terms::default()).then(|| Box::new(terms)),
        hazard: some(2, 3).map(|n| match n {
            1..=4 => Hazard::AwsBand { from: 5, to: Some(10) },
            5 => Hazard::AwsBand { from: 20, to: None },
            _ => Hazard::PerHour(0.01),
        }),
        free: false,
    }
}

fn job(catalog: &Catalog) -> Job {
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("test.toml", JOB), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), catalog, &mut diags);
    job.unwrap_or_else(|| panic!("{:?}", diags.sorted()))
}

fn priced(job: &Job, stage: &Stage, clock: &StageClock, catalog: &Catalog) -> (StageCandidates, StageQuotes) {
    let book = Book::new(job, catalog);
    let found = decide_stage(job, stage, clock, catalog);
    let quotes = price_stage(job, stage, catalog, &book, &found);
    (found, quotes)
}

/// What a quote is of, apart from its offer.
type Key = (InstanceId, u32, Purchase);

fn key(found: &StageCandidates, quote: &Quote) -> Key {
    let candidate = found.of(quote.candidate).unwrap();
    (candidate.instance, candidate.count, quote.purchase)
}

fn counts(quotes: &StageQuotes) -> BTreeMap<String, usize> {
    quotes.rejected.iter().map(|r| (format!("{:?}", r.reason), r.offers)).filter(|(_, n)| *n > 0).collect()
}

/// Place and price: what the cost of an offer depends on, bought one way.
fn price(offer: &Offer, purchase: Purchase) -> String {
    let paid = match purchase {
        Purchase::OnDemand => format!("{:?}", offer.on_demand),
        Purchase::Spot => format!("{:?} {:?}", offer.spot, offer.hazard),
        Purchase::Month => format!("{:?}", offer.term(Term::Month)),
        _ => format!("{:?}", offer.term(Term::Year)),
    };
    format!("{} {} {paid}", offer.region, offer.currency)
}

#[test]
fn lots_find_what_single_offers_show() {
    let base = Catalog::embedded();
    let mut rng = Random(11);
    let (mut quotes, mut ties) = (0, 0);
    for _ in 0..30 {
        let catalog = catalog(&base, 9, &mut rng);
        let job = job(&catalog);
        for stage in &job.stages {
            let clock = StageClock::new(stage, &catalog);
            let (found, whole) = priced(&job, stage, &clock, &catalog);
            let mut singles: BTreeMap<Key, Vec<(Money, usize)>> = BTreeMap::new();
            let mut rejected: BTreeMap<String, usize> = BTreeMap::new();
            for (number, offer) in catalog.offers.iter().enumerate() {
                let alone = Catalog { offers: std::iter::once(offer.entry()).collect(), ..catalog.clone() };
                let (found, offered) = priced(&job, stage, &clock, &alone);
                for quote in &offered.quotes {
                    singles.entry(key(&found, quote)).or_default().push((quote.cost, number));
                }
                for (reason, n) in counts(&offered) {
                    *rejected.entry(reason).or_default() += n;
                }
            }
            assert_eq!(counts(&whole), rejected, "{}", stage.name);
            assert_eq!(whole.quotes.len(), singles.len());
            for quote in &whole.quotes {
                let key = key(&found, quote);
                let least = singles[&key].iter().map(|(cost, _)| *cost).min().unwrap();
                // Offers are ranked before their bills are rounded: to the cent, and on spot by half a billing step.
                let slack = if quote.purchase == Purchase::Spot { 0.02 } else { 0.01 };
                assert!((quote.cost - least).as_f64() < slack, "{key:?}: {quote:?}, least {least:?}");
                let own = catalog.offers.get(quote.offer).unwrap();
                assert!(singles[&key].contains(&(quote.cost, quote.offer)), "{quote:?}");
                // Of offers that cost the same in the same place the first.
                for (_, earlier) in singles[&key].iter().filter(|(_, number)| *number < quote.offer) {
                    let other = catalog.offers.get(*earlier).unwrap();
                    ties += 1;
                    assert!(
                        price(&own, quote.purchase) != price(&other, quote.purchase),
                        "{quote:?}, {earlier}"
                    );
                }
                quotes += 1;
            }
        }
    }
    assert!(quotes > 1_500 && ties > 1_500, "{quotes} quotes, {ties} earlier offers");
}

/// Spot with on-demand fallback takes both prices of one region: whatever the hours of each kind, the pairs that are
/// kept are as cheap as the cheapest of all.
#[test]
fn pairs_that_are_kept_are_the_cheapest() {
    let base = Catalog::embedded();
    let mut rng = Random(12);
    let mut compared = 0;
    for _ in 0..300 {
        let catalog = catalog(&base, 3, &mut rng);
        let mut job = job(&catalog);
        assert!(Book::new(&job, &catalog).pairs(InstanceId(0)).is_empty(), "no deadline to keep");
        job.limits.deadline = Some(Hours::new(100.0));
        let book = Book::new(&job, &catalog);
        let open = |n: usize| book.entry(n).filter(|entry| entry.closed.is_none());
        let hourly = |n: usize, price: Option<PerHour>| Some(price?.as_f64() * open(n)?.factor);
        let all: Vec<(usize, Offer<'_>)> = catalog.offers.iter().enumerate().collect();
        for (spot_hours, on_demand_hours) in [(1.0, 0.0), (3.0, 1.0), (1.0, 3.0)] {
            let mut least: BTreeMap<(InstanceId, usize, String), f64> = BTreeMap::new();
            for (n, one) in &all {
                let alike = |o: &Offer| one.instance == o.instance && one.region == o.region;
                let full = all.iter().filter(|(_, o)| alike(o));
                let full = full.filter_map(|(m, o)| hourly(*m, o.on_demand_price())).min_by(f64::total_cmp);
                let Some((spot, full)) = hourly(*n, one.spot).zip(full) else { continue };
                if spot < full {
                    let key = (one.instance, book.way_of(*n).unwrap(), format!("{:?}", one.hazard));
                    let seen = least.entry(key).or_insert(f64::INFINITY);
                    *seen = seen.min(spot * spot_hours + full * on_demand_hours);
                }
            }
            let mut kept: BTreeMap<(InstanceId, usize, String), f64> = BTreeMap::new();
            for id in (0..catalog.instances.len()).map(|n| InstanceId(u32::try_from(n).unwrap())) {
                for pair in book.pairs(id) {
                    let key = (id, pair.way, format!("{:?}", pair.hazard));
                    let slot = kept.entry(key).or_insert(f64::INFINITY);
                    *slot = slot.min(pair.spot.0 * spot_hours + pair.on_demand.0 * on_demand_hours);
                }
            }
            assert_eq!(kept, least);
            compared += kept.len();
        }
    }
    assert!(compared > 500, "{compared}");
}
