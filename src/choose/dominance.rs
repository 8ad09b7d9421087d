//! How many ways to do a stage are left once those go that another one beats by cost and by time.

use super::Selection;
use crate::job::Stage;
use crate::plan::Compared;
use crate::price::Quote;
use crate::price::open::commits;
use crate::units::{Hours, Money};

/// Counts the quotes that compete for a stage, and among them those that another one dominates: no dearer and expected to
/// take no longer (of equal ones one stays). No plan needs a dominated one.
pub(super) fn compared(stage: &Stage, selection: &Selection, quotes: &[Quote]) -> Compared {
    let competes = |q: &&Quote| selection.classes.contains(&q.class) && !commits(stage, q.purchase);
    let mut all: Vec<(Hours, Money)> = quotes.iter().filter(competes).map(|q| (q.time, q.cost)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept = 0;
    let mut least: Option<Money> = None;
    for (_, cost) in &all {
        if least.is_none_or(|least| *cost < least) {
            least = Some(*cost);
            kept += 1;
        }
    }
    Compared { quotes: all.len(), dominated: all.len() - kept }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::ClassBy;
    use crate::diag::Place;
    use crate::job::{Class, Purchase, StageKind};

    #[test]
    fn what_is_no_better_in_time_or_cost_is_counted() {
        let quote = |hours: f64, cost: &str, class, purchase| Quote {
            offer: 0,
            candidate: 0,
            class,
            purchase,
            time: Hours::new(hours),
            cost: Money::from_decimal(cost).unwrap(),
            hidden: Money::ZERO,
            net: None,
            share: None,
        };
        let cpu = |hours, cost| quote(hours, cost, Class::Cpu, Purchase::OnDemand);
        // (3, 4) is beaten by (2, 4), one of the two (2, 4) by the other, (5, 3) by (4, 3).
        let quotes = [
            cpu(2.0, "4"),
            cpu(3.0, "4"),
            cpu(2.0, "4"),
            cpu(1.0, "9"),
            cpu(4.0, "3"),
            cpu(5.0, "3"),
            quote(0.5, "1", Class::Gpu, Purchase::OnDemand),
            quote(0.5, "1", Class::Cpu, Purchase::Year),
        ];
        let selection = Selection {
            chosen: Some(0),
            by: ClassBy::Thumb,
            thumb: Some(Class::Cpu),
            best: [Some(0), Some(6)],
            classes: vec![Class::Cpu],
        };
        let stage = Stage::bare(StageKind::Batch, Place { file: "x".into(), line: 1, column: 1 });
        assert_eq!(compared(&stage, &selection, &quotes), Compared { quotes: 6, dominated: 3 });
    }
}
