//! How long the exact choice takes: over the oracles, and over random instances of the same kinds and larger ones.
//!
//! `cargo bench --bench choice` prints one line per group of instances, with the time of one question (checking the
//! stages included): median, 95th percentile and longest; how many questions were left open, and the largest gap
//! of those. Arguments that are not options choose groups by a part of their name.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "figures for the eye, below 2⁵³"
)]

#[path = "../tests/exact/random.rs"]
mod random;

use plan::choose::exact::{Answer, Choice, Effort, Outcome, Problem, Proof, Stage};
use random::{Kind, Random, Style, instance};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const KINDS: [(Kind, &str); 3] =
    [(Kind::Chain, "chain"), (Kind::SeriesParallel, "series-parallel"), (Kind::General, "general")];
const STYLES: [(Style, &str); 5] = [
    (Style::Cloud, "cloud"),
    (Style::Convex, "convex"),
    (Style::Random, "random"),
    (Style::Concave, "concave"),
    (Style::Dense, "dense"),
];

/// Ten seconds or so: what the bar allows. The program stops sooner.
const PATIENT: Effort = Effort::steps(5 * Effort::ORDINARY.get());

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    println!(
        "{:34} {:>6} {:>10} {:>10} {:>10} {:>5} {:>9}",
        "ms", "asked", "median", "p95", "longest", "open", "gap %"
    );
    if wanted("oracles") {
        oracles();
    }
    if wanted("curve") {
        curves((6, 20), 50);
        curves((20, 20), 20);
        curves((100, 50), 3);
    }
    for (size, count, grain, effort) in [
        ((10, 12), 200, 1.0, Effort::ORDINARY),
        ((50, 30), 100, 1.0, Effort::ORDINARY),
        ((100, 50), 40, 1.0, PATIENT),
        ((200, 100), 5, 1e3, Effort::ORDINARY),
        ((200, 1000), 3, 1e3, Effort::ORDINARY),
        ((200, 4000), 2, 1e3, Effort::ORDINARY),
    ] {
        for (kind, kind_name) in KINDS {
            for (style, style_name) in STYLES {
                let name = format!("{}x{} {kind_name} {style_name}", size.0, size.1);
                if wanted(&name) {
                    random_instances(&name, (kind, style), size, count, grain, effort);
                }
            }
        }
    }
}

/// The whole curve, or two hundred points of it.
fn curves(size: (usize, usize), count: u64) {
    for (kind, kind_name) in KINDS {
        let mut times: Vec<Duration> = Vec::new();
        let (mut points, mut whole) = (0, 0);
        for seed in 0..count {
            let stages = instance(&mut Random(seed), kind, Style::Cloud, size, 1e3);
            let start = Instant::now();
            let curve = Problem::new(&stages).expect("a stage graph").frontier(200, Effort::ORDINARY);
            times.push(start.elapsed());
            points += curve.points.len();
            whole += usize::from(curve.complete);
        }
        let mut group = Group { times, ..Group::default() };
        group.print(&format!("{}x{} {kind_name} cloud, curve", size.0, size.1));
        println!("    {points} points in all, {whole} of {count} curves whole");
    }
}

/// The times of one group of questions.
#[derive(Default)]
struct Group {
    times: Vec<Duration>,
    open: usize,
    gap: f64,
}

impl Group {
    fn ask(
        &mut self,
        stages: &[Stage],
        question: impl Fn(&Problem) -> Outcome,
        objective: impl Fn(&Answer) -> i64,
    ) {
        let start = Instant::now();
        let outcome = question(&Problem::new(stages).expect("a stage graph"));
        self.times.push(start.elapsed());
        if let Outcome::Found(answer) = outcome
            && let Proof::Gap { at_least } = answer.proof
        {
            self.open += 1;
            self.gap = self.gap.max(1.0 - at_least as f64 / objective(&answer) as f64);
        }
    }

    fn print(&mut self, name: &str) {
        self.times.sort_unstable();
        let at = |percent: usize| {
            let last = self.times.len().saturating_sub(1);
            self.times.get(last.min(self.times.len() * percent / 100)).map_or(0.0, |t| t.as_secs_f64() * 1e3)
        };
        let (asked, gap) = (self.times.len(), self.gap * 100.0);
        println!(
            "{name:34} {asked:6} {:10.3} {:10.3} {:10.3} {:5} {gap:9.4}",
            at(50),
            at(95),
            at(100),
            self.open
        );
    }
}

fn random_instances(
    name: &str,
    (kind, style): (Kind, Style),
    size: (usize, usize),
    count: u64,
    grain: f64,
    effort: Effort,
) {
    let (mut cost, mut time) = (Group::default(), Group::default());
    for seed in 0..count {
        let mut random = Random(seed);
        let stages = instance(&mut random, kind, style, size, grain);
        let problem = Problem::new(&stages).expect("a stage graph");
        let Outcome::Infeasible { least } = problem.cheapest_within(Some(-1), effort) else { continue };
        let Some(slow) = problem.cheapest_within(None, effort).found() else { continue };
        let share = random.one_of(&[0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7]);
        let deadline = least + ((slow.makespan - least) as f64 * share) as i64;
        cost.ask(&stages, |p| p.cheapest_within(Some(deadline), effort), |a| a.cost);
        let Some(answer) = problem.cheapest_within(Some(deadline), effort).found() else { continue };
        let budget = answer.cost + answer.cost / 50;
        time.ask(&stages, |p| p.fastest_within(budget, effort), |a| a.makespan);
    }
    cost.print(&format!("{name}, cost"));
    time.print(&format!("{name}, time"));
}

fn oracles() {
    #[expect(clippy::disallowed_methods, reason = "where the oracles lie is the caller's to say")]
    let folder = std::env::var("PLAN_ORACLES")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/oracles"), PathBuf::from);
    let Ok(files) = std::fs::read_dir(folder.join("dtctp")) else {
        println!("oracles: none in {} (set PLAN_ORACLES)", folder.display());
        return;
    };
    let mut files: Vec<PathBuf> = files.filter_map(|f| Some(f.ok()?.path())).collect();
    files.sort();
    let (mut cost, mut time) = (Group::default(), Group::default());
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "json")) {
        let text = std::fs::read_to_string(file).expect("an instance");
        let instance: serde_json::Value = serde_json::from_str(&text).expect("an instance");
        let stages = stages(&instance).expect("an instance");
        let (deadline, budget) =
            (instance["deadline_s"].as_i64(), instance["oracle"]["budget_udollar"].as_i64());
        cost.ask(&stages, |p| p.cheapest_within(deadline, PATIENT), |a| a.cost);
        time.ask(&stages, |p| p.fastest_within(budget.unwrap_or(0), PATIENT), |a| a.makespan);
    }
    cost.print("oracles, cost");
    time.print("oracles, time");
}

fn stages(instance: &serde_json::Value) -> Option<Vec<Stage>> {
    let list = instance["stages"].as_array()?;
    let choice = |o: &serde_json::Value| {
        Some(Choice { time: o["time_s"].as_i64()?, cost: o["cost_udollar"].as_i64()? })
    };
    let number = |id: &serde_json::Value| list.iter().position(|s| s["id"] == *id);
    let stage = |s: &serde_json::Value| {
        let choices = s["options"].as_array()?.iter().map(choice).collect::<Option<_>>()?;
        let after = s["deps"].as_array()?.iter().map(number).collect::<Option<_>>()?;
        Some(Stage { choices, after })
    };
    list.iter().map(stage).collect()
}
