//! The bill of a quote, in lines that say how each amount came about.

use super::{At, Course, Moving, Pricer, prepaid_price};
use crate::catalog::{Billing, Term};
use crate::decide::{Candidate, Layout};
use crate::job::{Class, Purchase};
use crate::price::bill::{Bill, LineKind};
use crate::price::transfer::{Transfer, route};
use crate::price::{Quote, compute};
use crate::units::number::{percent, significant, things};
use crate::units::{Bytes, Hours, Money};

impl Pricer<'_> {
    /// The bill of a quote: the same amounts as in its cost, with words.
    pub fn bill(&self, candidate: &Candidate, quote: &Quote) -> Bill {
        let mut bill = Bill::default();
        let Some(at) = self.at_quote(candidate, quote) else { return bill };
        let Ok(course) = self.course(&at, quote.purchase, candidate.duration.time.expected) else {
            return bill;
        };
        if let Layout::Service(service) = &candidate.layout {
            self.service_lines(&at, quote, service, &mut bill);
        } else {
            self.compute_lines(&at, quote, &course, &mut bill);
        }
        self.data_lines(&at, &course, &mut bill);
        if let Some(fixed) = self.stage.fixed_cost {
            bill.add(LineKind::Fixed, "fixed_cost of the stage", fixed);
        }
        if let (Class::Gpu, Some(migration)) = (candidate.class, self.migration) {
            bill.add(LineKind::Migration, migration.to_string(), migration.share);
        }
        bill
    }

    /// The price of one instance of a quote for its unit.
    pub fn unit_price(&self, candidate: &Candidate, quote: &Quote) -> String {
        let Some(at) = self.at(candidate, quote.offer) else { return String::new() };
        let hourly = match quote.purchase {
            Purchase::OnDemand => at.offer.on_demand_price(),
            Purchase::Spot | Purchase::Fallback => at.offer.spot,
            Purchase::Owned => return format!("{}/h", Money::ZERO.amount()),
            Purchase::Month | Purchase::Year | Purchase::ThreeYears => None,
        };
        match (hourly, prepaid_price(&at.offer, quote.purchase)) {
            (Some(price), _) => compute::scaled(price, at.factor).to_string(),
            (None, Some((term, price))) => format!("{}/{term}", price.scaled(at.factor).amount()),
            (None, None) => String::new(),
        }
    }

    fn compute_lines(&self, at: &At<'_>, quote: &Quote, course: &Course, bill: &mut Bill) {
        let many = if at.candidate.count > 1 { format!("{} × ", at.candidate.count) } else { String::new() };
        let reduced = self.reduced(at);
        match quote.purchase {
            Purchase::OnDemand => {
                let price = at.offer.on_demand_price().map(|p| compute::scaled(p, at.factor).to_string());
                let tiers = if at.offer.on_demand.len() > 1 { " (falling with the hours)" } else { "" };
                let time = billed_text(quote.time, at.provider.on_demand.as_ref());
                let text = format!("{many}{}{tiers}{reduced} × {time}", price.unwrap_or_default());
                bill.add(LineKind::Compute, text, course.compute);
            }
            Purchase::Spot => {
                let price =
                    at.offer.spot.map(|p| compute::scaled(p, at.factor).to_string()).unwrap_or_default();
                let Some((_, job, outcome)) = self.spot_details(at.candidate, quote) else { return };
                let time = billed_text(outcome.shortest, at.provider.spot.as_ref());
                bill.add(LineKind::Compute, format!("{many}{price}{reduced} × {time}"), course.compute);
                let text = format!(
                    "{} expected at {} per hour: {} more billed",
                    things(significant(outcome.interruptions, 2), "interruption"),
                    significant(job.hazard.get(), 2),
                    outcome.overrun
                );
                bill.add(LineKind::SpotOverhead, text, course.overhead);
            }
            Purchase::Owned => {
                bill.add(LineKind::Compute, format!("{many}a machine that is owned"), course.compute);
            }
            Purchase::Fallback => self.fallback_lines(at, quote, course, bill),
            Purchase::Month | Purchase::Year | Purchase::ThreeYears => {
                let Some((term, price)) = prepaid_price(&at.offer, quote.purchase) else { return };
                if let Some(share) = quote.share() {
                    let price = price.scaled(at.factor).amount();
                    let rest = if share.rest > Hours::ZERO {
                        format!(" and {} on-demand", share.rest)
                    } else {
                        String::new()
                    };
                    let others = share.with.iter().filter_map(|at| self.job.stages.get(*at));
                    let text = format!(
                        "{} of {} × {term} at {price}{reduced}{rest}, shared with {}",
                        percent(share.part),
                        share.months,
                        others.map(|stage| &*stage.name).collect::<Vec<_>>().join(", ")
                    );
                    bill.add(LineKind::Compute, text, course.compute);
                    return;
                }
                let Some(bought) = self.terms(at, quote.purchase, quote.time) else { return };
                let terms = bought.terms;
                let price = price.scaled(at.factor).amount();
                let shared = match (self.job.runs_in_all(), self.job.runs_per_month) {
                    (Some(runs), _) if term == Term::Month => {
                        let months = self.job.schedule.len();
                        format!(
                            ", shared by {} in {}",
                            things(significant(runs, 6), "run"),
                            things(months, "month")
                        )
                    }
                    (_, Some(runs)) => format!(", shared by {} a month", things(significant(runs, 4), "run")),
                    _ => String::new(),
                };
                let text = format!("{many}{terms} × {term} at {price}{reduced}, paid whole{shared}");
                bill.add(LineKind::Compute, text, course.compute);
                if bought.rest > Hours::ZERO {
                    let price = at.offer.on_demand_price().map(|p| compute::scaled(p, at.factor).to_string());
                    let text = format!(
                        "{many}{}{reduced} × {} on-demand, beyond whole months{shared}",
                        price.unwrap_or_default(),
                        bought.rest
                    );
                    bill.add(LineKind::Compute, text, course.overhead);
                }
            }
        }
    }

    /// ` after 15 % discount`, or nothing.
    pub(super) fn reduced(&self, at: &At<'_>) -> String {
        let off = self.job.discount(&at.provider.name) * 100.0;
        if off > 0.0 { format!(" after {} % discount", significant(off, 3)) } else { String::new() }
    }

    fn data_lines(&self, at: &At<'_>, course: &Course, bill: &mut Bill) {
        let Some((home, sender)) = self.data else { return };
        let Moving { into, out, .. } = at.moving;
        let here = format!("{}/{}", sender.name, home.region);
        let there = format!("{}/{}", at.provider.name, at.offer.region);
        let region = &at.offer.region;
        let mut way = |route: Transfer<'_>, size: Option<String>, from: &str, to: &str, amount: Money| {
            if let (Some(size), Transfer::Priced(tariff)) = (size, route) {
                let dated = tariff.provenance.as_of.map(|d| format!(", prices of {d}")).unwrap_or_default();
                let runs = self.book.runs();
                let shared = if runs > 1.0 && tariff.tiers.len() > 1 {
                    format!(", by the tiers of {} runs a month", significant(runs, 4))
                } else {
                    String::new()
                };
                bill.add(LineKind::Transfer, format!("{size} from {from} to {to}{shared}{dated}"), amount);
            }
        };
        let times = |size: Bytes| match self.stage.reads {
            reads if reads > 1.0 => format!("{} × {size}", significant(reads, 4)),
            _ => size.to_string(),
        };
        let brought = self.stage.size.map(times);
        way(route(sender, &home.region, at.provider, region), brought, &here, &there, into);
        let output = self.stage.output.map(|size| size.to_string());
        way(route(at.provider, region, sender, &home.region), output, &there, &here, out);
        if let (Some((keeping, _)), Some(size)) = (self.storage, self.stage.size) {
            let product = keeping.tariff.product.as_deref().unwrap_or("object storage");
            let elsewhere = if keeping.elsewhere { ", at the price of another region: a guess" } else { "" };
            let text = format!("{size} in {here} ({product}{elsewhere}) for {}", course.time);
            bill.add(LineKind::Storage, text, self.storage_cost(course.time));
        }
    }
}

/// `1 h 30 min`, or with what billing makes of it: `20 min, billed as 1 h`.
pub(super) fn billed_text(time: Hours, rules: Option<&Billing>) -> String {
    let billed = compute::billed(time, rules).map(|b| b.hours().to_string());
    let exact = time.to_string();
    match billed {
        Some(billed) if billed != exact => format!("{exact}, billed as {billed}"),
        _ => exact,
    }
}
