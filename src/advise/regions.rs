//! Where a stage is rented: at the data or elsewhere (A-R1), and what the region does to the price (A-R2).

use super::said::Said;
use super::taken::Taken;
use crate::choose::assemble::Found;
use crate::choose::select::preference;
use crate::decide::{CandidateId, Reason};
use crate::plan::{Note, NoteKind};
use crate::price::bill::LineKind;
use crate::price::open::commits;
use crate::price::{Pricer, Quote, StageQuotes};
use crate::rules::Verdict;
use crate::units::number::{percent, things};
use crate::units::{Money, PerHour};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A-R1 where the data's place is not known: nothing is priced, which makes the bill too low.
pub fn unpriced(found: Found<'_>) -> Option<Note> {
    let job = found.job;
    let moves = job.data_size.is_some() || job.stages.iter().any(|s| s.size.is_some());
    (job.data_location.is_none()).then(|| {
        let text = if moves {
            "transfer and storage are not priced: give data.location = \"provider/region\""
        } else {
            "transfer and storage are not priced: give data.size and data.location"
        };
        Note { kind: NoteKind::Warning, rule: "A-R1", stage: None, text: text.to_owned() }
    })
}

/// A-R1: the cheapest choice at the data beside the cheapest elsewhere, transfer included.
pub fn at_the_data(taken: &Taken<'_>) -> Option<Said> {
    let home = taken.job().data_location.as_ref()?;
    if taken.stage.size.is_none() && taken.stage.output.is_none() {
        return Some(Said::needs("A-R1", "the stage's size (or data.size): nothing is known to move"));
    }
    let pricer = taken.pricer();
    let [here, away] = best(taken, &pricer);
    let at = format!("at the data in {}/{}", home.provider, home.region);
    let (Some(here), Some(away)) = (&here, &away) else {
        let text = match (&here, &away) {
            (Some(here), None) => {
                format!("{at}: {}; nothing elsewhere{}", cost(taken, here), blocked(taken))
            }
            (None, Some(away)) => {
                format!("nothing {at} can do it; elsewhere: {}", with_transfer(taken, &pricer, away))
            }
            _ => return None,
        };
        return Some(Said::advice("A-R1", text));
    };
    let moved = transfer(taken, &pricer, away);
    let text =
        format!("{at}: {}; best elsewhere: {}", cost(taken, here), with_transfer(taken, &pricer, away));
    let stays = here.cost <= away.cost;
    Some(if stays && away.cost - moved < here.cost {
        let decided = "the transfer decides: the machine alone would be cheaper there";
        let said = Said::advice("A-R1", format!("{text}: {decided}"));
        let less = here.cost - (away.cost - moved);
        let remark = || {
            format!(
                "{} would cost {} less, but moving the data costs {}: it stays {at}",
                taken.label(away),
                taken.money(less),
                taken.money(moved)
            )
        };
        if taken.is_worth(less) { said.remarked(NoteKind::Advice, remark()) } else { said }
    } else if stays {
        Said::advice("A-R1", format!("{text}: it stays at the data"))
    } else {
        Said::quiet("A-R1", Verdict::Overruled, format!("{text}: moving the data pays"))
    })
}

/// Candidates with what each costs where it is cheapest; the cheapest comes out first.
type Machines = BinaryHeap<Reverse<(Money, CandidateId)>>;

/// The machines that compete with the choice and what each costs where it is cheapest, from the cheapest on.
fn machines(taken: &Taken<'_>) -> Machines {
    let mut least: Vec<Option<Money>> = vec![None; taken.candidates.candidates.len()];
    for quote in taken.quotes.quotes.iter().filter(|quote| competes(taken, quote)) {
        if let Some(known) = least.get_mut(quote.candidate.position()) {
            *known = Some(known.map_or(quote.cost, |known| known.min(quote.cost)));
        }
    }
    let mut all = Vec::with_capacity(least.len());
    all.extend((0..).zip(least).filter_map(|(index, cost)| Some(Reverse((cost?, CandidateId::at(index))))));
    all.into()
}

fn competes(taken: &Taken<'_>, quote: &Quote) -> bool {
    quote.class == taken.choice.class && !commits(taken.stage, quote.purchase)
}

