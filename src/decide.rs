//! Which machines can do a stage, in what time; and, by rule, which cannot and by how much they miss.
//!
//! Only what does not depend on the place of an offer is decided here, once per instance type and layout (how many
//! instances, and how the work lies on them); prices, regions and purchase options come in `price`.

mod about;
pub mod alone;
pub mod fit;
pub mod pool;
pub mod queue;
pub mod reject;
pub mod service;
mod times;

pub use pool::{Cut, Pool};
pub use reject::{Figure, Near, Reason, Rejection, Rejections};
pub use service::{Service, ServiceLimit};

use crate::catalog::{Accelerator, Catalog, Instance, InstanceId};
use crate::duration::{Duration, NoDuration, StageClock};
use crate::job::{Class, GpuSupport, Job, Stage, StageKind};
use crate::units::{Bytes, Hours};
use crate::vram::need::Needs;
use alone::Idle;
use pool::Search;
use std::ops::Range;
use times::Times;

/// A number of instances of one type that can do a stage.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The instance type.
    pub instance: InstanceId,
    /// How many of them work at once.
    pub count: u32,
    /// What it computes on: a GPU machine whose GPUs do the work is class GPU.
    pub class: Class,
    /// Time of the work itself, with evidence and band; of a service, the time of one request on one server.
    pub duration: Duration,
    /// How the work lies on the instances.
    pub layout: Layout,
    /// The first candidate of the same seller, count and layout whose machine is of the same kind, so that its
    /// time is the same and its course on spot too; its own where there is none.
    pub twin: CandidateId,
}

/// Position of a candidate among those of its stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidateId(u32);

impl CandidateId {
    /// The candidate at a position. A stage has fewer of them than that holds.
    pub fn at(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// Where it stands.
    pub fn position(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// How the work lies on the instances of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// All of it on all of them.
    Whole,
    /// The trials of a search, each on a slot of its own.
    Pool(Pool),
    /// The requests of a service, shared out over servers.
    Service(Box<Service>),
}

impl Layout {
    /// Whether the work has an end.
    pub const fn ends(&self) -> bool {
        !matches!(self, Self::Service(_))
    }
}

/// What `decide` found for one stage.
#[derive(Debug, Clone, Default)]
pub struct StageCandidates {
    /// Machines that can do it.
    pub candidates: Vec<Candidate>,
    /// What cannot, by rule.
    pub rejected: Rejections,
    /// The clock of one trial, where the stage is a search.
    pub trial: Option<StageClock>,
    /// The least time of the machines without and with accelerators that are rejected for their time alone.
    pub slow: [Option<Hours>; 2],
}

/// An instance type that the stage's facts admit, with its offers.
struct Seat<'a> {
    id: InstanceId,
    instance: &'a Instance,
    /// What it may compute on: none where a GPU that stays idle is borne with.
    card: Option<&'a Accelerator>,
    offers: Range<usize>,
}

/// Why a layout cannot be, with figures or the missing fact.
#[derive(Debug, Clone, Copy)]
enum Miss {
    Near(Reason, Figure, Figure),
    Text(Reason, &'static str),
    Plain(Reason),
}

impl Miss {
    /// Of what two layouts of one machine miss by, what is told: the first, and of two that are too slow the faster.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Near(Reason::TooSlow, _, Figure::Hours(first)),
                Self::Near(Reason::TooSlow, _, Figure::Hours(second)),
            ) if second < first => other,
            _ => self,
        }
    }

    /// Work that takes longer than there is time.
    const fn too_slow(most: Hours, takes: Hours) -> Self {
        Self::Near(Reason::TooSlow, Figure::Hours(most), Figure::Hours(takes))
    }
}

impl From<NoDuration> for Miss {
    fn from(why: NoDuration) -> Self {
        match why {
            NoDuration::Needs(fact) => Self::Text(Reason::NoDuration, fact),
            NoDuration::Unsuitable(why) => Self::Text(Reason::Unsuitable, why),
        }
    }
}

impl StageCandidates {
    /// A candidate by its position.
    pub fn of(&self, id: CandidateId) -> Option<&Candidate> {
        self.candidates.get(id.position())
    }

    fn push(&mut self, seat: &Seat<'_>, count: u32, duration: Duration, layout: Layout) {
        self.push_alike(seat, count, duration, layout, self.next());
    }

    /// The one that is pushed next.
    fn next(&self) -> CandidateId {
        CandidateId::at(self.candidates.len())
    }

    /// The same for a machine of which a `twin` may be there.
    fn push_alike(
        &mut self,
        seat: &Seat<'_>,
        count: u32,
        duration: Duration,
        layout: Layout,
        twin: CandidateId,
    ) {
        let (instance, class) = (seat.id, duration.class);
        self.candidates.push(Candidate { instance, count, class, duration, layout, twin });
    }

