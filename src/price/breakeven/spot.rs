//! Spot against on-demand: the discount that pays for the repeated work, and the hazard up to which a discount
//! does.

use super::saving_percent;
use crate::price::spot::{Hazard, SpotJob, evaluate, lambert_branch};
use crate::units::{Hours, Money, PerHour};

/// h: hours up per hour of work of a long job with the best checkpoint interval, e^{λR}/(1 − λτ*) with
/// 1 − λτ* = −W₀(−e^{−1−λC}). Infinite where it overflows.
pub fn long_run_inflation(checkpoint: Hours, restart: Hours, hazard: Hazard) -> f64 {
    log_inflation(checkpoint, restart, hazard).exp()
}

/// ln h = λR + λ(τ* + C), since the equation of the optimum is ln(1 − λτ*) = −λ(τ* + C).
fn log_inflation(checkpoint: Hours, restart: Hours, hazard: Hazard) -> f64 {
    let c = hazard.over(checkpoint);
    hazard.over(restart) + lambert_branch(c).above_minus_one + c
}

/// The discount above which spot is cheaper, 1 − 1/h, of an inflation h ≥ 1.
pub fn break_even_discount(checkpoint: Hours, restart: Hours, hazard: Hazard) -> f64 {
    -(-log_inflation(checkpoint, restart, hazard)).exp_m1()
}

/// The same for one finite job, whose on-demand twin takes W + R: 1 − (W + R)/B.
pub fn single_run_discount(job: &SpotJob) -> f64 {
    let outcome = evaluate(job);
    if !outcome.billed.is_finite() {
        return 1.0;
    }
    let extra = outcome.shortest.minus(job.work + job.restart) + outcome.overrun;
    if extra == Hours::ZERO { 0.0 } else { extra / outcome.billed }
}

/// The hazard up to which a discount (0.7 for 70 %) pays for itself on a long job: the root of
/// ln h(λ) = −ln(1 − d), which rises with slope R + C/(λτ*). No hazard at all for no discount; `None` where no
/// hazard is too much (checkpoints and launches that take no time) or where the discount is not below 1.
pub fn break_even_hazard(checkpoint: Hours, restart: Hours, discount: f64) -> Option<Hazard> {
    let (c, r) = (checkpoint.get(), restart.get());
    if !(discount < 1.0 && c + r > 0.0 && (c + r).is_finite()) {
        return None;
    }
    if discount <= 0.0 {
        return Some(Hazard::NONE);
    }
    let target = -(-discount).ln_1p();
    // ln h ≥ λR and ln h ≥ λC: the root lies below target ÷ the longer of the two.
    let (mut low, mut high) = (0.0, target / c.max(r));
    let mut rate = high / 2.0;
    for _ in 0..200 {
        let hazard = Hazard::per_hour(rate)?;
        let t = lambert_branch(rate * c).above_minus_one;
        let error = log_inflation(checkpoint, restart, hazard) - target;
        if error > 0.0 {
            high = rate;
        } else {
            low = rate;
        }
        let slope = r + if c > 0.0 { c / t } else { 0.0 };
        let newton = rate - error / slope;
        let next = if newton >= low && newton <= high { newton } else { f64::midpoint(low, high) };
        let done = (next - rate).abs() <= 4.0 * f64::EPSILON * rate;
        rate = next;
        if done {
            break;
        }
    }
    Hazard::per_hour(rate)
}

/// One job bought both ways, on one instance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpotComparison {
    /// W + R at the on-demand price; `None` where it exceeds what an amount can hold.
    pub on_demand: Option<Money>,
    /// The expected time up at the spot price; `None` where it never ends.
    pub spot: Option<Money>,
    /// What spot saves of the on-demand cost, in per cent; negative where it costs more.
    pub saving_percent: Option<f64>,
    /// Whether spot is cheaper; equal cost is not.
    pub spot_wins: bool,
}

/// Compares the expected cost of a job on spot with its cost on-demand. `time_value` is what an hour of waiting
/// for the result is worth to the user (zero if nothing): it is added to both, over the completion time of each.
pub fn compare_spot(job: &SpotJob, on_demand: PerHour, spot: PerHour, time_value: PerHour) -> SpotComparison {
    let outcome = evaluate(job);
    let run = job.work + job.restart;
    let value = time_value.as_f64();
    let weighed = |price: f64, billed: Hours, completion: Hours| {
        let waiting = if value == 0.0 { 0.0 } else { value * completion.get() };
        if price == 0.0 { waiting } else { price * billed.get() + waiting }
    };
    let bought = weighed(on_demand.as_f64(), run, run);
    let bid = weighed(spot.as_f64(), outcome.billed, outcome.completion);
    let ends = outcome.billed.is_finite();
    SpotComparison {
        on_demand: Money::from_f64(bought),
        spot: if ends { Money::from_f64(bid) } else { None },
        saving_percent: if ends { saving_percent(bought, bid) } else { None },
        spot_wins: ends && bid < bought,
    }
}
