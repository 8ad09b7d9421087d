//! The curve as characters: what the least cost is at each deadline.

use crate::plan::curve::CurvePoint;
use crate::units::Currency;

/// Lines of the chart.
const HEIGHT: usize = 12;
/// Widest chart.
const WIDEST: usize = 110;
/// From this ratio of its ends on an axis is logarithmic.
const WIDE: f64 = 8.0;

/// One axis: from where to where, and whether in logarithms.
#[derive(Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    log: bool,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (from, to) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        Self { from, to, log: from > 0.0 && to / from > WIDE }
    }

    /// The cell of a value among so many.
    fn cell(self, value: f64, cells: usize) -> usize {
        let at = |v: f64| if self.log { v.ln() } else { v };
        let share = (at(value) - at(self.from)) / (at(self.to) - at(self.from));
        let last = u32::try_from(cells.saturating_sub(1)).map_or(0.0, f64::from);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the cells")]
        {
            (share.clamp(0.0, 1.0) * last).round() as usize
        }
    }

    fn name(self, what: &str) -> String {
        if self.log { format!("{what} (logarithmic)") } else { what.to_owned() }
    }
}

/// Draws the points, cheapest first; nothing for fewer than two. `*` is a plan, `O` the one that is taken; between two
/// of them the slower one is still the best.
pub(super) fn chart(points: &[CurvePoint], currency: Currency, width: usize) -> Vec<String> {
    let (Some(cheap), Some(fast)) = (points.first(), points.last()) else { return Vec::new() };
    if points.len() < 2 {
        return Vec::new();
    }
    let money = Axis::over(points.iter().map(|p| p.cost.as_f64()));
    let time = Axis::over(points.iter().map(|p| p.within.get()));
    let (top, bottom) = (fast.cost.amount(), cheap.cost.amount());
    let margin = top.chars().count().max(bottom.chars().count());
    let cells = width.min(WIDEST).saturating_sub(margin + 3).max(20);
    let mut grid = vec![vec![' '; cells]; HEIGHT];
    let row = |p: &CurvePoint| HEIGHT - 1 - money.cell(p.cost.as_f64(), HEIGHT);
    let column = |p: &CurvePoint| time.cell(p.within.get(), cells);
    let mut put = |row: usize, column: usize, mark: char| {
        if let Some(cell) = grid.get_mut(row).and_then(|line| line.get_mut(column))
            && *cell != 'O'
        {
            *cell = mark;
        }
    };
    for pair in points.windows(2) {
        let [slow, quick] = pair else { continue };
        for between in column(quick)..column(slow) {
            put(row(quick), between, '-');
        }
    }
    for point in points {
        put(row(point), column(point), if point.taken { 'O' } else { '*' });
    }
    let mut lines = vec![format!("{:>margin$} {}", "", money.name(&format!("cost in {currency}")))];
    for (number, cells) in grid.iter().enumerate() {
        let label = match number {
            0 => top.as_str(),
            n if n == HEIGHT - 1 => bottom.as_str(),
            _ => "",
        };
        let drawn: String = cells.iter().collect();
        lines.push(format!("{label:>margin$} |{drawn}").trim_end().to_owned());
    }
    lines.push(format!("{:>margin$} +{}", "", "-".repeat(cells)));
    let (left, right) = (fast.within.to_string(), cheap.within.to_string());
    let free = cells.saturating_sub(left.chars().count() + right.chars().count());
    lines.push(format!("{:>margin$}  {left}{:free$}{right}", "", ""));
    lines.push(format!("{:>margin$}  {}", "", time.name("longer to the right")));
    if points.iter().any(|p| p.taken) {
        lines.push(format!("{:>margin$}  O the plan, * other points", ""));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Hours, Money};

    #[test]
    fn a_chart_falls_from_the_fastest_to_the_cheapest_and_fits() {
        let point = |hours: f64, cost: &str, taken| CurvePoint {
            cost: Money::from_decimal(cost).unwrap(),
            within: Hours::new(hours),
            expected: Hours::new(hours),
            taken,
            picks: Vec::new(),
        };
        let points = [point(20.0, "10", false), point(15.0, "20", true), point(10.0, "30", false)];
        let lines = chart(&points, Currency::USD, 40);
        assert!(lines.iter().all(|l| l.chars().count() <= 40), "{lines:#?}");
        // Three plans in the corners and the middle; the slower one holds until the faster one begins.
        assert_eq!(lines[1], "30.00 |*---------------");
        assert_eq!(lines[6], "      |                O--------------");
        assert_eq!(lines[12], "10.00 |                               *");
        assert!(lines[14].contains("10 h") && lines[14].ends_with("20 h"), "{lines:#?}");
        assert!(chart(&points[..1], Currency::USD, 40).is_empty());
    }
}
