//! What a service is asked for: its peak, its day, how fast its answers must be.

use super::defaults;
use super::ledger::{Ledger, file, shown};
use crate::diag::{Code, Diagnostic, Place};
use crate::job::{DAY, Demand, Latency, Origin, StageKind};
use crate::model::Model;
use crate::read::Located;
use crate::read::workload::RawStage;

/// The peak rate and the rest of the demand; of a stage that is no service what it states, unchanged.
pub(super) fn resolve(
    raw: &RawStage,
    name: &str,
    kind: StageKind,
    model: Option<&Model>,
    ledger: &mut Ledger<'_>,
) -> (Option<f64>, Demand) {
    let key = |k: &str| format!("{name}.{k}");
    let stated = file(raw.requests_per_second.as_ref());
    if kind != StageKind::Serve {
        return (ledger.settle(key("requests_per_second"), stated), Demand::default());
    }
    let profile = raw.profile.as_ref().filter(|p| checked(p, raw, ledger));
    let highest = profile.map(|p| p.value.iter().copied().fold(0.0, f64::max));
    let peak = stated.or_else(|| {
        let at = &profile?.place;
        Some((highest?, Origin::File(at.clone())))
    });
    let peak = ledger.settle(key("requests_per_second"), peak);
    let hours = profile.map(|p| (p.value, p.place.clone())).or_else(|| two_levels(raw, peak, ledger));
    if let Some((hours, place)) = &hours {
        let text: Vec<String> = hours.iter().map(|rate| shown(*rate)).collect();
        ledger.record(key("profile"), text.join(", "), Origin::File(place.clone()));
    }
    let within = ledger.settle(key("latency"), file(raw.latency.as_ref()));
    let latency = within.map(|within| {
        let percent = ledger.settle_or(
            key("latency_percentile"),
            file(raw.latency_percentile.as_ref()),
            &defaults::LATENCY_PERCENTILE,
        );
        Latency { within, share: percent / 100.0 }
    });
    if let (None, Some(alone)) =
        (&raw.latency, raw.latency_percentile.as_ref().filter(|_| !raw.states("latency")))
    {
        conflict(
            ledger,
            &alone.place,
            "`latency_percentile` is stated without `latency`",
            "add `latency = \"200ms\"`",
        );
    }
    let variation = defaults::time_variation(model.map(|m| m.family));
    let variation = ledger.settle_or(key("time_variation"), file(raw.time_variation.as_ref()), &variation);
    (peak, Demand { profile: hours.map(|(hours, _)| hours), latency, variation })
}

fn conflict(ledger: &mut Ledger<'_>, place: &Place, message: &str, hint: &str) {
    ledger.diags.push(Diagnostic::error(Code::Conflict, place.clone(), message).hint(hint));
}

/// Whether a profile is one of a service: not all zero, and its largest number is the peak where that is stated too.
fn checked(profile: &Located<[f64; DAY]>, raw: &RawStage, ledger: &mut Ledger<'_>) -> bool {
    let highest = profile.value.iter().copied().fold(0.0, f64::max);
    for (key, other) in [
        ("steady", raw.steady.as_ref().map(|l| &l.place)),
        ("peak_hours", raw.peak_hours.as_ref().map(|l| &l.place)),
    ] {
        if let Some(other) = other {
            conflict(ledger, other, &format!("both `profile` and `{key}` are stated"), "keep `profile`");
        }
    }
    if highest <= 0.0 || highest > 1e9 {
        let message = format!("the largest number of `profile` is {}", shown(highest));
        let found = Diagnostic::error(Code::BadValue, profile.place.clone(), message);
        ledger.diags.push(found.allowed(format!("requests per second above 0 and at most {}", shown(1e9))));
        return false;
    }
    let Some(peak) = raw.requests_per_second.as_ref() else { return true };
    let same = (peak.value - highest).abs() <= 1e-9 * highest;
    if !same {
        let message = format!(
            "`requests_per_second` is {}, but the largest number of `profile` is {}",
            shown(peak.value),
            shown(highest)
        );
        conflict(ledger, &peak.place, &message, "take out `requests_per_second`: the profile says the peak");
    }
    same
}

/// A day of two levels: so many hours at the peak, the rest steady.
fn two_levels(raw: &RawStage, peak: Option<f64>, ledger: &mut Ledger<'_>) -> Option<([f64; DAY], Place)> {
    if raw.states("profile") {
        return None;
    }
    let (Some(steady), Some(hours)) = (&raw.steady, &raw.peak_hours) else {
        if let (Some(steady), false) = (&raw.steady, raw.states("peak_hours")) {
            let message = "`steady` is stated without the hours of the peak";
            conflict(ledger, &steady.place, message, "add `peak_hours = 4`, or give `profile`");
        }
        if let (Some(hours), false) = (&raw.peak_hours, raw.states("steady")) {
            let message = "`peak_hours` is stated without the rate outside of them";
            conflict(ledger, &hours.place, message, "add `steady = 20`, or give `profile`");
        }
        return None;
    };
    let peak = peak?;
    if steady.value > peak {
        let message = format!("`steady` is {}, above the peak rate of {}", shown(steady.value), shown(peak));
        conflict(ledger, &steady.place, &message, "swap it with `requests_per_second`");
        return None;
    }
    let mut day = [steady.value; DAY];
    for hour in day.iter_mut().take(usize::try_from(hours.value).unwrap_or(DAY)) {
        *hour = peak;
    }
    Some((day, steady.place.clone()))
}
