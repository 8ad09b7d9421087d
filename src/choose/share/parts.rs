//! Which stages can work on machines that are sold by the month, what that costs beside the machines, and the most that it
//! can save.

use super::trial::{Mode, Run, millis};
use crate::catalog::Term;
use crate::choose::question::Basis;
use crate::decide::CandidateId;
use crate::job::{Job, Purchase, StageKind};
use crate::price::Pricer;
use crate::price::open::closed;
use crate::units::{Hours, Money};
use std::collections::BTreeMap;

/// A stage on machines of an offer that are paid by the month.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) stage: usize,
    pub(super) candidate: CandidateId,
    pub(super) count: u32,
    pub(super) time: Hours,
    /// The same at the lower and at the upper end of the work's band.
    pub(super) ends: [Hours; 2],
    /// What it costs beside its machines.
    pub(super) beside: Money,
}

impl Part {
    pub(super) fn machine_hours(&self) -> f64 {
        self.time.get() * f64::from(self.count)
    }
}

/// A stage that can work at an offer: the ways to do it, from the fewest machine hours to the least time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Able {
    pub(super) stage: usize,
    pub(super) ways: Vec<Part>,
}

/// An offer with the stages that can work there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seller {
    pub(super) offer: usize,
    /// The least that one run bears of a month of one machine.
    pub(super) month: Money,
    pub(super) able: Vec<Able>,
}

/// Most ways of a stage at an offer that are looked at.
const WAYS: usize = 4;

/// Whether a run of such a cost could become better by a month of anything: one that costs less than the cheapest month
/// cannot become cheaper, nor can a budget below it buy one.
pub(super) fn may_pay(basis: Basis<'_>, total: Money) -> bool {
    let limits = basis.job.limits;
    let most = limits.budget.into_iter().chain(limits.monthly_budget).fold(total, Money::max);
    let Some(stage) = basis.job.stages.iter().find(|stage| by_month(basis.job, stage)) else { return false };
    let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
    let sold = basis.catalog.offers.iter().enumerate().filter(|(_, offer)| offer.term(Term::Month).is_some());
    sold.filter_map(|(number, _)| pricer.month_of_a_run(number)).any(|month| month < most)
}

/// Whether a stage is part of a run and may be bought by the month.
fn by_month(job: &Job, stage: &crate::job::Stage) -> bool {
    stage.kind != StageKind::Serve && closed(job, stage, Purchase::Month).is_none()
}

/// The offers at which two stages or more can work, with the one that may save most first.
pub(super) fn sellers(run: &Run<'_>) -> Vec<Seller> {
    let Basis { job, catalog, book } = run.basis;
    let mut found: BTreeMap<usize, Seller> = BTreeMap::new();
    for (at, (stage, considered)) in job.stages.iter().zip(run.stages).enumerate() {
        let Some(now) = run.now.get(at).and_then(Option::as_ref).filter(|now| !now.owned) else { continue };
        if !by_month(job, stage) {
            continue;
        }
        let most = match run.mode {
            Mode::Free | Mode::Fastest(_) => Hours::NEVER,
            Mode::NoSlower => now.counts,
            Mode::Cheapest(deadline) => crate::units::BilledTime::from_millis(deadline).hours(),
        };
        let pricer = Pricer::new(job, stage, catalog, book);
        // Candidates that are for sale: of alike pools of a search only the widest is.
        let mut quoted = vec![false; considered.candidates.candidates.len()];
        for quote in &considered.quotes.quotes {
            if let Some(slot) = quoted.get_mut(quote.candidate.position()) {
                *slot = true;
            }
        }
        for (number, candidate) in considered.candidates.candidates.iter().enumerate() {
            let open = quoted.get(number).copied().unwrap_or(false)
                && considered.selection.classes.contains(&candidate.class);
            if !open {
                continue;
            }
            let lots =
                book.lots(candidate.instance).iter().filter(|lot| lot.traits().sells.by(Purchase::Month));
            for offer in lots.flat_map(|lot| book.contenders(lot)) {
                let Some(month) = pricer.month_of_a_run(offer).filter(|month| run.affords(*month)) else {
                    continue;
                };
                let Some((time, beside)) = pricer.beside_months(candidate, offer) else { continue };
                if !time.is_finite() || time > most {
                    continue;
                }
                let work = candidate.duration.time;
                let ends = [work.low, work.high].map(|end| time.minus(work.expected) + end);
                let part = Part {
                    stage: at,
                    candidate: CandidateId::at(number),
                    count: candidate.count,
                    time,
                    ends,
                    beside,
                };
                let seller = found.entry(offer).or_insert_with(|| Seller { offer, month, able: Vec::new() });
                match seller.able.last_mut() {
                    Some(able) if able.stage == at => able.ways.push(part),
                    _ => seller.able.push(Able { stage: at, ways: vec![part] }),
                }
            }
        }
    }
    let mut sellers: Vec<Seller> = found.into_values().filter(|seller| seller.able.len() > 1).collect();
    for able in sellers.iter_mut().flat_map(|seller| &mut seller.able) {
        able.ways = undominated(std::mem::take(&mut able.ways));
    }
    let bound = |seller: &Seller| run.most_saved(seller, &|_| true);
    let mut ranked: Vec<(Money, Seller)> =
        sellers.into_iter().map(|seller| (bound(&seller), seller)).collect();
    ranked.retain(|(bound, _)| *bound > Money::ZERO);
    ranked.sort_by(|(a, x), (b, y)| b.cmp(a).then(x.offer.cmp(&y.offer)));
    ranked.into_iter().map(|(_, seller)| seller).collect()
}

/// Ways of which none takes more machine hours and more time than another.
fn undominated(mut ways: Vec<Part>) -> Vec<Part> {
    ways.sort_by(|a, b| {
        let hours = a.machine_hours().total_cmp(&b.machine_hours());
        hours.then(a.time.total_cmp(&b.time)).then(a.candidate.cmp(&b.candidate))
    });
    let mut kept: Vec<Part> = Vec::new();
    for way in ways {
        if kept.last().is_none_or(|last| millis(way.time) < millis(last.time)) {
            kept.push(way);
        }
    }
    // Of many the ends and some between.
    if kept.len() > WAYS {
        let last = kept.len() - 1;
        kept = (0..WAYS).filter_map(|i| kept.get(i * last / (WAYS - 1)).copied()).collect();
    }
    kept
}
