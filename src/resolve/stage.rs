//! One stage: its facts from the file, else from the data set, the workload and its kind.

use super::ledger::{Found, Ledger, file, preset};
use super::measured::{self, Work};
use super::names::{self, Written};
use super::{conflicts, defaults, demand, limits, model, needs};
use crate::catalog::{AcceleratorId, Catalog, Stack};
use crate::diag::{Code, Diagnostic};
use crate::job::{GpuSupport, MeasuredOn, Measurement, Origin, Stage, StageKind};
use crate::model::Model;
use crate::names::Named;
use crate::read::workload::{RawStage, RawWorkload};
use crate::units::{Bytes, Currency, Hours, Money};

/// Resolves a stage with a name; `None` where its kind or its model cannot be known.
pub(super) fn resolve(
    raw: &RawStage,
    name: &str,
    after: Vec<usize>,
    whole: &RawWorkload,
    currency: Currency,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Option<Stage> {
    let key = |k: &str| format!("{name}.{k}");
    let kind = kind(raw, name, ledger)?;
    let model = stage_model(raw, name, kind, whole, ledger);
    let Amounts { samples, size, output, epochs, trials, concurrency, video } =
        amounts(raw, name, kind, model.as_ref(), whole, ledger);
    let work = Work {
        stage: name,
        kind,
        samples,
        counted: needs::counted(raw, whole),
        seq_len: model.as_ref().and_then(|m| m.seq_len),
        epochs,
        trials: trials.map_or(1.0, f64::from),
        concurrency: f64::from(concurrency),
    };
    let (requests_per_second, demand) = demand::resolve(raw, name, kind, model.as_ref(), ledger);
    let measured = measured::resolve(&raw.measured, work, catalog, ledger);
    let of_kind = defaults::of_kind(kind);
    let gpu_support = gpu_support(raw, whole, kind, model.is_some(), &measured, catalog);
    let instances = file(raw.instances.as_ref()).or_else(|| instances(kind, trials));
    let measured_memory = ledger.settle(key("measured_memory"), file(raw.measured_memory.as_ref()));
    let core_hours = ledger.settle(key("core_hours"), file(raw.core_hours.as_ref()));
    let decode = ledger.settle(key("decode"), file(raw.decode.as_ref()));
    let gpu_utilisation = ledger.settle(key("gpu_utilisation"), file(raw.gpu_utilisation.as_ref()));
    let memory_bound =
        ledger.settle_or(key("memory_bound"), file(raw.memory_bound.as_ref()), &defaults::MEMORY_BOUND);
    let staging = staging(raw, name, whole, size, ledger);
    let staged = file(raw.staged.as_ref().or(whole.data.staged.as_ref()).filter(|_| kind.trains()));
    let staged = ledger.settle(key("staged"), staged).unwrap_or(true);
    let unknown = kind == StageKind::Serve && model.is_none() && measured.is_empty() && core_hours.is_none();
    let stage = Stage {
        name: name.to_owned(),
        kind,
        after,
        samples,
        size,
        reads: if staged { 1.0 } else { epochs * trials.map_or(1.0, f64::from) },
        output,
        epochs,
        trials,
        requests_per_second,
        demand,
        concurrency,
        video,
        measured,
        measured_memory,
        core_hours,
        decode,
        gpu_utilisation,
        memory_bound,
        parallel: ledger.settle_or(key("parallel"), file(raw.parallel.as_ref()), &of_kind.parallel),
        parallel_share: ledger.settle_or(
            key("parallel_share"),
            file(raw.parallel_share.as_ref()),
            &of_kind.parallel_share,
        ),
        gpu_support: ledger.settle_or(key("gpu_support"), gpu_support, &of_kind.gpu_support),
        urgency: ledger.settle_or(
            key("urgency"),
            file(raw.urgency.as_ref()).or_else(|| file(whole.urgency.as_ref())),
            &defaults::URGENCY,
        ),
        load: ledger.settle_or(
            key("load"),
            file(raw.load.as_ref()).or_else(|| file(whole.load.as_ref())),
            &defaults::load(kind),
        ),
        tolerates_interruption: ledger.settle_or(
            key("tolerates_interruption"),
            file(raw.tolerates_interruption.as_ref()),
            &of_kind.tolerates_interruption,
        ),
        checkpoint: measured::checkpoint(name, raw, model.as_ref(), ledger),
        spot: measured::spot(name, raw, ledger),
        migration_hours: ledger.settle(key("migration_hours"), file(raw.migration_hours.as_ref())),
        startup: ledger.settle(key("startup"), file(raw.startup.as_ref())),
        staging,
        fixed_cost: fixed_cost(raw, name, currency, catalog, ledger),
        network: ledger.settle(key("network"), file(raw.network.as_ref())),
        instances: ledger.settle_or(key("instances"), instances, &defaults::INSTANCES),
        min_vcpus: ledger.settle(
            key("min_vcpus"),
            file(raw.min_vcpus.as_ref()).or_else(|| defaults::ORDINARY_VCPUS.found().filter(|_| unknown)),
        ),
        min_memory: ledger.settle(
            key("min_memory"),
            file(raw.min_memory.as_ref()).or_else(|| defaults::ORDINARY_MEMORY.found().filter(|_| unknown)),
        ),
        purchase: ledger.settle(key("purchase"), file(raw.purchase.as_ref())),
        class: ledger.settle(key("class"), file(raw.class.as_ref())),
        instance: pinned_instance(raw, name, catalog, ledger),
        gpu: pinned_gpu(raw, name, catalog, ledger),
        stacks: stacks(raw, name, ledger),
        model,
        place: raw.place.clone(),
    };
    Some(checked(stage, raw, whole, catalog, ledger))
}

fn fixed_cost(
    raw: &RawStage,
    name: &str,
    currency: Currency,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Option<Money> {
    limits::stated_money(&format!("{name}.fixed_cost"), raw.fixed_cost.as_ref(), currency, catalog, ledger)
}

/// What the stage lacks, and what of it cannot all hold.
fn checked(
    stage: Stage,
    raw: &RawStage,
    whole: &RawWorkload,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Stage {
    needs::check(raw, &stage, whole, ledger);
    conflicts::check(raw, &stage, whole, catalog, ledger);
    stage
}

fn kind(raw: &RawStage, name: &str, ledger: &mut Ledger<'_>) -> Option<StageKind> {
    let by_name = || {
        StageKind::from_name(name)
            .filter(|_| !raw.states("kind"))
            .and_then(|k| preset(k, "the stage's name is a kind"))
    };
    let found = file(raw.kind.as_ref()).or_else(by_name);
    if found.is_none() && !raw.states("kind") {
        ledger.diags.push(
            Diagnostic::error(Code::MissingKey, raw.place.clone(), format!("stage `{name}` has no `kind`"))
                .allowed(StageKind::allowed())
                .did_you_mean(name, StageKind::ALL.iter().map(|(_, n)| *n)),
        );
    }
    ledger.settle(format!("{name}.kind"), found)
}

fn stage_model(
    raw: &RawStage,
    name: &str,
    kind: StageKind,
    whole: &RawWorkload,
    ledger: &mut Ledger<'_>,
) -> Option<Model> {
    let shared = whole.model.as_ref().filter(|_| kind.runs_model());
    let merged = model::overlaid(raw.model.as_ref(), shared)?;
    let tokens = raw.tokens.is_some() || (raw.samples.is_none() && whole.data.tokens.is_some());
    let samples = stated_samples(raw, whole).map(|(samples, _)| samples);
    let at_once = raw.concurrency.as_ref().map_or(1.0, |c| f64::from(c.value));
    let context = model::Context { stage: name, kind, place: &raw.place, tokens, samples, at_once };
    let resolved = model::resolve(&merged, context, ledger)?;
    model::contradictions(&merged, &resolved, context, ledger);
    Some(resolved)
}

/// How much there is to do.
struct Amounts {
    samples: Option<f64>,
    size: Option<Bytes>,
    output: Option<Bytes>,
    epochs: f64,
    trials: Option<u32>,
    concurrency: u32,
    video: Option<Hours>,
}

fn amounts(
    raw: &RawStage,
    name: &str,
    kind: StageKind,
    model: Option<&Model>,
    whole: &RawWorkload,
    ledger: &mut Ledger<'_>,
) -> Amounts {
    let key = |k: &str| format!("{name}.{k}");
    // A service has no end: the data set is not its work.
    let whole_data = kind != StageKind::Serve;
    let samples = samples(raw, whole, model).filter(|_| whole_data);
    let size = file(raw.size.as_ref()).or_else(|| file(whole.data.size.as_ref()).filter(|_| whole_data));
    Amounts {
        samples: ledger.settle(key("samples"), samples),
        size: ledger.settle(key("size"), size),
        output: ledger.settle(key("output"), file(raw.output.as_ref())),
        epochs: if kind.trains() {
            ledger.settle_or(key("epochs"), file(raw.epochs.as_ref()), &defaults::EPOCHS)
        } else {
            1.0
        },
        trials: ledger.settle(key("trials"), file(raw.trials.as_ref())),
        concurrency: if kind == StageKind::Serve {
            ledger.settle_or(key("concurrency"), file(raw.concurrency.as_ref()), &defaults::CONCURRENCY)
        } else {
            1
        },
        video: ledger.settle(key("video"), file(raw.video.as_ref())),
    }
}

/// Time to copy the stage's data to a machine before it works, where a bandwidth for that is stated: the stage's own,
/// else that of `[data]`. An own one needs a size.
fn staging(
    raw: &RawStage,
    name: &str,
    whole: &RawWorkload,
    size: Option<Bytes>,
    ledger: &mut Ledger<'_>,
) -> Hours {
    match (raw.bandwidth.as_ref().or(whole.data.bandwidth.as_ref()), size) {
        (Some(stated), Some(size)) => ledger
            .settle(format!("{name}.bandwidth"), file(Some(stated)))
            .map_or(Hours::ZERO, |rate| Hours::from_secs(size.as_f64() / rate.get())),
        (Some(stated), None) if raw.bandwidth.is_some() => {
            let message = format!("`bandwidth` of stage `{name}` needs the size of what is copied");
            let hint = "give `size` here or in [data]";
            ledger.diags.push(Diagnostic::error(Code::MissingKey, stated.place.clone(), message).hint(hint));
            Hours::ZERO
        }
        _ => Hours::ZERO,
    }
}

/// Samples stated as such: the stage's, else the data set's unless the stage counts in tokens.
fn stated_samples(raw: &RawStage, whole: &RawWorkload) -> Found<f64> {
    let of_data = whole.data.samples.as_ref().filter(|_| raw.tokens.is_none());
    file(raw.samples.as_ref().or(of_data))
}

/// Samples as stated, or tokens in sequences of the model's length.
fn samples(raw: &RawStage, whole: &RawWorkload, model: Option<&Model>) -> Found<f64> {
    stated_samples(raw, whole).or_else(|| {
        let tokens = raw.tokens.as_ref().or(whole.data.tokens.as_ref())?;
        let seq_len = model?.seq_len?;
        Some(((tokens.value / seq_len).ceil(), Origin::File(tokens.place.clone())))
    })
}

/// A stated support, or one that follows from other statements.
fn gpu_support(
    raw: &RawStage,
    whole: &RawWorkload,
    kind: StageKind,
    has_model: bool,
    measured: &[Measurement],
    catalog: &Catalog,
) -> Found<GpuSupport> {
    let on_gpu = |m: &Measurement| match &m.on {
        MeasuredOn::Gpu { .. } => true,
        MeasuredOn::Vcpus(_) => false,
        MeasuredOn::Instance { provider, instance } => catalog.instances.iter().any(|i| {
            let by = |p: &String| catalog.provider(i.provider).is_some_and(|known| *known.name == **p);
            *i.name == **instance && i.gpu.is_some() && provider.as_ref().is_none_or(by)
        }),
    };
    file(raw.gpu_support.as_ref()).or_else(|| file(whole.gpu_support.as_ref())).or_else(|| {
        if measured.iter().any(on_gpu) {
            defaults::MEASURED_ON_GPU.found()
        } else if raw.migration_hours.is_some() {
            defaults::PORTED.found()
        } else if kind.runs_model() && !has_model {
            defaults::NO_MODEL.found()
        } else {
            None
        }
    })
}

/// Kinds whose number of instances is a result, not a statement.
fn instances(kind: StageKind, trials: Option<u32>) -> Found<u32> {
    match kind {
        StageKind::Serve => preset(Stage::NO_LIMIT, "as many servers as the rate needs"),
        StageKind::Tune => preset(trials?, "each trial may have a machine of its own"),
        _ => None,
    }
}

fn pinned_instance(raw: &RawStage, name: &str, catalog: &Catalog, ledger: &mut Ledger<'_>) -> Option<String> {
    let stated = raw.instance.as_ref()?;
    let written = Written { text: &stated.value, place: Some(&stated.place), role: "`instance`" };
    match names::instances(catalog, written) {
        Ok(_) => ledger.settle(format!("{name}.instance"), file(Some(stated))),
        Err(error) => {
            ledger.diags.push(error);
            None
        }
    }
}

fn pinned_gpu(
    raw: &RawStage,
    name: &str,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) -> Option<AcceleratorId> {
    let stated = raw.gpu.as_ref()?;
    let written = Written { text: &stated.value, place: Some(&stated.place), role: "`gpu`" };
    match names::accelerator(catalog, written) {
        Ok((id, warning)) => {
            if let Some(warning) = warning {
                ledger.diags.push(warning);
            }
            let card = catalog.accelerators.get(id).map_or(String::new(), |card| card.name.to_string());
            ledger.record(format!("{name}.gpu"), card, Origin::File(stated.place.clone()));
            Some(id)
        }
        Err(error) => {
            ledger.diags.push(error);
            None
        }
    }
}

fn stacks(raw: &RawStage, name: &str, ledger: &mut Ledger<'_>) -> Vec<Stack> {
    let stated: Vec<Stack> = raw.stacks.iter().flatten().map(|s| s.value).collect();
    let origin = raw.stacks.iter().flatten().next().map(|s| Origin::File(s.place.clone()));
    let (stacks, origin) = match origin {
        Some(origin) => (stated, origin),
        None => (vec![defaults::STACKS.value], Origin::Default(defaults::STACKS.reason.to_owned())),
    };
    let text: Vec<&str> = stacks.iter().map(|s| s.name()).collect();
    ledger.record(format!("{name}.stacks"), text.join(", "), origin);
    stacks
}
