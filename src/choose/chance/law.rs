//! The law of one stage's time on one quote: how long the work may take, and on spot how often it is interrupted.
//!
//! The work is log-normal with its expected time as the median and its band as the 5th and the 95th percentile, each side
//! by its own end. On spot, interruptions are drawn from the law of the completion time (`price::spot`) at five lengths
//! of the work; between them the failure-free time is moved along. With on-demand fallback the time within which the stage is
//! to end cuts them off.

use super::sample::normal;
use crate::choose::assemble::Considered;
use crate::decide::Candidate;
use crate::job::{Purchase, Stage};
use crate::price::spot::{self, Scenarios, Spread};
use crate::price::{Pricer, Quote};
use crate::units::{Band, Hours};
use std::sync::Arc;

/// How frequent interruptions and how long the waits after them are taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// As few as may be.
    Optimistic,
    /// As expected.
    Default,
    /// As many as may be.
    Pessimistic,
}

impl Scenario {
    fn of<T: Copy>(self, all: &Scenarios<T>) -> T {
        match self {
            Self::Optimistic => all.optimistic,
            Self::Default => all.default,
            Self::Pessimistic => all.pessimistic,
        }
    }
}

/// Chances of a shorter work in the middle of each fifth: the lengths at which interruptions are looked at.
const LENGTHS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Percentiles of each law that are kept; above the last one the law itself is asked.
const KEPT: u32 = 64;

/// Whether a quote may be taken away.
pub fn interrupted(quote: &Quote) -> bool {
    matches!(quote.purchase, Purchase::Spot | Purchase::Fallback)
}

/// The law of a stage's time.
#[derive(Debug, Clone)]
pub struct Law {
    /// Time beside the work: the start-up.
    beside: f64,
    work: Band<f64>,
    /// Logarithms of the expected work over its low end and of its high end over the expected work.
    sides: [f64; 2],
    /// With on-demand fallback the time within which work of the expected length ends in any case.
    net: Option<f64>,
    /// On spot: for each of `LENGTHS` the work, the law and its percentiles at multiples of 1 ÷ `KEPT`.
    spot: Arc<[(f64, Spread, Vec<f64>)]>,
}

impl Law {
    /// Of a quote of a stage.
    pub fn of(
        stage: &Stage,
        pricer: &Pricer<'_>,
        considered: &Considered,
        quote: &Quote,
        scenario: Scenario,
    ) -> Self {
        let Some(candidate) = considered.candidates.of(quote.candidate) else {
            return Self::fixed(Hours::NEVER);
        };
        let mut law = Self::uninterrupted(candidate, quote);
        if let Some((case, ..)) = pricer.spot_details(candidate, quote) {
            law.spot = LENGTHS
                .iter()
                .map(|p| {
                    let work = law.length(*p);
                    let (hazard, wait) = (scenario.of(&case.hazard), scenario.of(&case.wait));
                    let job = case.job(stage, &candidate.layout, Hours::new(work), hazard, wait);
                    let spot::Evaluated { job, outcome } = case.outcome(&job);
                    let spread = spot::completion_spread(&job, &outcome, spot::Burst::DEFAULT);
                    let kept =
                        (0..KEPT).map(|k| spread.percentile(f64::from(k) / f64::from(KEPT)).get()).collect();
                    (work, spread, kept)
                })
                .collect();
        }
        law
    }

    /// The same without interruptions: no time is shorter than this one at the same length of the work.
    pub fn uninterrupted(candidate: &Candidate, quote: &Quote) -> Self {
        let work = candidate.duration.time.map(Hours::get);
        let beside =
            if interrupted(quote) { 0.0 } else { quote.time.minus(candidate.duration.time.expected).get() };
        Self { beside, net: quote.net().map(|net| net.within.get()), ..Self::of_work(work) }
    }

    /// A time that is certain.
    fn fixed(time: Hours) -> Self {
        Self { beside: time.get(), ..Self::of_work(Band::exact(0.0)) }
    }

    fn of_work(work: Band<f64>) -> Self {
        let Band { low, expected, high } = work;
        let sides = [expected / low, high / expected].map(|side| side.max(1.0).ln());
        Self { beside: 0.0, work, sides, net: None, spot: Arc::new([]) }
    }

    /// The work that is not exceeded with probability `p`.
    fn length(&self, p: f64) -> f64 {
        self.length_at(normal(p))
    }

    /// The work at a number of standard deviations, in units of the 95th percentile.
    pub(super) fn length_at(&self, z: f64) -> f64 {
        let expected = self.work.expected;
        if expected <= 0.0 {
            return 0.0;
        }
        let [shorter, longer] = self.sides;
        expected * (if z < 0.0 { shorter } else { longer } * z).exp()
    }

    /// Whether the length of the work decides the time.
    pub(super) fn is_uninterrupted(&self) -> bool {
        self.spot.is_empty()
    }

    /// The time in hours where nothing is interrupted, for a length of the work.
    pub(super) fn plain(&self, work: f64) -> f64 {
        self.caught(self.beside + work, self.beside + work)
    }

    /// The time in hours for a length of the work in one of its fifths, at a chance from 0 to 1 for interruptions.
    pub(super) fn time(&self, work: f64, fifth: usize, interrupted: f64) -> f64 {
        let Some((near, spread, kept)) = self.spot.get(fifth) else { return self.plain(work) };
        let at = interrupted * f64::from(KEPT);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 64")]
        let k = at as usize;
        let time = match (kept.get(k), kept.get(k + 1)) {
            (Some(low), Some(high)) if high.is_finite() => low + (high - low) * at.fract(),
            _ => spread.percentile(interrupted).get(),
        };
        self.caught(time + (work - near), self.alone(work, fifth))
    }

    /// The time in hours without an interruption, which is that on-demand alone, for a length of the work in one of its
    /// fifths.
    pub(super) fn alone(&self, work: f64, fifth: usize) -> f64 {
        let near = self.spot.get(fifth);
        near.map_or(self.beside + work, |(near, spread, _)| spread.shortest().get() + (work - near))
    }

    /// A time as the fallback limits it: the time within which it is to end, or what the work takes on-demand `alone` where
    /// that is longer. How much work is left is known while it runs, so that on-demand takes over in time for work that is
    /// longer than expected too.
    pub(super) fn caught(&self, time: f64, alone: f64) -> f64 {
        self.net.map_or(time, |net| time.min(net.max(alone)))
    }

    /// The same law of another quote of its candidate whose offer has the same hazard.
    #[must_use]
    pub fn of_another(&self, quote: &Quote) -> Self {
        Self { net: quote.net().map(|net| net.within.get()), ..self.clone() }
    }
}
