//! The closed forms against a simulation of the process itself, written without them.

#![expect(clippy::cast_precision_loss, reason = "numbers of runs, and 53 random bits")]

use super::job;
use plan::price::spot::{
    Burst, FirstWait, SpotJob, Terms, Wait, completion_spread, evaluate, evaluate_under,
};
use plan::units::Hours;

/// A small generator (splitmix64), so that every run sees the same numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1, neither included.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Exponential with mean 1.
    fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }
}

/// One run: billed hours, completion and interruptions. Waits are exponential.
fn run(job: &SpotJob, terms: &Terms, random: &mut Random) -> (f64, f64, f64) {
    let life = |random: &mut Random| {
        let drawn = terms.protection.get() + random.exponential() / job.hazard.get();
        drawn.min(terms.lifetime.get())
    };
    let (mut billed, mut waited, mut lost) = (0.0, 0.0, 0.0);
    let mut left = life(random);
    let mut launch = job.restart.get();
    for segment in 0..job.segments {
        let checkpoint = if segment + 1 < job.segments { job.checkpoint.get() } else { 0.0 };
        let mut length = job.segment().get() + checkpoint;
        while left < launch + length {
            billed += left;
            // What was done since the launch is kept where the notice was used in time.
            if left > launch && random.uniform() < terms.saved_on_notice {
                length -= left - launch;
            }
            waited += job.wait.mean.get() * random.exponential();
            lost += 1.0;
            (left, launch) = (life(random), job.restart.get());
        }
        left -= launch + length;
        billed += launch + length;
        launch = 0.0;
    }
    (billed, billed + waited, lost)
}

const RUNS: usize = 40_000;

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

fn waiting(job: SpotJob, hours: f64) -> SpotJob {
    SpotJob { wait: Wait::varying(Hours::new(hours), 1.0), ..job }
}

#[test]
fn means_variances_and_percentiles_are_those_of_the_process() {
    let jobs = [
        job(4.0, 1, 0.0, 300.0, 0.2),
        job(12.0, 8, 600.0, 900.0, 0.3),
        waiting(job(4.0, 7, 60.0, 300.0, 0.3), 0.5),
        waiting(job(12.0, 4, 600.0, 1800.0, 0.3), 2.0),
        waiting(job(3.0, 1, 0.0, 600.0, 0.5), 1.0),
    ];
    for (index, job) in jobs.iter().enumerate() {
        let mut random = Random(index as u64);
        let runs: Vec<_> = (0..RUNS).map(|_| run(job, &Terms::PLAIN, &mut random)).collect();
        let column = |f: fn(&(f64, f64, f64)) -> f64| runs.iter().map(f).collect::<Vec<_>>();
        let (billed, completion, lost) = (column(|r| r.0), column(|r| r.1), column(|r| r.2));
        let outcome = evaluate(job);
        let close = |values: &[f64], mean: f64, what: &str| {
            let (found, variance) = moments(values);
            let error = (variance / RUNS as f64).sqrt();
            assert!((found - mean).abs() < 4.0 * error, "job {index}, {what}: {mean} for {found} ± {error}");
            variance
        };
        let billed_variance = close(&billed, outcome.billed.get(), "billed");
        let completion_variance = close(&completion, outcome.completion.get(), "completion");
        close(&lost, outcome.interruptions, "interruptions");
        // The variance of a variance is large for these long tails: 6 % is some three standard errors.
        assert!((billed_variance / outcome.billed_variance - 1.0).abs() < 0.06, "job {index}");
        assert!((completion_variance / outcome.completion_variance - 1.0).abs() < 0.06, "job {index}");

        let spread = completion_spread(job, &outcome, Burst::OFF);
        for q in [0.3, 0.5, 0.9, 0.95, 0.99] {
            let at = spread.percentile(q).get() * (1.0 + 1e-9);
            let within = completion.iter().filter(|t| **t <= at).count() as f64 / RUNS as f64;
            // Where the percentile is the shortest time, the share there exceeds it.
            let expected = q.max(spread.within(outcome.shortest));
            assert!((within - expected).abs() < 0.01, "job {index}, {q}: {within}");
        }
    }
}

