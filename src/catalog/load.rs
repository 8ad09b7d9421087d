//! Extra catalogs of the command line, laid over the embedded one.

use super::Catalog;
use super::import::import;
use crate::diag::Diagnostics;
use crate::read::catalog::sources;
use std::path::PathBuf;

/// The catalog that a run works with: `base` (the embedded one) with the files and folders laid over it, or only
/// these with `only` (accelerators and exchange rates stay). Mistakes are collected; what could be read is there.
pub fn load(base: Catalog, paths: &[PathBuf], only: bool, diags: &mut Diagnostics) -> Catalog {
    if paths.is_empty() {
        return if only { base.hardware() } else { base };
    }
    let later = extra(&base, paths, diags);
    if only { base.hardware().extend_with(later) } else { base.extend_with(later) }
}

/// What the files and folders say by themselves. Instance types that they do not describe are those of `known`.
pub fn extra(known: &Catalog, paths: &[PathBuf], diags: &mut Diagnostics) -> Catalog {
    let sources = sources(paths, diags);
    import(&sources, known, diags).assemble(diags)
}
