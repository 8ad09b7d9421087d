//! The cheapest offer of a candidate for each purchase option, found among the lots of its instance type.

use super::{Moving, PURCHASES, Pricer, Refusal, prepaid_price};
use crate::decide::{Candidate, CandidateId, Figure, Layout, Near, Reason};
use crate::job::Purchase;
use crate::price::lots::{Lot, Traits};
use crate::price::{Quote, StageQuotes, compute};
use crate::units::BilledTime;

/// The cheapest offer so far, for one purchase option.
#[derive(Debug, Clone, Copy)]
struct Best {
    /// Of the machines and of moving the data, without rounding.
    cost: f64,
    /// Whether moving the data costs something.
    far: bool,
    /// Position of the offer.
    offer: usize,
}

impl Best {
    /// Takes an offer where it is better: cheaper, else nearer to the data, else earlier in the catalog.
    fn keep(slot: &mut Option<Self>, machines: f64, moving: f64, offer: usize) {
        let new = Self { cost: machines + moving, far: moving > 0.0, offer };
        let order = |a: &Self, b: &Self| {
            a.cost.total_cmp(&b.cost).then(a.far.cmp(&b.far)).then(a.offer.cmp(&b.offer))
        };
        if slot.is_none_or(|old| order(&new, &old).is_lt()) {
            *slot = Some(new);
        }
    }
}

/// One cheapest offer per purchase option, in the order of [`PURCHASES`].
type Cheapest = [Option<Best>; PURCHASES.len()];

