//! The ways of buying a stage side by side: what each is expected to cost, how long it may take, how surely it ends in
//! time, and why it was not taken.

use super::assemble::{Considered, Found};
use super::question::counted;
use super::select::preferred;
use crate::catalog::InstanceId;
use crate::decide::{self, Reason, Rejection, Rejections};
use crate::job::{Purchase, Stage, StageKind};
use crate::names::Named;
use crate::plan::{Way, WayOffer};
use crate::price::open::{closed, commits};
use crate::price::{Pricer, Quote, spot};
use crate::rules::Threshold;
use crate::units::Hours;
use crate::units::number::{percent, significant};

/// How often a time is kept that is shown as the one to reckon with.
const SURE: f64 = 0.95;

/// The time that the deadline leaves each stage, if the others on the longest path through it take what they take.
pub(super) fn rooms(found: Found<'_>) -> Vec<Option<Hours>> {
    let Found { job, catalog, book, stages, kept: _, storage: _ } = found;
    let none = vec![None; stages.len()];
    let Some(deadline) = job.limits.deadline else { return none };
    let times: Vec<Hours> = job
        .stages
        .iter()
        .zip(stages)
        .map(|(stage, considered)| {
            let chosen = considered.selection.chosen.and_then(|i| considered.quotes.quotes.get(i));
            let candidate = chosen.and_then(|q| considered.candidates.of(q.candidate));
            let ends = candidate.is_some_and(|c| c.layout.ends());
            let pricer = Pricer::new(job, stage, catalog, book);
            chosen.filter(|_| ends).map_or(Hours::ZERO, |q| counted(job, &pricer, &considered.candidates, q))
        })
        .collect();
    let before: Vec<&[usize]> = job.stages.iter().map(|s| &*s.after).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    for (i, ahead) in before.iter().enumerate() {
        for a in *ahead {
            if let Some(list) = after.get_mut(*a) {
                list.push(i);
            }
        }
    }
    let after: Vec<&[usize]> = after.iter().map(|list| &**list).collect();
    let (heads, tails) = (longest(&before, &times), longest(&after, &times));
    heads.iter().zip(&tails).map(|(head, tail)| Some(deadline.minus(*head + *tail))).collect()
}

/// For each stage the longest chain of times among those that stand before it.
fn longest(before: &[&[usize]], times: &[Hours]) -> Vec<Hours> {
    let mut heads = vec![Hours::ZERO; before.len()];
    // As many rounds as stages: the graph has no cycle.
    for _ in 0..before.len() {
        for (i, ahead) in before.iter().enumerate() {
            let ends = ahead.iter().map(|a| {
                let zero = &Hours::ZERO;
                *heads.get(*a).unwrap_or(zero) + *times.get(*a).unwrap_or(zero)
            });
            let head = ends.fold(Hours::ZERO, Hours::max);
            if let Some(slot) = heads.get_mut(i) {
                *slot = head;
            }
        }
    }
    heads
}

/// The ways of buying a stage that has so much time. A stage that nothing can do has none.
pub(super) fn ways(
    found: Found<'_>,
    stage: &Stage,
    considered: &Considered,
    room: Option<Hours>,
) -> Vec<Way> {
    let Found { job, catalog, book, .. } = found;
    let quotes = &considered.quotes.quotes;
    let Some(chosen) = considered.selection.chosen.and_then(|i| quotes.get(i)) else { return Vec::new() };
    let pricer = Pricer::new(job, stage, catalog, book);
    let view = View { found, stage, considered, pricer: &pricer, room, chosen };
    Purchase::ALL.iter().filter_map(|(purchase, _)| view.way(*purchase)).collect()
}

struct View<'a> {
    found: Found<'a>,
    stage: &'a Stage,
    considered: &'a Considered,
    pricer: &'a Pricer<'a>,
    room: Option<Hours>,
    chosen: &'a Quote,
}

