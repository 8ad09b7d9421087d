//! Random stage graphs with random choices, the same on every run.

use plan::choose::exact::{Choice, Stage};

/// SplitMix64 (Steele, Lea and Flood 2014): enough for test cases, and nothing to depend on.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("less than a usize")
    }

    /// A number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from((self.next() >> 32) as u32) / f64::from(u32::MAX)
    }

    /// One of these.
    pub(crate) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A number of this order of magnitude, evenly in its logarithm.
    fn magnitude(&mut self, from: f64, to: f64) -> f64 {
        from * (to / from).powf(self.unit())
    }
}

/// How the stages depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Chain,
    SeriesParallel,
    General,
}

/// How time and cost of a stage's choices go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Machines of many speeds, three ways to buy each; the dearer per hour the faster, with noise.
    Cloud,
    /// Diminishing returns, with many dominated choices.
    Convex,
    /// Diminishing returns, every choice on the convex hull.
    Dense,
    /// No relation at all.
    Random,
    /// Increasing returns: between the fastest and the slowest, nothing is near the hull.
    Concave,
}

/// `stages` stages with `choices` choices each, in an order of the graph. Times of 1 to 10⁵ and costs up to some
/// 10⁹ `grain`s.
pub(crate) fn instance(
    random: &mut Random,
    kind: Kind,
    style: Style,
    (stages, choices): (usize, usize),
    grain: f64,
) -> Vec<Stage> {
    let mut list: Vec<Stage> = (0..stages)
        .map(|_| Stage { choices: stage(random, style, choices, grain), after: Vec::new() })
        .collect();
    match kind {
        Kind::Chain => (1..stages).for_each(|i| list[i].after = vec![i - 1]),
        Kind::SeriesParallel => {
            nest(random, &mut list, 0..stages, &[]);
        }
        Kind::General => {
            let (dense, window) = (0.05 + 0.5 * random.unit() * random.unit(), 3 + random.below(20));
            for (i, stage) in list.iter_mut().enumerate() {
                stage.after = (i.saturating_sub(window)..i).filter(|_| random.unit() < dense).collect();
            }
        }
    }
    list
}

/// Makes a series-parallel graph of a range of stages behind `before`; returns the stages at its end.
fn nest(
    random: &mut Random,
    list: &mut [Stage],
    range: std::ops::Range<usize>,
    before: &[usize],
) -> Vec<usize> {
    if range.len() == 1 {
        list[range.start].after = before.to_vec();
        return vec![range.start];
    }
    let most = 2 + random.below(4);
    let mut cuts: Vec<usize> = (1..most).map(|_| range.start + 1 + random.below(range.len() - 1)).collect();
    cuts.extend([range.start, range.end]);
    cuts.sort_unstable();
    cuts.dedup();
    let series = random.unit() < 0.5;
    let mut ends = if series { before.to_vec() } else { Vec::new() };
    for part in cuts.windows(2) {
        if series {
            ends = nest(random, list, part[0]..part[1], &ends);
        } else {
            ends.extend(nest(random, list, part[0]..part[1], before));
        }
    }
    ends
}

fn stage(random: &mut Random, style: Style, choices: usize, grain: f64) -> Vec<Choice> {
    let work = random.magnitude(1e2, 1e5);
    let rate = random.magnitude(1e2, 1e4);
    let (bend, low, high) = (random.unit(), random.unit(), random.unit());
    let real = |k: usize| f64::from(u32::try_from(k).unwrap_or(u32::MAX));
    let mut choice = |k: usize| {
        let at = real(k) / real(choices.max(2) - 1);
        match style {
            Style::Cloud => {
                let speed = random.magnitude(1.0, 30.0);
                let price =
                    rate * speed.powf(0.9) * (0.6 + 0.8 * random.unit()) * random.one_of(&[1.0, 0.6, 0.3]);
                (work / speed, price * work / speed)
            }
            Style::Convex => {
                let speed = random.magnitude(1.0, 30.0);
                (work / speed, rate * work * speed.powf(0.3 + 0.2 * bend) * (1.0 + 0.3 * random.unit()))
            }
            Style::Dense => {
                let speed = 30_f64.powf(at * (0.9 + 0.1 * random.unit()));
                (work / speed, rate * work * speed.powf(0.3 + 0.6 * bend))
            }
            Style::Random => (work * random.unit(), work * rate * random.unit()),
            Style::Concave => {
                let fast = work * (0.02 + 0.1 * low);
                let share = (0.95 - 0.3 * high) * at.powf(1.5 + 2.0 * bend);
                (fast + (work - fast) * at, work * rate * (1.0 - share) * (1.0 + 0.01 * random.unit()))
            }
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "far below 2⁵³")]
    let whole = |x: f64| ((x * grain) as i64).max(1);
    (0..choices)
        .map(&mut choice)
        .map(|(time, cost)| Choice { time: whole(time), cost: whole(cost) })
        .collect()
}
