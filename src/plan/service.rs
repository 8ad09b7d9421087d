//! A service in figures: servers, their load, and what decodes beside their GPUs.

use crate::units::number::significant;
use crate::units::{Band, Hours, Money};

/// How a service is sized.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceFigures {
    /// Peak rate in requests per second, where stated.
    pub peak: Option<f64>,
    /// Time of one request on one server; absent where nothing is known of it.
    pub item: Option<Band<Hours>>,
    /// Requests that one server works on at once.
    pub concurrency: u32,
    /// Servers that just keep up with the peak.
    pub at_peak: u32,
    /// Servers with the head-room: what is rented.
    pub servers: u32,
    /// The head-room, a share over the peak.
    pub headroom: f64,
    /// Requests per second that one server can do, where known.
    pub rate: Option<f64>,
    /// Share of the servers' capacity that the peak takes.
    pub utilisation: Option<f64>,
    /// Decoding beside the GPU, where its time is stated.
    pub decode: Option<DecodeFigures>,
    /// Cost of a million requests at the peak rate around the clock.
    pub per_million: Option<Money>,
}

/// vCPUs that read and prepare what a service takes in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecodeFigures {
    /// vCPUs that it takes at the peak, over all servers.
    pub at_peak: f64,
    /// vCPUs that one server needs to keep its GPU fed at the server's full rate.
    pub to_feed: f64,
    /// vCPUs of one server.
    pub has: f64,
    /// Whether the vCPUs are too few, so that they and not the GPU limit the server's rate.
    pub starved: bool,
}

impl std::fmt::Display for ServiceFigures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |n: u32| format!("{n} server{}", if n == 1 { "" } else { "s" });
        if self.item.is_none() {
            return write!(f, "one server by rule of thumb: no time of a request is known");
        }
        write!(
            f,
            "{} at the peak, {} with {} % head-room",
            many(self.at_peak),
            self.servers,
            significant(self.headroom * 100.0, 3)
        )?;
        if let Some(decode) = self.decode.filter(|d| d.starved) {
            let (has, needs) = (significant(decode.has, 3), significant(decode.to_feed, 3));
            write!(f, "; its {has} vCPUs cannot keep the GPU fed, which takes {needs}")?;
        }
        match self.per_million {
            Some(cost) => write!(f, "; {} per million requests", cost.amount()),
            None => Ok(()),
        }
    }
}
