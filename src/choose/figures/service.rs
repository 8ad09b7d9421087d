//! A service in figures, and how its servers were counted.

use super::Laid;
use crate::decide::queue::Queue;
use crate::decide::{Layout, Service, ServiceLimit, service};
use crate::job::{Class, DAY, Latency};
use crate::plan::service::of_hundred;
use crate::plan::{AnswerFigures, DecodeFigures, HourFigures, IdleFigures, ServiceFigures};
use crate::price::service::{ServiceOption, ServiceWay};
use crate::price::{Pricer, Quote};
use crate::rules::Threshold;
use crate::units::number::{significant, things};
use crate::units::{HOURS_PER_MONTH, Hours, Money};

/// The share of the answers of which is told where no latency is stated.
const USUAL_SHARE: f64 = 0.95;

impl Laid<'_> {
    /// How a service is sized, bought and used.
    pub(in crate::choose) fn service(self, pricer: &Pricer<'_>, quote: &Quote) -> Option<ServiceFigures> {
        let mut figures = self.sized()?;
        let Layout::Service(service) = &self.candidate.layout else { return None };
        figures.reserved = pricer.reserved_servers(self.candidate, quote).unwrap_or(0);
        figures.options = pricer.service_options(self.candidate, quote.offer);
        figures.hours = self.hours(service, figures.reserved);
        figures.idle = idle(service, &figures, pricer.machines(self.candidate, quote)?);
        let mean = figures.mean.filter(|_| figures.item.is_some());
        let millions = mean.map(|mean| mean * HOURS_PER_MONTH * 3600.0 / 1e6);
        figures.per_million = millions.map(|millions| quote.cost.scaled(1.0 / millions));
        Some(figures)
    }

    /// The part that no price is needed for.
    fn sized(self) -> Option<ServiceFigures> {
        let Layout::Service(service) = &self.candidate.layout else { return None };
        let Service { at_peak, servers, rate, limit, places, .. } = **service;
        let known = limit != ServiceLimit::Unknown && rate.is_finite();
        let peak = self.stage.requests_per_second;
        let demand = &self.stage.demand;
        let latency = demand.latency.filter(|_| known);
        let thresholds = &self.job.thresholds;
        let headroom = latency.is_none() || thresholds.is_set(Threshold::ServeHeadroom);
        Some(ServiceFigures {
            peak,
            mean: peak.map(|peak| demand.mean(peak)),
            item: known.then_some(self.candidate.duration.time),
            concurrency: self.stage.concurrency,
            places,
            at_peak,
            servers,
            headroom: headroom.then(|| thresholds.get(Threshold::ServeHeadroom)),
            latency,
            answers: peak.filter(|_| known).map(|peak| self.answers(service, peak)),
            rate: known.then_some(rate),
            utilisation: peak.filter(|_| known).map(|peak| peak / (f64::from(servers) * rate)),
            hours: Vec::new(),
            idle: None,
            reserved: 0,
            options: Vec::new(),
            decode: self.decode(limit == ServiceLimit::Decoding),
            per_million: None,
        })
    }

    fn answers(self, service: &Service, peak: f64) -> AnswerFigures {
        let queue = service.queue(self.stage, peak, service.servers);
        let latency = self.stage.demand.latency;
        let share = latency.map_or(USUAL_SHARE, |l| l.share);
        let less = service.queue(self.stage, peak, service.servers.saturating_sub(1));
        AnswerFigures {
            share,
            within: Hours::from_secs(queue.percentile(share)),
            waiting_chance: queue.waiting_chance(),
            mean_wait: Hours::from_secs(queue.mean_wait()),
            up_to: latency.map(|latency| up_to(queue, latency)),
            with_one_less: Hours::from_secs(less.percentile(share)),
        }
    }

    fn hours(self, service: &Service, reserved: u32) -> Vec<HourFigures> {
        let Some(profile) = self.stage.demand.profile else { return Vec::new() };
        let day: [u32; DAY] = service.day().map(|servers| servers.max(reserved));
        let hour = |(rate, servers): (f64, u32)| HourFigures {
            rate,
            servers,
            utilisation: rate / (f64::from(servers) * service.rate),
        };
        profile.into_iter().zip(day).map(hour).collect()
    }

    /// Decoding beside the GPU. What feeds it is measured at the rate that the GPU alone could do.
    fn decode(self, starved: bool) -> Option<DecodeFigures> {
        let decode = self.stage.decode.filter(|_| self.candidate.class == Class::Gpu)?;
        let item = self.candidate.duration.time.expected;
        let devices = service::devices(self.instance, &self.candidate.duration);
        Some(DecodeFigures {
            at_peak: self.stage.requests_per_second? * decode.as_secs(),
            to_feed: f64::from(self.stage.concurrency.max(1)) * devices * (decode / item),
            has: self.instance.vcpus,
            starved,
        })
    }

    /// How the servers were counted, line by line, from the time of a request on a whole server.
    pub(super) fn servers_derivation(self, server: Hours) -> Vec<String> {
        let Layout::Service(service) = &self.candidate.layout else { return Vec::new() };
        let Some(figures) = self.sized() else { return Vec::new() };
        let (Some(item), Some(peak)) = (figures.item.map(|t| t.expected), figures.peak) else {
            return if service::nothing_is_known(self.stage) {
                vec!["the smallest machine that has min_vcpus and min_memory".to_owned()]
            } else {
                Vec::new()
            };
        };
        let mut lines = self.request_derivation(&figures, server, item, peak);
        let devices = service::devices(self.instance, &self.candidate.duration);
        let busy = figures.rate.map_or(0.0, |rate| 1.0 / rate);
        let why = match service.limit {
            ServiceLimit::Decoding => "s, at which its vCPUs decode,",
            _ if figures.concurrency > 1 && devices > 1.0 => "s, a request's time ÷ concurrency ÷ GPUs,",
            _ if figures.concurrency > 1 => "s, a request's time ÷ concurrency,",
            _ if devices > 1.0 => "s, a request's time ÷ GPUs,",
            _ => "s",
        };
        lines.push(format!(
            "servers at the peak: {} per second × {} {why} = {}, rounded up {}",
            n(peak),
            n(busy),
            n(peak * busy),
            service.at_peak
        ));
        if let Some(headroom) = figures.headroom {
            let outcome = if figures.latency.is_none() {
                format!(", rounded up {}", service.servers)
            } else {
                String::new()
            };
            lines.push(format!(
                "with {} % head-room: {} × {} = {}{outcome}",
                n(headroom * 100.0),
                n(peak * busy),
                n(1.0 + headroom),
                n(peak * busy * (1.0 + headroom))
            ));
        }
        lines.extend(self.queue_derivation(service, &figures, peak));
        lines
    }

    /// What is known of one request.
    fn request_derivation(
        self,
        figures: &ServiceFigures,
        server: Hours,
        item: Hours,
        peak: f64,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        let devices = service::devices(self.instance, &self.candidate.duration);
        let on_one = server * devices;
        if devices > 1.0 {
            lines.push(format!("one request on one of its {} GPUs: {} s", n(devices), n(on_one.as_secs())));
        }
        if item.get() > on_one.get() * (1.0 + 1e-9) {
            lines.push(match self.stage.demand.latency {
                None => format!(
                    "counted as {} s, as measured: a single request hardly runs faster on a larger card",
                    n(item.as_secs())
                ),
                Some(_) => format!(
                    "counted as {} s, a guess halfway to the {} s measured: published single requests hardly run faster \
                     on a larger card; measure it there",
                    n(item.as_secs()),
                    n(self.candidate.duration.known.as_secs())
                ),
            });
        }
        for m in &self.stage.measured {
            let busy = m.time.as_secs() / f64::from(figures.concurrency);
            lines.push(format!(
                "as measured on {}: {} per second × {} s = {} at the peak",
                m.label,
                n(peak),
                n(busy),
                things((peak * busy - 1e-9 * peak * busy).ceil(), "server")
            ));
        }
        if let Some(decode) = self.stage.decode {
            let seconds = decode.as_secs();
            lines.push(match figures.decode {
                Some(d) => format!(
                    "decoding beside the GPU: {} s × {} per second = {} at the peak; {} of the {} of a server keep its GPU fed",
                    n(seconds),
                    n(peak),
                    things(n(d.at_peak), "vCPU"),
                    n(d.to_feed),
                    things(n(d.has), "vCPU")
                ),
                None => format!("decoding: {} s of a vCPU per request, part of the work of the server", n(seconds)),
            });
        }
        lines
    }

    /// How long answers take by the queue, and why not one server less.
    fn queue_derivation(self, service: &Service, figures: &ServiceFigures, peak: f64) -> Vec<String> {
        let Some(answers) = figures.answers else { return Vec::new() };
        let queue = service.queue(self.stage, peak, service.servers);
        let mut lines = Vec::new();
        if !queue.is_stable() {
            lines.push(format!(
                "at the peak all {} are busy without a pause: the queue grows as long as it lasts",
                service.servers
            ));
            return lines;
        }
        let beside = if queue.beside > 0.0 {
            format!(", {} s beside the place", n(queue.beside))
        } else {
            String::new()
        };
        lines.push(format!(
            "the queue at the peak: {} places of {} s each (time varies by {} of its mean){beside}, {} busy on average; {} \
             of the requests wait, {} s on average over all (M/G/c: random arrivals, one queue, Erlang's C, \
             Allen–Cunneen)",
            n(queue.places),
            n(queue.holds),
            n(queue.variation),
            n(queue.load()),
            crate::units::number::percent(answers.waiting_chance),
            n(answers.mean_wait.as_secs())
        ));
        let of = of_hundred(answers.share);
        let Some(latency) = figures.latency else {
            lines.push(format!("{of} answers within {} s at the peak", n(answers.within.as_secs())));
            return lines;
        };
        let one_less = match service.servers - 1 {
            0 => String::new(),
            less if less < service.at_peak => format!("; {less} cannot keep up"),
            less if !answers.with_one_less.is_finite() => {
                format!("; with {less} the queue grows without end")
            }
            less => format!("; with {less}: {} s", n(answers.with_one_less.as_secs())),
        };
        lines.push(format!(
            "{of} answers within {} s, at most {} s{one_less}",
            n(answers.within.as_secs()),
            n(latency.within.as_secs())
        ));
        if let Some(up_to) = answers.up_to {
            let more = (up_to / peak - 1.0).max(0.0);
            lines.push(format!(
                "the latency holds up to {} per second, {} above the peak",
                n(up_to),
                crate::units::number::percent(more)
            ));
        }
        lines
    }
}

