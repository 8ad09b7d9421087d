//! Months that several stages share: a machine that is paid for the month is free for every stage of its type.
//!
//! Each stage alone was compared with a month of its own. Here stages whose machine is sold by the month at one offer are
//! put on common machines: where they do not overlap their hours add up, and of those that do, the j-th machine is worth a
//! month if the hours with at least j of them busy are. What is cheaper than the selection so far is taken, the best offer
//! first. No stage becomes slower than it counted before where there is a deadline.

use super::assemble::Considered;
use super::question::{Basis, counted};
use crate::catalog::Offer;
use crate::job::{Purchase, Stage, StageKind};
use crate::price::{MonthShare, Pricer, Quote};
use crate::units::{Hours, Money};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stage that could take part: its quote by the month, and what it costs beside its machines.
#[derive(Debug, Clone)]
struct Part {
    stage: usize,
    quote: Quote,
    count: u32,
    beside: Money,
    /// What it costs as it is selected.
    now: Money,
}

/// What some parts come to together.
struct Pool {
    parts: Vec<Part>,
    share: MonthShare,
    saves: Money,
}

/// Puts stages on common months where that is cheaper.
pub(super) fn share_months(basis: Basis<'_>, stages: &mut [Considered]) {
    let mut open = vec![true; stages.len()];
    while let Some(pool) = best(basis, stages, &open) {
        let all: f64 = pool.parts.iter().map(machine_hours).sum();
        let total = pool.share.cost;
        let mut left = total;
        for (at, part) in pool.parts.iter().enumerate() {
            let own = machine_hours(part) / all;
            let cost = if at + 1 == pool.parts.len() { left } else { total.scaled(own).to_cents() };
            left = left - cost;
            let share = MonthShare { cost, part: own, ..pool.share };
            let quote =
                Quote { cost: part.beside + cost, share: Some(Box::new(share)), ..part.quote.clone() };
            let Some(considered) = stages.get_mut(part.stage) else { continue };
            considered.selection.chosen = Some(considered.quotes.quotes.len());
            Arc::make_mut(&mut considered.quotes).quotes.push(quote);
            if let Some(slot) = open.get_mut(part.stage) {
                *slot = false;
            }
        }
    }
}

fn machine_hours(part: &Part) -> f64 {
    part.quote.time.get() * f64::from(part.count)
}

/// The pool that saves most; of equal ones that of the first offer.
fn best(basis: Basis<'_>, stages: &[Considered], open: &[bool]) -> Option<Pool> {
    // Under a deadline a stage may take longer than what was selected for it as long as the run ends in time; where a
    // chance is asked for, and where the run would end too late, it takes no longer.
    let free = basis.job.limits.confidence.is_none();
    let ways: &[bool] = match basis.job.limits.deadline {
        None => &[false],
        Some(_) if free => &[false, true],
        Some(_) => &[true],
    };
    let mut best: Option<Pool> = None;
    for bound in ways {
        let mut groups: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for part in parts(basis, stages, open, *bound) {
            groups.entry(part.quote.offer).or_default().push(part);
        }
        for (offer, parts) in groups {
            let Some(offer) = basis.catalog.offers.get(offer) else { continue };
            if let Some(pool) = grow(basis, stages, offer, parts)
                && best.as_ref().is_none_or(|b| pool.saves > b.saves)
                && (*bound || ends_in_time(basis, stages, &pool.parts))
            {
                best = Some(pool);
            }
        }
    }
    best
}

