//! Which quotes may be part of the cheapest selection with a chance: all but those than which a cheaper one is no slower
//! in any case.

use crate::catalog::Hazard;
use crate::choose::assemble::Considered;
use crate::choose::chance::law::{Law, Scenario, interrupted};
use crate::choose::chance::sample::{Cases, Sample};
use crate::choose::question::{Basis, Classes, competes};
use crate::choose::select::preference;
use crate::decide::CandidateId;
use crate::job::{Stage, StageKind};
use crate::price::{Pricer, Quote};
use crate::threads;
use crate::units::{BilledTime, Hours};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A quote that may be part of a selection.
#[derive(Debug)]
pub(super) struct Open {
    /// Its position among the stage's quotes.
    pub(super) quote: usize,
    /// Its cost in billionths.
    pub(super) cost: i64,
    /// How long it takes; none of a service, which is no part of a run.
    pub(super) law: Option<Law>,
    /// Its time in hours in evenly spread cases, the shortest first.
    cases: Vec<f64>,
    /// Mean and variance of the time, in hours and their square.
    moments: (f64, f64),
}

/// Which figure of a law counts as the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Measure {
    /// What is not exceeded with a probability.
    Percentile(f64),
    /// The same, rounded towards the shorter cases.
    AtLeast(f64),
    /// −ln E[e^(−rT)] ÷ r for a rate r by the hour: below the mean, and additive along a path.
    Discounted(f64),
    /// The mean and so many times the variance, by the hour: additive along a path too.
    Weighted(f64),
}

impl Open {
    fn new(quote: usize, cost: i64, law: Option<Law>, cases: Vec<f64>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a hundred cases")]
        let count = cases.len().max(1) as f64;
        let mean = cases.iter().sum::<f64>() / count;
        let variance = cases.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / count;
        Self { quote, cost, law, cases, moments: (mean, variance) }
    }

    /// The shortest case, in hours.
    pub(super) fn shortest(&self) -> f64 {
        self.cases.first().copied().unwrap_or(0.0)
    }

    /// The share of the cases within a time, and one more for what lies between two of them.
    pub(super) fn in_time(&self, most: Hours) -> f64 {
        let within = self.cases.partition_point(|hours| *hours <= most.get());
        #[expect(clippy::cast_precision_loss, reason = "a hundred cases")]
        {
            (within + 1) as f64 / self.cases.len().max(1) as f64
        }
    }

    /// What counts as its time, in milliseconds for the solver.
    pub(super) fn time(&self, measure: Measure) -> i64 {
        let hours = match measure {
            Measure::Percentile(level) => self.case(level, f64::ceil),
            Measure::AtLeast(level) => self.case(level, |rank| rank.floor() - 1.0),
            Measure::Discounted(rate) => self.discounted(rate),
            Measure::Weighted(weight) => self.moments.0 + weight * self.moments.1,
        };
        // What may never end is at most as late as anything can be.
        BilledTime::from_hours(Hours::new(hours)).map_or(LATEST, |time| time.millis().min(LATEST))
    }

