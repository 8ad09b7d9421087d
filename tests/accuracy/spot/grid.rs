//! `spot_grid.csv`: jobs with the closed forms and 100,000 simulated runs each.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "small counts and ranks"
)]

use crate::accuracy::oracles;
use plan::price::spot::{
    Burst, FirstWait, Hazard, SpotJob, Wait, best_segments, completion_spread, evaluate,
};
use plan::units::Hours;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One row: column name to cell.
type Row = BTreeMap<String, String>;

fn rows() -> Vec<Row> {
    let path = oracles().join("spot_grid.csv");
    let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    reader.deserialize().map(Result::unwrap).collect()
}

fn number(row: &Row, column: &str) -> Option<f64> {
    let cell = row.get(column).unwrap_or_else(|| panic!("no column {column}"));
    (!cell.is_empty()).then(|| cell.parse().unwrap())
}

fn must(row: &Row, column: &str) -> f64 {
    number(row, column).unwrap_or_else(|| panic!("row {}: no {column}", row["id"]))
}

/// The wait's standard deviation over its mean: exponential 1; Weibull of shape k has
/// Γ(1 + 2/k)/Γ(1 + 1/k)² − 1 as its square, 3.0907 for k = 0.6.
fn variation(process: &str) -> f64 {
    if process.contains("weibull(0.6) wait") { 3.090_7_f64.sqrt() } else { 1.0 }
}

fn job(row: &Row) -> SpotJob {
    SpotJob {
        work: Hours::new(must(row, "W_h")),
        segments: must(row, "n_segments") as u32,
        checkpoint: Hours::from_secs(must(row, "C_s")),
        restart: Hours::from_secs(must(row, "R_s")),
        hazard: Hazard::per_hour(must(row, "gang_hazard_per_h")).unwrap(),
        wait: Wait::varying(Hours::new(must(row, "wait_mean_h")), variation(&row["process"])),
        first_wait: FirstWait::NONE,
    }
}

/// Absolute errors in per cent, each with the row that it comes from.
#[derive(Default)]
struct Errors(Vec<(f64, String)>);

impl Errors {
    fn push(&mut self, error: f64, row: &Row) {
        assert!(!error.is_nan(), "row {}", row["id"]);
        self.0.push((error.abs(), row["id"].clone()));
    }

    fn sorted(&mut self) -> &[(f64, String)] {
        self.0.sort_by(|a, b| a.0.total_cmp(&b.0));
        &self.0
    }

    /// Median, 95th percentile (nearest rank) and worst.
    fn summary(&mut self) -> (f64, f64, f64) {
        let all = self.sorted();
        let rank = |q: f64| all[((q * all.len() as f64).ceil() as usize).clamp(1, all.len()) - 1].0;
        (rank(0.5), rank(0.95), rank(1.0))
    }

    fn line(&mut self, name: &str, out: &mut String) {
        let (median, p95, worst) = self.summary();
        let last = self.sorted().last().unwrap().1.clone();
        let n = self.0.len();
        writeln!(
            out,
            "{name:<48} {n:>4} rows  median {median:.4}  p95 {p95:.4}  worst {worst:.4} (row {last})"
        )
        .unwrap();
    }
}

#[test]
#[ignore = "needs the oracles"]
fn grid_means_and_interruptions() {
    let mut dropped: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (mut billed, mut time, mut deviation) = (Errors::default(), Errors::default(), Errors::default());
    let (mut interruptions, mut wrong) = (0, Vec::new());
    let (mut optimal, mut other_optimum, mut dearer) = (0, Vec::new(), Vec::new());
    for row in rows() {
        let job = job(&row);
        if row["ckpt_mode"] == "opt" {
            optimal += 1;
            let best = best_segments(job.work, job.checkpoint, job.hazard);
            let billed = |segments| evaluate(&SpotJob { segments, ..job }).billed.get();
            if best != job.segments {
                other_optimum.push(format!("row {}: {best}, not {}", row["id"], job.segments));
            }
            if billed(best) > billed(job.segments) * (1.0 + 1e-12) {
                dearer.push(format!("row {}: {best} costs more than {}", row["id"], job.segments));
            }
        }
        let id = row["id"].clone();
        if !row["process"].starts_with("poisson") {
            dropped.entry("up-times not exponential (Weibull)").or_default().push(id);
            continue;
        }
        let outcome = evaluate(&job);
        match row.get("formula_interruptions") {
            Some(printed) if !printed.is_empty() => {
                interruptions += 1;
                let decimals = printed.split_once('.').map_or(0, |(_, d)| d.len());
                if format!("{:.decimals$}", outcome.interruptions) != *printed {
                    wrong.push(format!("row {id}: {} for {printed}", outcome.interruptions));
                }
            }
            _ => {}
        }
        let Some(simulated) = number(&row, "sim_billed_h") else {
            dropped.entry("no simulation (hopeless job)").or_default().push(id);
            continue;
        };
        billed.push(100.0 * (outcome.billed.get() / simulated - 1.0), &row);
        time.push(100.0 * (outcome.completion.get() / must(&row, "sim_mean_T_h") - 1.0), &row);
        let sd = must(&row, "formula_sd_h");
        deviation.push(100.0 * (outcome.deviation().get() / sd - 1.0), &row);
    }
    let mut out = String::new();
    billed.line("mean billed hours, %", &mut out);
    time.line("mean completion, %", &mut out);
    deviation.line("deviation against its formula, %", &mut out);
    writeln!(out, "interruptions to printed digits: {} of {interruptions}", interruptions - wrong.len())
        .unwrap();
    writeln!(
        out,
        "best number of segments: {} of {optimal} {other_optimum:?}",
        optimal - other_optimum.len()
    )
    .unwrap();
    for (reason, ids) in &dropped {
        writeln!(out, "dropped, {reason}: {} rows ({})", ids.len(), ids.join(" ")).unwrap();
    }
    println!("{out}");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(dearer.is_empty(), "{dearer:?}");
    assert!(billed.summary().2 <= 0.7, "a mean billed time beyond 0.7 %");
    assert!(time.summary().2 <= 0.7, "a mean completion beyond 0.7 %");
}

