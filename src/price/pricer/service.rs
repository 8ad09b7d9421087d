//! A month of a service: servers bought by the hour as the day needs them, or reserved for a term around the clock, or
//! a reserved base with the rest by the hour (B-Q3).

use super::{At, Course, Pricer, Quote, prepaid_price};
use crate::catalog::{Billing, Offer, Term};
use crate::decide::{Candidate, Layout, Service, service};
use crate::job::Purchase;
use crate::price::bill::{Bill, LineKind};
use crate::price::compute;
use crate::price::day::{DAYS_PER_MONTH, Layer, layers};
use crate::price::open::commits;
use crate::price::service::{ServiceOption, ServiceWay};
use crate::units::number::{significant, things};
use crate::units::{HOURS_PER_MONTH, Hours, Money};

/// A month of 730 hours.
fn whole_month() -> Hours {
    Hours::new(HOURS_PER_MONTH)
}

const fn months(term: Term) -> f64 {
    compute::term_hours(term) / HOURS_PER_MONTH
}

/// How many servers are reserved, and what they and the others cost in a month, in whole cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Split {
    reserved: u32,
    base: Money,
    hourly: Money,
}

impl Split {
    fn cost(self) -> Money {
        self.base + self.hourly
    }

    fn course(self) -> Course {
        Course { time: whole_month(), compute: self.cost(), overhead: Money::ZERO }
    }
}

/// What an offer asks for one server.
struct Rates<'a> {
    offer: Offer<'a>,
    rules: Option<&'a Billing>,
    /// What its prices are multiplied by: discount and exchange rate.
    factor: f64,
    startup: Hours,
}

impl Rates<'_> {
    /// A month around the clock by the hour.
    fn always(&self) -> Option<Money> {
        if self.offer.on_demand.is_empty() {
            return None;
        }
        let billed = compute::billed(whole_month(), self.rules)?;
        Some(self.capped(compute::tiered(&self.offer.on_demand, self.factor, billed)))
    }

    /// An automatic discount caps what a month can cost.
    fn capped(&self, cost: Money) -> Money {
        self.offer.sustained_month().map_or(cost, |cap| cost.min(cap.scaled(self.factor)))
    }

    /// A month of one server of a layer by the hour: each launch with its start-up, as it is billed; around the clock
    /// where that is the cheaper way.
    fn by_the_hour(&self, layer: &Layer) -> Option<Money> {
        let always = self.always()?;
        if layer.always() {
            return Some(always);
        }
        let mut day = Money::ZERO;
        for hours in &layer.launches {
            let billed = compute::billed(self.startup + Hours::new(f64::from(*hours)), self.rules)?;
            day = day + compute::tiered(&self.offer.on_demand, self.factor, billed);
        }
        Some(self.capped(day.scaled(DAYS_PER_MONTH)).min(always))
    }

    /// Hours and launches of one server of a layer in a day, as they are bought by the hour.
    fn bought_hours(&self, layer: &Layer) -> (u32, usize) {
        if layer.always() || self.by_the_hour(layer) >= self.always() {
            return (24, 0);
        }
        (layer.launches.iter().sum(), layer.launches.len())
    }

    /// A month of layers by the hour.
    fn hourly(&self, layers: &[Layer]) -> Option<Money> {
        let mut cost = Money::ZERO;
        for layer in layers {
            cost = cost + self.by_the_hour(layer)? * layer.servers;
        }
        Some(cost.to_cents())
    }

    /// A month of so many reserved servers: of a commitment for years it bears its share.
    fn reserved(&self, purchase: Purchase, servers: u32) -> Option<Money> {
        let (term, price) = prepaid_price(&self.offer, purchase)?;
        Some((price.scaled(self.factor / months(term)) * servers).to_cents())
    }

    /// The layers as a purchase buys them: all by the hour; all reserved where the term is `pinned`; else a reserved
    /// base of the size that costs least, of at least one layer. Within a layer the cost is a straight line
    /// in the number of reserved servers, so that the least lies at the border of one; of equal ones the smallest base.
    fn split(&self, layers: &[Layer], purchase: Purchase, pinned: bool) -> Option<Split> {
        if purchase == Purchase::Owned {
            let reserved = layers.iter().map(|layer| layer.servers).sum();
            return Some(Split { reserved, base: Money::ZERO, hourly: Money::ZERO });
        }
        if purchase == Purchase::OnDemand {
            return Some(Split { reserved: 0, base: Money::ZERO, hourly: self.hourly(layers)? });
        }
        let mut reserved = 0;
        let mut best: Option<Split> = None;
        for (at, layer) in layers.iter().enumerate() {
            reserved += layer.servers;
            let rest = layers.get(at + 1..).unwrap_or_default();
            let Some(hourly) = self.hourly(rest).filter(|_| !pinned || rest.is_empty()) else { continue };
            let split = Split { reserved, base: self.reserved(purchase, reserved)?, hourly };
            if best.is_none_or(|b| split.cost() < b.cost()) {
                best = Some(split);
            }
        }
        best
    }
}

