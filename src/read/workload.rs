//! The workload file: TOML → [`RawWorkload`], in which each value stands as it was written, with its place and
//! without its meaning. Nothing is filled in and nothing is looked up here; that is `resolve`'s part.

mod model;
mod owned;
mod stage;

pub use model::RawModel;
pub use owned::{RawOwned, RawSpot};
pub use stage::{RawCheckpoint, RawMeasured, RawStage, names as names_of};

use super::change::Change;
use super::table::{Fields, parse};
use super::{Located, Source};
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::terms::{Aim, GpuSupport, Load, Urgency};
use crate::units::{Amount, Bytes, BytesPerSecond, Currency, Hours};
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeTable;

/// A workload file as written. Keys of the file itself.
#[derive(Debug, Clone)]
pub struct RawWorkload {
    /// The file's name, for messages and for the default of `name`.
    pub file: Arc<str>,
    /// The beginning of the file, the place of what is missing in it.
    pub place: Place,
    /// Whether the text is no TOML somewhere, so that what it does not say cannot be told.
    pub broken: bool,
    /// Keys that the file states, misspelt ones as what they most likely mean.
    pub stated: Vec<String>,
    /// `name`: name of the workload, shown above the plan.
    pub name: Option<Located<String>>,
    /// `urgency`: what time is worth, for every stage that does not say otherwise (A-L3).
    pub urgency: Option<Located<Urgency>>,
    /// `load`: whether the load is steady, for every stage that does not say otherwise (B-Q3).
    pub load: Option<Located<Load>>,
    /// `gpu_support`: whether the software has a GPU version, for every stage that does not say otherwise (B-Q2).
    pub gpu_support: Option<Located<GpuSupport>>,
    /// `runs_per_month`: how often the whole job runs in a month, or in each of several; gives monthly figures and
    /// spreads hidden costs.
    pub runs_per_month: Vec<Located<f64>>,
    /// `months`: how many months that goes on.
    pub months: Option<Located<u32>>,
    /// `currency`: currency of the plan.
    pub currency: Option<Located<Currency>>,
    /// `labour_per_hour`: what an hour of a person's work costs, for migration and operation (B-C2).
    pub labour_per_hour: Option<Located<Amount>>,
    /// `[limits]`.
    pub limits: RawLimits,
    /// `[data]`.
    pub data: RawData,
    /// `[model]`: what the stages train or run, unless a stage has its own.
    pub model: Option<RawModel>,
    /// `[where]`.
    pub place_to_rent: RawWhere,
    /// `[rules]`: thresholds by name, each as (name, number).
    pub rules: Vec<(Located<String>, Located<f64>)>,
    /// `[[stage]]`: the stages, in file order.
    pub stages: Vec<RawStage>,
}

/// `[limits]`: what the plan must stay within.
#[derive(Debug, Clone, Default)]
pub struct RawLimits {
    /// `budget`: most that one run may cost.
    pub budget: Option<Located<Amount>>,
    /// `monthly_budget`: most that a month may cost.
    pub monthly_budget: Option<Located<Amount>>,
    /// `deadline`: longest time from the start of one run to its end.
    pub deadline: Option<Located<Hours>>,
    /// `aim`: what the plan is to have least of within the limits.
    pub aim: Option<Located<Aim>>,
    /// `confidence`: chance with which a run must meet the deadline, from 0 to 1.
    pub confidence: Option<Located<f64>>,
}

/// `[data]`: the data set.
#[derive(Debug, Clone, Default)]
pub struct RawData {
    /// Keys that the table states, misspelt ones as what they most likely mean.
    pub stated: Vec<String>,
    /// `samples`: how many samples (images, sequences, rows) it has.
    pub samples: Option<Located<f64>>,
    /// `tokens`: how many tokens it has, instead of `samples`.
    pub tokens: Option<Located<f64>>,
    /// `size`: its size in storage.
    pub size: Option<Located<Bytes>>,
    /// `location`: where it lies, as provider/region (A-R1).
    pub location: Option<Located<String>>,
    /// `bandwidth`: rate at which it is copied to each machine before the work starts.
    pub bandwidth: Option<Located<BytesPerSecond>>,
    /// `staged`: whether it is brought once per run, not again for every epoch (A-R1).
    pub staged: Option<Located<bool>>,
}

/// `[where]`: where may be rented.
#[derive(Debug, Clone, Default)]
pub struct RawWhere {
    /// `providers`: only these.
    pub providers: Vec<Located<String>>,
    /// `regions`: only these, as region or provider/region.
    pub regions: Vec<Located<String>>,
    /// `excluded`: none of these providers, regions, instance types or provider/name pairs.
    pub excluded: Vec<Located<String>>,
    /// `discounts`: share taken off each of a provider's prices, such as `{ aws = 0.15 }`.
    pub discounts: Vec<(Located<String>, Located<f64>)>,
    /// `owned`: machines that are there and paid already, such as `[{ instance = "aws/g5.xlarge", count = 2 }]`.
    pub owned: Vec<RawOwned>,
}

/// Reads a workload. Whatever can be read is returned; every mistake is reported. Where a line is no TOML, that is
/// said and nothing else about the line.
pub fn read(source: &Source, diags: &mut Diagnostics) -> RawWorkload {
    read_with(source, None, diags)
}

