//! Machines that are there and paid already: to use them costs nothing more, as far as they go.

use super::Pricer;
use crate::decide::{Candidate, CandidateId};
use crate::job::Purchase;
use crate::price::{Quote, StageQuotes};

/// The owned machines of one candidate's type.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnedType<'a> {
    pricer: &'a Pricer<'a>,
    provider: &'a str,
    instance: &'a str,
}

impl OwnedType<'_> {
    /// Whether so many of them are owned in a region.
    pub(super) fn allows(self, region: &str, count: u32) -> bool {
        self.pricer.job.place.owns(self.provider, self.instance, Some(region)) >= count
    }
}

impl Pricer<'_> {
    /// Whether so many machines of a candidate's type are owned, and the stage may use them.
    pub fn owns(&self, candidate: &Candidate) -> bool {
        self.owned(candidate).is_some()
    }

    /// The quote of a candidate on owned machines alone, if there are so many.
    pub fn quote_owned(&self, id: CandidateId, candidate: &Candidate, priced: &mut StageQuotes) {
        if !self.owns(candidate) {
            return;
        }
        let open = [Some(Purchase::Owned), None, None, None, None, None, None];
        let only = Self { open, by_lot: Vec::new(), ..self.clone() };
        let rejected = priced.rejected.clone();
        only.quote(id, candidate, true, priced);
        priced.rejected = rejected;
    }

    /// The quote of a candidate on the owned machines of one region, if there are so many.
    pub fn quote_owned_in(&self, id: CandidateId, candidate: &Candidate, region: &str) -> Option<Quote> {
        let allowed = self.owned(candidate)?.allows(region, candidate.count);
        let here = |number: &usize| self.catalog.offers.get(*number).is_some_and(|o| *o.region == *region);
        let offer = self.catalog.offers.of(candidate.instance).filter(|_| allowed).find(here)?;
        self.quote_of(id, candidate, offer, Purchase::Owned)
    }

    /// The owned machines of a candidate's type; `None` where none is owned or the stage may not use them.
    pub(super) fn owned(&self, candidate: &Candidate) -> Option<OwnedType<'_>> {
        if !self.open.contains(&Some(Purchase::Owned)) {
            return None;
        }
        let instance = self.catalog.instance(candidate.instance)?;
        let provider = self.catalog.provider(instance.provider)?;
        let owns = self.job.place.owns(&provider.name, &instance.name, None) >= candidate.count;
        owns.then_some(OwnedType { pricer: self, provider: &provider.name, instance: &instance.name })
    }
}
