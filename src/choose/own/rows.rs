//! What so many machines are worth at most if they go from stage to stage: the best rows of stages one after the other, as
//! a flow of the greatest gain through the stage graph.

/// What a stage may gain: so much of each machine, of so many at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Gain {
    pub(super) each: i128,
    pub(super) most: u32,
}

/// The greatest gain of so many machines, and how many of them each stage has then. `before` are the stages that each stage
/// waits for.
pub(super) fn best_rows(before: &[Vec<usize>], gains: &[Gain], machines: u32) -> (i128, Vec<u32>) {
    let mut flow = Flow::new(before, gains);
    let (mut left, mut all) = (machines, 0_i128);
    while left > 0
        && let Some((gain, pushed)) = flow.push(left)
    {
        left -= pushed;
        all += gain * i128::from(pushed);
    }
    (all, flow.arcs.iter().take(gains.len()).map(|arc| arc.flow).collect())
}

/// An arc between events: each stage has one before and one behind it.
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: usize,
    to: usize,
    gain: i128,
    most: u32,
    flow: u32,
}

struct Flow {
    events: usize,
    /// First those on which the stages gain, in their order.
    arcs: Vec<Arc>,
}

impl Flow {
    fn new(before: &[Vec<usize>], gains: &[Gain]) -> Self {
        let arc = |from, to, gain, most| Arc { from, to, gain, most, flow: 0 };
        let gaining = gains.iter().enumerate().map(|(at, g)| arc(2 * at, 2 * at + 1, g.each, g.most));
        let passing = (0..gains.len()).map(|at| arc(2 * at, 2 * at + 1, 0, u32::MAX));
        let after = before.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |b| (*b, at)));
        let links = after.map(|(b, at)| arc(2 * b + 1, 2 * at, 0, u32::MAX));
        Self { events: 2 * gains.len(), arcs: gaining.chain(passing).chain(links).collect() }
    }

    /// Sends machines, `left` at most, on the way of the greatest gain; how much each gains and how many they are. None where
    /// no way gains anything.
    fn push(&mut self, left: u32) -> Option<(i128, u32)> {
        // A machine may begin before any stage and end behind any.
        let mut best: Vec<i128> = vec![0; self.events];
        let mut by: Vec<Option<(usize, bool)>> = vec![None; self.events];
        for _ in 0..=self.events {
            let mut changed = false;
            for (at, arc) in self.arcs.iter().enumerate() {
                let there = (arc.from, arc.to, arc.gain, arc.flow < arc.most, true);
                let back = (arc.to, arc.from, -arc.gain, arc.flow > 0, false);
                for (from, to, gain, open, forward) in [there, back] {
                    let Some(reached) = best.get(from).map(|b| b + gain).filter(|_| open) else { continue };
                    if best.get(to).is_some_and(|known| reached > *known) {
                        set(&mut best, to, reached);
                        set(&mut by, to, Some((at, forward)));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let (end, gain) =
            best.iter().copied().enumerate().max_by_key(|(at, gain)| (*gain, std::cmp::Reverse(*at)))?;
        if gain <= 0 {
            return None;
        }
        let (mut way, mut at) = (Vec::new(), end);
        while let Some((number, forward)) = by.get(at).copied().flatten() {
            let arc = self.arcs.get(number)?;
            way.push((number, forward));
            at = if forward { arc.from } else { arc.to };
        }
        let room = |(number, forward): &(usize, bool)| {
            self.arcs.get(*number).map(|arc| if *forward { arc.most - arc.flow } else { arc.flow })
        };
        let pushed = way.iter().filter_map(room).min()?.min(left);
        for (number, forward) in way {
            let arc = self.arcs.get_mut(number)?;
            arc.flow = if forward { arc.flow + pushed } else { arc.flow - pushed };
        }
        (pushed > 0).then_some((gain, pushed))
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(list: &[(i128, u32)]) -> Vec<Gain> {
        list.iter().map(|&(each, most)| Gain { each, most }).collect()
    }

    #[test]
    fn machines_go_where_they_gain_most() {
        let side = vec![vec![], vec![], vec![]];
        let worth = gains(&[(5, 1), (9, 1), (7, 1)]);
        assert_eq!(best_rows(&side, &worth, 1), (9, vec![0, 1, 0]));
        assert_eq!(best_rows(&side, &worth, 2), (16, vec![0, 1, 1]));
        assert_eq!(best_rows(&side, &worth, 9), (21, vec![1, 1, 1]));
        // In a row one machine does for all, through a stage that has no use for it as well.
        let row = vec![vec![], vec![0], vec![1]];
        assert_eq!(best_rows(&row, &gains(&[(5, 1), (0, 0), (7, 1)]), 1), (12, vec![1, 0, 1]));
        assert_eq!(best_rows(&row, &gains(&[(5, 2), (0, 0), (7, 1)]), 2), (17, vec![2, 0, 1]));
    }

    /// 0 → 2, 1 → 2, 1 → 3. One machine: 1 and 3, for 12. With a second one the first way has to change: 0, 2 and 1, 3.
    #[test]
    fn an_earlier_way_gives_way_to_a_better_pair() {
        let before = vec![vec![], vec![], vec![0, 1], vec![1]];
        let worth = gains(&[(4, 1), (6, 1), (9, 1), (6, 1)]);
        assert_eq!(best_rows(&before, &worth, 1), (15, vec![0, 1, 1, 0]));
        assert_eq!(best_rows(&before, &worth, 2), (25, vec![1, 1, 1, 1]));
    }
}
