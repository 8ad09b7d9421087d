//! The header of an offers list, and where a field of a row begins.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::{Named, named};
use crate::read::Source;
use csv::StringRecord;

named! {
    /// The columns that an offers list may have. A CSV row holds what an `[[instance]]` with one price row holds.
    pub(super) enum Column {
        /// Who sells it.
        Provider = "provider",
        /// Its name.
        Instance = "instance",
        /// The region.
        Region = "region",
        /// The zone, where prices differ.
        Zone = "zone",
        /// Virtual CPUs.
        Vcpus = "vcpus",
        /// Main memory.
        MemoryGib = "memory_gib",
        /// Model of its accelerators.
        Gpu = "gpu",
        /// How many; one where it is empty.
        GpuCount = "gpu_count",
        /// Memory of one, as a check.
        GpuMemoryGib = "gpu_memory_gib",
        /// Currency of the prices.
        Currency = "currency",
        /// On-demand price of an hour.
        OnDemand = "on_demand_h",
        /// The same from the 96th hour on.
        OnDemandAfter96 = "on_demand_h_after_96h",
        /// The same from the 360th hour on.
        OnDemandAfter360 = "on_demand_h_after_360h",
        /// Spot price of an hour.
        Spot = "spot_h",
        /// Price of a whole month.
        Month = "month",
        /// Price of a whole year.
        Year = "year",
        /// Price of three whole years.
        ThreeYears = "three_years",
        /// `true` where it costs nothing.
        Free = "free",
        /// Whether a price is that of the instance or of one GPU.
        PriceUnit = "price_unit",
        /// How often spot is taken away.
        Interruption = "interruption",
        /// Date of the prices.
        AsOf = "as_of",
        /// Source of the prices.
        Source = "source",
        /// How well they are known.
        Confidence = "confidence",
    }
}

/// Columns without which no row can be read.
const NEEDED: [Column; 8] = [
    Column::Provider,
    Column::Instance,
    Column::Region,
    Column::Vcpus,
    Column::MemoryGib,
    Column::Currency,
    Column::AsOf,
    Column::Source,
];

/// Where each column stands.
pub(super) struct Columns {
    /// By the order of [`Column::ALL`].
    positions: Vec<Option<usize>>,
    len: usize,
}

impl Columns {
    /// Reads the header; none where rows could not be read under it.
    pub(super) fn read(source: &Source, header: &StringRecord, diags: &mut Diagnostics) -> Option<Self> {
        let mut positions = vec![None; Column::ALL.len()];
        for (at, name) in header.iter().enumerate() {
            let place = || source.field(0, at);
            let known = Column::ALL.iter().position(|(_, known)| *known == name.trim());
            match known.and_then(|known| positions.get_mut(known)) {
                Some(position @ None) => *position = Some(at),
                Some(Some(_)) => {
                    diags.push(Diagnostic::error(Code::Duplicate, place(), format!("two columns {name:?}")));
                }
                None => diags.push(
                    Diagnostic::error(Code::UnknownKey, place(), format!("unknown column {name:?}"))
                        .allowed(Column::allowed())
                        .did_you_mean(name, Column::ALL.iter().map(|(_, name)| *name)),
                ),
            }
        }
        let columns = Self { positions, len: header.len() };
        let missing: Vec<Column> =
            NEEDED.into_iter().filter(|column| columns.at(*column).is_none()).collect();
        for column in &missing {
            diags.push(Diagnostic::error(Code::MissingKey, source.place(0), format!("no column `{column}`")));
        }
        missing.is_empty().then_some(columns)
    }

    /// Position of a column.
    pub(super) fn at(&self, column: Column) -> Option<usize> {
        self.positions.get(column as usize).copied().flatten()
    }

    /// How many fields a row has.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}
