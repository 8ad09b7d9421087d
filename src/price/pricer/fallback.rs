//! Spot with on-demand fallback: a stage with a deadline of its own stays on spot while there is slack and goes on
//! on-demand as soon as the deadline would otherwise be lost.
//!
//! The deadline of one stage is no statement of the user: the job's is. So each candidate is offered at several, from
//! the tightest that is kept as often as asked up to one that spot alone keeps nine times of ten; what it costs falls in
//! between. Which of them the stage gets is the exact choice over the whole graph.

use super::fares::Splits;
use super::lines::billed_text;
use super::{At, Course, Pricer, Refusal};
use crate::catalog::Hazard;
use crate::decide::{Candidate, CandidateId, Figure, Reason};
use crate::price::bill::{Bill, LineKind};
use crate::price::pairs::Pair;
use crate::price::spot::{self, Fallback, SpotJob, SpotOutcome, Spread};
use crate::price::{Beside, Quote, SafetyNet, compute};
use crate::rules::Threshold;
use crate::units::{Hours, Money, PerHour};

/// Deadlines between the tightest and the last that are tried beside those two.
const STEPS: u32 = 7;

/// The deadlines that are tried for work on machines of one hazard, each with the hours of each kind.
struct Tried {
    hazard: Option<Hazard>,
    splits: Splits,
}

/// How spot with fallback turns out.
#[derive(Debug, Clone, Copy)]
pub struct FallbackCase {
    /// The time within which the stage is to end.
    pub within: Hours,
    /// The expected hours of each kind, of one instance.
    pub split: Fallback,
    /// The chance of missing the deadline all the same.
    pub missed: f64,
}