#[test]
fn protection_and_lifetime_are_close() {
    let cases = [
        (job(8.0, 8, 60.0, 300.0, 0.3), Terms { protection: Hours::new(1.0), ..Terms::PLAIN }, 0.024),
        (job(40.0, 40, 60.0, 300.0, 0.05), Terms { lifetime: Hours::new(24.0), ..Terms::PLAIN }, 0.05),
    ];
    for (index, (job, terms, allowed)) in cases.iter().enumerate() {
        let mut random = Random(100 + index as u64);
        let billed: Vec<_> = (0..RUNS).map(|_| run(job, terms, &mut random).0).collect();
        let found = moments(&billed).0;
        let expected = evaluate_under(job, terms).outcome.billed.get();
        assert!((expected / found - 1.0).abs() < *allowed, "{index}: {expected} for {found}");
    }
}

#[test]
fn a_first_wait_moves_the_whole_law() {
    // With probability ½ the job starts at once, else it waits 2 h on average (exponential): mean 1, second
    // moment ½·8 = 4, deviation √3.
    let first = FirstWait { at_once: 0.5, mean: Hours::new(1.0), deviation: Hours::new(3f64.sqrt()) };
    let job = SpotJob { first_wait: first, ..waiting(job(4.0, 7, 60.0, 300.0, 0.3), 0.5) };
    let outcome = evaluate(&job);
    let mut random = Random(7);
    let times: Vec<f64> = (0..RUNS)
        .map(|i| {
            run(&job, &Terms::PLAIN, &mut random).1
                + if i % 2 == 0 { 0.0 } else { 2.0 * random.exponential() }
        })
        .collect();
    let (mean, variance) = moments(&times);
    assert!((outcome.completion.get() / mean - 1.0).abs() < 0.01);
    assert!((outcome.completion_variance / variance - 1.0).abs() < 0.06);
    let spread = completion_spread(&job, &outcome, Burst::OFF);
    for deadline in [4.3, 5.0, 6.0, 8.0, 10.0] {
        let met = times.iter().filter(|t| **t <= deadline).count() as f64 / RUNS as f64;
        assert!((spread.within(Hours::new(deadline)) - met).abs() < 0.01, "{deadline}");
    }
}

#[test]
fn what_is_saved_on_notice_is_not_lost() {
    for (index, (job, success)) in [
        (waiting(job(12.0, 12, 60.0, 300.0, 0.3), 0.5), 0.7),
        (waiting(job(12.0, 6, 60.0, 900.0, 1.0), 1.0), 0.5),
        (waiting(job(6.0, 1, 0.0, 600.0, 0.8), 0.3), 0.9),
    ]
    .iter()
    .enumerate()
    {
        let terms = Terms { saved_on_notice: *success, ..Terms::PLAIN };
        let mut random = Random(200 + index as u64);
        let runs: Vec<_> = (0..RUNS).map(|_| run(job, &terms, &mut random)).collect();
        let outcome = evaluate_under(job, &terms).outcome;
        let billed = moments(&runs.iter().map(|r| r.0).collect::<Vec<_>>());
        let completion = moments(&runs.iter().map(|r| r.1).collect::<Vec<_>>());
        let pairs = [
            (billed, outcome.billed, outcome.billed_variance),
            (completion, outcome.completion, outcome.completion_variance),
        ];
        for ((mean, variance), expected, expected_variance) in pairs {
            let error = (variance / RUNS as f64).sqrt();
            assert!(
                (expected.get() - mean).abs() < 4.0 * error,
                "{index}: {expected:?} for {mean} ± {error}"
            );
            assert!(
                (expected_variance / variance - 1.0).abs() < 0.06,
                "{index}: {expected_variance} {variance}"
            );
        }
    }
}
