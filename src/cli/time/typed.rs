//! The flags of `plan time` as a question; what is wrong with them is told all at once.

use super::work::Work;
use super::{TimeArgs, label};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::job::StageKind;
use crate::model::{Family, Mode};
use crate::names::Named;
use crate::resolve::defaults::PRECISION;

/// Share of a card's peak that a bare matrix product reaches at best: no training has more.
const CEILING: f64 = 0.87;
/// Below it a machine is as good as idle.
const FLOOR: f64 = 0.001;
/// Above it lies no published training run.
const HIGHEST_SEEN: f64 = 0.65;

/// A utilisation that can be true: above the ceiling of a bare matrix product it is refused, above all that was published
/// doubted.
pub(super) fn utilisation(args: &TimeArgs, diags: &mut Diagnostics) -> Option<f64> {
    let share = args.mfu?;
    if !(FLOOR..=CEILING).contains(&share) {
        diags.push(
            Diagnostic::error(Code::BadValue, None, format!("`--mfu` is {share}"))
                .allowed(format!(
                    "a share from {FLOOR} to {CEILING}, which is what a bare matrix product reaches"
                ))
                .hint("write `--mfu 0.4` for what good training code reaches"),
        );
    } else if share > HIGHEST_SEEN {
        let message = format!("`--mfu` is {share}, above all published training runs ({HIGHEST_SEEN})");
        diags.push(Diagnostic::warning(Code::BadValue, None, message));
    }
    Some(share)
}

/// The work that the flags tell.
pub(super) fn work(args: &TimeArgs, diags: &mut Diagnostics) -> Option<Work> {
    let mut missing = |message: &str, hint: &str| {
        diags.push(Diagnostic::error(Code::MissingKey, None, message).hint(hint));
    };
    if args.architecture.is_none() && args.family.is_none() {
        missing(
            "what work? neither a workload nor a model is named",
            "add `--architecture NAME`, or `--family FAMILY --params N`",
        );
    }
    if args.decode_per_vcpu.is_some() && args.on.is_none() {
        missing(
            "`--decode-per-vcpu` without `--on`: an accelerator alone has no vCPUs",
            "add `--on INSTANCE`",
        );
    }
    let mode = args.mode.unwrap_or(Mode::Train);
    let trains = mode != Mode::Inference;
    match (args.samples, args.tokens, args.epochs) {
        (None, None, _) => {
            missing("neither `--samples` nor `--tokens` is given", "add `--samples N --epochs N`");
        }
        (Some(_), None, None) if trains => missing("`--samples` without `--epochs`", "add `--epochs N`"),
        _ => {}
    }
    divides(args, diags);
    let known = args.architecture.as_deref().and_then(|name| {
        let known = label::architecture(name);
        if known.is_none() {
            let message = format!("`--architecture` is {name:?}: not in the table of models");
            let hint = label::suggestion(name).map_or_else(
                || "give `--family` and `--params` instead".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            diags.push(Diagnostic::error(Code::UnknownName, None, message).hint(hint));
        }
        known
    });
    let family = match args.family.as_deref().map(|text| (text, label::family(text))) {
        Some((_, Ok(Some(family)))) => Some(family),
        Some((text, Ok(None))) => {
            let message = format!("`--family` is {text:?}: the time of other work must be measured");
            diags.push(Diagnostic::error(Code::UnknownName, None, message).allowed(Family::allowed()));
            None
        }
        Some((text, Err(wrong))) => {
            let message = format!("`--family` is {text:?}: {}", wrong.message);
            diags.push(Diagnostic { message, ..wrong });
            None
        }
        None => known.map(|known| known.family),
    };
    family.map(|family| Work {
        label: args.architecture.clone().unwrap_or_default(),
        family: Some(family),
        trains,
        mode,
        precision: args.precision.unwrap_or(PRECISION.value),
        batch: args.batch_size,
        seq_len: args.seq_len,
        image_size: args.image_size,
        params: args.params,
        samples: args.samples,
        tokens: args.tokens,
        epochs: args.epochs,
        accumulate: args.accumulate,
        checkpointing: args.gradient_checkpointing,
        network: args.network,
        kind: if trains { StageKind::Train } else { StageKind::Evaluate },
    })
}

/// A batch that its devices and passes share out evenly.
fn divides(args: &TimeArgs, diags: &mut Diagnostics) {
    let Some(batch) = args.batch_size else { return };
    let devices = args.devices().max(1.0);
    let mut bad = |parts: f64, what: &str| {
        let message = format!("`--batch-size` is {batch}, which does not divide {what}");
        let fits = (batch / parts).floor().max(1.0) * parts;
        diags.push(
            Diagnostic::error(Code::BadValue, None, message).hint(format!("write `--batch-size {fits}`")),
        );
    };
    if (batch / devices).fract() > 1e-9 {
        bad(devices, &format!("over {devices} devices"));
    } else if let Some(passes) = args.accumulate.filter(|passes| (batch / devices / passes).fract() > 1e-9) {
        bad(devices * passes, &format!("into {passes} passes on each device"));
    }
}
