//! Measurements and checkpoints of a stage.

use super::defaults;
use super::ledger::{Ledger, file, preset};
use super::names::{self, Written};
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic};
use crate::job::{Checkpoint, CheckpointTo, MeasuredOn, Measurement, Origin, Per, SpotFacts, StageKind};
use crate::model::Model;
use crate::read::workload::{RawCheckpoint, RawMeasured, RawStage};
use crate::units::number::{split, thousands};
use crate::units::time::LONGEST_DAYS;
use crate::units::{BytesPerSecond, Counted, Hours};

/// How much work a stage is, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) stage: &'a str,
    pub(super) kind: StageKind,
    pub(super) samples: Option<f64>,
    /// Whether the file states them, even where they could not be read.
    pub(super) counted: bool,
    pub(super) seq_len: Option<f64>,
    pub(super) epochs: f64,
    pub(super) trials: f64,
    pub(super) concurrency: f64,
}

/// All measurements of a stage.
pub(super) fn resolve(
    raw: &[RawMeasured],
    work: Work<'_>,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Vec<Measurement> {
    let mut all = Vec::new();
    for entry in raw {
        let on = entry.on.as_ref().and_then(|on| {
            let written = Written { text: &on.value, place: Some(&on.place), role: "`on` in [[measured]]" };
            measured_on(written, catalog, ledger).map(|machine| (machine, on.value.clone()))
        });
        if entry.on.is_none() && !entry.states("on") {
            ledger.diags.push(
                Diagnostic::error(
                    Code::MissingKey,
                    entry.place.clone(),
                    "a measurement does not say on what it was made",
                )
                .hint("add `on = \"T4\"`, an instance type or `on = \"8 vCPU\"`"),
            );
        }
        let instances = entry.instances.as_ref().map_or(defaults::MEASURED_INSTANCES.value, |i| i.value);
        let timed = time(entry, work, f64::from(instances), ledger);
        let (Some((on, label)), Some((time, per))) = (on, timed) else { continue };
        let several = if instances > 1 { format!("{instances} × ") } else { String::new() };
        ledger.record(
            format!("{}.measured", work.stage),
            format!("{several}{label}: {time}"),
            Origin::File(entry.place.clone()),
        );
        if time.get() > LONGEST_DAYS * 24.0 {
            let message = format!("by this measurement stage `{}` takes {time}", work.stage);
            let place = Some(entry.place.clone()).filter(|place| !place.is_flag());
            ledger.diags.push(
                Diagnostic::error(Code::BadValue, place, message)
                    .allowed(format!("at most {LONGEST_DAYS}d for the whole stage")),
            );
            continue;
        }
        let new = Measurement { on, label, time, per, instances, place: entry.place.clone() };
        repeated(&all, &new, work.stage, ledger);
        all.push(new);
    }
    all
}

/// Times of the same work on the same machine that differ by more than this contradict one another: runs on identical
/// machines differ by a few percent.
const CONTRADICTION: f64 = 1.25;

/// A machine that was measured before: only one time can count.
fn repeated(before: &[Measurement], new: &Measurement, stage: &str, ledger: &mut Ledger<'_>) {
    let same = |old: &&Measurement| old.on == new.on && old.instances == new.instances;
    let Some(old) = before.iter().find(same) else { return };
    let (less, more) = if old.time <= new.time { (old.time, new.time) } else { (new.time, old.time) };
    let message = format!(
        "stage `{stage}` takes {} on {}, but {} by line {}",
        new.time, new.label, old.time, old.place.line
    );
    let place = Some(new.place.clone()).filter(|place| !place.is_flag());
    ledger.diags.push(if more > less * CONTRADICTION {
        Diagnostic::error(Code::Conflict, place, message)
            .hint("keep the one that was measured as this run will be")
    } else {
        Diagnostic::warning(Code::Duplicate, place, format!("{message}: the first one counts"))
            .hint("keep one of them")
    });
}

