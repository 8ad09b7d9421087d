//! A service laid out: so many servers that answers are as fast as asked for, or, where no latency is stated, that the
//! peak is kept up with and a head-room is left.
//!
//! A server has so many *places* as requests that it works on at once: `concurrency` on each of its GPUs that work on
//! requests of their own, or on the whole machine. All servers together are one queue of places (see [`queue`]).

use super::queue::{Queue, least_places};
use super::{Layout, Miss, Reason, Seat, StageCandidates, enough_memory, not_idle};
use crate::catalog::Instance;
use crate::decide::Figure;
use crate::duration::{Duration, Evidence, Machine, NoDuration, StageClock};
use crate::job::{Class, DAY, GpuSupport, Job, Stage};
use crate::rules::{Threshold, Thresholds};
use crate::units::{Band, Hours};
use crate::vram::need::Needs;

/// How requests are shared out over servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Service {
    /// Servers that just keep up with the peak rate.
    pub at_peak: u32,
    /// Servers that the latency asks for at the peak, or the head-room.
    pub servers: u32,
    /// Servers in each hour of the day, where the day has a profile.
    pub hours: Option<[u32; DAY]>,
    /// Requests per second that one server can do; infinite where nothing is known.
    pub rate: f64,
    /// What limits that rate.
    pub limit: ServiceLimit,
    /// Requests that one server works on at once.
    pub places: f64,
    /// Seconds for which a request occupies a place.
    pub holds: f64,
    /// Seconds of an answer beside the place and the wait: decoding before the GPU, or the GPU after the decoding.
    pub beside: f64,
}

impl Service {
    /// The queue of so many servers at some rate.
    pub fn queue(&self, stage: &Stage, rate: f64, servers: u32) -> Queue {
        Queue {
            rate,
            places: self.places * f64::from(servers),
            holds: self.holds,
            variation: stage.demand.variation,
            beside: self.beside,
        }
    }

    /// Servers in each hour of the day.
    pub fn day(&self) -> [u32; DAY] {
        self.hours.unwrap_or([self.servers; DAY])
    }
}

/// What limits the rate of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceLimit {
    /// The work on the requests themselves.
    Requests,
    /// The vCPUs beside the GPU, which cannot decode as fast as it works.
    Decoding,
    /// Nothing is known: one server by rule of thumb.
    Unknown,
}

/// Sizes a service on an instance; what stood in the way where it cannot run there.
pub(super) fn lay_out(
    job: &Job,
    stage: &Stage,
    needs: &Needs<'_>,
    clock: &StageClock,
    seat: &Seat<'_>,
    found: &mut StageCandidates,
) -> Option<Miss> {
    let sized = enough_memory(needs, seat, 1).and_then(|()| {
        let item = match clock.time_on(Machine { instance: seat.instance, instances: 1 }) {
            Err(NoDuration::Needs(_)) if nothing_is_known(stage) => UNKNOWN,
            other => on_one_device(stage, seat.instance, other?),
        };
        not_idle(seat, &item)?;
        no_slower_than_measured(stage, &item)?;
        let service = size(stage, &job.thresholds, seat.instance, &item, item.time.expected)?;
        let too_few = |reason, needs: u32| {
            let (needs, has) = (f64::from(needs), f64::from(stage.instances));
            Err(Miss::Near(reason, Figure::Number(needs), Figure::Number(has)))
        };
        if service.at_peak > stage.instances {
            return too_few(Reason::Overload, service.at_peak);
        }
        if service.servers > stage.instances {
            return too_few(Reason::Servers, service.servers);
        }
        Ok((service, item))
    });
    match sized {
        Ok((service, item)) => {
            found.push(seat, service.servers, item, Layout::Service(Box::new(service)));
            None
        }
        Err(miss) => Some(miss),
    }
}

/// GPUs of a server that work on requests of their own. A time measured on just that machine is one of the whole.
pub fn devices(instance: &Instance, item: &Duration) -> f64 {
    let own = item.class == Class::Gpu && item.evidence != Evidence::Measured;
    if own { instance.gpu_count().max(1.0) } else { 1.0 }
}

/// The time of a request on one GPU of a server, from that on the whole server. Where a server works on one request
/// at a time, published times of single requests hardly depend on the card, so that a larger card than the measured one
/// is not counted as faster: that it may be is in the lower end of the band. Where a latency is asked for, how fast
/// a single request is decides; there a larger card counts as faster by the square root of what scaling says (a guess,
/// halfway between no gain and all of it), and that it is no faster at all is the upper end of the band.
fn on_one_device(stage: &Stage, instance: &Instance, server: Duration) -> Duration {
    let devices = devices(instance, &server);
    let mut time = server.time.map(|t| t * devices);
    let scaled = server.class == Class::Gpu && server.evidence == Evidence::Scaled;
    let known = server.known;
    if scaled && stage.concurrency <= 1 && time.expected < known {
        time.expected = match stage.demand.latency {
            None => known,
            Some(_) => known * (time.expected / known).sqrt(),
        };
        time.high = time.high.max(known);
    }
    Duration { time, ..server }
}

/// Where no latency is stated, a request may take as long as on the slowest machine on which it was measured: that a
/// longer time would do is nowhere said, and many small servers would always look cheap.
fn no_slower_than_measured(stage: &Stage, item: &Duration) -> Result<(), Miss> {
    if stage.demand.latency.is_some() {
        return Ok(());
    }
    let slowest = stage.measured.iter().map(|m| m.time).fold(Hours::ZERO, Hours::max);
    let takes = item.time.expected;
    if item.evidence == Evidence::Scaled && takes.get() > slowest.get() * (1.0 + 1e-9) {
        return Err(Miss::Near(Reason::Latency, Figure::Hours(slowest), Figure::Hours(takes)));
    }
    Ok(())
}

