//! How wide a pool of alike machines is made. More machines do the same trials in fewer rounds; what they add is
//! their launches and the idle slots of the last round.

use crate::decide::{Candidate, Layout};
use crate::job::{Job, Stage, Urgency};
use crate::rules::Threshold;
use crate::units::Hours;

/// Whether two candidates are the same machines in another number. They follow one another by number.
pub fn is_alike(a: &Candidate, b: &Candidate) -> bool {
    match (&a.layout, &b.layout) {
        (Layout::Pool(p), Layout::Pool(q)) => a.instance == b.instance && p.cut == q.cut,
        _ => false,
    }
}

/// The position of the widest of some alike pools that takes little more machine time than the one that takes least
/// (`wider_pool`): being done sooner is worth more than what narrower ones save. Where time is worth nothing
/// (`urgency = "experiment"`), it is the one that takes least.
pub fn widest(alike: &[Candidate], job: &Job, stage: &Stage, startup: Hours) -> usize {
    let more = match stage.urgency {
        Urgency::Experiment => 0.0,
        Urgency::Iteration | Urgency::Online => job.thresholds.get(Threshold::WiderPool),
    };
    let machine_hours = |c: &Candidate| f64::from(c.count) * (startup + c.duration.time.expected).get();
    let least = alike.iter().map(machine_hours).fold(f64::INFINITY, f64::min);
    alike.iter().rposition(|c| machine_hours(c) <= least * (1.0 + more)).unwrap_or(0)
}

/// Whether a pool is offered beside wider ones all the same: it runs so long that a month's price may beat the hours.
pub fn is_long(candidate: &Candidate) -> bool {
    candidate.duration.time.expected > MONTH_COUNTS
}

/// A third of a month. A guess on the safe side: months cost about half of their hours and more.
const MONTH_COUNTS: Hours = Hours::from_days(10);
