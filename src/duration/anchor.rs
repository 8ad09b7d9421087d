//! What is known about a stage's time, and on what: measurements of the user, then published rates, then estimates.

use super::cores::Cores;
use super::estimate::{Estimate, Estimates};
use super::{Basis, Duration, Effort, Evidence, Hardware, NoDuration, StageClock, overhead, published};
use crate::catalog::{Catalog, Instance, Name, ProviderId};
use crate::job::{Class, MeasuredOn, Measurement, Stage, StageKind};
use crate::units::{Band, Hours};

/// Where a known time comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Source {
    /// The stage's measurement with this position.
    Measurement(u16),
    /// A line of the table of published rates.
    Published(u16),
    /// Operations at a rate, plus bytes at a bandwidth, on one card or one reference core; no step is shorter than
    /// `per_step`.
    Work {
        /// Floating-point operations of the whole stage.
        flops: f64,
        /// Operations per second that are reached.
        rate: f64,
        /// Bytes that are moved besides.
        bytes: f64,
        /// Bytes per second.
        bandwidth: f64,
        /// Steps.
        steps: f64,
        /// Least seconds of a step.
        per_step: f64,
        /// Whether the operations are guessed from the number of parameters alone.
        guessed: bool,
    },
    /// Boosted trees: cells at a rate, plus a time per tree.
    Trees {
        /// Rows × features × trees.
        cells: f64,
        /// Cells per second.
        per_second: f64,
        /// Trees.
        trees: f64,
        /// Seconds per tree.
        per_tree: f64,
        /// On one `card` or one `core`.
        what: &'static str,
    },
    /// Core-hours that the stage states.
    CoreHours,
    /// So many items at a rate of one reference core.
    PerCore {
        /// How many.
        items: f64,
        /// Of what.
        unit: &'static str,
        /// Items per second and core.
        per_core: f64,
    },
    /// Frames of video at a rate of one card's encoders, or of one reference core.
    Frames {
        /// How many.
        frames: f64,
        /// Frames per second.
        per_second: f64,
    },
}

/// Factor within which a measured time repeats on the same instance type: identical nodes differ by up to 2 %, a
/// short measurement drawn out to the whole work by a few more.
const SAME_INSTANCE: f64 = 1.05;
/// The same for the same card in another instance: host, cooling and power limit differ.
const SAME_HARDWARE: f64 = 1.1;
/// Factor within which another chip of the same number of vCPUs repeats a time. A guess.
const SAME_VCPUS: f64 = 1.2;
/// Factor by which each doubling of the cores of one machine may be off: memory bandwidth and locks. A guess.
const PER_CORE_DOUBLING: f64 = 1.08;

/// A time known on some hardware.
#[derive(Debug, Clone)]
pub(super) struct Anchor {
    pub source: Source,
    /// Where a user measured it, in their words. What was published is named by its line of the table.
    pub label: String,
    pub time: Hours,
    pub there: Effort,
    /// The instance type, where one was named.
    pub instance: Option<(ProviderId, Name)>,
    /// The squared logarithms of the factor within which the time itself is known, and of the doubt of the hardware on
    /// which it is known.
    pub squares: (f64, f64),
}

/// All that is known.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchors {
    pub measured: Vec<Anchor>,
    pub published: Vec<Anchor>,
    pub estimates: Estimates,
    pub trains: bool,
}

/// Whether a measurement names a card, or an instance that has one.
pub(super) fn measured_on_gpu(stage: &Stage, catalog: &Catalog) -> bool {
    stage.measured.iter().any(|m| match &m.on {
        MeasuredOn::Gpu { .. } => true,
        MeasuredOn::Vcpus(_) => false,
        MeasuredOn::Instance { provider, instance } => {
            named(provider.as_deref(), instance, catalog).is_some_and(|found| found.gpu.is_some())
        }
    })
}

/// The instance type of a measurement.
fn named<'a>(provider: Option<&str>, instance: &str, catalog: &'a Catalog) -> Option<&'a Instance> {
    let provider = provider.and_then(|name| catalog.provider_named(name)).map(|(id, _)| id);
    catalog.instances.iter().find(|i| &*i.name == instance && provider.is_none_or(|id| i.provider == id))
}

impl Anchors {
    /// Whether a measurement names an instance type, so that its time is known better than that of others of its kind.
    pub(super) fn name(&self, instance: &Instance) -> bool {
        self.measured.iter().any(|anchor| anchor.is_on(instance))
    }

    pub(super) fn new(
        stage: &Stage,
        catalog: &Catalog,
        clock: &StageClock,
        use_published: bool,
        utilisation: Option<f64>,
    ) -> Self {
        let measured: Vec<Anchor> =
            (0u16..).zip(&stage.measured).filter_map(|(at, m)| resolve(at, m, catalog, clock)).collect();
        // A measurement on some card is better than what is published or estimated of any: nobody would ask for that.
        let cards = (!measured.iter().any(Anchor::is_on_cards)).then_some(&clock.cards);
        let published = if cards.is_some() && use_published && utilisation.is_none() {
            published_anchors(stage, catalog, clock)
        } else {
            Vec::new()
        };
        let estimates = Estimates::new(stage, cards, utilisation);
        Self { measured, published, estimates, trains: stage.kind.trains() }
    }

