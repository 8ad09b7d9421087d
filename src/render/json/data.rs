//! Where the data is kept, and what that costs.

use crate::plan::{DataPlace, Plan};
use crate::units::{Hours, Money};
use serde::Serialize;

/// `storage_cost` and `transfer_cost` are in the stages' bills.
#[derive(Serialize)]
pub(super) struct Data {
    location: String,
    chosen: Option<Region>,
    unpriced_region: Option<Unpriced>,
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

/// A region that was not taken since keeping data there has no price.
#[derive(Serialize)]
struct Unpriced {
    location: String,
    cost: f64,
    cost_period: &'static str,
    hours: Option<f64>,
    exact: bool,
}

/// The place of a plan; none where nothing is known to move.
pub(super) fn data(plan: &Plan) -> Option<Data> {
    let DataPlace { provider, region, chosen, unpriced, storage, transfer } = plan.data.as_ref()?;
    Some(Data {
        location: format!("{provider}/{region}"),
        chosen: chosen.map(|c| Region { regions: c.regions, storage_priced: c.priced, proven: c.proven }),
        unpriced_region: unpriced.as_ref().map(|u| Unpriced {
            location: format!("{}/{}", u.provider, u.region),
            cost: u.cost.as_f64(),
            cost_period: if u.monthly { "month" } else { "run" },
            hours: u.time.map(Hours::get),
            exact: u.exact,
        }),
        storage_cost: Money::as_f64(*storage),
        transfer_cost: Money::as_f64(*transfer),
    })
}
