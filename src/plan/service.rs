//! A service in figures: servers, their load over the day, how fast they answer, what decodes beside their GPUs.

use crate::job::{Latency, Purchase};
use crate::price::service::ServiceOption;
use crate::units::number::{significant, thousands};
use crate::units::{Band, Hours, Money};

/// How a service is sized.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceFigures {
    /// Peak rate in requests per second, where stated.
    pub peak: Option<f64>,
    /// Mean rate over the day.
    pub mean: Option<f64>,
    /// Time of one request on one server; absent where nothing is known of it.
    pub item: Option<Band<Hours>>,
    /// Requests that one server works on at once on each of its GPUs, or on the whole machine.
    pub concurrency: u32,
    /// Requests that one server works on at once in all.
    pub places: f64,
    /// Servers that just keep up with the peak.
    pub at_peak: u32,
    /// Servers that the latency or the head-room asks for: what is rented.
    pub servers: u32,
    /// The head-room, a share over the peak, where it decides.
    pub headroom: Option<f64>,
    /// How fast answers must be, where that decides.
    pub latency: Option<Latency>,
    /// How fast answers are at the peak.
    pub answers: Option<AnswerFigures>,
    /// Requests per second that one server can do, where known.
    pub rate: Option<f64>,
    /// Share of the servers' capacity that the peak takes.
    pub utilisation: Option<f64>,
    /// The hours of the day, from midnight on, where it has a profile.
    pub hours: Vec<HourFigures>,
    /// What is paid and not used.
    pub idle: Option<IdleFigures>,
    /// Servers that are reserved; the others are bought by the hour.
    pub reserved: u32,
    /// Every way to buy the servers at the offer that is taken.
    pub options: Vec<ServiceOption>,
    /// Decoding beside the GPU, where its time is stated.
    pub decode: Option<DecodeFigures>,
    /// Cost of a million requests, at the rates of the day.
    pub per_million: Option<Money>,
}

/// How fast answers are at the peak rate, by the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerFigures {
    /// The share of the answers that `within` is for.
    pub share: f64,
    /// Time within which they are there; never where the servers do not keep up.
    pub within: Hours,
    /// The chance that a request has to wait.
    pub waiting_chance: f64,
    /// Mean wait of all requests.
    pub mean_wait: Hours,
    /// Requests per second up to which the latency holds with these servers.
    pub up_to: Option<f64>,
    /// Time within which they would be there with one server less.
    pub with_one_less: Hours,
}

/// One hour of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HourFigures {
    /// Requests per second.
    pub rate: f64,
    /// Servers that run.
    pub servers: u32,
    /// Share of their capacity that is used.
    pub utilisation: f64,
}

/// What is paid and not used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleFigures {
    /// Share of the paid capacity without work, over the month.
    pub share: f64,
    /// That share of the cost of the servers.
    pub cost: Money,
    /// What all servers around the clock, bought by the hour, would cost more than as many as each hour needs.
    pub scaling_saves: Option<Money>,
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

impl ServiceFigures {
    /// Fewest and most servers over the day.
    pub fn range(&self) -> (u32, u32) {
        let least = self.hours.iter().map(|hour| hour.servers).min();
        (least.unwrap_or(self.servers), self.servers)
    }

    /// `2–5` where they follow the day, `5` where they do not.
    pub fn count(&self) -> String {
        match self.range() {
            (least, most) if least < most => format!("{least}–{most}"),
            (_, most) => most.to_string(),
        }
    }

    /// How the servers are bought, where a purchase option alone does not say it: `month, 3 of 5`, `on-demand, 2–5`.
    pub fn bought(&self, purchase: Purchase) -> Option<String> {
        let (least, most) = self.range();
        match purchase {
            Purchase::OnDemand if least < most => Some(self.count()),
            _ if self.reserved > 0 && self.reserved < most => Some(format!("{} of {most}", self.reserved)),
            _ => None,
        }
    }
}

/// `95 of 100`, `99.9 of 100`.
pub fn of_hundred(share: f64) -> String {
    format!("{} of 100", significant(share * 100.0, 5))
}

impl std::fmt::Display for ServiceFigures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |n: u32| format!("{} server{}", thousands(f64::from(n)), if n == 1 { "" } else { "s" });
        if self.item.is_none() {
            return write!(f, "one server by rule of thumb: no time of a request is known");
        }
        match (self.latency, self.answers, self.headroom) {
            (Some(latency), Some(answers), _) => write!(
                f,
                "{} {} {} within {} at the peak (asked for: {}); {} would just keep up",
                many(self.servers),
                if self.servers == 1 { "answers" } else { "answer" },
                of_hundred(answers.share),
                answers.within,
                latency.within,
                thousands(f64::from(self.at_peak))
            )?,
            (_, _, headroom) => write!(
                f,
                "{} at the peak, {} with {} % head-room",
                many(self.at_peak),
                thousands(f64::from(self.servers)),
                significant(headroom.unwrap_or(0.0) * 100.0, 3)
            )?,
        }
        if self.range().0 < self.servers {
            write!(f, "; {} over the day", self.count())?;
        }
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
