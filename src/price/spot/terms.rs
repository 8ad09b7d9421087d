//! Terms of providers that change the plain process: a protected first hour, a longest lifetime, a checkpoint
//! written on notice.

use super::moments::Moments;
use super::notice::{LONGEST_LAUNCH, UNLIKELY, segment_with_notice};
use super::outcome::{ENDLESS, from_moments};
use super::series::Exponential;
use super::{Hazard, SpotJob, SpotOutcome, evaluate};
use crate::units::Hours;

/// What the provider grants and imposes, and what the job does with a notice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// An instance is not taken back before this age (Alibaba: 1 h by default).
    pub protection: Hours,
    /// An instance is always taken back at this age (the old GCP preemptible: 24 h).
    pub lifetime: Hours,
    /// The chance that a checkpoint is written between the notice and the end; 0 unless the job has a handler.
    pub saved_on_notice: f64,
}

impl Terms {
    /// Neither protection nor limit nor handler.
    pub const PLAIN: Self = Self { protection: Hours::ZERO, lifetime: Hours::NEVER, saved_on_notice: 0.0 };

    /// The same with a handler that succeeds with a chance of `success`, if the notice leaves time for it: the
    /// checkpoint and 5 s to notice the notice (a guess). Else the handler counts for nothing.
    #[must_use]
    pub fn with_handler(self, checkpoint: Hours, notice: Hours, success: f64) -> Self {
        let in_time = checkpoint + Hours::from_secs(5.0) <= notice;
        let success = if in_time && !success.is_nan() { success.clamp(0.0, 1.0) } else { 0.0 };
        Self { saved_on_notice: success, ..self }
    }
}

/// A job under its terms: the plain job that stands for it, and what it comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluated {
    /// The job with the hazard that the terms leave.
    pub job: SpotJob,
    /// What it comes to.
    pub outcome: SpotOutcome,
}

/// Expected bill and end under the provider's terms.
///
/// - Protection G, by the effective hazard λ/(1 + λG), none at all where the whole job fits into G: within 2.4 % of
///   simulated means.
/// - Lifetime H, only where the job is expected to be up for longer, by λ/(1 − e^{−λH}): within 5 %. A stretch that
///   does not fit into H, and is not saved on notice, is never got through.
/// - Saved on notice: exact, mean and variance.
pub fn evaluate_under(job: &SpotJob, terms: &Terms) -> Evaluated {
    let mut job = *job;
    let plain = *terms == Terms::PLAIN;
    let shortest = job.shortest();
    if terms.protection > Hours::ZERO {
        let fits = shortest <= terms.protection;
        let expected = 1.0 + job.hazard.over(terms.protection);
        job.hazard = if fits { Hazard::NONE } else { job.hazard.scaled(1.0 / expected) };
    }
    let saved = terms.saved_on_notice;
    if terms.lifetime.is_finite() {
        let in_one_piece = if saved > 0.0 { job.restart } else { job.longest_stretch() };
        if in_one_piece > terms.lifetime {
            return Evaluated { job, outcome: SpotOutcome { plain, ..SpotOutcome::never(&job) } };
        }
        if outcome_of(&job, saved).billed > terms.lifetime {
            job.hazard = with_lifetime(job.hazard, terms.lifetime);
        }
    }
    let mut outcome = outcome_of(&job, saved);
    outcome.plain = plain;
    if shortest > terms.lifetime {
        outcome.p_uninterrupted = 0.0;
    }
    Evaluated { job, outcome }
}

/// One over the mean of an exponential life cut off at H; 1/H without hazard.
fn with_lifetime(hazard: Hazard, lifetime: Hours) -> Hazard {
    let within = hazard.chance_within(lifetime);
    let rate = if within > 0.0 { hazard.get() / within } else { 1.0 / lifetime.get() };
    Hazard::per_hour(rate).unwrap_or(hazard)
}

fn outcome_of(job: &SpotJob, saved: f64) -> SpotOutcome {
    if saved < UNLIKELY {
        return evaluate(job);
    }
    let rate = job.hazard.get();
    let launch = job.hazard.over(job.restart);
    // So many interruptions are as endless as so many hours. Negated, so that what is not a number is never too.
    let ends = job.shortest().get() < ENDLESS && job.hazard.over(job.shortest()) < ENDLESS;
    if !(ends && launch < LONGEST_LAUNCH) {
        return SpotOutcome::never(job);
    }
    let r = Exponential::new(launch);
    let segment = |length: Hours| segment_with_notice(r, rate * length.get(), saved.min(1.0));
    let mut all = Moments::launch(r) + segment(job.segment());
    if job.segments > 1 {
        all = all + segment(job.segment() + job.checkpoint) * f64::from(job.segments - 1);
    }
    from_moments(job, all)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on or exact")]
mod tests {
    use super::*;
    use crate::price::spot::{FirstWait, Wait};

    fn job(work: f64, segments: u32, rate: f64) -> SpotJob {
        SpotJob {
            work: Hours::new(work),
            segments,
            checkpoint: Hours::from_secs(60.0),
            restart: Hours::from_secs(300.0),
            hazard: Hazard::per_hour(rate).unwrap(),
            wait: Wait::NONE,
            first_wait: FirstWait::NONE,
        }
    }

    #[test]
    fn a_job_within_the_protected_hour_is_safe() {
        let terms = Terms { protection: Hours::new(1.0), ..Terms::PLAIN };
        let short = evaluate_under(&job(0.9, 1, 2.0), &terms).outcome;
        assert_eq!((short.billed, short.p_uninterrupted), (short.shortest, 1.0));
        let long = evaluate_under(&job(4.0, 8, 0.5), &terms);
        assert!((long.job.hazard.get() - 0.5 / 1.5).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_fit_into_a_lifetime_never_ends() {
        let terms = Terms { lifetime: Hours::new(24.0), ..Terms::PLAIN };
        assert_eq!(evaluate_under(&job(25.0, 1, 0.0), &terms).outcome.billed, Hours::NEVER);
        // Without hazard, 40 h in 1 h segments are cut at 24 h: 1/24 per hour, and never in one piece.
        let cut = evaluate_under(&job(40.0, 40, 0.0), &terms);
        assert!((cut.job.hazard.get() - 1.0 / 24.0).abs() < 1e-15);
        assert_eq!(cut.outcome.p_uninterrupted, 0.0);
        assert_eq!(evaluate_under(&job(20.0, 1, 0.0), &terms).outcome.p_uninterrupted, 1.0);
    }

    #[test]
    fn a_handler_needs_time() {
        let minute = Hours::from_secs(60.0);
        let g =
            |notice: f64| Terms::PLAIN.with_handler(minute, Hours::from_secs(notice), 0.9).saved_on_notice;
        assert_eq!((g(120.0), g(65.0), g(64.0), g(30.0)), (0.9, 0.9, 0.0, 0.0));
        // g = 1: e^{λR}·(W + (N−1)C) + (e^{λR} − 1)/λ, by hand for W = 10, N = 1, λ = 0.3, R = 1/12.
        let saved = Terms::PLAIN.with_handler(minute, Hours::new(1.0), 1.0);
        let billed = evaluate_under(&job(10.0, 1, 0.3), &saved).outcome.billed.get();
        assert!((billed - (0.025_f64.exp() * 10.0 + 0.025_f64.exp_m1() / 0.3)).abs() < 1e-12);
    }
}
