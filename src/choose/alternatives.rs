//! What else was possible for a stage, and why it was not taken.

use super::assemble::{StageView, choice};
use super::question::counted;
use super::{ClassBy, Selection};
use crate::job::{Aim, Class, Job, Purchase, Stage, StageKind};
use crate::names::Named;
use crate::plan::{Alternative, AlternativeKind, Choice, Period};
use crate::price::open::commits;
use crate::price::{Pricer, Quote, hidden};
use crate::rules::Threshold;
use crate::units::Money;
use crate::units::number::{percent, significant, things, thousands};

/// A choice is pointed out that is at least so many times as fast …
const FASTER: f64 = 2.0;
/// … for at most this factor of the cost. Both are a choice: what time is worth is not asked for in money.
const LITTLE_MORE: f64 = 1.15;

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
    let port = |c: &Choice| {
        let other = other.and_then(|i| quotes.get(i)).filter(|_| c.class == Class::Gpu);
        other.and_then(|gpu| porting(view.job, view.stage, chosen.expected_cost(), gpu)).unwrap_or_default()
    };
    add(AlternativeKind::OtherClass, other, &|c| match selection.by {
        ClassBy::Thumb => {
            let thumb = selection.thumb.map_or("", Named::name);
            format!("the rule of thumb says {thumb}, and no measured time says otherwise{}", port(c))
        }
        ClassBy::Cost | ClassBy::Only => dearer(c) + &port(c),
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
        let takes = lasts(view, pricer, selection, c);
        if selection.shares(quotes) {
            return format!("{takes}: months that several stages share cost less all together");
        }
        match (view.job.limits.aim, view.job.limits.confidence) {
            (Aim::Cost, None) => format!("{takes}: too long for the deadline"),
            (Aim::Cost, Some(_)) => format!("{takes}: the deadline would be less sure"),
            (Aim::Time, _) => format!("{takes}: the run would last longer"),
        }
    });
    let name = |q: &Quote| {
        let candidate = view.candidates.of(q.candidate)?;
        view.catalog.instance(candidate.instance).map(|i| &*i.name)
    };
    let runner =
        cheapest(&|q| q.purchase == chosen.purchase && name(q).is_some_and(|n| *n != *chosen.instance));
    add(AlternativeKind::RunnerUp, runner, &dearer);
    if chosen.period == Period::Month {
        return found;
    }
    if chosen.gpu_count * f64::from(chosen.count) > 1.0 {
        let gpus = |q: &Quote| {
            let candidate = view.candidates.of(q.candidate)?;
            Some(view.catalog.instance(candidate.instance)?.gpu_count() * f64::from(candidate.count))
        };
        let one = cheapest(&|q| gpus(q).is_some_and(|n| (n - 1.0).abs() < f64::EPSILON));
        add(AlternativeKind::OneGpu, one, &dearer);
    }
    let (cost, time) = (chosen.expected_cost().as_f64(), chosen.time.expected.get());
    let little = |q: &Quote| {
        chosen.period == Period::Run && q.time.get() * FASTER <= time && q.cost.as_f64() <= cost * LITTLE_MORE
    };
    add(AlternativeKind::Faster, cheapest(&little), &|c| {
        let (times, more) = (time / c.time.expected.get(), c.expected_cost() - chosen.expected_cost());
        format!("{} times as fast for {} more", significant(times, 2), more.amount())
    });
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

/// How long the cheapest choice of a stage takes, with the time that counted against it: on spot the one within which it
/// ends as often as is asked, where a chance is asked for the upper end of its band.
pub(super) fn lasts(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    selection: &Selection,
    cheapest: &Choice,
) -> String {
    let takes = format!("takes {}", cheapest.time.expected);
    if view.job.limits.confidence.is_some() {
        return format!("{takes}, at the upper end of its band {}", cheapest.time.high);
    }
    let quotes = &view.quotes.quotes;
    let quote = selection.cheapest(view.job, view.catalog, quotes, |q| !commits(view.stage, q.purchase));
    let counts = quote.and_then(|i| quotes.get(i)).map(|q| counted(view.job, pricer, view.candidates, q));
    match counts.filter(|c| c.is_finite() && c.get() > cheapest.time.expected.get() * (1.0 + 1e-9)) {
        Some(counts) => {
            let asked = view.job.thresholds.get(Threshold::SpotConfidence);
            format!("{takes}, but {counts} to end {} of the time", percent(asked))
        }
        None => takes,
    }
}

/// What porting a stage to a GPU costs, and after how many runs it has paid for itself (B-C2).
fn porting(job: &Job, stage: &Stage, cpu: Money, gpu: &Quote) -> Option<String> {
    let hours = stage.migration_hours.filter(|h| *h > 0.0)?;
    let saved = cpu - (gpu.cost - hidden::share(job, stage, gpu.class));
    let (pays, unit) = (saved > Money::ZERO, if stage.kind == StageKind::Serve { "month" } else { "run" });
    Some(match hidden::migration(job, stage) {
        None => {
            let hours = things(significant(hours, 4), "hour");
            format!("; {hours} of porting without a price: give labour_per_hour")
        }
        Some(port) if pays => format!(
            "; porting costs {}, which a saving of {} a {unit} pays back after {}",
            port.whole.amount(),
            saved.amount(),
            things(thousands((port.whole.as_f64() / saved.as_f64()).ceil()), unit)
        ),
        Some(port) => format!(
            "; porting costs {} and never pays: a {unit} on the GPU pays nothing",
            port.whole.amount()
        ),
    })
}
