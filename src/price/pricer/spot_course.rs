//! A candidate on spot: its case, how that turns out, and what the machines cost.

use super::fares::{Exceeded, Fare};
use super::{At, Course, Pricer};
use crate::catalog::{Hazard, Provider};
use crate::decide::{Candidate, Layout};
use crate::job::{Purchase, StageKind};
use crate::price::spot::{self, SpotOutcome};
use crate::price::spot_case::SpotCase;
use crate::price::{Quote, compute};
use crate::rules::Threshold;
use crate::units::{BilledTime, Hours, PerHour};

impl Pricer<'_> {
    /// The spot case of a quote with its expected course; `None` for other purchases.
    pub fn spot_details(
        &self,
        candidate: &Candidate,
        quote: &Quote,
    ) -> Option<(SpotCase, spot::SpotJob, SpotOutcome)> {
        if !matches!(quote.purchase, Purchase::Spot | Purchase::Fallback) {
            return None;
        }
        let at = self.at(candidate, quote.offer)?;
        let case = self.spot_case(candidate, at.provider, at.offer.hazard);
        let work = candidate.duration.time.expected;
        let job = case.job(self.stage, &candidate.layout, work, case.hazard.default, case.wait.default);
        let spot::Evaluated { job, outcome } = case.outcome(&job);
        Some((case, job, outcome))
    }

    /// Hours of one instance that a quote on spot is expected to be billed, those on-demand beside it among them; `None`
    /// for other purchases.
    pub fn billed_hours(&self, candidate: &Candidate, quote: &Quote) -> Option<Hours> {
        let (_, _, outcome) = self.spot_details(candidate, quote)?;
        match self.fallback_case(candidate, quote) {
            Some(case) => Some(case.split.spot + case.split.on_demand),
            None => Some(outcome.billed),
        }
    }

    pub(super) fn spot_case(
        &self,
        candidate: &Candidate,
        provider: &Provider,
        hazard: Option<Hazard>,
    ) -> SpotCase {
        let startup = self.startup(candidate.class);
        SpotCase::new(self.stage, candidate.class, candidate.count, startup, provider, hazard)
    }

    /// The expected course at offers of one hazard; see [`Self::spot_outcome`].
    pub(super) fn outcome_at(
        &self,
        candidate: &Candidate,
        published: Option<Hazard>,
    ) -> Result<(spot::SpotJob, SpotOutcome), Exceeded> {
        let seller =
            self.catalog.instance(candidate.instance).and_then(|i| self.catalog.provider(i.provider));
        let case = self.spot_case(candidate, seller.ok_or((0.0, 0.0))?, published);
        self.spot_outcome(&case, &candidate.layout, candidate.duration.time.expected)
    }

    /// The expected course of a spot case. A job without checkpoints that is too long for its hazard is refused, with
    /// the limit and its λ(W+R); of a search that is asked of one trial.
    pub(super) fn spot_outcome(
        &self,
        case: &SpotCase,
        layout: &Layout,
        work: Hours,
    ) -> Result<(spot::SpotJob, SpotOutcome), Exceeded> {
        let job = case.job(self.stage, layout, work, case.hazard.default, case.wait.default);
        let spot::Evaluated { job, outcome } = case.outcome(&job);
        let exposure = job.hazard.over(job.longest_stretch());
        let limit = self.job.thresholds.get(Threshold::SpotRefuse);
        let whole = job.segments == 1 || self.stage.kind == StageKind::Tune;
        if whole && exposure > limit {
            return Err((limit, exposure));
        }
        if outcome.billed.is_finite() { Ok((job, outcome)) } else { Err((limit, exposure)) }
    }

    pub(super) fn spot_course(at: &At<'_>, price: PerHour, fare: &Fare) -> Option<Course> {
        let rules = at.provider.spot.as_ref();
        // Each interrupted launch is billed up to its next step: half a step on average.
        let step = rules.map_or(1.0, |b| f64::from(b.granularity_secs));
        let rounding = Hours::from_secs(fare.interruptions * step / 2.0);
        let price = compute::scaled(price, at.factor);
        let cents = |time: BilledTime| (price.over(time) * at.candidate.count).to_cents();
        let bare = cents(compute::billed(fare.shortest, rules)?);
        let whole = cents(compute::billed(fare.billed + rounding, rules)?);
        Some(Course { time: fare.completion, compute: bare, overhead: whole - bare })
    }
}
