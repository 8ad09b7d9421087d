//! How a stage is bought: on-demand or spot (A-S1 to A-S3), by the hour or by the month (B-S4).

use super::said::Said;
use super::taken::Taken;
use crate::catalog::Term;
use crate::decide::Candidate;
use crate::job::{Checkpoint, Load, Purchase, StageKind};
use crate::plan::{NoteKind, Period};
use crate::price::breakeven::break_even_hours;
use crate::price::open::closed;
use crate::price::spot_case::HazardFrom;
use crate::price::{Pricer, Quote, StageQuotes, spot};
use crate::rules::{Threshold, Verdict};
use crate::units::number::{percent, significant, things};
use crate::units::{Bytes, HOURS_PER_MONTH, Hours, Money};
use crate::vram::floor::floor;

/// Less than this is no reason to set up checkpoints, whatever the share of the cost; in the currency of the plan. A guess.
const LEAST_SAVING: f64 = 0.01;

/// A-S1: what spot costs of on-demand here, and which of the two is bought.
pub fn spot_share(taken: &Taken<'_>) -> Said {
    if taken.choice.purchase == Purchase::Owned {
        let rented = [Purchase::Spot, Purchase::OnDemand].map(|p| taken.cheapest_bought(p).is_some());
        let rented = if rented == [false; 2] { String::new() } else { expected(taken) };
        return Said::quiet(
            "A-S1",
            Verdict::Bound,
            format!("{} is owned: neither is bought{rented}", taken.name()),
        );
    }
    let prices = || {
        let at = taken.cheapest_offer_with(|o| o.spot.filter(|_| !o.on_demand.is_empty()))?;
        Some((at, taken.hourly(at, Purchase::Spot)?, taken.hourly(at, Purchase::OnDemand)?))
    };
    let Some((at, spot, on_demand)) = prices() else {
        return Said::needs(
            "A-S1",
            &format!("a spot and an on-demand price of {} in one place", taken.name()),
        );
    };
    let share = spot.as_f64() / on_demand.as_f64();
    let thresholds = &taken.job().thresholds;
    let (low, high) = (thresholds.get(Threshold::UsualSpotLow), thresholds.get(Threshold::UsualSpotHigh));
    let mut reason = format!(
        "spot of {} in {} is {spot}, {} of on-demand {on_demand} ({} to {} is usual)",
        taken.name(),
        taken.region(at),
        percent(share),
        percent(low),
        percent(high)
    );
    let verdict = match (taken.stage.purchase, closed(taken.job(), taken.stage, Purchase::Spot)) {
        (Some(pinned), _) => {
            reason += &format!("; purchase = {pinned} is pinned");
            Verdict::Bound
        }
        (None, Some(why)) => {
            reason += &format!("; spot is not open: {why}");
            Verdict::Bound
        }
        (None, None) => {
            reason += &expected(taken);
            Verdict::Advice
        }
    };
    Said::quiet("A-S1", verdict, reason)
}

/// `; expected: spot 1.47, on-demand 1.77 USD`.
fn expected(taken: &Taken<'_>) -> String {
    let costs: Vec<String> = [Purchase::Spot, Purchase::OnDemand]
        .into_iter()
        .filter_map(|p| Some(format!("{p} {}", taken.money(taken.cheapest_bought(p)?.cost))))
        .collect();
    format!("; the cheapest of each is expected to cost: {}", costs.join(", "))
}

/// A-S2: work in pieces goes to spot where that is the cheaper way.
pub fn pieces(taken: &Taken<'_>) -> Option<Said> {
    if !taken.stage.kind.in_pieces() {
        return None;
    }
    let reason = "a lost piece is run again and the main job goes on: spot is open";
    let (spot, other) = (taken.cheapest_bought(Purchase::Spot), taken.choice.purchase);
    Some(match spot {
        _ if other == Purchase::Spot => {
            Said::advice("A-S2", format!("{reason} and bought{}", expected(taken)))
        }
        Some(spot) => Said::quiet(
            "A-S2",
            Verdict::Overruled,
            format!(
                "{reason}; but {other} costs {} and spot {}",
                taken.money(taken.choice.expected_cost()),
                taken.money(spot.cost)
            ),
        ),
        None => {
            Said::advice("A-S2", format!("{reason}, and none of it has a spot price that saves anything"))
        }
    })
}

