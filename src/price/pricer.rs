//! Quotes and bills of one stage. [`Pricer::quote`] is called for every candidate; [`Pricer::bill`] writes the lines
//! of the few that are shown, from the same amounts.

mod fallback;
mod fares;
mod lines;
mod owned;
mod quoting;
mod service;
mod shared;
mod spot_course;
pub mod turned;

pub use fallback::FallbackCase;

use super::book::{Book, Way};
use super::hidden::{Migration, migration};
use super::months::{self, Bought, Prices, Recurrence, buy};
use super::spot::{self, SpotJob, SpotOutcome};
use super::spot_case::SpotCase;
use super::storage::{self, Keeping};
use super::transfer::charge;
use super::{Quote, SafetyNet, compute, open};
use crate::catalog::{Catalog, Offer, Provider, Term};
use crate::decide::{Candidate, Figure, Layout, Reason};
use crate::job::{Class, Job, Location, Purchase, Stage};
use crate::units::{Band, HOURS_PER_MONTH, Hours, Money};
use fares::{Fare, Fares};

/// All ways of buying, in the order in which equal costs prefer them: what is there already, then the reversible one.
pub const PURCHASES: [Purchase; 7] = [
    Purchase::Owned,
    Purchase::OnDemand,
    Purchase::Spot,
    Purchase::Fallback,
    Purchase::Month,
    Purchase::Year,
    Purchase::ThreeYears,
];

/// Time from launching an instance to the first work on it, where the stage does not say: provision, boot, image.
/// The same as a restart on spot (5 minutes, 10 with an accelerator).
pub fn default_startup(class: Class) -> Hours {
    spot::default_restart(match class {
        Class::Cpu => spot::Machine::Cpu,
        Class::Gpu => spot::Machine::Gpu,
    })
}

/// Prices the candidates of one stage.
#[derive(Debug, Clone)]
pub struct Pricer<'a> {
    job: &'a Job,
    stage: &'a Stage,
    catalog: &'a Catalog,
    book: &'a Book<'a>,
    /// Where the data lies, as far as the catalog knows the provider.
    data: Option<(&'a Location, &'a Provider)>,
    /// The purchase options in their order, those that are not open to the stage left blank.
    open: [Option<Purchase>; PURCHASES.len()],
    /// Those of them for which a lot may have a price, by their positions.
    by_lot: Vec<(usize, Purchase)>,
    /// Per way of the book: moving data; `None` where the catalog has no price for a way that must be gone.
    transfers: Vec<Option<Moving>>,
    /// What keeping the data costs for a month, in the plan's currency; `None` when not priced.
    storage: Option<(Keeping<'a>, Money)>,
    /// Porting the stage to a GPU, where it is stated and its labour is priced.
    migration: Option<Migration>,
    /// How machines fare on spot, as far as that is known.
    fares: Fares,
}

/// A candidate at one offer.
#[derive(Debug, Clone, Copy)]
struct At<'a> {
    candidate: &'a Candidate,
    provider: &'a Provider,
    offer: Offer<'a>,
    /// What its price is multiplied by: discount and exchange rate.
    factor: f64,
    /// Moving data.
    moving: Moving,
    /// On-demand capacity beside spot, where it is bought so.
    net: Option<SafetyNet>,
    /// What it bears of months that are shared.
    share: Option<Money>,
}

/// What moving data to a place and back costs, in whole cents.
#[derive(Debug, Clone, Copy, Default)]
struct Moving {
    into: Money,
    out: Money,
    /// Both together, for ranking.
    rough: f64,
}

/// How a purchase turns out for some work.
#[derive(Debug, Clone, Copy)]
struct Course {
    /// Launch to end.
    time: Hours,
    /// What the machines cost when nothing goes wrong.
    compute: Money,
    /// What comes on top: what interruptions add, or the hours on-demand beside spot or whole terms.
    overhead: Money,
}

/// Why a purchase gives no quote.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    NoPrice,
    Rejected(Reason, Option<(Figure, Figure)>),
}

