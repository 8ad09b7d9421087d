//! The model of a stage: its own keys over `[model]`'s, then what the architecture is known to be, then defaults.

use super::defaults;
use super::ledger::{Found, Ledger, file, preset};
use crate::diag::{Code, Diagnostic, Place};
use crate::job::{Origin, StageKind};
use crate::model::zoo::{self, Known};
use crate::model::{Family, Mode, Model, Optimizer};
use crate::read::Located;
use crate::read::workload::RawModel;

/// What a stage brings to the resolving of its model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) stage: &'a str,
    pub(super) kind: StageKind,
    pub(super) place: &'a Place,
    /// Whether the data is counted in tokens.
    pub(super) tokens: bool,
    /// Samples, where stated without the help of a model.
    pub(super) samples: Option<f64>,
    /// Requests that a GPU (or a machine without one) works on at once; 1 for a stage that is no service.
    pub(super) at_once: f64,
}

/// The keys of a stage's own model over those of `[model]`. Where the stage names another architecture or another
/// number of parameters, what describes the shared model's identity is not inherited.
pub(super) fn overlaid(own: Option<&RawModel>, shared: Option<&RawModel>) -> Option<RawModel> {
    let (Some(own), Some(shared)) = (own, shared) else { return own.or(shared).cloned() };
    let mut base = shared.clone();
    if own.architecture.is_some() || own.params.is_some() {
        base.architecture = None;
        base.params = None;
        base.active_params = None;
        base.trainable_params = None;
    }
    if own.architecture.is_some() {
        base.family = None;
        base.seq_len = None;
        base.image_size = None;
    }
    let mut stated = own.stated.clone();
    stated.extend(base.stated);
    Some(RawModel {
        stated,
        architecture: own.architecture.clone().or(base.architecture),
        family: own.family.clone().or(base.family),
        params: own.params.clone().or(base.params),
        active_params: own.active_params.clone().or(base.active_params),
        trainable_params: own.trainable_params.clone().or(base.trainable_params),
        batch_size: own.batch_size.clone().or(base.batch_size),
        micro_batch: own.micro_batch.clone().or(base.micro_batch),
        accumulate: own.accumulate.clone().or(base.accumulate),
        seq_len: own.seq_len.clone().or(base.seq_len),
        image_size: own.image_size.clone().or(base.image_size),
        precision: own.precision.clone().or(base.precision),
        optimizer: own.optimizer.clone().or(base.optimizer),
        mode: own.mode.clone().or(base.mode),
        sharding: own.sharding.clone().or(base.sharding),
        gradient_checkpointing: own.gradient_checkpointing.clone().or(base.gradient_checkpointing),
        filled: own.filled.clone().or(base.filled),
    })
}

