//! The options of a stage by the owned machines that they use: what limits leave of them is a question to the solver.

use super::branch::Limits;
use super::pools::{Pools, Use};
use crate::choose::assemble::Considered;
use crate::choose::exact::Choice;
use crate::choose::question::{Classes, choices, competes};
use crate::choose::select::{preference, preferred};
use crate::job::{Stage, StageKind};
use crate::units::BilledTime;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One way to do a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Position of the quote.
    pub(super) quote: usize,
    pub(super) choice: Choice,
    pub(super) used: Option<Use>,
}

/// The options of one stage, in order of preference.
pub(super) type Entries = Arc<Vec<Entry>>;

/// The options of each stage: of those that use the same owned machines none that another one beats. Where time does not
/// count that leaves the cheapest. Stages that ask for the same share them.
pub(super) fn entries(
    pools: &Pools<'_>,
    stages: &[Considered],
    classes: Classes,
    timed: bool,
) -> Vec<Entries> {
    let mut known: BTreeMap<usize, Entries> = BTreeMap::new();
    let both = pools.basis.job.stages.iter().zip(stages);
    both.map(|(stage, considered)| {
        let of = || Arc::new(of_stage(pools, stage, considered, classes, timed));
        known.entry(Arc::as_ptr(&considered.quotes).addr()).or_insert_with(of).clone()
    })
    .collect()
}

fn of_stage(
    pools: &Pools<'_>,
    stage: &Stage,
    considered: &Considered,
    classes: Classes,
    timed: bool,
) -> Vec<Entry> {
    let basis = pools.basis;
    let quotes = &considered.quotes.quotes;
    let kinds: BTreeSet<Option<Use>> = quotes.iter().map(|quote| pools.used(considered, quote)).collect();
    let mut all = Vec::new();
    for used in kinds {
        let other = |quote: &_| pools.used(considered, quote) != used;
        let options: Vec<(usize, Choice)> = if timed && stage.kind != StageKind::Serve {
            choices(basis, stage, considered, classes, &other)
        } else {
            let best = preferred(basis.job, basis.catalog, quotes, |quote| {
                competes(stage, considered, classes, quote) && !other(quote)
            });
            best.and_then(|at| Some((at, bare(stage, quotes.get(at)?)?))).into_iter().collect()
        };
        all.extend(options.into_iter().map(|(quote, choice)| Entry { quote, choice, used }));
    }
    all.sort_by(|a, b| match (quotes.get(a.quote), quotes.get(b.quote)) {
        (Some(one), Some(other)) => preference(basis.job, basis.catalog, one, other),
        _ => a.quote.cmp(&b.quote),
    });
    all
}

/// Cost and expected time; a service takes no time of a run.
fn bare(stage: &Stage, quote: &crate::price::Quote) -> Option<Choice> {
    let time = if stage.kind == StageKind::Serve { 0 } else { BilledTime::from_hours(quote.time)?.millis() };
    Some(Choice { time, cost: i64::try_from(quote.cost.nanos()).ok()? })
}

/// What limits leave of a stage's options.
pub(super) fn allowed<'a, 'b>(
    entries: &'a [Entry],
    stage: usize,
    limits: &'b Limits,
) -> impl Iterator<Item = &'a Entry> + use<'a, 'b> {
    entries.iter().filter(move |entry| {
        entry.used.is_none_or(|used| limits.get(&(stage, used.pool)).is_none_or(|most| used.count <= *most))
    })
}
