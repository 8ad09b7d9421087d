//! What must hold for whole plans, over random worlds and jobs.

mod alike;
mod world;

use crate::exact::random::Random;
use plan::job::{Aim, Job, Location};
use plan::plan as planned;
use plan::plan::Plan;
use plan::units::{BilledTime, Hours, Money};
use world::World;

/// Every property over so many random cases.
pub(crate) fn all(cases: usize) {
    the_storage_region_is_the_best_of_all(cases);
    a_looser_deadline_never_costs_more(cases);
    another_offer_never_makes_the_best_worse(cases);
    the_order_of_rows_changes_nothing(cases);
    a_plan_meets_every_constraint(cases);
}

#[test]
fn what_holds_for_whole_plans() {
    // Ten thousand of each with the accuracy reports, which are optimized.
    all(120);
}

fn cost(plan: &Plan) -> Option<Money> {
    plan.cost.and_then(|band| band.expected)
}

/// The same job with its data somewhere.
fn at(job: &Job, home: &Location) -> Job {
    Job { data_location: Some(home.clone()), ..job.clone() }
}

/// Whether keeping the data is in the bill: without it, a bill is no bound for one with it.
fn complete(plan: &Plan) -> bool {
    plan.data.as_ref().is_none_or(|data| data.chosen.is_none_or(|chosen| chosen.priced))
}

fn millis(time: Hours) -> i64 {
    BilledTime::from_hours(time).unwrap().millis()
}

/// Whether a plan keeps its budget, where it is to steer.
fn affordable(job: &Job, plan: &Plan) -> bool {
    job.limits.aim == Aim::Cost || job.limits.budget.is_none_or(|most| cost(plan) <= Some(most))
}

fn moves(job: &Job) -> bool {
    job.stages.iter().any(|s| s.size.is_some() || s.output.is_some())
}

/// The end of a run as the choice counts it: a stage on spot by the time within which it ends 95 times of 100, with
/// on-demand fallback by the one within which it is to end.
fn counted(plan: &Plan) -> Option<Hours> {
    let mut ends: Vec<(&str, Hours)> = Vec::new();
    for stage in &plan.stages {
        // Stages wait for earlier ones only here.
        let choice = stage.outcome.as_ref().ok()?;
        let time = choice.spot.as_ref().map_or(choice.time.expected, |s| {
            let within = s.fallback.as_ref().map_or(s.percentiles[2], |f| f.within);
            within.max(choice.time.expected)
        });
        let before = ends.iter().filter(|(name, _)| stage.after.iter().any(|a| a == name));
        let start = before.fold(Hours::ZERO, |latest, (_, end)| latest.max(*end));
        ends.push((&stage.name, start + time));
    }
    Some(ends.into_iter().fold(Hours::ZERO, |latest, (_, end)| latest.max(end)))
}

/// Whether the plan is one: every stage can be done, and within the deadline as the choice counts it.
fn kept(job: &Job, plan: &Plan) -> bool {
    if job.limits.aim == Aim::Time {
        return counted(plan).is_some();
    }
    let within = |end: Hours| job.limits.deadline.is_none_or(|most| end.get() <= most.get() + 1e-6);
    counted(plan).is_some_and(within)
}

fn the_storage_region_is_the_best_of_all(cases: usize) {
    let mut random = Random(11);
    let (mut chosen, mut away, mut deadlines, mut ties) = (0, 0, 0, 0);
    for case in 0..cases {
        let world = World::random(&mut random);
        let mut job = Job { data_location: None, ..world::job(&mut random, &world) };
        if random.below(5) == 0 {
            job.limits.aim = Aim::Time;
        }
        let catalog = world.catalog();
        let plan = planned(&job, &catalog);
        if !moves(&job) {
            assert_eq!(plan.data, None, "case {case}");
            continue;
        }
        let allowed = |home: &Location| world.open(&job, home);
        let homes = world.homes().into_iter().filter(allowed);
        let rank = |plan: &Plan| {
            let (time, cost) = (counted(plan).unwrap(), cost(plan).unwrap());
            if job.limits.aim == Aim::Time { (millis(time), cost) } else { (0, cost) }
        };
        let mut best: Vec<((i64, Money), Location)> = homes
            .filter_map(|home| {
                let plan = planned(&at(&job, &home), &catalog);
                (kept(&job, &plan) && affordable(&job, &plan)).then(|| (rank(&plan), home))
            })
            .collect();
        best.sort_by_key(|best| best.0);
        let Some((first, _)) = best.first() else { continue };
        let data = plan.data.as_ref().unwrap_or_else(|| panic!("case {case}: no region"));
        let own = Location { provider: data.provider.clone(), region: data.region.clone() };
        // A budget that no region with a storage price keeps is kept without one.
        if let (Some(most), false) = (job.limits.budget, complete(&plan))
            && first.1 > most
        {
            assert!(cost(&plan) <= Some(most), "case {case}: {own:?} for more than {most:?}");
            continue;
        }
        assert_eq!(rank(&plan), *first, "case {case}: {own:?}, not {best:?}");
        let equal: Vec<&Location> = best.iter().filter(|b| b.0 == *first).map(|b| &b.1).collect();
        assert!(equal.contains(&&own), "case {case}");
        // The plan is the one with its data there.
        let same = planned(&at(&job, &own), &catalog);
        assert_eq!((plan.cost, plan.time), (same.cost, same.time), "case {case}");
        chosen += 1;
        ties += usize::from(equal.len() > 1);
        away += usize::from(data.transfer > Money::ZERO);
        deadlines += usize::from(job.limits.deadline.is_some());
    }
    assert!(
        chosen > cases / 4 && away > cases / 200 && deadlines > cases / 16 && ties > cases / 30,
        "{chosen} {away} {deadlines} {ties}"
    );
}