    /// Counts the offers of an instance type of which no layout can be, by the miss of the first that was tried.
    fn miss(&mut self, seat: &Seat<'_>, miss: Miss) {
        let size = seat.offers.len();
        if let Miss::Near(Reason::TooSlow, _, Figure::Hours(takes)) = miss {
            let [cpu, gpu] = &mut self.slow;
            let least = if seat.instance.gpu.is_some() { gpu } else { cpu };
            *least = Some(least.map_or(takes, |least| if takes < least { takes } else { least }));
        }
        match miss {
            Miss::Near(reason, needs, has) => {
                self.rejected.add_near(reason, size, Some(Near::of(seat.id, needs, has)));
            }
            Miss::Text(reason, fact) => self.rejected.add_text(reason, size, fact),
            Miss::Plain(reason) => self.rejected.add(reason, size),
        }
    }
}

/// Decides for one stage. Where nothing can do it within the deadline, what can do it later competes.
pub fn decide_stage(job: &Job, stage: &Stage, clock: &StageClock, catalog: &Catalog) -> StageCandidates {
    let among =
        |job| decide_among(job, stage, Times::by_kind(clock, catalog), catalog, &|_| true, Idle::Refused);
    let found = among(job);
    if !found.candidates.is_empty() || found.slow == [None; 2] || job.limits.deadline.is_none() {
        return found;
    }
    // No machine does it within the deadline: what does it later says which deadline could be kept.
    let mut later = job.clone();
    later.limits.deadline = None;
    among(&later)
}

/// Why none of some instance types can do a stage; none where one can.
pub fn refusal(
    job: &Job,
    stage: &Stage,
    clock: &StageClock,
    catalog: &Catalog,
    admits: &dyn Fn(InstanceId) -> bool,
) -> Option<Rejection> {
    let found = decide_among(job, stage, Times::one_by_one(clock), catalog, admits, Idle::Refused);
    found.rejected.iter().next().cloned().filter(|_| found.candidates.is_empty())
}

/// Decides for one stage among some instance types.
fn decide_among(
    job: &Job,
    stage: &Stage,
    mut times: Times<'_>,
    catalog: &Catalog,
    admits: &dyn Fn(InstanceId) -> bool,
    idle: Idle,
) -> StageCandidates {
    // Most machines can do most stages.
    let candidates = Vec::with_capacity(times.most());
    let mut found = StageCandidates { candidates, ..StageCandidates::default() };
    let allowed: Vec<bool> = catalog.providers.iter().map(|p| provider_allowed(job, &p.name)).collect();
    let needs = Needs::new(stage, catalog);
    let search = (stage.kind == StageKind::Tune).then(|| Search::new(job, stage, catalog));
    for (id, range) in catalog.offers.by_type() {
        let Some(instance) = catalog.instance(id).filter(|_| admits(id)) else { continue };
        let size = range.len();
        let provider = catalog.provider(instance.provider).map_or("", |p| &*p.name);
        let rented = allowed.get(usize::from(instance.provider.0)).copied().unwrap_or(false);
        if !rented && job.place.owns(provider, &instance.name, None) == 0 {
            found.rejected.add(Reason::NotAllowed, size);
            continue;
        }
        let card =
            instance.gpu.and_then(|gpu| catalog.accelerator(gpu)).filter(|_| idle.computes(times.clock()));
        if let Some((reason, near)) = unfit(stage, provider, instance, card) {
            found.rejected.add_near(reason, size, near.map(|(needs, has)| Near::of(id, needs, has)));
            continue;
        }
        let seat = Seat { id, instance, card, offers: range };
        let before = found.candidates.len();
        let miss = match (&search, stage.kind) {
            (Some(search), _) => search.lay_out(&seat, &mut found),
            (None, StageKind::Serve) => {
                service::lay_out(job, stage, &needs, times.clock(), &seat, &mut found)
            }
            (None, _) => whole(job, stage, &needs, &mut times, &seat, &mut found),
        };
        if let Some(miss) = miss.filter(|_| found.candidates.len() == before) {
            found.miss(&seat, miss);
        }
    }
    found.trial = search.map(Search::into_clock);
    found
}

/// The whole work on one, two, four … instances; what stood in the way of the first that cannot be.
fn whole(
    job: &Job,
    stage: &Stage,
    needs: &Needs<'_>,
    times: &mut Times<'_>,
    seat: &Seat<'_>,
    found: &mut StageCandidates,
) -> Option<Miss> {
    let mut miss = None;
    for count in counts(stage.instances) {
        match time_of(job, needs, times, seat, count, found.next()) {
            Ok((duration, twin)) => found.push_alike(seat, count, duration, Layout::Whole, twin),
            Err(why) => miss = Some(miss.map_or(why, |first: Miss| first.or(why))),
        }
    }
    miss
}

