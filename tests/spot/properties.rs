//! What must hold for every job, on thousands of random ones.

use plan::price::breakeven::{
    break_even_discount, break_even_hazard, break_even_hours, compare_month, compare_spot,
    single_run_discount,
};
use plan::price::spot::{
    Burst, FirstWait, Hazard, SpotJob, Terms, Wait, assess, best_segments, billed_spread, completion_spread,
    daly_interval, evaluate, evaluate_under, exact_interval, fall_back, measured_miss_rate, segments_every,
    young_interval,
};
use plan::units::{Hours, Money, PerHour};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// So many random inputs each.
const CASES: u32 = 4096;

/// The same inputs in every run; another seed finds others.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_260_101),
        ..ProptestConfig::default()
    }
}

/// A positive figure of any size within powers of ten.
fn sized(from: f64, to: f64) -> impl Strategy<Value = f64> {
    (from..to).prop_map(|exponent| 10f64.powf(exponent))
}

/// Durations as they occur, from seconds to a year.
fn hours() -> impl Strategy<Value = Hours> {
    prop_oneof![1 => Just(Hours::ZERO), 20 => sized(-4.0, 4.0).prop_map(Hours::new)]
}

fn hazard() -> impl Strategy<Value = Hazard> {
    prop_oneof![1 => Just(0.0), 20 => sized(-6.0, 1.5)].prop_map(|rate| Hazard::per_hour(rate).unwrap())
}

/// Anything that the types allow.
fn any_hours() -> impl Strategy<Value = Hours> {
    prop_oneof![
        Just(Hours::ZERO),
        Just(Hours::NEVER),
        sized(-320.0, 308.0).prop_map(Hours::new),
        sized(-6.0, 6.0).prop_map(Hours::new),
    ]
}

fn any_hazard() -> impl Strategy<Value = Hazard> {
    prop_oneof![Just(0.0), sized(-320.0, 308.0), sized(-6.0, 3.0)].prop_map(|r| Hazard::per_hour(r).unwrap())
}

fn any_job() -> impl Strategy<Value = SpotJob> {
    let segments = prop_oneof![0..3u32, 1..1000u32, any::<u32>()];
    let waits = (any_hours(), any_hours(), 0.0..=1.0, any_hours(), any_hours());
    (any_hours(), segments, any_hours(), any_hours(), any_hazard(), waits).prop_map(
        |(
            work,
            segments,
            checkpoint,
            restart,
            hazard,
            (mean, deviation, at_once, first, first_deviation),
        )| SpotJob {
            work,
            segments,
            checkpoint,
            restart,
            hazard,
            wait: Wait { mean, deviation },
            first_wait: FirstWait { at_once, mean: first, deviation: first_deviation },
        },
    )
}

fn any_terms() -> impl Strategy<Value = Terms> {
    (any_hours(), any_hours(), 0.0..=1.0).prop_map(|(protection, lifetime, saved)| Terms {
        protection,
        lifetime,
        saved_on_notice: saved,
    })
}

/// Jobs as they occur, with waits whose deviation is up to three times their mean.
fn usual_job() -> impl Strategy<Value = SpotJob> {
    (hours(), 1..400u32, sized(-3.0, 0.0), sized(-3.0, 0.0), hazard(), hours(), 0.0..3.0).prop_map(
        |(work, segments, checkpoint, restart, hazard, wait, variation)| SpotJob {
            work,
            segments,
            checkpoint: Hours::new(checkpoint),
            restart: Hours::new(restart),
            hazard,
            wait: Wait::varying(wait, variation),
            first_wait: Wait::varying(wait, variation).at_random_arrival(hazard),
        },
    )
}

fn usual_terms() -> impl Strategy<Value = Terms> {
    let protection = prop_oneof![Just(Hours::ZERO), hours()];
    let lifetime = prop_oneof![Just(Hours::NEVER), hours()];
    (protection, lifetime, prop_oneof![Just(0.0), 0.0..=1.0])
        .prop_map(|(protection, lifetime, saved)| Terms { protection, lifetime, saved_on_notice: saved })
}

/// a ≤ b up to the rounding of sums; never is the largest.
fn at_most(a: f64, b: f64) -> bool {
    a <= b || a <= b * (1.0 + 1e-12)
}

fn with_best_segments(job: SpotJob) -> SpotJob {
    SpotJob { segments: best_segments(job.work, job.checkpoint, job.hazard), ..job }
}

/// No waiting value.
const FREE: PerHour = PerHour::from_nanos(0);