impl Pricer<'_> {
    /// The cheapest offer of a candidate for each purchase option that is open; what falls away is counted by its
    /// reason, unless that was done `again`st the same offers before, with another number of instances. Of equally cheap
    /// offers the one at the data comes first, then the first in catalog order.
    pub fn quote(&self, id: CandidateId, candidate: &Candidate, again: bool, priced: &mut StageQuotes) {
        self.quote_among(id, candidate, |_| true, again, priced);
    }

    /// The same, at the data or elsewhere.
    pub fn quote_at(&self, id: CandidateId, candidate: &Candidate, home: bool, priced: &mut StageQuotes) {
        let admits = |way: usize| self.book.ways().get(way).is_some_and(|way| way.home) == home;
        self.quote_among(id, candidate, admits, false, priced);
    }

    /// The same among the offers to which the data goes in one way.
    pub fn quote_along(&self, id: CandidateId, candidate: &Candidate, way: usize, priced: &mut StageQuotes) {
        self.quote_among(id, candidate, |at| at == way, true, priced);
    }

    /// The same among the offers to which the data goes in a way that `admits` says yes to.
    fn quote_among(
        &self,
        id: CandidateId,
        candidate: &Candidate,
        admits: impl Fn(usize) -> bool,
        again: bool,
        priced: &mut StageQuotes,
    ) {
        let mut best: Cheapest = [None; PURCHASES.len()];
        let own = self.owned_traits(candidate, &admits, &mut best);
        for lot in self.book.lots(candidate.instance) {
            let traits = lot.traits();
            if traits.closed.is_none() && !admits(traits.way) {
                continue;
            }
            if let Err((reason, near)) = self.quote_lot(candidate, lot, &mut best) {
                if again && near.is_none() {
                    continue;
                }
                let bought_all_the_same = traits.closed.is_some() || reason == Reason::NoPrice;
                let own = own.iter().filter(|own| bought_all_the_same && *own == traits).count();
                let counted = if again { 0 } else { lot.size().saturating_sub(own) };
                priced.rejected.add_near(reason, counted, near);
            }
        }
        for (slot, purchase) in best.into_iter().zip(PURCHASES) {
            let Some(Best { offer, .. }) = slot else { continue };
            priced.quotes.extend(self.quote_of(id, candidate, offer, purchase));
        }
        if self.open.contains(&Some(Purchase::Fallback)) && candidate.layout.ends() {
            match self.fallback_quotes(id, candidate, admits) {
                Ok(quotes) => priced.quotes.extend(quotes),
                Err(Refusal::Rejected(reason, Some((needs, has)))) => {
                    let near = Near::of(candidate.instance, needs, has);
                    priced.rejected.add_near(reason, usize::from(!again), Some(near));
                }
                Err(_) => {}
            }
        }
    }

    /// Looks for cheaper offers in a lot; why its offers are not bought, in some way or at all.
    fn quote_lot(
        &self,
        candidate: &Candidate,
        lot: &Lot,
        best: &mut Cheapest,
    ) -> Result<(), (Reason, Option<Near>)> {
        let traits = lot.traits();
        if let Some(reason) = traits.closed {
            return Err((reason, None));
        }
        let Some(Some(moving)) = self.transfers.get(traits.way) else {
            return Err((Reason::TransferNotPriced, None));
        };
        let service = matches!(candidate.layout, Layout::Service(_));
        let sells = |p: Purchase| traits.sells.by(p) && !(service && p == Purchase::Spot);
        let (mut sold, mut refused) = (false, Ok(()));
        // The offers of a lot sell alike: the ways of buying that there are come outside.
        for (at, purchase) in &self.by_lot {
            let purchase = *purchase;
            let Some(slot) = best.get_mut(*at).filter(|_| sells(purchase)) else { continue };
            if purchase == Purchase::Spot && !traits.sells.spot_saves() {
                (sold, refused) = (true, Err((Reason::SpotNotCheaper, None)));
                continue;
            }
            for number in self.book.contenders(lot) {
                match self.rough(candidate, traits, number, purchase) {
                    Ok(cost) => {
                        sold = true;
                        Best::keep(slot, cost, moving.rough, number);
                    }
                    Err(Refusal::Rejected(reason, figures)) => {
                        let near = figures.map(|(needs, has)| Near::of(candidate.instance, needs, has));
                        // On spot the interruptions are those of all offers of the lot: what refuses one refuses all.
                        (sold, refused) = (true, Err((reason, near)));
                        break;
                    }
                    Err(Refusal::NoPrice) => {}
                }
            }
        }
        if sold { refused } else { Err((Reason::NoPrice, None)) }
    }

    /// The quote of an offer that was found to be the cheapest.
    pub(super) fn quote_of(
        &self,
        id: CandidateId,
        candidate: &Candidate,
        offer: usize,
        purchase: Purchase,
    ) -> Option<Quote> {
        let at = self.at(candidate, offer)?;
        let course = match (purchase, at.offer.spot) {
            (Purchase::Spot, Some(price)) => {
                Self::spot_course(&at, price, &self.fare(candidate, at.offer.hazard).ok()?)?
            }
            _ => self.course(&at, purchase, candidate.duration.time.expected).ok()?,
        };
        let Moving { into, out, .. } = at.moving;
        Some(Quote {
            offer,
            candidate: id,
            class: candidate.class,
            purchase,
            time: course.time,
            cost: course.compute + course.overhead + into + out + self.around(&at, course.time),
            beside: None,
        })
    }

    /// Owned machines cost nothing more: the nearest place of them is the cheapest. What the offers are alike in that
    /// are owned: nothing turns those away.
    fn owned_traits(
        &self,
        candidate: &Candidate,
        admits: impl Fn(usize) -> bool,
        best: &mut Cheapest,
    ) -> Vec<Traits> {
        let mut all = Vec::new();
        let slot = best.iter_mut().zip(PURCHASES).find(|(_, p)| *p == Purchase::Owned);
        let Some(((slot, _), owned)) = slot.zip(self.owned(candidate)) else { return all };
        for number in self.catalog.offers.of(candidate.instance) {
            let Some((offer, traits)) =
                self.catalog.offers.get(number).and_then(|o| Some((o, self.book.traits(number, &o)?)))
            else {
                continue;
            };
            let Some(way) = self.book.way_of(number).filter(|way| admits(*way)) else { continue };
            let Some(Some(moving)) = self.transfers.get(way) else { continue };
            if owned.allows(&offer.region, candidate.count) {
                Best::keep(slot, 0.0, moving.rough, number);
                all.push(traits);
            }
        }
        all
    }

    /// The cost of the machines of an offer with such traits without rounding, in the plan's currency: enough to rank the
    /// offers of one candidate, for which everything else is equal.
    fn rough(
        &self,
        candidate: &Candidate,
        traits: &Traits,
        number: usize,
        purchase: Purchase,
    ) -> Result<f64, Refusal> {
        let work = candidate.duration.time.expected;
        let Traits { factor, .. } = *traits;
        let count = f64::from(candidate.count) * factor;
        let offers = &self.catalog.offers;
        let whole = || offers.get(number).ok_or(Refusal::NoPrice);
        if let Layout::Service(service) = &candidate.layout {
            return self
                .service_rough(candidate, service, &whole()?, factor, purchase)
                .ok_or(Refusal::NoPrice);
        }
        match purchase {
            // Both are quoted on their own: see `owned_traits` and `fallback`.
            Purchase::Owned | Purchase::Fallback => Err(Refusal::NoPrice),
            Purchase::OnDemand => {
                let time = self.startup(candidate.class) + work;
                if !traits.sells.falls() {
                    let price = offers.on_demand(number).ok_or(Refusal::NoPrice)?;
                    return Ok(price.as_f64() * time.get() * count);
                }
                let billed = BilledTime::from_hours(time).ok_or(Refusal::NoPrice)?;
                Ok(compute::tiered(&whole()?.on_demand, 1.0, billed).as_f64() * count)
            }
            Purchase::Month | Purchase::Year | Purchase::ThreeYears => {
                let (_, price) = prepaid_price(&whole()?, purchase).ok_or(Refusal::NoPrice)?;
                Ok(price.as_f64() * count)
            }
            Purchase::Spot => {
                let price = offers.spot(number).ok_or(Refusal::NoPrice)?;
                match self.fare(candidate, traits.hazard) {
                    Ok(fare) => Ok(price.as_f64() * fare.billed.get() * count),
                    Err((limit, exposure)) => {
                        let figures = (Figure::Number(limit), Figure::Number(exposure));
                        Err(Refusal::Rejected(Reason::SpotRefused, Some(figures)))
                    }
                }
            }
        }
    }
}