/// Resolves a model; `None` where it cannot be known, which has been reported.
pub(super) fn resolve(raw: &RawModel, context: Context<'_>, ledger: &mut Ledger<'_>) -> Option<Model> {
    let key = |name: &str| format!("{}.{name}", context.stage);
    let known = raw.architecture.as_ref().and_then(|named| architecture(named, ledger));
    if raw.architecture.is_some() && known.is_none() {
        return None;
    }
    ledger.settle(key("architecture"), file(raw.architecture.as_ref()));
    let params = params(raw, known, context, ledger)?;
    let trains = context.kind.trains();
    let described = |value: Option<f64>| known.and_then(|k| Some((value?, Origin::Model(k.name.to_owned()))));
    let same_size = known.is_some_and(|k| raw.params.is_none() || (k.params / params - 1.0).abs() < 0.2);

    let family = file(raw.family.as_ref())
        .or_else(|| known.map(|k| (k.family, Origin::Model(k.name.to_owned()))))
        .or_else(|| {
            let tokens = context.tokens || raw.seq_len.is_some();
            defaults::family(params, tokens, raw.active_params.is_some(), raw.image_size.is_some()).found()
        });
    let family = ledger.settle(key("family"), family)?;
    let active = file(raw.active_params.as_ref())
        .or_else(|| if same_size { described(known.map(|k| k.active)) } else { None })
        .or_else(|| preset(params, "all parameters take part"));
    let active = ledger.settle(key("active_params"), active)?;
    let mode = mode(raw, trains, context, ledger);
    let trainable = trainable(raw, params, mode, &key, ledger);

    let seq_len = file(raw.seq_len.clone().map(|l| l.map(f64::from)).as_ref())
        .or_else(|| described(known.and_then(|k| k.seq_len)))
        .or_else(|| defaults::seq_len(family).and_then(|d| d.found()));
    let seq_len = ledger.settle(key("seq_len"), seq_len);
    let image_size = file(raw.image_size.clone().map(|l| l.map(f64::from)).as_ref())
        .or_else(|| described(known.and_then(|k| k.image_size)))
        .or_else(|| defaults::image_size(family).and_then(|d| d.found()));
    let image_size = ledger.settle(key("image_size"), image_size);
    let forward_flops = known.filter(|_| same_size).and_then(|k| forward_flops(k, seq_len, image_size));
    if let (Some(flops), Some(k)) = (forward_flops, known) {
        ledger.settle(key("forward_flops"), Some((flops, Origin::Model(k.name.to_owned()))));
    }

    let batch_size = batch_size(raw, family, context, &key, ledger)?;
    let at_once = raw.batch_size.is_none().then_some(context.at_once).filter(|n| *n > 1.0);
    let micro_batch = match context.kind {
        // On each of its GPUs.
        StageKind::Serve => at_once.and_then(|n| preset(n, "the requests that a GPU works on at once")),
        // Of forward passes alone it is what runs at once.
        _ => file(raw.micro_batch.as_ref()),
    };
    let micro_batch = ledger.settle(key("micro_batch"), micro_batch);
    // Where nothing is updated nothing is accumulated or recomputed: neither counts, so neither is shown.
    let accumulation = if trains {
        f64::from(ledger.settle_or(key("accumulate"), file(raw.accumulate.as_ref()), &defaults::ACCUMULATE))
    } else {
        1.0
    };
    let precision = ledger.settle_or(key("precision"), file(raw.precision.as_ref()), &defaults::PRECISION);
    let optimizer = optimizer(raw, trains, &key, ledger);
    let sharding = ledger.settle_or(key("sharding"), file(raw.sharding.as_ref()), &defaults::SHARDING);
    let gradient_checkpointing = trains
        && ledger.settle_or(
            key("gradient_checkpointing"),
            file(raw.gradient_checkpointing.as_ref()),
            &defaults::GRADIENT_CHECKPOINTING,
        );

    let filled = file(raw.filled.as_ref()).or_else(|| defaults::filled(mode, context.tokens).found());
    let filled = ledger.settle(key("filled"), filled)?;
    Some(Model {
        architecture: known.map(|k| k.name.to_owned()),
        family,
        params,
        trainable,
        active,
        batch_size,
        micro_batch,
        accumulation,
        seq_len,
        image_size,
        forward_flops,
        precision,
        optimizer,
        mode,
        sharding,
        gradient_checkpointing,
        filled,
    })
}

/// The architecture of a name; reports a name that nothing has.
fn architecture(named: &Located<String>, ledger: &mut Ledger<'_>) -> Option<Known> {
    let known = zoo::lookup(&named.value);
    if known.is_none() {
        let error = Diagnostic::error(
            Code::UnknownName,
            named.place.clone(),
            format!("`architecture` is {:?}: not in the table of models", named.value),
        )
        .did_you_mean(&named.value, zoo::names());
        let hint = error.hint.clone().unwrap_or_else(|| "give `params` and `family` instead".to_owned());
        ledger.diags.push(error.hint(hint));
    }
    known
}

fn params(
    raw: &RawModel,
    known: Option<Known>,
    context: Context<'_>,
    ledger: &mut Ledger<'_>,
) -> Option<f64> {
    let found =
        file(raw.params.as_ref()).or_else(|| known.map(|k| (k.params, Origin::Model(k.name.to_owned()))));
    if found.is_none() && !raw.stated.iter().any(|k| k == "params") {
        ledger.diags.push(
            Diagnostic::error(
                Code::MissingKey,
                context.place.clone(),
                format!("the model of stage `{}` has neither `params` nor `architecture`", context.stage),
            )
            .hint("add `params = \"25.6M\"` under [model]"),
        );
    }
    ledger.settle(format!("{}.params", context.stage), found)
}

fn mode(raw: &RawModel, trains: bool, context: Context<'_>, ledger: &mut Ledger<'_>) -> Mode {
    if trains && let Some(stated) = raw.mode.as_ref().filter(|m| m.value == Mode::Inference) {
        ledger.diags.push(
            Diagnostic::error(
                Code::Conflict,
                stated.place.clone(),
                format!(
                    "`mode` is \"inference\", but stage `{}` of kind {} trains",
                    context.stage, context.kind
                ),
            )
            .allowed("train, lora or qlora"),
        );
    }
    let stated = file(raw.mode.as_ref()).filter(|_| trains);
    ledger.settle_or(format!("{}.mode", context.stage), stated, &defaults::mode(context.kind))
}

