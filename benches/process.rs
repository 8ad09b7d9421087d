//! Whole process: a plan of six stages on the embedded catalog against `plan --version`, in the same run.
//!
//! `cargo bench --bench process` prints medians, their ratio, and the peak memory of both where GNU time is there.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::process::{Command, Stdio};
use std::time::Instant;

const PROGRAM: &str = env!("CARGO_BIN_EXE_plan");
const WORKLOAD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/six-stages.toml");
const RUNS: usize = 200;

fn once(arguments: &[&str]) -> f64 {
    let start = Instant::now();
    let status = Command::new(PROGRAM)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "{arguments:?} failed");
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Peak memory in KiB as GNU time reports it.
fn peak(arguments: &[&str]) -> Option<u64> {
    let output = Command::new("/usr/bin/time").arg("-f%M").arg(PROGRAM).args(arguments).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

fn main() {
    let jobs: [(&str, &[&str]); 3] = [
        ("--version", &["--version"]),
        ("six stages, table", &[WORKLOAD, "--today", "2026-11-30"]),
        ("six stages, JSON", &[WORKLOAD, "--today", "2026-11-30", "--format", "json"]),
    ];
    // Interleaved, so that a busy machine slows all alike.
    let mut times = vec![Vec::new(); jobs.len()];
    for _ in 0..RUNS {
        for (slot, (_, arguments)) in times.iter_mut().zip(&jobs) {
            slot.push(once(arguments));
        }
    }
    let base = median(times[0].clone());
    println!("{RUNS} runs each, interleaved");
    for ((name, arguments), times) in jobs.iter().zip(times) {
        let time = median(times);
        let memory =
            peak(arguments).map_or_else(|| "memory unknown".to_owned(), |k| format!("{k} KiB at most"));
        println!("{name:<20} median {time:7.3} ms  {:5.2} × --version  {memory}", time / base);
    }
}
