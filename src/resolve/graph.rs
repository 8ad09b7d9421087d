//! The stage graph: names to positions, each name once, no stage that waits for itself.

use super::ledger::Ledger;
use crate::diag::{Code, Diagnostic};
use crate::read::workload::RawStage;
use std::collections::BTreeMap;

/// For each stage the positions of those that it waits for.
pub(super) fn resolve(raw: &[RawStage], names: &[String], ledger: &mut Ledger<'_>) -> Vec<Vec<usize>> {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, (name, stage)) in names.iter().zip(raw).enumerate() {
        if let Some(first) = positions.get(name.as_str()).and_then(|first| raw.get(*first)) {
            let place = stage.name.as_ref().map_or(&stage.place, |n| &n.place);
            ledger.diags.push(
                Diagnostic::error(
                    Code::Duplicate,
                    place.clone(),
                    format!("stage `{name}` is stated twice, first in line {}", first.place.line),
                )
                .hint(format!("name this one `{}`", free_name(name, names))),
            );
        } else {
            positions.insert(name, at);
        }
    }
    let mut after: Vec<Vec<usize>> = Vec::with_capacity(raw.len());
    for stage in raw {
        let mut waits = Vec::new();
        for wanted in &stage.after {
            match positions.get(wanted.value.as_str()) {
                Some(at) if waits.contains(at) => {}
                Some(at) => waits.push(*at),
                None => ledger.diags.push(
                    Diagnostic::error(
                        Code::UnknownName,
                        wanted.place.clone(),
                        format!("`after` names {:?}: no such stage", wanted.value),
                    )
                    .allowed(crate::names::list(positions.keys().copied()))
                    .did_you_mean(&wanted.value, positions.keys().copied()),
                ),
            }
        }
        after.push(waits);
    }
    for cycle in cycles(&after) {
        report(raw, names, &cycle, ledger);
    }
    after
}

fn free_name(name: &str, names: &[String]) -> String {
    let mut n = 2usize;
    loop {
        let candidate = format!("{name}-{n}");
        if !names.contains(&candidate) {
            return candidate;
        }
        n += 1;
    }
}

fn report(raw: &[RawStage], names: &[String], cycle: &[usize], ledger: &mut Ledger<'_>) {
    let name = |at: &usize| names.get(*at).map_or("?", String::as_str);
    let path: Vec<&str> = cycle.iter().chain(cycle.first()).map(name).collect();
    // The first stage of the cycle, and in its `after` the entry that belongs to the cycle.
    let place = cycle.first().and_then(|at| raw.get(*at)).map(|stage| {
        let next = cycle.get(1).or_else(|| cycle.first()).map_or("?", name);
        let entry = stage.after.iter().find(|a| a.value == next);
        entry.map_or(&stage.place, |a| &a.place).clone()
    });
    let message = format!("stages wait for one another: {}", path.join(" after "));
    ledger.diags.push(Diagnostic::error(Code::Cycle, place, message).hint("take one of them out of `after`"));
}

/// Cycles that share no stage, each from its first stage in file order and followed by one that it waits for. When
/// all of them are broken, another run may show those that shared a stage with one of them.
fn cycles(after: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    // Depth first with an explicit stack; a long chain must not exhaust the call stack.
    let mut done = vec![false; after.len()];
    for start in 0..after.len() {
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let (here, edge) = (*at, *next);
            *next += 1;
            if done.get(here) == Some(&true) {
                path.pop();
                continue;
            }
            let Some(to) = after.get(here).and_then(|edges| edges.get(edge)) else {
                mark(&mut done, here);
                path.pop();
                continue;
            };
            let Some(from) = path.iter().position(|(stage, _)| stage == to) else {
                path.push((*to, 0));
                continue;
            };
            let cycle: Vec<usize> = path.drain(from..).map(|(stage, _)| stage).collect();
            for stage in &cycle {
                mark(&mut done, *stage);
            }
            cycles.push(rotated(cycle));
        }
    }
    cycles
}

fn mark(done: &mut [bool], stage: usize) {
    if let Some(flag) = done.get_mut(stage) {
        *flag = true;
    }
}

fn rotated(mut cycle: Vec<usize>) -> Vec<usize> {
    let least = cycle.iter().enumerate().min_by_key(|(_, stage)| **stage).map_or(0, |(at, _)| at);
    cycle.rotate_left(least);
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_cycle_and_begins_with_its_first_stage() {
        assert!(cycles(&[vec![], vec![0], vec![0, 1]]).is_empty());
        assert_eq!(cycles(&[vec![0]]), [[0]]);
        assert_eq!(cycles(&[vec![], vec![3, 0], vec![1], vec![2]]), [[1, 3, 2]]);
        assert_eq!(cycles(&[vec![1], vec![0], vec![3], vec![2]]), [[0, 1], [2, 3]]);
        let chain: Vec<Vec<usize>> = (0..5_000).map(|i| vec![i + 1]).chain([vec![]]).collect();
        assert!(cycles(&chain).is_empty());
    }
}