/// Whether a service is ordinary software of which no time is stated: the smallest machines that satisfy what it asks
/// for are offered, one of them.
pub fn nothing_is_known(stage: &Stage) -> bool {
    stage.model.is_none()
        && stage.gpu_support == GpuSupport::None
        && stage.measured.is_empty()
        && stage.core_hours.is_none()
}

/// The time of a request of which nothing is known.
const UNKNOWN: Duration = Duration {
    time: Band { low: Hours::ZERO, expected: Hours::ZERO, high: Hours::ZERO },
    evidence: Evidence::RuleOfThumb,
    class: Class::Cpu,
    known: Hours::ZERO,
    starved: 1.0,
    spread: 1.0,
};

/// Whether nothing is known of the time of a request, so that one server is assumed.
pub fn is_unknown(item: &Duration) -> bool {
    *item == UNKNOWN
}

/// The servers that a request of some time asks for. Those that keep up are `⌈rate × time ÷ concurrency⌉` (and ÷ GPUs of
/// a server), where the vCPUs of a server can decode what it takes in. On a GPU server they decode beside the GPU, and
/// the slower of the two limits the rate. On a CPU server a measured time has the decoding in it; to an estimated one,
/// which counts the model alone, it is added.
///
/// With a latency it is the least number with which the stated share of the answers is in time; a miss where too many
/// would be late even without a wait. Without one, and beside it where `serve_headroom` is set by the workload, the rate
/// is raised by the head-room first.
fn size(
    stage: &Stage,
    thresholds: &Thresholds,
    instance: &Instance,
    item: &Duration,
    time: Hours,
) -> Result<Service, Miss> {
    let kept_up = keep_up(stage, thresholds, instance, item, time);
    if kept_up.servers == u32::MAX {
        let needs = stage.requests_per_second.unwrap_or(0.0) / kept_up.rate;
        return Err(Miss::Near(Reason::Overload, Figure::Number(needs), Figure::Number(f64::from(u32::MAX))));
    }
    let Some(latency) = stage.demand.latency.filter(|_| kept_up.limit != ServiceLimit::Unknown) else {
        return Ok(kept_up);
    };
    let least = |rate: f64| {
        let set = thresholds.is_set(Threshold::ServeHeadroom);
        let rate = if set { rate * (1.0 + thresholds.get(Threshold::ServeHeadroom)) } else { rate };
        let queue = kept_up.queue(stage, rate, 1);
        let servers = ceil(queue.load() / kept_up.places);
        least_places(queue, kept_up.places, servers, latency.share, latency.within.as_secs())
    };
    let peak = stage.requests_per_second.unwrap_or(0.0);
    let Some(servers) = least(peak) else {
        let takes = Hours::from_secs(kept_up.queue(stage, 0.0, 1).bare_percentile(latency.share));
        return Err(Miss::Near(Reason::Latency, Figure::Hours(latency.within), Figure::Hours(takes)));
    };
    let hours = stage.demand.profile.map(|day| day.map(|rate| least(rate).unwrap_or(servers)));
    Ok(Service { servers, hours, ..kept_up })
}

/// The same at an end of the band of the time. Where a latency can then not be kept by any number of servers, those of
/// `expected` stand, or as many as keep up with the head-room if those are more.
pub fn size_at(
    stage: &Stage,
    thresholds: &Thresholds,
    instance: &Instance,
    item: &Duration,
    time: Hours,
    expected: &Service,
) -> Service {
    size(stage, thresholds, instance, item, time).unwrap_or_else(|_| {
        let kept_up = keep_up(stage, thresholds, instance, item, time);
        let mut hours = kept_up.day();
        for (hour, least) in hours.iter_mut().zip(expected.day()) {
            *hour = least.max(*hour);
        }
        let servers = kept_up.servers.max(expected.servers);
        Service { servers, hours: kept_up.hours.map(|_| hours), ..kept_up }
    })
}

/// The servers that keep up, with the head-room.
fn keep_up(
    stage: &Stage,
    thresholds: &Thresholds,
    instance: &Instance,
    item: &Duration,
    time: Hours,
) -> Service {
    let decode = stage.decode.map_or(0.0, Hours::as_secs);
    let share = decode / instance.vcpus.max(f64::MIN_POSITIVE);
    let own = f64::from(stage.concurrency.max(1)) * devices(instance, item);
    let work = time.as_secs() / own;
    let estimated = item.evidence > Evidence::Scaled;
    let (busy, limit) = match item.class {
        _ if is_unknown(item) => (0.0, ServiceLimit::Unknown),
        Class::Gpu if share > work => (share, ServiceLimit::Decoding),
        Class::Cpu if estimated => (work + share, ServiceLimit::Requests),
        _ => (work, ServiceLimit::Requests),
    };
    let (places, beside) = match (limit, item.class) {
        (ServiceLimit::Decoding, _) => (instance.vcpus.floor().max(1.0), time.as_secs()),
        (_, Class::Gpu) => (own, decode),
        (_, Class::Cpu) => (own, 0.0),
    };
    let headroom = 1.0 + thresholds.get(Threshold::ServeHeadroom);
    let with_room = |rate: f64| ceil(rate * headroom * busy);
    let peak = stage.requests_per_second.unwrap_or(0.0);
    Service {
        at_peak: ceil(peak * busy),
        servers: with_room(peak),
        hours: stage.demand.profile.map(|day| day.map(with_room)),
        rate: 1.0 / busy,
        limit,
        places,
        holds: busy * places,
        beside,
    }
}

/// The next whole number, at least 1; a figure that is whole but for the last binary digit counts as whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn ceil(servers: f64) -> u32 {
    (servers - 1e-9 * servers.abs().max(1.0)).ceil().max(1.0) as u32
}
