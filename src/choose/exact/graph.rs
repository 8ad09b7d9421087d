//! The stage graph: from "this stage comes after those" to an order, to longest paths, or to the cycle that
//! forbids both.

/// Which stage waits for which, without cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// For each stage the stages that it waits for, ascending and without repeats.
    before: Vec<Vec<usize>>,
    /// The stages so that each comes after all that it waits for.
    order: Vec<usize>,
}

/// Why a list of dependencies is not a stage graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// Stage `stage` waits for a stage number that does not exist.
    Unknown {
        /// The stage that waits.
        stage: usize,
        /// The number that no stage has.
        waits_for: usize,
    },
    /// Each of these stages waits for the next one, and the last one for the first.
    Cycle(Vec<usize>),
}

impl Graph {
    /// From the stages that each stage waits for. Repeats in a list do not count.
    ///
    /// The order is the one that keeps the smallest ready stage first, so equal graphs give equal orders.
    pub fn new(before: &[Vec<usize>]) -> Result<Self, GraphError> {
        let n = before.len();
        let mut sorted = Vec::with_capacity(n);
        for (stage, list) in before.iter().enumerate() {
            if let Some(&waits_for) = list.iter().find(|&&p| p >= n) {
                return Err(GraphError::Unknown { stage, waits_for });
            }
            let mut list = list.clone();
            list.sort_unstable();
            list.dedup();
            sorted.push(list);
        }
        let mut after = vec![Vec::new(); n];
        let mut waits: Vec<usize> = sorted.iter().map(Vec::len).collect();
        for (stage, list) in sorted.iter().enumerate() {
            for &p in list {
                after[p].push(stage);
            }
        }
        let mut ready: std::collections::BTreeSet<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
        let mut order = Vec::with_capacity(n);
        while let Some(stage) = ready.pop_first() {
            order.push(stage);
            for &next in &after[stage] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        if order.len() < n {
            return Err(GraphError::Cycle(cycle(&sorted, &waits)));
        }
        Ok(Self { before: sorted, order })
    }

    /// How many stages there are.
    pub fn len(&self) -> usize {
        self.before.len()
    }

    /// Whether there is no stage at all.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// The stages that each stage waits for.
    pub fn before(&self) -> &[Vec<usize>] {
        &self.before
    }

    /// All stages, each after those that it waits for.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// When each stage ends at the earliest, for one duration per stage, into `end`.
    pub(super) fn ends(&self, time: &[i64], end: &mut Vec<i64>) {
        end.clear();
        end.resize(self.len(), 0);
        for &i in &self.order {
            let start = self.before[i].iter().map(|&p| end[p]).max().unwrap_or(0);
            end[i] = start + time[i];
        }
    }

    /// How long each stage and everything behind it takes at the least, its own duration included, into `tail`.
    pub(super) fn tails(&self, time: &[i64], tail: &mut Vec<i64>) {
        tail.clear();
        tail.resize(self.len(), 0);
        for &i in self.order.iter().rev() {
            tail[i] += time[i];
            for &p in &self.before[i] {
                tail[p] = tail[p].max(tail[i]);
            }
        }
    }

    /// The longest path: how long everything takes when nothing waits for longer than it must.
    pub fn makespan(&self, time: &[i64]) -> i64 {
        let mut end = Vec::new();
        self.ends(time, &mut end);
        end.into_iter().max().unwrap_or(0)
    }

    /// The same graph without the arcs that a longer way already implies.
    #[must_use]
    pub fn reduced(&self) -> Self {
        let words = self.len().div_ceil(64);
        // Bit p of row i: stage i comes somewhere after stage p.
        let mut past = vec![vec![0_u64; words]; self.len()];
        let mut before = vec![Vec::new(); self.len()];
        for &i in &self.order {
            let mut row = vec![0_u64; words];
            for &p in &self.before[i] {
                for (w, bits) in row.iter_mut().zip(&past[p]) {
                    *w |= bits;
                }
            }
            before[i] = self.before[i].iter().copied().filter(|p| row[p / 64] >> (p % 64) & 1 == 0).collect();
            for p in &self.before[i] {
                row[p / 64] |= 1 << (p % 64);
            }
            past[i] = row;
        }
        Self { before, order: self.order.clone() }
    }
}

/// One cycle among the stages that still wait: every one of them waits for another one of them.
fn cycle(before: &[Vec<usize>], waits: &[usize]) -> Vec<usize> {
    let next = |i: usize| before[i].iter().copied().find(|&p| waits[p] > 0);
    let mut seen = vec![false; before.len()];
    let mut at = waits.iter().position(|&w| w > 0);
    let mut path = Vec::new();
    while let Some(i) = at {
        if seen[i] {
            let start = path.iter().position(|&p| p == i).unwrap_or(0);
            return path.split_off(start);
        }
        seen[i] = true;
        path.push(i);
        at = next(i);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_longest_path_of_a_diamond() {
        let g = Graph::new(&[vec![], vec![0], vec![0], vec![1, 2]]).unwrap();
        assert_eq!(g.order(), [0, 1, 2, 3]);
        let mut times = Vec::new();
        g.ends(&[1, 5, 2, 3], &mut times);
        assert_eq!(times, [1, 6, 3, 9]);
        g.tails(&[1, 5, 2, 3], &mut times);
        assert_eq!(times, [9, 8, 5, 3]);
        assert_eq!(g.makespan(&[1, 5, 2, 3]), 9);
    }

    #[test]
    fn order_does_not_need_ascending_stages() {
        let g = Graph::new(&[vec![2], vec![0], vec![]]).unwrap();
        assert_eq!(g.order(), [2, 0, 1]);
    }

    #[test]
    fn a_cycle_is_named_and_nothing_beside_it() {
        let e = Graph::new(&[vec![], vec![0, 3], vec![1], vec![2], vec![3]]).unwrap_err();
        assert_eq!(e, GraphError::Cycle(vec![1, 3, 2]));
        assert_eq!(Graph::new(&[vec![0]]).unwrap_err(), GraphError::Cycle(vec![0]));
    }

    #[test]
    fn an_unknown_stage_is_named() {
        let e = Graph::new(&[vec![], vec![7]]).unwrap_err();
        assert_eq!(e, GraphError::Unknown { stage: 1, waits_for: 7 });
    }

    #[test]
    fn implied_arcs_go() {
        let g = Graph::new(&[vec![], vec![0], vec![0, 1], vec![0, 1, 2, 2]]).unwrap().reduced();
        assert_eq!(g.before(), [vec![], vec![0], vec![1], vec![2]]);
    }
}