impl View<'_> {
    fn way(&self, purchase: Purchase) -> Option<Way> {
        if purchase == self.chosen.purchase {
            return Some(self.offered(self.chosen, true));
        }
        if let Some(quote) = self.best(purchase) {
            return Some(self.offered(quote, false));
        }
        let why = self.absent(purchase)?;
        Some(Way { purchase, offer: None, taken: false, why })
    }

    /// The preferred quote of a way among the classes that compete: of those that end in time, if any does.
    fn best(&self, purchase: Purchase) -> Option<&Quote> {
        let Found { job, catalog, .. } = self.found;
        let classes = &self.considered.selection.classes;
        let mine =
            |q: &Quote| q.purchase == purchase && (purchase == Purchase::Owned || classes.contains(&q.class));
        let quotes = &self.considered.quotes.quotes;
        let least = |admits: &dyn Fn(&Quote) -> bool| {
            quotes.get(preferred(job, catalog, quotes, |q| mine(q) && admits(q))?)
        };
        let in_time = |q: &Quote| self.room.is_none_or(|room| q.time <= room && self.counts(q) <= room);
        least(&in_time).or_else(|| least(&|_| true))
    }

    /// The time of a quote that counts against the deadline.
    fn counts(&self, quote: &Quote) -> Hours {
        counted(self.found.job, self.pricer, &self.considered.candidates, quote)
    }

    fn offered(&self, quote: &Quote, taken: bool) -> Way {
        let candidate = self.considered.candidates.of(quote.candidate);
        let law = candidate.and_then(|c| self.pricer.spot_details(c, quote)).map(|(_, job, outcome)| {
            let billed =
                spot::billed_spread(&job, &outcome, spot::Burst::DEFAULT).percentile(SURE) / outcome.billed;
            (spot::completion_spread(&job, &outcome, spot::Burst::DEFAULT), billed)
        });
        let fallback = candidate.and_then(|c| self.pricer.fallback_case(c, quote));
        let (time, cost) = match (&law, &fallback) {
            (_, Some(case)) => (case.within, None),
            (Some((law, billed)), None) => {
                let machines = candidate.and_then(|c| self.pricer.machine_cost(c, quote));
                // Where hardly anything is ever lost, the mean exceeds all but the worst.
                let more = machines.map(|m| m.scaled((billed - 1.0).max(0.0)).to_cents());
                (law.percentile(SURE).max(quote.time), more.map(|more| quote.cost + more))
            }
            (None, None) => (quote.time, Some(quote.cost)),
        };
        let ends = candidate.is_some_and(|c| c.layout.ends());
        let chance = self.room.filter(|_| ends).map(|room| match (&law, &fallback) {
            (_, Some(case)) if case.within.get() <= room.get() * (1.0 + 1e-9) => 1.0 - case.missed,
            (Some((law, _)), None) => law.within(room),
            (None, None) if quote.time <= room => 1.0,
            _ => 0.0,
        });
        let why = if taken { "taken".to_owned() } else { self.lost(quote, chance) };
        let offer = candidate.map(|_| WayOffer {
            machine: self.found.label(quote, &self.considered.candidates),
            cost: quote.cost,
            cost_95: cost,
            time: quote.time,
            time_95: time,
            chance,
            ends,
        });
        Way { purchase: quote.purchase, offer, taken, why }
    }

    /// Why a quote was not taken.
    fn lost(&self, quote: &Quote, chance: Option<f64>) -> String {
        if let (Some(chance), Some(room)) = (chance, self.room)
            && self.counts(quote) > room
        {
            let asked = self.found.job.thresholds.get(Threshold::SpotConfidence);
            return if chance > 0.0 {
                format!(
                    "ends within the {room} that the deadline leaves it {}, {} are asked",
                    times(chance),
                    percent(asked)
                )
            } else if room.as_secs() < 0.5 {
                format!("takes {}; the other stages use up the deadline", self.counts(quote))
            } else {
                format!("takes {}; the deadline leaves it {room}", self.counts(quote))
            };
        }
        if commits(self.stage, quote.purchase) {
            let dearer =
                if quote.cost < self.chosen.cost { String::new() } else { self.dearer(quote) + "; " };
            return format!("{dearer}commits for years: only where `purchase` pins it");
        }
        self.dearer(quote)
    }

    fn dearer(&self, quote: &Quote) -> String {
        let (cost, least) = (quote.cost.as_f64(), self.chosen.cost.as_f64());
        if quote.cost == self.chosen.cost {
            "costs as much".to_owned()
        } else if quote.cost < self.chosen.cost {
            "cheaper here, but not for the whole".to_owned()
        } else if least > 0.0 && cost < least * 1.005 {
            "costs a trifle more".to_owned()
        } else if least > 0.0 {
            format!("costs {} times as much", significant(cost / least, 3))
        } else {
            "costs more".to_owned()
        }
    }

    /// Why there is no quote of a way; `None` where nobody would ask.
    fn absent(&self, purchase: Purchase) -> Option<String> {
        let (job, stage) = (self.found.job, self.stage);
        let shut = closed(job, stage, purchase);
        match purchase {
            Purchase::Year | Purchase::ThreeYears | Purchase::Owned if shut.is_some() => None,
            Purchase::Owned => Some(self.in_use()),
            Purchase::Fallback if stage.kind == StageKind::Serve => None,
            _ => Some(shut.map_or_else(|| self.refused(purchase), str::to_owned)),
        }
    }

    /// Why no owned machine is free.
    fn in_use(&self) -> String {
        if !self.considered.candidates.candidates.iter().any(|c| self.pricer.owns(c)) {
            return self.owned_too_few();
        }
        let stages = self.found.job.stages.iter().zip(self.found.stages);
        let users: Vec<&str> = stages
            .filter(|(_, c)| {
                let chosen = c.selection.chosen.and_then(|i| c.quotes.quotes.get(i));
                chosen.is_some_and(|q| q.purchase == Purchase::Owned)
            })
            .map(|(stage, _)| &*stage.name)
            .collect();
        if users.is_empty() {
            return "no price is known for moving its data there".to_owned();
        }
        format!("the owned machines may be in use at the same time by {}", users.join(", "))
    }

    /// Why each type of owned machines cannot do it: too few of them, or what they are.
    fn owned_too_few(&self) -> String {
        let Found { job, catalog, .. } = self.found;
        let mut said: Vec<String> = Vec::new();
        for own in &job.place.owned {
            let same = |id: InstanceId| {
                let instance = catalog.instance(id);
                let provider = instance.and_then(|i| catalog.provider(i.provider));
                instance.is_some_and(|i| *i.name == *own.instance)
                    && provider.is_some_and(|p| *p.name == *own.provider)
            };
            let counts = self.considered.candidates.candidates.iter().filter(|c| same(c.instance));
            let has = job.place.owns(&own.provider, &own.instance, None);
            let verb = if has == 1 { "is" } else { "are" };
            let why = match counts.map(|c| c.count).min() {
                Some(needs) => format!("{has} {verb} owned, {needs} are needed"),
                None => decide::refusal(job, self.stage, &self.considered.clock, catalog, &same)
                    .map_or_else(|| "cannot do it".to_owned(), |r| cannot(&r)),
            };
            let text = format!("{}/{}: {why}", own.provider, own.instance);
            if !said.contains(&text) {
                said.push(text);
            }
        }
        said.join("; ")
    }

    fn refused(&self, purchase: Purchase) -> String {
        let rejected: &Rejections = &self.considered.quotes.rejected;
        let near = |reason| rejected.get(reason).and_then(|r| r.near);
        match (purchase, near(Reason::SpotRefused), near(Reason::FallbackTight)) {
            (Purchase::Spot | Purchase::Fallback, Some(near), _) => {
                format!("λ(W+R) is {}, at most {}: too long without a checkpoint", near.has, near.needs)
            }
            (Purchase::Fallback, None, Some(near)) => {
                format!("needs {} to keep it, and there are {}", near.has, near.needs)
            }
            (Purchase::Spot, None, _) if rejected.get(Reason::SpotNotCheaper).is_some() => {
                "spot is no cheaper than on-demand".to_owned()
            }
            _ => "not sold so".to_owned(),
        }
    }
}

