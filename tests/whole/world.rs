//! Small random worlds: sellers with regions, machines, prices and tariffs; and jobs to be done in them.

use crate::exact::random::Random;
use plan::catalog::{
    Accelerators, Billing, Catalog, Confidence, Hazard, Instance, InstanceId, Listing, OfferEntry, OfferGpu,
    Provenance, Provider, ProviderId, Tariff, TariffKind, TariffTier,
};
use plan::job::{
    Class, Job, Limits, Location, MeasuredOn, Measurement, Per, Purchase, Stage, StageKind, Where,
};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::{Bytes, Currency, Date, Hours, Money, PerGb, PerHour};
use std::sync::{Arc, LazyLock};

pub(super) const TODAY: (u16, u8, u8) = (2026, 11, 30);

pub(super) fn today() -> Date {
    Date::new(TODAY.0, TODAY.1, TODAY.2).unwrap()
}

/// A T4 and an L4 of the embedded table.
static CARDS: LazyLock<Accelerators> = LazyLock::new(|| {
    let all = Catalog::embedded().accelerators;
    Accelerators::new(["T4", "L4"].map(|name| all.get(all.named(name).unwrap()).unwrap().clone()).to_vec())
});

/// A job from which others are made: everything that a workload file leaves to defaults.
static BARE: LazyLock<Job> = LazyLock::new(|| {
    let text = "[data]\nsamples = 1000\n[[stage]]\nkind = \"batch\"\nmeasured = [{ on = \"8 vCPU\", time = \"1h\" }]";
    let mut diags = plan::diag::Diagnostics::new();
    let raw = workload::read(&Source::new("bare.toml", text), &mut diags);
    let catalog = Catalog { accelerators: CARDS.clone(), ..Catalog::default() };
    resolve(&raw, &Overrides::none(today()), &catalog, &mut diags)
        .unwrap_or_else(|| panic!("{:?}", diags.sorted()))
});

fn provenance() -> Provenance {
    Provenance { source: "a test".into(), as_of: Date::new(2026, 11, 1), confidence: Confidence::Read }
}

/// What is sold, before it is put in order.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) providers: Vec<Provider>,
    pub(super) machines: Vec<Instance>,
    pub(super) offers: Vec<OfferEntry>,
}

const REGIONS: [&str; 4] = ["east", "north", "south", "australia-west"];

impl World {
    pub(super) fn random(random: &mut Random) -> Self {
        let mut world = Self { providers: Vec::new(), machines: Vec::new(), offers: Vec::new() };
        let sellers = 1 + random.below(3);
        for seller in 0..sellers {
            world.providers.push(provider(random, seller));
            for machine in 0..=random.below(4) {
                world.machines.push(instance(random, seller, machine));
            }
        }
        for at in 0..world.machines.len() {
            for region in REGIONS.iter().take(1 + random.below(REGIONS.len())) {
                if random.below(4) > 0 {
                    let offer = world.offer(random, at, region);
                    world.offers.push(offer);
                }
            }
        }
        world
    }

    /// An offer of a machine in a region, at prices of a coarse grid, so that there are ties.
    pub(super) fn offer(&self, random: &mut Random, machine: usize, region: &str) -> OfferEntry {
        let instance = &self.machines[machine];
        let size = if instance.gpu.is_some() { 4 } else { 1 };
        let price =
            |steps: usize| PerHour::from_f64(0.05 * f64::from(u32::try_from(steps * size).unwrap())).unwrap();
        let steps = 2 + random.below(8);
        let spot = (random.below(2) == 0).then(|| price(1 + random.below(steps)));
        OfferEntry {
            instance: InstanceId(u32::try_from(machine).unwrap()),
            listing: Arc::new(Listing {
                region: region.into(),
                zone: None,
                currency: Currency::USD,
                provenance: Arc::new(provenance()),
                hazard_provenance: None,
            }),
            on_demand: price(steps).into(),
            spot,
            terms: None,
            hazard: (random.below(2) == 0).then(|| Hazard::PerHour(random.one_of(&[0.01, 0.1, 0.5]))),
            free: false,
        }
    }

