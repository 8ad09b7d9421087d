//! `plan usage`.

use super::{json, path, plan};
use plan::cli::Exit;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// By hand, `logs/train.log`: ten readings 0, 2, 12, 38, 41, 45, 44, 39, 72, 90 %, ten times over. Their mean is 38.3 %,
/// the middle ones are 39 and 41 %; eight of ten lie below 50 %, two below 5 %. Idle: 20 % of 0.526 USD an hour is
/// 0.1052, × 24 = 2.5248, × 730 = 76.796. The most memory is 3600 + 8 × 60 + 70 = 4150 MiB.
#[test]
fn the_figures_of_a_log() {
    let log = path("logs/train.log");
    let read = json(&["usage", &log, "--on", "aws/g4dn.xlarge", "--region", "us-east-1", "--format", "json"]);
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    let gpu = &read["gpus"][0];
    assert_eq!(read["gpus"].as_array().unwrap().len(), 1);
    assert_eq!((&gpu["readings"], &gpu["gpu"]), (&Value::from(100), &Value::from("0")));
    assert!(close(&gpu["utilisation"]["mean"], 0.383));
    assert!(close(&gpu["utilisation"]["median"], 0.40));
    assert!(close(&gpu["utilisation"]["low_share"], 0.8));
    assert!(close(&gpu["utilisation"]["idle_share"], 0.2));
    assert_eq!(gpu["memory_peak_bytes"], 4150u64 * 1_048_576);
    // From 23:59:10 on, 99 s, over midnight.
    assert!(close(&read["span_hours"], 99.0 / 3600.0));
    assert_eq!(read["rent"]["price_per_hour"], 0.526);
    assert_eq!(read["rent"]["price_as_of"], "2026-07-20");
    assert!(close(&read["idle_cost"]["per_hour"], 0.1052));
    assert!(close(&read["idle_cost"]["per_day"], 2.5248));
    assert!(close(&read["idle_cost"]["per_month"], 76.796));
    assert_eq!(read["advice"][0]["rule"], "A-U1");
}

/// `logs/dmon.log`: GPU 0 at 94 to 100 %, GPU 1 at 55, 20, 61, 18, 22, 70, 25, 30 % twice, GPU 2 at 0 %: one third idle.
#[test]
fn gpus_are_told_apart_and_bad_lines_counted() {
    let log = path("logs/dmon.log");
    let ran = plan(&["usage", &log, "--price", "2.10 USD", "--format", "json"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.err.contains("3 of 57 lines could not be read: 21, 36, 57"), "{}", ran.err);
    let read: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(read["unread_lines"], serde_json::json!([21, 36, 57]));
    let mean = |gpu: usize| read["gpus"][gpu]["utilisation"]["mean"].as_f64().unwrap();
    assert!((mean(0) - 0.97875).abs() < 1e-9 && (mean(1) - 0.37625).abs() < 1e-9 && mean(2) == 0.0);
    assert_eq!(read["gpus"][0]["memory_peak_bytes"], Value::Null);
    assert!((read["idle_cost"]["per_hour"].as_f64().unwrap() - 0.70).abs() < 1e-9);
    let advice: Vec<(&str, &str)> = read["advice"]
        .as_array()
        .unwrap()
        .iter()
        .map(|advice| (advice["rule"].as_str().unwrap(), advice["gpu"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(advice, [("A-U1", "1"), ("B-C3", "2"), ("A-U4", ""), ("A-U4", ""), ("A-U4", "")]);
}

#[test]
fn what_cannot_be_answered_is_said() {
    let (log, empty) = (path("logs/query.csv"), path("workloads/minimal.toml"));
    for (args, exit, message) in [
        (&["usage", "none.log"][..], Exit::Bad, "no such file"),
        (&["usage", &empty], Exit::Bad, "is a reading of a GPU"),
        (&["usage", &log, "--on", "aws/g4dn.xlrage"], Exit::Bad, "did you mean `g4dn.xlarge`?"),
        (&["usage", &log, "--on", "aws/g4dn.xlarge"], Exit::Bad, "the log has 2 GPUs"),
        (&["usage", &log, "--on", "aws/m5.large"], Exit::Bad, "on-demand has 0"),
        (&["usage", &log, "--price", "2.10"], Exit::Bad, "did you mean \"2.10 USD\"?"),
        (
            &["usage", &log, "--price", "2 USD", "--on", "aws/p4de.24xlarge"],
            Exit::Bad,
            "`--price` cannot stand beside `--on`",
        ),
        (&["usage", &log, "--region", "us-east-1"], Exit::Bad, "--on"),
        (&["usage", &log, "--on", "aws/p4de.24xlarge", "--region", "us-esat-1"], Exit::Bad, "`us-east-1`"),
        (
            &["usage", &log, "--on", "azure/Standard_NC48ads_A100_v4", "--region", "aws/us-east-1"],
            Exit::No,
            "without --region aws/us-east-1:",
        ),
    ] {
        let ran = plan(args);
        assert_eq!(ran.exit, exit, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
        // The log's figures are shown before a no.
        assert_eq!(ran.out.is_empty(), exit == Exit::Bad, "{args:?}");
    }
}

#[test]
fn the_logged_gpus_bear_their_share_of_a_machine() {
    let log = path("logs/query.csv");
    let ran = plan(&["usage", &log, "--on", "aws/p4de.24xlarge"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.out.contains("the log has 2 of its 8"), "{}", ran.out);
    let read = json(&["usage", &log, "--on", "aws/p4de.24xlarge", "--format", "json"]);
    assert_eq!(read["idle_cost"]["logged_share"], 0.25);
}

#[test]
fn a_log_may_come_through_a_pipe() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plan"))
        .args(["usage", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(path("logs/train.log")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let ran = child.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), ran.stderr.len()), (Some(0), 0));
    let read: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(
        (&read["file"], &read["gpus"][0]["readings"]),
        (&Value::from("standard input"), &Value::from(100))
    );
}
