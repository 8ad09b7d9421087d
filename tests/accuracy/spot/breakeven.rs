//! `breakeven_oracles.json`: closed forms evaluated to 50 digits and printed with 6 to 15.

#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]

use crate::accuracy::oracles;
use plan::price::breakeven::{
    DeviceJob, break_even_discount, break_even_hazard, break_even_hours, compare_devices, compare_month,
    compare_spot, long_run_inflation, single_run_discount,
};
use plan::price::spot::{FirstWait, Hazard, SpotJob, Wait, best_segments, evaluate, exact_interval};
use plan::units::{Hours, Money, PerHour};
use serde_json::Value;
use std::fmt::Write as _;

/// A cell as its printed text: numbers are kept as strings in the file, small whole ones are not.
fn text(row: &Value, key: &str) -> String {
    match &row[key] {
        Value::String(s) => s.clone(),
        Value::Number(n) => n.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => panic!("no {key} in {row}"),
    }
}

fn number(row: &Value, key: &str) -> f64 {
    text(row, key).parse().unwrap()
}

fn hours(row: &Value, key: &str) -> Hours {
    Hours::new(number(row, key))
}

fn seconds(row: &Value, key: &str) -> Hours {
    Hours::from_secs(number(row, key))
}

fn hazard(row: &Value, key: &str) -> Hazard {
    Hazard::per_hour(number(row, key)).unwrap()
}

