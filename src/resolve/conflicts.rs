//! Statements of a stage that cannot all hold, and statements that its kind does not know.

use super::ledger::Ledger;
use super::names::{self, Written};
use crate::catalog::{Catalog, Instance};
use crate::diag::{Code, Diagnostic, Place};
use crate::job::{Class, GpuSupport, Purchase, Stage, StageKind};
use crate::names::list;
use crate::read::Located;
use crate::read::workload::{RawStage, RawWorkload};

/// Reports every contradiction of a stage at the statement that is more likely wrong.
pub(super) fn check(
    raw: &RawStage,
    stage: &Stage,
    whole: &RawWorkload,
    catalog: &Catalog,
    ledger: &mut Ledger<'_>,
) {
    foreign_keys(raw, stage.kind, ledger);
    counted_twice(raw, ledger);
    copied_and_not_staged(raw, whole, ledger);
    tokens_without_sequences(raw, stage, whole, ledger);
    class(raw, stage, ledger);
    instance(raw, stage, catalog, ledger);
    stack(raw, stage, catalog, ledger);
    purchase(raw, stage, ledger);
    purchase_needs(raw, stage, whole, ledger);
}

fn conflict(ledger: &mut Ledger<'_>, place: &Place, message: String, hint: &str) {
    ledger.diags.push(Diagnostic::error(Code::Conflict, place.clone(), message).hint(hint));
}

/// All kinds but `serve`: nothing takes over from a service, and what leaves for its users is not priced.
const HAND_ON: &[StageKind] = {
    use StageKind as K;
    &[K::Prepare, K::Augment, K::Mine, K::Train, K::Tune, K::Analyze, K::Evaluate, K::Batch, K::Transcode]
};