impl<'a> Pricer<'a> {
    /// Prepares what does not depend on the candidate.
    pub fn new(job: &'a Job, stage: &'a Stage, catalog: &'a Catalog, book: &'a Book<'a>) -> Self {
        let data =
            job.data_location.as_ref().and_then(|at| Some((at, catalog.provider_named(&at.provider)?.1)));
        let storage = book.keeping().and_then(|keeping| Some((keeping, keeping.month(stage.size?, book)?)));
        let open = PURCHASES.map(|p| open::closed(job, stage, p).is_none().then_some(p));
        let by_lot = open.into_iter().enumerate().filter_map(|(at, open)| Some((at, open?)));
        // Both are quoted on their own.
        let by_lot = by_lot.filter(|(_, p)| !matches!(p, Purchase::Owned | Purchase::Fallback)).collect();
        let (transfers, migration) = (Vec::new(), migration(job, stage));
        let mut pricer = Self {
            job,
            stage,
            catalog,
            book,
            data,
            open,
            by_lot,
            transfers,
            storage,
            migration,
            fares: Fares::default(),
        };
        pricer.transfers = book.ways().iter().map(|way| pricer.moving(way)).collect();
        pricer
    }

    /// Start-up time of one launch of the stage, with copying its data to the machine.
    pub fn startup(&self, class: Class) -> Hours {
        self.stage.startup.unwrap_or_else(|| default_startup(class)) + self.stage.staging
    }

    /// The interval of the cost of a quote: the work at the ends of its band, and for spot the optimistic and the
    /// pessimistic hazard with it. An end that never comes is given as `None`.
    pub fn cost_band(&self, candidate: &Candidate, quote: &Quote) -> Band<Option<Money>> {
        let mut courses = self.ends(candidate, quote);
        if let Some(share) = quote.share() {
            // Months that are shared cost what the time of all who share them makes of them.
            let [low, high] = share.ends;
            let costing = |course: Option<Course>, compute| course.map(|course| Course { compute, ..course });
            courses = Band { low: costing(courses.low, low), high: costing(courses.high, high), ..courses };
        }
        let ends = courses.map(|course| self.cost_of(candidate, quote, course));
        Band { expected: Some(quote.cost), ..ends }
    }

    /// The interval of the time of a quote from launch to end, by the same scenarios.
    pub fn time_band(&self, candidate: &Candidate, quote: &Quote) -> Band<Hours> {
        let ends = self.ends(candidate, quote).map(|course| course.map_or(Hours::NEVER, |c| c.time));
        Band { expected: quote.time, ..ends }
    }

    fn ends(&self, candidate: &Candidate, quote: &Quote) -> Band<Option<Course>> {
        let time = candidate.duration.time;
        Band {
            low: self.end(candidate, quote, time.low, |c| (c.hazard.optimistic, c.wait.optimistic)),
            expected: self.end(candidate, quote, time.expected, |c| (c.hazard.default, c.wait.default)),
            high: self.end(candidate, quote, time.high, |c| (c.hazard.pessimistic, c.wait.pessimistic)),
        }
    }

    /// What a quote would cost if the work took so long, all else as expected; `None` where it would never end.
    pub fn cost_if(&self, candidate: &Candidate, quote: &Quote, work: Hours) -> Option<Money> {
        let course = self.end(candidate, quote, work, |c| (c.hazard.default, c.wait.default));
        self.cost_of(candidate, quote, course)
    }

    fn cost_of(&self, candidate: &Candidate, quote: &Quote, course: Option<Course>) -> Option<Money> {
        let course = course?;
        let at = self.at_quote(candidate, quote)?;
        let Moving { into, out, .. } = at.moving;
        Some(course.compute + course.overhead + into + out + self.around(&at, course.time))
    }

    fn end(
        &self,
        candidate: &Candidate,
        quote: &Quote,
        work: Hours,
        pick: impl Fn(&SpotCase) -> (spot::Hazard, spot::Wait),
    ) -> Option<Course> {
        let at = self.at_quote(candidate, quote)?;
        if let Layout::Service(_) = candidate.layout {
            return self.service_at(&at, quote.purchase, work);
        }
        let expected = candidate.duration.time.expected;
        let scenario =
            |case: &SpotCase| case.otherwise(self.stage, &candidate.layout, expected, work, pick(case));
        match quote.purchase {
            Purchase::Spot => {
                let case = self.spot_case(candidate, at.provider, at.offer.hazard);
                Self::spot_course(&at, at.offer.spot?, &Fare::from(&case.outcome(&scenario(&case)).outcome))
            }
            Purchase::Fallback => self.fallback_course(&at, work, |case, _| scenario(case)),
            purchase => self.course(&at, purchase, work).ok(),
        }
    }

