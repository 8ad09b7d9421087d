//! How machines fare on spot, worked out once for candidates that are the same machine.

use super::{Pricer, Refusal};
use crate::catalog::Hazard;
use crate::decide::Candidate;
use crate::price::spot::{Fallback, SpotOutcome};
use crate::units::Hours;
use std::cell::RefCell;
use std::rc::Rc;

/// What a bill needs to know of a course on spot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fare {
    /// Expected time from asking for the first instance to the end of the work.
    pub completion: Hours,
    /// Expected time up, which is what is billed.
    pub billed: Hours,
    /// Time up when nothing goes wrong.
    pub shortest: Hours,
    /// Expected number of interruptions.
    pub interruptions: f64,
}

impl From<&SpotOutcome> for Fare {
    fn from(outcome: &SpotOutcome) -> Self {
        let SpotOutcome { completion, billed, shortest, interruptions, .. } = *outcome;
        Self { completion, billed, shortest, interruptions }
    }
}

/// Why a machine is not rented on spot: the limit and what exceeds it.
pub(super) type Exceeded = (f64, f64);

/// Deadlines of spot with fallback, each with the hours of each kind.
pub(super) type Splits = Rc<Result<Vec<(Hours, Fallback)>, Refusal>>;

/// What is known so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Fares {
    spot: Rc<RefCell<Known<Result<Fare, Exceeded>>>>,
    fallback: Rc<RefCell<Known<Splits>>>,
}

/// What is known of machines by their number, their working time and their interruptions.
#[derive(Debug)]
struct Known<T> {
    /// By the number of the machine, the position in `all` of what was found out last; one more than that, 0 for nothing.
    last: Vec<u32>,
    all: Vec<Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    work: Hours,
    hazard: Option<Hazard>,
    made: T,
    /// What was found out of the same machine before, as in `last`.
    before: u32,
}

/// Room for so many at first: for the machines of a stage among the usual prices.
const SOME: usize = 512;

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { last: Vec::new(), all: Vec::new() }
    }
}

impl<T: Clone> Known<T> {
    /// What is known of a candidate at offers of one hazard; it is found out where that is nothing.
    fn get_or(&mut self, candidate: &Candidate, hazard: Option<Hazard>, new: impl FnOnce() -> T) -> T {
        let work = candidate.duration.time.expected;
        let entry = |at: u32| self.all.get(usize::try_from(at).ok()?.checked_sub(1)?);
        let twin = candidate.twin.position();
        let last = self.last.get(twin).copied().unwrap_or(0);
        let chain = std::iter::successors(entry(last), |known| entry(known.before));
        if let Some(known) = chain.into_iter().find(|known| known.work == work && known.hazard == hazard) {
            return known.made.clone();
        }
        let made = new();
        if self.all.is_empty() {
            self.all.reserve(SOME);
        }
        self.all.push(Entry { work, hazard, made: made.clone(), before: last });
        if self.last.len() <= twin {
            self.last.resize(twin + 1, 0);
        }
        if let (Some(last), Ok(at)) = (self.last.get_mut(twin), u32::try_from(self.all.len())) {
            *last = at;
        }
        made
    }
}

impl Pricer<'_> {
    /// The expected course of a candidate on spot at offers of one hazard.
    pub(super) fn fare(&self, candidate: &Candidate, hazard: Option<Hazard>) -> Result<Fare, Exceeded> {
        let new = || self.outcome_at(candidate, hazard).map(|(_, outcome)| Fare::from(&outcome));
        self.fares.spot.borrow_mut().get_or(candidate, hazard, new)
    }

    /// The deadlines at which a candidate is tried on spot with fallback, at offers of one hazard.
    pub(super) fn splits(&self, candidate: &Candidate, hazard: Option<Hazard>) -> Splits {
        let new = || Rc::new(self.split_at_deadlines(candidate, hazard));
        self.fares.fallback.borrow_mut().get_or(candidate, hazard, new)
    }
}
