//! A tie is a tie: where the first and the second choice of a stage differ by less than their times are known, which
//! one measurement would settle it (B-C8).

use super::taken::Taken;
use crate::catalog::Instance;
use crate::catalog::processor::family;
use crate::choose::select::preference;
use crate::decide::{Candidate, Layout};
use crate::duration::{Evidence, combined};
use crate::job::{Aim, Class, Stage, StageKind};
use crate::plan::{Contender, Measure, Plan, Probe, Tie};
use crate::price::Quote;
use crate::price::open::commits;
use crate::units::number::significant;
use crate::units::{Hours, Money};

/// Steps that give a stable mean: identical nodes differ by up to 2 %, so no more than that is worth knowing, and single
/// steps by some 20 % (a guess: input, clocks): (1.645 × 20 ÷ 2)² = 271 for nine times out of ten, and a few to warm up.
const STEPS: f64 = 300.0;
/// The share that is run of work without steps, and the least time that it shall take. Guesses.
const SHARE: f64 = 0.01;
const LEAST: Hours = Hours::from_minutes(5);
/// What is shorter than this is run once. A guess at what a person waits for.
const SHORT: Hours = Hours::from_minutes(10);
/// Factor within which a measurement on the instance type itself repeats.
const MEASURED: f64 = 1.05;

/// The ties of a plan, the one that may save most first.
pub fn ties(plan: &Plan, taken: &[Option<Taken<'_>>]) -> Vec<Tie> {
    let mut ties: Vec<Tie> = taken.iter().flatten().filter_map(|taken| tie(plan, taken)).collect();
    ties.sort_by_key(|tie| std::cmp::Reverse(tie.measure.may_save));
    ties
}

/// A choice with what it would cost at the ends of its time's band.
struct Side<'a> {
    quote: &'a Quote,
    candidate: &'a Candidate,
    instance: &'a Instance,
    /// Factor by which the cost rises or falls towards the other one at the end of the band.
    edge: f64,
}

fn tie(plan: &Plan, taken: &Taken<'_>) -> Option<Tie> {
    let second = second(plan, taken)?;
    let pricer = taken.pricer();
    let side = |quote: &'_ Quote, dearer: bool| {
        let candidate = taken.candidates.of(quote.candidate)?;
        let time = candidate.duration.time;
        let end = pricer.cost_if(candidate, quote, if dearer { time.high } else { time.low });
        let (cost, end) = (quote.cost.as_f64(), end.map_or(f64::INFINITY, Money::as_f64));
        let edge = if dearer { end / cost } else { cost / end };
        (cost > 0.0 && edge.is_finite()).then_some((candidate, edge.max(1.0)))
    };
    let (of_first, of_second) = (side(taken.quote, true)?, side(second, false)?);
    let first =
        Side { quote: taken.quote, candidate: of_first.0, instance: taken.instance, edge: of_first.1 };
    let instance = taken.instance_of(second)?;
    let second = Side { quote: second, candidate: of_second.0, instance, edge: of_second.1 };
    let band = combined(&[first.edge, second.edge]);
    let ratio = second.quote.cost.as_f64() / first.quote.cost.as_f64();
    let known = |side: &Side<'_>| side.candidate.duration.evidence == Evidence::Measured;
    let apart = ratio >= band || ratio <= 1.0 / band;
    if apart || (known(&first) && known(&second)) {
        return None;
    }
    // What is known worst is measured, and of equals the machine that will be rented anyway.
    let measures_first = !known(&first) && (known(&second) || first.edge >= second.edge);
    let (measured, other) = if measures_first { (&first, &second) } else { (&second, &first) };
    if measured.edge <= MEASURED {
        return None;
    }
    let Run { part, takes, scale } = probe(taken.stage, measured.candidate);
    // The measured one alone moves, to the end of its own band.
    let saved = if measures_first {
        first.quote.cost.scaled(first.edge) - second.quote.cost
    } else {
        first.quote.cost - second.quote.cost.scaled(1.0 / second.edge)
    };
    let contender = |side: &Side<'_>| Contender {
        rent: taken.label(side.quote),
        cost: pricer.cost_band(side.candidate, side.quote),
    };
    let seller = taken.found.catalog.provider(measured.instance.provider)?;
    Some(Tie {
        stage: taken.stage.name.clone(),
        band,
        measure: Measure {
            on: format!("{}/{}", seller.name, measured.instance.name),
            instances: if matches!(measured.candidate.layout, Layout::Whole) {
                measured.candidate.count
            } else {
                1
            },
            probe: part,
            takes,
            band: combined(&[MEASURED, other.edge]),
            may_save: saved.max(Money::ZERO).to_cents(),
            gives: gives(taken.stage, part),
            scale,
        },
        first: contender(&first),
        second: contender(&second),
    })
}

