//! CPU or GPU, by rule of thumb: the kind of the stage (K), the three layers (L), the three questions (Q).

use super::{Finding, Threshold, Thresholds, Verdict};
use crate::job::{Class, GpuSupport, Load, Stage, StageKind, Urgency};
use crate::model::Family;
use crate::units::number::{Count, thousands};

/// What all class rules say about a stage, and the class that they come to; `None` where cost decides.
pub fn class_rules(stage: &Stage, thresholds: &Thresholds) -> (Vec<Finding>, Option<Class>) {
    if let Some((class, pin)) = pinned(stage) {
        let mut finding = kind(stage);
        finding.verdict = Verdict::Bound;
        finding.reason += &format!("; but {pin} is pinned");
        let findings = std::iter::once(finding).chain(load(stage)).collect();
        return (findings, Some(class));
    }
    let mut findings = vec![kind(stage)];
    findings.extend(parallel_by_nature(stage, thresholds));
    findings.extend(large(stage, thresholds));
    findings.extend(time_is_worth(stage));
    findings.extend([splits(stage), software(stage)]);
    findings.extend(load(stage));
    let class = thumb(stage, &findings);
    (findings, class)
}

/// The class that the stage pins, and the key with which it does; what is pinned is not asked about.
pub fn pinned(stage: &Stage) -> Option<(Class, &'static str)> {
    match (stage.class, stage.gpu) {
        (Some(Class::Cpu), _) => Some((Class::Cpu, "class = \"cpu\"")),
        (Some(Class::Gpu), _) => Some((Class::Gpu, "class = \"gpu\"")),
        (None, Some(_)) => Some((Class::Gpu, "a gpu")),
        (None, None) => None,
    }
}

/// The class by rule of thumb. A hard fact first (no GPU build), then serial logic, then the kind; training goes
/// through the layers in their order.
fn thumb(stage: &Stage, findings: &[Finding]) -> Option<Class> {
    let says = |id: &str| findings.iter().find(|f| f.id == id).map(|f| f.verdict);
    if stage.gpu_support == GpuSupport::None || !stage.parallel {
        return Some(Class::Cpu);
    }
    match stage.kind {
        StageKind::Prepare
        | StageKind::Augment
        | StageKind::Analyze
        | StageKind::Evaluate
        | StageKind::Batch => Some(Class::Cpu),
        StageKind::Tune | StageKind::Transcode => Some(Class::Gpu),
        StageKind::Mine | StageKind::Serve => None,
        StageKind::Train => match (says("A-L1"), says("A-L2"), says("A-L3")) {
            (Some(Verdict::Cpu), _, _) => Some(Class::Cpu),
            (_, Some(Verdict::Gpu), _) => Some(Class::Gpu),
            (_, _, Some(Verdict::Cpu)) => Some(Class::Cpu),
            _ => Some(Class::Gpu),
        },
    }
}

fn kind(stage: &Stage) -> Finding {
    let (id, verdict, reason) = match stage.kind {
        StageKind::Prepare => {
            ("A-K1", Verdict::Cpu, "preparing data is disk and strings: a GPU does nothing for it")
        }
        StageKind::Augment => {
            ("A-K2", Verdict::Cpu, "augmentation is image and string work that may lose an instance")
        }
        StageKind::Mine => ("A-K2", Verdict::Either, "mining runs the model over the data: cost decides"),
        StageKind::Train => ("A-K3", Verdict::Either, "training goes through the three layers"),
        StageKind::Tune => {
            ("A-K4", Verdict::Gpu, "many small trainings: slices of a GPU or several small ones")
        }
        StageKind::Analyze => ("A-K5", Verdict::Cpu, "logs and roll-ups are serial and light"),
        StageKind::Evaluate => ("A-K6", Verdict::Cpu, "one forward pass where latency does not matter"),
        StageKind::Serve => ("B-K7", Verdict::Either, "a service is decided by its cost per month"),
        StageKind::Batch => ("B-K8", Verdict::Cpu, "serial logic wants a higher clock and more memory"),
        StageKind::Transcode => ("B-K9", Verdict::Gpu, "hardware encoders are several times a CPU's speed"),
    };
    Finding::new(id, verdict, reason)
}

