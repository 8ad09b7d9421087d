//! From the stage graph to a network of events: one arc per stage, and as few waiting arcs as possible.

use super::graph::Graph;

/// Events joined by arcs. The first `stages` arcs are the stages; the others take no time and only make one event
/// wait for another. The last arc leads from the end of everything back to its start: what flows through it is the
/// price of a unit of deadline.
#[derive(Debug, Clone)]
pub(super) struct Network {
    pub(super) stages: usize,
    /// Tail and head of each arc.
    pub(super) arcs: Vec<(usize, usize)>,
    /// The event at which everything starts.
    pub(super) start: usize,
    /// Where the joins of each event begin in `joins`, and where those of the last one end.
    first: Vec<usize>,
    joins: Vec<Join>,
}

/// An arc as seen from one of its events: its number, whether it leaves, the event at its other end.
pub(super) type Join = (usize, bool, usize);

impl Network {
    /// Two events per stage at first. Then an event that waits for one other event only, or for which one other
    /// event only waits, becomes one with it: it may as well happen at the same time.
    pub(super) fn new(graph: &Graph) -> Self {
        let n = graph.len();
        let (source, sink) = (2 * n, 2 * n + 1);
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let mut has_next = vec![false; n];
        for (i, before) in graph.before().iter().enumerate() {
            for &p in before {
                waiting.push((2 * p + 1, 2 * i));
                has_next[p] = true;
            }
            if before.is_empty() {
                waiting.push((source, 2 * i));
            }
        }
        waiting.extend((0..n).filter(|&i| !has_next[i]).map(|i| (2 * i + 1, sink)));
        let name = merge(n, &mut waiting);
        let mut used = name.clone();
        used.sort_unstable();
        used.dedup();
        let number = |event: usize| used.binary_search(&name[event]).unwrap_or(0);
        let mut arcs: Vec<(usize, usize)> = (0..n).map(|i| (number(2 * i), number(2 * i + 1))).collect();
        arcs.extend(waiting.iter().map(|&(u, v)| (number(u), number(v))));
        arcs.push((number(sink), number(source)));
        let mut at: Vec<Vec<Join>> = vec![Vec::new(); used.len()];
        for (a, &(u, v)) in arcs.iter().enumerate() {
            at[u].push((a, true, v));
            at[v].push((a, false, u));
        }
        let mut first = vec![0];
        first.extend(at.iter().scan(0, |sum, joins| {
            *sum += joins.len();
            Some(*sum)
        }));
        Self { stages: n, arcs, start: number(source), first, joins: at.concat() }
    }

    /// The arc from the end back to the start.
    pub(super) fn back(&self) -> usize {
        self.arcs.len() - 1
    }

    /// How many events there are.
    pub(super) fn events(&self) -> usize {
        self.first.len() - 1
    }

    /// The arcs at an event.
    pub(super) fn at(&self, event: usize) -> &[Join] {
        &self.joins[self.first[event]..self.first[event + 1]]
    }

    /// The earliest time of each event for one duration per stage; `order` is an order of the stages.
    pub(super) fn schedule(&self, order: &[usize], duration: &[i64]) -> Vec<i64> {
        let mut time = vec![0; self.events()];
        let mut moved = true;
        while moved {
            moved = false;
            let stages = order.iter().map(|&i| (self.arcs[i], duration[i]));
            let waits = self.arcs[self.stages..self.back()].iter().map(|&arc| (arc, 0));
            for ((u, v), length) in stages.chain(waits) {
                if time[v] < time[u] + length {
                    time[v] = time[u] + length;
                    moved = true;
                }
            }
        }
        time
    }
}

/// Makes one event of two wherever a waiting arc is the only arc out of its tail or the only one into its head.
/// Leaves the waiting arcs between different events, and returns which event stands for each.
fn merge(n: usize, waiting: &mut Vec<(usize, usize)>) -> Vec<usize> {
    let mut name: Vec<usize> = (0..2 * n + 2).collect();
    loop {
        let mut out = vec![0_usize; name.len()];
        let mut into = vec![0_usize; name.len()];
        let stages = (0..n).map(|i| (name[2 * i], name[2 * i + 1]));
        for (u, v) in stages.chain(waiting.iter().copied()) {
            out[u] += 1;
            into[v] += 1;
        }
        // Several pairs at once, as long as none of them shares an event with another.
        let mut taken = vec![false; name.len()];
        let mut becomes: Vec<usize> = (0..name.len()).collect();
        let mut any = false;
        for &(u, v) in waiting.iter() {
            if (out[u] == 1 || into[v] == 1) && !taken[u] && !taken[v] {
                (taken[u], taken[v], any) = (true, true, true);
                becomes[u] = v;
            }
        }
        if !any {
            return name;
        }
        for event in &mut name {
            *event = becomes[*event];
        }
        for arc in waiting.iter_mut() {
            *arc = (becomes[arc.0], becomes[arc.1]);
        }
        waiting.sort_unstable();
        waiting.dedup();
        waiting.retain(|arc| arc.0 != arc.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(before: &[&[usize]]) -> Network {
        let before: Vec<Vec<usize>> = before.iter().map(|b| b.to_vec()).collect();
        Network::new(&Graph::new(&before).unwrap())
    }

    #[test]
    fn a_chain_has_one_event_between_two_stages() {
        let chain = network(&[&[], &[0], &[1]]);
        assert_eq!((chain.events(), chain.arcs.len()), (4, 4));
    }

    #[test]
    fn fork_and_join_need_no_waiting_arc() {
        let diamond = network(&[&[], &[0], &[0], &[1, 2]]);
        assert_eq!((diamond.events(), diamond.arcs.len()), (4, 5));
        assert_eq!(diamond.schedule(&[0, 1, 2, 3], &[1, 5, 2, 3]).iter().max(), Some(&9));
    }

    #[test]
    fn crossing_dependencies_keep_theirs() {
        // 2 waits for 0; 3 waits for 0 and 1: one waiting arc is left, from the end of 0 to the start of 3.
        let n = network(&[&[], &[], &[0], &[0, 1]]);
        assert_eq!(n.arcs.len(), 4 + 1 + 1);
        assert_eq!(n.schedule(&[0, 1, 2, 3], &[5, 1, 1, 2]).iter().max(), Some(&7));
    }
}
