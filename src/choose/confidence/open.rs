//! Which quotes may be part of the cheapest selection with a chance, and the search through their selections in rising
//! order of cost.

use super::rising::Rising;
use super::{Found, Search};
use crate::choose::assemble::Considered;
use crate::choose::chance::law::{Law, Scenario, interrupted};
use crate::choose::exact::{Choice, Stage};
use crate::choose::question::competes;
use crate::choose::select::preference;
use crate::choose::sensitivity::slack;
use crate::job::{self, StageKind};
use crate::price::{Pricer, Quote};
use crate::units::{BilledTime, Hours};

/// Most selections that are told in rising order of cost for a run of one stage. Each takes as many questions to the solver
/// as there are stages, and each question the longer the more they are.
const TOLD: usize = 6000;

/// The same for a run of so many stages, at least a few.
fn told_for(stages: usize) -> usize {
    (TOLD / (stages * stages).max(10)).max(10)
}
/// The cases of a law by which another one is compared with it: every eighth of them.
const COMPARED: usize = 8;

impl Search<'_> {
    /// The cheapest selection with the chance, if it is found before too many have been told, with the least that any
    /// costs. `best` has the chance, nothing with it costs less than `bound`; what is told first is cheap at `levels`, the
    /// first of which leaves nothing out.
    pub(super) fn enumerated(&mut self, mut best: Found, mut bound: i64, levels: [f64; 5]) -> (Found, i64) {
        let [first, others @ ..] = levels;
        let most = told_for(self.stages.len());
        for level in others {
            (best, _) = self.told(best, bound, level, most / 10);
        }
        (best, bound) = self.told(best, bound, first, most);
        (best, bound)
    }

    /// Tells selections that keep the deadline with every stage at a percentile, the cheapest first, until one has the
    /// chance or costs as much as the best one. Returns the best one then, and the cost below which none was left.
    fn told(&mut self, best: Found, bound: i64, level: f64, most: usize) -> (Found, i64) {
        if i128::from(bound) >= best.cost {
            return (best, bound);
        }
        let open = self.open(&best, level).and_then(|(quotes, stages)| {
            let deadline = BilledTime::from_hours(self.deadline)?.millis();
            Some((quotes, Rising::new(stages, deadline)?))
        });
        let Some((quotes, mut rising)) = open else { return (best, bound) };
        let mut least = bound;
        for _ in 0..most {
            match rising.least() {
                Some(next) if i128::from(next) < best.cost => least = least.max(next),
                // Everything cheaper has been told, and nothing of it has the chance.
                _ => return (best.clone(), i64::try_from(best.cost).unwrap_or(least)),
            }
            let Some(places) = rising.next() else { break };
            let picked: Option<Vec<usize>> =
                places.iter().zip(&quotes).map(|(place, quotes)| quotes.get(*place).copied()).collect();
            let Some(found) = picked.and_then(|quotes| self.found(quotes)) else { break };
            if found.chance >= self.confidence {
                return (found, least);
            }
        }
        (best, least)
    }

    /// For each stage the quotes that may be part of a selection cheaper than the best one, with their times at a
    /// percentile: all but those than which a cheaper one is no slower in any case.
    ///
    /// Nor does one take part that is late too often even where all others take their shortest time.
    fn open(&self, best: &Found, level: f64) -> Option<(Vec<Vec<usize>>, Vec<Stage>)> {
        let mut least = Vec::new();
        for (stage, considered) in self.basis.job.stages.iter().zip(self.stages) {
            let quotes =
                considered.quotes.quotes.iter().filter(|q| competes(stage, considered, self.classes, q));
            let cheapest = quotes.map(|q| q.cost.nanos()).min()?;
            least.push(if stage.kind == StageKind::Serve { 0 } else { cheapest });
        }
        let all: i128 = least.iter().sum();
        let mut all_open: Vec<Vec<Open>> = Vec::new();
        for (at, (stage, considered)) in self.basis.job.stages.iter().zip(self.stages).enumerate() {
            let others = all - least.get(at).copied().unwrap_or(0);
            all_open.push(if stage.kind == StageKind::Serve {
                vec![Open { quote: considered.selection.chosen?, cost: 0, cases: vec![0.0] }]
            } else {
                self.open_to(stage, considered, best.cost - others)
            });
        }
        let shortest: Vec<Hours> = all_open
            .iter()
            .map(|open| {
                Hours::new(open.iter().filter_map(|o| o.cases.first()).copied().fold(f64::INFINITY, f64::min))
            })
            .collect();
        // What is left to a stage where all others take their shortest time.
        let left = slack(self.graph, &shortest, self.deadline);
        let (mut quotes, mut asked) = (Vec::new(), Vec::new());
        for (at, (stage, mut open)) in self.basis.job.stages.iter().zip(all_open).enumerate() {
            let most = left.get(at).zip(shortest.get(at)).map_or(Hours::ZERO, |(l, s)| *l + *s);
            open.retain(|o| o.in_time(most) >= self.confidence);
            asked.push(Stage {
                choices: open.iter().map(|o| o.choice(level)).collect::<Option<_>>()?,
                after: stage.after.clone(),
            });
            quotes.push(open.iter().map(|o| o.quote).collect());
        }
        Some((quotes, asked))
    }

    /// The same for one stage, of which no quote costs more than `most`.
    fn open_to(&self, stage: &job::Stage, considered: &Considered, most: i128) -> Vec<Open> {
        let pricer = Pricer::new(self.basis.job, stage, self.basis.catalog, self.basis.book);
        let all = &considered.quotes.quotes;
        let mut open: Vec<(usize, &Quote)> = all
            .iter()
            .enumerate()
            .filter(|(_, q)| q.cost.nanos() <= most && competes(stage, considered, self.classes, q))
            .collect();
        open.sort_by(|(_, a), (_, b)| preference(self.basis.job, self.basis.catalog, a, b));
        let mut kept: Vec<Open> = Vec::new();
        for (index, quote) in open {
            let Some(candidate) = considered.candidates.candidates.get(quote.candidate) else { continue };
            let compared = |law: &Law| law.cases().into_iter().skip(COMPARED / 2).step_by(COMPARED).collect();
            let beaten =
                |cases: &Vec<f64>| kept.iter().any(|k| k.cases.iter().zip(cases).all(|(k, c)| k <= c));
            let mut cases: Vec<f64> = compared(&Law::uninterrupted(candidate, quote));
            if beaten(&cases) {
                continue;
            }
            if interrupted(quote) {
                cases = compared(&Law::of(stage, &pricer, considered, quote, Scenario::Default));
                if beaten(&cases) {
                    continue;
                }
            }
            if let Ok(cost) = i64::try_from(quote.cost.nanos()) {
                kept.push(Open { quote: index, cost, cases });
            }
        }
        kept
    }
}

