//! A stage with the quote that the plan takes for it, and what else is on offer: what the rules that look at the
//! finished plan are asked about.

use crate::catalog::{Accelerator, Instance, Offer, Provider};
use crate::choose::assemble::{Considered, Found};
use crate::choose::select::preferred;
use crate::decide::{Candidate, StageCandidates};
use crate::job::{Class, Job, Purchase, Stage, StageKind};
use crate::plan::{Choice, Plan, StagePlan};
use crate::price::open::commits;
use crate::price::{Pricer, Quote, StageQuotes, compute};
use crate::units::{Hours, Money, PerHour};

/// One stage of the plan, with what it was chosen from.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// Everything that was found out.
    pub found: Found<'a>,
    /// Position of the stage.
    pub index: usize,
    /// The stage as asked.
    pub stage: &'a Stage,
    /// The choice.
    pub choice: &'a Choice,
    /// The quote that it was made from.
    pub quote: &'a Quote,
    /// The machines of that quote.
    pub candidate: &'a Candidate,
    /// The offer of that quote.
    pub offer: Offer<'a>,
    /// Its instance type.
    pub instance: &'a Instance,
    /// Its seller.
    pub provider: &'a Provider,
    /// All machines that can do the stage.
    pub candidates: &'a StageCandidates,
    /// All quotes of the stage.
    pub quotes: &'a StageQuotes,
    /// Expected cost of the whole plan; that of the stage where another one has none.
    pub total: Money,
}

/// Share of the plan's cost below which what could be saved is left to `--explain`. A guess.
const WORTH: f64 = 0.05;

impl<'a> Taken<'a> {
    /// The stage at a position of the plan; `None` where nothing was chosen for it.
    pub fn of(found: Found<'a>, plan: &'a Plan, index: usize) -> Option<Self> {
        let planned: &StagePlan = plan.stages.get(index)?;
        let choice = planned.outcome.as_ref().ok()?;
        let stage = found.job.stages.get(index)?;
        let Considered { candidates, quotes, selection, clock: _ } = found.stages.get(index)?;
        let quote = quotes.quotes.get(selection.chosen?)?;
        let candidate = candidates.of(quote.candidate)?;
        let offer = found.catalog.offers.get(quote.offer)?;
        let instance = found.catalog.instance(candidate.instance)?;
        let provider = found.catalog.provider(instance.provider)?;
        Some(Self {
            found,
            index,
            stage,
            choice,
            quote,
            candidate,
            offer,
            instance,
            provider,
            candidates,
            quotes,
            total: plan.cost.and_then(|band| band.expected).unwrap_or(choice.expected_cost()),
        })
    }

    /// Whether an amount is worth a remark beside the cost of the plan.
    pub fn is_worth(&self, amount: Money) -> bool {
        amount >= self.total.scaled(WORTH)
    }

