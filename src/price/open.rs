//! Which ways of buying are open to a stage (RULES, precedence 3).

use crate::job::{Job, Purchase, Stage, StageKind};

/// Why a purchase option is not open to a stage; `None` when it is.
pub fn closed(job: &Job, stage: &Stage, purchase: Purchase) -> Option<&'static str> {
    if let Some(pinned) = stage.purchase {
        return (pinned != purchase).then_some("another purchase option is pinned");
    }
    match purchase {
        Purchase::OnDemand | Purchase::Month => None,
        // Priced beside the others, and not taken unless pinned: see `commits`.
        Purchase::Year | Purchase::ThreeYears if stage.kind == StageKind::Serve => None,
        Purchase::Year | Purchase::ThreeYears => Some("only where the stage pins it"),
        Purchase::Spot => spot_closed(stage),
        Purchase::Fallback => fallback_closed(job, stage),
        Purchase::Owned => job.place.owned.is_empty().then_some("no machine is owned"),
    }
}

/// Whether a purchase commits for years, so that it is shown and not taken unless the stage pins it.
pub fn commits(stage: &Stage, purchase: Purchase) -> bool {
    stage.purchase.is_none() && matches!(purchase, Purchase::Year | Purchase::ThreeYears)
}

fn spot_closed(stage: &Stage) -> Option<&'static str> {
    match stage.kind {
        StageKind::Serve => Some("a service must not be taken away"),
        StageKind::Train => {
            let durable = stage.checkpoint.is_some_and(|c| c.durable);
            (!durable && !stage.tolerates_interruption)
                .then_some("training needs a checkpoint to durable storage, or tolerates_interruption")
        }
        StageKind::Prepare
        | StageKind::Augment
        | StageKind::Mine
        | StageKind::Tune
        | StageKind::Transcode
        | StageKind::Batch
        | StageKind::Analyze
        | StageKind::Evaluate => {
            (!stage.tolerates_interruption).then_some("the stage states tolerates_interruption = false")
        }
    }
}

/// Why spot with on-demand fallback is not open: it needs a deadline to keep, and saved work to carry over.
fn fallback_closed(job: &Job, stage: &Stage) -> Option<&'static str> {
    if let Some(why) = spot_closed(stage) {
        return Some(why);
    }
    let saved = stage.kind.in_pieces() || stage.checkpoint.is_some_and(|c| c.durable);
    match job.limits.deadline {
        None => Some("no deadline to keep"),
        Some(_) if !saved => Some("no durable checkpoint: nothing to carry over to on-demand"),
        Some(_) => None,
    }
}
