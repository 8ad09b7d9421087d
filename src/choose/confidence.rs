//! The cheapest plan that meets the deadline with a given chance.
//!
//! The chance of a whole run is no sum over its stages, so this is no question to the exact solver; but what must hold of
//! every plan with the chance is one, in two ways:
//!
//! - With the p-percentile of each stage's time as its time: a plan that meets the deadline D with chance c keeps it at
//!   p = 1 − (1 − c)^(1/k), k being the most stages on a path. All times of a path are at or above their p-percentiles
//!   with probability (1 − p)^k ≥ 1 − c or more, and were the sum of these above D, the chance would be c at most.
//! - With −ln E[e^(−rT)] ÷ r as the time of each stage, for a rate r: the path through any stages has
//!   E[e^(−rT)] ≥ c·e^(−rD), and the expectation is the product over its stages; so their sum is at most D − ln c ÷ r. That
//!   is Markov's inequality. On long paths it says nearly that the mean must be in time, where the percentiles say little.
//!
//! The cheapest by either bounds the cost from below. Plans with the chance are sought in two ways too: with all stages at
//! one percentile (at 1 − (1 − c)/n, n being all stages, a plan has the chance, because each stage is late with probability
//! (1 − c)/n at most), the least percentile that will do; and with the mean and a weight times the variance of each stage
//! as its time, which is what counts where many stages add up. Then single stages are made cheaper as long as the chance
//! stays. Last, the selections of the first kind are told in rising order of cost ([`told`]): the first of them with
//! the chance is the cheapest of all. Where too many have to be told, the last one bounds the cost from below; that a plan is
//! the cheapest is claimed only where it is proven.
//!
//! The work is bounded by counts of questions, of steps of the solver and of plans, never by a clock. Chances come from
//! fixed draws (`chance`), percentiles from evenly spread cases: exact to a few tenths of a percentage point.

mod ask;
mod front;
mod rising;
mod swaps;
mod told;

use super::assemble::Considered;
use super::chance::sample::quantile;
use super::chance::{DRAWS, chance, graph};
use super::deadline::{Kept, keep_deadline};
use super::exact::{Effort, Graph};
use super::question::{Basis, Classes};
use crate::job::{Job, StageKind};
use crate::units::{Hours, Money};
use ask::{Asked, Cheapest, Found};
use front::Measure;
use told::told_for;

/// Halvings of the interval of percentiles, and of that of weights.
const STEPS: u32 = 10;
/// Runs of so many stages are looked at closely even where one plan found soon would do.
const FEW: usize = 24;
/// Part of the cost within which a plan counts as good enough: a thousandth.
const NEAR: i64 = 1000;

/// Selects the cheapest plan found whose chance to meet the deadline is what the job asks for. With less than the ordinary
/// effort, of a run of many stages one found soon will do.
pub(super) fn keep_confidence(basis: Basis<'_>, stages: &mut [Considered], effort: Effort) -> Kept {
    let limits = basis.job.limits;
    let (Some(deadline), Some(confidence)) = (limits.deadline, limits.confidence) else {
        return Kept::Cheapest;
    };
    let Some(graph) = graph(basis.job) else { return Kept::Cheapest };
    // A rule of thumb yields to a deadline that it cannot keep.
    let mut surest: Option<(f64, Vec<usize>)> = None;
    for classes in [Classes::Selected, Classes::Any] {
        let Some(fronts) = front::fronts(basis, stages, classes) else { return Kept::Cheapest };
        let asked = Asked::new(basis.job, &graph, deadline, fronts);
        let mut search = Search { asked, confidence, rough: effort < Effort::ORDINARY && stages.len() > FEW };
        let Some((found, at_least)) = search.run() else { return Kept::Cheapest };
        let Some(quotes) = search.asked.quotes(&found) else { return Kept::Cheapest };
        if found.chance >= confidence {
            take(&quotes, stages);
            return Kept::Confident(at_least);
        }
        if surest.as_ref().is_none_or(|(chance, _)| *chance < found.chance) {
            surest = Some((found.chance, quotes));
        }
    }
    let kept = keep_deadline(basis, stages, effort);
    if let (Kept::Never(_), Some((chance, _))) = (kept, &surest)
        && *chance <= 0.0
    {
        // No run ends in time, however often it is tried: the fastest says what could be kept.
        return kept;
    }
    let plain = chance(basis, stages).zip(cost(basis.job, stages));
    let Some((surest_chance, quotes)) = surest else { return Kept::Cheapest };
    take(&quotes, stages);
    let surest = cost(basis.job, stages).unwrap_or_default();
    let (chance, cost) = plain.map_or((surest_chance, surest), |(chance, cost)| (chance.expected, cost));
    Kept::NeverSure { cost: i64::try_from(cost.nanos()).unwrap_or(i64::MAX), chance }
}

