//! Why offers were not taken: counted by reason, with the one that came nearest.

use crate::catalog::InstanceId;
use crate::names::named;
use crate::units::{Bytes, Hours, Money};
use std::collections::BTreeMap;

named! {
    /// Why an offer does not take part. `plan explain REASON` says more.
    pub enum Reason {
        /// Its provider or region is not among those of `[where]`, or is excluded.
        NotAllowed = "not-allowed",
        /// The stage pins another instance, card or class.
        Pinned = "pinned",
        /// The software has no GPU version (`gpu_support = "none"`, B-Q2).
        NoGpuBuild = "no-gpu-build",
        /// The card runs another software stack than the stage.
        SoftwareStack = "software-stack",
        /// The card has no BF16 arithmetic and the model's precision asks for it.
        NoBf16 = "no-bf16",
        /// No video encoder engine, or none known (B-K9).
        NoEncoder = "no-encoder",
        /// Fewer vCPUs than `min_vcpus`.
        Vcpus = "vcpus",
        /// Less main memory than `min_memory`, or than the model takes on a general-purpose instance.
        HostMemory = "host-memory",
        /// An answer would take longer than `latency` even without a wait, or, where no latency is stated, longer than
        /// on the slowest machine on which the stage measured it.
        Latency = "latency",
        /// As many servers as `instances` allows cannot keep up with the peak of a service: its queue grows without end.
        Overload = "overload",
        /// A service keeps up, but its latency or head-room needs more servers than `instances` allows (B-K7).
        Servers = "servers",
        /// The memory that the model is estimated (or was measured) to need exceeds what CUDA sees of the card.
        Memory = "memory",
        /// Weights, gradients and optimizer states alone exceed what CUDA sees of the card.
        MemoryFloor = "memory-floor",
        /// The stage's work would leave the GPU idle (A-K1, A-R4).
        IdleGpu = "idle-gpu",
        /// No duration can be told for it.
        NoDuration = "no-duration",
        /// The work does not run there.
        Unsuitable = "unsuitable",
        /// The price is older than `--stale-after` and neither its provider nor its region is named.
        StalePrice = "stale-price",
        /// No price of this purchase option.
        NoPrice = "no-price",
        /// Data would have to be moved at a price that the catalog does not have (A-R1).
        TransferNotPriced = "transfer-not-priced",
        /// Prices in a currency without an exchange rate.
        NoRate = "no-rate",
        /// The purchase option is not open to this stage (A-S2, A-S3, precedence 3).
        PurchaseNotOpen = "purchase-not-open",
        /// Spot at or above on-demand saves nothing.
        SpotNotCheaper = "spot-not-cheaper",
        /// Spot without checkpoints on a job so long that it may never end: λ(W+R) above the limit (A-S3).
        SpotRefused = "spot-refused",
        /// Spot with on-demand fallback needs more time than there is to keep the deadline as often as asked.
        FallbackTight = "fallback-tight",
        /// Longer than the deadline even alone, or than a year.
        TooSlow = "too-slow",
    }
}

/// A figure of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// A size.
    Bytes(Bytes),
    /// A number of vCPUs.
    Vcpus(f64),
    /// A duration.
    Hours(Hours),
    /// An amount in the currency of the plan.
    Money(Money),
    /// A plain number.
    Number(f64),
}

impl Figure {
    fn size(self) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes.as_f64(),
            Self::Vcpus(n) | Self::Number(n) => n,
            Self::Hours(hours) => hours.get(),
            Self::Money(money) => money.as_f64(),
        }
    }
}

impl Figure {
    /// With more digits: a latency that is missed by little is told from its bound.
    pub fn precise(&self) -> String {
        match self {
            Self::Hours(time) if time.as_secs() < 120.0 => {
                format!("{} s", crate::units::number::significant(time.as_secs(), 4))
            }
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => f.write_str(&bytes.gib()),
            Self::Vcpus(n) => f.write_str(&crate::units::number::things(n, "vCPU")),
            Self::Hours(hours) => write!(f, "{hours}"),
            Self::Money(money) => f.write_str(&money.amount()),
            Self::Number(n) => f.write_str(&crate::units::number::significant(*n, 3)),
        }
    }
}

/// The offer that came nearest to passing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its instance type.
    pub instance: InstanceId,
    /// What was needed.
    pub needs: Figure,
    /// What it has.
    pub has: Figure,
}

impl Near {
    /// An instance with the figure that was needed and the one that it has.
    pub const fn of(instance: InstanceId, needs: Figure, has: Figure) -> Self {
        Self { instance, needs, has }
    }

    /// How far it misses: the larger of the two figures over the smaller.
    fn distance(&self) -> f64 {
        let ratio = self.needs.size() / self.has.size();
        if ratio.is_nan() { f64::INFINITY } else { ratio.max(1.0 / ratio) }
    }
}

/// All offers that one reason turned away.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// The reason.
    pub reason: Reason,
    /// How many offers.
    pub offers: usize,
    /// The one that came nearest, where the reason compares figures.
    pub near: Option<Near>,
    /// What was missing, where the reason is a missing fact.
    pub needs: Option<&'static str>,
}

/// Rejections by reason.
#[derive(Debug, Clone, Default)]
pub struct Rejections(BTreeMap<Reason, Rejection>);

impl Rejections {
    fn entry(&mut self, reason: Reason) -> &mut Rejection {
        self.0.entry(reason).or_insert(Rejection { reason, offers: 0, near: None, needs: None })
    }

    /// Counts offers.
    pub fn add(&mut self, reason: Reason, offers: usize) {
        self.entry(reason).offers += offers;
    }

    /// Counts offers and keeps the nearest miss; of equal ones the first.
    pub fn add_near(&mut self, reason: Reason, offers: usize, near: Option<Near>) {
        let entry = self.entry(reason);
        entry.offers += offers;
        if let Some(near) = near
            && entry.near.is_none_or(|old| near.distance() < old.distance())
        {
            entry.near = Some(near);
        }
    }

    /// Counts offers for which a fact is missing.
    pub fn add_text(&mut self, reason: Reason, offers: usize, needs: &'static str) {
        let entry = self.entry(reason);
        entry.offers += offers;
        entry.needs.get_or_insert(needs);
    }

    /// All of them, in the order in which reasons are tested.
    pub fn iter(&self) -> impl Iterator<Item = &Rejection> {
        self.0.values()
    }

    /// The rejection for one reason.
    pub fn get(&self, reason: Reason) -> Option<&Rejection> {
        self.0.get(&reason)
    }
}
