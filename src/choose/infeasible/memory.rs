//! What would make a stage fit into the memory of some machine: settings of the model (and the number of machines) that are
//! told only where the stage, decided again with them, has a machine that is no longer turned away for its memory.

use super::StageView;
use crate::decide::{Reason, Rejections, decide_stage};
use crate::duration::StageClock;
use crate::job::{Network, Stage, StageKind};
use crate::model::{Family, Mode, Model, Optimizer, Precision, Sharding};
use crate::names::list;
use crate::resolve::defaults::ADAPTER_SHARE;

/// One thing to try, in the order of A-V3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Passes,
    Precision,
    Recompute,
    Optimizer,
    Adapters,
    PackedAdapters,
    Sharding,
}

const STEPS: [Step; 7] = [
    Step::Passes,
    Step::Precision,
    Step::Recompute,
    Step::Optimizer,
    Step::Adapters,
    Step::PackedAdapters,
    Step::Sharding,
];

/// The stage with a step taken, and what to write for it.
type Taken = (Stage, String);

/// What makes the stage fit: each step that does alone, else the shortest beginning of the ladder that does, without the
/// steps that it can spare.
pub(super) fn remedy(view: StageView<'_>) -> String {
    let now = turned_away(&view.quotes.rejected);
    let fits = |stage: &Stage| {
        let clock = StageClock::new(stage, view.catalog);
        let found = decide_stage(view.job, stage, &clock, view.catalog);
        turned_away(&found.rejected) < now
    };
    // What was seen holds for the stage as it is.
    let stage = Stage { measured_memory: None, ..view.stage.clone() };
    let alone = |step: &Step| options(*step, &stage).into_iter().find(|(changed, _)| fits(changed));
    let alone: Vec<String> = STEPS.iter().filter_map(alone).map(|(_, words)| words).collect();
    if !alone.is_empty() {
        return format!("to fit the memory: {}", list(alone.iter().map(String::as_str)));
    }
    let mut steps = Vec::new();
    for step in STEPS {
        steps.push(step);
        if !chained(&stage, &steps).is_some_and(|(changed, _)| fits(&changed)) {
            continue;
        }
        for spared in STEPS {
            let fewer: Vec<Step> = steps.iter().copied().filter(|s| *s != spared).collect();
            if fewer.len() < steps.len() && chained(&stage, &fewer).is_some_and(|(changed, _)| fits(&changed))
            {
                steps = fewer;
            }
        }
        return chained(&stage, &steps).map_or_else(String::new, |(_, words)| {
            format!("to fit the memory, all of these together: {}", words.join("; "))
        });
    }
    "to fit the memory: a smaller model or a larger card; smaller passes, fewer bits, recomputing, adapters and sharding \
     are not enough, as far as each can be had here"
        .to_owned()
}

/// Offers that are turned away for their memory.
fn turned_away(rejected: &Rejections) -> usize {
    let of = |reason| rejected.get(reason).map_or(0, |r| r.offers);
    of(Reason::Memory) + of(Reason::MemoryFloor)
}

/// The stage with the steps taken one upon the other, each to its end; none where none of them says anything new.
fn chained(stage: &Stage, steps: &[Step]) -> Option<(Stage, Vec<String>)> {
    let mut words = Vec::new();
    let mut changed = stage.clone();
    for step in steps {
        if let Some((next, word)) = options(*step, &changed).pop() {
            changed = next;
            words.push(word);
        }
    }
    (!words.is_empty()).then_some((changed, words))
}

