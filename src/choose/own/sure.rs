//! The questions of the search where a chance to meet the deadline is asked for: that is no question to the solver alone, so
//! each node is a whole search for the cheapest plan with the chance, and few are looked at.

use super::ask::saves;
use super::branch::{Ask, Key, Limits, Pick, Solved};
use super::pools::Pools;
use crate::choose::assemble::Considered;
use crate::choose::confidence::keep_confidence;
use crate::choose::deadline::Kept;
use crate::choose::exact::Effort;
use crate::choose::select::select;
use crate::choose::totals::weighed_runs;
use crate::job::StageKind;
use crate::units::Money;
use std::sync::Arc;

/// Most searches.
const MOST: u32 = 24;

pub(super) struct SureQuestions<'a> {
    pools: &'a Pools<'a>,
    stages: &'a [Considered],
    effort: Effort,
    hints: Vec<Limits>,
    asked: u32,
}

impl<'a> SureQuestions<'a> {
    pub(super) const fn new(
        pools: &'a Pools<'a>,
        stages: &'a [Considered],
        effort: Effort,
        hints: Vec<Limits>,
    ) -> Self {
        Self { pools, stages, effort, hints, asked: 0 }
    }

    /// The stages within some limits, and where their quotes stood; none where one has no quote left that had some.
    fn within(&self, limits: &Limits) -> Option<(Vec<Considered>, Vec<Vec<usize>>)> {
        let basis = self.pools.basis;
        let (mut stages, mut places) = (self.stages.to_vec(), Vec::with_capacity(self.stages.len()));
        for (at, (stage, considered)) in basis.job.stages.iter().zip(&mut stages).enumerate() {
            let fits = |quote: &_| {
                self.pools
                    .used(considered, quote)
                    .is_none_or(|used| limits.get(&(at, used.pool)).is_none_or(|most| used.count <= *most))
            };
            let kept: Vec<bool> = considered.quotes.quotes.iter().map(fits).collect();
            places.push(kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(place, _)| place).collect());
            if kept.iter().all(|kept| *kept) {
                continue;
            }
            let mut fitting = kept.iter();
            Arc::make_mut(&mut considered.quotes).quotes.retain(|_| fitting.next().copied().unwrap_or(true));
            considered.selection =
                select(basis.job, stage, basis.catalog, &considered.candidates, &considered.quotes);
            considered.selection.chosen?;
        }
        Some((stages, places))
    }

    /// What a run costs as it is selected, and what the services cost in a month.
    fn costs(&self, stages: &[Considered]) -> Option<(Money, Money)> {
        let (mut run, mut services) = (Money::ZERO, Money::ZERO);
        for (stage, considered) in self.pools.basis.job.stages.iter().zip(stages) {
            let cost = considered.quotes.quotes.get(considered.selection.chosen?)?.cost;
            if stage.kind == StageKind::Serve {
                services = services + cost;
            } else {
                run = run + cost;
            }
        }
        Some((run, services))
    }

    fn found(&self, stages: &[Considered], places: &[Vec<usize>], at_least: i64) -> Option<(Key, Pick)> {
        let (run, services) = self.costs(stages)?;
        let runs = i128::from(weighed_runs(self.pools.basis.job));
        let whole = |run: i128| (run * runs + services.nanos(), 0);
        let place = |(c, places): (&Considered, &Vec<usize>)| places.get(c.selection.chosen?).copied();
        let quotes = stages.iter().zip(places).map(place).collect();
        let uses = self.pools.selected(stages);
        let pick = Pick { key: whole(run.nanos()), quotes, uses, makespan: 0 };
        Some((whole(i128::from(at_least).min(run.nanos())), pick))
    }
}

impl Ask for SureQuestions<'_> {
    fn solve(&mut self, limits: &Limits) -> Solved {
        let Some((mut stages, places)) = self.within(limits) else { return Solved::Nothing };
        self.asked += 1;
        match keep_confidence(self.pools.basis, &mut stages, self.effort) {
            Kept::Confident(at_least) => match self.found(&stages, &places, at_least) {
                Some((bound, pick)) => Solved::Found(bound, pick),
                None => Solved::Unknown,
            },
            _ => Solved::Unknown,
        }
    }

    fn lift(&mut self, _: &Limits) -> Option<i128> {
        None
    }

    fn tune(&mut self, _: i128) -> Option<i128> {
        None
    }

    fn hints(&mut self) -> Vec<Limits> {
        std::mem::take(&mut self.hints)
    }

    fn saves(&self, stage: usize, quote: usize) -> i128 {
        saves(self.stages, stage, quote)
    }

    fn may_go_on(&self) -> bool {
        self.asked < MOST
    }
}
