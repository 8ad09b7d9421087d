//! The most machines that stages may use at the same time: the heaviest set of stages of which none waits for another.
//!
//! By Dilworth's theorem (1950, with weights) that is the least number of rows, stages one after the other, into which all
//! of them go, each as often as it uses machines; and the rows are a flow from stages to stages that wait for them. Found
//! exactly, whatever the number of stages.

use std::collections::{BTreeMap, VecDeque};

/// The most machines that users may have at the same time, and the positions of the users in such a set. `follows(a, b)`
/// says that the user at position `b` waits for that at `a`, however indirectly.
pub(super) fn crowd(counts: &[u32], follows: impl Fn(usize, usize) -> bool) -> (u64, Vec<usize>) {
    let mut rows = Rows {
        ends: counts.iter().map(|c| u64::from(*c)).collect(),
        starts: counts.iter().map(|c| u64::from(*c)).collect(),
        links: BTreeMap::new(),
    };
    let (before, after) = loop {
        match rows.link(&follows) {
            Linked::One => {}
            Linked::All { before, after } => break (before, after),
        }
    };
    let both = before.iter().zip(&after).enumerate();
    let set: Vec<usize> = both.filter(|(_, (b, a))| **b && !**a).map(|(at, _)| at).collect();
    (set.iter().filter_map(|at| counts.get(*at)).map(|c| u64::from(*c)).sum(), set)
}

/// Machines on their way from user to user.
struct Rows {
    /// How many machines of each user go to no other one yet …
    ends: Vec<u64>,
    /// … and how many come from none.
    starts: Vec<u64>,
    /// Machines that go from one user to another.
    links: BTreeMap<(usize, usize), u64>,
}

/// How a user was reached as one from which a machine may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    Not,
    /// One of its machines goes to no other user yet.
    Free,
    /// The machine that goes from it to this user may come from another one.
    By(usize),
}

/// What came of looking for another machine that goes on.
enum Linked {
    One,
    /// There is none. Users from which and to which machines that could go on lead.
    All {
        before: Vec<bool>,
        after: Vec<bool>,
    },
}

impl Rows {
    /// Lets more machines go on, by other ways for those that do already where need be.
    fn link(&mut self, follows: &impl Fn(usize, usize) -> bool) -> Linked {
        let n = self.ends.len();
        // How each user was reached: as one from which a machine goes on, and as one to which, from whom.
        let free = |ends: &u64| if *ends > 0 { Reached::Free } else { Reached::Not };
        let mut before: Vec<Reached> = self.ends.iter().map(free).collect();
        let mut after: Vec<Option<usize>> = vec![None; n];
        let mut next: VecDeque<usize> = (0..n).filter(|at| before.get(*at) == Some(&Reached::Free)).collect();
        while let Some(from) = next.pop_front() {
            for to in 0..n {
                let fresh = follows(from, to) && after.get(to).is_some_and(Option::is_none);
                let Some(slot) = after.get_mut(to).filter(|_| fresh) else { continue };
                *slot = Some(from);
                if self.starts.get(to).is_some_and(|left| *left > 0) {
                    self.turn(to, &before, &after);
                    return Linked::One;
                }
                let linked: Vec<usize> = self
                    .links
                    .iter()
                    .filter(|((_, t), n)| *t == to && **n > 0)
                    .map(|((f, _), _)| *f)
                    .collect();
                for other in linked {
                    if let Some(slot @ Reached::Not) = before.get_mut(other) {
                        *slot = Reached::By(to);
                        next.push_back(other);
                    }
                }
            }
        }
        Linked::All {
            before: before.iter().map(|reached| *reached != Reached::Not).collect(),
            after: after.iter().map(Option::is_some).collect(),
        }
    }

    /// Turns the way on which `last` was reached.
    fn turn(&mut self, last: usize, before: &[Reached], after: &[Option<usize>]) {
        // Links to make, and links to undo between them.
        let (mut made, mut undone) = (Vec::new(), Vec::new());
        let mut to = last;
        let first = loop {
            let Some(from) = after.get(to).copied().flatten() else { return };
            made.push((from, to));
            match before.get(from) {
                Some(Reached::By(other)) => {
                    undone.push((from, *other));
                    to = *other;
                }
                _ => break from,
            }
        };
        let ends = [self.ends.get(first), self.starts.get(last)].into_iter().flatten();
        let most =
            ends.chain(undone.iter().filter_map(|link| self.links.get(link))).min().copied().unwrap_or(0);
        for link in made {
            *self.links.entry(link).or_default() += most;
        }
        for link in undone {
            self.links.entry(link).and_modify(|n| *n -= most);
        }
        for slot in [self.ends.get_mut(first), self.starts.get_mut(last)].into_iter().flatten() {
            *slot -= most;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By looking at every set.
    fn slowly(counts: &[u32], follows: &impl Fn(usize, usize) -> bool) -> u64 {
        let inside = |set: usize, at: usize| set >> at & 1 == 1;
        let all = 0..counts.len();
        let apart = |set: usize| {
            !all.clone().any(|a| all.clone().any(|b| inside(set, a) && inside(set, b) && follows(a, b)))
        };
        let sum =
            |set: usize| all.clone().filter(|at| inside(set, *at)).map(|at| u64::from(counts[at])).sum();
        (0..1 << counts.len()).filter(|set| apart(*set)).map(sum).max().unwrap_or(0)
    }

    #[test]
    fn the_heaviest_set_is_found() {
        // Two in a row beside one: the second of the row and the one beside it.
        assert_eq!(crowd(&[1, 3, 2], |a, b| (a, b) == (0, 1)), (5, vec![1, 2]));
        assert_eq!(crowd(&[], |_, _| false), (0, vec![]));
        assert_eq!(crowd(&[4], |_, _| false), (4, vec![0]));
    }

    #[test]
    fn all_orders_of_a_few_users_are_like_looking_at_every_set() {
        let mut seed = 1_u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..400 {
            let n = 1 + usize::try_from(below(8)).unwrap();
            let counts: Vec<u32> = (0..n).map(|_| 1 + u32::try_from(below(4)).unwrap()).collect();
            let mut follows = vec![vec![false; n]; n];
            for b in 0..n {
                for a in 0..b {
                    if below(3) == 0 {
                        follows[a][b] = true;
                        for row in &mut follows[..a] {
                            row[b] |= row[a];
                        }
                    }
                }
            }
            let (most, set) = crowd(&counts, |a, b| follows[a][b]);
            assert_eq!(most, slowly(&counts, &|a, b| follows[a][b]), "{counts:?} {follows:?}");
            assert!(set.iter().all(|a| set.iter().all(|b| !follows[*a][*b])), "{set:?}");
        }
    }
}
