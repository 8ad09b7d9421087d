//! The ways to buy the servers of a service, side by side (B-Q3).

use crate::job::Purchase;
use crate::names::named;
use crate::units::Money;

named! {
    /// A way to buy the servers of a service.
    pub enum ServiceWay {
        /// By the hour, as many as each hour of the day needs.
        Autoscaled = "autoscaled",
        /// By the hour, as many as the peak needs around the clock.
        AlwaysOn = "always-on",
        /// All reserved for a term.
        Reserved = "reserved",
        /// A base reserved for a term, the rest by the hour as each hour needs them.
        BaseAndPeak = "base-and-peak",
    }
}

/// One of them at an offer, with its cost of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceOption {
    /// The way.
    pub way: ServiceWay,
    /// On-demand, or the term for which servers are reserved.
    pub purchase: Purchase,
    /// Servers that are reserved.
    pub reserved: u32,
    /// Most servers by the hour at once …
    pub hourly: u32,
    /// … and fewest, over the hours of the day.
    pub least: u32,
    /// What a month of 730 hours costs, without storage and transfer.
    pub month: Money,
    /// Whether it commits for years, so that it is taken only where the stage pins it.
    pub commits: bool,
}
