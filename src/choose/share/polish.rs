//! Other machines for the stages beside those that share months.

use super::trial::{Mode, Pool, Run, SMALL, Trial, millis};
use crate::choose::question::{Basis, Classes, competes, counted};
use crate::job::Purchase;
use crate::price::{Pricer, Quote};
use crate::units::Money;

impl Run<'_> {
    /// A plan with other quotes of stages outside its pools, one by one, as long as that makes it better: a month may reach
    /// farther where the stages between those that share it take less time.
    pub(super) fn polished(&self, mut trial: Trial, left: &mut u64) -> Trial {
        let outside: Vec<usize> =
            (0..trial.picks.len()).filter(|at| trial.picks.get(*at) != Some(&None)).collect();
        let ladders: Vec<(usize, Vec<usize>)> = outside.into_iter().map(|at| (at, self.ladder(at))).collect();
        while *left > 0 {
            let mut best: Option<Trial> = None;
            for (at, ladder) in &ladders {
                for pick in ladder {
                    *left = left.saturating_sub(SMALL);
                    let mut picks = trial.picks.clone();
                    let Some(slot) = picks.get_mut(*at).filter(|slot| **slot != Some(*pick)) else {
                        continue;
                    };
                    *slot = Some(*pick);
                    let Some(makespan) = self.in_time(&trial.pools, &picks) else {
                        continue;
                    };
                    let Some(other) = self.with(trial.pools.clone(), picks, makespan) else { continue };
                    if self.is_better(other.rank, best.as_ref().unwrap_or(&trial).rank) {
                        best = Some(other);
                    }
                }
            }
            match best {
                Some(better) => trial = better,
                None => break,
            }
        }
        trial
    }

    /// The quotes of a stage of which none is slower and dearer than another, without owned machines, which were given out
    /// already.
    fn ladder(&self, at: usize) -> Vec<usize> {
        let pair = self.basis.job.stages.get(at).zip(self.stages.get(at));
        let Some((stage, considered)) = pair.filter(|_| self.mode != Mode::NoSlower) else {
            return Vec::new();
        };
        let quotes = considered.quotes.quotes.iter().enumerate();
        let open = |quote: &Quote| {
            quote.purchase != Purchase::Owned && competes(stage, considered, Classes::Selected, quote)
        };
        let mut open: Vec<(usize, &Quote)> = quotes.filter(|(_, quote)| open(quote)).collect();
        open.sort_by(|(i, a), (j, b)| a.time.total_cmp(&b.time).then(a.cost.cmp(&b.cost)).then(i.cmp(j)));
        let mut least: Option<Money> = None;
        open.retain(|(_, quote)| {
            let cheaper = least.is_none_or(|least| quote.cost < least);
            least = if cheaper { Some(quote.cost) } else { least };
            cheaper
        });
        open.into_iter().map(|(number, _)| number).collect()
    }

    /// How long a plan takes with the times that count, where it keeps the deadline.
    fn in_time(&self, pools: &[Pool], picks: &[Option<usize>]) -> Option<i64> {
        let Basis { job, catalog, book } = self.basis;
        let mut lengths = vec![0; self.stages.len()];
        for (at, slot) in lengths.iter_mut().enumerate() {
            if let Some(quote) = self.quote(at, picks.get(at).copied().flatten()) {
                let (stage, considered) = (job.stages.get(at)?, self.stages.get(at)?);
                let spot = quote.purchase == Purchase::Spot && self.mode != Mode::Free;
                *slot = millis(if spot {
                    counted(job, &Pricer::new(job, stage, catalog, book), &considered.candidates, quote)
                } else {
                    quote.net().map_or(quote.time, |net| net.within)
                });
            }
        }
        for part in pools.iter().flat_map(|pool| &pool.parts) {
            *lengths.get_mut(part.stage)? = millis(part.time);
        }
        let makespan = self.graph.makespan(&lengths);
        match self.mode {
            Mode::Cheapest(deadline) => (makespan <= deadline).then_some(makespan),
            Mode::Free | Mode::NoSlower | Mode::Fastest(_) => Some(makespan),
        }
    }
}
