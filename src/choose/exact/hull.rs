//! The lower convex hull of a stage's choices: what time costs there if choices could be mixed.

/// A part of a stage's ladder as seen by a price of time: the choices that are cheapest for some price.
#[derive(Debug, Clone, Default)]
pub(super) struct Hull {
    /// The corners, fast to slow.
    time: Vec<i64>,
    cost: Vec<i64>,
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

    /// Every `stride`-th corner, and both ends.
    pub(super) fn thinned(&self, stride: usize, scale: u32) -> Self {
        let last = self.time.len().saturating_sub(1);
        let kept = (0..last).step_by(stride).chain([last]);
        let (time, cost): (Vec<i64>, Vec<i64>) = kept.map(|k| (self.time[k], self.cost[k])).unzip();
        let mut thin = Self::default();
        thin.set(&time, &cost, scale);
        thin
    }

    /// How many corners there are.
    pub(super) fn corners(&self) -> usize {
        self.time.len()
    }

    /// The corner that is best when a unit of time costs `flow`; of two equal ones the slower.
    fn corner(&self, flow: i64) -> usize {
        self.price.partition_point(|&price| price >= flow)
    }

    /// The least of cost + flow × time, scaled.
    pub(super) fn value(&self, flow: i64, scale: u32) -> i128 {
        let k = self.corner(flow);
        (i128::from(self.cost[k]) << scale) + i128::from(flow) * i128::from(self.time[k])
    }

    /// If one unit more flows: the duration that it pays for, and how much may flow before that changes.
    pub(super) fn more(&self, flow: i64) -> (i64, i64) {
        let k = self.price.partition_point(|&price| price > flow);
        (self.time[k], if k == 0 { UNLIMITED } else { self.price[k - 1] - flow })
    }

    /// If one unit less flows: the duration that it paid for, and how much may go before that changes.
    pub(super) fn less(&self, flow: i64) -> (i64, i64) {
        let k = self.corner(flow);
        (self.time[k], flow - self.price.get(k).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_least_over_all_choices_at_every_price() {
        let time = [1, 2, 5, 6, 9, 14];
        let cost = [100, 90, 35, 34, 12, 11];
        let mut hull = Hull::default();
        hull.set(&time, &cost, 4);
        // (2,90) lies above the line from (1,100) to (5,35), (6,34) above that from (5,35) to (9,12).
        assert_eq!(hull.corners(), 4);
        for flow in 0..600 {
            let least = time.iter().zip(&cost).map(|(t, c)| (c << 4) + flow * t).min();
            assert_eq!(Some(hull.value(flow, 4)), least.map(i128::from), "flow {flow}");
        }
    }

    #[test]
    fn more_and_less_meet_where_the_duration_changes() {
        let mut hull = Hull::default();
        hull.set(&[2, 4, 8], &[30, 20, 12], 0);
        // 5 per unit of time between the first two, 2 between the others.
        assert_eq!((hull.more(0), hull.less(2)), ((8, 2), (8, 2)));
        assert_eq!((hull.more(2), hull.less(5)), ((4, 3), (4, 3)));
        assert_eq!((hull.more(5), hull.less(7)), ((2, UNLIMITED), (2, 2)));
        assert_eq!(hull.thinned(2, 0).corners(), 2);
    }
}