fn trainable(
    raw: &RawModel,
    params: f64,
    mode: Mode,
    key: &impl Fn(&str) -> String,
    ledger: &mut Ledger<'_>,
) -> f64 {
    let default: Found<f64> = match mode {
        Mode::Train => preset(params, "all parameters are trained"),
        Mode::Lora | Mode::Qlora => {
            preset((params * defaults::ADAPTER_SHARE).ceil(), "a guess: adapters of 1 % of the parameters")
        }
        Mode::Inference => preset(0.0, "nothing is trained"),
    };
    let stated = file(raw.trainable_params.as_ref()).filter(|_| mode != Mode::Inference);
    ledger.settle(key("trainable_params"), stated.or(default)).unwrap_or(params)
}

fn optimizer(
    raw: &RawModel,
    trains: bool,
    key: &impl Fn(&str) -> String,
    ledger: &mut Ledger<'_>,
) -> Optimizer {
    if trains {
        ledger.settle_or(key("optimizer"), file(raw.optimizer.as_ref()), &defaults::OPTIMIZER)
    } else {
        // Nothing is updated: it does not count, so it is not shown either.
        raw.optimizer.as_ref().map_or(defaults::OPTIMIZER.value, |o| o.value)
    }
}

fn batch_size(
    raw: &RawModel,
    family: Family,
    context: Context<'_>,
    key: &impl Fn(&str) -> String,
    ledger: &mut Ledger<'_>,
) -> Option<f64> {
    let found = file(raw.batch_size.as_ref()).or_else(|| match context.kind {
        StageKind::Serve => preset(context.at_once, "the requests that a GPU works on at once"),
        kind if !kind.trains() => {
            preset(defaults::INFERENCE_BATCH, "a guess: a usual batch for forward passes")
        }
        _ if matches!(family, Family::Linear | Family::BoostedTrees) => {
            preset(context.samples.unwrap_or(1.0), "this family learns from the whole data set at once")
        }
        _ => None,
    });
    if found.is_none() && !raw.stated.iter().any(|k| k == "batch_size") {
        ledger.diags.push(
            Diagnostic::error(
                Code::MissingKey,
                context.place.clone(),
                format!("stage `{}` trains a model without a `batch_size`", context.stage),
            )
            .hint("add `batch_size = 32` under [model]"),
        );
    }
    ledger.settle(key("batch_size"), found)
}

/// Forward operations at the size in use. Convolutions and patches grow with the area of the image; the figure of a
/// model over tokens holds for its native length only, since attention does not grow in proportion.
fn forward_flops(known: Known, seq_len: Option<f64>, image_size: Option<f64>) -> Option<f64> {
    let flops = known.forward_flops?;
    match (known.image_size, image_size, known.seq_len, seq_len) {
        (Some(native), Some(size), _, _) => Some(flops * (size / native).powi(2)),
        (None, _, Some(native), Some(length)) => ((native - length).abs() < 0.5).then_some(flops),
        _ => Some(flops),
    }
}

/// Statements about a model that cannot all hold.
pub(super) fn contradictions(raw: &RawModel, model: &Model, context: Context<'_>, ledger: &mut Ledger<'_>) {
    let mut error = |at: &Place, message: String, allowed: &str| {
        ledger.diags.push(Diagnostic::error(Code::Conflict, at.clone(), message).allowed(allowed));
    };
    let at_most = |part: &Option<Located<f64>>, name: &str| {
        part.as_ref().filter(|p| p.value > model.params).map(|p| {
            (
                p.place.clone(),
                format!("`{name}` is more than all {} parameters", super::ledger::shown(model.params)),
            )
        })
    };
    let parts =
        [at_most(&raw.active_params, "active_params"), at_most(&raw.trainable_params, "trainable_params")];
    for (place, message) in parts.into_iter().flatten() {
        error(&place, message, "at most `params`");
    }
    if !context.kind.trains() {
        return;
    }
    if let Some(micro) = &raw.micro_batch
        && micro.value * model.accumulation > model.batch_size
    {
        error(
            &micro.place,
            format!(
                "`micro_batch` × `accumulate` is {}, more than the `batch_size` of {}",
                super::ledger::shown(micro.value * model.accumulation),
                super::ledger::shown(model.batch_size)
            ),
            "a micro-batch that the batch holds",
        );
    } else if let Some(steps) = &raw.accumulate
        && model.accumulation > model.batch_size
    {
        error(
            &steps.place,
            format!(
                "`accumulate` is {}, more than the `batch_size` of {}",
                steps.value,
                super::ledger::shown(model.batch_size)
            ),
            "at most one pass per sample of the batch",
        );
    }
    if let Some(precision) = &raw.precision
        && model.mode == Mode::Train
        && precision.value.weight_bytes() < 2.0
    {
        error(
            &precision.place,
            format!(
                "`precision` is {}, in which weights cannot be trained (stage `{}`)",
                precision.value, context.stage
            ),
            "fp32, amp, amp-fp16, amp-bf16, bf16 or fp16; or `mode = \"qlora\"`",
        );
    }
}
