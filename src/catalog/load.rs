//! Extra catalogs of the command line, laid over the embedded one.

use super::Catalog;
use super::import::import;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::catalog::sources;
use std::path::PathBuf;

/// The catalog that a run works with: `base` (the embedded one) with the files and folders laid over it, or only
/// these with `only` (accelerators and exchange rates stay). Mistakes are collected; what could be read is there.
pub fn load(base: Catalog, paths: &[PathBuf], only: bool, diags: &mut Diagnostics) -> Catalog {
    if paths.is_empty() {
        return if only { base.hardware() } else { base };
    }
    let later = extra(&base, paths, diags);
    if !only {
        return base.extend_with(later);
    }
    if later.offers.is_empty() && !diags.has_errors() {
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let message = format!("`--catalog-only` leaves nothing to rent: {} offers nothing", files.join(", "));
        let missing = Diagnostic::error(Code::MissingKey, None, message);
        diags.push(
            missing
                .allowed("files with a `provider`, its `currency`, `as_of`, `source`, and `[[instance]]` with `prices`")
                .hint("take out `--catalog-only` to add what they say to the embedded prices"),
        );
    }
    base.hardware().extend_with(later)
}

/// What the files and folders say by themselves. Instance types that they do not describe are those of `known`.
pub fn extra(known: &Catalog, paths: &[PathBuf], diags: &mut Diagnostics) -> Catalog {
    let sources = sources(paths, diags);
    import(&sources, known, diags).assemble(diags)
}