    /// The question.
    pub const fn job(&self) -> &'a Job {
        self.found.job
    }

    /// Prices for this stage.
    pub fn pricer(&self) -> Pricer<'a> {
        Pricer::new(self.found.job, self.stage, self.found.catalog, self.found.book)
    }

    /// Working time without start-up, interruptions and waiting.
    pub const fn work(&self) -> Hours {
        self.candidate.duration.time.expected
    }

    /// Devices that share the work.
    pub fn devices(&self) -> f64 {
        self.instance.gpu_count() * f64::from(self.candidate.count)
    }

    /// The accelerator of the choice.
    pub fn card(&self) -> Option<&'a Accelerator> {
        self.instance.gpu.and_then(|gpu| self.found.catalog.accelerator(gpu))
    }

    /// Whether the choice computes on accelerators.
    pub fn on_gpu(&self) -> bool {
        self.choice.class == Class::Gpu
    }

    /// Samples (requests of a service) that the work takes up per second of working time.
    pub fn consumption(&self) -> Option<f64> {
        if self.stage.kind == StageKind::Serve {
            return self.stage.requests_per_second;
        }
        let trials = if self.stage.kind == StageKind::Tune { f64::from(self.stage.trials?) } else { 1.0 };
        let per_second = self.stage.samples? * self.stage.epochs * trials / self.work().as_secs();
        (per_second.is_finite() && per_second > 0.0).then_some(per_second)
    }

    /// An amount with its currency.
    pub fn money(&self, money: Money) -> String {
        format!("{} {}", money.amount(), self.found.job.currency)
    }

    /// `aws/g4dn.xlarge` of the choice.
    pub fn name(&self) -> String {
        format!("{}/{}", self.choice.provider, self.choice.instance)
    }

    /// The cheapest quote of those that `keep` admits; among equals the preferred one.
    pub fn cheapest(&self, keep: impl Fn(&Quote) -> bool) -> Option<&'a Quote> {
        let (Found { job, catalog, .. }, quotes) = (self.found, &self.quotes.quotes);
        quotes.get(preferred(job, catalog, quotes, keep)?)
    }

    /// The cheapest of a class.
    pub fn cheapest_of(&self, class: Class) -> Option<&'a Quote> {
        self.cheapest(|q| q.class == class && !commits(self.stage, q.purchase))
    }

    /// The cheapest of a purchase option within the class of the choice.
    pub fn cheapest_bought(&self, purchase: Purchase) -> Option<&'a Quote> {
        self.cheapest(|q| q.purchase == purchase && q.class == self.choice.class)
    }

    /// The cheapest on a card whose name begins so.
    pub fn cheapest_on(&self, card: impl Fn(&Accelerator) -> bool) -> Option<&'a Quote> {
        self.cheapest(|q| {
            q.class == Class::Gpu && !commits(self.stage, q.purchase) && self.card_of(q).is_some_and(&card)
        })
    }

    /// The accelerator of a quote.
    pub fn card_of(&self, quote: &Quote) -> Option<&'a Accelerator> {
        let gpu = self.instance_of(quote)?.gpu?;
        self.found.catalog.accelerator(gpu)
    }

    /// The instance type of a quote.
    pub fn instance_of(&self, quote: &Quote) -> Option<&'a Instance> {
        self.found.catalog.instance(self.found.catalog.offers.get(quote.offer)?.instance)
    }

    /// `2 × aws/g4dn.xlarge (T4) in us-east-1`.
    pub fn label(&self, quote: &Quote) -> String {
        self.found.label(quote, self.candidates)
    }

    /// The first offer of the chosen machine with a price that may be rented and has what `has` asks for: the offer
    /// of the choice, else one in its region, else any.
    pub fn offer_with(&self, has: impl Fn(&Offer) -> bool) -> Option<usize> {
        let open = |n: &usize| {
            let closed = self.found.book.entry(*n).is_none_or(|entry| entry.closed.is_some());
            !closed && self.found.catalog.offers.get(*n).is_some_and(|o| has(&o))
        };
        let near =
            |n: &usize| self.found.catalog.offers.get(*n).is_some_and(|o| *o.region == *self.choice.region);
        let all = || self.found.catalog.offers.of(self.candidate.instance);
        std::iter::once(self.quote.offer).chain(all().filter(near)).chain(all()).find(open)
    }

    /// The offer of the choice if `price` gives it a price, else the cheapest offer of the chosen machine that may be
    /// rented; of equal ones the first.
    pub fn cheapest_offer_with(&self, price: impl Fn(&Offer) -> Option<PerHour>) -> Option<usize> {
        let priced = |at: usize| {
            let entry = self.found.book.entry(at).filter(|entry| entry.closed.is_none())?;
            let price = self.found.catalog.offers.get(at).and_then(|o| price(&o))?;
            Some((at, compute::scaled(price, entry.factor)))
        };
        let cheapest = || {
            let all = self.found.catalog.offers.of(self.candidate.instance).filter_map(priced);
            all.min_by(|(_, a), (_, b)| a.as_f64().total_cmp(&b.as_f64()))
        };
        priced(self.quote.offer).or_else(cheapest).map(|(at, _)| at)
    }

    /// `us-east-1` of an offer.
    pub fn region(&self, offer: usize) -> &'a str {
        self.found.catalog.offers.get(offer).map_or("", |o| &*o.listing.region)
    }

    /// What one hour of one instance of an offer costs, bought by the hour.
    pub fn hourly(&self, offer: usize, purchase: Purchase) -> Option<PerHour> {
        let (offer, entry) = (self.found.catalog.offers.get(offer)?, self.found.book.entry(offer)?);
        let price = match purchase {
            Purchase::OnDemand => offer.on_demand_price(),
            Purchase::Spot | Purchase::Fallback => offer.spot,
            Purchase::Month | Purchase::Year | Purchase::ThreeYears | Purchase::Owned => None,
        };
        price.map(|price| compute::scaled(price, entry.factor))
    }
}
