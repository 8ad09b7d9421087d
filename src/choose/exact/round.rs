//! From event times to a selection, and from a selection to a cheaper one that fits the same deadline.

use super::problem::Problem;

/// Lets stages that have time to spare take cheaper choices, the largest saving first, until none has.
/// `rungs` must keep the deadline. Returns the steps that it took.
pub(super) fn relax(problem: &Problem, rungs: &mut [usize], deadline: i64) -> u64 {
    let ladders = &problem.ladders;
    let mut time: Vec<i64> = ladders.iter().zip(rungs.iter()).map(|(l, &k)| l.time[k]).collect();
    let (mut end, mut tail) = (Vec::new(), Vec::new());
    let mut steps = 0;
    loop {
        problem.graph.ends(&time, &mut end);
        problem.graph.tails(&time, &mut tail);
        steps += 2 * time.len() as u64;
        let mut best = (0, 0, 0);
        for (i, ladder) in ladders.iter().enumerate() {
            let window = deadline - end[i] - tail[i] + 2 * time[i];
            let old = rungs[i];
            let new = old + ladder.time[old + 1..].partition_point(|&t| t <= window);
            let saving = ladder.cost[old] - ladder.cost[new];
            if saving > best.0 {
                best = (saving, i, new);
            }
        }
        let (saving, i, rung) = best;
        if saving == 0 {
            return steps;
        }
        rungs[i] = rung;
        time[i] = ladders[i].time[rung];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::exact::problem::{Choice, Stage};

    #[test]
    fn the_largest_saving_takes_the_time() {
        let choice = |time, cost| Choice { time, cost };
        let stages = [
            Stage { choices: vec![choice(1, 10), choice(3, 5)], after: vec![] },
            Stage { choices: vec![choice(1, 10), choice(3, 2), choice(9, 1)], after: vec![0] },
        ];
        let problem = Problem::new(&stages).unwrap();
        let mut rungs = [0, 0];
        relax(&problem, &mut rungs, 5);
        assert_eq!(rungs, [0, 1]); // 4 of 5 used; the other saving (2 units of time for 5) no longer fits
    }
}