/// The cheapest quote on other hardware that does not break the deadline; its cost and the choice's do not rise and fall
/// together. What costs less than the choice lost for another reason (its class, the chance of the deadline, the time
/// that is the aim), which no better knowledge of the costs takes away; where that is a class of machine, measuring on it
/// comes first (the rule B-C8 says so).
fn second<'a>(plan: &Plan, taken: &Taken<'a>) -> Option<&'a Quote> {
    let slack = plan.limits.deadline.map(|deadline| {
        deadline.minus(plan.time.map_or(Hours::ZERO, |time| time.expected)) + taken.quote.time
    });
    if taken.job().limits.aim == Aim::Time {
        return None;
    }
    // A class that is cheaper and was not taken lost by a rule of thumb or by its time.
    let lost = |class: Class| {
        class != taken.quote.class
            && taken.cheapest_of(class).is_some_and(|best| best.cost < taken.quote.cost)
    };
    if lost(Class::Cpu) || lost(Class::Gpu) {
        return None;
    }
    let mut best: Option<&Quote> = None;
    for quote in &taken.quotes.quotes {
        // The dear ones, which are most, need no closer look.
        let open = quote.cost >= taken.quote.cost
            && !commits(taken.stage, quote.purchase)
            && slack.is_none_or(|most| quote.time <= most);
        if !open || best.is_some_and(|best| quote.cost > best.cost) {
            continue;
        }
        let other = taken.candidates.of(quote.candidate).is_some_and(|c| !is_alike(taken, c));
        let preferred = |best: &Quote| preference(taken.job(), taken.found.catalog, quote, best).is_lt();
        if other && best.is_none_or(preferred) {
            best = Some(quote);
        }
    }
    best
}

/// Whether a candidate computes on what the choice computes on: the same card, or the same processor.
fn is_alike(taken: &Taken<'_>, other: &Candidate) -> bool {
    let catalog = taken.found.catalog;
    let Some(instance) = catalog.instance(other.instance) else { return true };
    if other.class != taken.candidate.class {
        return false;
    }
    if other.class == Class::Gpu {
        let card = |i: &Instance| i.gpu.map(|gpu| gpu.accelerator);
        return card(instance) == card(taken.instance);
    }
    match (catalog.processor(instance), catalog.processor(taken.instance)) {
        (Some(a), Some(b)) => a.cpu == b.cpu,
        _ => {
            instance.provider == taken.instance.provider
                && family(&instance.name) == family(&taken.instance.name)
        }
    }
}

/// A part of a stage to run for a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// How much of it.
    pub part: Probe,
    /// How long that takes.
    pub takes: Hours,
    /// What was measured times this is the figure to give.
    pub scale: f64,
}

impl Run {
    /// A part of which the rate is given, or all of it.
    const fn bare(part: Probe, takes: Hours) -> Self {
        Self { part, takes, scale: 1.0 }
    }
}