/// A quote that may be part of a selection: its cost, and its time in evenly spread cases, the shortest first.
struct Open {
    quote: usize,
    cost: i64,
    cases: Vec<f64>,
}

impl Open {
    /// The share of the cases within a time, and one more for what lies between two of them.
    fn in_time(&self, most: Hours) -> f64 {
        let within = self.cases.partition_point(|hours| *hours <= most.get());
        #[expect(clippy::cast_precision_loss, reason = "a hundred cases")]
        {
            (within + 1) as f64 / self.cases.len().max(1) as f64
        }
    }

    /// As the solver sees it, with the time that is not exceeded with a probability.
    fn choice(&self, level: f64) -> Option<Choice> {
        let hours = self.cases.get(rank(level, self.cases.len())).copied()?;
        // What may never end is at most as late as anything can be.
        let time = BilledTime::from_hours(Hours::new(hours)).map_or(LATEST, BilledTime::millis);
        Some(Choice { time, cost: self.cost })
    }
}

/// A year in milliseconds: later than any deadline that can be kept.
const LATEST: i64 = 365 * 24 * 3_600_000;

/// The case that is not exceeded with a probability, rounded towards the shorter ones, of so many.
fn rank(level: f64, cases: usize) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "a thousand cases")]
    let at = (level * cases as f64).floor() - 1.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a thousand")]
    {
        at.max(0.0) as usize
    }
}
