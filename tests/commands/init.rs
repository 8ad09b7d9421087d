//! `plan init`.

use super::plan;
use plan::cli::Exit;
use std::fs;
use std::path::PathBuf;

const KINDS: [&str; 5] = ["train", "tune", "serve", "batch", "transcode"];

/// A folder of its own for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("plan-init-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn what_it_prints_plans_as_it_stands() {
    let folder = folder("plans");
    for kind in KINDS {
        let starter = plan(&["init", "--kind", kind]);
        assert_eq!((starter.exit, starter.err.as_str()), (Exit::Done, ""), "{kind}");
        let file = folder.join(format!("{kind}.toml"));
        fs::write(&file, &starter.out).unwrap();
        let planned = plan(&[file.to_str().unwrap()]);
        assert_eq!((planned.exit, planned.err.as_str()), (Exit::Done, ""), "{kind}");
        assert!(planned.out.contains("kept:"), "{kind}: its limits are kept: {}", planned.out);
        assert!(!planned.out.contains("NOT KEPT"), "{kind}");
        // It names three providers and teaches the keys that matter.
        assert!(starter.out.contains("providers = [\"aws\", \"gcp\", \"azure\"]"), "{kind}");
        for key in ["measured = ", "location = ", "[limits]", "name = ", "kind = "] {
            assert!(starter.out.contains(key), "{kind}: {key}");
        }
        // No line is too long to read beside something else.
        assert!(starter.out.lines().all(|line| line.chars().count() <= 120), "{kind}");
    }
    assert_eq!(plan(&["init"]).out, plan(&["init", "--kind", "train"]).out);
    assert!(plan(&["init"]).out.contains("checkpoint = "));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_new_file_is_written_whole() {
    let folder = folder("new");
    let file = folder.join("job.toml");
    let ran = plan(&["init", "--kind", "serve", file.to_str().unwrap()]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Done, ""));
    assert!(ran.err.contains("wrote "), "{}", ran.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), plan(&["init", "--kind", "serve"]).out);
    // Nothing else is left beside it.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_existing_file_is_left_as_it_is() {
    let folder = folder("old");
    let file = folder.join("job.toml");
    fs::write(&file, "mine").unwrap();
    let ran = plan(&["init", file.to_str().unwrap()]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Bad, ""));
    assert!(ran.err.contains("exists and is left as it is; name a new file"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let ran = plan(&["init", folder.join("none/job.toml").to_str().unwrap()]);
    assert_eq!(ran.exit, Exit::Bad);
    assert!(ran.err.contains("its folder does not exist"), "{}", ran.err);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(&folder).unwrap();
}
