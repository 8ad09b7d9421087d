//! `plan vram WORKLOAD`: the memory of each stage that runs a model, as the plan sees it.

use super::one;
use crate::catalog::Catalog;
use crate::cli::Stop;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::job::Stage;
use crate::read::{Source, workload};
use crate::resolve::{Overrides, resolve};
use crate::units::Date;
use std::io::Write;
use std::path::Path;

/// The stages of a workload that run a model, or the one that is named.
pub(super) fn stages(
    path: &Path,
    named: Option<&str>,
    catalog: &Catalog,
    today: Date,
    err: &mut dyn Write,
) -> Result<Vec<Stage>, Stop> {
    let source = Source::open(path).map_err(one)?;
    let mut diags = Diagnostics::new();
    let raw = workload::read(&source, &mut diags);
    let job = resolve(&raw, &Overrides::none(today), catalog, &mut diags);
    let failed = diags.has_errors();
    let Some(job) = job.filter(|_| !failed) else { return Err(Stop::Diagnostics(diags)) };
    super::report(diags, err);
    let runnable: Vec<String> =
        job.stages.iter().filter(|s| s.model.is_some()).map(|s| s.name.clone()).collect();
    let chosen: Vec<Stage> = job
        .stages
        .into_iter()
        .filter(|s| s.model.is_some() && named.is_none_or(|name| s.name == name))
        .collect();
    if chosen.is_empty() {
        let unknown = |message| Diagnostic::error(Code::UnknownName, None, message);
        return Err(one(match named {
            Some(name) if !runnable.is_empty() => unknown(format!("no stage {name:?} that runs a model"))
                .allowed(crate::names::list(runnable.iter().map(String::as_str))),
            _ => unknown("no stage runs a model".to_owned())
                .hint("state `[model]` in the workload, or ask about a model with `--architecture`"),
        }));
    }
    Ok(chosen)
}