/// Reads a workload with one value changed, as `--what-if` asks.
pub fn read_changed(source: &Source, change: &Change, diags: &mut Diagnostics) -> RawWorkload {
    read_with(&source.with_beyond(change.name()), Some(change), diags)
}

/// The keys of the file itself.
pub(crate) const KEYS: [&str; 13] = [
    "name",
    "urgency",
    "load",
    "gpu_support",
    "runs_per_month",
    "months",
    "currency",
    "labour_per_hour",
    "limits",
    "data",
    "model",
    "where",
    "rules",
];

fn read_with(source: &Source, change: Option<&Change>, diags: &mut Diagnostics) -> RawWorkload {
    let mut syntax = Diagnostics::new();
    let mut document = parse(source, &mut syntax);
    let text = change.map(|change| change.document(source)).unwrap_or_default();
    let mut misplaced = Diagnostics::new();
    if let Some(change) = change {
        let stages = stage::names(&tables(source, &document, &mut Diagnostics::new()).stages);
        let new = parse_change(source, &text, &mut syntax);
        change.apply(document.get_mut(), new, (&KEYS, &stages), &mut misplaced);
    }
    let syntax = syntax.sorted();
    let line = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map(|place| place.line);
    let mut found = Diagnostics::new();
    let mut raw = tables(source, &document, &mut found);
    raw.broken = !syntax.is_empty();
    for diagnostic in found.sorted() {
        if !syntax.iter().any(|s| line(s) == line(&diagnostic)) {
            diags.push(diagnostic);
        }
    }
    for diagnostic in syntax.into_iter().chain(misplaced.sorted()) {
        diags.push(diagnostic);
    }
    raw
}

/// The document of a change; nothing where its value is no TOML.
fn parse_change<'s>(source: &Source, text: &'s str, diags: &mut Diagnostics) -> DeTable<'s> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        let message = format!("not valid TOML: {}", error.message().replace('\n', "; "));
        diags.push(Diagnostic::error(Code::Syntax, source.place(text.len()), message));
        return DeTable::new();
    }
    table.into_inner()
}

fn tables(source: &Source, document: &Spanned<DeTable<'_>>, diags: &mut Diagnostics) -> RawWorkload {
    let mut top = Fields::root(source, document, "the workload");
    let mut raw = RawWorkload {
        file: Arc::clone(source.name()),
        place: top.place().clone(),
        broken: false,
        stated: Vec::new(),
        name: top.text("name", diags),
        urgency: top.named("urgency", diags),
        load: top.named("load", diags),
        gpu_support: top.named("gpu_support", diags),
        runs_per_month: top.counts("runs_per_month", diags),
        months: top.whole("months", (1, 1200), diags),
        currency: top.quantity("currency", diags),
        labour_per_hour: top.quantity("labour_per_hour", diags),
        limits: top.table("limits", diags).map(|f| limits(f, diags)).unwrap_or_default(),
        data: top.table("data", diags).map(|f| data(f, diags)).unwrap_or_default(),
        model: top.table("model", diags).map(|f| RawModel::read(f, diags)),
        place_to_rent: top.table("where", diags).map(|f| place_to_rent(f, diags)).unwrap_or_default(),
        rules: top.table("rules", diags).map(|f| numbers(&f, diags)).unwrap_or_default(),
        stages: top.tables("stage", diags).into_iter().map(|f| RawStage::read(f, diags)).collect(),
    };
    raw.stated = top.finish(diags);
    raw
}

fn limits(mut fields: Fields<'_>, diags: &mut Diagnostics) -> RawLimits {
    let raw = RawLimits {
        budget: fields.quantity("budget", diags),
        monthly_budget: fields.quantity("monthly_budget", diags),
        deadline: fields.quantity("deadline", diags),
        aim: fields.named("aim", diags),
        confidence: fields.number_within("confidence", (0.0, 1.0), diags),
    };
    fields.finish(diags);
    raw
}

fn data(mut fields: Fields<'_>, diags: &mut Diagnostics) -> RawData {
    let mut raw = RawData {
        stated: Vec::new(),
        samples: fields.count("samples", diags),
        tokens: fields.count("tokens", diags),
        size: fields.quantity("size", diags),
        location: fields.text("location", diags),
        bandwidth: fields.quantity("bandwidth", diags),
        staged: fields.boolean("staged", diags),
    };
    raw.stated = fields.finish(diags);
    raw
}

fn place_to_rent(mut fields: Fields<'_>, diags: &mut Diagnostics) -> RawWhere {
    let raw = RawWhere {
        providers: fields.texts("providers", diags).unwrap_or_default(),
        regions: fields.texts("regions", diags).unwrap_or_default(),
        excluded: fields.texts("excluded", diags).unwrap_or_default(),
        discounts: fields.table("discounts", diags).map(|f| numbers(&f, diags)).unwrap_or_default(),
        owned: fields.tables("owned", diags).into_iter().map(|f| RawOwned::read(f, diags)).collect(),
    };
    fields.finish(diags);
    raw
}

/// A table whose keys are names and whose values are numbers of zero or more.
fn numbers(fields: &Fields<'_>, diags: &mut Diagnostics) -> Vec<(Located<String>, Located<f64>)> {
    let keys = fields.keys();
    keys.into_iter()
        .filter_map(|key| {
            let number = fields.number_named(&key.value, (0.0, f64::INFINITY), diags)?;
            Some((key, number))
        })
        .collect()
}