/// Keys that mean something for some kinds only: elsewhere they would be ignored, which nobody expects.
fn foreign_keys(raw: &RawStage, kind: StageKind, ledger: &mut Ledger<'_>) {
    use StageKind as K;
    let place = |stated: Option<&Place>| stated.cloned();
    let keys: [(&str, Option<Place>, &[StageKind]); 12] = [
        ("trials", place(raw.trials.as_ref().map(|l| &l.place)), &[K::Tune]),
        ("requests_per_second", place(raw.requests_per_second.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("profile", place(raw.profile.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("steady", place(raw.steady.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("peak_hours", place(raw.peak_hours.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("latency", place(raw.latency.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("latency_percentile", place(raw.latency_percentile.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("time_variation", place(raw.time_variation.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("concurrency", place(raw.concurrency.as_ref().map(|l| &l.place)), &[K::Serve]),
        ("output", place(raw.output.as_ref().map(|l| &l.place)), HAND_ON),
        ("video", place(raw.video.as_ref().map(|l| &l.place)), &[K::Transcode]),
        ("epochs", place(raw.epochs.as_ref().map(|l| &l.place)), &[K::Train, K::Tune]),
    ];
    for (key, place, kinds) in keys {
        if let Some(place) = place.filter(|_| !kinds.contains(&kind)) {
            let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
            let message = format!("`{key}` means nothing to a stage of kind {kind}");
            ledger.diags.push(
                Diagnostic::error(Code::Conflict, place, message)
                    .allowed(format!("kind {}", list(kinds.iter().map(String::as_str)))),
            );
        }
    }
}

fn counted_twice(raw: &RawStage, ledger: &mut Ledger<'_>) {
    if let (Some(_), Some(tokens)) = (&raw.samples, &raw.tokens) {
        let message = "both `samples` and `tokens` are stated".to_owned();
        conflict(ledger, &tokens.place, message, "keep one of them; tokens ÷ `seq_len` are samples");
    }
}

/// Data that is copied to the machine is not read again from where it lies.
fn copied_and_not_staged(raw: &RawStage, whole: &RawWorkload, ledger: &mut Ledger<'_>) {
    let staged = raw.staged.as_ref().or(whole.data.staged.as_ref());
    let bandwidth = raw.bandwidth.as_ref().or(whole.data.bandwidth.as_ref());
    if let (Some(bandwidth), Some(staged)) = (bandwidth, staged)
        && !staged.value
    {
        let message = "`bandwidth` copies the data to the machine, but `staged` is false".to_owned();
        conflict(ledger, &bandwidth.place, message, "keep one of them");
    }
}

/// Tokens that no length of a sequence turns into samples.
fn tokens_without_sequences(raw: &RawStage, stage: &Stage, whole: &RawWorkload, ledger: &mut Ledger<'_>) {
    let Some(tokens) = raw.tokens.as_ref().or(whole.data.tokens.as_ref()) else { return };
    let (None, Some(model)) = (stage.samples, &stage.model) else { return };
    if model.seq_len.is_none() && stage.kind != StageKind::Serve {
        let message = format!("`tokens` are stated, but a model of family {} has no sequences", model.family);
        conflict(ledger, &tokens.place, message, "state `samples`, or the model's `seq_len`");
    }
}

fn class(raw: &RawStage, stage: &Stage, ledger: &mut Ledger<'_>) {
    let Some(class) = &raw.class else { return };
    match class.value {
        Class::Cpu => {
            if let Some(gpu) = &raw.gpu {
                conflict(
                    ledger,
                    &gpu.place,
                    format!("`gpu` is {:?}, but `class` is \"cpu\"", gpu.value),
                    "take out one of them",
                );
            }
        }
        Class::Gpu => {
            if stage.gpu_support == GpuSupport::None && raw.gpu_support.is_some() {
                conflict(
                    ledger,
                    &class.place,
                    "`class` is \"gpu\", but `gpu_support` is \"none\"".to_owned(),
                    "take out one of them",
                );
            }
        }
    }
    if let (Some(gpu), Some(support)) = (&raw.gpu, &raw.gpu_support)
        && support.value == GpuSupport::None
        && class.value == Class::Gpu
    {
        conflict(
            ledger,
            &gpu.place,
            "`gpu` is stated, but `gpu_support` is \"none\"".to_owned(),
            "take out one of them",
        );
    }
}

fn instance(raw: &RawStage, stage: &Stage, catalog: &Catalog, ledger: &mut Ledger<'_>) {
    let Some(pin) = &raw.instance else { return };
    let written = Written { text: &pin.value, place: Some(&pin.place), role: "`instance`" };
    let Ok(found) = names::instances(catalog, written) else { return };
    let all = |test: &dyn Fn(&Instance) -> bool| found.iter().all(|i| test(i));
    let mut clash =
        |at: &Located<String>, message: String| conflict(ledger, &at.place, message, "take out one of them");
    match stage.class {
        Some(Class::Cpu) if all(&|i| i.gpu.is_some()) => {
            clash(pin, format!("`instance` is {:?}, which has GPUs, but `class` is \"cpu\"", pin.value));
        }
        Some(Class::Gpu) if all(&|i| i.gpu.is_none()) => {
            clash(pin, format!("`instance` is {:?}, which has no GPU, but `class` is \"gpu\"", pin.value));
        }
        _ => {}
    }
    if let (Some(gpu), Some(id)) = (&raw.gpu, stage.gpu)
        && all(&|i| i.gpu.is_none_or(|g| g.accelerator != id))
    {
        clash(gpu, format!("`gpu` is {:?}, which `instance` {:?} does not have", gpu.value, pin.value));
    }
}

/// A pinned card whose software the stage does not run on.
fn stack(raw: &RawStage, stage: &Stage, catalog: &Catalog, ledger: &mut Ledger<'_>) {
    let (Some(stated), Some(card)) = (&raw.gpu, stage.gpu.and_then(|id| catalog.accelerators.get(id))) else {
        return;
    };
    if !stage.stacks.contains(&card.stack) {
        let hint = format!("add `stacks = [\"{}\"]` if the software runs there", card.stack);
        let message =
            format!("`gpu` is {:?}, which runs {}, and the stage does not", stated.value, card.stack);
        conflict(ledger, &stated.place, message, &hint);
    }
}

/// Ways of buying that need more than the stage has.
fn purchase_needs(raw: &RawStage, stage: &Stage, whole: &RawWorkload, ledger: &mut Ledger<'_>) {
    let Some(pin) = raw.purchase.as_ref() else { return };
    let deadline = ledger.settings.iter().any(|s| s.key == "limits.deadline");
    let saved = stage.kind.in_pieces() || stage.checkpoint.is_some_and(|c| c.durable);
    match pin.value {
        Purchase::Owned if whole.place_to_rent.owned.is_empty() => {
            let message = "`purchase` is \"owned\", but no machine is owned".to_owned();
            conflict(
                ledger,
                &pin.place,
                message,
                "add `owned = [{ instance = \"aws/g5.xlarge\" }]` to [where]",
            );
        }
        Purchase::Fallback if stage.kind == StageKind::Serve => {
            let message = "`purchase` is \"spot-fallback\", but a service must not go away".to_owned();
            conflict(ledger, &pin.place, message, "write `purchase = \"on-demand\"`");
        }
        Purchase::Fallback if !deadline => {
            let message = "`purchase` is \"spot-fallback\", but there is no deadline to keep".to_owned();
            conflict(ledger, &pin.place, message, "add `deadline = \"24h\"` to [limits]");
        }
        Purchase::Fallback if !saved => {
            let message =
                "`purchase` is \"spot-fallback\", but no durable checkpoint carries work over".to_owned();
            conflict(ledger, &pin.place, message, "add `checkpoint = { every = \"20m\", takes = \"30s\" }`");
        }
        _ => {}
    }
}

fn purchase(raw: &RawStage, stage: &Stage, ledger: &mut Ledger<'_>) {
    let Some(pin) = raw.purchase.as_ref().filter(|p| p.value == Purchase::Spot) else { return };
    if stage.kind == StageKind::Serve {
        let message = "`purchase` is \"spot\", but a service must not go away".to_owned();
        ledger.diags.push(
            Diagnostic::error(Code::Conflict, pin.place.clone(), message)
                .allowed("on-demand, month, year or three-years"),
        );
    } else if raw.tolerates_interruption.as_ref().is_some_and(|t| !t.value) && stage.checkpoint.is_none() {
        let message =
            "`purchase` is \"spot\", but `tolerates_interruption` is false and there is no `checkpoint`";
        conflict(
            ledger,
            &pin.place,
            message.to_owned(),
            "add `checkpoint = { every = \"20m\", takes = \"30s\" }`",
        );
    } else if !stage.tolerates_interruption && stage.checkpoint.is_none_or(|c| !c.durable) {
        ledger.diags.push(
            Diagnostic::warning(
                Code::Conflict,
                pin.place.clone(),
                format!(
                    "stage `{}` on spot loses all its work at an interruption: it has no durable checkpoint",
                    stage.name
                ),
            )
            .hint("add `checkpoint = { every = \"20m\", takes = \"30s\" }`"),
        );
    }
}
