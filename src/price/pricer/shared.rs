//! Machines by the month that several stages of a run use one after the other.

use super::{Moving, Pricer};
use crate::catalog::{Offer, Term};
use crate::decide::{Candidate, CandidateId};
use crate::job::Purchase;
use crate::price::lease::{self, Span};
use crate::price::months::{Bought, Prices, by_month, spread};
use crate::price::{Beside, MonthShare, Quote, compute};
use crate::units::{Hours, Money};

impl Pricer<'_> {
    /// What a month of one machine of an offer costs one run at the least; `None` where it is not sold by the month or may not
    /// be rented.
    pub fn month_of_a_run(&self, number: usize) -> Option<Money> {
        let prices = self.month_prices(number)?;
        Some(spread(prices, self.recurrence().runs(prices.term), 1, Hours::ZERO)?.prepaid)
    }

    /// How long a candidate takes on machines of an offer that are paid by the month, and what it costs beside the machines.
    pub fn beside_months(&self, candidate: &Candidate, number: usize) -> Option<(Hours, Money)> {
        self.month_prices(number)?;
        let at = self.at(candidate, number)?;
        let time = self.startup(candidate.class) + candidate.duration.time.expected;
        let Moving { into, out, .. } = at.moving;
        Some((time, into + out + self.around(&at, time)))
    }

    /// What one run bears of a machine of an offer that is busy in these spans of it: whole months and the rest by the
    /// hour, or hours alone where no month is worth its price. Beside it, with a schedule, what each of its months costs.
    pub fn leased(&self, number: usize, spans: &[Span]) -> Option<(Bought, Vec<Money>)> {
        let prices = self.month_prices(number)?;
        let bought = lease::lease(prices, spans, self.recurrence())?;
        let months = match self.job.schedule.as_slice() {
            [] => Vec::new(),
            schedule => by_month(prices, lease::busy(spans), schedule)?,
        };
        Some((bought, months))
    }

    /// The quote of a candidate with its part of shared months.
    pub fn sharing(
        &self,
        id: CandidateId,
        candidate: &Candidate,
        number: usize,
        share: MonthShare,
    ) -> Option<Quote> {
        let (time, beside) = self.beside_months(candidate, number)?;
        Some(Quote {
            offer: number,
            candidate: id,
            class: candidate.class,
            purchase: Purchase::Month,
            time,
            cost: beside + share.cost,
            beside: Some(Box::new(Beside::Share(share))),
        })
    }

    /// What a month and an hour cost at an offer that may be rented, after discount and conversion.
    fn month_prices(&self, number: usize) -> Option<Prices> {
        let offer: Offer<'_> = self.catalog.offers.get(number)?;
        let whole = offer.term(Term::Month)?;
        let entry = self.book.entry(number).filter(|entry| entry.closed.is_none())?;
        let hour = offer.on_demand_price().map(|hour| compute::scaled(hour, entry.factor));
        Some(Prices { term: Term::Month, whole: whole.scaled(entry.factor), hour })
    }
}