/// Whether a run still keeps its deadline with these parts, the others taking the time that counts.
fn ends_in_time(basis: Basis<'_>, stages: &[Considered], parts: &[Part]) -> bool {
    let Some(deadline) = basis.job.limits.deadline else { return true };
    let counts = |(stage, considered): (&Stage, &Considered)| {
        let quote = considered.selection.chosen.and_then(|i| considered.quotes.quotes.get(i));
        let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
        let ends = stage.kind != StageKind::Serve;
        quote.filter(|_| ends).map_or(Hours::ZERO, |q| counted(basis.job, &pricer, &considered.candidates, q))
    };
    let lengths: Vec<Hours> = basis.job.stages.iter().zip(stages).map(counts).collect();
    let (starts, lengths) = schedule(basis, lengths, parts);
    let end = starts.iter().zip(&lengths).map(|(start, length)| *start + *length);
    end.fold(Hours::ZERO, Hours::max).get() <= deadline.get() * (1.0 + 1e-12)
}

/// The quotes by the month that could share one: for each stage and offer the cheapest; with a `bound` none that takes longer
/// than what is selected.
fn parts(basis: Basis<'_>, stages: &[Considered], open: &[bool], bound: bool) -> Vec<Part> {
    let mut found = Vec::new();
    for (at, (stage, considered)) in basis.job.stages.iter().zip(stages).enumerate() {
        let free = open.get(at).copied().unwrap_or(false) && stage.kind != StageKind::Serve;
        let quotes = &considered.quotes.quotes;
        let Some(chosen) = considered.selection.chosen.and_then(|i| quotes.get(i)).filter(|_| free) else {
            continue;
        };
        if chosen.purchase == Purchase::Owned {
            continue;
        }
        let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
        let most = bound.then(|| counted(basis.job, &pricer, &considered.candidates, chosen));
        let mut cheapest: BTreeMap<usize, Part> = BTreeMap::new();
        for quote in quotes.iter().filter(|q| q.purchase == Purchase::Month) {
            let fits =
                considered.selection.classes.contains(&quote.class) && most.is_none_or(|m| quote.time <= m);
            let candidate = considered.candidates.candidates.get(quote.candidate);
            let Some(candidate) = candidate.filter(|_| fits) else { continue };
            let Some(machines) = pricer.machine_cost(candidate, quote) else { continue };
            let part = Part {
                stage: at,
                quote: quote.clone(),
                count: candidate.count,
                beside: quote.cost - machines,
                now: chosen.cost,
            };
            let less = |old: &Part| machine_hours(&part) < machine_hours(old);
            if cheapest.get(&quote.offer).is_none_or(less) {
                cheapest.insert(quote.offer, part);
            }
        }
        found.extend(cheapest.into_values());
    }
    found
}

/// The parts of one offer that save most together: those that cost more with the others than alone are left out one by
/// one.
fn grow(basis: Basis<'_>, stages: &[Considered], offer: &Offer, mut parts: Vec<Part>) -> Option<Pool> {
    let pool = |parts: &[Part]| {
        let share = shared(basis, offer, parts, &starts(basis, stages, parts))?;
        let now: Money = parts.iter().map(|p| p.now - p.beside).sum();
        Some((share, now - share.cost))
    };
    let mut known = pool(&parts);
    while parts.len() > 2 {
        let fewer = (0..parts.len()).map(|out| {
            let mut rest = parts.clone();
            rest.remove(out);
            let value = pool(&rest);
            (rest, value)
        });
        let saves = |value: &Option<(MonthShare, Money)>| value.map(|(_, saves)| saves);
        let Some((rest, value)) = fewer.max_by_key(|(_, value)| saves(value)) else { break };
        if saves(&value) <= saves(&known) {
            break;
        }
        (parts, known) = (rest, value);
    }
    let (share, saves) = known.filter(|_| parts.len() > 1)?;
    (saves > Money::ZERO).then_some(Pool { parts, share, saves })
}

