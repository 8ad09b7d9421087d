//! `plan completions`.

use super::plan;
use plan::cli::Exit;

#[test]
fn every_shell_completes_every_command() {
    let help = plan(&["--help"]).out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let ran = plan(&["completions", shell]);
        assert_eq!((ran.exit, ran.err.as_str()), (Exit::Done, ""));
        for command in &commands {
            assert!(ran.out.contains(command), "{shell} lacks {command}");
        }
        // Words of a list and flags of a subcommand are completed too.
        for word in ["gpu-price", "stale-after", "transcode"] {
            assert!(ran.out.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(plan(&["completions", "tcsh"]).exit, Exit::Bad);
}

#[test]
fn a_file_that_is_no_text_is_told_with_the_place_of_its_first_bad_byte() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-utf8.toml");
    std::fs::write(&file, b"\xef\xbb\xbfname = \"x\"\n# \xc3\xa4\xff\n").unwrap();
    let shown = file.to_str().unwrap();
    let ran = plan(&[shown]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Bad, ""));
    assert_eq!(ran.err, format!("{shown}:2:4: error[unreadable]: not UTF-8 text; save the file as UTF-8\n"));
}
