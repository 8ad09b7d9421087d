//! The lower convex hull of a stage's choices: what time costs there if choices could be mixed.

/// A part of a stage's ladder as seen by a price of time: the choices that are cheapest for some price.
#[derive(Debug, Clone, Default)]
pub(super) struct Hull {
    /// The corners, fast to slow.
    pub(super) time: Vec<i64>,
    pub(super) cost: Vec<i64>,
    /// For each corner but the last: the scaled price of time at and below which the next slower one is at least
    /// as good, rounded down. Never rises.
    price: Vec<i64>,
}

/// Stands for "no end" among amounts of flow.
pub(super) const UNLIMITED: i64 = i64::MAX;

impl Hull {
    /// Takes over choices `time`/`cost` (fast to slow, costs strictly falling); prices of time are in units of
    /// 2^-`scale` cost per time.
    pub(super) fn set(&mut self, time: &[i64], cost: &[i64], scale: u32) {
        self.time.clear();
        self.cost.clear();
        self.price.clear();
        for (&t, &c) in time.iter().zip(cost) {
            while let [.., t0, t1] = self.time[..]
                && let [.., c0, c1] = self.cost[..]
                && i128::from(c0 - c1) * i128::from(t - t1) <= i128::from(c1 - c) * i128::from(t1 - t0)
            {
                self.time.pop();
                self.cost.pop();
            }
            self.time.push(t);
            self.cost.push(c);
        }
        for k in 1..self.time.len() {
            let fall = i128::from(self.cost[k - 1] - self.cost[k]) << scale;
            let price = fall / i128::from(self.time[k] - self.time[k - 1]);
            self.price.push(i64::try_from(price).unwrap_or(UNLIMITED));
        }
    }

    /// The corner that is best when a unit of time costs `flow`; of two equal ones the slower.
    fn corner(&self, flow: i64) -> usize {
        let mut k = self.price.len();
        while k > 0 && flow > self.price[k - 1] {
            k -= 1;
        }
        k
    }

    /// The least of cost + flow × time, scaled.
    pub(super) fn value(&self, flow: i64, scale: u32) -> i128 {
        let k = self.corner(flow);
        (i128::from(self.cost[k]) << scale) + i128::from(flow) * i128::from(self.time[k])
    }

    /// If one unit more flows: the duration that it pays for, and how much may flow before that changes.
    pub(super) fn more(&self, flow: i64) -> (i64, i64) {
        let mut k = self.price.len();
        while k > 0 && flow >= self.price[k - 1] {
            k -= 1;
        }
        (self.time[k], if k == 0 { UNLIMITED } else { self.price[k - 1] - flow })
    }

    /// If one unit less flows: the duration that it paid for, and how much may go before that changes.
    pub(super) fn less(&self, flow: i64) -> (i64, i64) {
        let k = self.corner(flow);
        (self.time[k], flow - self.price.get(k).copied().unwrap_or(0))
    }
}