/// The cheapest quotes of the choice's class at the data and elsewhere. Every offer takes part, since the quotes of the
/// plan hold only the best place of each machine; what that one costs is a bound for the others, so that the machines
/// are gone through from the cheapest on until no further one can be cheaper.
fn best(taken: &Taken<'_>, pricer: &Pricer<'_>) -> [Option<Quote>; 2] {
    let Found { job, catalog, .. } = taken.found;
    let mut machines = machines(taken);
    let mut best: [Option<Quote>; 2] = [None, None];
    while let Some(Reverse((bound, id))) = machines.pop() {
        let open = best.each_ref().map(|best| best.as_ref().is_none_or(|best| bound <= best.cost));
        if open == [false; 2] {
            break;
        }
        let Some(candidate) = taken.candidates.of(id) else { continue };
        for (best, (open, at_home)) in best.iter_mut().zip(open.into_iter().zip([true, false])) {
            if open {
                let mut offered = StageQuotes::default();
                pricer.quote_at(id, candidate, at_home, &mut offered);
                let quotes = offered.quotes.into_iter().filter(|quote| competes(taken, quote));
                *best = quotes.chain(best.take()).min_by(|a, b| preference(job, catalog, a, b));
            }
        }
    }
    best
}

fn cost(taken: &Taken<'_>, quote: &Quote) -> String {
    format!("{} for {}", taken.label(quote), taken.money(quote.cost))
}

fn with_transfer(taken: &Taken<'_>, pricer: &Pricer<'_>, quote: &Quote) -> String {
    format!("{}, {} of it transfer", cost(taken, quote), taken.money(transfer(taken, pricer, quote)))
}

/// The transfer lines of a quote's bill.
fn transfer(taken: &Taken<'_>, pricer: &Pricer<'_>, quote: &Quote) -> Money {
    let Some(candidate) = taken.candidates.of(quote.candidate) else { return Money::ZERO };
    let bill = pricer.bill(candidate, quote);
    bill.lines().iter().filter(|l| l.kind == LineKind::Transfer).map(|l| l.amount).sum()
}

/// Why nothing elsewhere takes part, where that is known.
fn blocked(taken: &Taken<'_>) -> String {
    match taken.quotes.rejected.get(Reason::TransferNotPriced) {
        Some(rejection) => {
            let have = if rejection.offers == 1 { "has" } else { "have" };
            format!(" whose transfer has a price ({} {have} none)", things(rejection.offers, "offer"))
        }
        None => " may be rented".to_owned(),
    }
}

/// A-R2: the chosen instance over its regions, and cheaper ones outside of [where].
pub fn across_regions(taken: &Taken<'_>) -> Option<Said> {
    let purchase = taken.choice.purchase;
    let mut open: BTreeMap<&str, PerHour> = BTreeMap::new();
    let mut outside: BTreeMap<&str, PerHour> = BTreeMap::new();
    for number in taken.found.catalog.offers.of(taken.candidate.instance) {
        let (Some(offer), Some(entry)) =
            (taken.found.catalog.offers.get(number), taken.found.book.entry(number))
        else {
            continue;
        };
        let regions = match entry.closed {
            None => &mut open,
            Some(Reason::NotAllowed) => &mut outside,
            Some(_) => continue,
        };
        if let Some(price) = taken.hourly(number, purchase) {
            let least = regions.entry(&offer.listing.region).or_insert(price);
            *least = price.min(*least);
        }
    }
    let own = *open.get(&*taken.choice.region)?;
    if open.len() + outside.len() < 2 {
        return None;
    }
    let (cheapest, low) = least(&open)?;
    let (dearest, high) = open.iter().max_by_key(|(_, price)| **price)?;
    let (name, way) = (taken.name(), purchase.label());
    let mut text = if open.len() > 1 {
        format!(
            "{name} costs {own} ({way}) in {}; {low} ({cheapest}) to {high} ({dearest}) in the {} regions allowed",
            taken.choice.region,
            open.len()
        )
    } else {
        format!("{name} costs {own} ({way}) in {}, the only region allowed", taken.choice.region)
    };
    let cheaper = least(&outside).filter(|(_, price)| *price < low);
    let Some((region, price)) = cheaper else { return Some(Said::advice("A-R2", text)) };
    let less = percent(1.0 - price.as_f64() / own.as_f64());
    let hint =
        format!("outside of [where], {region} costs {price}, {less} less: consider it if compliance allows");
    text += &format!("; {hint}");
    let worth = price.as_f64() <= 0.9 * own.as_f64();
    let said = Said::advice("A-R2", text);
    Some(if worth { said.remarked(NoteKind::Advice, format!("{name}: {hint}")) } else { said })
}

/// The cheapest region; of equal ones the first by name.
fn least<'a>(regions: &BTreeMap<&'a str, PerHour>) -> Option<(&'a str, PerHour)> {
    regions.iter().min_by_key(|(_, price)| **price).map(|(region, price)| (*region, *price))
}