/// A-S3: what an interruption costs, and what a checkpoint would change.
pub fn checkpoints(taken: &Taken<'_>) -> Option<Said> {
    if let Some(risk) = risk(taken) {
        return Some(risk);
    }
    let kind = taken.stage.kind;
    if kind == StageKind::Serve || kind.in_pieces() || taken.stage.purchase.is_some() {
        return None;
    }
    Some(match taken.stage.checkpoint {
        Some(checkpoint) if checkpoint.durable => {
            let every =
                checkpoint.every.map_or_else(|| "at the best interval".to_owned(), |e| format!("every {e}"));
            Said::advice(
                "A-S3",
                format!(
                    "a checkpoint {every} that takes {} and outlives the instance: spot is open{}",
                    checkpoint.takes,
                    expected(taken)
                ),
            )
        }
        Some(_) => Said::quiet(
            "A-S3",
            Verdict::Bound,
            "the checkpoint is on the instance's own disk and is lost with it: on spot it counts as none",
        ),
        None => without(taken),
    })
}

/// What spot risks where it is bought.
fn risk(taken: &Taken<'_>) -> Option<Said> {
    let figures = taken.choice.spot?;
    let source = match figures.from {
        HazardFrom::Stated => "as stated",
        HazardFrom::Published => "published",
        HazardFrom::Default => "a default, not a published figure",
    };
    let [low, hazard, high] = figures.hazard.map(|h| significant(h, 2));
    let at = format!("{hazard} per hour ({source}; {low} to {high} possible)");
    let interruptions = few(figures.interruptions);
    let text = if let Some(net) = figures.fallback {
        format!(
            "spot + on-demand: {interruptions} interruptions expected at {at} if spot alone did it; on-demand steps in so that \
             the stage ends within {} (missed in {} of replayed traces)",
            net.within,
            rarely(net.missed)
        )
    } else {
        let thumb = if figures.crew { ", by a rule of thumb for several machines" } else { "" };
        format!(
            "spot: {interruptions} interruptions expected at {at}; the stage is done within {} 95 times of 100{thumb}",
            figures.percentiles[2]
        )
    };
    let said = Said::advice("A-S3", text);
    // Work that is lost whole is interrupted e^λ(W+R) − 1 times: what counts is one unbroken try, λ(W+R).
    let saved = taken.stage.kind.in_pieces() || taken.stage.checkpoint.is_some_and(|c| c.durable);
    let exposure = if saved { figures.interruptions } else { figures.interruptions.ln_1p() };
    let warn = exposure > taken.job().thresholds.get(Threshold::SpotWarn);
    Some(said.aloud(if warn { NoteKind::Warning } else { NoteKind::Info }))
}

/// A measured share of misses; none seen is not none possible.
fn rarely(missed: f64) -> String {
    if missed > 0.0 { percent(missed) } else { "none".to_owned() }
}

/// A number with one decimal; where that would be none, with two figures.
fn few(number: f64) -> String {
    if number > 0.0 && number < 0.1 { significant(number, 2) } else { format!("{number:.1}") }
}

/// No checkpoint: what is lost, and what one to durable storage would make of it.
fn without(taken: &Taken<'_>) -> Said {
    let lost = format!("no checkpoint: an interruption loses all work so far, up to {}", taken.work());
    let open = closed(taken.job(), taken.stage, Purchase::Spot).is_none();
    let state = if open { "spot is open, and starts again from zero" } else { "spot is not open" };
    let Some((quote, interruptions)) = with_checkpoint(taken).filter(|_| taken.stage.kind.trains()) else {
        return Said::advice("A-S3", format!("{lost}; {state}"));
    };
    let own = taken.choice.expected_cost();
    let text = format!(
        "with a checkpoint to durable storage (checkpoint = {{ to = \"durable\" }}) {} on spot is expected to cost {} \
         with {} interruptions, instead of {}",
        taken.label(&quote),
        taken.money(quote.cost),
        significant(interruptions, 2),
        taken.money(own)
    );
    let said = Said::advice("A-S3", format!("{lost}; {state}; {text}"));
    let saves = own - quote.cost;
    let worth = taken.is_worth(saves) && saves.as_f64() >= LEAST_SAVING;
    if worth { said.remarked(NoteKind::Advice, text) } else { said }
}

/// The chosen machine on spot if the stage wrote checkpoints at the best interval: its cheapest offer, and the
/// interruptions to expect.
fn with_checkpoint(taken: &Taken<'_>) -> Option<(Quote, f64)> {
    let mut saving = taken.stage.clone();
    let size = saving.model.as_ref().map_or(Bytes::ZERO, |model| {
        let floor = floor(model, 1.0);
        floor.weights + floor.optimizer
    });
    saving.checkpoint = Some(Checkpoint {
        every: None,
        takes: spot::checkpoint_time(size, None),
        durable: true,
        on_notice: false,
    });
    saving.purchase = Some(Purchase::Spot);
    let pricer = Pricer::new(taken.found.job, &saving, taken.found.catalog, taken.found.book);
    let mut offered = StageQuotes::default();
    let candidate: &Candidate = taken.candidate;
    pricer.quote(taken.quote.candidate, candidate, false, &mut offered);
    let quote = offered.quotes.into_iter().min_by_key(|q| q.cost)?;
    let (_, _, outcome) = pricer.spot_details(candidate, &quote)?;
    Some((quote, outcome.interruptions))
}

