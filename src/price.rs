//! What each candidate costs, as it will be billed: for every offer of it and every purchase option that is open.
//!
//! A [`Quote`] is small: thousands are made and few are shown. The [`Bill`](bill::Bill) of a shown one is written
//! by the same functions, so that its lines add up to the quote's cost.

pub mod bill;
pub mod book;
pub mod breakeven;
pub mod compute;
pub mod day;
pub mod entries;
pub mod hidden;
pub mod lease;
pub mod lots;
pub mod months;
pub mod open;
pub mod pairs;
pub mod pool;
pub mod pricer;
pub mod service;
pub mod spot;
pub mod spot_case;
pub mod storage;
pub mod transfer;

pub use book::Book;
pub use pricer::Pricer;

use crate::catalog::Catalog;
use crate::decide::{CandidateId, Rejections, StageCandidates};
use crate::job::{Class, Job, Purchase, Stage};
use crate::units::{Hours, Money};

/// A candidate at one offer, bought one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Position of the offer in the catalog.
    pub offer: usize,
    /// The candidate among the stage's.
    pub candidate: CandidateId,
    /// What it computes on.
    pub class: Class,
    /// How it is bought.
    pub purchase: Purchase,
    /// Expected time from launch to end: start-up, work, restarts and waiting.
    pub time: Hours,
    /// Expected cost of the stage: the sum of its bill lines.
    pub cost: Money,
    /// What few quotes have beside that.
    pub beside: Option<Box<Beside>>,
}

/// What a quote is made of beside its own offer.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// What keeps the deadline, of spot with on-demand fallback.
    Net(SafetyNet),
    /// Its part of months that it shares with other stages.
    Share(MonthShare),
}

impl Quote {
    /// What keeps the deadline, of spot with on-demand fallback.
    pub fn net(&self) -> Option<SafetyNet> {
        match self.beside.as_deref() {
            Some(Beside::Net(net)) => Some(*net),
            _ => None,
        }
    }

    /// Its part of months that it shares with other stages.
    pub fn share(&self) -> Option<&MonthShare> {
        match self.beside.as_deref() {
            Some(Beside::Share(share)) => Some(share),
            _ => None,
        }
    }
}

/// A stage's part of months that several stages share.
#[derive(Debug, Clone, PartialEq)]
pub struct MonthShare {
    /// What one run of the stage bears of it, in whole cents.
    pub cost: Money,
    /// The same if the work of all these stages took as long as at the lower and at the upper end of its band.
    pub ends: [Money; 2],
    /// The cost for each month of the schedule, if there is one, of all its runs.
    pub by_month: Vec<Money>,
    /// Whole months of all shared machines.
    pub months: u32,
    /// Hours beyond them, on-demand.
    pub rest: Hours,
    /// Positions of the other stages that share them.
    pub with: Vec<usize>,
    /// Machines that they share.
    pub machines: u32,
    /// Machine hours of all these stages in a run.
    pub busy: Hours,
    /// What one run of all these stages bears of it.
    pub total: Money,
    /// The stage's part of all machine hours, a share from 0 to 1.
    pub part: f64,
}

/// On-demand capacity beside spot, for a stage that has to end within some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SafetyNet {
    /// Time within which the stage is to end; it is what counts against the job's deadline.
    pub within: Hours,
    /// Position of the on-demand offer of the same instance type in the same region.
    pub offer: usize,
}

/// Everything that may be bought for one stage.
#[derive(Debug, Clone, Default)]
pub struct StageQuotes {
    /// Quotes in catalog order.
    pub quotes: Vec<Quote>,
    /// What fell away, with what `decide` had turned away before.
    pub rejected: Rejections,
}

/// Prices every candidate of a stage.
pub fn price_stage(
    job: &Job,
    stage: &Stage,
    catalog: &Catalog,
    book: &Book<'_>,
    found: &StageCandidates,
) -> StageQuotes {
    let pricer = Pricer::new(job, stage, catalog, book);
    let mut offered = StageQuotes {
        quotes: Vec::with_capacity(2 * found.candidates.len()),
        rejected: found.rejected.clone(),
    };
    let (mut index, mut last) = (0, None);
    for alike in found.candidates.chunk_by(pool::is_alike) {
        let widest = match alike {
            [first, _, ..] => pool::widest(alike, job, stage, pricer.startup(first.class)),
            _ => 0,
        };
        for (place, candidate) in alike.iter().enumerate() {
            if place >= widest || pool::is_long(candidate) {
                let again = last.replace(candidate.instance) == Some(candidate.instance);
                pricer.quote(CandidateId::at(index), candidate, again, &mut offered);
            } else {
                // A narrow pool would not be rented, but it may be there.
                pricer.quote_owned(CandidateId::at(index), candidate, &mut offered);
            }
            index += 1;
        }
    }
    offered
}