    /// A candidate at an offer; `None` where it may not be rented or its data not be moved at a known price.
    fn at<'b>(&self, candidate: &'b Candidate, number: usize) -> Option<At<'b>>
    where
        'a: 'b,
    {
        let (offer, entry) = (self.catalog.offers.get(number)?, self.book.entry(number)?);
        let provider = self.catalog.provider(self.catalog.instance(candidate.instance)?.provider)?;
        let moving = self.moving_of(number)?;
        Some(At { candidate, provider, offer, factor: entry.factor, moving, net: None, share: None })
    }

    /// The same for a quote.
    fn at_quote<'b>(&self, candidate: &'b Candidate, quote: &Quote) -> Option<At<'b>>
    where
        'a: 'b,
    {
        Some(At {
            net: quote.net(),
            share: quote.share().map(|share| share.cost),
            ..self.at(candidate, quote.offer)?
        })
    }

    /// Cost of bringing the data to a place and the result back, in whole cents.
    fn moving(&self, way: &Way<'_>) -> Option<Moving> {
        let into = charge(way.into, self.stage.brought(), self.book)?;
        let out = charge(way.out, self.stage.output, self.book)?;
        Some(Moving { into, out, rough: (into + out).as_f64() })
    }

    /// Moving data to an offer; `None` where the catalog has no price for it.
    fn moving_of(&self, offer: usize) -> Option<Moving> {
        self.transfers.get(self.book.way_of(offer)?).copied().flatten()
    }

    /// Bringing the data to an offer's place and the result back; `None` where the catalog has no price for it.
    pub fn transfer(&self, offer: usize) -> Option<(Money, Money)> {
        let Moving { into, out, .. } = self.moving_of(offer)?;
        Some((into, out))
    }

    /// What the machines of a quote are expected to cost, without data, storage and what else comes with the stage.
    pub fn machine_cost(&self, candidate: &Candidate, quote: &Quote) -> Option<Money> {
        let course = self
            .course(&self.at_quote(candidate, quote)?, quote.purchase, candidate.duration.time.expected)
            .ok()?;
        Some(course.compute + course.overhead)
    }

    /// What comes with the stage beside its machines: its fixed cost, keeping the data meanwhile, and on a GPU the share
    /// of the work to port it.
    fn around(&self, at: &At<'_>, time: Hours) -> Money {
        let fixed = self.stage.fixed_cost.unwrap_or_default().to_cents();
        self.storage_cost(time) + fixed + self.migration_share(at.candidate.class)
    }

    fn migration_share(&self, class: Class) -> Money {
        match (class, self.migration) {
            (Class::Gpu, Some(migration)) => migration.share,
            _ => Money::ZERO,
        }
    }

    fn storage_cost(&self, time: Hours) -> Money {
        self.storage.map_or(Money::ZERO, |(_, month)| storage::keeping(month, time).to_cents())
    }

    /// How some work turns out when it is bought one way.
    fn course(&self, at: &At<'_>, purchase: Purchase, work: Hours) -> Result<Course, Refusal> {
        let (offer, count) = (at.offer, at.candidate.count);
        if let Layout::Service(service) = &at.candidate.layout {
            return self.service_course(at, purchase, service).ok_or(Refusal::NoPrice);
        }
        let time = self.startup(at.candidate.class) + work;
        let whole = |one: Money| Course { time, compute: (one * count).to_cents(), overhead: Money::ZERO };
        match purchase {
            Purchase::Owned => Ok(whole(Money::ZERO)),
            Purchase::Fallback => self.fallback_course(at, work, |_, job| job).ok_or(Refusal::NoPrice),
            Purchase::OnDemand if offer.on_demand.is_empty() => Err(Refusal::NoPrice),
            Purchase::OnDemand => {
                let billed = compute::billed(time, at.provider.on_demand.as_ref()).ok_or(Refusal::NoPrice)?;
                let one = compute::tiered(&offer.on_demand, at.factor, billed);
                // An automatic discount for whole months caps what each begun month can cost.
                let cap = offer
                    .sustained_month()
                    .map(|month| compute::prepaid(month.scaled(at.factor), Term::Month, time, None));
                Ok(whole(cap.map_or(one, |cap| one.min(cap))))
            }
            Purchase::Month | Purchase::Year | Purchase::ThreeYears => {
                if let Some(share) = at.share {
                    return Ok(Course { time, compute: share, overhead: Money::ZERO });
                }
                let bought = self.terms(at, purchase, time).ok_or(Refusal::NoPrice)?;
                let all = |one: Money| (one * count).to_cents();
                Ok(Course { time, compute: all(bought.prepaid), overhead: all(bought.hourly) })
            }
            Purchase::Spot => {
                let price = offer.spot.ok_or(Refusal::NoPrice)?;
                let case = self.spot_case(at.candidate, at.provider, offer.hazard);
                let (_, outcome) =
                    self.spot_outcome(&case, &at.candidate.layout, work).map_err(|_| Refusal::NoPrice)?;
                Self::spot_course(at, price, &Fare::from(&outcome)).ok_or(Refusal::NoPrice)
            }
        }
    }
}

