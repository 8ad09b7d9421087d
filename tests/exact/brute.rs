//! The same answers by trying every selection.

use plan::choose::exact::Stage;

/// A selection as the order compares it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Selection {
    pub(super) cost: i64,
    pub(super) makespan: i64,
    pub(super) places: Vec<usize>,
}

/// All selections of choices that no other choice of their stage dominates (of equal ones the first stays).
pub(super) fn selections(stages: &[Stage]) -> Vec<Selection> {
    let kept: Vec<Vec<usize>> = stages.iter().map(undominated).collect();
    let mut all = Vec::new();
    let mut digits = vec![0; stages.len()];
    loop {
        let places: Vec<usize> = kept.iter().zip(&digits).map(|(k, &d)| k[d]).collect();
        all.push(selection(stages, places));
        // Counts up, the last stage fastest.
        let Some(i) = (0..digits.len()).rev().find(|&i| digits[i] + 1 < kept[i].len()) else { return all };
        digits[i] += 1;
        digits[i + 1..].fill(0);
    }
}

fn undominated(stage: &Stage) -> Vec<usize> {
    let all = &stage.choices;
    let beats = |j: usize, i: usize| {
        let (a, b) = (all[j], all[i]);
        a.time <= b.time && a.cost <= b.cost && (a != b || j < i)
    };
    (0..all.len()).filter(|&i| !(0..all.len()).any(|j| j != i && beats(j, i))).collect()
}

/// The sums of a selection; the longest path by walking back from every stage.
pub(super) fn selection(stages: &[Stage], places: Vec<usize>) -> Selection {
    let cost = stages.iter().zip(&places).map(|(s, &k)| s.choices[k].cost).sum();
    let mut known = vec![None; stages.len()];
    let makespan = (0..stages.len()).map(|i| end(stages, &places, i, &mut known)).max().unwrap_or(0);
    Selection { cost, makespan, places }
}

fn end(stages: &[Stage], places: &[usize], i: usize, known: &mut [Option<i64>]) -> i64 {
    if let Some(end) = known[i] {
        return end;
    }
    let start = stages[i].after.iter().map(|&p| end(stages, places, p, known)).max().unwrap_or(0);
    let end = start + stages[i].choices[places[i]].time;
    known[i] = Some(end);
    end
}

/// The first selection by cost, makespan, places that keeps the deadline.
pub(super) fn cheapest(all: &[Selection], deadline: i64) -> Option<&Selection> {
    all.iter().filter(|s| s.makespan <= deadline).min()
}

/// The first selection by makespan, cost, places that keeps the budget.
pub(super) fn fastest(all: &[Selection], budget: i64) -> Option<&Selection> {
    all.iter().filter(|s| s.cost <= budget).min_by_key(|s| (s.makespan, s.cost, &s.places))
}

/// For each makespan of the curve, the slowest first, its first selection.
pub(super) fn frontier(all: &[Selection]) -> Vec<&Selection> {
    let mut points = Vec::new();
    let mut next = cheapest(all, i64::MAX);
    while let Some(point) = next {
        points.push(point);
        next = cheapest(all, point.makespan - 1);
    }
    points
}