    /// One more offer, of a machine in a region where it is not sold yet.
    pub(super) fn further(&self, random: &mut Random) -> Option<OfferEntry> {
        let machine = random.below(self.machines.len());
        let sold = |region: &&&str| {
            let id = InstanceId(u32::try_from(machine).unwrap());
            !self.offers.iter().any(|o| o.instance == id && *o.region == ***region)
        };
        let free: Vec<&&str> = REGIONS.iter().filter(sold).collect();
        let region = free.get(random.below(free.len().max(1)))?;
        Some(self.offer(random, machine, region))
    }

    /// In order, as a catalog is.
    pub(super) fn catalog(&self) -> Catalog {
        let unsorted = Catalog {
            accelerators: CARDS.clone(),
            providers: self.providers.clone(),
            instances: self.machines.clone(),
            offers: self.offers.iter().cloned().collect(),
            ..Catalog::default()
        };
        Catalog::default().extend_with(unsorted)
    }

    /// The same rows in another order.
    pub(super) fn shuffled(&self, random: &mut Random) -> Self {
        let mut offers = self.offers.clone();
        for i in (1..offers.len()).rev() {
            offers.swap(i, random.below(i + 1));
        }
        Self { offers, ..self.clone() }
    }

    /// Whether a job may rent something there.
    pub(super) fn open(&self, job: &Job, home: &Location) -> bool {
        self.offers.iter().any(|offer| {
            let instance = &self.machines[offer.instance.0 as usize];
            let provider = &self.providers[usize::from(instance.provider.0)];
            *provider.name == *home.provider
                && *offer.region == *home.region
                && job.place.allows(&provider.name, &offer.region, &instance.name)
        })
    }

    /// All regions in which something is sold and keeping data has a price.
    pub(super) fn homes(&self) -> Vec<Location> {
        let mut homes: Vec<Location> = Vec::new();
        for offer in &self.offers {
            let provider = &self.providers[usize::from(self.machines[offer.instance.0 as usize].provider.0)];
            let home = Location { provider: provider.name.to_string(), region: offer.region.to_string() };
            let keeps = provider.tariffs.iter().any(|t| t.kind == TariffKind::ObjectStorage);
            if keeps && !homes.contains(&home) {
                homes.push(home);
            }
        }
        homes
    }
}

fn provider(random: &mut Random, seller: usize) -> Provider {
    let tiers = |prices: &[(f64, f64)]| -> Vec<TariffTier> {
        let tier = |&(from, price): &(f64, f64)| TariffTier {
            from: Bytes::from_gb(from),
            price: PerGb::from_f64(price).unwrap(),
        };
        prices.iter().map(tier).collect()
    };
    let tariff = |kind, product: Option<&str>, regions: &[&str], prices: &[(f64, f64)]| Tariff {
        kind,
        regions: regions.iter().map(|r| (*r).into()).collect(),
        product: product.map(Into::into),
        currency: Currency::USD,
        tiers: tiers(prices),
        note: "".into(),
        provenance: provenance(),
    };
    let mut tariffs = Vec::new();
    if random.below(4) > 0 {
        let price = random.one_of(&[0.0, 0.01, 0.02]);
        tariffs.push(tariff(TariffKind::CrossRegion, None, &[], &[(0.0, price)]));
        if random.below(2) == 0 {
            tariffs.push(tariff(TariffKind::CrossRegion, None, &["north"], &[(0.0, 0.03)]));
        }
    }
    if random.below(3) > 0 {
        let price = random.one_of(&[0.02, 0.05, 0.09]);
        tariffs.push(tariff(TariffKind::Internet, None, &[], &[(20.0, price), (100.0, price / 2.0)]));
        if random.below(2) == 0 {
            tariffs.push(tariff(TariffKind::Internet, Some("australia"), &[], &[(0.0, 2.0 * price)]));
        }
    }
    if random.below(4) > 0 {
        let price = random.one_of(&[0.02, 0.5, 5.0]);
        tariffs.push(tariff(TariffKind::ObjectStorage, Some("standard"), &["east"], &[(0.0, price)]));
        if random.below(2) == 0 {
            tariffs.push(tariff(TariffKind::ObjectStorage, Some("standard"), &["north"], &[(0.0, 0.01)]));
        }
    }
    let billing = |granularity_secs| Billing {
        granularity_secs,
        minimum_secs: granularity_secs,
        notice_secs: None,
        protection_secs: None,
        note: "".into(),
        provenance: provenance(),
    };
    let step = random.one_of(&[1, 60, 3600]);
    Provider {
        name: ["ada", "bob", "eve"][seller].into(),
        currency: Currency::USD,
        on_demand: Some(billing(step)),
        spot: Some(billing(step)),
        tariffs,
        card_prices: Vec::new(),
        term_ratios: Vec::new(),
        as_of: None,
    }
}

