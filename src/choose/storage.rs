//! Where the stages' data is kept, where the job does not say it (A-R3).
//!
//! Stages hand data over through storage in one region, so what a stage pays for its data depends on its own region and
//! on that one alone. For every region that the prices allow, that gives each stage a set of (time, cost), and the
//! solver the least cost over the graph; the region with the least of all is taken. Equal ones: the shorter run, then
//! the name.
//!
//! Few regions have to be looked at. With nothing charged for the data, the prices of time of the solver's question
//! bound the cost of any plan from below; what weighs more than the best plan known is left out of every question, and
//! so is every region whose own bound is no better. Nothing that could be best is left out.

mod bounds;
mod places;
mod search;
mod stock;

pub use search::{is_open, region};

use crate::job::{Aim, Job, Location, Origin, Setting};
use crate::plan::UnpricedRegion;

/// The region that is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Provider and region.
    pub location: Location,
    /// How many regions could have been taken.
    pub among: usize,
    /// Whether keeping data has a price there. Regions without one are taken only where none with one will do.
    pub priced: bool,
    /// Whether no other of these regions is cheaper for certain; the search for the best choice of a very large graph may
    /// end before its proof.
    pub proven: bool,
    /// A region without a price for keeping data in which the rest would be so much better that it has to be said.
    pub unpriced: Option<UnpricedRegion>,
}

impl Chosen {
    /// The job with its data there, as a default of which the explanation tells.
    pub fn settle(&self, job: &Job) -> Job {
        let Location { provider, region } = &self.location;
        let priced = if self.priced { " with a price for keeping data" } else { "" };
        let most = if job.limits.aim == Aim::Time { "fastest" } else { "cheapest" };
        let best = format!("the {most}{}", if self.proven { "" } else { " found" });
        let reason = match self.among {
            1 => format!("the only region{priced} for this plan"),
            many => format!("{best} for this plan of the {many} regions{priced}"),
        };
        let setting = Setting {
            key: "data.location".to_owned(),
            value: format!("{provider}/{region}"),
            origin: Origin::Default(reason),
        };
        let mut job = Job { data_location: Some(self.location.clone()), ..job.clone() };
        let after = job.settings.iter().rposition(|s| s.key.starts_with("data.")).map_or(0, |at| at + 1);
        job.settings.insert(after, setting);
        job
    }
}
