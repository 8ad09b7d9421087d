//! Which machines can do a stage, in what time; and, by rule, which cannot and by how much they miss.
//!
//! Only what does not depend on the place of an offer is decided here, once per instance type and count; prices,
//! regions and purchase options come in `price`.

mod about;
pub mod fit;
pub mod reject;

pub use reject::{Figure, Near, Reason, Rejection, Rejections};

use crate::catalog::{Accelerator, Catalog, Instance, InstanceId};
use crate::duration::{Duration, Machine, NoDuration, StageClock};
use crate::job::{Class, GpuSupport, Job, Stage, StageKind};
use crate::units::{Bytes, Hours};
use crate::vram::floor::floor;
use std::ops::Range;

/// A number of instances of one type that can do a stage.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The instance type.
    pub instance: InstanceId,
    /// How many of them work at once.
    pub count: u32,
    /// What it computes on: a GPU machine whose GPUs do the work is class GPU.
    pub class: Class,
    /// Time of the work itself, with evidence and band.
    pub duration: Duration,
    /// Positions of its offers in the catalog.
    pub offers: Range<usize>,
}

/// What `decide` found for one stage.
#[derive(Debug, Clone, Default)]
pub struct StageCandidates {
    /// Machines that can do it.
    pub candidates: Vec<Candidate>,
    /// What cannot, by rule.
    pub rejected: Rejections,
}

/// Decides for one stage.
pub fn decide_stage(job: &Job, stage: &Stage, clock: &StageClock, catalog: &Catalog) -> StageCandidates {
    let mut found = StageCandidates::default();
    let allowed: Vec<bool> = catalog.providers.iter().map(|p| provider_allowed(job, &p.name)).collect();
    let mut start = 0;
    for offers in catalog.offers.chunk_by(|a, b| a.instance == b.instance) {
        let range = start..start + offers.len();
        start = range.end;
        let Some((id, instance)) =
            offers.first().and_then(|o| Some((o.instance, catalog.instance(o.instance)?)))
        else {
            continue;
        };
        let size = offers.len();
        let provider = catalog.provider(instance.provider).map_or("", |p| &*p.name);
        if !allowed.get(usize::from(instance.provider.0)).copied().unwrap_or(false) {
            found.rejected.add(Reason::NotAllowed, size);
            continue;
        }
        let card = instance.gpu.and_then(|gpu| catalog.accelerator(gpu));
        if let Some((reason, near)) = unfit(stage, provider, instance, card) {
            found.rejected.add_near(reason, size, near.map(|(needs, has)| Near::of(id, needs, has)));
            continue;
        }
        for count in counts(stage) {
            if let Some((needs, has)) = short_of_memory(stage, instance, card, count) {
                let near = Near::of(id, Figure::Bytes(needs), Figure::Bytes(has));
                let reason = if card.is_some() { Reason::MemoryFloor } else { Reason::HostMemory };
                found.rejected.add_near(reason, size, Some(near));
                continue;
            }
            match clock.time_on(Machine { instance, instances: count }) {
                Ok(duration) if instance.gpu.is_some() && duration.basis.class == Class::Cpu => {
                    found.rejected.add(Reason::IdleGpu, size);
                }
                Ok(duration) if duration.time.expected > longest(job) => {
                    let near =
                        Near::of(id, Figure::Hours(longest(job)), Figure::Hours(duration.time.expected));
                    found.rejected.add_near(Reason::TooSlow, size, Some(near));
                }
                Ok(duration) => found.candidates.push(Candidate {
                    instance: id,
                    count,
                    class: duration.basis.class,
                    duration,
                    offers: range.clone(),
                }),
                Err(NoDuration::Needs(fact)) => found.rejected.add_text(Reason::NoDuration, size, fact),
                Err(NoDuration::Unsuitable(why)) => found.rejected.add_text(Reason::Unsuitable, size, why),
            }
        }
    }
    found
}

/// A stage that takes longer than this is not a plan, whatever its price: a year.
const LONGEST: Hours = Hours::from_days(365);

fn longest(job: &Job) -> Hours {
    job.limits.deadline.map_or(LONGEST, |deadline| if deadline < LONGEST { deadline } else { LONGEST })
}

/// What a stage's model needs on one device and what the device has, where that is not enough: of a card what CUDA
/// sees, of a general-purpose instance its main memory.
fn short_of_memory(
    stage: &Stage,
    instance: &Instance,
    card: Option<&Accelerator>,
    count: u32,
) -> Option<(Bytes, Bytes)> {
    let model = stage.model.as_ref()?;
    let (devices, has) = match (instance.gpu, card) {
        (Some(gpu), Some(card)) => {
            (f64::from(count) * gpu.count.max(1.0).floor(), fit::usable(card, gpu.count))
        }
        _ => (f64::from(count), instance.memory),
    };
    let needs = floor(model, devices).total;
    (needs > has).then_some((needs, has))
}

/// The most instances that are tried where a stage sets no limit.
const MOST_INSTANCES: u32 = 64;

/// The instance counts that are tried: powers of two and the most that the stage allows.
fn counts(stage: &Stage) -> Vec<u32> {
    let most = stage.instances.clamp(1, MOST_INSTANCES);
    let mut counts: Vec<u32> =
        std::iter::successors(Some(1u32), |n| n.checked_mul(2)).take_while(|n| *n < most).collect();
    counts.push(most);
    counts
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
    match (stage.class, card) {
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