/// B-S4: a prepaid term against the hours that will really be used.
pub fn terms(taken: &Taken<'_>) -> Said {
    let factor = taken.found.book.entry(taken.quote.offer).map_or(1.0, |entry| entry.factor);
    let months = [
        (Purchase::Month, 1.0, taken.offer.term(Term::Month)),
        (Purchase::Year, 12.0, taken.offer.term(Term::Year)),
        (Purchase::ThreeYears, 36.0, taken.offer.term(Term::ThreeYears)),
    ];
    let hourly = taken.hourly(taken.quote.offer, Purchase::OnDemand);
    // A service runs all month.
    let serves = taken.choice.period == Period::Month;
    let runs = if serves { Some(1.0) } else { taken.job().runs_per_month };
    // Of months that stages share the hours of all of them count.
    let run = match taken.quote.share() {
        Some(share) => share.busy / f64::from(share.machines.max(1)),
        None => taken.choice.time.expected,
    };
    let used = run * runs.unwrap_or(1.0);
    let mut terms = Vec::new();
    let mut pays = None;
    for (term, length, price) in months {
        let (Some(price), Some(hourly)) = (price, hourly) else { continue };
        let price = price.scaled(factor);
        let even = break_even_hours(hourly, price) / length;
        let per = if length > 1.0 { format!(" ÷ {length} months") } else { String::new() };
        terms.push(format!("{term} {} ÷ {hourly}{per} = {} h a month", taken.money(price), hours(even)));
        if even < used && pays.is_none() {
            pays = Some((term, price.scaled(1.0 / length)));
        }
    }
    if terms.is_empty() {
        let fact = format!("a price by the month or year of {} in {}", taken.name(), taken.choice.region);
        return Said::needs("B-S4", &fact);
    }
    if let Some(cap) = taken.offer.sustained_month() {
        terms.push(format!("an automatic discount caps a month at {}", taken.money(cap.scaled(factor))));
    }
    let use_text = match runs {
        Some(_) if serves => format!("used {} h a month, around the clock", hours(used)),
        Some(runs) => {
            format!("used {} h a month ({} of {run})", hours(used), things(significant(runs, 4), "run"))
        }
        None => format!("used {} h, once (runs_per_month is not stated)", hours(used)),
    };
    let use_text = match taken.quote.share() {
        Some(share) => format!("{use_text}, by all {} stages that share it", share.with.len() + 1),
        None => use_text,
    };
    let text = pays.map_or_else(|| "by the hour".to_owned(), |(term, _)| format!("a {term} pays"));
    let said = Said::advice("B-S4", format!("break-even: {}; {use_text}: {text}", terms.join("; ")));
    match pays.filter(|_| runs.is_some() && taken.choice.purchase.is_hourly()) {
        Some((term, month)) => with_saving(taken, said, used, term, month),
        None => said,
    }
}

/// The same with the saving of a term of which one instance costs so much a month, where the load is steady and the
/// hours that are used now cost more.
fn with_saving(taken: &Taken<'_>, said: Said, used: Hours, term: Purchase, month: Money) -> Said {
    let count = taken.choice.count;
    let steady = taken.stage.load == Load::Steady || used.get() > HOURS_PER_MONTH / 2.0;
    let Some(now) = paid_by_hour(taken, used).map(|one| one * count) else { return said };
    let then = month * count;
    if !steady || then >= now {
        return said;
    }
    let text = format!(
        "used {} h a month: a {term} costs {} a month instead of {}",
        hours(used),
        taken.money(then),
        taken.money(now)
    );
    said.remarked(NoteKind::Advice, text)
}

fn hours(time: Hours) -> String {
    significant(time.get(), 3)
}

/// What the used hours of one instance cost as they are bought now; a provider's automatic discount caps a month.
fn paid_by_hour(taken: &Taken<'_>, used: Hours) -> Option<Money> {
    let cost = taken.hourly(taken.quote.offer, taken.choice.purchase)?.for_hours(used)?;
    let factor = taken.found.book.entry(taken.quote.offer)?.factor;
    let cap = taken.offer.sustained_month().filter(|_| taken.choice.purchase == Purchase::OnDemand);
    Some(cap.map_or(cost, |cap| cost.min(cap.scaled(factor))))
}