    /// The best evidence for a machine: the measurement that carries over with the narrowest band (the first of
    /// equals), else the published rate that does, else the estimate of the machine's class.
    pub(super) fn nearest(
        &self,
        clock: &StageClock,
        instance: &Instance,
        here: &Effort,
    ) -> Result<(Duration, Basis), NoDuration> {
        if let Some((anchor, spread)) = narrowest(&self.measured, clock, instance, here) {
            let same = anchor.is_of(instance, here);
            let evidence = if same { Evidence::Measured } else { Evidence::Scaled };
            // Some chip of the same number of vCPUs is the same machine as far as anyone said.
            let there = if same { here.hours } else { anchor.there.hours };
            let shared = clock.whole_job && self.trains && clock.spreading.is_shared();
            let fixed = match here.hardware {
                Hardware::Gpu { .. } if shared => overhead::fixed(anchor.time),
                _ => Hours::ZERO,
            };
            let known =
                Known { source: anchor.source, evidence, time: anchor.time, there, stretch: 1.0, fixed };
            return Ok(known.carried(here, spread));
        }
        if let Some((anchor, spread)) = narrowest(&self.published, clock, instance, here) {
            let known = Known {
                source: anchor.source,
                evidence: Evidence::Published,
                time: anchor.time,
                there: anchor.there.hours,
                stretch: self.stretch(clock, here, false, Hours::ZERO),
                fixed: Hours::ZERO,
            };
            return Ok(known.carried(here, spread));
        }
        let (estimate, there) = match here.hardware {
            Hardware::Gpu { card, .. } => {
                let speed = clock.cards.get(card).map_or(1.0, |c| c.speed);
                (self.estimates.on_card(card)?, 1.0 / speed)
            }
            Hardware::Cpu(_) => (self.estimates.cpu?, 1.0),
        };
        let known = Known {
            source: estimate.source,
            evidence: if estimate.thumb { Evidence::RuleOfThumb } else { Evidence::Estimated },
            time: estimate.time,
            there,
            stretch: self.stretch(clock, here, estimate.long, estimate.time),
            fixed: Hours::ZERO,
        };
        Ok(known.carried(here, estimated_spread(&estimate, here)))
    }

    fn stretch(&self, clock: &StageClock, here: &Effort, long: bool, on_one: Hours) -> f64 {
        match here.hardware {
            Hardware::Gpu { count, .. } => {
                let cards = count * f64::from(here.instances);
                overhead::factor(clock.whole_job, self.trains, long, cards, on_one.get())
            }
            Hardware::Cpu(_) => 1.0,
        }
    }
}

/// Factor of an estimate's band on a machine.
fn estimated_spread(estimate: &Estimate, here: &Effort) -> f64 {
    match here.hardware {
        // The estimate is of this very card: only the number of cards adds doubt.
        Hardware::Gpu { count, .. } => {
            let more = (count * f64::from(here.instances)).max(1.0).log2();
            combined(&[estimate.spread, 1.0 + 0.03 * more])
        }
        Hardware::Cpu(cores) => combined(&[estimate.spread, cores.doubt()]),
    }
}

/// A time known on some machine of the same class.
struct Known {
    source: Source,
    evidence: Evidence,
    time: Hours,
    there: f64,
    stretch: f64,
    fixed: Hours,
}

impl Known {
    /// The time here: what is fixed, and the rest by effort.
    fn carried(self, here: &Effort, spread: f64) -> (Duration, Basis) {
        let Self { source, evidence, time: known, there, stretch, fixed } = self;
        let expected = fixed + known.minus(fixed) * (here.hours / there * stretch);
        let class = here.hardware.class();
        let time = Band::exact(expected).widened(spread);
        (
            Duration { time, evidence, class, known, starved: 1.0, spread },
            Basis { source, there, here: here.hours, stretch, fixed },
        )
    }
}

fn narrowest<'a>(
    anchors: &'a [Anchor],
    clock: &StageClock,
    instance: &Instance,
    here: &Effort,
) -> Option<(&'a Anchor, f64)> {
    let class: Class = here.hardware.class();
    let doubt = square_of_log(here.doubt);
    let mut best: Option<(&Anchor, f64)> = None;
    for anchor in anchors.iter().filter(|a| a.there.hardware.class() == class) {
        let square = anchor.square_on(clock, instance, here, doubt);
        if best.is_none_or(|(_, narrowest)| square < narrowest) {
            best = Some((anchor, square));
        }
    }
    best.map(|(anchor, square)| (anchor, square.sqrt().exp()))
}

