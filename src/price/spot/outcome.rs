//! A spot job becomes its expected bill and its expected end.

use super::moments::Moments;
use super::series::Exponential;
use super::{Crew, SpotJob};
use crate::units::Hours;

/// What a spot job comes to on average. Every figure is finite or says "never"; none is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpotOutcome {
    /// Expected time up, which is what is billed. Never, where it exceeds what a number can hold.
    pub billed: Hours,
    /// Expected time up beyond `shortest`: launches, lost work, repeated checkpoints.
    pub overrun: Hours,
    /// Expected number of interruptions; infinite where `billed` is never.
    pub interruptions: f64,
    /// Expected time from asking for the first instance to the end of the work, waits included.
    pub completion: Hours,
    /// Variance of the billed time, in h²; infinite where it exceeds what a number can hold.
    pub billed_variance: f64,
    /// Variance of the completion time, in h²; infinite likewise.
    pub completion_variance: f64,
    /// Time up when nothing goes wrong.
    pub shortest: Hours,
    /// The chance that nothing goes wrong.
    pub p_uninterrupted: f64,
    /// Whether the figures are those of the plain process, whose law is known exactly, and not of a variant.
    pub plain: bool,
    /// The machines whose last one ends the work, where each of several works on its own part.
    pub crew: Option<Crew>,
}

impl SpotOutcome {
    /// The same of one of several machines with parts of their own, whose last one ends the work.
    #[must_use]
    pub fn of_crew(self, crew: Option<Crew>) -> Self {
        let Some(crew) = crew else { return self };
        let last = self.shortest + crew.mean();
        Self { completion: self.completion.max(last), crew: Some(crew), ..self }
    }

    /// Standard deviation of the completion time.
    pub fn deviation(&self) -> Hours {
        Hours::new(self.completion_variance.sqrt())
    }

    /// A job that does not end, or not in any time that a number can hold.
    pub(super) fn never(job: &SpotJob) -> Self {
        let shortest = job.shortest();
        Self {
            billed: Hours::NEVER,
            overrun: Hours::NEVER,
            interruptions: f64::INFINITY,
            completion: Hours::NEVER,
            billed_variance: f64::INFINITY,
            completion_variance: f64::INFINITY,
            shortest,
            p_uninterrupted: job.hazard.chance_of_none(shortest),
            plain: true,
            crew: None,
        }
    }
}

/// Beyond e^700 a double overflows: a stretch of so many mean times between interruptions is never got through.
const HOPELESS: f64 = 700.0;
/// Longer than this in hours (a hundred billion years) is never.
pub(super) const ENDLESS: f64 = 1e15;

/// Expected bill, end and their variances of a job under constant hazard; exact for that process.
///
/// Interruptions are λ times the time up (Wald). N − λB is a martingale over the time up, which gives the
/// covariance of the two without a further formula: 2λ·Cov(B, K) = (Var K − K) + λ²·Var B. With waits of mean q
/// and variance v, Var T = Var B + K·v + q²·Var K + 2q·Cov(B, K) + the first wait's.
pub fn evaluate(job: &SpotJob) -> SpotOutcome {
    match plain_moments(job) {
        Some(moments) => from_moments(job, moments),
        None => SpotOutcome::never(job),
    }
}

/// The moments of the time up, in units of 1/λ; `None` where the job never ends.
fn plain_moments(job: &SpotJob) -> Option<Moments> {
    let rate = job.hazard.get();
    // Negated, so that what is not a number is hopeless too.
    if !(job.shortest().get() < ENDLESS && job.hazard.over(job.longest_stretch()) < HOPELESS) {
        return None;
    }
    let r = Exponential::new(rate * job.restart.get());
    let last = Exponential::new(rate * job.segment().get());
    let mut all = Moments::launch(r) + Moments::segment(r, last);
    if job.segments > 1 {
        let full = Exponential::new(rate * (job.segment() + job.checkpoint).get());
        all = all + Moments::segment(r, full) * f64::from(job.segments - 1);
    }
    Some(all)
}

/// Turns moments in units of 1/λ into hours and adds the waits.
pub(super) fn from_moments(job: &SpotJob, moments: Moments) -> SpotOutcome {
    let rate = job.hazard.get();
    let shortest = job.shortest();
    let per_rate = |x: f64| if rate == 0.0 { 0.0 } else { x / rate };
    let overrun = Hours::new(per_rate(moments.overrun));
    let billed = shortest + overrun;
    let interruptions = job.hazard.over(shortest) + moments.overrun;
    let billed_variance = per_rate(per_rate(moments.variance));
    let (q, v) = (job.wait.mean.get(), square(job.wait.deviation));
    let waits = product(interruptions, v)
        + product(q * q, interruptions + moments.clumping)
        + product(q, per_rate(moments.clumping + moments.variance));
    SpotOutcome {
        billed,
        overrun,
        interruptions,
        completion: job.first_wait.mean + billed + Hours::new(product(q, interruptions)),
        billed_variance,
        completion_variance: billed_variance + waits + square(job.first_wait.deviation),
        shortest,
        p_uninterrupted: job.hazard.chance_of_none(shortest),
        plain: true,
        crew: None,
    }
}

fn square(time: Hours) -> f64 {
    time.get() * time.get()
}

/// a·b for a, b ≥ 0, where nothing times anything is nothing, even times infinity.
pub(super) fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}
