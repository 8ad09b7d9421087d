//! What each region sells for a stage, as far as a better plan can use it: prices without moving and keeping data.

use super::places::Places;
use crate::catalog::Hazard;
use crate::choose::assemble::Considered;
use crate::choose::exact::Prices;
use crate::choose::question::{Basis, Classes, counted};
use crate::decide::{Candidate, CandidateId};
use crate::job::{Aim, Purchase, Stage, StageKind};
use crate::price::open::commits;
use crate::price::{Pricer, Quote, StageQuotes};
use crate::units::{BilledTime, Hours, Money};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A quote of a stage in a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Where it is rented.
    pub(super) place: usize,
    /// The time that counts against the deadline, in milliseconds.
    pub(super) time: i64,
    /// The expected time, for which the data is kept.
    pub(super) expected: Hours,
    /// Its cost without moving and keeping data.
    pub(super) cost: Money,
}

/// A stage with what was found for it while nothing was charged for its data.
pub(super) struct Shelf<'a> {
    basis: Basis<'a>,
    pub(super) index: usize,
    pub(super) stage: &'a Stage,
    considered: &'a Considered,
    classes: Classes,
    pricer: Pricer<'a>,
}

/// Roundings of a quote's lines to the cent: offers are ranked before them.
const ROUNDING: Money = Money::from_nanos(20_000_000);

impl<'a> Shelf<'a> {
    pub(super) fn all(basis: Basis<'a>, stages: &'a [Considered], classes: Classes) -> Vec<Self> {
        let both = basis.job.stages.iter().zip(stages).enumerate();
        both.map(|(index, (stage, considered))| {
            let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
            Self { basis, index, stage, considered, classes, pricer }
        })
        .collect()
    }

    /// Equal for stages that ask for the same, where time is worth the same to them: an address and that worth.
    pub(super) fn alike(&self, prices: &Prices) -> (usize, i64) {
        (Arc::as_ptr(&self.considered.quotes).addr(), prices.of_time(self.index))
    }

    /// Whether the stage is part of a run.
    pub(super) fn ends(&self) -> bool {
        self.stage.kind != StageKind::Serve
    }

    fn competes(&self, quote: &Quote) -> bool {
        let class = self.classes == Classes::Any || self.considered.selection.classes.contains(&quote.class);
        class && !commits(self.stage, quote.purchase) && self.has(quote)
    }

    /// Whether a quote is of machines that can be had: owned ones are given to some of the stages only.
    fn has(&self, quote: &Quote) -> bool {
        let instance = |q: &Quote| self.basis.catalog.offers.get(q.offer).map(|offer| offer.instance);
        let given = |q: &Quote| q.purchase == Purchase::Owned && instance(q) == instance(quote);
        quote.purchase != Purchase::Owned || self.considered.quotes.quotes.iter().any(given)
    }

    /// Whether anything can do the stage.
    pub(super) fn is_possible(&self) -> bool {
        self.considered.quotes.quotes.iter().any(|q| self.competes(q))
    }

    /// What is selected while nothing is charged for the data.
    pub(super) fn selected(&self, places: &Places<'_>) -> Option<Entry> {
        let quote = self.considered.quotes.quotes.get(self.considered.selection.chosen?)?;
        self.entry(places, quote, &mut Vec::new())
    }

    /// Less than any quote of the candidate of this one with its purchase can weigh, wherever it is rented: this one is
    /// the cheapest of them, but on spot the time depends on the place too.
    fn floor(&self, prices: &Prices, quote: &Quote) -> Option<i128> {
        let candidate = self.candidate(quote.candidate)?;
        let bare = self.pricer.startup(candidate.class) + candidate.duration.time.expected;
        let time = if bare < quote.time { bare } else { quote.time };
        let time = if self.ends() { BilledTime::from_hours(time)?.millis() } else { 0 };
        Some(prices.weigh(self.index, (quote.cost - ROUNDING).nanos(), time))
    }