/// How far a figure may lie from a printed one: 1e-9 of it, or half a unit of its last digit (and the rounding
/// error of a double beside that).
fn allowed(printed: &str) -> f64 {
    let value: f64 = printed.parse().unwrap();
    let (mantissa, exponent) = printed.split_once(['e', 'E']).unwrap_or((printed, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.bytes().fold(0_i32, |n, _| n + 1));
    let unit = 10f64.powi(exponent.parse::<i32>().unwrap() - decimals);
    (1e-9 * value.abs()).max(0.5 * unit * (1.0 + 1e-6))
}

/// What has been compared so far, table by table.
#[derive(Default)]
struct Report {
    figures: usize,
    exact: usize,
    worst: f64,
    wrong: Vec<String>,
    out: String,
}

impl Report {
    fn figure(&mut self, row: &Value, key: &str, value: f64) {
        let printed = text(row, key);
        let off = (value - printed.parse::<f64>().unwrap()).abs();
        self.figures += 1;
        let share = off / allowed(&printed);
        self.worst = self.worst.max(share);
        if share > 1.0 || share.is_nan() {
            self.wrong.push(format!("{key}: {value} for {printed} in {row}"));
        }
    }

    fn same(&mut self, row: &Value, key: &str, value: &str) {
        self.exact += 1;
        if text(row, key) != value {
            self.wrong.push(format!("{key}: {value} for {} in {row}", text(row, key)));
        }
    }

    fn end(&mut self, table: &str, rows: usize) {
        let Self { figures, exact, worst, .. } = self;
        let line =
            format!("{table:<14} {rows:>3} rows  {figures:>3} figures  {exact:>2} counts and winners  worst");
        writeln!(self.out, "{line} {worst:.3} of what is allowed").unwrap();
        (self.figures, self.exact, self.worst) = (0, 0, 0.0);
    }
}

fn job(row: &Value, segments: u32, checkpoint: Hours) -> SpotJob {
    SpotJob {
        work: hours(row, "W_h"),
        segments,
        checkpoint,
        restart: seconds(row, "R_s"),
        hazard: hazard(row, "hazard"),
        wait: Wait::NONE,
        first_wait: FirstWait::NONE,
    }
}

fn long_runs(oracles: &Value, report: &mut Report) {
    let rows = oracles["T1_discount"].as_array().unwrap();
    for row in rows {
        let (c, r, h) = (seconds(row, "C_s"), seconds(row, "R_s"), hazard(row, "hazard"));
        report.figure(row, "tau_s", exact_interval(c, h).as_secs());
        report.figure(row, "h", long_run_inflation(c, r, h));
        report.figure(row, "breakeven_discount", break_even_discount(c, r, h));
    }
    report.end("T1_discount", rows.len());
    let rows = oracles["T2_hazard"].as_array().unwrap();
    for row in rows {
        let (c, r) = (seconds(row, "C_s"), seconds(row, "R_s"));
        let found = break_even_hazard(c, r, number(row, "discount")).unwrap();
        report.figure(row, "breakeven_hazard_per_h", found.get());
        report.figure(row, "mtbf_h", found.mean_time_between().get());
    }
    report.end("T2_hazard", rows.len());
}

fn single_runs(oracles: &Value, report: &mut Report) {
    let rows = oracles["T3_nockpt"].as_array().unwrap();
    for row in rows {
        let job = job(row, 1, Hours::ZERO);
        let outcome = evaluate(&job);
        report.figure(row, "billed_h", outcome.billed.get());
        report.figure(row, "p_first_try", outcome.p_uninterrupted);
        report.figure(row, "breakeven_discount", single_run_discount(&job));
    }
    report.end("T3_nockpt", rows.len());
    let rows = oracles["T4_finite"].as_array().unwrap();
    for row in rows {
        let checkpoint = seconds(row, "C_s");
        let segments = best_segments(hours(row, "W_h"), checkpoint, hazard(row, "hazard"));
        let job = job(row, segments, checkpoint);
        let price = |key| PerHour::from_decimal(&text(row, key)).unwrap();
        let both = compare_spot(&job, price("od_price"), price("spot_price"), PerHour::from_nanos(0));
        report.same(row, "N_opt", &segments.to_string());
        report.figure(row, "billed_h", evaluate(&job).billed.get());
        report.figure(row, "od_cost", both.on_demand.unwrap().as_f64());
        report.figure(row, "spot_cost", both.spot.unwrap().as_f64());
        report.figure(row, "saving_pct", both.saving_percent.unwrap());
        report.same(row, "winner", if both.spot_wins { "spot" } else { "on-demand" });
    }
    report.end("T4_finite", rows.len());
    let rows = oracles["T7_formula"].as_array().unwrap();
    for row in rows {
        let outcome = evaluate(&job(row, number(row, "N") as u32, seconds(row, "C_s")));
        report.figure(row, "mean_billed_h", outcome.billed.get());
        report.figure(row, "sd_billed_h", outcome.billed_variance.sqrt());
        report.figure(row, "mean_interruptions", outcome.interruptions);
        report.figure(row, "t_min_h", outcome.shortest.get());
        report.figure(row, "p_no_interruption", outcome.p_uninterrupted);
    }
    report.end("T7_formula", rows.len());
}

fn months(oracles: &Value, report: &mut Report) {
    let rows = oracles["T5_monthly"].as_array().unwrap();
    let mut mixed = 0;
    for row in rows {
        let price = PerHour::from_decimal(&text(row, "od_price_h")).unwrap();
        let month = Money::from_decimal(&text(row, "monthly")).unwrap();
        let both = compare_month(price, month, hours(row, "busy_h")).unwrap();
        report.figure(row, "breakeven_h", break_even_hours(price, month).get());
        report.same(row, "months", &both.covering_months.to_string());
        report.figure(row, "od_cost", both.on_demand.as_f64());
        report.figure(row, "monthly_cost", both.monthly.as_f64());
        let winner = match both.monthly.cmp(&both.on_demand) {
            std::cmp::Ordering::Less => "monthly",
            std::cmp::Ordering::Equal => "tie",
            std::cmp::Ordering::Greater => "on-demand",
        };
        report.same(row, "winner", winner);
        assert!(both.best <= both.monthly.min(both.on_demand), "{row}");
        mixed += usize::from(both.best < both.monthly.min(both.on_demand));
    }
    report.end("T5_monthly", rows.len());
    writeln!(report.out, "  in {mixed} of them whole months plus on-demand hours beat both pure ways")
        .unwrap();
}

fn devices(oracles: &Value, report: &mut Report) {
    let rows = oracles["T6_gpu"].as_array().unwrap();
    for row in rows {
        let both = compare_devices(&DeviceJob {
            cpu: PerHour::from_decimal(&text(row, "cpu_price")).unwrap(),
            gpu: PerHour::from_decimal(&text(row, "gpu_price")).unwrap(),
            cpu_time: hours(row, "cpu_hours"),
            speedup: number(row, "speedup"),
            accelerated: number(row, "accel_fraction"),
            migration: Money::from_decimal(&text(row, "migration_cost")).unwrap(),
            runs: number(row, "runs") as u32,
        })
        .unwrap();
        report.figure(row, "effective_speedup", both.effective_speedup);
        report.figure(row, "breakeven_speedup_no_migration", both.needed_speedup.unwrap());
        report.figure(row, "cpu_cost_per_run", both.cpu_per_run.as_f64());
        report.figure(row, "gpu_cost_per_run", both.gpu_per_run.as_f64());
        match both.break_even_runs {
            Some(runs) => report.figure(row, "breakeven_runs", runs),
            None => report.same(row, "breakeven_runs", "never"),
        }
        report.same(row, "winner", if both.gpu_wins { "gpu" } else { "cpu" });
    }
    report.end("T6_gpu", rows.len());
}

fn published_shares(oracles: &Value, report: &mut Report) {
    let rows = oracles["T8_advisor"].as_array().unwrap();
    for row in rows {
        let over = |h| Hazard::from_share(number(row, "f"), Hours::new(h)).unwrap();
        report.figure(row, "month_survival_per_h", over(730.0).get());
        report.figure(row, "run24h_per_h", over(24.0).get());
        report.figure(row, "run8h_per_h", over(8.0).get());
        report.figure(row, "p_interrupt_10h_at_run24", over(24.0).chance_within(Hours::new(10.0)));
    }
    report.end("T8_advisor", rows.len());
}

#[test]
#[ignore = "needs the oracles"]
fn break_even_figures() {
    let path = oracles().join("breakeven_oracles.json");
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let oracles: Value = serde_json::from_slice(&bytes).unwrap();
    let mut report = Report::default();
    for table in [long_runs, single_runs, months, devices, published_shares] {
        table(&oracles, &mut report);
    }
    println!("{}rows dropped: none", report.out);
    assert!(report.wrong.is_empty(), "{} wrong:\n{}", report.wrong.len(), report.wrong.join("\n"));
}
