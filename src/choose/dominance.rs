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
    let mut all = 0;
    // Those that nothing so far dominates: from one to the next slower and cheaper.
    let mut kept: Vec<(Hours, Money)> = Vec::new();
    for quote in quotes.iter().filter(|q| selection.classes.contains(&q.class) && !commits(stage, q.purchase))
    {
        all += 1;
        let (time, cost) = (quote.time, quote.cost);
        let slower = kept.partition_point(|(other, _)| other.total_cmp(&time).is_le());
        if slower.checked_sub(1).and_then(|at| kept.get(at)).is_some_and(|(_, other)| *other <= cost) {
            continue;
        }
        let as_fast = kept.partition_point(|(other, _)| other.total_cmp(&time).is_lt());
        let dearer = kept.iter().skip(as_fast).take_while(|(_, other)| *other >= cost).count();
        kept.splice(as_fast..as_fast + dearer, [(time, cost)]);
    }
    Compared { quotes: all, dominated: all - kept.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::ClassBy;
    use crate::decide::CandidateId;
    use crate::diag::Place;
    use crate::job::{Class, Purchase, StageKind};

    #[test]
    fn what_is_no_better_in_time_or_cost_is_counted() {
        let quote = |hours: f64, cost: &str, class, purchase| Quote {
            offer: 0,
            candidate: CandidateId::at(0),
            class,
            purchase,
            time: Hours::new(hours),
            cost: Money::from_decimal(cost).unwrap(),
            beside: None,
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
            contested: false,
        };
        let stage = Stage::bare(StageKind::Batch, Place { file: "x".into(), line: 1, column: 1 });
        assert_eq!(compared(&stage, &selection, &quotes), Compared { quotes: 6, dominated: 3 });
    }
}
