//! A-M1: everything on one machine, rented once from the first stage to the last.

use super::{consider, misses};
use crate::catalog::{Accelerator, Catalog, InstanceId};
use crate::choose::assemble::{Considered, Found};
use crate::decide::alone::alone;
use crate::job::{Aim, Alike, Class, Purchase, Stage, StageKind};
use crate::plan::{Choice, Comparison, Period, Plan};
use crate::price::{Pricer, open};
use crate::units::{Hours, Money};
use std::collections::BTreeMap;

/// The cards that stand for "the one big GPU" (A-M1), in the order in which they are looked for.
const BIG_CARDS: [&str; 4] = ["A100-80GB", "A100-PCIe-80GB", "A100-40GB", "A100-PCIe-40GB"];

/// A-M1: the whole of a run, stage after stage, on one big GPU instance that can do every stage: the cheapest with an A100
/// that may be rented, or the dearest GPU instance that the plan rents where there is none or that one is as big. It is rented
/// once, on-demand, from the first stage to the last. Beside it the best other machine that can do every stage, where that is
/// better than the plan.
pub(super) fn one_machine(found: Found<'_>, plan: &Plan) -> Vec<Comparison> {
    let choices: Vec<&Choice> = plan
        .stages
        .iter()
        .filter_map(|s| s.outcome.as_ref().ok())
        .filter(|c| c.period == Period::Run)
        .collect();
    if choices.len() < 2 {
        return Vec::new();
    }
    // A machine that is owned is no reason to rent a big one.
    let mut rented: Vec<&Choice> =
        choices.iter().copied().filter(|c| c.class == Class::Gpu && c.purchase != Purchase::Owned).collect();
    rented.sort_by_key(|c| std::cmp::Reverse(c.expected_cost()));
    let own: Vec<usize> = rented.iter().filter_map(|choice| offer_of(found, choice)).collect();
    let Some(run) = Run::of(found, &own) else { return Vec::new() };
    let mixed = choices.iter().any(|c| c.class == Class::Cpu);
    let big = own.first().filter(|_| mixed).and_then(|dearest| {
        let able = own.iter().copied().filter(|at| run.can(*at));
        let dearest = Some(*dearest).filter(|at| run.can(*at) && is_big(found, *at));
        dearest
            .or_else(|| cheapest_big(&run))
            .or_else(|| able.max_by_key(|at| run.on_one(*at).ok().map(|r| r.0)))
    });
    let told = |offer: usize| {
        let instance = found.catalog.instance(found.catalog.offers.get(offer)?.instance)?;
        let what = format!(
            "everything on one {}/{}{}",
            found.catalog.provider(instance.provider)?.name,
            instance.name,
            card(found, offer)
                .map(|card| format!(" ({})", Choice::label(&card.name, instance.gpu_count())))
                .unwrap_or_default()
        );
        Some(match run.on_one(offer) {
            Ok((cost, time)) => Comparison {
                rule: "A-M1",
                what,
                cost: Some(cost),
                time: Some(time),
                misses: misses(plan, cost, time),
                note: "on-demand, one rental".to_owned(),
                consider: consider(plan, cost, time),
            },
            Err(note) => {
                let (cost, time, consider) = (None, None, None);
                Comparison {
                    rule: "A-M1",
                    what,
                    cost,
                    time,
                    misses: Vec::new(),
                    note: note.to_owned(),
                    consider,
                }
            }
        })
    };
    let best = run.best(plan).filter(|best| Some(*best) != big);
    let first = big.and_then(told);
    let second = best.and_then(told).filter(|c| c.consider.is_some());
    let better = |c: &Comparison| {
        first.as_ref().is_none_or(|first| match plan.limits.aim {
            _ if first.consider.is_none() => true,
            Aim::Cost => c.cost < first.cost,
            Aim::Time => c.time < first.time,
        })
    };
    let second = second.filter(better);
    first.into_iter().chain(second).collect()
}

/// The offer of a choice.
fn offer_of(found: Found<'_>, choice: &Choice) -> Option<usize> {
    let Catalog { offers, .. } = found.catalog;
    let is_of = |id: InstanceId| {
        found.catalog.instance(id).is_some_and(|i| {
            *i.name == *choice.instance
                && found.catalog.provider(i.provider).is_some_and(|p| *p.name == *choice.provider)
        })
    };
    let is_there = |at: &usize| {
        offers.get(*at).is_some_and(|offer| {
            *offer.region == *choice.region && offer.zone.as_deref() == choice.zone.as_deref()
        })
    };
    offers.by_type().filter(|(id, _)| is_of(*id)).find_map(|(_, mut range)| range.find(is_there))
}

