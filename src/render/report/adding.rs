//! Amounts of a column that add up as they are shown: cents are handed out so that their sum is the total's.

use crate::units::Money;

const CENT: i128 = 10_000_000;

/// The amounts as they are to be shown, so that they add up to the shown sum of all: each rounded to the cent, and what the sum of
/// those is off by is put right on the largest that were rounded the other way. What is less than half a cent keeps its digits:
/// nothing that costs something is shown as nothing.
pub(super) fn adding_up(costs: &[Money]) -> Vec<Money> {
    let total: Money = costs.iter().copied().sum();
    let mut shown: Vec<Money> = costs.iter().map(|cost| cost.to_cents()).collect();
    loop {
        let sum: Money = shown.iter().copied().sum();
        let off = whole_cents(total.to_cents()) - whole_cents(sum);
        // Of equally large amounts the first.
        let lost = |(_, cost, lost): &(usize, Money, i128)| {
            lost * off.signum() > 0 && (off > 0 || cost.nanos() >= CENT)
        };
        let rows = costs.iter().zip(&shown).enumerate();
        let largest = rows
            .map(|(at, (cost, shown))| (at, *cost, (*cost - *shown).nanos()))
            .filter(lost)
            .max_by_key(|(at, cost, _)| (*cost, std::cmp::Reverse(*at)));
        let Some((at, ..)) = largest.filter(|_| off != 0) else { return shown };
        if let Some(slot) = shown.get_mut(at) {
            *slot = *slot + Money::from_nanos(off.signum() * CENT);
        }
    }
}

/// An amount in cents, rounded.
const fn whole_cents(amount: Money) -> i128 {
    (amount.nanos() + CENT / 2).div_euclid(CENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(costs: &[&str]) -> Vec<String> {
        let costs: Vec<Money> = costs.iter().map(|c| Money::from_decimal(c).unwrap()).collect();
        adding_up(&costs).into_iter().map(Money::amount).collect()
    }

    #[test]
    fn what_rounding_loses_is_put_right_on_the_largest() {
        // 1.0042 + 2.0044 + 3.0048 = 6.0134: each rounded by itself they would make 6.00.
        assert_eq!(shown(&["1.0042", "2.0044", "3.0048"]), ["1.00", "2.00", "3.01"]);
        // 4.0196: each rounded by itself they would make 4.00.
        assert_eq!(shown(&["1.0049"; 4]), ["1.01", "1.01", "1.00", "1.00"]);
        // 4.024: each rounded by itself they would make 4.04.
        assert_eq!(shown(&["1.0060"; 4]), ["1.00", "1.00", "1.01", "1.01"]);
        assert_eq!(shown(&["1.00", "2.50"]), ["1.00", "2.50"]);
    }

    #[test]
    fn what_is_next_to_nothing_is_not_shown_as_nothing() {
        assert_eq!(shown(&["38.41", "0.0042"]), ["38.41", "0.0042"]);
        assert_eq!(shown(&["0.0140", "0.0140", "5.0040"]), ["0.01", "0.01", "5.01"]);
        assert_eq!(shown(&["0.0060", "1.0010", "5.00"]), ["0.01", "1.00", "5.00"]);
        assert_eq!(shown(&["0.0040", "0.0040"]), ["0.004", "0.004"]);
        assert_eq!(shown(&["0.0060", "0.0060", "0.0060"]), ["0.01", "0.01", "0.01"]);
        assert_eq!(shown(&["0", "2.50"]), ["0.00", "2.50"]);
        assert!(shown(&[]).is_empty());
    }

    #[test]
    fn shown_amounts_add_up_to_the_shown_total() {
        let mut seed = 7_u64;
        for _ in 0..300 {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                i128::from(seed >> 33)
            };
            let costs: Vec<Money> = (0..6).map(|_| Money::from_nanos(20_000_000 + next())).collect();
            let total: Money = costs.iter().copied().sum();
            let sum: Money = adding_up(&costs).into_iter().sum();
            assert_eq!(sum, total.to_cents(), "{costs:?}");
        }
    }
}