/// How much of a stage to run on a candidate, how long that takes there, and what becomes of what was measured.
pub fn probe(stage: &Stage, candidate: &Candidate) -> Run {
    let all = candidate.duration.time.expected;
    if stage.kind == StageKind::Serve {
        return Run { part: Probe::Requests(STEPS), takes: all * STEPS, scale: 1.0 / STEPS };
    }
    let rounds = match candidate.layout {
        Layout::Pool(pool) => f64::from(pool.rounds.max(1)),
        Layout::Whole | Layout::Service(_) => 1.0,
    };
    // Of a search, one trial.
    let one = all / rounds;
    if one <= SHORT {
        return Run::bare(Probe::Whole, one);
    }
    let samples = stage.samples.map(|n| n * stage.epochs).filter(|n| *n > 0.0);
    let batch = stage.model.as_ref().map(|m| m.batch_size).filter(|b| b.is_finite() && *b >= 1.0);
    // One part of so many: what it takes times that number is the whole.
    let share = SHARE.max(LEAST / one);
    let parts = (1.0 / share).floor().max(1.0);
    // Of a search the time of a whole trial is given, of other work the rate.
    let run = |part: Probe, share: f64| {
        let scale = if gives(stage, part) == "time" { 1.0 / share } else { 1.0 };
        Run { part, takes: one * share, scale }
    };
    match (samples, batch) {
        (Some(samples), Some(batch)) if samples / batch > STEPS => {
            run(Probe::Steps(STEPS), STEPS * batch / samples)
        }
        (Some(samples), Some(batch)) => {
            let steps = (samples / batch).ceil();
            let part = (steps * share).ceil();
            if part < steps { run(Probe::Steps(part), part / steps) } else { Run::bare(Probe::Whole, one) }
        }
        (Some(samples), None) => {
            let part = (samples * share).ceil();
            run(Probe::Samples(part), part / samples)
        }
        (None, _) => run(Probe::Share(1.0 / parts), 1.0 / parts),
    }
}

/// What to run, in words: `run 300 steps`; of a search, of one trial.
pub fn order(stage: &Stage, probe: Probe) -> String {
    match (stage.kind, probe) {
        (StageKind::Tune, Probe::Whole) => "run one trial once".to_owned(),
        (StageKind::Tune, part) => format!("{part} of one trial").replacen("of it of", "of", 1),
        (_, part) => part.to_string(),
    }
}

/// The key that takes the figure of such a run.
pub fn gives(stage: &Stage, probe: Probe) -> &'static str {
    match (stage.kind, probe) {
        (StageKind::Tune | StageKind::Serve, _)
        | (_, Probe::Whole | Probe::Share(_) | Probe::Requests(_)) => "time",
        (_, Probe::Steps(_) | Probe::Samples(_)) => "rate",
    }
}

/// What to give of what was measured: `and give 27 times that time: measured = [{ on = "aws/c5.xlarge", time = "…" }]`.
pub fn give(on: &str, instances: u32, gives: &str, scale: f64) -> String {
    let key = key(on, instances, gives);
    match scale {
        s if (s - 1.0).abs() < 1e-9 => format!("and give {key}"),
        s if s < 1.0 => format!("and give the mean, that time ÷ {}: {key}", significant(1.0 / s, 6)),
        s => format!("and give {} times that time: {key}", significant(s, 4)),
    }
}

/// `measured = [{ on = "aws/g4dn.xlarge", rate = "…/s" }]`.
fn key(on: &str, instances: u32, gives: &str) -> String {
    let many = if instances > 1 { format!(", instances = {instances}") } else { String::new() };
    let figure = if gives == "rate" { "rate = \"…/s\"" } else { "time = \"…\"" };
    format!("measured = [{{ on = {on:?}{many}, {figure} }}]")
}

/// The tie in words, and with the factors behind it.
pub fn words(taken: &Taken<'_>, tie: &Tie) -> [String; 2] {
    let Tie { first, second, band, measure, stage: _ } = tie;
    let side = |c: &Contender| {
        let end = |m: Option<Money>| m.map_or_else(|| "without end".to_owned(), Money::amount);
        let expected = c.cost.expected.unwrap_or_default();
        let (low, high) = (end(c.cost.low), end(c.cost.high));
        let band = if low == high { String::new() } else { format!(" ({low}–{high})") };
        format!("{} for {}{band}", c.rent, expected.amount())
    };
    let gain = if measure.may_save > Money::ZERO {
        format!("it may save up to {}", taken.money(measure.may_save))
    } else {
        "that alone hardly changes the choice".to_owned()
    };
    let short = format!(
        "a tie: {} or {} {}: {} on {} (about {}) {}; {gain}",
        side(first),
        side(second),
        taken.job().currency,
        order(taken.stage, measure.probe),
        measure.on,
        measure.takes,
        give(&measure.on, measure.instances, measure.gives, measure.scale),
    );
    let n = |factor: f64| significant(factor, 3);
    let long = format!(
        "{short}; the ratio of the two costs is known within ×/÷{}, then within ×/÷{}",
        n(*band),
        n(measure.band)
    );
    [short, long]
}