fn card(found: Found<'_>, offer: usize) -> Option<&Accelerator> {
    let instance = found.catalog.instance(found.catalog.offers.get(offer)?.instance)?;
    found.catalog.accelerator(instance.gpu.filter(|gpu| gpu.count >= 1.0)?)
}

/// Whether an offer has a card with as much memory as the smaller A100.
fn is_big(found: Found<'_>, offer: usize) -> bool {
    card(found, offer).is_some_and(|card| card.memory.as_gib() >= 40.0)
}

/// The offer on which everything costs least among those with one of the first of the big cards that can do every stage, or
/// with several where it is not sold singly or one cannot.
fn cheapest_big(run: &Run<'_>) -> Option<usize> {
    let found = run.found;
    let is_single = |at: usize| {
        let instance = found.catalog.offers.get(at).and_then(|o| found.catalog.instance(o.instance));
        instance.is_some_and(|i| i.gpu_count() < 2.0)
    };
    let open: Vec<(usize, &str)> =
        run.able.iter().filter_map(|at| Some((*at, &*card(found, *at)?.name))).collect();
    [true, false].iter().flat_map(|single| BIG_CARDS.map(|name| (*single, name))).find_map(
        |(single, name)| {
            let of_card = open.iter().filter(|(at, card)| *card == name && is_single(*at) == single);
            let of_card = of_card.map(|(at, _)| *at);
            of_card.filter_map(|at| Some((run.on_one(at).ok()?.0, at))).min().map(|(_, at)| at)
        },
    )
}

/// The few machines that would do the whole run for the least, by the times that are known of them: of one with a GPU those of
/// the stages that can use one, of another those of all stages. What is not known makes them dearer, if anything.
fn cheapest_others(found: Found<'_>) -> Vec<InstanceId> {
    let runs = || {
        let stages = found.job.stages.iter().zip(found.stages);
        stages.filter(|(stage, _)| stage.kind != StageKind::Serve).map(|(_, considered)| considered)
    };
    let has_gpu = |id: InstanceId| found.catalog.instance(id).is_some_and(|i| i.gpu.is_some());
    let (mut all, mut of_gpus) = (0_usize, 0_usize);
    // By instance type, in how many stages it takes part and how long all that takes.
    let mut known = vec![(0_usize, Hours::ZERO); found.catalog.instances.len()];
    for considered in runs() {
        let mut gpus = false;
        for alike in considered.candidates.candidates.chunk_by(|a, b| a.instance == b.instance) {
            let Some(id) = alike.first().map(|candidate| candidate.instance) else { continue };
            gpus |= has_gpu(id);
            let times = alike.iter().filter(|c| c.count == 1).map(|c| c.duration.time.expected);
            let sum = usize::try_from(id.0).ok().and_then(|at| known.get_mut(at));
            if let (Some(time), Some(sum)) = (times.min_by(Hours::total_cmp), sum) {
                *sum = (sum.0 + 1, sum.1 + time);
            }
        }
        all += 1;
        of_gpus += usize::from(gpus);
    }
    let mut costs: Vec<(f64, InstanceId)> = (0..)
        .map(InstanceId)
        .zip(known)
        .filter(|(id, (stages, _))| *stages >= if has_gpu(*id) { of_gpus.max(1) } else { all })
        .filter_map(|(id, (_, time))| {
            let open = found.book.lots(id).iter().filter(|lot| lot.traits().closed.is_none());
            let hourly = open.flat_map(|lot| {
                let offers = found.book.contenders(lot).filter_map(|at| found.catalog.offers.get(at));
                offers.filter_map(|offer| Some(offer.on_demand_price()?.as_f64() * lot.traits().factor))
            });
            Some((hourly.min_by(f64::total_cmp)? * time.get(), id))
        })
        .collect();
    costs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    costs.into_iter().take(FEW).map(|(_, id)| id).collect()
}

/// The stages of a run, each with its pricer and the time of its work on each machine that can do it alone.
struct Run<'a> {
    found: Found<'a>,
    stages: Vec<(&'a Stage, Pricer<'a>, BTreeMap<InstanceId, Hours>)>,
    /// The offers that may be rented of the machines that can do every stage.
    able: Vec<usize>,
}

/// The cheapest other machines that are looked at beside the plan's own and the big ones: by what is known of their times.
const FEW: usize = 6;

