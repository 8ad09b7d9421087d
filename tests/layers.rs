//! Importing goes one way along the flow: a module names only modules before it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The flow. A module may name itself and what stands before it.
const FLOW: &[&str] = &[
    "names",
    "threads",
    "units",
    "diag",
    "terms",
    "thresholds",
    "read",
    "model",
    "catalog",
    "job",
    "resolve",
    "vram",
    "duration",
    "rules",
    "decide",
    "price",
    "offers",
    "usage",
    "plan",
    "choose",
    "advise",
    "render",
    "cli",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a text names as `crate::module`, without its comments.
fn named(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line.split(" // ").next().unwrap_or(line), "\n"])
        .collect();
    code.match_indices("crate::")
        .map(|(at, found)| {
            let rest = &code[at + found.len()..];
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        })
        .collect()
}

fn violations(files: &BTreeMap<String, String>) -> Vec<String> {
    let place = |module: &str| FLOW.iter().position(|m| *m == module);
    let mut bad = Vec::new();
    for (file, text) in files {
        let module = file.trim_end_matches(".rs").split('/').next().unwrap_or_default();
        let Some(own) = place(module) else {
            if !["lib", "main", "build"].contains(&module) {
                bad.push(format!("{file}: module `{module}` is not in the flow"));
            }
            continue;
        };
        for name in named(text) {
            match place(&name) {
                Some(other) if other > own => {
                    bad.push(format!("{file} names crate::{name}, which comes later"));
                }
                _ => {}
            }
        }
    }
    bad
}

fn source_files() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

#[test]
fn imports_go_one_way() {
    let files = source_files();
    assert!(files.len() > 50, "the sources were found");
    let bad = violations(&files);
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn a_planted_upward_import_is_found() {
    let planted = BTreeMap::from([
        ("price/bill.rs".to_owned(), "use crate::units::Money;\nuse crate::render::Format;".to_owned()),
        ("units/bytes.rs".to_owned(), "// crate::cli is only mentioned\n".to_owned()),
        ("surprise.rs".to_owned(), String::new()),
    ]);
    assert_eq!(
        violations(&planted),
        [
            "price/bill.rs names crate::render, which comes later",
            "surprise.rs: module `surprise` is not in the flow"
        ]
    );
}
