//! README says what the program does: its tables are those of the code.

use plan::resolve::defaults::{Row, rows};

/// The defaults as README's table lines: one line per key where the case does not matter, one per case else.
fn lines() -> Vec<String> {
    rows()
        .iter()
        .map(|Row { key, when, value, reason }| {
            let when = if when.is_empty() { "always" } else { when };
            format!("| `{key}` | {when} | `{value}` | {reason} |")
        })
        .collect()
}

#[test]
fn every_default_stands_in_readme() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let all = lines();
    assert!(all.len() > 60, "the defaults were found");
    let missing: Vec<&String> = all.iter().filter(|line| !readme.contains(line.as_str())).collect();
    assert!(
        missing.is_empty(),
        "not in README.md:\n{}",
        missing.iter().map(|l| l.as_str()).collect::<Vec<_>>().join("\n")
    );
}
