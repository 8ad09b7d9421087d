//! A quote under other circumstances: more work, more frequent interruptions.

use super::{At, Candidate, Hours, Money, Pricer, Purchase, Quote, SpotJob, SpotOutcome};

/// How a quote would turn out.
#[derive(Debug, Clone, Copy)]
pub struct Turned {
    /// Expected time from launch to end.
    pub time: Hours,
    /// Expected cost of the stage.
    pub cost: Money,
}

impl Pricer<'_> {
    /// What the machines of a quote would cost at so many times their price, rounded as a bill is; `None` where nothing is
    /// known of it.
    pub fn machines_at(&self, candidate: &Candidate, quote: &Quote, price: f64) -> Option<Money> {
        let at = self.at_quote(candidate, quote)?;
        let dearer = At { factor: at.factor * price, ..at };
        let course = self.course(&dearer, quote.purchase, candidate.duration.time.expected).ok()?;
        Some(course.compute + course.overhead)
    }

    /// A quote of a run if the work and the hazard were so many times what they are expected to be; `None` where it would
    /// never end.
    pub fn turned(&self, candidate: &Candidate, quote: &Quote, work: f64, hazard: f64) -> Option<Turned> {
        let work = candidate.duration.time.expected * work;
        let more = |case: &super::SpotCase| (case.hazard.default.scaled(hazard), case.wait.default);
        let course = self.end(candidate, quote, work, more)?;
        let cost = self.cost_of(candidate, quote, Some(course))?;
        Some(Turned { time: course.time, cost })
    }

    /// The job of a quote on spot then, with its expected course; `None` for other purchases.
    pub fn turned_on_spot(
        &self,
        candidate: &Candidate,
        quote: &Quote,
        work: f64,
        hazard: f64,
    ) -> Option<(SpotJob, SpotOutcome)> {
        if quote.purchase != Purchase::Spot {
            return None;
        }
        let work = candidate.duration.time.expected * work;
        let at = self.at_quote(candidate, quote)?;
        let case = self.spot_case(candidate, at.provider, at.offer.hazard);
        let (hazard, wait) = (case.hazard.default.scaled(hazard), case.wait.default);
        let evaluated = case.outcome(&case.job(self.stage, &candidate.layout, work, hazard, wait));
        Some((evaluated.job, evaluated.outcome))
    }
}