proptest! {
    #![proptest_config(config())]

    #[test]
    fn more_hazard_never_costs_less(job in usual_job(), terms in usual_terms(), factor in 1.0..10.0) {
        let worse = SpotJob { hazard: job.hazard.scaled(factor), ..job };
        let (less, more) = (evaluate_under(&job, &terms).outcome, evaluate_under(&worse, &terms).outcome);
        prop_assert!(at_most(less.billed.get(), more.billed.get()), "{} {}", less.billed.get(), more.billed.get());
        prop_assert!(at_most(less.interruptions, more.interruptions));
        prop_assert!(more.p_uninterrupted <= less.p_uninterrupted * (1.0 + 1e-12));
        let (less, more) = (evaluate(&with_best_segments(job)), evaluate(&with_best_segments(worse)));
        prop_assert!(at_most(less.billed.get(), more.billed.get()));
        prop_assert!(at_most(less.completion.get() - job.first_wait.mean.get(), more.completion.get()));
    }

    #[test]
    fn a_longer_checkpoint_never_costs_less_at_its_own_optimum(job in usual_job(), factor in 1.0..10.0) {
        let longer = SpotJob { checkpoint: job.checkpoint * factor, ..job };
        let (short, long) = (evaluate(&with_best_segments(job)), evaluate(&with_best_segments(longer)));
        prop_assert!(at_most(short.billed.get(), long.billed.get()), "{short:?} {long:?}");
    }

    #[test]
    fn no_other_number_of_segments_is_cheaper(
        work in sized(-2.0, 1.7), checkpoint in sized(-3.5, 0.5), rate in sized(-3.0, 1.0),
    ) {
        let hazard = Hazard::per_hour(rate).unwrap();
        let (work, checkpoint) = (Hours::new(work), Hours::new(checkpoint));
        let billed = |segments| {
            let job = SpotJob {
                work, segments, checkpoint, restart: Hours::ZERO, hazard,
                wait: Wait::NONE, first_wait: FirstWait::NONE,
            };
            evaluate(&job).billed.get()
        };
        let best = best_segments(work, checkpoint, hazard);
        prop_assume!(best <= 500);
        let least = (1..=600).map(billed).fold(f64::INFINITY, f64::min);
        prop_assert!(at_most(billed(best), least), "{best}: {} against {least}", billed(best));
    }

    #[test]
    fn spot_at_an_equal_price_is_never_cheaper(job in usual_job(), price in 1..100_000_000_000i64) {
        let price = PerHour::from_nanos(price);
        prop_assert!(!compare_spot(&job, price, price, FREE).spot_wins);
        prop_assert!(!compare_spot(&job, price, price, price).spot_wins);
        let discount = single_run_discount(&job);
        prop_assert!((0.0..=1.0).contains(&discount));
        // A little above its break-even discount it is cheaper, a little below it is not.
        let wins = |d: f64| compare_spot(&job, price, price.scaled(1.0 - d), FREE).spot_wins;
        if price.nanos() > 1_000_000_000 && discount < 0.999 && job.work + job.restart > Hours::new(0.01) {
            prop_assert!(wins((discount + 1e-4).min(1.0)) && !wins((discount - 1e-4).max(0.0)), "{discount}");
        }
    }

    #[test]
    fn figures_are_finite_or_never(
        job in any_job(), terms in any_terms(), q in 0.0..=1.0, deadline in any_hours(), factor in 1.0..10.0,
    ) {
        let bare = evaluate(&job);
        let under = evaluate_under(&job, &terms);
        for (job, outcome) in [(job, bare), (under.job, under.outcome)] {
            let figures = [outcome.interruptions, outcome.billed_variance, outcome.completion_variance];
            prop_assert!(figures.iter().all(|x| !x.is_nan() && *x >= 0.0), "{outcome:?}");
            prop_assert!((0.0..=1.0).contains(&outcome.p_uninterrupted));
            prop_assert!(outcome.billed >= outcome.shortest && outcome.completion >= outcome.billed);
            for burst in [Burst::OFF, Burst::DEFAULT, Burst::new(factor).unwrap()] {
                for spread in [completion_spread(&job, &outcome, burst), billed_spread(&job, &outcome, burst)] {
                    let time = spread.percentile(q);
                    prop_assert!(time >= outcome.shortest, "{time:?} {outcome:?}");
                    let chance = spread.within(deadline);
                    prop_assert!((0.0..=1.0).contains(&chance), "{chance} {spread:?}");
                }
            }
            let law = completion_spread(&job, &outcome, Burst::DEFAULT);
            if let Some(split) = fall_back(&job, &outcome, &law, deadline) {
                prop_assert!(!split.spot.get().is_nan() && !split.on_demand.get().is_nan());
                prop_assert!(split.spot <= outcome.billed && split.time <= deadline.max(outcome.shortest));
            }
        }
        // Typed hours cannot hold what is not a number; none of these may panic either.
        let _ = (assess(&job), single_run_discount(&job), compare_spot(&job, FREE, FREE, FREE));
        let intervals = [young_interval, daly_interval, exact_interval].map(|f| f(job.checkpoint, job.hazard));
        prop_assert!(intervals.iter().all(|i| !i.get().is_nan()));
        prop_assert!(best_segments(job.work, job.checkpoint, job.hazard) >= 1);
        prop_assert!(segments_every(job.work, job.restart) >= 1);
        let discount = break_even_discount(job.checkpoint, job.restart, job.hazard);
        prop_assert!((0.0..=1.0).contains(&discount), "{discount}");
        if let Some(rate) = measured_miss_rate(job.work, deadline) {
            prop_assert!((0.0..=1.0).contains(&rate));
        }
    }

    #[test]
    fn percentiles_rise_and_agree_with_probabilities(job in usual_job(), factor in 1.0..10.0) {
        let outcome = evaluate(&job);
        for burst in [Burst::OFF, Burst::DEFAULT, Burst::new(factor).unwrap()] {
            for spread in [completion_spread(&job, &outcome, burst), billed_spread(&job, &outcome, burst)] {
                let mut before = outcome.shortest;
                for q in [0.1, 0.5, 0.9, 0.95, 0.99] {
                    let time = spread.percentile(q);
                    prop_assert!(at_most(before.get(), time.get()));
                    // A hair later, since a tiny excess is lost in the sum with the shortest time.
                    let within = spread.within(time * (1.0 + 1e-9));
                    prop_assert!(!time.is_finite() || within > q - 1e-5, "{q}: {time:?} within {within} {spread:?} {outcome:?}");
                    before = time;
                }
                let chances = [0.5, 1.0, 1.1, 2.0, 10.0, 1e3].map(|f| spread.within(outcome.shortest * f));
                // The inversion carries an error of 1e-4 or so around the kinks of the law.
                prop_assert!(chances.windows(2).all(|w| w[0] <= w[1] + 2e-3), "{chances:?} {spread:?}");
            }
        }
    }

    #[test]
    fn a_later_deadline_needs_no_more_on_demand(job in usual_job(), deadline in hours(), factor in 1.0..3.0) {
        let outcome = evaluate(&job);
        let law = completion_spread(&job, &outcome, Burst::DEFAULT);
        let split = |d: Hours| fall_back(&job, &outcome, &law, d);
        if let (Some(early), Some(late)) = (split(deadline), split(deadline * factor)) {
            prop_assert!(late.on_demand.get() <= early.on_demand.get() * (1.0 + 1e-9) + 1e-9, "{early:?} {late:?}");
        }
    }

    #[test]
    fn a_break_even_hazard_breaks_even(checkpoint in sized(-4.0, 1.0), restart in sized(-4.0, 1.0), d in 1e-6..0.999) {
        let (c, r) = (Hours::new(checkpoint), Hours::new(restart));
        let hazard = break_even_hazard(c, r, d).unwrap();
        prop_assert!((break_even_discount(c, r, hazard) - d).abs() < 1e-11, "{hazard:?}");
    }

    #[test]
    fn months_never_cost_more_than_hours(
        per_hour in 0..50_000_000_000i64, month in 0..20_000_000_000_000i128, busy in 0.0..5000.0, more in 0.0..500.0,
    ) {
        let (price, month) = (PerHour::from_nanos(per_hour), Money::from_nanos(month));
        let at = |h: f64| compare_month(price, month, Hours::new(h)).unwrap();
        let (now, later) = (at(busy), at(busy + more));
        prop_assert!(now.best <= now.on_demand && now.best <= now.monthly && now.best_months <= now.covering_months);
        // More hours never cost less, nor more than those hours on-demand.
        prop_assert!(now.best <= later.best);
        prop_assert!(later.best.nanos() - now.best.nanos() <= price.for_hours(Hours::new(more)).unwrap().nanos() + 2);
        // Within one month, more busy hours never make the month relatively dearer.
        if busy + more <= 730.0 {
            let month_wins = |m: &plan::price::breakeven::MonthComparison| m.best_months == 1;
            prop_assert!(!month_wins(&now) || month_wins(&later));
            let border = break_even_hours(price, month).get();
            prop_assert!((busy - border).abs() < 1e-6 || month_wins(&now) == (busy > border));
        }
    }
}
