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
