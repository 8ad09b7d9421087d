//! A stage on spot capacity as a job of `spot`: its hazard, its segments, its restart time.

use super::spot::{
    self, Crew, Evaluated, FirstWait, Hazard, ReclaimBucket, Scenarios, SpotJob, Terms, Wait, best_segments,
    gang_scenarios, segments_every,
};
use crate::catalog::{Hazard as PublishedHazard, Provider};
use crate::decide::Layout;
use crate::job::{Class, Stage, StageKind};
use crate::names::named;
use crate::units::Hours;

/// Length of a piece of work that is queued and run again when its instance is lost, where the stage does not say
/// how many pieces it has. A guess.
const PIECE: f64 = 0.25;

named! {
    /// Where the hazard of a case comes from.
    pub enum HazardFrom {
        /// The stage states it.
        Stated = "stated",
        /// The provider publishes it for this type and region.
        Published = "published",
        /// The stated default for its class: a guess.
        Default = "default",
    }
}

/// A stage on one offer as a spot job, in three scenarios of hazard and wait.
#[derive(Debug, Clone, Copy)]
pub struct SpotCase {
    /// Hazard per hour of the whole gang.
    pub hazard: Scenarios<Hazard>,
    /// Wait for capacity after an interruption.
    pub wait: Scenarios<Wait>,
    /// Where the hazard comes from.
    pub from: HazardFrom,
    /// Time of each launch before work goes on.
    pub restart: Hours,
    /// Time that one checkpoint takes.
    pub checkpoint: Hours,
    /// Whether a loss costs one piece or the work since a checkpoint, not the whole job.
    pub resumes: bool,
    /// What the provider grants and imposes, and what the stage does with a notice.
    pub terms: Terms,
    /// Machines that each work on pieces of their own; 1 where all work on the same.
    pub crew: u32,
}

/// The chance that a stage with a handler writes its checkpoint between the notice and the end, where the notice leaves
/// time for it. A guess: notices are best effort.
const SAVED_ON_NOTICE: f64 = 0.9;

impl SpotCase {
    /// The case of a stage on an offer with such a published hazard.
    pub fn new(
        stage: &Stage,
        class: Class,
        count: u32,
        restart: Hours,
        provider: &Provider,
        published: Option<PublishedHazard>,
    ) -> Self {
        let machine = match class {
            Class::Cpu => spot::Machine::Cpu,
            Class::Gpu => spot::Machine::Gpu,
        };
        let stated = stage.spot.interruptions_per_hour.and_then(Hazard::per_hour).map(Scenarios::around);
        let published = published.as_ref().and_then(scenarios);
        let one = stated.or(published).unwrap_or_else(|| spot::unknown_hazard(machine));
        let pieces = stage.kind.in_pieces();
        // Instances that work on their own pieces do not stop together.
        let hazard = if pieces { one } else { gang_scenarios(one, count) };
        let checkpoint = stage.checkpoint.filter(|c| c.durable);
        Self {
            hazard,
            wait: spot::unknown_wait(machine),
            from: match (stated, published) {
                (Some(_), _) => HazardFrom::Stated,
                (None, Some(_)) => HazardFrom::Published,
                (None, None) => HazardFrom::Default,
            },
            restart,
            checkpoint: checkpoint.map_or(Hours::ZERO, |c| c.takes),
            resumes: pieces || checkpoint.is_some(),
            terms: terms(stage, provider),
            crew: if pieces { count } else { 1 },
        }
    }

    /// What a job of this case comes to under the provider's terms.
    pub fn outcome(&self, job: &SpotJob) -> Evaluated {
        let Evaluated { job, outcome } = spot::evaluate_under(job, &self.terms);
        Evaluated { outcome: outcome.of_crew(Crew::new(self.crew, &job)), job }
    }

    /// The job for some work under one hazard and wait.
    pub fn job(&self, stage: &Stage, layout: &Layout, work: Hours, hazard: Hazard, wait: Wait) -> SpotJob {
        SpotJob {
            work,
            segments: segments(stage, layout, work, hazard),
            checkpoint: self.checkpoint,
            restart: self.restart,
            hazard,
            wait,
            first_wait: FirstWait::NONE,
        }
    }
}

impl SpotCase {
    /// The same when the work turns out otherwise than `expected`, under another hazard or wait: the interval between
    /// checkpoints was settled before.
    pub fn otherwise(
        &self,
        stage: &Stage,
        layout: &Layout,
        expected: Hours,
        work: Hours,
        (hazard, wait): (Hazard, Wait),
    ) -> SpotJob {
        let job = self.job(stage, layout, work, hazard, wait);
        if self.checkpoint == Hours::ZERO || stage.kind.in_pieces() {
            return job;
        }
        let settled = self.job(stage, layout, expected, self.hazard.default, self.wait.default);
        SpotJob { segments: segments_every(work, settled.segment()).max(1), ..job }
    }
}

/// The provider's terms, those that the stage states first.
fn terms(stage: &Stage, provider: &Provider) -> Terms {
    let seconds = |s: Option<u32>| s.map(|s| Hours::from_secs(f64::from(s)));
    let rules = provider.spot.as_ref();
    let protection = stage.spot.protection.or_else(|| seconds(rules?.protection_secs)).unwrap_or(Hours::ZERO);
    let lifetime = stage.spot.lifetime.unwrap_or(Hours::NEVER);
    let terms = Terms { protection, lifetime, ..Terms::PLAIN };
    match (stage.checkpoint.filter(|c| c.durable && c.on_notice), seconds(rules.and_then(|r| r.notice_secs)))
    {
        (Some(checkpoint), Some(notice)) => terms.with_handler(checkpoint.takes, notice, SAVED_ON_NOTICE),
        _ => terms,
    }
}

/// Segments of the work on one instance: pieces, or stretches between checkpoints. The trials of a round are lost
/// together with their instance, so the rounds of a search are its pieces.
fn segments(stage: &Stage, layout: &Layout, work: Hours, hazard: Hazard) -> u32 {
    let rounds = match layout {
        Layout::Pool(pool) => pool.rounds.max(1),
        Layout::Whole | Layout::Service(_) => 1,
    };
    if stage.kind.in_pieces() && stage.kind != StageKind::Tune {
        return segments_every(work, Hours::new(PIECE)).max(1);
    }
    match stage.checkpoint.filter(|c| c.durable) {
        None => rounds,
        Some(c) => match c.every {
            Some(every) => segments_every(work, every),
            None => best_segments(work, c.takes, hazard),
        }
        .max(rounds),
    }
}

/// Scenarios of a published figure.
fn scenarios(published: &PublishedHazard) -> Option<Scenarios<Hazard>> {
    match *published {
        PublishedHazard::PerHour(rate) => Some(Scenarios::around(Hazard::per_hour(rate)?)),
        PublishedHazard::AwsBand { from, to } => {
            let bucket = match (from, to) {
                (0, _) => ReclaimBucket::Below5,
                (5, _) => ReclaimBucket::From5To10,
                (10, _) => ReclaimBucket::From10To15,
                (15, _) => ReclaimBucket::From15To20,
                _ => ReclaimBucket::Above20,
            };
            Some(bucket.scenarios())
        }
    }
}