fn time_of(
    job: &Job,
    needs: &Needs<'_>,
    times: &mut Times<'_>,
    seat: &Seat<'_>,
    count: u32,
    own: CandidateId,
) -> Result<(Duration, CandidateId), Miss> {
    enough_memory(needs, seat, count)?;
    // Machines of one kind pass all that follows or none of them does.
    let (duration, twin) = times.on(seat, count, own)?;
    not_idle(seat, &duration)?;
    if duration.time.expected > longest(job) {
        return Err(Miss::too_slow(longest(job), duration.time.expected));
    }
    Ok((duration, twin))
}

/// A GPU that the work would leave idle is not rented (A-K1, A-R4).
fn not_idle(seat: &Seat<'_>, duration: &Duration) -> Result<(), Miss> {
    let idle = seat.card.is_some() && duration.class == Class::Cpu;
    if idle { Err(Miss::Plain(Reason::IdleGpu)) } else { Ok(()) }
}

/// A stage that takes longer than this is not a plan, whatever its price: a year.
pub const LONGEST: Hours = Hours::from_days(365);

/// A limit of the time in words: a year is one without being asked for.
pub fn limit_of_time(most: Figure) -> String {
    match most {
        Figure::Hours(most) if most >= LONGEST => "a year, beyond which nothing is planned".to_owned(),
        most => most.to_string(),
    }
}

/// The longest that the work of a stage may take by itself: the deadline, or a year.
pub fn longest(job: &Job) -> Hours {
    job.limits.deadline.map_or(LONGEST, |deadline| if deadline < LONGEST { deadline } else { LONGEST })
}

/// Whether one device of `count` machines has what the stage's model needs: of a card what CUDA sees, of a
/// general-purpose instance its main memory.
fn enough_memory(needs: &Needs<'_>, seat: &Seat<'_>, count: u32) -> Result<(), Miss> {
    if let (Some(gpu), Some(card)) = (seat.instance.gpu, seat.card) {
        let devices = f64::from(count) * gpu.count.max(1.0).floor();
        let has = fit::usable(card, gpu.count);
        if let Some(least) = needs.floor(devices) {
            enough(least, has, Reason::MemoryFloor)?;
        }
        return needs
            .least(gpu.accelerator, devices)
            .map_or(Ok(()), |least| enough(least, has, Reason::Memory));
    }
    let Some(least) = needs.floor(f64::from(count)) else { return Ok(()) };
    enough(least, seat.instance.memory, Reason::HostMemory)
}

fn enough(needs: Bytes, has: Bytes, reason: Reason) -> Result<(), Miss> {
    if needs <= has { Ok(()) } else { Err(Miss::Near(reason, Figure::Bytes(needs), Figure::Bytes(has))) }
}

/// The most instances that are tried where a stage sets no limit.
const MOST_INSTANCES: u32 = 64;

/// The instance counts that are tried: powers of two and the most that there may be.
fn counts(most: u32) -> impl Iterator<Item = u32> {
    let most = most.clamp(1, MOST_INSTANCES);
    std::iter::successors(Some(1u32), move |n| (*n < most).then(|| n.saturating_mul(2).min(most)))
}

/// Whether the job may rent from a provider at all.
pub fn provider_allowed(job: &Job, provider: &str) -> bool {
    (job.place.providers.is_empty() || job.place.providers.iter().any(|p| p == provider))
        && !job.place.excluded.iter().any(|e| e == provider)
}

/// Facts that bind whatever the time and the price: the first one that fails.
fn unfit(
    stage: &Stage,
    provider: &str,
    instance: &Instance,
    card: Option<&Accelerator>,
) -> Option<(Reason, Option<(Figure, Figure)>)> {
    let plain = |reason| Some((reason, None));
    if !stage.admits_instance(provider, &instance.name) {
        return plain(Reason::Pinned);
    }
    match (stage.class, instance.gpu) {
        (Some(Class::Cpu), Some(_)) | (Some(Class::Gpu), None) => return plain(Reason::Pinned),
        _ => {}
    }
    if let Some(pinned) = stage.gpu
        && instance.gpu.is_none_or(|gpu| gpu.accelerator != pinned)
    {
        return plain(Reason::Pinned);
    }
    if let Some(card) = card {
        if stage.gpu_support == GpuSupport::None {
            return plain(Reason::NoGpuBuild);
        }
        if !stage.stacks.contains(&card.stack) {
            return plain(Reason::SoftwareStack);
        }
        if let Some(model) = &stage.model
            && model.precision.needs_bf16()
            && !card.has_bf16()
        {
            return plain(Reason::NoBf16);
        }
        if stage.kind == StageKind::Transcode && card.nvenc.is_none_or(|engines| engines == 0) {
            return plain(Reason::NoEncoder);
        }
    }
    if let Some(least) = stage.min_vcpus
        && instance.vcpus < least
    {
        return Some((Reason::Vcpus, Some((Figure::Vcpus(least), Figure::Vcpus(instance.vcpus)))));
    }
    if let Some(least) = stage.min_memory
        && instance.memory < least
    {
        return Some((Reason::HostMemory, Some((Figure::Bytes(least), Figure::Bytes(instance.memory)))));
    }
    None
}
