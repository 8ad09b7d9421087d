//! Cuts choices off a node that no selection in the box can have.

use super::tree::{Scratch, Tree};

impl Tree<'_> {
    /// Shortens the stretches of the node at hand as far as the box allows, and returns its bound; none if the box
    /// holds no selection of it.
    pub(super) fn narrow(&mut self) -> Option<i128> {
        self.dual.set_deadline(self.caps.time);
        loop {
            if !self.windows() {
                return None;
            }
            for i in 0..self.stretches.len() {
                let stretch = self.stretches[i];
                if self.shaped[i] != stretch {
                    let ladder = &self.problem.ladders[i];
                    let rungs = stretch.lo()..stretch.hi();
                    self.dual.shape(i, &ladder.time[rungs.clone()], &ladder.cost[rungs]);
                    self.shaped[i] = stretch;
                }
            }
            let cap = self.cap();
            if !self.dual.settle(cap) {
                return None;
            }
            let bound = self.dual.bound();
            if bound > cap {
                return None;
            }
            if !self.reduce(cap - bound) {
                return Some(bound);
            }
        }
    }

    /// Cuts off the slow choices that do not fit between the fastest ones of all other stages. False if even the
    /// fastest are too slow.
    fn windows(&mut self) -> bool {
        let Scratch { fast, end, tail } = &mut self.scratch;
        let ladders = &self.problem.ladders;
        fast.clear();
        fast.extend(ladders.iter().zip(&self.stretches).map(|(l, s)| l.time[s.lo()]));
        self.problem.graph.ends(fast, end);
        self.problem.graph.tails(fast, tail);
        self.dual.add_steps(2 * fast.len() as u64);
        for (i, stretch) in self.stretches.iter_mut().enumerate() {
            let window = self.caps.time - end[i] - tail[i] + 2 * fast[i];
            if window < fast[i] {
                return false;
            }
            while ladders[i].time[stretch.hi() - 1] > window {
                stretch.drop_slowest();
            }
        }
        true
    }

    /// Cuts off the choices whose reduced cost alone exceeds what is left between bound and cap. True if any.
    fn reduce(&mut self, spare: i128) -> bool {
        let mut cut = false;
        for (i, stretch) in self.stretches.iter_mut().enumerate() {
            if stretch.single() {
                continue;
            }
            let ladder = &self.problem.ladders[i];
            let flow = self.dual.flow[i];
            let most = self.dual.least(i) + spare;
            let dear = |k: usize| {
                (i128::from(ladder.cost[k]) << self.dual.scale)
                    + i128::from(flow) * i128::from(ladder.time[k])
                    > most
            };
            // The best choice of the hull is never dear, so both loops end.
            while dear(stretch.lo()) {
                stretch.drop_fastest();
                cut = true;
            }
            while dear(stretch.hi() - 1) {
                stretch.drop_slowest();
                cut = true;
            }
        }
        cut
    }
}