/// The squared logarithm of a factor of doubt.
fn square_of_log(factor: f64) -> f64 {
    if factor > 1.0 { factor.ln().powi(2) } else { 0.0 }
}

/// Independent factors together: their logarithms add as squares.
pub(crate) fn combined(factors: &[f64]) -> f64 {
    factors.iter().map(|f| square_of_log(*f)).sum::<f64>().sqrt().exp()
}

impl Anchor {
    /// Whether it was measured on just that: the named instance, the same cards, or the same number of vCPUs.
    fn is_of(&self, instance: &Instance, here: &Effort) -> bool {
        let hardware = match (&self.instance, self.there.hardware, here.hardware) {
            (Some(_), _, _) if self.is_on(instance) => true,
            (_, Hardware::Gpu { card: a, count: n }, Hardware::Gpu { card: b, count: m }) => {
                a == b && same(n, m)
            }
            (None, Hardware::Cpu(a), Hardware::Cpu(b)) => same(a.vcpus, b.vcpus),
            _ => false,
        };
        hardware && self.there.instances == here.instances
    }

    /// Whether it was measured on accelerators.
    fn is_on_cards(&self) -> bool {
        self.there.hardware.class() == Class::Gpu
    }

    fn is_on(&self, instance: &Instance) -> bool {
        self.instance.as_ref().is_some_and(|(p, name)| *p == instance.provider && *name == instance.name)
    }

    /// The squared logarithm of the factor of the band on a machine, of which that of its `doubt` is known: independent
    /// doubts add so.
    fn square_on(&self, clock: &StageClock, instance: &Instance, here: &Effort, doubt: f64) -> f64 {
        let (spread, there) = self.squares;
        let doubts = || there + doubt;
        let machines = (self.there.instances, here.instances);
        let (hardware, count) = match (self.there.hardware, here.hardware) {
            (Hardware::Gpu { card: a, count: n }, Hardware::Gpu { card: b, count: m }) => {
                let hardware = if a == b { square_of_log(SAME_HARDWARE) } else { doubts() };
                (hardware, clock.spreading.log_doubt((n, machines.0), (m, machines.1)))
            }
            (Hardware::Cpu(a), Hardware::Cpu(b)) => {
                let hardware = if self.is_of(instance, here) {
                    square_of_log(SAME_VCPUS)
                } else if a.is_same_chip(&b) {
                    0.0
                } else {
                    doubts()
                };
                let cores = PER_CORE_DOUBLING.ln() * (a.physical() / b.physical()).log2().abs();
                (hardware, cores + clock.spreading.log_doubt((1.0, machines.0), (1.0, machines.1)))
            }
            _ => (0.0, 0.0),
        };
        let hardware = if self.is_on(instance) { 0.0 } else { hardware };
        spread + hardware + count.max(0.0).powi(2)
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// A measurement with the effort of what it was made on; `None` where that is not in the catalog.
fn resolve(at: u16, m: &Measurement, catalog: &Catalog, clock: &StageClock) -> Option<Anchor> {
    let instances = m.instances.max(1);
    let (there, instance) = match &m.on {
        MeasuredOn::Gpu { accelerator, count } => {
            (clock.gpu_effort(*accelerator, *count, instances).ok()?, None)
        }
        MeasuredOn::Vcpus(n) => {
            (clock.cpu_effort(Cores::unknown(n.max(0.01), clock.chips.limit()), instances).ok()?, None)
        }
        MeasuredOn::Instance { provider, instance } => {
            let found = named(provider.as_deref(), instance, catalog)?;
            let machine = super::Machine { instance: found, instances };
            (clock.effort(machine).ok()?, Some((found.provider, found.name.clone())))
        }
    };
    let source = Source::Measurement(at);
    let squares = (square_of_log(SAME_INSTANCE), square_of_log(there.doubt));
    Some(Anchor { source, label: m.label.clone(), time: m.time, there, instance, squares })
}

/// Published rates as times of the whole stage.
fn published_anchors(stage: &Stage, catalog: &Catalog, clock: &StageClock) -> Vec<Anchor> {
    // A service answers one request at a time; published rates are of large batches.
    let runs = stage.kind.runs_model() && stage.kind != StageKind::Serve;
    let Some(model) = stage.model.as_ref().filter(|_| runs) else { return Vec::new() };
    let Ok(samples) = super::estimate::samples(stage) else { return Vec::new() };
    let anchor = |rate: published::Published| {
        let there = clock.gpu_effort(rate.card, rate.count, 1).ok()?;
        let time = Hours::from_secs(samples / rate.per_second);
        Some(Anchor {
            source: Source::Published(rate.line),
            label: String::new(),
            time,
            there,
            instance: None,
            squares: (square_of_log(published::SPREAD), square_of_log(there.doubt)),
        })
    };
    published::rates(model, stage.kind.trains(), catalog).into_iter().filter_map(anchor).collect()
}
