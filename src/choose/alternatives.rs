//! What else was possible for a stage, and why it was not taken.

use super::assemble::{StageView, choice};
use super::{ClassBy, Selection};
use crate::job::{Class, Purchase};
use crate::names::Named;
use crate::plan::{Alternative, AlternativeKind, Choice, Period};
use crate::price::open::commits;
use crate::price::{Pricer, Quote};
use crate::units::number::significant;

/// The best of the other class, of each other purchase option, and the runner-up.
pub(super) fn alternatives(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    selection: &Selection,
    chosen: &Choice,
) -> Vec<Alternative> {
    let quotes = &view.quotes.quotes;
    let dearer = |c: &Choice| {
        let (a, b) = (c.expected_cost().as_f64(), chosen.expected_cost().as_f64());
        match b {
            b if b > 0.0 => format!("costs {} times as much", significant(a / b, 3)),
            _ => "costs more".to_owned(),
        }
    };
    let mut found = Vec::new();
    let mut add = |kind, index: Option<usize>, reason: &dyn Fn(&Choice) -> String| {
        if let Some(choice) = index.and_then(|i| choice(view, pricer, i)) {
            let reason = reason(&choice);
            found.push(Alternative { kind, choice, reason });
        }
    };
    let other = match chosen.class {
        Class::Cpu => selection.best[1],
        Class::Gpu => selection.best[0],
    };
    add(AlternativeKind::OtherClass, other, &|c| match selection.by {
        ClassBy::Thumb => {
            let thumb = selection.thumb.map_or("", Named::name);
            format!("the rule of thumb says {thumb}, and no measured time says otherwise")
        }
        ClassBy::Port => "its port to the GPU does not pay for itself in time (B-C2)".to_owned(),
        ClassBy::Cost | ClassBy::Only => dearer(c),
    });
    let cheapest =
        |admits: &dyn Fn(&Quote) -> bool| selection.cheapest(view.job, view.catalog, quotes, admits);
    for (purchase, _) in Purchase::ALL {
        if *purchase != chosen.purchase {
            let best = cheapest(&|q| q.purchase == *purchase && q.class == chosen.class);
            add(AlternativeKind::OtherPurchase, best, &dearer);
        }
    }
    let first = cheapest(&|q| !commits(view.stage, q.purchase)).filter(|i| selection.chosen != Some(*i));
    add(AlternativeKind::Cheapest, first, &|c| {
        format!("takes {}: too long for the deadline", c.time.expected)
    });
    let name = |q: &Quote| {
        let offer = view.catalog.offers.get(q.offer)?;
        view.catalog.instance(offer.instance).map(|i| &*i.name)
    };
    let runner =
        cheapest(&|q| q.purchase == chosen.purchase && name(q).is_some_and(|n| *n != *chosen.instance));
    add(AlternativeKind::RunnerUp, runner, &dearer);
    if chosen.period == Period::Month {
        return found;
    }
    if chosen.gpu_count * f64::from(chosen.count) > 1.0 {
        let gpus = |q: &Quote| {
            let candidate = view.candidates.candidates.get(q.candidate)?;
            Some(view.catalog.instance(candidate.instance)?.gpu_count() * f64::from(candidate.count))
        };
        let one = cheapest(&|q| gpus(q).is_some_and(|n| (n - 1.0).abs() < f64::EPSILON));
        add(AlternativeKind::OneGpu, one, &dearer);
    }
    let fastest = (0..quotes.len()).min_by(|a, b| {
        let key = |i: usize| quotes.get(i).map(|q| (q.time, q.cost));
        match (key(*a), key(*b)) {
            (Some((ta, ca)), Some((tb, cb))) => ta.total_cmp(&tb).then(ca.cmp(&cb)),
            _ => std::cmp::Ordering::Equal,
        }
    });
    let shorter =
        fastest.filter(|i| quotes.get(*i).is_some_and(|q| q.time.get() < chosen.time.expected.get() * 0.95));
    add(AlternativeKind::Fastest, shorter, &dearer);
    found
}
