//! Values that no job has: zero where something must be, or more than the world holds. Each is checked where it
//! stands in the file, whether or not anything needs it.

use super::ledger::shown;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::read::Located;
use crate::read::workload::{RawModel, RawStage, RawWorkload};
use crate::units::{Amount, Bytes, Hours, Money};

/// Most characters of a name.
const LONGEST_NAME: usize = 100;

/// Checks every value of a workload.
pub(super) fn check(raw: &RawWorkload, diags: &mut Diagnostics) {
    let mut sane = Sane { diags };
    sane.name(raw.name.as_ref());
    match raw.runs_per_month.as_slice() {
        [one] => sane.number("runs_per_month", Some(one), (1e-3, 1e6)),
        many => sane.schedule(many),
    }
    sane.amount("labour_per_hour", raw.labour_per_hour.as_ref());
    sane.amount("budget", raw.limits.budget.as_ref());
    sane.amount("monthly_budget", raw.limits.monthly_budget.as_ref());
    sane.time("deadline", raw.limits.deadline.as_ref());
    sane.number("samples", raw.data.samples.as_ref(), (1.0, 1e15));
    sane.number("tokens", raw.data.tokens.as_ref(), (1.0, 1e17));
    sane.size("size", raw.data.size.as_ref());
    if let Some(model) = &raw.model {
        sane.model(model);
    }
    for stage in &raw.stages {
        sane.stage(stage);
    }
}

struct Sane<'d> {
    diags: &'d mut Diagnostics,
}

impl Sane<'_> {
    fn name(&mut self, stated: Option<&Located<String>>) {
        if let Some(blank) = stated.filter(|name| name.value.trim().is_empty()) {
            self.push("name", blank, &format!("{:?}", blank.value), "a name that can be seen");
        }
        if let Some(name) = stated.filter(|name| name.value.chars().count() > LONGEST_NAME) {
            let begins: String = name.value.chars().take(20).collect();
            let allowed = format!("up to {LONGEST_NAME} characters");
            self.push("name", name, &format!("too long: {begins:?}…"), &allowed);
        }
    }

    fn stage(&mut self, stage: &RawStage) {
        self.name(stage.name.as_ref());
        self.number("samples", stage.samples.as_ref(), (1.0, 1e15));
        self.number("tokens", stage.tokens.as_ref(), (1.0, 1e17));
        self.size("size", stage.size.as_ref());
        self.number("epochs", stage.epochs.as_ref(), (1e-6, 1e6));
        self.number("requests_per_second", stage.requests_per_second.as_ref(), (1e-6, 1e9));
        self.number("steady", stage.steady.as_ref().filter(|s| s.value != 0.0), (1e-6, 1e9));
        self.time("latency", stage.latency.as_ref());
        self.time("video", stage.video.as_ref());
        self.size("measured_memory", stage.measured_memory.as_ref());
        self.number("core_hours", stage.core_hours.as_ref(), (1e-9, 1e9));
        self.time("decode", stage.decode.as_ref());
        if let Some(decode) = stage.decode.as_ref().filter(|d| d.value > Hours::new(1.0)) {
            let allowed = "at most 1h: what one vCPU takes to read and prepare one sample";
            self.push("decode", decode, &decode.value.to_string(), allowed);
        }
        self.number("min_vcpus", stage.min_vcpus.as_ref(), (0.01, 10_000.0));
        self.size("min_memory", stage.min_memory.as_ref());
        self.number(
            "migration_hours",
            stage.migration_hours.as_ref().filter(|h| h.value != 0.0),
            (1e-3, 1e7),
        );
        for entry in &stage.measured {
            self.time("time", entry.time.as_ref());
        }
        if let Some(checkpoint) = &stage.checkpoint {
            self.time("every", checkpoint.every.as_ref());
        }
        if let Some(spot) = &stage.spot {
            self.time("lifetime", spot.lifetime.as_ref());
        }
        if let Some(model) = &stage.model {
            self.model(model);
        }
    }

    fn model(&mut self, model: &RawModel) {
        self.number("params", model.params.as_ref(), (1.0, 1e15));
        self.number("active_params", model.active_params.as_ref(), (1.0, 1e15));
        self.number("trainable_params", model.trainable_params.as_ref(), (1.0, 1e15));
        for (key, value) in [("batch_size", &model.batch_size), ("micro_batch", &model.micro_batch)] {
            self.number(key, value.as_ref(), (1.0, 1e9));
            if let Some(part) = value.as_ref().filter(|v| v.value.fract() != 0.0) {
                self.push(key, part, &shown(part.value), "a whole number");
            }
        }
    }

    /// A month of a schedule may be without runs, but not all of them.
    fn schedule(&mut self, months: &[Located<f64>]) {
        for month in months.iter().filter(|m| m.value > 1e6) {
            self.push("runs_per_month", month, &shown(month.value), "at most 1,000,000");
        }
        if let Some(first) = months.first().filter(|_| months.iter().all(|m| m.value <= 0.0)) {
            self.push("runs_per_month", first, "0 in every month", "a number above 0 in one of them");
        }
    }

    fn number(&mut self, key: &str, value: Option<&Located<f64>>, (least, most): (f64, f64)) {
        let Some(found) = value else { return };
        if found.value <= 0.0 {
            self.push(key, found, &shown(found.value), "a number above 0");
        } else if found.value < least {
            let value =
                if found.value < 1e-3 { format!("{:e}", found.value) } else { found.value.to_string() };
            self.push(key, found, &value, &format!("at least {least}"));
        } else if found.value > most {
            self.push(key, found, &shown(found.value), &format!("at most {}", shown(most)));
        }
    }

    fn time(&mut self, key: &str, value: Option<&Located<Hours>>) {
        if let Some(found) = value.filter(|v| v.value == Hours::ZERO) {
            self.push(key, found, "no time at all", "a duration above 0");
        }
    }

    fn size(&mut self, key: &str, value: Option<&Located<Bytes>>) {
        if let Some(found) = value.filter(|v| v.value == Bytes::ZERO) {
            self.push(key, found, "0 B", "a size above 0");
        }
    }

    fn amount(&mut self, key: &str, value: Option<&Located<Amount>>) {
        if let Some(found) = value.filter(|v| v.value.money == Money::ZERO) {
            self.push(key, found, &found.value.to_string(), "an amount above 0");
        }
    }

    fn push<T>(&mut self, key: &str, at: &Located<T>, value: &str, allowed: &str) {
        let message = format!("`{key}` is {value}");
        self.diags.push(Diagnostic::error(Code::BadValue, at.place.clone(), message).allowed(allowed));
    }
}
