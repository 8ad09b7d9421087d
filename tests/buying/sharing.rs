//! Who gets the owned machines, against every way of sharing them out.

use super::{catalog, job};
use crate::exact::random::Random;
use plan::catalog::Catalog;
use plan::decide::decide_stage;
use plan::duration::StageClock;
use plan::job::Job;
use plan::plan::Plan;
use plan::price::{Book, price_stage};
use plan::terms::Purchase;
use plan::units::{BilledTime, Money};
use std::sync::OnceLock;

/// Three cards on demand; prices and speeds so that the cheapest, the fastest and what is owned differ.
fn shop() -> &'static Catalog {
    static SHOP: OnceLock<Catalog> = OnceLock::new();
    SHOP.get_or_init(|| {
        catalog(
            &[
                ("t4", "T4", &["region = \"r\", on_demand = 0.50"]),
                ("a10", "A10G", &["region = \"r\", on_demand = 1.10"]),
                ("a100", "A100-80GB", &["region = \"r\", on_demand = 4.00"]),
            ],
            "",
        )
    })
}

/// A way to do a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    cost: i128,
    time: i64,
    /// Owned machines: which type, and how many.
    owned: Option<(usize, u32)>,
}

/// A workload with what it asks for.
struct Case {
    text: String,
    /// Waits[a][b]: a waits for b, however indirectly.
    waits: Vec<Vec<bool>>,
    has: [u32; 3],
}

const TYPES: [&str; 3] = ["t4", "a10", "a100"];

fn case(random: &mut Random, limits: &str) -> Case {
    let n = 2 + random.below(4);
    // Diamond, chain, none, or any.
    let shape = random.below(4);
    let after: Vec<Vec<usize>> = (0..n)
        .map(|i| match shape {
            0 if i == 0 => vec![],
            0 if i + 1 == n && n > 2 => (1..i).collect(),
            0 => vec![0],
            1 if i > 0 => vec![i - 1],
            1 | 2 => vec![],
            _ => (0..i).filter(|_| random.below(3) == 0).collect(),
        })
        .collect();
    let mut waits = vec![vec![false; n]; n];
    for (i, before) in after.iter().enumerate() {
        for &b in before {
            let theirs = waits[b].clone();
            for (j, (mine, their)) in waits[i].iter_mut().zip(theirs).enumerate() {
                *mine |= their || j == b;
            }
        }
    }
    let mut has = [0; 3];
    for _ in 0..=random.below(2) {
        has[random.below(3)] = 1 + u32::try_from(random.below(3)).unwrap();
    }
    let owned: Vec<String> = (TYPES.iter().zip(has).filter(|(_, n)| *n > 0))
        .map(|(name, n)| format!("{{ instance = \"acme/{name}\", count = {n} }}"))
        .collect();
    let mut text = format!(
        "{limits}\n[data]\nsamples = 1_000_000\n[where]\nowned = [{}]\n[model]\narchitecture = \"resnet50\"\nbatch_size = 64\n",
        owned.join(", ")
    );
    for (i, before) in after.iter().enumerate() {
        let hours = 1.0 + random.unit() * 20.0;
        let speed = 1.2 + random.unit() * 2.0;
        let names: Vec<String> = before.iter().map(|b| format!("\"s{b}\"")).collect();
        text += &format!(
            "[[stage]]\nname = \"s{i}\"\nkind = \"train\"\nafter = [{}]\nstartup = \"0s\"\ninstances = {}\nnetwork = \"ethernet\"\n\
             measured = [{{ on = \"T4\", time = \"{hours:.2}h\" }}, {{ on = \"A10G\", time = \"{:.2}h\" }}, {{ on = \"A100-80GB\", time = \"{:.2}h\" }}]\n",
            names.join(", "),
            1 + random.below(2),
            hours / speed,
            hours / speed / (1.2 + random.unit() * 3.0),
        );
    }
    Case { text, waits, has }
}

