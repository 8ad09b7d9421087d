//! The columns of a list of SkyPilot's form.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::closest;
use crate::read::Source;
use csv::StringRecord;

/// Columns that are read; others are passed over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) instance: usize,
    pub(super) region: usize,
    pub(super) price: usize,
    pub(super) vcpus: usize,
    pub(super) memory: usize,
    pub(super) spot: Option<usize>,
    pub(super) zone: Option<usize>,
    pub(super) gpu: Option<usize>,
    pub(super) gpu_count: Option<usize>,
    pub(super) gpu_info: Option<usize>,
}

/// Columns without which no row can be read, and the others that are.
const NEEDED: [&str; 5] = ["InstanceType", "Region", "Price", "vCPUs", "MemoryGiB"];
const OTHERS: [&str; 5] = ["SpotPrice", "AvailabilityZone", "AcceleratorName", "AcceleratorCount", "GpuInfo"];

/// Whether a list has such columns rather than those of the program's own form: two are enough, so that a missing one is
/// said to be missing.
pub(in crate::catalog::import) fn is_one(source: &Source) -> bool {
    let first = source.text().lines().next().unwrap_or_default();
    let here = |names: &[&str]| first.split(',').filter(|column| names.contains(&column.trim())).count();
    here(&NEEDED) + here(&OTHERS) >= 2
}

impl Columns {
    /// Where each column stands; columns that are missing are reported.
    pub(super) fn read(source: &Source, header: &StringRecord, diags: &mut Diagnostics) -> Option<Self> {
        for name in NEEDED {
            if !header.iter().any(|column| column.trim() == name) {
                let missing = format!("no column `{name}` in a list of SkyPilot's form");
                let spare = header.iter().map(str::trim).find(|column| {
                    !NEEDED.contains(column) && !OTHERS.contains(column) && closest(column, [name]).is_some()
                });
                let missing = Diagnostic::error(Code::MissingKey, source.place(0), missing);
                diags.push(match spare {
                    Some(spare) => missing.hint(format!("call the column {spare:?} `{name}`")),
                    None => missing.hint(format!("add the column `{name}`")),
                });
            }
        }
        Self::of(header)
    }

    fn of(header: &StringRecord) -> Option<Self> {
        let at = |name: &str| header.iter().position(|column| column.trim() == name);
        Some(Self {
            instance: at("InstanceType")?,
            region: at("Region")?,
            price: at("Price")?,
            vcpus: at("vCPUs")?,
            memory: at("MemoryGiB")?,
            spot: at("SpotPrice"),
            zone: at("AvailabilityZone"),
            gpu: at("AcceleratorName"),
            gpu_count: at("AcceleratorCount"),
            gpu_info: at("GpuInfo"),
        })
    }
}
