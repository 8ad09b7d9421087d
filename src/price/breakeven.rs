//! Where one way of buying becomes cheaper than another: spot against on-demand, months against hours, GPU
//! against CPU. A tie goes to what can be undone: on-demand, and the CPU.

mod device;
mod month;
mod spot;

pub use device::{DeviceComparison, DeviceJob, amdahl, compare_devices};
pub use month::{MonthComparison, break_even_hours, compare_month, compare_month_by_month};
pub use spot::{
    SpotComparison, break_even_discount, break_even_hazard, compare_spot, long_run_inflation,
    single_run_discount,
};

/// What a saving of two costs is called: the share of `from` that `to` saves, in per cent; negative where it
/// costs more. `None` where nothing was paid to begin with.
fn saving_percent(from: f64, to: f64) -> Option<f64> {
    (from > 0.0 && to.is_finite()).then(|| 100.0 * (1.0 - to / from))
}
