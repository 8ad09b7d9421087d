//! Paths of catalogs → texts: a folder stands for its catalog files.

use super::Source;
use crate::diag::{Code, Diagnostic, Diagnostics};
use std::path::{Path, PathBuf};

/// Opens catalog files; a folder takes its `*.toml` and `*.csv` in the order of their names.
pub fn sources(paths: &[PathBuf], diags: &mut Diagnostics) -> Vec<Source> {
    let mut sources = Vec::new();
    for path in paths {
        if path.is_dir() {
            let files = files_of(path, diags);
            if files.is_empty() {
                diags.push(
                    Diagnostic::error(
                        Code::Unreadable,
                        None,
                        format!("{}: no catalog in this folder", path.display()),
                    )
                    .allowed("files that end in .toml or .csv"),
                );
            }
            for file in files {
                open(&file, &mut sources, diags);
            }
        } else {
            open(path, &mut sources, diags);
        }
    }
    sources
}

fn open(path: &Path, sources: &mut Vec<Source>, diags: &mut Diagnostics) {
    match Source::open(path) {
        Ok(source) => sources.push(source),
        Err(diagnostic) => diags.push(diagnostic),
    }
}

fn files_of(folder: &Path, diags: &mut Diagnostics) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            diags.push(Diagnostic::error(Code::Unreadable, None, format!("{}: {error}", folder.display())));
            return Vec::new();
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "toml" || ext == "csv"))
        .collect();
    files.sort();
    files
}
