//! The search through selections in rising order of cost.

use super::ask::{Asked, Found};
use super::front::Measure;
use super::rising::Rising;
use crate::choose::exact::{Choice, Stage};
use crate::choose::sensitivity::slack;
use crate::units::{BilledTime, Hours};

/// Most selections that are told in rising order of cost for a run of one stage. Each takes as many questions to the solver
/// as there are stages, and each question the longer the more they are.
const TOLD: usize = 6000;
/// Runs of more stages than this are not told: nothing would be proven by the few for which there is time.
const MOST_STAGES: usize = 24;

/// How many selections are told for a run of so many stages.
pub(super) fn told_for(stages: usize) -> usize {
    if stages > MOST_STAGES { 0 } else { TOLD / (stages * stages).max(10) }
}

impl Asked<'_> {
    /// Tells selections within a time by a measure, the cheapest first, until one has the chance or costs as much as the best
    /// one. Returns the best one then, and the cost below which none was left.
    pub(super) fn told(
        &mut self,
        best: Found,
        bound: i64,
        confidence: f64,
        (measure, within): (Measure, Hours),
        most: usize,
    ) -> (Found, i64) {
        if bound >= best.cost || most == 0 {
            return (best, bound);
        }
        let (places, stages) = self.open(&best, confidence, measure);
        let rising = BilledTime::from_hours(within).and_then(|within| Rising::new(stages, within.millis()));
        let Some(mut rising) = rising else { return (best, bound) };
        let mut least = bound;
        for _ in 0..most {
            match rising.least() {
                Some(next) if next < best.cost => least = least.max(next),
                // Everything cheaper has been told, and nothing of it has the chance.
                _ => return (best.clone(), best.cost),
            }
            let Some(told) = rising.next() else { break };
            let picked: Option<Vec<usize>> =
                told.iter().zip(&places).map(|(at, places)| places.get(*at).copied()).collect();
            let Some(picked) = picked else { break };
            if let Some(found) = self.found_if(picked, confidence) {
                return (found, least);
            }
        }
        (best, least)
    }

    /// For each stage the places that may be part of a selection cheaper than the best one, as the solver sees them. What is
    /// late too often even where all other stages take their shortest time is none.
    fn open(&self, best: &Found, confidence: f64, measure: Measure) -> (Vec<Vec<usize>>, Vec<Stage>) {
        // The cheapest stand first.
        let least: Vec<i64> = self.fronts.iter().filter_map(|f| f.first()).map(|open| open.cost).collect();
        let all: i64 = least.iter().sum();
        let shortest: Vec<Hours> = self
            .fronts
            .iter()
            .map(|front| {
                Hours::new(front.iter().map(super::front::Open::shortest).fold(f64::INFINITY, f64::min))
            })
            .collect();
        // What is left to a stage where all others take their shortest time.
        let left = slack(self.graph, &shortest, self.deadline);
        let (mut places, mut asked) = (Vec::new(), Vec::new());
        for (at, (stage, front)) in self.job.stages.iter().zip(&self.fronts).enumerate() {
            let most_cost = best.cost - (all - least.get(at).copied().unwrap_or(0));
            let most = left.get(at).zip(shortest.get(at)).map_or(Hours::ZERO, |(l, s)| *l + *s);
            let open: Vec<usize> = (0..front.len())
                .filter(|place| {
                    front.get(*place).is_some_and(|o| o.cost <= most_cost && o.in_time(most) >= confidence)
                })
                .collect();
            let choices = open.iter().filter_map(|place| front.get(*place));
            let choices = choices.map(|o| Choice { time: o.time(measure), cost: o.cost }).collect();
            asked.push(Stage { choices, after: stage.after.clone() });
            places.push(open);
        }
        (places, asked)
    }
}
