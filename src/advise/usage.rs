//! How well the rented GPU is used: utilisation (A-U1), preparation against training (A-U2), prepared files (A-U3), and
//! what to run to see it (A-U4).

use super::said::Said;
use super::taken::Taken;
use crate::catalog::Stack;
use crate::choose::assemble::Found;
use crate::job::{Job, Purchase, Stage, StageKind};
use crate::plan::{NoteKind, Plan};
use crate::rules::Threshold;
use crate::units::Hours;
use crate::units::number::{percent, significant, thousands};

/// Utilisation as stated, or as the vCPUs beside the GPU allow it; and in words how it is known.
fn utilisation(taken: &Taken<'_>) -> Option<(f64, String)> {
    if let Some(seen) = taken.stage.gpu_utilisation {
        return Some((seen, format!("gpu_utilisation is {}", percent(seen))));
    }
    let (wanted, vcpus, decode) = feed(taken)?;
    let delivered = vcpus / decode.as_secs();
    let share = (delivered / wanted).min(1.0);
    Some((
        share,
        format!(
            "{} vCPUs ÷ {decode} decode {} samples/s, the GPU takes {}: predicted {}",
            thousands(vcpus),
            significant(delivered, 3),
            significant(wanted, 3),
            percent(share)
        ),
    ))
}

/// Samples per second that the GPU takes, vCPUs beside it, and the time that one of them takes for a sample.
fn feed(taken: &Taken<'_>) -> Option<(f64, f64, Hours)> {
    let decode = taken.stage.decode.filter(|d| d.get() > 0.0)?;
    // What it would take if it never waited.
    let wanted = taken.consumption()? * taken.candidate.duration.starved;
    Some((wanted, taken.choice.vcpus * f64::from(taken.choice.count), decode))
}

/// A-U1: a GPU that waits for data is not mended by a bigger one.
pub fn waiting(taken: &Taken<'_>) -> Option<Said> {
    if !taken.on_gpu() || !taken.stage.kind.runs_model() {
        return None;
    }
    let Some((share, how)) = utilisation(taken) else {
        return Some(Said::needs("A-U1", "gpu_utilisation, or decode and samples"));
    };
    let least = taken.job().thresholds.get(Threshold::MinGpuUtilisation);
    if share >= least {
        return Some(Said::advice("A-U1", format!("{how}, at least {}", percent(least))));
    }
    let lost = taken.choice.expected_cost().scaled(1.0 - share).to_cents();
    let enough = feed(taken).map(|(wanted, _, decode)| wanted * decode.as_secs());
    let cores =
        enough.map(|n| format!("; {} vCPUs would keep it fed", thousands(n.ceil()))).unwrap_or_default();
    let text = format!(
        "{how}, below {}: mend data loading or the batch size before paying for a bigger instance; the idle share costs \
         {} of {}{cores}",
        percent(least),
        taken.money(lost),
        taken.money(taken.choice.expected_cost())
    );
    Some(Said::advice("A-U1", text).aloud(NoteKind::Warning))
}

/// A-U2: preparing an epoch against training one.
pub fn preparing(found: Found<'_>, plan: &Plan, taken: &Taken<'_>) -> Option<Said> {
    if taken.stage.kind != StageKind::Train || !taken.on_gpu() {
        return None;
    }
    let unfed = taken.work() / taken.candidate.duration.starved;
    let epoch = unfed / taken.stage.epochs.max(f64::MIN_POSITIVE);
    let most = taken.job().thresholds.get(Threshold::MaxPrepareShare);
    let said = |preparing: Hours, who: &str, vcpus: f64, parallel: f64| {
        let share = preparing / epoch;
        let text = format!("{who} takes {preparing} for an epoch, training one {epoch}: {}", percent(share));
        if share <= most {
            return (Said::advice("A-U2", format!("{text}, at most {}", percent(most))), false);
        }
        let more = match vcpus_for(share / most, vcpus, parallel) {
            Some(n) => {
                format!("{} vCPUs instead of {} would keep to it", thousands(n.ceil()), thousands(vcpus))
            }
            None => format!(
                "no number of vCPUs of one machine keeps to it, since {} of the work is serial: several machines",
                percent(1.0 - parallel)
            ),
        };
        (Said::advice("A-U2", format!("{text}, above {}: {more}", percent(most))), true)
    };
    if let (Some(decode), Some(samples)) = (taken.stage.decode, taken.stage.samples) {
        let vcpus = taken.choice.vcpus * f64::from(taken.choice.count);
        let (said, above) = said(decode * (samples / vcpus), "decoding beside the GPU", vcpus, 1.0);
        return Some(if above { said.aloud(NoteKind::Warning) } else { said });
    }
    let Some(before) = prepares(found, plan, taken) else {
        return Some(Said::needs("A-U2", "decode, or a stage that prepares for it"));
    };
    let vcpus = before.choice.vcpus * f64::from(before.choice.count);
    let (mut said, _) = said(before.work(), &before.stage.name, vcpus, before.stage.parallel_share);
    if taken.stage.epochs > 1.0 {
        said.finding.reason += &format!(
            "; it runs once, not for each of the {} epochs, and does not hold them up",
            significant(taken.stage.epochs, 4)
        );
    }
    Some(said)
}

