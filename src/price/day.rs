//! A day of a service as layers of servers: the first layer runs whenever one server is needed, the second whenever two
//! are. Bought by the hour, each layer is launched and released by itself; with some layers reserved, the layers above
//! them are what is left to buy by the hour. So the cost of every split is the sum of its layers.

use crate::job::DAY;

/// Days in a month of 730 hours.
pub const DAYS_PER_MONTH: f64 = 365.0 / 12.0;

/// Servers that run in the same hours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// How many servers.
    pub servers: u32,
    /// Hours of each of their launches in a day; of servers that run around the clock one launch of 24.
    pub launches: Vec<u32>,
}

impl Layer {
    /// Whether they run around the clock.
    pub fn always(&self) -> bool {
        self.launches == [DAY_HOURS]
    }
}

/// Hours of a day.
const DAY_HOURS: u32 = 24;

/// The layers of a day, from the one that runs longest up.
pub fn layers(day: &[u32; DAY]) -> Vec<Layer> {
    let mut levels: Vec<u32> = day.iter().copied().filter(|n| *n > 0).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut below = 0;
    let mut found = Vec::with_capacity(levels.len());
    for level in levels {
        found.push(Layer { servers: level - below, launches: launches(&day.map(|n| n >= level)) });
        below = level;
    }
    found
}

/// Lengths of the runs of `true` around the clock, in hours: the day after is the same day.
fn launches(on: &[bool; DAY]) -> Vec<u32> {
    let Some(off) = on.iter().position(|on| !on) else { return vec![DAY_HOURS] };
    let mut runs = Vec::new();
    let mut length = 0;
    for hour in on.iter().cycle().skip(off).take(DAY + 1) {
        if *hour {
            length += 1;
        } else if length > 0 {
            runs.push(length);
            length = 0;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_day_is_one_layer() {
        let found = layers(&[5; DAY]);
        assert_eq!(found, [Layer { servers: 5, launches: vec![24] }]);
        assert!(found.iter().all(Layer::always));
        assert_eq!(layers(&[0; DAY]), []);
    }

    #[test]
    fn layers_hold_the_hours_of_the_day() {
        // Two servers at night, five from 8 to 12 and from 18 to 21, three between: 24 × 2 + …
        let mut day = [2; DAY];
        day[8..21].fill(3);
        day[8..12].fill(5);
        day[18..21].fill(5);
        let found = layers(&day);
        assert_eq!(
            found,
            [
                Layer { servers: 2, launches: vec![24] },
                Layer { servers: 1, launches: vec![13] },
                Layer { servers: 2, launches: vec![4, 3] },
            ]
        );
        let hours: u32 = found.iter().map(|l| l.servers * l.launches.iter().sum::<u32>()).sum();
        assert_eq!(hours, day.iter().sum::<u32>());
    }

    #[test]
    fn a_night_shift_is_one_launch() {
        let mut day = [1; DAY];
        day[22..].fill(3);
        day[..5].fill(3);
        assert_eq!(layers(&day)[1], Layer { servers: 2, launches: vec![7] });
    }
}
