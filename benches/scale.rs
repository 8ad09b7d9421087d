//! How the whole process grows with the rows of a catalog and with the stages of a workload.
//!
//! `cargo bench --bench scale` writes price lists of 1,000 to 1,000,000 rows and workloads of 1 to 200 stages under a
//! deadline, runs the program on them and prints medians and the peak memory (where GNU time is there); then chains of
//! stages on the embedded prices with a chance that is asked for, and with their curve. The rows are those of `skypilot/azure_vms.csv` in the folder PLAN_DATA (else ../shared/data), repeated under other region names;
//! without it those of a seller that is made up.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const PROGRAM: &str = env!("CARGO_BIN_EXE_plan");
const RUNS: usize = 7;

/// A price list as its header and rows, each row parted at its region.
struct List {
    provider: &'static str,
    home: &'static str,
    header: String,
    rows: Vec<(String, String, String)>,
}

impl List {
    fn new() -> Self {
        let folder = std::env::var_os("PLAN_DATA")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
        let lists = if folder.join("azure_vms.csv").exists() { folder } else { folder.join("skypilot") };
        let file = lists.join("azure_vms.csv");
        match std::fs::read_to_string(&file) {
            Ok(text) => {
                println!("rows of {}, repeated under other region names", file.display());
                Self::published(&text)
            }
            Err(error) => {
                println!("no {} ({error}): rows of a seller that is made up", file.display());
                Self::made_up()
            }
        }
    }

    fn published(text: &str) -> Self {
        let mut lines = text.lines();
        let header = lines.next().expect("a header").to_owned();
        let at = header.split(',').position(|column| column == "Region").expect("a column for the region");
        let rows = lines.map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[..at].join(","), fields[at].to_owned(), fields[at + 1..].join(","))
        });
        Self { provider: "azure", home: "eastus", header, rows: rows.collect() }
    }

    /// 800 types in 50 regions: every tenth with a card, prices by size, region and a little noise.
    fn made_up() -> Self {
        let header =
            "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,Generation";
        let cards = [("T4", 0.4), ("A10", 0.9), ("L4", 0.6), ("A100-80GB", 3.0)];
        let mut rows = Vec::new();
        for kind in 0..800u32 {
            let vcpus = 2 << (kind % 6);
            let memory = vcpus * [2, 4, 8][usize::try_from(kind % 3).expect("small")];
            let card = (kind % 10 == 0).then(|| cards[usize::try_from(kind / 10 % 4).expect("small")]);
            for region in 0..50u32 {
                let noise = f64::from((kind * 31 + region * 17) % 97) / 970.0;
                let cores = 0.048 * f64::from(vcpus);
                let price = (cores + card.map_or(0.0, |(_, price)| price)) * (0.95 + noise);
                let (name, count) = card.map_or(("", ""), |(name, _)| (name, "1"));
                let start = format!("t{kind},{name},{count},{vcpus},{memory},{price:.4},{:.4}", price * 0.4);
                rows.push((start, format!("r{region}"), String::new()));
            }
        }
        Self { provider: "acme", home: "r0", header: header.to_owned(), rows }
    }

    /// So many rows in a file whose name tells the provider.
    fn write(&self, rows: usize) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{rows}"));
        std::fs::create_dir_all(&folder).expect("a folder for the list");
        let mut text = self.header.clone() + "\n";
        for (number, (start, region, end)) in self.rows.iter().cycle().take(rows).enumerate() {
            match number / self.rows.len() {
                0 => writeln!(text, "{start},{region},{end}"),
                round => writeln!(text, "{start},{region}-{round},{end}"),
            }
            .expect("written to a text");
        }
        let file = folder.join(format!("{}_vms.csv", self.provider));
        std::fs::write(&file, text).expect("the list is written");
        file
    }

    /// A workload of so many stages, no two of them alike, under a deadline that the cheapest choices miss.
    fn workload(&self, stages: usize) -> PathBuf {
        let mut text = format!(
            "[limits]\ndeadline = \"{}h\"\n[data]\nsamples = 1_281_167\nsize = \"147 GB\"\nlocation = \"{}/{}\"\n\
             [model]\narchitecture = \"resnet50\"\nbatch_size = 256\nprecision = \"amp\"\noptimizer = \"sgd-momentum\"\n",
            (8 * stages).max(40),
            self.provider,
            self.home
        );
        for number in 0..stages {
            let (kind, on, minutes, more) = [
                ("prepare", "8 vCPU", 390, ""),
                ("augment", "8 vCPU", 180, ""),
                ("train", "T4", 3000, "epochs = 90\ncheckpoint = { every = \"20m\", takes = \"30s\" }\n"),
                ("mine", "T4", 300, ""),
                ("analyze", "4 vCPU", 60, ""),
                ("evaluate", "8 vCPU", 40, ""),
            ][number % 6];
            let after = match number {
                0 => String::new(),
                n if n % 3 == 0 => format!("after = [\"s{}\", \"s{}\"]\n", n - 1, n - 3),
                n => format!("after = [\"s{}\"]\n", n - 1),
            };
            let time = minutes + number;
            write!(
                text,
                "[[stage]]\nname = \"s{number}\"\nkind = \"{kind}\"\n{after}{more}measured = [{{ on = \"{on}\", time = \"{time}m\" }}]\n"
            )
            .expect("written to a text");
        }
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{stages}.toml"));
        std::fs::write(&file, text).expect("the workload is written");
        file
    }
}

