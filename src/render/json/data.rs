//! Where the data is kept, and what that costs.

use crate::plan::{DataPlace, Plan};
use crate::units::Money;
use serde::Serialize;

/// `storage_cost` and `transfer_cost` are in the stages' bills.
#[derive(Serialize)]
pub(super) struct Data {
    location: String,
    chosen: Option<Region>,
    storage_cost: f64,
    transfer_cost: f64,
}

/// How a region was chosen that the workload does not name.
#[derive(Serialize)]
struct Region {
    regions: usize,
    storage_priced: bool,
    proven: bool,
}

/// The place of a plan; none where nothing is known to move.
pub(super) fn data(plan: &Plan) -> Option<Data> {
    let DataPlace { provider, region, chosen, storage, transfer } = plan.data.as_ref()?;
    Some(Data {
        location: format!("{provider}/{region}"),
        chosen: chosen.map(|c| Region { regions: c.regions, storage_priced: c.priced, proven: c.proven }),
        storage_cost: Money::as_f64(*storage),
        transfer_cost: Money::as_f64(*transfer),
    })
}