/// The ways of each stage than which none with the same machines is better.
fn ways(job: &Job) -> Vec<Vec<Way>> {
    let catalog = shop();
    let book = Book::new(job, catalog);
    let of = |stage| {
        let candidates = decide_stage(job, stage, &StageClock::new(stage, catalog), catalog);
        let quotes = price_stage(job, stage, catalog, &book, &candidates).quotes;
        let all: Vec<Way> = quotes
            .iter()
            .map(|quote| {
                let candidate = candidates.of(quote.candidate).unwrap();
                let name = &*catalog.instance(candidate.instance).unwrap().name;
                let kind = TYPES.iter().position(|t| *t == name).unwrap();
                Way {
                    cost: quote.cost.nanos(),
                    time: BilledTime::from_hours(quote.time).unwrap().millis(),
                    owned: (quote.purchase == Purchase::Owned).then_some((kind, candidate.count)),
                }
            })
            .collect();
        let beats = |a: &Way, b: &Way| a.owned == b.owned && a.cost <= b.cost && a.time <= b.time && a != b;
        all.iter().filter(|b| !all.iter().any(|a| beats(a, b))).copied().collect()
    };
    job.stages.iter().map(of).collect()
}

/// The most machines of a type that stages of a selection may use at the same time, by looking at every set of them where
/// all together are too many.
fn most(case: &Case, ways: &[Way], kind: usize) -> u32 {
    let n = ways.len();
    let count = |i: usize| ways[i].owned.filter(|(k, _)| *k == kind).map_or(0, |(_, count)| count);
    let all: u32 = (0..n).map(count).sum();
    if all <= case.has[kind] {
        return all;
    }
    let together = |set: u32| {
        let inside = |i: usize| set >> i & 1 == 1;
        (0..n).all(|i| (0..n).all(|j| !(inside(i) && inside(j) && case.waits[i][j])))
    };
    let sum = |set: u32| (0..n).filter(|i| set >> i & 1 == 1).map(count).sum();
    (0..1_u32 << n).filter(|set| together(*set)).map(sum).max().unwrap_or(0)
}

fn makespan(case: &Case, ways: &[Way]) -> i64 {
    let mut ends = vec![0; ways.len()];
    for i in 0..ways.len() {
        let start = (0..i).filter(|j| case.waits[i][*j]).map(|j| ends[j]).max().unwrap_or(0);
        ends[i] = start + ways[i].time;
    }
    ends.into_iter().max().unwrap_or(0)
}

/// Cost and makespan of every selection for which there are enough owned machines.
fn all(case: &Case, ways: &[Vec<Way>]) -> Vec<(i128, i64)> {
    let mut found = Vec::new();
    let mut digits = vec![0; ways.len()];
    loop {
        let picks: Vec<Way> = ways.iter().zip(&digits).map(|(w, d): (_, &usize)| w[*d]).collect();
        if (0..3).all(|kind| most(case, &picks, kind) <= case.has[kind]) {
            found.push((picks.iter().map(|w| w.cost).sum(), makespan(case, &picks)));
        }
        let Some(i) = (0..ways.len()).rev().find(|&i| digits[i] + 1 < ways[i].len()) else { return found };
        digits[i] += 1;
        digits[i + 1..].fill(0);
    }
}

/// Stages' times are rounded one by one, that of a plan all together: milliseconds.
const ROUNDING: i64 = 5;

/// Cost and time of a plan; endless where some stage cannot be done.
fn figures(plan: &Plan) -> (i128, i64) {
    let (Some(time), Some(cost)) = (plan.time, plan.cost.and_then(|band| band.expected)) else {
        return (i128::MAX, i64::MAX);
    };
    (cost.nanos(), BilledTime::from_hours(time.expected).unwrap().millis())
}

/// How the plans of some workloads compare with the best.
#[derive(Default, Debug)]
struct Tally {
    asked: u32,
    /// The cheapest machines of all stages are more than there are.
    contested: u32,
    /// Worse than the best by what is asked for …
    worse: u32,
    /// … and as good by that, but not by the other.
    slower: u32,
    /// A limit is missed that can be kept.
    missed: u32,
    /// The worst ratio to the best.
    worst: f64,
}

impl Tally {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn add(&mut self, found: i128, best: i128) {
        self.asked += 1;
        if found > best {
            self.worse += 1;
            self.worst = self.worst.max(found as f64 / best as f64);
        }
    }
}

