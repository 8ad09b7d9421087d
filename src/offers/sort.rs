//! The order of a listing: total, so that equal catalogs give equal bytes.

use super::row::Row;
use crate::names::named;
use crate::units::PerHour;
use std::cmp::Ordering;

named! {
    /// What a listing is sorted by. Rising, except that dates begin with the newest.
    pub enum Sort {
        /// Price of one hour of the instance.
        Price = "price",
        /// Price of one hour ÷ GPUs.
        GpuPrice = "gpu-price",
        /// Number of GPUs.
        Gpus = "gpus",
        /// Memory of one GPU.
        Vram = "vram",
        /// vCPUs.
        Vcpus = "vcpus",
        /// Main memory.
        Memory = "memory",
        /// Name of the provider.
        Provider = "provider",
        /// Name of the instance type.
        Instance = "instance",
        /// Name of the region.
        Region = "region",
        /// Date of the price.
        Date = "date",
    }
}

impl Sort {
    /// The order of two rows: first by this, with what is unknown or does not apply last in either direction; then by
    /// price (unknown last), provider, instance, region, zone, way of buying, and place in the catalog.
    pub fn compare(self, a: &Row, b: &Row, reverse: bool) -> Ordering {
        let turned = |order: Ordering| if reverse { order.reverse() } else { order };
        let number = |of: fn(&Row) -> Option<f64>| known_first(of(a), of(b), |a, b| turned(a.total_cmp(b)));
        let first = match self {
            Self::Price => number(hourly),
            Self::GpuPrice => number(Row::per_gpu_hour),
            Self::Gpus => number(|row| Some(row.gpu.as_ref().map_or(0.0, |gpu| gpu.count))),
            Self::Vram => number(|row| Some(row.gpu.as_ref()?.memory.as_f64())),
            Self::Vcpus => number(|row| Some(row.vcpus)),
            Self::Memory => number(|row| Some(row.memory.as_f64())),
            Self::Provider => turned(a.provider.cmp(&b.provider)),
            Self::Instance => turned(a.instance.cmp(&b.instance)),
            Self::Region => turned(a.region.cmp(&b.region)),
            Self::Date => known_first(a.provenance.as_of, b.provenance.as_of, |a, b| turned(b.cmp(a))),
        };
        first
            .then_with(|| known_first(hourly(a), hourly(b), f64::total_cmp))
            .then_with(|| a.provider.cmp(&b.provider))
            .then_with(|| a.instance.cmp(&b.instance))
            .then_with(|| a.region.cmp(&b.region))
            .then_with(|| a.zones.cmp(&b.zones))
            .then_with(|| a.purchase.cmp(&b.purchase))
            .then_with(|| a.position.cmp(&b.position))
    }
}

fn hourly(row: &Row) -> Option<f64> {
    row.per_hour().map(PerHour::as_f64)
}

/// What is known comes before what is not.
fn known_first<T>(a: Option<T>, b: Option<T>, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
