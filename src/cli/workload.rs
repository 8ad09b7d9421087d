//! The workload that a one-off question (`plan vram`, `plan time`) is about: the file read and resolved as for a plan,
//! and its stages, or the one that is named.

use super::{Stop, report};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::job::{Job, Stage};
use crate::read::{Source, workload};
use crate::resolve::{Overrides, resolve};
use crate::units::Date;
use std::io::Write;
use std::path::Path;

/// Reads and resolves a workload; its warnings go to standard error.
pub(super) fn job(path: &Path, catalog: &Catalog, today: Date, err: &mut dyn Write) -> Result<Job, Stop> {
    let mut diags = Diagnostics::new();
    let source = Source::open(path)?;
    let raw = workload::read(&source, &mut diags);
    let job = resolve(&raw, &Overrides::none(today), catalog, &mut diags);
    let failed = diags.has_errors();
    let Some(job) = job.filter(|_| !failed) else { return Err(Stop::Diagnostics(diags)) };
    report(diags, err);
    Ok(job)
}

/// The stages that a condition admits, or the one of them that is named; `what` says behind "no stage" what they have in
/// common.
pub(super) fn stages<'a>(
    job: &'a Job,
    named: Option<&str>,
    admits: impl Fn(&Stage) -> bool,
    what: &str,
) -> Result<Vec<&'a Stage>, Stop> {
    let admitted: Vec<&Stage> = job.stages.iter().filter(|s| admits(s)).collect();
    let chosen: Vec<&Stage> =
        admitted.iter().copied().filter(|s| named.is_none_or(|name| s.name == name)).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let unknown = |message| Diagnostic::error(Code::UnknownName, None, message);
    Err(Stop::from(match named {
        Some(name) if !admitted.is_empty() => unknown(format!("no stage {name:?}{what}"))
            .allowed(crate::names::list(admitted.iter().map(|s| s.name.as_str()))),
        _ => unknown(format!("no stage{}", what.trim_start_matches(" that")))
            .hint("state `[model]` in the workload, or ask about a model with `--architecture`"),
    }))
}
