//! How long the spot model takes per candidate: `cargo bench --bench spot`.

#![expect(clippy::cast_precision_loss, clippy::print_stdout, reason = "a report of small counts")]

use plan::price::spot::{Burst, Hazard, SpotJob, Wait, assess, best_segments, completion_spread, evaluate};
use plan::units::Hours;
use std::hint::black_box;
use std::time::Instant;

const CANDIDATES: usize = 100_000;

/// Jobs of 1 to 100 h under 0.001 to 1 interruption an hour, with waits.
fn candidates() -> Vec<SpotJob> {
    (0..CANDIDATES)
        .map(|i| {
            let part = |step: usize| (i * step % 9973) as f64 / 9973.0;
            let work = Hours::new(10f64.powf(2.0 * part(7919)));
            let hazard = Hazard::per_hour(10f64.powf(3.0 * part(104_729) - 3.0)).unwrap_or_default();
            let wait = Wait::varying(Hours::new(part(1_299_709)), 2.0);
            let checkpoint = Hours::from_secs(5.0 + 100.0 * part(15_485_863));
            SpotJob {
                work,
                segments: best_segments(work, checkpoint, hazard),
                checkpoint,
                restart: Hours::from_secs(600.0),
                hazard,
                wait,
                first_wait: wait.at_random_arrival(hazard),
            }
        })
        .collect()
}

/// The fastest of five passes, in nanoseconds per candidate.
fn time(jobs: &[SpotJob], each: impl Fn(&SpotJob) -> f64) -> f64 {
    let pass = || {
        let start = Instant::now();
        for job in jobs {
            black_box(each(black_box(job)));
        }
        start.elapsed().as_secs_f64() * 1e9 / jobs.len() as f64
    };
    (0..5).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let jobs = candidates();
    let some = &jobs[..2000];
    let spread = |job: &SpotJob, burst| completion_spread(job, &evaluate(job), burst);
    let deadline = |job: &SpotJob| job.shortest() * 1.3;
    for (what, nanos) in [
        ("mean and variance", time(&jobs, |job| evaluate(job).completion_variance)),
        (
            "best segments, then mean and variance",
            time(&jobs, |job| {
                let segments = best_segments(job.work, job.checkpoint, job.hazard);
                evaluate(&SpotJob { segments, ..*job }).completion_variance
            }),
        ),
        (
            "verdict",
            time(&jobs, |job| {
                f64::from(u8::from(matches!(assess(job), plan::price::spot::SpotVerdict::Accept { .. })))
            }),
        ),
        (
            "mean and chance of the deadline",
            time(&jobs, |job| spread(job, Burst::DEFAULT).within(deadline(job))),
        ),
        ("mean and p95", time(&jobs, |job| spread(job, Burst::DEFAULT).percentile(0.95).get())),
        (
            "mean and chance of the deadline, exact law",
            time(some, |job| spread(job, Burst::OFF).within(deadline(job))),
        ),
        ("mean and p95, exact law", time(some, |job| spread(job, Burst::OFF).percentile(0.95).get())),
    ] {
        println!("{what:<46} {nanos:>8.0} ns each");
    }
}