    /// The case of a rank from 1 on that is worked out from the probability.
    fn case(&self, level: f64, round: impl Fn(f64) -> f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a hundred cases")]
        let rank = round(level * self.cases.len() as f64).max(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to a hundred")]
        let case = self.cases.get(rank as usize - 1).or(self.cases.last());
        case.copied().unwrap_or(0.0)
    }

    fn discounted(&self, rate: f64) -> f64 {
        let shortest = self.shortest();
        #[expect(clippy::cast_precision_loss, reason = "a hundred cases")]
        let count = self.cases.len().max(1) as f64;
        let sum: f64 = self.cases.iter().map(|t| (rate * (shortest - t)).exp()).sum();
        shortest - (sum / count).ln() / rate
    }
}

/// A year in milliseconds: later than any deadline that can be kept.
const LATEST: i64 = 365 * 24 * 3_600_000;

/// The open quotes of each stage, the cheapest first. Stages that ask for the same share them.
pub(super) type Fronts = Vec<Arc<Vec<Open>>>;

/// The open quotes of all stages; none where a stage has nothing to choose from.
pub(super) fn fronts(basis: Basis<'_>, stages: &[Considered], classes: Classes) -> Option<Fronts> {
    let alike = |a: usize, b: usize| {
        let quotes = |at: usize| stages.get(at).map(|s| Arc::as_ptr(&s.quotes));
        let kinds = |at: usize| basis.job.stages.get(at).map(|s| s.kind);
        quotes(a) == quotes(b) && kinds(a) == kinds(b) && kinds(a) != Some(StageKind::Serve)
    };
    let mut first: Vec<usize> = Vec::new();
    let mut of = Vec::with_capacity(stages.len());
    for at in 0..stages.len() {
        let known = first.iter().position(|other| alike(*other, at));
        of.push(known.unwrap_or(first.len()));
        if known.is_none() {
            first.push(at);
        }
    }
    let different: Vec<Option<(&Stage, &Considered)>> =
        first.iter().map(|at| basis.job.stages.get(*at).zip(stages.get(*at))).collect();
    let made = threads::each(&different, |pair| {
        let (stage, considered) = (*pair)?;
        let front = front(basis, stage, considered, classes);
        (!front.is_empty()).then(|| Arc::new(front))
    });
    of.iter().map(|of| made.get(*of).cloned().flatten()).collect()
}

/// The open quotes of one stage.
fn front(basis: Basis<'_>, stage: &Stage, considered: &Considered, classes: Classes) -> Vec<Open> {
    // A service has no end and is no part of a run: its cheapest quote stays, and takes neither time nor money of it.
    if stage.kind == StageKind::Serve {
        return considered.selection.chosen.map(|at| Open::new(at, 0, None, vec![0.0])).into_iter().collect();
    }
    let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
    let all = &considered.quotes.quotes;
    let mut open: Vec<(usize, &Quote)> =
        all.iter().enumerate().filter(|(_, q)| competes(stage, considered, classes, q)).collect();
    open.sort_by(|(_, a), (_, b)| preference(basis.job, basis.catalog, a, b));
    let hazard = |quote: &Quote| basis.catalog.offers.get(quote.offer).and_then(|offer| offer.hazard);
    // What is known of candidates on spot, by their hazards.
    let mut known: BTreeMap<CandidateId, Vec<(Option<Hazard>, Cases)>> = BTreeMap::new();
    let mut kept: Vec<Open> = Vec::new();
    for (index, quote) in open {
        let (Some(candidate), Ok(cost)) =
            (considered.candidates.of(quote.candidate), i64::try_from(quote.cost.nanos()))
        else {
            continue;
        };
        // The last one kept beats most of what comes after it.
        let beaten =
            |cases: &[f64]| kept.iter().rev().any(|k| k.cases.iter().zip(cases).all(|(k, c)| k <= c));
        let mut law = Law::uninterrupted(candidate, quote);
        let mut cases = Sample::some().times(&law);
        if beaten(&cases) {
            continue;
        }
        if interrupted(quote) {
            let of = known.entry(quote.candidate).or_default();
            let hazard = hazard(quote);
            let at = of.iter().position(|(h, _)| *h == hazard).unwrap_or_else(|| {
                let bare = Quote { beside: None, ..quote.clone() };
                of.push((hazard, Cases::new(Law::of(stage, &pricer, considered, &bare, Scenario::Default))));
                of.len() - 1
            });
            let Some((_, known)) = of.get(at) else { continue };
            (law, cases) = known.of(quote);
            if beaten(&cases) {
                continue;
            }
        }
        kept.push(Open::new(index, cost, Some(law), cases));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds of an hour.
    const HOUR: i64 = 3_600_000;

    fn open(cases: &[f64]) -> Open {
        Open::new(0, 0, None, cases.to_vec())
    }

    #[test]
    fn measures_are_those_of_the_cases() {
        let four = open(&[1.0, 2.0, 3.0, 6.0]);
        assert_eq!(four.time(Measure::Percentile(0.5)), 2 * HOUR);
        assert_eq!(four.time(Measure::Percentile(0.51)), 3 * HOUR);
        assert_eq!(four.time(Measure::Percentile(0.99)), 6 * HOUR);
        assert_eq!(four.time(Measure::AtLeast(0.74)), HOUR);
        assert_eq!(four.time(Measure::AtLeast(0.75)), 2 * HOUR);
        // The mean is 3, the variance (4 + 1 + 0 + 9) ÷ 4.
        assert_eq!(four.time(Measure::Weighted(0.0)), 3 * HOUR);
        assert_eq!(four.time(Measure::Weighted(2.0)), 10 * HOUR);
        assert_eq!(open(&[1.0, f64::INFINITY]).time(Measure::Weighted(0.1)), LATEST);
    }

    #[test]
    fn discounted_times_add_up_and_lie_between_the_shortest_and_the_mean() {
        let (a, b) = ([1.0, 2.0, 3.0, 6.0], [0.5, 0.5, 4.0, f64::INFINITY]);
        let sums: Vec<f64> = a.iter().flat_map(|a| b.iter().map(move |b| a + b)).collect();
        let mut sums = open(&sums);
        sums.cases.sort_unstable_by(f64::total_cmp);
        for rate in [0.01, 0.3, 2.0] {
            let (one, other) = (open(&a).discounted(rate), open(&b).discounted(rate));
            assert!((one + other - sums.discounted(rate)).abs() < 1e-9);
            assert!(one > 1.0 && one < 3.0);
        }
        assert!((open(&a).discounted(1e-6) - 3.0).abs() < 1e-4);
        assert!((open(&a).discounted(1e3) - 1.0).abs() < 0.01);
    }
}