fn instance(random: &mut Random, seller: usize, machine: usize) -> Instance {
    let card = ["T4", "L4"][random.below(2)];
    let gpu = (random.below(2) == 0).then(|| OfferGpu {
        accelerator: CARDS.named(card).unwrap(),
        count: f64::from(1 << random.below(2)),
    });
    let vcpus = f64::from(4 << random.below(4));
    Instance {
        provider: ProviderId(u16::try_from(seller).unwrap()),
        name: format!("m{machine}").into(),
        vcpus,
        memory: Bytes::from_gib(4.0 * vcpus),
        gpu,
    }
}

/// A job of one to four stages in any graph, each with times on CPUs or on a T4 or on both, some with data that moves.
pub(super) fn job(random: &mut Random, world: &World) -> Job {
    let stages = 1 + random.below(4);
    let mut job = Job { stages: (0..stages).map(|at| stage(random, at)).collect(), ..BARE.clone() };
    job.limits = Limits {
        deadline: (random.below(2) == 0).then(|| Hours::new(0.5 + 12.0 * random.unit())),
        budget: (random.below(2) == 0).then(|| Money::from_f64(10.0 * random.unit()).unwrap().to_cents()),
        ..BARE.limits
    };
    let homes = world.homes();
    if random.below(3) == 0 && !homes.is_empty() {
        job.data_location = Some(homes[random.below(homes.len())].clone());
    }
    if random.below(4) == 0 {
        let region = random.one_of(&REGIONS).to_owned();
        let seller = world.providers[random.below(world.providers.len())].name.to_string();
        job.place = match random.below(3) {
            0 => Where { providers: vec![seller], ..Where::default() },
            1 => Where { excluded: vec![format!("{seller}/{region}")], ..Where::default() },
            _ => Where { regions: vec![region], ..Where::default() },
        };
    }
    job
}

fn stage(random: &mut Random, at: usize) -> Stage {
    let kind = random.one_of(&[StageKind::Batch, StageKind::Prepare, StageKind::Analyze, StageKind::Train]);
    let place = BARE.stages[0].place.clone();
    let measurement = |on, label: &str, hours: f64| Measurement {
        on,
        label: label.into(),
        time: Hours::new(hours),
        per: Per::Stage,
        instances: 1,
        place: place.clone(),
    };
    let mut stage = Stage { name: format!("s{at}"), place: place.clone(), ..BARE.stages[0].clone() };
    stage.kind = kind;
    stage.after = (0..at).filter(|_| random.below(2) == 0).collect();
    stage.samples = Some(1000.0);
    let which = random.below(3);
    let hours = 0.2 + 6.0 * random.unit();
    stage.measured = Vec::new();
    if which > 0 {
        stage.measured.push(measurement(MeasuredOn::Vcpus(8.0), "8 vCPU", hours));
    }
    if which != 1 {
        let accelerator = CARDS.named("T4").unwrap();
        let speed = random.one_of(&[0.5, 2.0, 8.0]);
        stage.measured.push(measurement(MeasuredOn::Gpu { accelerator, count: 1.0 }, "T4", hours / speed));
    }
    stage.size = random.one_of(&[None, Some(10.0), Some(50.0), Some(1000.0)]).map(Bytes::from_gb);
    stage.output = random.one_of(&[None, None, Some(5.0), Some(200.0)]).map(Bytes::from_gb);
    stage.tolerates_interruption = random.below(2) == 0;
    stage.instances = random.one_of(&[1, 1, 2, 4]);
    stage.min_vcpus = random.one_of(&[None, None, Some(8.0)]);
    stage.purchase = random.one_of(&[None, None, None, Some(Purchase::OnDemand)]);
    stage.class = random.one_of(&[None, None, None, Some(Class::Cpu)]);
    stage
}