/// The best of all selections that owned machines allow, for `cases` random workloads: without limits, under a deadline, and
/// under a budget.
fn tally(cases: u64) -> [Tally; 3] {
    let mut told: [Tally; 3] = Default::default();
    for seed in 0..cases {
        let mut random = Random(seed);
        let case = case(&mut random, "");
        let free = job(&case.text, shop());
        let ways = ways(&free);
        let all = all(&case, &ways);
        let contested = {
            let cheapest: Vec<Way> =
                ways.iter().map(|w| *w.iter().min_by_key(|w| (w.cost, w.time)).unwrap()).collect();
            (0..3).any(|kind| most(&case, &cheapest, kind) > case.has[kind])
        };
        let (cheap, dear) = (all.iter().min().unwrap(), all.iter().map(|a| a.0).max().unwrap());
        let (fast, slow) = (all.iter().map(|a| a.1).min().unwrap(), cheap.1);
        let part = random.unit();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a limit somewhere between"
        )]
        let deadline = fast + 1 + ((slow - fast) as f64 * part) as i64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a limit somewhere between"
        )]
        let budget = cheap.0 + ((dear - cheap.0) as f64 * part * 0.3) as i128;
        for (at, slot) in told.iter_mut().enumerate() {
            slot.contested += u32::from(contested);
            let mut job = job(&case.text, shop());
            let asked = match at {
                0 => None,
                1 => {
                    job.limits.deadline = Some(BilledTime::from_millis(deadline).hours());
                    all.iter().filter(|a| a.1 <= deadline).min()
                }
                _ => {
                    job.limits.budget = Some(Money::from_nanos(budget));
                    job.limits.aim = plan::job::Aim::Time;
                    all.iter().filter(|a| a.0 <= budget).min_by_key(|a| (a.1, a.0))
                }
            };
            let best = asked.unwrap_or(cheap);
            let found = figures(&plan::plan(&job, shop()));
            let late = at == 1 && found.1 > deadline + ROUNDING;
            if late || (at == 2 && found.0 > budget) {
                slot.missed += 1;
                continue;
            }
            let (found, best) = match at {
                2 => ((i128::from(found.1), found.0), (i128::from(best.1), best.0)),
                _ => ((found.0, i128::from(found.1)), (best.0, i128::from(best.1))),
            };
            let margin = if at == 2 { i128::from(ROUNDING) } else { 0 };
            assert!(found.0 >= best.0 - margin, "{found:?} {best:?} {}", case.text);
            slot.add(found.0 - margin, best.0);
            let margin = i128::from(ROUNDING) - margin;
            slot.slower += u32::from(found.0 == best.0 && found.1 > best.1 + margin);
        }
    }
    told
}

/// Every selection for which there are enough owned machines and than which none is both cheaper and faster.
fn front(mut all: Vec<(i128, i64)>) -> Vec<(i128, i64)> {
    all.sort_unstable();
    let mut kept: Vec<(i128, i64)> = Vec::new();
    for one in all {
        if kept.last().is_none_or(|last| one.1 < last.1) {
            kept.push(one);
        }
    }
    kept
}

#[test]
fn the_curve_gives_no_machine_away_twice() {
    let (mut points, mut shared) = (0, 0);
    for seed in 0..60 {
        let case = case(&mut Random(1000 + seed), "");
        let job = job(&case.text, shop());
        let plan = plan::plan(&job, shop());
        let curve = plan::curve(&job, shop(), &plan).unwrap();
        let found: Vec<(i128, i64)> = (curve.points.iter())
            .map(|p| (p.cost.nanos(), BilledTime::from_hours(p.within).unwrap().millis()))
            .collect();
        let ways = ways(&job);
        let best = front(all(&case, &ways));
        assert_eq!(found, best, "{}", case.text);
        assert!(curve.complete);
        points += best.len();
        // As if each stage had all for itself.
        let alone = Case { has: [99; 3], ..case };
        shared += usize::from(front(all(&alone, &ways)) != best);
    }
    assert!(points > 300 && shared > 20, "{points} {shared}");
}

#[test]
fn no_sharing_of_owned_machines_is_better() {
    let told = tally(150);
    for slot in &told {
        assert!(slot.contested > 60, "{told:#?}");
        assert_eq!((slot.worse, slot.slower, slot.missed), (0, 0, 0), "{told:#?}");
    }
}
