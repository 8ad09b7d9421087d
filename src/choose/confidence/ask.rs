//! What the solver is asked on the way to a plan with a chance, and how a selection is judged.

use super::front::{Fronts, Measure};
use crate::choose::budget::EVERYTHING;
use crate::choose::chance::sample::Sample;
use crate::choose::chance::{spans, within_often};
use crate::choose::exact::{Choice, Effort, Graph, Outcome, Problem, Proof, Stage};
use crate::job::{Job, StageKind};
use crate::units::{BilledTime, Hours};
use std::collections::BTreeMap;

/// Effort of the solver for each question: a hundredth of the ordinary one.
const EFFORT: Effort = Effort::steps(Effort::ORDINARY.get() / 100);
/// Most lists of draws that are kept at a time; 64 KiB each.
const DRAWN: usize = 512;

/// A selection: for each stage the position among its open quotes.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) places: Vec<usize>,
    /// In billionths.
    pub(super) cost: i64,
    pub(super) chance: f64,
}

/// The cheapest selection within a time by one measure.
pub(super) enum Cheapest {
    /// With the least that any costs by the measure, in billionths.
    Found(Found, i64),
    /// None is within the time.
    Late,
}

impl Cheapest {
    /// The selection, if there is one.
    pub(super) fn found(self) -> Option<Found> {
        match self {
            Self::Found(found, _) => Some(found),
            Self::Late => None,
        }
    }
}

/// The open quotes of a job under its deadline.
pub(super) struct Asked<'a> {
    pub(super) job: &'a Job,
    pub(super) graph: &'a Graph,
    pub(super) deadline: Hours,
    pub(super) fronts: Fronts,
    samples: Vec<Option<Sample>>,
    /// Times drawn, by stage and place.
    drawn: BTreeMap<(usize, usize), Vec<f64>>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(job: &'a Job, graph: &'a Graph, deadline: Hours, fronts: Fronts) -> Self {
        // Nothing is drawn for a service.
        let sample = |(at, stage): (usize, &crate::job::Stage)| {
            (stage.kind != StageKind::Serve).then(|| Sample::of_stage(at))
        };
        let samples = job.stages.iter().enumerate().map(sample).collect();
        Self { job, graph, deadline, fronts, samples, drawn: BTreeMap::new() }
    }

    /// The stages with the time that a measure tells.
    fn problem(&self, measure: Measure) -> Option<Problem> {
        let choices = |open: &super::front::Open| Choice { time: open.time(measure), cost: open.cost };
        let stage = |(stage, front): (&crate::job::Stage, &std::sync::Arc<Vec<super::front::Open>>)| Stage {
            choices: front.iter().map(choices).collect(),
            after: stage.after.clone(),
        };
        let stages: Vec<Stage> = self.job.stages.iter().zip(&self.fronts).map(stage).collect();
        Problem::new(&stages).ok()
    }

    /// The cheapest selection whose longest path is within a time by a measure.
    pub(super) fn cheapest(&mut self, measure: Measure, within: Hours) -> Option<Cheapest> {
        let within = BilledTime::from_hours(within)?.millis();
        Some(match self.problem(measure)?.cheapest_within(Some(within), EFFORT) {
            Outcome::Infeasible { .. } => Cheapest::Late,
            Outcome::Found(answer) => {
                let at_least = match answer.proof {
                    Proof::Gap { at_least } => at_least,
                    Proof::Proven { .. } => answer.cost,
                };
                Cheapest::Found(self.found(answer.places)?, at_least)
            }
        })
    }

    /// For each stage the position of its quote in a selection.
    pub(super) fn quotes(&self, found: &Found) -> Option<Vec<usize>> {
        let both = self.fronts.iter().zip(&found.places);
        both.map(|(front, place)| front.get(*place).map(|open| open.quote)).collect()
    }

    /// The selection whose longest path is shortest by a measure.
    pub(super) fn fastest(&mut self, measure: Measure) -> Option<Found> {
        let answer = self.problem(measure)?.fastest_within(EVERYTHING, EFFORT).found()?;
        self.found(answer.places)
    }

    /// A selection with its cost and its chance.
    pub(super) fn found(&mut self, places: Vec<usize>) -> Option<Found> {
        self.found_if(places, 0.0)
    }

    /// A selection that has a chance, with its cost; none where it has not.
    pub(super) fn found_if(&mut self, places: Vec<usize>, confidence: f64) -> Option<Found> {
        let mut cost = 0;
        for (front, place) in self.fronts.iter().zip(&places) {
            cost += front.get(*place)?.cost;
        }
        let often = |graph: &Graph, times: &[&[f64]], most| within_often(graph, times, most, confidence);
        let chance = self.over(&places, often)?;
        Some(Found { places, cost, chance })
    }

    /// By how much the time of a selection is expected to differ from its median, in hours: from the spread between the median
    /// and a percentile, in standard deviations of a normal law.
    pub(super) fn deviation(&mut self, places: &[usize], level: f64, z: f64) -> f64 {
        self.over(places, |graph, times, _| {
            let mut all = Vec::new();
            spans(graph, times, |span| {
                all.push(span);
                true
            });
            all.sort_unstable_by(f64::total_cmp);
            #[expect(clippy::cast_precision_loss, reason = "some thousands")]
            let count = all.len() as f64;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the count")]
            let at = |p: f64| all.get((p * count) as usize).or(all.last()).copied().unwrap_or(0.0);
            (at(level) - at(0.5)) / z
        })
    }

    /// What is made of the drawn times of a selection.
    fn over<T>(&mut self, places: &[usize], make: impl Fn(&Graph, &[&[f64]], Hours) -> T) -> T {
        if self.drawn.len() + places.len() > DRAWN.max(2 * places.len()) {
            self.drawn.clear();
        }
        for (at, (place, sample)) in places.iter().zip(&self.samples).enumerate() {
            let law = self.fronts.get(at).and_then(|front| front.get(*place)?.law.as_ref());
            if let (Some(law), Some(sample)) = (law, sample) {
                self.drawn.entry((at, *place)).or_insert_with(|| sample.times(law));
            }
        }
        let times: Vec<&[f64]> = places
            .iter()
            .enumerate()
            .map(|(at, place)| self.drawn.get(&(at, *place)).map_or(&[][..], Vec::as_slice))
            .collect();
        make(self.graph, &times, self.deadline)
    }
}
