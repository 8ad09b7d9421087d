//! What a stage of a kind must state so that its time can be known.

use super::ledger::Ledger;
use crate::diag::{Code, Diagnostic};
use crate::job::{GpuSupport, Stage, StageKind};
use crate::read::workload::{RawStage, RawWorkload};

/// Reports what is missing. A key that is there but could not be read has its message already, and so has a model
/// that could not be resolved.
pub(super) fn check(raw: &RawStage, stage: &Stage, whole: &RawWorkload, ledger: &mut Ledger<'_>) {
    joined(raw, stage, ledger);
    let mut missing = |what: &str, hint: &str| {
        let kind = stage.kind.to_string();
        let kind = if kind == stage.name { String::new() } else { format!(" of kind {kind}") };
        let message = format!("stage `{}`{kind} {what}", stage.name);
        ledger.diags.push(Diagnostic::error(Code::MissingKey, raw.place.clone(), message).hint(hint));
    };
    let stated = |keys: &[&str]| keys.iter().any(|key| raw.states(key));
    // Ordinary software on CPUs, of which nothing need be known: one of the smallest machines will do.
    let no_gpu =
        stage.gpu_support == GpuSupport::None && (stated(&["gpu_support"]) || whole.gpu_support.is_some());
    let timed = stated(&["measured", "core_hours", "model"]) || whole.model.is_some();
    if stage.kind == StageKind::Serve && no_gpu && !timed && !stated(&["latency"]) {
        return;
    }
    if stage.kind == StageKind::Serve
        && stage.requests_per_second.is_none()
        && !stated(&["requests_per_second", "profile"])
    {
        missing("does not state its peak rate", "add `requests_per_second = 60`");
    }
    if stage.kind == StageKind::Tune && stage.trials.is_none() && !stated(&["trials"]) {
        missing("does not state its trials", "add `trials = 24`");
    }
    if stated(&["measured", "core_hours"]) {
        return;
    }
    let no_model = stage.model.is_none() && whole.model.is_none() && !stated(&["model"]);
    let counted = stage.samples.is_some() || counted(raw, whole);
    match stage.kind {
        StageKind::Train | StageKind::Tune | StageKind::Evaluate | StageKind::Mine => {
            if !counted {
                missing(
                    "states no work: neither samples nor a measured time",
                    "add `samples = 50_000` under [data]",
                );
            } else if no_model {
                missing(
                    "has neither a model nor a measured time",
                    "add `params = \"25.6M\"` and `batch_size = 32` under [model]",
                );
            }
        }
        StageKind::Serve => {
            if no_model {
                missing(
                    "states no time per request",
                    "add `measured = [{ on = \"8 vCPU\", time = \"20ms\" }]`",
                );
            }
        }
        StageKind::Prepare | StageKind::Augment => {
            if !counted && stage.size.is_none() && !stated(&["size"]) {
                missing(
                    "states no work: neither samples nor size nor a measured time",
                    "add `measured = [{ on = \"8 vCPU\", time = \"2h\" }]`",
                );
            }
        }
        StageKind::Analyze | StageKind::Batch => {
            missing(
                "states no time: only a measurement can tell it",
                "add `measured = [{ on = \"8 vCPU\", time = \"2h\" }]`",
            );
        }
        StageKind::Transcode => {
            if stage.video.is_none() && !stated(&["video"]) {
                missing(
                    "states no work: neither hours of video nor a measured time",
                    "add `video = \"1000h\"`",
                );
            }
        }
    }
}

/// Whether samples or tokens are stated for a stage, readable or not.
pub(super) fn counted(raw: &RawStage, whole: &RawWorkload) -> bool {
    ["samples", "tokens"].iter().any(|key| raw.states(key) || whole.data.stated.iter().any(|k| k == key))
}

/// Several machines share one training only where it is known what joins them.
fn joined(raw: &RawStage, stage: &Stage, ledger: &mut Ledger<'_>) {
    let Some(several) = raw.instances.as_ref().filter(|n| n.value > 1) else { return };
    let known = stage.network.is_some() || stage.measured.iter().any(|m| m.instances > 1);
    if stage.kind != StageKind::Train || known || raw.states("network") {
        return;
    }
    let message = format!(
        "`instances` of stage `{}` is {}, but nothing says what joins the machines of one training: one is used",
        stage.name, several.value
    );
    ledger.diags.push(
        Diagnostic::warning(Code::MissingKey, several.place.clone(), message)
            .hint("add `network = \"infiniband\"` or `network = \"ethernet\"`"),
    );
}