fn take(quotes: &[usize], stages: &mut [Considered]) {
    for (considered, quote) in stages.iter_mut().zip(quotes) {
        considered.selection.chosen = Some(*quote);
    }
}

/// What a run costs as it is selected.
fn cost(job: &Job, stages: &[Considered]) -> Option<Money> {
    let runs = job.stages.iter().zip(stages).filter(|(stage, _)| stage.kind != StageKind::Serve);
    runs.map(|(_, c)| Some(c.quotes.quotes.get(c.selection.chosen?)?.cost)).sum()
}

struct Search<'a> {
    asked: Asked<'a>,
    confidence: f64,
    /// Whether the first plan found with the chance will do.
    rough: bool,
}

impl Search<'_> {
    /// The cheapest selection found that has the chance, or the surest where none was, and the least that any with the
    /// chance costs. None where the solver cannot be asked.
    fn run(&mut self) -> Option<(Found, i64)> {
        let late = 1.0 - self.confidence;
        let job = self.asked.job;
        let longest = longest(job, self.asked.graph).max(1);
        let all = u32::try_from(job.stages.len()).unwrap_or(u32::MAX).max(1);
        let (low, high) = (1.0 - late.powf(1.0 / f64::from(longest)), 1.0 - late / f64::from(all));
        let relaxed = (Measure::AtLeast(low), self.asked.deadline);
        let Cheapest::Found(first, bound) = self.asked.cheapest(relaxed.0, relaxed.1)? else {
            // Nothing can have the chance: the plan that is fastest when it takes long.
            return Some((self.asked.fastest(Measure::Percentile(high))?, 0));
        };
        let (best, surest) = self.at_one_level(first, low, high)?;
        let Some(best) = best else { return Some((surest, bound)) };
        if self.rough || near(&best, bound) {
            return Some((best, bound));
        }
        let mut best = self.weighed(best)?;
        best = self.asked.cheapened(best, bound, self.confidence);
        if job.stages.len() <= FEW {
            for measure in [0.5, 0.75, 0.9, 0.97].map(Measure::Percentile) {
                best = self.within_another(measure, best, bound)?;
            }
            for measure in [0.75, 0.95].map(Measure::Percentile) {
                best = self.asked.exchanged(best, bound, self.confidence, measure);
            }
        }
        let (relaxed, bound) = self.bounded(&best, bound, relaxed)?;
        if near(&best, bound) {
            return Some((best, bound));
        }
        let (deadline, most) = (self.asked.deadline, told_for(job.stages.len()));
        for part in [0.8, 0.6, 0.4, 0.2] {
            let measure = Measure::AtLeast(low + (high - low) * part);
            (best, _) = self.asked.told(best, bound, self.confidence, (measure, deadline), most / 10);
        }
        Some(self.asked.told(best, bound, self.confidence, relaxed, most))
    }

    /// The cheapest plan found with all stages at one percentile between two, and the surest where none has the chance;
    /// `first` is the cheapest at the lower one.
    fn at_one_level(&mut self, first: Found, mut low: f64, mut high: f64) -> Option<(Option<Found>, Found)> {
        if first.chance >= self.confidence {
            return Some((Some(first.clone()), first));
        }
        let (mut best, mut surest, mut below): (Option<Found>, _, _) = (None, first.clone(), first.cost);
        for _ in 0..STEPS {
            if best.as_ref().is_some_and(|best| near(best, below)) {
                break;
            }
            let level = f64::midpoint(low, high);
            // Where nothing is in time, too much is asked of every stage by itself.
            let found = self.asked.cheapest(Measure::Percentile(level), self.asked.deadline)?.found();
            match found {
                Some(found) if found.chance < self.confidence => {
                    (low, below) = (level, found.cost);
                    if found.chance > surest.chance {
                        surest = found;
                    }
                }
                found => {
                    high = level;
                    keep(&mut best, found);
                }
            }
        }
        if best.is_none() {
            let fastest = self.asked.fastest(Measure::Percentile(high))?;
            if fastest.chance > surest.chance {
                surest = fastest.clone();
            }
            best = Some(fastest).filter(|f| f.chance >= self.confidence);
        }
        Some((best, surest))
    }

    /// A plan at least as good, with all stages at one percentile and their times together within more or less than the
    /// deadline.
    fn within_another(&mut self, measure: Measure, known: Found, bound: i64) -> Option<Found> {
        let (mut best, mut below) = (None, 0);
        let (mut low, mut high) = (0.5, 1.5);
        for _ in 0..STEPS {
            if best.as_ref().is_some_and(|best| near(best, below)) {
                break;
            }
            let at = f64::midpoint(low, high);
            match self.asked.cheapest(measure, self.asked.deadline * at)?.found() {
                Some(found) if found.chance < self.confidence => (high, below) = (at, found.cost),
                Some(found) => {
                    low = at;
                    keep(&mut best, Some(found));
                }
                None => low = at,
            }
        }
        let Some(best) = best else { return Some(known) };
        let best = self.asked.cheapened(best, bound, self.confidence);
        Some(if best.cost < known.cost { best } else { known })
    }

    /// A plan at least as good, by means and variances. A path whose time has the mean M and the variance V is in time with
    /// the chance of z standard deviations where M + z·√V ≤ D; near V = s² that is M + z·V ÷ 2s ≤ D − z·s ÷ 2. That times are not
    /// normal is made up for by other z.
    fn weighed(&mut self, mut best: Found) -> Option<Found> {
        let level = self.confidence.max(0.8);
        let z = quantile(self.confidence);
        let (mut low, mut high) = (z - 1.5, z + 2.5);
        let mut below = 0;
        for _ in 0..STEPS {
            let spread = self.asked.deviation(&best.places, level, quantile(level));
            if !(spread > 0.0 && spread.is_finite()) || near(&best, below) {
                break;
            }
            let at = f64::midpoint(low, high);
            let measure = Measure::Weighted(at.max(0.0) / (2.0 * spread));
            let within = Hours::new((self.asked.deadline.get() - at * spread / 2.0).max(0.0));
            match self.asked.cheapest(measure, within)?.found() {
                Some(found) if found.chance < self.confidence => (low, below) = (at, found.cost),
                Some(found) => {
                    high = at;
                    keep_cheaper(&mut best, found);
                }
                None => high = at,
            }
        }
        Some(best)
    }

    /// The best bound of the cost from below that is found at some rates, and the question which gives it.
    fn bounded(
        &mut self,
        best: &Found,
        mut bound: i64,
        mut relaxed: (Measure, Hours),
    ) -> Option<((Measure, Hours), i64)> {
        // The chance is one of so many draws: three standard errors are left to it.
        let error = (self.confidence * (1.0 - self.confidence) / f64::from(DRAWS)).sqrt();
        let certain = -(self.confidence - 3.0 * error).ln();
        let level = self.confidence.max(0.8);
        let spread = self.asked.deviation(&best.places, level, quantile(level));
        if !(certain.is_finite() && spread > 0.0 && spread.is_finite()) {
            return Some((relaxed, bound));
        }
        // For a normal law the best rate is √(2·(−ln c)) standard deviations.
        let rate = (2.0 * certain).sqrt() / spread;
        for part in [1.0, 0.5, 2.0] {
            let rate = rate * part;
            let question =
                (Measure::Discounted(rate), Hours::new(self.asked.deadline.get() + certain / rate));
            if near(best, bound) {
                break;
            }
            if let Cheapest::Found(_, at_least) = self.asked.cheapest(question.0, question.1)?
                && at_least > bound
            {
                (relaxed, bound) = (question, at_least.min(best.cost));
            }
        }
        Some((relaxed, bound))
    }
}

/// Whether a plan costs hardly more than the least.
const fn near(best: &Found, least: i64) -> bool {
    best.cost - least <= best.cost / NEAR
}

fn keep_cheaper(best: &mut Found, found: Found) {
    if found.cost < best.cost {
        *best = found;
    }
}

fn keep(best: &mut Option<Found>, found: Option<Found>) {
    if let Some(found) = found
        && best.as_ref().is_none_or(|b| found.cost < b.cost)
    {
        *best = Some(found);
    }
}

/// The most stages of a run on one path.
fn longest(job: &Job, graph: &Graph) -> u32 {
    let counts: Vec<i64> = job.stages.iter().map(|s| i64::from(s.kind != StageKind::Serve)).collect();
    u32::try_from(graph.makespan(&counts)).unwrap_or(u32::MAX)
}
