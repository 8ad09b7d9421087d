//! A month of a service: servers that run around the clock, bought by the hour, the month or the years.

use super::{At, Course, Pricer, Quote, prepaid_price};
use crate::catalog::{Offer, Term};
use crate::decide::{Candidate, service};
use crate::job::Purchase;
use crate::price::bill::{Bill, LineKind};
use crate::price::compute;
use crate::units::{BilledTime, HOURS_PER_MONTH, Hours, Money};

/// A month of 730 hours.
fn whole_month() -> Hours {
    Hours::new(HOURS_PER_MONTH)
}

/// What a month of one server costs without rounding, in the offer's currency: enough to rank offers.
pub(super) fn month(offer: &Offer, purchase: Purchase) -> Option<f64> {
    match purchase {
        Purchase::OnDemand => match &*offer.on_demand {
            [] => None,
            tiers => {
                let hours = compute::tiered(tiers, 1.0, BilledTime::from_hours(whole_month())?).as_f64();
                Some(offer.sustained_month().map_or(hours, |cap| hours.min(cap.as_f64())))
            }
        },
        Purchase::Owned => Some(0.0),
        Purchase::Spot | Purchase::Fallback => None,
        Purchase::Month | Purchase::Year | Purchase::ThreeYears => {
            let (term, price) = prepaid_price(offer, purchase)?;
            Some(price.as_f64() / months(term))
        }
    }
}

const fn months(term: Term) -> f64 {
    compute::term_hours(term) / HOURS_PER_MONTH
}

/// A month of so many servers. Of a year's commitment it bears a twelfth.
pub(super) fn course(at: &At<'_>, purchase: Purchase, servers: u32) -> Option<Course> {
    let offer = at.offer;
    let one = match purchase {
        Purchase::OnDemand if offer.on_demand.is_empty() => return None,
        Purchase::OnDemand => {
            let billed = compute::billed(whole_month(), at.provider.on_demand.as_ref())?;
            let hours = compute::tiered(&offer.on_demand, at.factor, billed);
            offer.sustained_month().map_or(hours, |cap| hours.min(cap.scaled(at.factor)))
        }
        Purchase::Owned => Money::ZERO,
        Purchase::Spot | Purchase::Fallback => return None,
        Purchase::Month | Purchase::Year | Purchase::ThreeYears => {
            let (term, price) = prepaid_price(offer, purchase)?;
            price.scaled(at.factor / months(term))
        }
    };
    Some(Course { time: whole_month(), compute: (one * servers).to_cents(), overhead: Money::ZERO })
}

impl Pricer<'_> {
    /// The servers that a service needs if one request takes so long.
    pub(super) fn servers(&self, candidate: &Candidate, item: Hours) -> Option<u32> {
        let instance = self.catalog.instance(candidate.instance)?;
        let sized = service::size(self.stage, &self.job.thresholds, instance, &candidate.duration, item);
        Some(sized.servers)
    }

    pub(super) fn service_line(&self, at: &At<'_>, quote: &Quote, course: &Course, bill: &mut Bill) {
        let many = if at.candidate.count > 1 { format!("{} × ", at.candidate.count) } else { String::new() };
        let reduced = self.reduced(at);
        let text = if quote.purchase == Purchase::Owned {
            format!("{many}a machine that is owned")
        } else if let Some((term, price)) = prepaid_price(at.offer, quote.purchase) {
            let price = price.scaled(at.factor).amount();
            match term {
                Term::Month => format!("{many}a month at {price}{reduced}"),
                Term::Year => format!("{many}a twelfth of a year at {price}{reduced}"),
                Term::ThreeYears => format!("{many}a 36th of three years at {price}{reduced}"),
            }
        } else {
            let price = at.offer.on_demand_price().map(|p| compute::scaled(p, at.factor).to_string());
            let falls = if at.offer.on_demand.len() > 1 || at.offer.sustained_month().is_some() {
                " (falling with the hours)"
            } else {
                ""
            };
            format!("{many}{}{falls}{reduced} × {HOURS_PER_MONTH} h a month", price.unwrap_or_default())
        };
        bill.add(LineKind::Compute, text, course.compute);
    }
}