fn parallel_by_nature(stage: &Stage, thresholds: &Thresholds) -> Option<Finding> {
    if stage.kind != StageKind::Train {
        return None;
    }
    let Some(model) = &stage.model else {
        return Some(Finding::needs("A-L1", "model.family or model.architecture"));
    };
    let most = thresholds.get(Threshold::LinearMaxSamples);
    if model.family.is_deep() {
        return Some(Finding::new(
            "A-L1",
            Verdict::Gpu,
            format!("a {} is a deep network: parallel arithmetic", model.family),
        ));
    }
    let Some(samples) = stage.samples else { return Some(Finding::needs("A-L1", "data.samples")) };
    let (samples, most) = (Count::new(samples)?, Count::new(most)?);
    Some(match model.family {
        Family::Linear if samples <= most => Finding::new(
            "A-L1",
            Verdict::Cpu,
            format!("a linear model on {samples} rows (at most {most}): minutes on a CPU"),
        ),
        family => Finding::new("A-L1", Verdict::Either, format!("{family} on {samples} rows: cost decides")),
    })
}

fn large(stage: &Stage, thresholds: &Thresholds) -> Option<Finding> {
    if stage.kind != StageKind::Train {
        return None;
    }
    let (Some(samples), Some(model)) = (stage.samples, &stage.model) else {
        return Some(Finding::needs("A-L2", "data.samples and model.params"));
    };
    let (least_samples, least_params) =
        (thresholds.get(Threshold::GpuMinSamples), thresholds.get(Threshold::GpuMinParams));
    let (s, p) = (Count::new(samples)?, Count::new(model.params)?);
    let (ls, lp) = (Count::new(least_samples)?, Count::new(least_params)?);
    Some(match (samples > least_samples, model.params > least_params) {
        (true, true) => Finding::new(
            "A-L2",
            Verdict::Gpu,
            format!("{s} samples above {ls} and {p} parameters above {lp}"),
        ),
        (false, false) => Finding::new(
            "A-L2",
            Verdict::Either,
            format!("{s} samples and {p} parameters: neither above {ls} and {lp}"),
        ),
        (true, false) => Finding::new("A-L2", Verdict::Either, format!("{p} parameters, not above {lp}")),
        (false, true) => Finding::new("A-L2", Verdict::Either, format!("{s} samples, not above {ls}")),
    })
}

fn time_is_worth(stage: &Stage) -> Option<Finding> {
    if !matches!(stage.kind, StageKind::Train | StageKind::Serve) {
        return None;
    }
    Some(match stage.urgency {
        Urgency::Experiment => Finding::new("A-L3", Verdict::Cpu, "an experiment: a CPU overnight will do"),
        Urgency::Iteration => {
            Finding::new("A-L3", Verdict::Gpu, "an iteration: the result is wanted within hours")
        }
        Urgency::Online => Finding::new("A-L3", Verdict::Gpu, "time-sensitive: GPU only"),
    })
}

fn splits(stage: &Stage) -> Finding {
    let units = match (stage.trials.filter(|_| stage.kind == StageKind::Tune), stage.samples) {
        (Some(trials), _) => format!("{trials} trials"),
        (None, Some(samples)) => format!("{} samples", thousands(samples)),
        (None, None) => "many units".to_owned(),
    };
    if stage.parallel {
        Finding::new("B-Q1", Verdict::Gpu, format!("it splits into {units}, all alike: consider a GPU first"))
    } else {
        Finding::new("B-Q1", Verdict::Cpu, "each step needs the last: a CPU with a higher clock")
    }
}

fn software(stage: &Stage) -> Finding {
    match stage.gpu_support {
        GpuSupport::Mature => Finding::new("B-Q2", Verdict::Gpu, "the software has a mature GPU version"),
        GpuSupport::Partial => Finding::new(
            "B-Q2",
            Verdict::Either,
            match stage.migration_hours.and_then(Count::new) {
                Some(hours) => format!("the GPU version is partial: porting takes {hours} h"),
                None => "the GPU version is partial: add hours for porting (migration_hours)".to_owned(),
            },
        ),
        GpuSupport::None => Finding::new("B-Q2", Verdict::Bound, "the software has no GPU version: CPU"),
    }
}

fn load(stage: &Stage) -> Option<Finding> {
    if stage.purchase.is_some() {
        return None;
    }
    Some(match stage.load {
        Load::Steady => {
            Finding::new("B-Q3", Verdict::Advice, "steady load: compare a month or a reservation")
        }
        Load::Bursty => Finding::new("B-Q3", Verdict::Advice, "the load comes and goes: by the hour"),
    })
}
