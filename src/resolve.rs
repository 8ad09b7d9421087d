//! Raw workload + flags + catalog names → [`Job`]: flag over stage over workload over the model's own description
//! over default, each value with where it came from. All mistakes of meaning are reported in one run.

mod carry;
mod conflicts;
pub mod defaults;
mod demand;
mod graph;
mod ledger;
mod limits;
mod measured;
mod model;
pub(crate) mod names;
mod needs;
mod owned;
mod place;
mod sane;
mod schedule;
mod stage;
mod thresholds;

pub use carry::carry;
pub use ledger::Preset;

use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::job::{Aim, Job, Origin};
use crate::read::workload::{RawWorkload, names_of};
use crate::units::{Amount, Currency, Date, Hours};
use ledger::{Ledger, file, flag, preset};

/// What the command line says over the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Overrides {
    /// The day from which prices' ages count.
    pub today: Date,
    /// Currency of the plan.
    pub currency: Option<Currency>,
    /// Most that one run may cost.
    pub budget: Option<Amount>,
    /// Longest time of one run.
    pub deadline: Option<Hours>,
    /// Only these providers; empty for what the file says.
    pub providers: Vec<String>,
    /// Only these regions, as region or provider/region; empty for what the file says.
    pub regions: Vec<String>,
    /// Age in months from which a price takes part only where its provider or region is named.
    pub stale_after_months: Option<u32>,
    /// What to have least of within the limits.
    pub aim: Option<Aim>,
    /// Chance with which a run must meet its deadline, a share above 0 and below 1.
    pub confidence: Option<f64>,
}

impl Overrides {
    /// No flags but the day.
    pub const fn none(today: Date) -> Self {
        Self {
            today,
            currency: None,
            budget: None,
            deadline: None,
            providers: Vec::new(),
            regions: Vec::new(),
            stale_after_months: None,
            aim: None,
            confidence: None,
        }
    }
}

impl Overrides {
    /// The same without the flags whose keys a change of the workload states: the change is asked about.
    #[must_use]
    pub fn without(self, stated: impl Fn(&str) -> bool) -> Self {
        fn left<T>(value: Option<T>, gone: bool) -> Option<T> {
            value.filter(|_| !gone)
        }
        let list = |list: Vec<String>, gone| if gone { Vec::new() } else { list };
        Self {
            currency: left(self.currency, stated("currency")),
            budget: left(self.budget, stated("limits.budget")),
            deadline: left(self.deadline, stated("limits.deadline")),
            aim: left(self.aim, stated("limits.aim")),
            confidence: left(self.confidence, stated("limits.confidence")),
            providers: list(self.providers, stated("where.providers")),
            regions: list(self.regions, stated("where.regions")),
            ..self
        }
    }
}

/// Resolves a workload. `None` when it, or the file that it was read from, has an error; each is in `diags`.
pub fn resolve(
    raw: &RawWorkload,
    overrides: &Overrides,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) -> Option<Job> {
    if raw.broken {
        return None;
    }
    sane::check(raw, diags);
    let mut ledger = Ledger::new(diags);
    let ledger = &mut ledger;
    let name = file(raw.name.as_ref()).or_else(|| preset(stem(&raw.file), "the file's name"));
    let name = ledger.settle("name", name).unwrap_or_default();
    let currency = limits::currency(raw, overrides, catalog, ledger);
    let limits = limits::limits(raw, overrides, currency, catalog, ledger);
    let stale_after_months = ledger.settle_or(
        "stale_after_months",
        flag(overrides.stale_after_months),
        &defaults::STALE_AFTER_MONTHS,
    );
    let (runs_per_month, schedule) = schedule::resolve(raw, ledger);
    let labour = raw.labour_per_hour.as_ref();
    let labour_per_hour = limits::stated_money("labour_per_hour", labour, currency, catalog, ledger);
    data_counted_twice(raw, ledger);
    let data_size = ledger.settle("data.size", file(raw.data.size.as_ref()));
    let data_location = place::location(raw, catalog, ledger);
    let place = place::resolve(&raw.place_to_rent, overrides, catalog, ledger);
    let thresholds = thresholds::resolve(raw, ledger);

    let names = names_of(&raw.stages);
    if raw.stages.is_empty() && !ledger.diags.has_errors() {
        ledger.diags.push(
            Diagnostic::error(Code::MissingKey, raw.place.clone(), "the workload has no stage")
                .hint("add `[[stage]]` with `kind = \"train\"`"),
        );
    }
    let after = graph::resolve(&raw.stages, &names, ledger);
    let mut stages = Vec::new();
    for ((stage, name), after) in raw.stages.iter().zip(&names).zip(after) {
        if !stage.states("name") {
            ledger.record(format!("{name}.name"), name, Origin::Default("the stage's kind".to_owned()));
        }
        stages.extend(stage::resolve(stage, name, after, raw, currency, catalog, ledger));
    }
    let samples = raw.data.samples.as_ref().map(|s| s.value).or_else(|| {
        let tokens = raw.data.tokens.as_ref()?.value;
        let seq_len = stages.iter().find_map(|s| s.model.as_ref()?.seq_len)?;
        Some((tokens / seq_len).ceil())
    });
    limits::budget_of_no_run(raw, limits, &stages, currency, ledger);
    let settings = std::mem::take(&mut ledger.settings);
    if ledger.diags.has_errors() {
        return None;
    }
    Some(Job {
        name,
        currency,
        today: overrides.today,
        stale_after_months,
        limits,
        runs_per_month,
        schedule,
        labour_per_hour,
        data_location,
        data_size,
        samples,
        place,
        stages,
        thresholds,
        settings,
    })
}

/// The file's name without folders and extension.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".toml").unwrap_or(name).to_owned()
}

fn data_counted_twice(raw: &RawWorkload, ledger: &mut Ledger<'_>) {
    if let (Some(_), Some(tokens)) = (&raw.data.samples, &raw.data.tokens) {
        ledger.diags.push(
            Diagnostic::error(
                Code::Conflict,
                tokens.place.clone(),
                "both `samples` and `tokens` are stated in [data]",
            )
            .hint("keep one of them; tokens ÷ `seq_len` are samples"),
        );
    }
}
