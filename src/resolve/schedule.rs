//! How often the job runs: so many times a month, for so many months, or each month another number.

use super::ledger::{Ledger, file, shown};
use crate::diag::{Code, Diagnostic};
use crate::job::Origin;
use crate::read::workload::RawWorkload;

/// Runs per month, the mean of a list; and the runs of each month, where the months are stated.
pub(super) fn resolve(raw: &RawWorkload, ledger: &mut Ledger<'_>) -> (Option<f64>, Vec<f64>) {
    let stated = raw.runs_per_month.as_slice();
    let [first, rest @ ..] = stated else {
        if let Some(months) = &raw.months {
            let message = "`months` is stated without `runs_per_month`";
            ledger.diags.push(
                Diagnostic::error(Code::MissingKey, months.place.clone(), message)
                    .hint("add `runs_per_month = 4`"),
            );
        }
        return (None, Vec::new());
    };
    if rest.is_empty() {
        let runs = ledger.settle("runs_per_month", file(Some(first)));
        let months = ledger.settle("months", file(raw.months.as_ref()));
        return match (runs, months) {
            (Some(runs), Some(months)) => (Some(runs), vec![runs; usize::try_from(months).unwrap_or(1)]),
            (runs, _) => (runs, Vec::new()),
        };
    }
    let schedule: Vec<f64> = stated.iter().map(|m| m.value).collect();
    let text: Vec<String> = schedule.iter().map(|runs| shown(*runs)).collect();
    ledger.record("runs_per_month", text.join(", "), Origin::File(first.place.clone()));
    let months = u32::try_from(schedule.len()).map_or(f64::from(u32::MAX), f64::from);
    if let Some(other) = raw.months.as_ref().filter(|m| (f64::from(m.value) - months).abs() > 0.5) {
        let message = format!("`months` is {}, but `runs_per_month` lists {}", other.value, shown(months));
        ledger
            .diags
            .push(Diagnostic::error(Code::Conflict, other.place.clone(), message).hint("take `months` out"));
    }
    (Some(schedule.iter().sum::<f64>() / months), schedule)
}