/// vCPUs with which work of which the share `parallel` uses all cores ends `factor` times sooner than with `vcpus`
/// (Amdahl's law in vCPUs); `None` where the serial part alone takes longer.
fn vcpus_for(factor: f64, vcpus: f64, parallel: f64) -> Option<f64> {
    let serial = 1.0 - parallel;
    let rest = (serial + parallel / vcpus) / factor - serial;
    (rest > 0.0).then(|| parallel / rest)
}

/// The stage that prepares for another: the nearest of kind prepare or augment of all that it waits for.
fn prepares<'a>(found: Found<'a>, plan: &'a Plan, taken: &Taken<'_>) -> Option<Taken<'a>> {
    let prepares = |at: usize| {
        let kind = found.job.stages.get(at)?.kind;
        matches!(kind, StageKind::Prepare | StageKind::Augment).then_some(at)
    };
    let at = earlier(found.job, taken.stage).into_iter().find_map(prepares)?;
    Taken::of(found, plan, at)
}

/// All stages that one waits for, the nearest first.
fn earlier(job: &Job, stage: &Stage) -> Vec<usize> {
    let mut before = stage.after.clone();
    let mut next = 0;
    while let Some(stage) = before.get(next).and_then(|at| job.stages.get(*at)) {
        for at in &stage.after {
            if !before.contains(at) {
                before.push(*at);
            }
        }
        next += 1;
    }
    before
}

/// A-U3: raw files against files prepared beforehand.
pub fn files(found: Found<'_>, plan: &Plan, taken: &Taken<'_>) -> Option<Said> {
    if !taken.stage.kind.trains() || !taken.on_gpu() {
        return None;
    }
    let thresholds = &taken.job().thresholds;
    let (raw, prepared) =
        (thresholds.get(Threshold::RawFilesUtilisation), thresholds.get(Threshold::PreparedFilesUtilisation));
    let at = |from: f64, to: f64| {
        let factor = from / to.max(f64::MIN_POSITIVE);
        let turned = match taken.choice.purchase {
            Purchase::OnDemand | Purchase::Spot | Purchase::Fallback => {
                taken.pricer().turned(taken.candidate, taken.quote, factor, 1.0)
            }
            Purchase::Month | Purchase::Year | Purchase::ThreeYears | Purchase::Owned => None,
        };
        // The start-up, the data and what else comes with the stage do not grow with its work.
        match turned.map(|turned| taken.money(turned.cost)) {
            Some(cost) => {
                let now = taken.money(taken.choice.expected_cost());
                format!("{} for {cost} instead of {} for {now}", taken.work() * factor, taken.work())
            }
            None => format!("{} instead of {}", taken.work() * factor, taken.work()),
        }
    };
    let usual = format!("raw files {}, prepared ones {}", percent(raw), percent(prepared));
    if let Some(seen) = taken.stage.gpu_utilisation {
        if seen >= prepared {
            return None;
        }
        let text = format!(
            "gpu_utilisation is {}; prepared beforehand (TFRecord, LMDB) {} is usual: {}",
            percent(seen),
            percent(prepared),
            at(seen, prepared)
        );
        return Some(Said::advice("A-U3", text).aloud(NoteKind::Advice));
    }
    Some(Said::advice(
        "A-U3",
        match prepares(found, plan, taken) {
            Some(before) => format!(
                "{} prepares its files; {usual} is usual: fed raw files it would take {}",
                before.stage.name,
                at(prepared, raw)
            ),
            None => format!(
                "no stage prepares its files; {usual} is usual: if it is fed raw ones, prepared ones (TFRecord, LMDB) \
                 would take {}",
                at(raw, prepared)
            ),
        },
    ))
}

/// A-U4: what to run on the machine.
pub fn watch(taken: &Taken<'_>) -> Option<Said> {
    let card = taken.card().filter(|_| taken.on_gpu())?;
    let text = match card.stack {
        Stack::Cuda => {
            "`nvidia-smi dmon -s um -d 5 -o T > dmon.log` while it runs and `top` for vCPUs and memory; \
             `plan usage dmon.log` reads the log"
                .to_owned()
        }
        Stack::Rocm => {
            "`rocm-smi --showuse --showmemuse` while it runs and `top` for vCPUs and memory".to_owned()
        }
        Stack::Neuron => "`neuron-top` while it runs".to_owned(),
        Stack::Gaudi => "`hl-smi` while it runs".to_owned(),
        Stack::Tpu => "`tpu-info` while it runs".to_owned(),
    };
    Some(Said::advice("A-U4", format!("on {}: {text}", taken.name())))
}