/// `8 vCPU`, an instance type, or so many of an accelerator.
fn measured_on(name: Written<'_>, catalog: &Catalog, ledger: &mut Ledger<'_>) -> Option<MeasuredOn> {
    if let Some((number, unit)) = split(name.text) {
        match unit.to_lowercase().as_str() {
            "vcpu" | "vcpus" if number > 0.0 => {
                return within(name, number, 1_000_000.0, ledger).map(MeasuredOn::Vcpus);
            }
            "core" | "cores" | "cpu" | "cpus" => {
                ledger.diags.push(
                    name.error(Code::BadValue, "cores and CPUs are not told apart from vCPUs")
                        .allowed("an instance type, an accelerator or a number of vCPUs")
                        .hint(format!(
                            "write {:?} where a core has two of them",
                            format!("{} vCPU", number * 2.0)
                        )),
                );
                return None;
            }
            _ => {}
        }
    }
    let found = names::find_instances(catalog, name.text);
    if !found.is_empty() {
        let mut providers: Vec<&str> =
            found.iter().filter_map(|i| catalog.provider(i.provider)).map(|p| &*p.name).collect();
        providers.dedup();
        let instance = name.text.split_once('/').map_or(name.text, |(_, name)| name).to_owned();
        let provider = match providers.as_slice() {
            [one] => Some((*one).to_owned()),
            _ => None,
        };
        if let [first, _, ..] = providers.as_slice() {
            ledger.diags.push(ambiguous_instance(name, &providers, first));
        }
        return Some(MeasuredOn::Instance { provider, instance });
    }
    match names::accelerators(catalog, name) {
        Ok((accelerator, count, warning)) => {
            if let Some(warning) = warning {
                ledger.diags.push(warning);
            }
            let count = within(name, count.unwrap_or(1.0), 100_000.0, ledger)?;
            Some(MeasuredOn::Gpu { accelerator, count })
        }
        Err(no_card) => {
            // With a slash an instance type was meant; otherwise whichever has a near name.
            let error = match names::instances(catalog, name) {
                Err(no_instance) if name.text.contains('/') => no_instance,
                Err(no_instance) if no_card.hint.is_none() && no_instance.hint.is_some() => no_instance,
                _ => name
                    .error(Code::UnknownName, "neither an instance type nor an accelerator of the catalog")
                    .allowed("an instance type, an accelerator such as \"8xA100-80GB\", or \"8 vCPU\""),
            };
            let hint = error.hint.clone().or(no_card.hint);
            ledger.diags.push(Diagnostic { hint, ..error });
            None
        }
    }
}

/// No machine and no cluster has more.
fn within(name: Written<'_>, number: f64, most: f64, ledger: &mut Ledger<'_>) -> Option<f64> {
    if number <= most {
        return Some(number);
    }
    let many = name.error(Code::BadValue, "more than there are in one place");
    ledger.diags.push(many.allowed(format!("at most {}", thousands(most))));
    None
}

fn ambiguous_instance(name: Written<'_>, providers: &[&str], first: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::AmbiguousName,
        name.place.cloned(),
        format!(
            "{} is {:?}, which {} sell",
            name.role,
            name.text,
            crate::names::list(providers.iter().copied())
        ),
    )
    .hint(format!("write {:?}", format!("{first}/{}", name.text)))
}

/// The time of the stage's whole work (of one request for a service), and what was timed.
fn time(
    entry: &RawMeasured,
    work: Work<'_>,
    instances: f64,
    ledger: &mut Ledger<'_>,
) -> Option<(Hours, Per)> {
    match (&entry.time, &entry.rate) {
        (Some(time), None) => {
            let per = entry.per.as_ref().map_or(default_per(work.kind), |p| p.value);
            let factor = times(per, work).map_err(|message| {
                let place = entry.per.as_ref().map_or(&time.place, |p| &p.place);
                ledger.diags.push(Diagnostic::error(Code::Conflict, place.clone(), message));
            });
            factor.ok().map(|n| (time.value * n, per))
        }
        (None, Some(rate)) => {
            if let Some(per) = &entry.per {
                ledger.diags.push(
                    Diagnostic::error(
                        Code::Conflict,
                        per.place.clone(),
                        "`per` belongs to `time`, not to `rate`",
                    )
                    .hint("take out `per`"),
                );
            }
            let per_second = match rate.value.counted() {
                Counted::Samples => Some(rate.value.per_second()),
                Counted::Tokens => work.seq_len.map(|tokens| rate.value.per_second() / tokens),
            };
            if work.kind == StageKind::Serve {
                return per_second
                    .map(|rate| (Hours::from_secs(work.concurrency * instances / rate), Per::Item));
            }
            let (Some(per_second), Some(samples)) = (per_second, work.samples) else {
                if !work.counted {
                    ledger.diags.push(
                        Diagnostic::error(
                            Code::MissingKey,
                            rate.place.clone(),
                            format!("a rate needs the number of samples of stage `{}`", work.stage),
                        )
                        .hint("add `samples = 1_000_000` under [data] or to the stage"),
                    );
                }
                return None;
            };
            Some((Hours::from_secs(samples * work.epochs * work.trials / per_second), Per::Stage))
        }
        (Some(_), Some(rate)) => {
            ledger.diags.push(
                Diagnostic::error(
                    Code::Conflict,
                    rate.place.clone(),
                    "a measurement states both `time` and `rate`",
                )
                .allowed("one of them"),
            );
            None
        }
        (None, None) => {
            if !entry.states("time") && !entry.states("rate") {
                ledger.diags.push(
                    Diagnostic::error(
                        Code::MissingKey,
                        entry.place.clone(),
                        "a measurement has neither `time` nor `rate`",
                    )
                    .hint("add `time = \"6h30m\"` or `rate = \"250/s\"`"),
                );
            }
            None
        }
    }
}