fn a_looser_deadline_never_costs_more(cases: usize) {
    let mut random = Random(12);
    let (mut feasible, mut cheaper) = (0, 0);
    for case in 0..cases {
        let world = World::random(&mut random);
        let mut job = world::job(&mut random, &world);
        job.limits.deadline = Some(Hours::new(0.5 + 12.0 * random.unit()));
        let catalog = world.catalog();
        let tight = planned(&job, &catalog);
        if !kept(&job, &tight) || !complete(&tight) {
            continue;
        }
        feasible += 1;
        job.limits.deadline =
            job.limits.deadline.filter(|_| random.below(4) > 0).map(|d| d * (1.0 + random.unit()));
        let loose = planned(&job, &catalog);
        assert!(kept(&job, &loose), "case {case}");
        assert!(cost(&loose) <= cost(&tight), "case {case}: {:?} {:?}", cost(&loose), cost(&tight));
        cheaper += usize::from(cost(&loose) < cost(&tight));
    }
    assert!(feasible > cases / 10 && cheaper > cases / 200, "{feasible} feasible, {cheaper} cheaper");
}

fn another_offer_never_makes_the_best_worse(cases: usize) {
    let mut random = Random(13);
    let (mut feasible, mut better) = (0, 0);
    for case in 0..cases {
        let mut world = World::random(&mut random);
        let job = world::job(&mut random, &world);
        let Some(offer) = world.further(&mut random) else { continue };
        let before = planned(&job, &world.catalog());
        if !kept(&job, &before) || !complete(&before) {
            continue;
        }
        feasible += 1;
        world.offers.push(offer);
        let after = planned(&job, &world.catalog());
        assert!(kept(&job, &after), "case {case}");
        assert!(cost(&after) <= cost(&before), "case {case}: {:?} {:?}", cost(&after), cost(&before));
        better += usize::from(cost(&after) < cost(&before));
    }
    assert!(feasible > cases / 4 && better > cases / 40, "{feasible} feasible, {better} better");
}

fn the_order_of_rows_changes_nothing(cases: usize) {
    let mut random = Random(14);
    for case in 0..cases {
        let world = World::random(&mut random);
        let job = world::job(&mut random, &world);
        let plan = planned(&job, &world.catalog());
        assert_eq!(plan, planned(&job, &world.shuffled(&mut random).catalog()), "case {case}");
    }
}

fn a_plan_meets_every_constraint(cases: usize) {
    let mut random = Random(15);
    let mut choices = 0;
    for case in 0..cases {
        let world = World::random(&mut random);
        let job = world::job(&mut random, &world);
        let plan = planned(&job, &world.catalog());
        let mut sum = Money::ZERO;
        for (stage, planned) in job.stages.iter().zip(&plan.stages) {
            let Ok(choice) = &planned.outcome else { continue };
            choices += 1;
            assert!(job.place.allows(&choice.provider, &choice.region, &choice.instance), "case {case}");
            assert!(stage.min_vcpus.is_none_or(|least| choice.vcpus >= least), "case {case}");
            assert!(stage.class.is_none_or(|class| choice.class == class), "case {case}");
            assert!(stage.purchase.is_none_or(|purchase| choice.purchase == purchase), "case {case}");
            assert!(choice.count <= stage.instances, "case {case}");
            sum = sum + choice.bill.total();
        }
        if let Some(total) = cost(&plan) {
            assert_eq!(total, sum, "case {case}");
            let over = |check: &plan::plan::LimitCheck| match check.limit {
                "budget" => job.limits.budget.is_some_and(|most| total > most),
                "deadline" => {
                    job.limits.deadline.is_some_and(|most| plan.time.is_some_and(|t| t.expected > most))
                }
                other => panic!("{other}"),
            };
            assert!(plan.checks.iter().all(|check| check.kept != over(check)), "case {case}");
        }
    }
    assert!(choices > cases, "{choices} choices");
}