impl Pricer<'_> {
    /// Whole terms of one instance at an offer, and the hours on-demand beyond them.
    fn terms(&self, at: &At<'_>, purchase: Purchase, time: Hours) -> Option<Bought> {
        buy(term_prices(at, purchase)?, time, self.recurrence())
    }

    /// How often the job runs.
    fn recurrence(&self) -> Recurrence<'_> {
        match (self.job.runs_per_month, self.job.schedule.as_slice()) {
            (None, _) => Recurrence::Once,
            (Some(runs), []) => Recurrence::EachMonth(runs),
            (Some(_), schedule) => Recurrence::ByMonth(schedule),
        }
    }

    /// Hours of one instance that are paid when it is bought by the month, of all runs of a month or of the schedule's
    /// mean month; `None` for other purchases.
    pub fn paid_hours(&self, candidate: &Candidate, quote: &Quote) -> Option<Hours> {
        if quote.purchase != Purchase::Month || quote.share().is_some() {
            return None;
        }
        let bought = self.terms(&self.at_quote(candidate, quote)?, quote.purchase, quote.time)?;
        let months = u32::try_from(self.job.schedule.len()).map_or(1.0, |n| f64::from(n.max(1)));
        Some((Hours::new(HOURS_PER_MONTH * f64::from(bought.terms)) + bought.rest) / months)
    }

    /// What the machines of a quote by the month cost in each month of the schedule; `None` for other purchases.
    pub fn by_month(&self, candidate: &Candidate, quote: &Quote) -> Option<Vec<Money>> {
        if quote.purchase != Purchase::Month {
            return None;
        }
        if let Some(share) = quote.share() {
            return Some(share.by_month.clone());
        }
        let at = self.at_quote(candidate, quote)?;
        let one = months::by_month(term_prices(&at, quote.purchase)?, quote.time, &self.job.schedule)?;
        Some(one.into_iter().map(|month| (month * candidate.count).to_cents()).collect())
    }
}

/// What a term and an hour cost at an offer, after discount and conversion.
fn term_prices(at: &At<'_>, purchase: Purchase) -> Option<Prices> {
    let (term, price) = prepaid_price(&at.offer, purchase)?;
    let hour = at.offer.on_demand_price().map(|hour| compute::scaled(hour, at.factor));
    Some(Prices { term, whole: price.scaled(at.factor), hour })
}

/// The price of a prepaid term.
fn prepaid_price(offer: &Offer, purchase: Purchase) -> Option<(Term, Money)> {
    let term = match purchase {
        Purchase::Month => Term::Month,
        Purchase::Year => Term::Year,
        Purchase::ThreeYears => Term::ThreeYears,
        Purchase::OnDemand | Purchase::Spot | Purchase::Fallback | Purchase::Owned => return None,
    };
    offer.term(term).map(|price| (term, price))
}