/// What common machines cost one run: each further machine by whole months or by the hour, whichever is cheaper for the
/// hours in which so many are busy. `None` where no month is worth its price.
fn shared(basis: Basis<'_>, offer: &Offer, parts: &[Part], starts: &[Hours]) -> Option<MonthShare> {
    let stage = basis.job.stages.get(parts.first()?.stage)?;
    let pricer = Pricer::new(basis.job, stage, basis.catalog, basis.book);
    let spans: Vec<(f64, f64, u32)> = parts
        .iter()
        .map(|p| {
            let start = starts.get(p.stage).copied().unwrap_or(Hours::ZERO).get();
            (start, start + p.quote.time.get(), p.count)
        })
        .collect();
    let mut share = MonthShare {
        cost: Money::ZERO,
        months: 0,
        rest: Hours::ZERO,
        stages: u32::try_from(parts.len()).ok()?,
        part: 1.0,
    };
    for busy in levels(&spans) {
        let bought = pricer.common(offer, parts.first()?.quote.offer, Hours::new(busy))?;
        share.cost = share.cost + bought.prepaid + bought.hourly;
        share.months += bought.terms;
        share.rest = share.rest + bought.rest;
    }
    share.cost = share.cost.to_cents();
    (share.months > 0).then_some(share)
}

/// The hours in which at least one, two, three … machines are busy.
fn levels(spans: &[(f64, f64, u32)]) -> Vec<f64> {
    let mut times: Vec<f64> = spans.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
    times.sort_by(f64::total_cmp);
    let mut levels: Vec<f64> = Vec::new();
    for (from, to) in times.iter().zip(times.iter().skip(1)) {
        let middle = f64::midpoint(*from, *to);
        let busy = spans.iter().filter(|(a, b, _)| *a <= middle && middle < *b).map(|(_, _, n)| *n);
        let busy = busy.fold(0_u32, u32::saturating_add);
        for level in 0..usize::try_from(busy.min(1000)).unwrap_or(0) {
            match levels.get_mut(level) {
                Some(hours) => *hours += to - from,
                None => levels.push(to - from),
            }
        }
    }
    levels
}

/// When each stage is expected to start if these parts are bought and the others as they are selected.
fn starts(basis: Basis<'_>, stages: &[Considered], parts: &[Part]) -> Vec<Hours> {
    let selected = |at: usize| {
        let ends = basis.job.stages.get(at).is_some_and(|s| s.kind != StageKind::Serve);
        let quote = stages.get(at).and_then(|c| c.quotes.quotes.get(c.selection.chosen?));
        quote.filter(|_| ends).map_or(Hours::ZERO, |q| q.time)
    };
    schedule(basis, (0..stages.len()).map(selected).collect(), parts).0
}

/// When each stage starts and how long it takes, from how long each takes as it is selected.
fn schedule(basis: Basis<'_>, mut lengths: Vec<Hours>, parts: &[Part]) -> (Vec<Hours>, Vec<Hours>) {
    for part in parts {
        if let Some(length) = lengths.get_mut(part.stage) {
            *length = part.quote.time;
        }
    }
    let mut starts = vec![Hours::ZERO; lengths.len()];
    // As many rounds as stages at most, for the graph has no cycle; two where they stand in their order.
    for _ in 0..lengths.len() {
        let before = starts.clone();
        for (at, stage) in basis.job.stages.iter().enumerate() {
            let end = |b: &usize| Some(*starts.get(*b)? + *lengths.get(*b)?);
            let start = stage.after.iter().filter_map(end).fold(Hours::ZERO, Hours::max);
            if let Some(slot) = starts.get_mut(at) {
                *slot = start;
            }
        }
        if starts == before {
            break;
        }
    }
    (starts, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_with_so_many_machines_busy() {
        // 0–10 one machine, 5–20 two: one is busy 20 h, two 15 h, three 5 h.
        assert_eq!(levels(&[(0.0, 10.0, 1), (5.0, 20.0, 2)]), [20.0, 15.0, 5.0]);
        // One after the other the hours add up.
        assert_eq!(levels(&[(0.0, 10.0, 1), (10.0, 25.0, 1)]), [25.0]);
        assert!(levels(&[]).is_empty());
    }
}