/// The ways to take a step, from the mildest on; empty where it says nothing new.
fn options(step: Step, stage: &Stage) -> Vec<Taken> {
    let Some(model) = stage.model.as_ref() else { return Vec::new() };
    let trains = stage.kind.trains();
    let learns = !matches!(model.family, Family::Linear | Family::BoostedTrees);
    let with = |model: Model, words: String| (Stage { model: Some(model), ..stage.clone() }, words);
    match step {
        Step::Passes => passes(stage, model),
        Step::Precision if trains && learns && model.precision == Precision::Fp32 => {
            vec![with(Model { precision: Precision::Amp, ..model.clone() }, "precision = \"amp\"".to_owned())]
        }
        Step::Precision if !trains && learns => [Precision::Fp16, Precision::Int8, Precision::Int4]
            .into_iter()
            .filter(|p| p.weight_bytes() < model.precision.weight_bytes())
            .filter(|p| *p == Precision::Fp16 || model.family.is_transformer())
            .map(|precision| {
                with(Model { precision, ..model.clone() }, format!("precision = \"{precision}\""))
            })
            .collect(),
        Step::Recompute if trains && learns && !model.gradient_checkpointing => vec![with(
            Model { gradient_checkpointing: true, ..model.clone() },
            "gradient_checkpointing = true".to_owned(),
        )],
        Step::Optimizer
            if trains
                && matches!(model.optimizer, Optimizer::Adam | Optimizer::AdamW | Optimizer::AdamWFused) =>
        {
            vec![with(
                Model { optimizer: Optimizer::AdamW8bit, ..model.clone() },
                "optimizer = \"adamw-8bit\"".to_owned(),
            )]
        }
        Step::Adapters if trains && model.family.is_transformer() && model.mode == Mode::Train => {
            vec![with(adapted(model, Mode::Lora), "mode = \"lora\"".to_owned())]
        }
        Step::PackedAdapters if trains && model.family.is_transformer() && model.mode != Mode::Qlora => {
            vec![with(adapted(model, Mode::Qlora), "mode = \"qlora\"".to_owned())]
        }
        Step::Sharding if model.sharding == Sharding::None && stage.kind != StageKind::Tune => {
            sharded(stage, model)
        }
        _ => Vec::new(),
    }
}

/// Fewer samples at once, halved down to one.
fn passes(stage: &Stage, model: &Model) -> Vec<Taken> {
    let mut at_once = model.micro_batch_on(1.0);
    let whole = model.batch_size;
    let mut halved = stage.concurrency;
    let mut ways = Vec::new();
    while at_once > 1.0 {
        at_once = (at_once / 2.0).floor().max(1.0);
        let mut changed = Model { micro_batch: Some(at_once), ..model.clone() };
        let mut concurrency = stage.concurrency;
        let words = match stage.kind {
            StageKind::Serve if model.micro_batch.is_some() => {
                halved = (halved / 2).max(1);
                concurrency = halved;
                changed.batch_size = at_once;
                format!("concurrency = {at_once}")
            }
            StageKind::Serve => {
                changed = Model { micro_batch: None, batch_size: at_once, ..changed };
                format!("batch_size = {at_once}")
            }
            kind if kind.trains() => {
                changed.accumulation = (whole / at_once).ceil();
                let devices = if kind == StageKind::Tune { "" } else { " ÷ number of GPUs" };
                format!("micro_batch = {at_once} with accumulate = {}{devices}", changed.accumulation)
            }
            _ => format!("micro_batch = {at_once}"),
        };
        ways.push((Stage { model: Some(changed), concurrency, ..stage.clone() }, words));
    }
    ways
}

/// The model with adapters in place of full training.
fn adapted(model: &Model, mode: Mode) -> Model {
    let trainable =
        if model.mode == Mode::Train { (model.params * ADAPTER_SHARE).ceil() } else { model.trainable };
    Model { trainable, mode, ..model.clone() }
}

/// Weights and states divided: on one machine with several cards, then on several machines, which a network joins.
fn sharded(stage: &Stage, model: &Model) -> Vec<Taken> {
    let sharding = if stage.kind.trains() { Sharding::Zero3 } else { Sharding::Tensor };
    let on = |instances: u32, network: Option<Network>, words: String| {
        let model = Some(Model { sharding, ..model.clone() });
        (Stage { network, instances, model, ..stage.clone() }, words)
    };
    let mut ways = vec![on(
        stage.instances,
        stage.network,
        format!("sharding = \"{sharding}\" on a machine with several GPUs"),
    )];
    if stage.kind != StageKind::Train {
        return ways;
    }
    for instances in [2, 4, 8, 16, 32, 64].into_iter().filter(|n| *n > stage.instances) {
        let network = stage.network.or(Some(Network::Ethernet));
        let joined = if stage.network.is_none() {
            " and network = \"ethernet\" (or \"infiniband\", what joins them)"
        } else {
            ""
        };
        ways.push(on(
            instances,
            network,
            format!("sharding = \"{sharding}\" with instances = {instances}{joined}"),
        ));
    }
    ways
}