fn n(value: f64) -> String {
    significant(value, 4)
}

/// The highest rate at which a number of places keeps a latency, to four digits.
fn up_to(queue: Queue, latency: Latency) -> f64 {
    let keeps =
        |rate: f64| Queue { rate, ..queue }.tail(latency.within.as_secs()) <= 1.0 - latency.share + 1e-9;
    let (mut low, mut high) = (0.0, queue.places / queue.holds);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if keeps(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// What the day leaves idle of what is paid.
fn idle(service: &Service, figures: &ServiceFigures, machines: Money) -> Option<IdleFigures> {
    let (mean, rate) = (figures.mean?, figures.rate?);
    let day = service.day().map(|servers| f64::from(servers.max(figures.reserved)));
    let running = day.iter().sum::<f64>() / f64::from(24_u8);
    let share = (1.0 - mean / (running * rate)).clamp(0.0, 1.0);
    let month = |way: ServiceWay| {
        let option = |o: &&ServiceOption| o.way == way;
        figures.options.iter().find(option).map(|o| o.month)
    };
    let scaling_saves = month(ServiceWay::AlwaysOn)
        .zip(month(ServiceWay::Autoscaled))
        .map(|(always, scaled)| always - scaled);
    Some(IdleFigures { share, cost: machines.scaled(share).to_cents(), scaling_saves })
}
