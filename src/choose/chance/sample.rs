//! Chances at which the times of laws are told: the same for every law, so that laws can be compared, and worked out once.

use super::DRAWS;
use super::law::Law;
use super::random::{Random, normal_quantile};
use crate::price::Quote;
use std::sync::OnceLock;

/// The 95th percentile of the standard normal law.
const Z95: f64 = 1.644_853_627;

/// What a standard normal variable stays below with probability `p`, in units of its 95th percentile.
pub(super) fn normal(p: f64) -> f64 {
    normal_quantile(p) / Z95
}

/// What a standard normal variable stays below with probability `p`, in standard deviations.
pub fn quantile(p: f64) -> f64 {
    normal_quantile(p)
}

/// A list of cases.
#[derive(Debug)]
pub struct Sample(Vec<Case>);

/// A length of the work, and a chance for interruptions.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// Standard deviations from the median of the work, in units of the 95th percentile.
    z: f64,
    /// In which fifth of all lengths it lies.
    fifth: usize,
    /// From 0 to 1.
    interrupted: f64,
}

impl Case {
    fn new(length: f64, interrupted: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 5")]
        let fifth = ((length * 5.0) as usize).min(4);
        Self { z: normal(length), fifth, interrupted }
    }
}

impl Sample {
    /// The draws of a stage by its number.
    pub fn of_stage(stage: usize) -> Self {
        let mut random = Random::new(stage as u64);
        Self((0..DRAWS).map(|_| Case::new(random.open(), random.open())).collect())
    }

    /// Evenly spread cases, those of shorter work first: one coordinate in even steps, the other in steps of the golden
    /// section, so that no two cases are near.
    fn even() -> &'static Self {
        const CASES: u32 = 512;
        const GOLDEN: f64 = 0.618_033_988_749_895;
        static EVEN: OnceLock<Sample> = OnceLock::new();
        let case = |i: u32| {
            let i = f64::from(i) + 0.5;
            Case::new(i / f64::from(CASES), (i * GOLDEN).fract())
        };
        EVEN.get_or_init(|| Self((0..CASES).map(case).collect()))
    }

    /// Every fourth of the even cases: what a law without interruptions is compared by.
    pub fn some() -> &'static Self {
        static SOME: OnceLock<Sample> = OnceLock::new();
        SOME.get_or_init(|| {
            Self(Self::even().0.iter().skip(COMPARED / 2).step_by(COMPARED).copied().collect())
        })
    }

    /// The lengths of the work in these cases, in hours.
    pub(super) fn lengths(&self, law: &Law) -> Vec<f64> {
        self.0.iter().map(|case| law.length_at(case.z)).collect()
    }

    /// The times in hours in these cases, of which the lengths of the work are known.
    pub(super) fn times_of(&self, law: &Law, lengths: &[f64]) -> Vec<f64> {
        let cases = self.0.iter().zip(lengths);
        if law.is_uninterrupted() {
            return cases.map(|(_, work)| law.plain(*work)).collect();
        }
        cases.map(|(case, work)| law.time(*work, case.fifth, case.interrupted)).collect()
    }

    /// The times in hours in these cases.
    pub fn times(&self, law: &Law) -> Vec<f64> {
        self.times_of(law, &self.lengths(law))
    }
}

/// A law on spot in the even cases, for all quotes of a candidate whose offers have the same hazard: with on-demand
/// fallback they differ in the time alone within which the stage is to end.
#[derive(Debug)]
pub struct Cases {
    law: Law,
    times: Vec<f64>,
    /// The times on-demand alone.
    alone: Vec<f64>,
}

impl Cases {
    /// Of a law without fallback.
    pub fn new(law: Law) -> Self {
        let even = Sample::even();
        let lengths = even.lengths(&law);
        let times = even.times_of(&law, &lengths);
        let alone = even.0.iter().zip(&lengths).map(|(case, work)| law.alone(*work, case.fifth)).collect();
        Self { law, times, alone }
    }

    /// The law of a quote, and its time in hours in some of the cases, the shortest first.
    pub fn of(&self, quote: &Quote) -> (Law, Vec<f64>) {
        let law = self.law.of_another(quote);
        let both = self.times.iter().zip(&self.alone);
        let mut all: Vec<f64> = both.map(|(time, alone)| law.caught(*time, *alone)).collect();
        all.sort_unstable_by(f64::total_cmp);
        (law, all.into_iter().skip(COMPARED / 2).step_by(COMPARED).collect())
    }
}

/// Of so many sorted cases one is compared.
const COMPARED: usize = 4;
