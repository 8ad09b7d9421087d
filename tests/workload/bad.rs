//! Every bad file says exactly what stands beside it in a `.txt`, line by line, and resolves to no job.

use super::{resolved, today};
use plan::resolve::Overrides;
use std::path::Path;

#[test]
fn each_bad_file_says_all_its_mistakes_in_file_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workloads/bad");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() >= 15, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
        let (job, messages) = resolved(&format!("{name}.toml"), &text, &Overrides::none(today()));
        assert!(job.is_none(), "{name}");
        let expected = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap_or_default();
        let found = messages.iter().map(|line| format!("{line}\n")).collect::<String>();
        if found != expected {
            wrong.push(format!("== {name}\n-- expected\n{expected}-- found\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