    /// What an entry weighs: a service takes no time of a run.
    pub(super) fn weigh(&self, prices: &Prices, entry: &Entry) -> i128 {
        prices.weigh(self.index, entry.cost.nanos(), if self.ends() { entry.time } else { 0 })
    }

    /// The least that the stage can weigh.
    pub(super) fn least(&self, prices: &Prices) -> Option<i128> {
        let quotes = self.considered.quotes.quotes.iter().filter(|q| self.competes(q));
        quotes.filter_map(|q| self.floor(prices, q)).min()
    }

    /// All quotes in all places, or in one, that weigh no more than `most`.
    pub(super) fn entries(
        &self,
        places: &Places<'_>,
        prices: &Prices,
        most: i128,
        only: Option<usize>,
    ) -> Vec<Entry> {
        let mut wanted: Vec<CandidateId> = self
            .considered
            .quotes
            .quotes
            .iter()
            .filter(|q| self.competes(q) && self.floor(prices, q).is_some_and(|floor| floor <= most))
            .map(|q| q.candidate)
            .collect();
        wanted.dedup();
        let mut found: BTreeMap<usize, Vec<Entry>> = BTreeMap::new();
        for id in wanted {
            let Some(candidate) = self.candidate(id) else { continue };
            let mut known = Vec::new();
            let mut selling = places.selling(candidate.instance);
            // Owned machines may stand where nothing may be rented.
            let own = self.considered.quotes.quotes.iter().filter(|q| q.candidate == id);
            selling.extend(own.filter_map(|q| places.of(q.offer)));
            for place in selling {
                if only.is_some_and(|only| only != place) {
                    continue;
                }
                let mut offered = StageQuotes::default();
                self.pricer.quote_along(id, candidate, place, &mut offered);
                for quote in offered.quotes.iter().filter(|q| self.competes(q)) {
                    let entry = self.entry(places, quote, &mut known);
                    let light = |e: &Entry| self.weigh(prices, e) <= most;
                    if let Some(entry) = entry.filter(light) {
                        keep(found.entry(entry.place).or_default(), entry);
                    }
                }
            }
        }
        found.into_values().flatten().collect()
    }

    fn candidate(&self, id: CandidateId) -> Option<&'a Candidate> {
        self.considered.candidates.of(id)
    }

    /// A quote as an entry. On spot the time that counts depends on the hazard alone: `known` ones are not asked for
    /// again, as long as the candidate is the same.
    fn entry(
        &self,
        places: &Places<'_>,
        quote: &Quote,
        known: &mut Vec<(Quote, Option<Hazard>, i64)>,
    ) -> Option<Entry> {
        let place = places.of(quote.offer)?;
        let entry = |time| Entry { place, time, expected: quote.time, cost: quote.cost };
        let limits = &self.basis.job.limits;
        let counts = (limits.deadline.is_some() || limits.aim == Aim::Time) && self.ends();
        if !counts || quote.purchase != Purchase::Spot {
            let time = if counts {
                counted(self.basis.job, &self.pricer, &self.considered.candidates, quote)
            } else {
                quote.time
            };
            return Some(entry(BilledTime::from_hours(time)?.millis()));
        }
        let hazard = self.basis.catalog.offers.get(quote.offer)?.hazard;
        let alike = known.iter().find(|(q, h, _)| q.time == quote.time && *h == hazard);
        if let Some((_, _, time)) = alike {
            return Some(entry(*time));
        }
        let time = counted(self.basis.job, &self.pricer, &self.considered.candidates, quote);
        let time = BilledTime::from_hours(time)?.millis();
        known.push((quote.clone(), hazard, time));
        Some(entry(time))
    }
}

/// Adds an entry to those of a place, unless one of them is as good in every respect.
fn keep(entries: &mut Vec<Entry>, new: Entry) {
    let beats = |a: &Entry, b: &Entry| {
        a.cost <= b.cost && a.time <= b.time && a.expected.total_cmp(&b.expected).is_le()
    };
    if !entries.iter().any(|old| beats(old, &new)) {
        entries.retain(|old| !beats(&new, old));
        entries.push(new);
    }
}
