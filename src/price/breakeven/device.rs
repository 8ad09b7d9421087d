//! GPU against CPU for work that runs on both: the speed-up that pays for the dearer hour, and the number of runs
//! that pays for the migration.

use crate::units::{Hours, Money, PerHour};

/// Work whose time on the CPU is known, and what the GPU would change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceJob {
    /// Price of the CPU instance.
    pub cpu: PerHour,
    /// Price of the GPU instance.
    pub gpu: PerHour,
    /// Time of one run on the CPU.
    pub cpu_time: Hours,
    /// How many times faster the accelerated part runs.
    pub speedup: f64,
    /// The share of the CPU time that is accelerated, 0 to 1.
    pub accelerated: f64,
    /// What moving to the GPU costs once.
    pub migration: Money,
    /// Runs over which that is spread; 0 counts as 1.
    pub runs: u32,
}

/// What the two come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceComparison {
    /// Speed-up of the whole run.
    pub effective_speedup: f64,
    /// The speed-up of the whole run from which the GPU is cheaper without migration: the ratio of the prices.
    /// `None` where the CPU costs nothing.
    pub needed_speedup: Option<f64>,
    /// One run on the CPU.
    pub cpu_per_run: Money,
    /// One run on the GPU with its part of the migration.
    pub gpu_per_run: Money,
    /// Runs after which the migration has paid for itself; `None`: never.
    pub break_even_runs: Option<f64>,
    /// Whether the GPU is cheaper; equal cost is not.
    pub gpu_wins: bool,
}

/// The speed-up of the whole when a share of it becomes `speedup` times faster (G. M. Amdahl, AFIPS 1967).
pub fn amdahl(accelerated: f64, speedup: f64) -> f64 {
    1.0 / ((1.0 - accelerated) + accelerated / speedup)
}

/// Compares the cost per run. `None` for a speed-up that is not positive, a share outside 0 to 1, or costs beyond
/// what an amount can hold.
pub fn compare_devices(job: &DeviceJob) -> Option<DeviceComparison> {
    if !(job.speedup > 0.0 && job.speedup.is_finite() && (0.0..=1.0).contains(&job.accelerated)) {
        return None;
    }
    let effective_speedup = amdahl(job.accelerated, job.speedup);
    let cpu_per_run = job.cpu.for_hours(job.cpu_time)?;
    let gpu_alone = job.gpu.for_hours(job.cpu_time / effective_speedup)?;
    let gpu_per_run = gpu_alone + job.migration.scaled(1.0 / f64::from(job.runs.max(1)));
    // Compared as exact amounts: a tie must not become a saving of the last binary digit.
    let saved = cpu_per_run - gpu_alone;
    let cpu = job.cpu.as_f64();
    Some(DeviceComparison {
        effective_speedup,
        needed_speedup: (cpu > 0.0).then(|| job.gpu.as_f64() / cpu),
        cpu_per_run,
        gpu_per_run,
        break_even_runs: (saved > Money::ZERO).then(|| job.migration.as_f64() / saved.as_f64()),
        gpu_wins: gpu_per_run < cpu_per_run,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(speedup: f64, accelerated: f64, migration: &str, runs: u32) -> DeviceJob {
        DeviceJob {
            cpu: PerHour::from_decimal("0.34").unwrap(),
            gpu: PerHour::from_decimal("3.06").unwrap(),
            cpu_time: Hours::new(2.0),
            speedup,
            accelerated,
            migration: Money::from_decimal(migration).unwrap(),
            runs,
        }
    }

    #[test]
    fn a_migration_pays_after_enough_runs() {
        // CPU 0.68 a run, GPU 0.306: 200 ÷ 0.374 = 534.76 runs.
        let few = compare_devices(&job(20.0, 1.0, "200", 534)).unwrap();
        let many = compare_devices(&job(20.0, 1.0, "200", 535)).unwrap();
        assert!((few.break_even_runs.unwrap() - 534.759_358_288_770).abs() < 1e-9);
        assert!(!few.gpu_wins && many.gpu_wins);
    }

    #[test]
    fn a_tenth_that_stays_serial_decides() {
        let serial = compare_devices(&job(20.0, 0.9, "0", 1)).unwrap();
        assert!((serial.effective_speedup - 1.0 / 0.145).abs() < 1e-12);
        assert_eq!((serial.gpu_wins, serial.break_even_runs), (false, None));
    }

    #[test]
    fn a_tie_stays_on_the_cpu() {
        let tie = compare_devices(&job(9.0, 1.0, "0", 1)).unwrap();
        assert_eq!(tie.cpu_per_run, tie.gpu_per_run);
        assert_eq!((tie.gpu_wins, tie.break_even_runs), (false, None));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(compare_devices(&job(bad, 1.0, "0", 1)), None);
        }
        assert_eq!(compare_devices(&job(2.0, 1.5, "0", 1)), None);
    }
}
