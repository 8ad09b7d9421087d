//! `[rules]`: thresholds by name, each within its bounds and no lower one above its upper one.

use super::ledger::{Ledger, percent, shown};
use crate::diag::{Code, Diagnostic};
use crate::job::Origin;
use crate::names::{Named, closest};
use crate::read::Located;
use crate::read::workload::RawWorkload;
use crate::thresholds::{Threshold, Thresholds};

/// The thresholds in force.
pub(super) fn resolve(raw: &RawWorkload, ledger: &mut Ledger<'_>) -> Thresholds {
    let mut thresholds = Thresholds::default();
    let mut stated: Vec<(Threshold, &Located<f64>)> = Vec::new();
    for (name, number) in &raw.rules {
        let Some(threshold) = Threshold::from_name(&name.value) else {
            let names = || Threshold::ALL.iter().map(|(_, name)| *name);
            let error = Diagnostic::error(
                Code::UnknownKey,
                name.place.clone(),
                format!("unknown threshold `{}` in [rules]", name.value),
            );
            ledger.diags.push(match closest(&name.value, names()) {
                Some(_) => error.did_you_mean(&name.value, names()),
                None => error.allowed(crate::names::list(names())),
            });
            continue;
        };
        let (least, most) = threshold.spec().bounds;
        if !(least..=most).contains(&number.value) {
            let message = format!("`{threshold}` in [rules] is {}", shown(number.value));
            let error = Diagnostic::error(Code::BadValue, number.place.clone(), message).allowed(format!(
                "a number from {} to {}",
                shown(least),
                shown(most)
            ));
            let hint = percent(&name.value, number.value).filter(|_| most <= 1.0);
            ledger.diags.push(Diagnostic { hint, ..error });
            continue;
        }
        let origin = Origin::File(number.place.clone());
        ledger.record(format!("rules.{threshold}"), shown(number.value), origin);
        thresholds.set(threshold, number.value);
        stated.push((threshold, number));
    }
    in_order(&thresholds, &stated, ledger);
    thresholds
}

/// A lower threshold above its upper one would make both say nonsense, whichever of them the file states.
fn in_order(thresholds: &Thresholds, stated: &[(Threshold, &Located<f64>)], ledger: &mut Ledger<'_>) {
    let place = |wanted: Threshold| stated.iter().find(|(t, _)| *t == wanted).map(|(_, n)| n.place.clone());
    for (low, high) in Threshold::RISING {
        let (least, most) = (thresholds.get(low), thresholds.get(high));
        if least <= most {
            continue;
        }
        let (of_low, of_high) = (place(low), place(high));
        let hint = match (&of_low, &of_high) {
            (Some(_), None) => format!("write `{high} = {least}` too"),
            (None, Some(_)) => format!("write `{low} = {most}` too"),
            _ => "change one of them".to_owned(),
        };
        let message = format!("`{low}` is {}, more than `{high}`, which is {}", shown(least), shown(most));
        // Beside a default it may be meant so: what lies between the two is then nothing.
        let kind =
            if of_low.is_some() && of_high.is_some() { Diagnostic::error } else { Diagnostic::warning };
        ledger.diags.push(kind(Code::Conflict, of_low.or(of_high), message).hint(hint));
    }
}