impl Pricer<'_> {
    /// The quotes of the pairs that are cheapest at the tightest and at the last deadline; what is dearer than
    /// on-demand alone is none.
    pub(super) fn fallback_quotes(
        &self,
        id: CandidateId,
        candidate: &Candidate,
        admits: impl Fn(usize) -> bool,
    ) -> Result<Vec<Quote>, Refusal> {
        let mut best: [Option<(f64, &Pair, usize)>; 2] = [None, None];
        let mut tight = None;
        let mut all: Vec<Tried> = Vec::new();
        for pair in self.book.pairs(candidate.instance).iter().filter(|pair| admits(pair.way)) {
            let Some(Some(moving)) = self.transfers.get(pair.way) else { continue };
            let at = all.iter().position(|tried| tried.hazard == pair.hazard).unwrap_or(all.len());
            if at == all.len() {
                let splits = self.splits(candidate, pair.hazard);
                if let Err(refusal @ Refusal::Rejected(..)) = &*splits {
                    tight = tight.or(Some(*refusal));
                }
                all.push(Tried { hazard: pair.hazard, splits });
            }
            let Some(Ok(splits)) = all.get(at).map(|tried| &*tried.splits) else { continue };
            for (slot, tried) in best.iter_mut().zip([splits.first(), splits.last()]) {
                let Some((_, split)) = tried else { continue };
                let one = pair.spot.0 * split.spot.get() + pair.on_demand.0 * split.on_demand.get();
                let cost = moving.rough + one * f64::from(candidate.count);
                if slot.is_none_or(|(least, ..)| cost < least) {
                    *slot = Some((cost, pair, at));
                }
            }
        }
        let mut quotes = Vec::new();
        let [first, last] = best.map(|slot| slot.map(|(_, pair, tried)| (pair, tried)));
        let same = first.zip(last).is_some_and(|(first, last)| std::ptr::eq(first.0, last.0));
        for (pair, tried) in [first, last.filter(|_| !same)].into_iter().flatten() {
            let Some(Ok(splits)) = all.get(tried).map(|tried| &*tried.splits) else { continue };
            for (within, split) in splits {
                let net = SafetyNet { within: *within, offer: pair.on_demand.1 };
                quotes.extend(self.fallback_quote(id, candidate, pair.spot.1, net, *split));
            }
        }
        match tight {
            Some(refusal) if quotes.is_empty() => Err(refusal),
            _ => Ok(quotes),
        }
    }

    /// The deadlines at which a candidate is tried at offers of one hazard, each with the hours of each kind; why none is.
    pub(super) fn split_at_deadlines(
        &self,
        candidate: &Candidate,
        hazard: Option<Hazard>,
    ) -> Result<Vec<(Hours, Fallback)>, Refusal> {
        let (job, outcome) = self.outcome_at(candidate, hazard).map_err(|_| Refusal::NoPrice)?;
        let (law, deadlines) = self.deadlines(&job, &outcome)?;
        let split = |within: Hours| Some((within, spot::fall_back(&job, &outcome, &law, within)?));
        Ok(deadlines.into_iter().filter_map(split).collect())
    }

    fn fallback_quote(
        &self,
        id: CandidateId,
        candidate: &Candidate,
        offer: usize,
        net: SafetyNet,
        split: Fallback,
    ) -> Option<Quote> {
        let at = At { net: Some(net), ..self.at(candidate, offer)? };
        let course = self.split_course(&at, split)?;
        // Without an hour on spot it is on-demand by another name.
        (course.compute > Money::ZERO).then(|| Quote {
            offer,
            candidate: id,
            class: candidate.class,
            purchase: crate::job::Purchase::Fallback,
            time: course.time,
            cost: course.compute
                + course.overhead
                + at.moving.into
                + at.moving.out
                + self.around(&at, course.time),
            beside: Some(Box::new(Beside::Net(net))),
        })
    }

    /// The deadlines that are tried: at the measured misses the tightest that is kept as often as asked, and others up to
    /// the one that spot alone keeps nine times of ten, as far as the job's allows.
    fn deadlines(&self, job: &SpotJob, outcome: &SpotOutcome) -> Result<(Spread, Vec<Hours>), Refusal> {
        let most = self.job.limits.deadline.ok_or(Refusal::NoPrice)?;
        let share = 1.0 - self.job.thresholds.get(Threshold::SpotConfidence);
        let ratio = spot::least_ratio(share + 1e-12).ok_or(Refusal::NoPrice)?;
        let least = spot::worked(job) * ratio + spot::margin(job);
        if least > most {
            let figures = (Figure::Hours(most), Figure::Hours(least));
            return Err(Refusal::Rejected(Reason::FallbackTight, Some(figures)));
        }
        let law = law(job, outcome);
        let alone = law.percentile(0.9) + spot::margin(job);
        let step = alone.minus(least) / f64::from(STEPS + 1);
        let steps = if step > Hours::ZERO { STEPS + 1 } else { 0 };
        // The steps do not depend on the job's deadline: what a tighter one allows, a looser one does too. A stage by
        // itself may use all of the time.
        let steps = (0..=steps).map(|i| least + step * f64::from(i)).filter(|within| *within < most);
        let all = if alone < most { None } else { Some(most) };
        Ok((law, steps.chain(all).collect()))
    }

    /// The hours of each kind and what they cost, under the job that `pick` makes of the default one.
    pub(super) fn fallback_course(
        &self,
        at: &At<'_>,
        work: Hours,
        pick: impl Fn(&crate::price::spot_case::SpotCase, SpotJob) -> SpotJob,
    ) -> Option<Course> {
        let net = at.net?;
        let case = self.spot_case(at.candidate, at.provider, at.offer.hazard);
        let plain = case.job(self.stage, &at.candidate.layout, work, case.hazard.default, case.wait.default);
        let spot::Evaluated { job, outcome } = case.outcome(&pick(&case, plain));
        let law = law(&job, &outcome);
        let split = spot::fall_back(&job, &outcome, &law, net.within)
            .or_else(|| spot::fall_back_whole(&job, &outcome, &law, net.within));
        // Too much work for the deadline: on-demand from the start is the best that is left.
        let alone = spot::worked(&job) + job.restart;
        let split = split.unwrap_or(Fallback { spot: Hours::ZERO, on_demand: alone, time: alone });
        self.split_course(at, split)
    }

    /// What the hours of each kind cost.
    fn split_course(&self, at: &At<'_>, split: Fallback) -> Option<Course> {
        let net = at.net?;
        let (spot_price, partner) = (at.offer.spot?, self.catalog.offers.get(net.offer)?);
        let factor = self.book.entry(net.offer)?.factor;
        let (on_spot, on_demand, time) = (split.spot, split.on_demand, split.time);
        let spot_price = compute::scaled(spot_price, at.factor);
        let mut compute = Money::ZERO;
        if on_spot > Hours::ZERO {
            compute = (spot_price.over(compute::billed(on_spot, at.provider.spot.as_ref())?)
                * at.candidate.count)
                .to_cents();
        }
        let mut overhead = Money::ZERO;
        if on_demand > Hours::ZERO {
            let billed = compute::billed(on_demand, at.provider.on_demand.as_ref())?;
            overhead = (compute::tiered(&partner.on_demand, factor, billed) * at.candidate.count).to_cents();
        }
        Some(Course { time, compute, overhead })
    }

    /// The hours of each kind with their prices.
    pub(super) fn fallback_lines(&self, at: &At<'_>, quote: &Quote, course: &Course, bill: &mut Bill) {
        let Some((case, net)) = self.fallback_case(at.candidate, quote).zip(quote.net()) else { return };
        let many = if at.candidate.count > 1 { format!("{} × ", at.candidate.count) } else { String::new() };
        let reduced = self.reduced(at);
        let price = |price: Option<PerHour>| {
            price.map(|p| compute::scaled(p, at.factor).to_string()).unwrap_or_default()
        };
        let (spot, on_demand) = (
            price(at.offer.spot),
            price(self.catalog.offers.get(net.offer).and_then(|offer| offer.on_demand_price())),
        );
        let time = billed_text(case.split.spot, at.provider.spot.as_ref());
        bill.add(
            LineKind::Compute,
            format!("{many}{spot}{reduced} × {time} expected on spot"),
            course.compute,
        );
        if case.split.on_demand > Hours::ZERO {
            let time = billed_text(case.split.on_demand, at.provider.on_demand.as_ref());
            let text = format!(
                "{many}{on_demand}{reduced} × {time} expected on-demand, to end within {}",
                net.within
            );
            bill.add(LineKind::Fallback, text, course.overhead);
        }
    }

    /// How the fallback of a quote turns out; `None` for other purchases.
    pub fn fallback_case(&self, candidate: &Candidate, quote: &Quote) -> Option<FallbackCase> {
        let net = quote.net()?;
        let (_, job, outcome) = self.spot_details(candidate, quote)?;
        let split = spot::fall_back(&job, &outcome, &law(&job, &outcome), net.within)?;
        let slack = net.within.minus(spot::margin(&job));
        let missed = spot::measured_miss_rate(spot::worked(&job), slack + Hours::from_secs(1e-3))?;
        Some(FallbackCase { within: net.within, split, missed })
    }
}

/// The law of the completion time on spot alone.
fn law(job: &SpotJob, outcome: &SpotOutcome) -> Spread {
    spot::completion_spread(job, outcome, spot::Burst::DEFAULT)
}