/// Why a machine cannot do a stage, in a few words.
fn cannot(rejection: &Rejection) -> String {
    match (rejection.reason, rejection.near) {
        (Reason::IdleGpu | Reason::NoGpuBuild, _) => "the work would leave its GPU idle".to_owned(),
        (Reason::Pinned, _) => "another machine is pinned".to_owned(),
        (Reason::TooSlow, Some(near)) => format!("takes {}, at most {}", near.has, near.needs),
        (Reason::Memory | Reason::MemoryFloor | Reason::HostMemory | Reason::Vcpus, Some(near)) => {
            format!("has {}, needs {}", near.has, near.needs)
        }
        (reason, _) => format!("cannot do it ({reason})"),
    }
}

/// `41 % of the time`.
fn times(chance: f64) -> String {
    format!("{} of the time", percent(chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_chain_before_each_stage() {
        // 0 → 1 → 3 and 0 → 2 → 3: 1 + 5 before 3, nothing before 0.
        let before: [&[usize]; 4] = [&[], &[0], &[0], &[1, 2]];
        let times = [1.0, 5.0, 2.0, 7.0].map(Hours::new);
        let heads: Vec<f64> = longest(&before, &times).into_iter().map(Hours::get).collect();
        assert_eq!(heads, [0.0, 1.0, 1.0, 6.0]);
    }
}