const fn default_per(kind: StageKind) -> Per {
    match kind {
        StageKind::Serve => Per::Item,
        StageKind::Tune => Per::Trial,
        _ => Per::Stage,
    }
}

/// How many of what was timed make up the stage.
fn times(per: Per, work: Work<'_>) -> Result<f64, String> {
    let serves = work.kind == StageKind::Serve;
    match per {
        Per::Item if serves => Ok(1.0),
        _ if serves => {
            Err(format!("`per` is \"{per}\", but stage `{}` is a service; allowed: item", work.stage))
        }
        Per::Stage => Ok(1.0),
        Per::Epoch => Ok(work.epochs * work.trials),
        Per::Trial if work.kind == StageKind::Tune => Ok(work.trials),
        Per::Trial => Err(format!("`per` is \"trial\", but stage `{}` is no search", work.stage)),
        Per::Item => work
            .samples
            .map(|n| n * work.epochs * work.trials)
            .ok_or_else(|| format!("a time per item needs the number of samples of stage `{}`", work.stage)),
    }
}

/// The checkpoint of a stage.
pub(super) fn checkpoint(
    stage: &str,
    raw: &RawStage,
    model: Option<&Model>,
    ledger: &mut Ledger<'_>,
) -> Option<Checkpoint> {
    let raw: &RawCheckpoint = raw.checkpoint.as_ref()?;
    let key = |name: &str| format!("{stage}.checkpoint.{name}");
    let every = ledger.settle(key("every"), file(raw.every.as_ref()));
    let bandwidth = ledger.settle(key("bandwidth"), file(raw.bandwidth.as_ref()));
    let takes = file(raw.takes.as_ref()).or_else(|| match model {
        Some(model) => {
            let reason = match bandwidth {
                Some(rate) => format!("weights and optimizer states at {rate}, at least 5 s"),
                None => "a guess: weights and optimizer states at 1 GB/s, at least 5 s".to_owned(),
            };
            let rate = bandwidth.map_or(defaults::CHECKPOINT_BANDWIDTH, BytesPerSecond::get);
            let seconds = (state_bytes(model) / rate).max(defaults::CHECKPOINT_LEAST_SECS);
            preset(Hours::from_secs(seconds), reason)
        }
        None => preset(
            Hours::from_secs(defaults::CHECKPOINT_UNKNOWN_SECS),
            "a guess: no model from which to reckon",
        ),
    });
    let takes = ledger.settle(key("takes"), takes)?;
    if let (Some(every), Some(place)) = (every, raw.every.as_ref().map(|e| &e.place))
        && takes >= every
    {
        ledger.diags.push(Diagnostic::error(
            Code::Conflict,
            place.clone(),
            format!("a checkpoint every {every} that takes {takes} leaves no time for work"),
        ));
    }
    let to = ledger.settle_or(key("to"), file(raw.to.as_ref()), &defaults::CHECKPOINT_TO);
    if let (CheckpointTo::Local, Some(stated)) = (to, &raw.to) {
        ledger.diags.push(
            Diagnostic::warning(
                Code::BadValue,
                stated.place.clone(),
                format!(
                    "the checkpoint of stage `{stage}` is lost with the instance: it counts as none on spot"
                ),
            )
            .hint("write it to object storage: `to = \"durable\"`"),
        );
    }
    let on_notice = ledger.settle_or(key("on_notice"), file(raw.on_notice.as_ref()), &defaults::ON_NOTICE);
    Some(Checkpoint { every, takes, durable: to == CheckpointTo::Durable, on_notice })
}

/// What is known of spot capacity for a stage.
pub(super) fn spot(stage: &str, raw: &RawStage, ledger: &mut Ledger<'_>) -> SpotFacts {
    let Some(raw) = raw.spot.as_ref() else { return SpotFacts::default() };
    let key = |name: &str| format!("{stage}.spot.{name}");
    SpotFacts {
        interruptions_per_hour: ledger
            .settle(key("interruptions_per_hour"), file(raw.interruptions_per_hour.as_ref())),
        lifetime: ledger.settle(key("lifetime"), file(raw.lifetime.as_ref())),
        protection: ledger.settle(key("protection"), file(raw.protection.as_ref())),
    }
}

/// Bytes that a checkpoint holds: weights, and optimizer states of what is trained.
fn state_bytes(model: &Model) -> f64 {
    let weight = model.precision.weight_bytes();
    model.params * weight + model.trainable * model.optimizer.state_bytes(weight)
}