impl Pricer<'_> {
    fn rates<'b>(&self, at: &At<'b>) -> Rates<'b> {
        let startup = self.startup(at.candidate.class);
        Rates { offer: at.offer, rules: at.provider.on_demand.as_ref(), factor: at.factor, startup }
    }

    /// What a month of a candidate's servers costs, without rounding: enough to rank offers.
    pub(super) fn service_rough(
        &self,
        candidate: &Candidate,
        service: &Service,
        offer: &Offer,
        factor: f64,
        purchase: Purchase,
    ) -> Option<f64> {
        match purchase {
            Purchase::Owned => return Some(0.0),
            Purchase::Spot | Purchase::Fallback => return None,
            Purchase::OnDemand | Purchase::Month | Purchase::Year | Purchase::ThreeYears => {}
        }
        let provider = self.catalog.provider(self.catalog.instance(candidate.instance)?.provider)?;
        let startup = self.startup(candidate.class);
        let rates = Rates { offer: *offer, rules: provider.on_demand.as_ref(), factor, startup };
        if service.hours.is_none() {
            let one = match prepaid_price(offer, purchase) {
                Some((term, price)) => price.as_f64() * factor / months(term),
                None if purchase == Purchase::OnDemand => rates.always()?.as_f64(),
                None => return None,
            };
            return Some(one * f64::from(service.servers));
        }
        Some(rates.split(&layers(&service.day()), purchase, self.pins_term())?.cost().as_f64())
    }

    fn pins_term(&self) -> bool {
        self.stage.purchase.is_some_and(|p| p != Purchase::OnDemand)
    }

    fn service_split(&self, at: &At<'_>, purchase: Purchase, service: &Service) -> Option<Split> {
        if matches!(purchase, Purchase::Spot | Purchase::Fallback) {
            return None;
        }
        self.rates(at).split(&layers(&service.day()), purchase, self.pins_term())
    }

    /// A month of the servers of a service.
    pub(super) fn service_course(
        &self,
        at: &At<'_>,
        purchase: Purchase,
        service: &Service,
    ) -> Option<Course> {
        self.service_split(at, purchase, service).map(Split::course)
    }

    /// A month of the servers that a service needs if one request takes so long.
    pub(super) fn service_at(&self, at: &At<'_>, purchase: Purchase, item: Hours) -> Option<Course> {
        let candidate = at.candidate;
        let (instance, thresholds) = (self.catalog.instance(candidate.instance)?, &self.job.thresholds);
        let Layout::Service(expected) = &candidate.layout else { return None };
        let sized = service::size_at(self.stage, thresholds, instance, &candidate.duration, item, expected);
        self.service_course(at, purchase, &sized)
    }

    /// How many servers of a quote are reserved; the others are bought by the hour.
    pub fn reserved_servers(&self, candidate: &Candidate, quote: &Quote) -> Option<u32> {
        let Layout::Service(service) = &candidate.layout else { return None };
        let at = self.at(candidate, quote.offer)?;
        self.service_split(&at, quote.purchase, service).map(|split| split.reserved)
    }

    /// What the servers of a quote cost in a month, without storage, transfer and porting.
    pub fn machines(&self, candidate: &Candidate, quote: &Quote) -> Option<Money> {
        let Layout::Service(service) = &candidate.layout else { return None };
        self.service_split(&self.at(candidate, quote.offer)?, quote.purchase, service).map(Split::cost)
    }

    /// Every way to buy a candidate's servers at an offer, in a fixed order: by the hour, then the terms by length.
    pub fn service_options(&self, candidate: &Candidate, offer: usize) -> Vec<ServiceOption> {
        let (Layout::Service(service), Some(at)) = (&candidate.layout, self.at(candidate, offer)) else {
            return Vec::new();
        };
        let (rates, layers) = (self.rates(&at), layers(&service.day()));
        let all = service.servers;
        let quietest = service.day().into_iter().min().unwrap_or(all);
        let mut found = Vec::new();
        let mut add = |way, purchase, reserved, month: Option<Money>| {
            let commits = commits(self.stage, purchase);
            let hourly = all - reserved;
            let least = match way {
                ServiceWay::AlwaysOn => hourly,
                _ => quietest.saturating_sub(reserved),
            };
            found.extend(month.map(|month| ServiceOption {
                way,
                purchase,
                reserved,
                hourly,
                least,
                month,
                commits,
            }));
        };
        let always = rates.always().map(|one| (one * all).to_cents());
        if layers.len() > 1 {
            add(ServiceWay::Autoscaled, Purchase::OnDemand, 0, rates.hourly(&layers));
        }
        add(ServiceWay::AlwaysOn, Purchase::OnDemand, 0, always);
        for term in [Purchase::Month, Purchase::Year, Purchase::ThreeYears] {
            add(ServiceWay::Reserved, term, all, rates.reserved(term, all));
            if let Some(split) = rates.split(&layers, term, false).filter(|split| split.reserved < all) {
                add(ServiceWay::BaseAndPeak, term, split.reserved, Some(split.cost()));
            }
        }
        found
    }

    pub(super) fn service_lines(&self, at: &At<'_>, quote: &Quote, service: &Service, bill: &mut Bill) {
        let layers = layers(&service.day());
        let Some(split) = self.service_split(at, quote.purchase, service) else { return };
        let many = |n: u32| if n > 1 { format!("{n} × ") } else { String::new() };
        let off = self.reduced(at);
        if quote.purchase == Purchase::Owned {
            let text = format!("{}a machine that is owned", many(split.reserved));
            bill.add(LineKind::Compute, text, split.base);
        } else if let Some((term, price)) = prepaid_price(&at.offer, quote.purchase) {
            let (many, price) = (many(split.reserved), price.scaled(at.factor).amount());
            let text = match term {
                Term::Month => format!("{many}a month at {price}{off}"),
                Term::Year => format!("{many}a twelfth of a year at {price}{off}"),
                Term::ThreeYears => format!("{many}a 36th of three years at {price}{off}"),
            };
            bill.add(LineKind::Compute, text, split.base);
        }
        let hourly = service.servers - split.reserved;
        if hourly == 0 {
            return;
        }
        let price = at.offer.on_demand_price().map(|p| compute::scaled(p, at.factor).to_string());
        let price = price.unwrap_or_default();
        let falls = if at.offer.on_demand.len() > 1 || at.offer.sustained_month().is_some() {
            " (falling with the hours)"
        } else {
            ""
        };
        let text = if layers.len() > 1 {
            let (rates, mut below, mut hours, mut launches) = (self.rates(at), 0, 0, 0);
            for layer in &layers {
                if below >= split.reserved {
                    let (each, starts) = rates.bought_hours(layer);
                    hours += layer.servers * each;
                    launches += layer.servers * u32::try_from(starts).unwrap_or(u32::MAX);
                }
                below += layer.servers;
            }
            let startup = self.startup(at.candidate.class);
            format!(
                "{} and {} of {startup} a day at {price}{falls}{off} × {} days",
                things(hours, "server hour"),
                things(launches, "start"),
                significant(DAYS_PER_MONTH, 4)
            )
        } else {
            format!("{}{price}{falls}{off} × {HOURS_PER_MONTH} h a month", many(hourly))
        };
        bill.add(LineKind::Compute, text, split.hourly);
    }
}
