//! Bounds on what a plan costs with its data in a region, without asking the solver.

use super::search::Search;
use super::stock::Entry;
use crate::price::storage::keeping;
use crate::units::Money;
use std::collections::BTreeMap;

/// The least that each stage can weigh in each place, and anywhere.
pub(super) struct Bounds {
    at: Vec<BTreeMap<usize, i128>>,
    anywhere: Vec<Option<i128>>,
    /// The least time for which its data is kept.
    shortest: Vec<Option<Entry>>,
}

impl Bounds {
    pub(super) fn new(search: &Search<'_>, stock: &[Vec<Entry>]) -> Self {
        let at: Vec<BTreeMap<usize, i128>> = search
            .shelves
            .iter()
            .zip(stock)
            .map(|(shelf, entries)| {
                let mut at: BTreeMap<usize, i128> = BTreeMap::new();
                for entry in entries {
                    let weight = shelf.weigh(&search.prices, entry);
                    let least = at.entry(entry.place).or_insert(weight);
                    *least = weight.min(*least);
                }
                at
            })
            .collect();
        let anywhere = at.iter().map(|at| at.values().min().copied()).collect();
        let shortest =
            |entries: &Vec<Entry>| entries.iter().min_by(|a, b| a.expected.total_cmp(&b.expected)).copied();
        Self { at, anywhere, shortest: stock.iter().map(shortest).collect() }
    }

    /// Less than any plan with the data in a region costs, scaled; none where there is no plan.
    pub(super) fn of(&self, search: &Search<'_>, home: usize) -> Option<i128> {
        let mut weights = Vec::with_capacity(self.at.len());
        let stages = self.at.iter().zip(&self.anywhere).zip(&self.shortest);
        for (shelf, ((at, anywhere), shortest)) in search.shelves.iter().zip(stages) {
            let into = search.places.least_into(home, shelf.stage.brought());
            let away = into.and_then(|into| Some((*anywhere)? + search.scaled(into)));
            let least = [at.get(&home).copied(), away].into_iter().flatten().min()?;
            let month = search.places.month(home, shelf.stage.size);
            let kept = shortest.map_or(Money::ZERO, |e| keeping(month, e.expected).to_cents());
            weights.push(least + search.scaled(kept));
        }
        Some(search.total(&weights))
    }
}
