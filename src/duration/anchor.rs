//! What is known about a stage's time, and on what: measurements of the user, then estimates.

use super::estimate::{self, Estimate};
use super::{Basis, Duration, Effort, Evidence, Hardware, NoDuration, StageClock};
use crate::catalog::{Catalog, Instance, Name, ProviderId};
use crate::job::{Class, MeasuredOn, Measurement, Stage};
use crate::units::{Band, Hours};

/// Where a known time comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// The stage's measurement with this position.
    Measurement(u16),
    /// Operations at a rate of the reference machine.
    Arithmetic {
        /// Floating-point operations of the whole stage.
        flops: f64,
        /// Operations per second that the reference reaches.
        rate: f64,
    },
    /// Operations guessed from the number of parameters alone, at a rate of the reference machine.
    Guess {
        /// Floating-point operations of the whole stage.
        flops: f64,
        /// Operations per second that the reference reaches.
        rate: f64,
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
    /// Frames at the rate of an encoder engine.
    Frames {
        /// How many.
        frames: f64,
        /// Frames per second and engine.
        per_second: f64,
    },
    /// Nothing: a service of which no time is stated, for which one server is assumed.
    OneServer,
}

/// Factor within which a measured time repeats on the same instance type: identical nodes differ by up to 2 %, a
/// short measurement drawn out to the whole work by a few more.
const SAME_INSTANCE: f64 = 1.05;
/// The same for the same card or number of vCPUs in another instance: host, cooling and power limit differ.
const SAME_HARDWARE: f64 = 1.1;

/// A time known on some hardware.
#[derive(Debug, Clone)]
pub(super) struct Anchor {
    pub measurement: u16,
    pub label: String,
    pub time: Hours,
    pub there: Effort,
    /// The instance type, where one was named.
    pub instance: Option<(ProviderId, Name)>,
}

/// All that is known, by class.
#[derive(Debug, Clone)]
pub(super) struct Anchors {
    pub measured: Vec<Anchor>,
    pub gpu: Result<Estimate, NoDuration>,
    pub cpu: Result<Estimate, NoDuration>,
}

impl Default for Anchors {
    fn default() -> Self {
        let nothing = Err(NoDuration::Needs("a measured time"));
        Self { measured: Vec::new(), gpu: nothing, cpu: nothing }
    }
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
    pub(super) fn new(stage: &Stage, catalog: &Catalog, clock: &StageClock) -> Self {
        let measured =
            (0u16..).zip(&stage.measured).filter_map(|(at, m)| resolve(at, m, catalog, clock)).collect();
        Self { measured, gpu: estimate::on_gpu(stage), cpu: estimate::on_cpu(stage) }
    }

    /// The best evidence for a machine: the measurement that carries over with the narrowest band (the first of
    /// equals), else the estimate of the machine's class.
    pub(super) fn nearest(
        &self,
        clock: &StageClock,
        instance: &Instance,
        here: &Effort,
    ) -> Result<Duration, NoDuration> {
        let class = here.hardware.class();
        let mut best: Option<(f64, &Anchor)> = None;
        for anchor in self.measured.iter().filter(|a| a.there.hardware.class() == class) {
            let spread = anchor.spread(clock, instance, here);
            if best.is_none_or(|(narrowest, _)| spread < narrowest) {
                best = Some((spread, anchor));
            }
        }
        if let Some((spread, anchor)) = best {
            let same = anchor.is_of(instance, here);
            let evidence = if same { Evidence::Measured } else { Evidence::Scaled };
            // Some chip of the same number of vCPUs is the same machine as far as anyone said.
            let there = if same { here.hours } else { anchor.there.hours };
            let source = Source::Measurement(anchor.measurement);
            let basis = Basis { source, class, known: anchor.time, there, here: here.hours, spread };
            return Ok(Duration { time: carried(basis), evidence, basis });
        }
        let estimate = match class {
            Class::Gpu => self.gpu,
            Class::Cpu => self.cpu,
        }?;
        let spread = combined(&[estimate.spread, here.doubt]);
        let basis = Basis {
            source: estimate.source,
            class,
            known: estimate.time,
            there: 1.0,
            here: here.hours,
            spread,
        };
        let evidence = match estimate.source {
            Source::PerCore { .. } | Source::Guess { .. } | Source::Frames { .. } => Evidence::RuleOfThumb,
            _ => Evidence::Estimated,
        };
        Ok(Duration { time: carried(basis), evidence, basis })
    }
}

/// The known time carried from there to here.
fn carried(basis: Basis) -> Band<Hours> {
    Band::exact(basis.known * (basis.here / basis.there)).widened(basis.spread)
}

/// Independent factors together: their logarithms add as squares.
pub(super) fn combined(factors: &[f64]) -> f64 {
    factors.iter().map(|f| f.max(1.0).ln().powi(2)).sum::<f64>().sqrt().exp()
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

    fn is_on(&self, instance: &Instance) -> bool {
        self.instance.as_ref().is_some_and(|(p, name)| *p == instance.provider && *name == instance.name)
    }

    /// Factor of the band on a machine.
    fn spread(&self, clock: &StageClock, instance: &Instance, here: &Effort) -> f64 {
        let doubts = combined(&[self.there.doubt, here.doubt]);
        let machines = (self.there.instances, here.instances);
        let (hardware, count) = match (self.there.hardware, here.hardware) {
            (Hardware::Gpu { card: a, count: n }, Hardware::Gpu { card: b, count: m }) => {
                let hardware = if a == b { SAME_HARDWARE } else { doubts };
                (hardware, clock.spreading.doubt((n, machines.0), (m, machines.1)))
            }
            (Hardware::Cpu(a), Hardware::Cpu(b)) => {
                let hardware = match self.is_of(instance, here) {
                    true => SAME_VCPUS,
                    false if a.is_same_chip(&b) => 1.0,
                    false => doubts,
                };
                let cores = PER_CORE_DOUBLING.powf((a.physical() / b.physical()).log2().abs());
                (hardware, cores * clock.spreading.doubt((1.0, machines.0), (1.0, machines.1)))
            }
            _ => (1.0, 1.0),
        };
        combined(&[SAME_INSTANCE, if self.is_on(instance) { 1.0 } else { hardware }, count])
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Factor within which another chip of the same number of vCPUs repeats a time. A guess.
const SAME_VCPUS: f64 = 1.2;

/// Factor by which each doubling of the vCPUs of one machine may be off: memory bandwidth and locks. A guess.
const PER_CORE_DOUBLING: f64 = 1.08;

/// A measurement with the effort of what it was made on; `None` where that is not in the catalog.
fn resolve(at: u16, m: &Measurement, catalog: &Catalog, clock: &StageClock) -> Option<Anchor> {
    let instances = m.instances.max(1);
    let (there, instance) = match &m.on {
        MeasuredOn::Gpu { accelerator, count } => {
            (clock.gpu_effort(*accelerator, *count, instances).ok()?, None)
        }
        MeasuredOn::Vcpus(n) => {
            (clock.cpu_effort(super::cores::Cores::unknown(n.max(0.01)), instances).ok()?, None)
        }
        MeasuredOn::Instance { provider, instance } => {
            let found = named(provider.as_deref(), instance, catalog)?;
            let machine = super::Machine { instance: found, instances };
            (clock.effort(machine).ok()?, Some((found.provider, found.name.clone())))
        }
    };
    Some(Anchor { measurement: at, label: m.label.clone(), time: m.time, there, instance })
}
