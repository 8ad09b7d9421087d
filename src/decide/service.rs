//! A service laid out: so many servers that the peak is kept up with, and so many more as head-room.

use super::{Layout, Miss, Reason, Seat, StageCandidates, enough_memory, not_idle};
use crate::catalog::Instance;
use crate::decide::Figure;
use crate::duration::{Basis, Duration, Evidence, Machine, NoDuration, Source, StageClock};
use crate::job::{Class, GpuSupport, Job, Stage};
use crate::rules::{Threshold, Thresholds};
use crate::units::{Band, Hours};
use crate::vram::need::Needs;

/// How requests are shared out over servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Service {
    /// Servers that just keep up with the peak rate.
    pub at_peak: u32,
    /// Servers with the head-room.
    pub servers: u32,
    /// Requests per second that one server can do; infinite where nothing is known.
    pub rate: f64,
    /// What limits that rate.
    pub limit: ServiceLimit,
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
    let sized = enough_memory(stage, needs, seat, 1).and_then(|()| {
        let item = match clock.time_on(Machine { instance: seat.instance, instances: 1 }) {
            Err(NoDuration::Needs(_)) if nothing_is_known(stage) => UNKNOWN,
            other => on_one_device(stage, seat.instance, other?),
        };
        not_idle(seat, &item)?;
        no_slower_than_measured(stage, &item)?;
        let service = size(stage, &job.thresholds, seat.instance, &item, item.time.expected);
        if service.servers > stage.instances {
            let (needs, has) = (f64::from(service.servers), f64::from(stage.instances));
            return Err(Miss::Near(Reason::Servers, Figure::Number(needs), Figure::Number(has)));
        }
        Ok((service, item))
    });
    match sized {
        Ok((service, item)) => {
            found.push(seat, service.servers, item, Layout::Service(service));
            None
        }
        Err(miss) => Some(miss),
    }
}

/// GPUs of a server that work on requests of their own. A time measured on just that machine is one of the whole.
pub fn devices(instance: &Instance, item: &Duration) -> f64 {
    let own = item.basis.class == Class::Gpu && item.evidence != Evidence::Measured;
    if own { instance.gpu_count().max(1.0) } else { 1.0 }
}

/// The time of a request on one GPU of a server, from that on the whole server. Where a server works on one request
/// at a time, a larger card than the measured one is not counted as faster: published times of single requests hardly
/// depend on the card. That it may be is in the lower end of the band.
fn on_one_device(stage: &Stage, instance: &Instance, server: Duration) -> Duration {
    let devices = devices(instance, &server);
    let mut time = server.time.map(|t| t * devices);
    let scaled = server.basis.class == Class::Gpu && server.evidence == Evidence::Scaled;
    if scaled && stage.concurrency <= 1 {
        time.expected = time.expected.max(server.basis.known);
        time.high = time.high.max(time.expected);
    }
    Duration { time, ..server }
}

/// A request may take as long as on the slowest machine on which it was measured: that a longer time would do is
/// nowhere said, and many small servers would always look cheap.
fn no_slower_than_measured(stage: &Stage, item: &Duration) -> Result<(), Miss> {
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
    basis: Basis {
        source: Source::OneServer,
        class: Class::Cpu,
        known: Hours::ZERO,
        there: 1.0,
        here: 1.0,
        stretch: 1.0,
        fixed: Hours::ZERO,
        starved: 1.0,
        spread: 1.0,
    },
};

/// The servers that a request of some time asks for: `⌈rate × time ÷ concurrency⌉` (and ÷ GPUs of a server), where the
/// vCPUs of a server can decode what it takes in. On a GPU server they decode beside the GPU, and the slower of the two
/// limits the rate. On a CPU server a measured time has the decoding in it; to an estimated one, which counts the model
/// alone, it is added.
pub fn size(
    stage: &Stage,
    thresholds: &Thresholds,
    instance: &Instance,
    item: &Duration,
    time: Hours,
) -> Service {
    let decode = stage.decode.map_or(0.0, Hours::as_secs) / instance.vcpus.max(f64::MIN_POSITIVE);
    let work = time.as_secs() / (f64::from(stage.concurrency.max(1)) * devices(instance, item));
    let estimated = item.evidence > Evidence::Scaled;
    let (busy, limit) = match item.basis.class {
        _ if item.basis.source == Source::OneServer => (0.0, ServiceLimit::Unknown),
        Class::Gpu if decode > work => (decode, ServiceLimit::Decoding),
        Class::Cpu if estimated => (work + decode, ServiceLimit::Requests),
        _ => (work, ServiceLimit::Requests),
    };
    let peak = stage.requests_per_second.unwrap_or(0.0);
    let servers = |rate: f64| ceil(rate * busy);
    Service {
        at_peak: servers(peak),
        servers: servers(peak * (1.0 + thresholds.get(Threshold::ServeHeadroom))),
        rate: 1.0 / busy,
        limit,
    }
}

/// The next whole number, at least 1; a figure that is whole but for the last binary digit counts as whole.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn ceil(servers: f64) -> u32 {
    (servers - 1e-9 * servers.abs().max(1.0)).ceil().max(1.0) as u32
}