#[test]
#[ignore = "needs the oracles"]
fn grid_percentiles_and_probabilities() {
    let percentiles = [(0.5, "p50"), (0.9, "p90"), (0.95, "p95")];
    let deadlines = [1.1, 1.25, 1.5];
    let mut all: BTreeMap<String, Errors> = BTreeMap::new();
    let mut together = [Errors::default(), Errors::default()];
    let mut relative = Errors::default();
    let mut dropped = BTreeMap::new();
    for row in rows() {
        if number(&row, "sim_p50_h").is_none() {
            *dropped.entry("no simulation (hopeless job)").or_insert(0) += 1;
            continue;
        }
        let poisson = row["process"].starts_with("poisson");
        let law = if poisson { "" } else { " (Weibull up-times, no bar)" };
        if !poisson {
            *dropped.entry("up-times not exponential: shown without a bar").or_insert(0) += 1;
        }
        let job = job(&row);
        let outcome = evaluate(&job);
        let spread = completion_spread(&job, &outcome, Burst::OFF);
        // The law behind the default, with next to no burst factor: what the gamma alone would be worth.
        let gamma = completion_spread(&job, &outcome, Burst::new(1.0 + f64::EPSILON).unwrap());
        for (q, name) in percentiles {
            let error = 100.0 * (spread.percentile(q).get() / must(&row, &format!("sim_{name}_h")) - 1.0);
            all.entry(format!("{name}, %{law}")).or_default().push(error, &row);
            if poisson {
                together[0].push(error, &row);
                let gamma = gamma.percentile(q).get() / must(&row, &format!("sim_{name}_h"));
                all.entry(format!("{name}, %, gamma (no bar)"))
                    .or_default()
                    .push(100.0 * (gamma - 1.0), &row);
            }
        }
        for factor in deadlines {
            let within = spread.within(job.shortest() * factor);
            let simulated = must(&row, &format!("sim_P_D{factor}"));
            let error = 100.0 * (within - simulated);
            all.entry(format!("P(T ≤ {factor} Tmin), points{law}")).or_default().push(error, &row);
            if poisson {
                together[1].push(error, &row);
                if simulated < 0.01 {
                    *dropped.entry("probability below 0.01: in points only").or_insert(0) += 1;
                } else {
                    relative.push(100.0 * (within / simulated - 1.0), &row);
                }
                let gamma = 100.0 * (gamma.within(job.shortest() * factor) - simulated);
                all.entry(format!("P(T ≤ {factor} Tmin), points, gamma (no bar)"))
                    .or_default()
                    .push(gamma, &row);
            }
        }
    }
    let mut out = String::new();
    for (name, errors) in &mut all {
        errors.line(name, &mut out);
    }
    let [times, chances] = &mut together;
    times.line("all percentiles, %", &mut out);
    chances.line("all probabilities, points", &mut out);
    relative.line("probabilities from 0.01, % of them", &mut out);
    for (reason, n) in &dropped {
        writeln!(out, "dropped, {reason}: {n}").unwrap();
    }
    println!("{out}");
    for errors in [times, chances, &mut relative] {
        let (median, p95, _) = errors.summary();
        assert!(median <= 0.3 && p95 <= 4.0, "median {median}, p95 {p95}");
    }
}