impl<'a> Run<'a> {
    /// The run on one machine: with a big card, of the plan's own, or one of the few others that are cheapest; none where a stage
    /// may not be bought on-demand.
    fn of(found: Found<'a>, own: &[usize]) -> Option<Self> {
        let Found { job, catalog, book, .. } = found;
        let mut named: Vec<InstanceId> =
            own.iter().filter_map(|at| catalog.offers.get(*at)).map(|o| o.instance).collect();
        named.extend(cheapest_others(found));
        let is_big = |id: InstanceId| {
            let gpu = catalog.instance(id).and_then(|i| i.gpu).and_then(|gpu| catalog.accelerator(gpu));
            gpu.is_some_and(|card| BIG_CARDS.contains(&&*card.name))
        };
        let admitted: Vec<bool> = (0..)
            .map(InstanceId)
            .zip(&catalog.instances)
            .map(|(id, _)| named.contains(&id) || is_big(id))
            .collect();
        let admits = |id: InstanceId| {
            usize::try_from(id.0).ok().and_then(|at| admitted.get(at)).copied().unwrap_or(false)
        };
        let all: Vec<(&Stage, &Considered)> = job.stages.iter().zip(found.stages).collect();
        let machines = Alike::new(&job.stages).each_here(&all, |(stage, considered)| match stage.kind {
            StageKind::Serve => BTreeMap::new(),
            _ => alone(job, stage, &considered.clock, &considered.candidates, catalog, &admits),
        });
        let stages = job.stages.iter().zip(machines).filter(|(stage, _)| stage.kind != StageKind::Serve);
        let priced = |(stage, machines): (&'a Stage, _)| {
            let open = open::closed(job, stage, Purchase::OnDemand).is_none();
            open.then(|| (stage, Pricer::new(job, stage, catalog, book), machines))
        };
        let mut run = Self { found, stages: stages.map(priced).collect::<Option<_>>()?, able: Vec::new() };
        let able =
            catalog.offers.by_type().filter(|(id, _)| run.does_all(*id)).flat_map(|(_, offers)| offers);
        let open = |at: &usize| book.entry(*at).is_some_and(|entry| entry.closed.is_none());
        run.able = able.filter(open).collect();
        Some(run)
    }

    /// The offer on which the run is best by what the plan aims at, of those that keep the limits if one does.
    fn best(&self, plan: &Plan) -> Option<usize> {
        let mut best: Option<(bool, Money, Hours, usize)> = None;
        for at in self.able.iter().copied() {
            let Ok((cost, time)) = self.on_one(at) else { continue };
            let missed = !misses(plan, cost, time).is_empty();
            let better = |(was_missed, least, shortest, _): &(bool, Money, Hours, usize)| {
                let by_cost = cost.cmp(least);
                let by_time = time.total_cmp(shortest);
                let by_aim = match plan.limits.aim {
                    Aim::Cost => by_cost.then(by_time),
                    Aim::Time => by_time.then(by_cost),
                };
                missed.cmp(was_missed).then(by_aim).is_lt()
            };
            if best.as_ref().is_none_or(better) {
                best = Some((missed, cost, time, at));
            }
        }
        best.map(|(.., at)| at)
    }

    /// Whether the machine of an offer can do every stage.
    fn can(&self, offer: usize) -> bool {
        self.found.catalog.offers.get(offer).is_some_and(|o| self.does_all(o.instance))
    }

    /// Whether a machine of a type can do every stage.
    fn does_all(&self, id: InstanceId) -> bool {
        self.stages.iter().all(|(_, _, machines)| machines.contains_key(&id))
    }

    /// Cost and time of all stages, one after the other on one instance, with the data moved there once.
    fn on_one(&self, offer: usize) -> Result<(Money, Hours), &'static str> {
        let missing = "no price";
        let id = self.found.catalog.offers.get(offer).ok_or(missing)?.instance;
        let mut work = Hours::ZERO;
        let mut moved = Money::ZERO;
        let mut startup = Hours::ZERO;
        let machine = self.found.catalog.instance(id);
        for (_, pricer, machines) in &self.stages {
            work = work + *machines.get(&id).ok_or("it cannot do every stage")?;
            let class = if machine.is_some_and(|i| i.gpu.is_some()) { Class::Gpu } else { Class::Cpu };
            startup = startup.max(pricer.startup(class));
            let (into, _) =
                pricer.transfer(offer).ok_or("its data cannot be moved there at a known price")?;
            moved = moved.max(into);
        }
        // It is launched once: what the slowest start of a stage takes.
        let time = startup + work;
        let cost = self.found.on_demand_cost(offer, time).ok_or(missing)?;
        Ok((cost + moved, time))
    }
}