/// A chain of so many small stages, every other one a training.
fn chain(stages: usize) -> PathBuf {
    let mut text =
        "[data]\nsamples = 50_000\nsize = \"10 GB\"\n[model]\nparams = \"11.7M\"\nbatch_size = 128\n"
            .to_owned();
    for number in 0..stages {
        let kind = if number % 2 == 0 { "mine" } else { "train" };
        let after =
            number.checked_sub(1).map_or_else(String::new, |before| format!("after = [\"s{before}\"]\n"));
        write!(text, "[[stage]]\nname = \"s{number}\"\nkind = \"{kind}\"\n{after}")
            .expect("written to a text");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("chain-{stages}.toml"));
    std::fs::write(&file, text).expect("the workload is written");
    file
}

/// Median of several runs in seconds.
fn time(arguments: &[&str]) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let status =
                Command::new(PROGRAM).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
            let status = status.expect("the program starts");
            assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?} failed");
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// Peak memory as GNU time reports it.
fn peak(arguments: &[&str]) -> String {
    let output = Command::new("/usr/bin/time").arg("-f%M").arg(PROGRAM).args(arguments).output();
    let kib: Option<u64> = output
        .ok()
        .and_then(|output| String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok());
    kib.map_or_else(|| "memory unknown".to_owned(), |kib| format!("{} MB", kib * 1024 / 1_000_000))
}

fn measure(workload: &Path, more: &[&str]) {
    let mut arguments = vec![workload.to_str().expect("a plain path"), "--today", "2026-11-30"];
    arguments.extend(more);
    println!("  {:8.3} s  {}", time(&arguments), peak(&arguments));
}

fn main() {
    let list = List::new();
    println!("medians of {RUNS} runs of the whole process, embedded prices included");
    println!("version {:.4} s", time(&["--version"]));
    let six = list.workload(6);
    for rows in [1_000, 10_000, 100_000, 1_000_000] {
        let file = list.write(rows);
        print!("6 stages with a deadline, {rows:>9} rows");
        measure(&six, &["--catalog", file.to_str().expect("a plain path")]);
    }
    let file = list.write(100_000);
    for stages in [1, 6, 20, 50, 100, 200] {
        let workload = list.workload(stages);
        print!("{stages:>3} stages with a deadline, 100,000 rows");
        measure(&workload, &["--catalog", file.to_str().expect("a plain path")]);
    }
    for (stages, deadline) in [(5, "1h"), (10, "2h"), (20, "5h"), (60, "12h")] {
        print!("{stages:>3} stages as sure as 95 of 100     ");
        measure(&chain(stages), &["--deadline", deadline, "--confidence", "0.95"]);
    }
    for stages in [20, 300] {
        print!("{stages:>3} stages with their curve            ");
        measure(&chain(stages), &["--frontier", "--format", "json"]);
    }
}
