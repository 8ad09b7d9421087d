//! A stage without a measurement in, its time on one card or one reference core out: from arithmetic and memory
//! traffic, from stated core-hours, or from a rule of thumb.

mod cpu;
mod image;
pub(super) mod token;
mod tree;
pub(super) mod video;

use super::anchor::combined;
use super::cards::Cards;
use super::work::scientific;
use super::{NoDuration, Source};
use crate::catalog::AcceleratorId;
use crate::job::{Stage, StageKind};
use crate::model::{Family, Model};
use crate::units::Hours;
use crate::units::number::thousands;

/// A time on one card or on one reference core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub source: Source,
    pub time: Hours,
    /// Factor of its band.
    pub spread: f64,
    /// Whether it trains a language model for so long that restarts count (see [`super::overhead`]).
    pub long: bool,
    /// Whether it rests on a rule of thumb.
    pub thumb: bool,
}

impl Estimate {
    /// The same with the doubt of the amount of work that it rests on.
    fn rested_on(mut self, amount: &Amount) -> Self {
        if let (true, Source::Work { guessed, .. }) = (amount.guessed, &mut self.source) {
            *guessed = true;
            self.thumb = true;
            self.spread = combined(&[self.spread, super::work::GUESS_SPREAD]);
        }
        self
    }
}

/// The times of a stage, by class.
#[derive(Debug, Clone)]
pub(super) struct Estimates {
    /// On one card of each kind, by position in the catalog.
    pub gpu: Result<Vec<Option<Estimate>>, NoDuration>,
    /// On one reference core.
    pub cpu: Result<Estimate, NoDuration>,
    /// How many operations the work is, as formulas; empty where they are not counted.
    pub told: Vec<String>,
}

impl Default for Estimates {
    fn default() -> Self {
        Self {
            gpu: Err(NoDuration::Needs(MEASURED)),
            cpu: Err(NoDuration::Needs(MEASURED)),
            told: Vec::new(),
        }
    }
}

const MEASURED: &str = "a measured time, or the model's parameters";

impl Estimates {
    /// On some `cards`, or on none where those of the class are not asked for.
    pub(super) fn new(stage: &Stage, cards: Option<&Cards>, utilisation: Option<f64>) -> Self {
        let gpu = cards.map_or(Err(NoDuration::Needs(MEASURED)), |cards| on_gpu(stage, cards, utilisation));
        Self { gpu, cpu: cpu::estimate(stage), told: told(stage).unwrap_or_default() }
    }

    /// The time on one card.
    pub(super) fn on_card(&self, id: AcceleratorId) -> Result<Estimate, NoDuration> {
        let cards = self.gpu.as_ref().map_err(|why| *why)?;
        let found = cards.get(usize::from(id.0)).copied().flatten();
        found.ok_or(NoDuration::Unsuitable("the accelerator has no figures for this arithmetic"))
    }
}

fn on_gpu(
    stage: &Stage,
    cards: &Cards,
    utilisation: Option<f64>,
) -> Result<Vec<Option<Estimate>>, NoDuration> {
    if stage.kind == StageKind::Transcode {
        let frames = video::frames(stage)?;
        return Ok(cards.all.iter().map(|card| Some(video::on_card(frames, card.as_ref()?))).collect());
    }
    let model = stage.model.as_ref().ok_or(NoDuration::Needs(MEASURED))?;
    let amount = Amount::of(stage, model)?;
    let of = |estimate: &dyn Fn(&super::cards::Card) -> Option<Estimate>| {
        let on = |card| estimate(card).map(|e| e.rested_on(&amount));
        Ok(cards.all.iter().map(|card| card.as_ref().and_then(on)).collect())
    };
    if let Some(share) = utilisation {
        return of(&|card| token::at_utilisation(&amount, card, share));
    }
    match model.family {
        Family::BoostedTrees => {
            let trees = tree::Trees::of(stage, model)?;
            of(&|card| Some(trees.on_card(card)))
        }
        Family::Speech if model.forward_flops.is_none() => {
            Err(NoDuration::Needs("a measured time: speech models differ too much"))
        }
        Family::Recsys => Err(NoDuration::Needs("a measured time: recommenders are bound by their tables")),
        Family::Cnn | Family::Vit | Family::Diffusion => {
            of(&|card| image::on_card(&amount, model, card, cards.arithmetic))
        }
        _ => of(&|card| token::on_card(&amount, model, card, cards.arithmetic)),
    }
}

/// The operations of a stage that runs a network, as formulas.
fn told(stage: &Stage) -> Option<Vec<String>> {
    let model = stage.model.as_ref().filter(|m| m.family != Family::BoostedTrees)?;
    let amount = Amount::of(stage, model).ok()?;
    let [backward, recomputed] = super::work::passes_behind(model, amount.trains);
    let passes = match (backward > 0.0, recomputed > 0.0) {
        (false, _) => String::new(),
        (true, false) => format!(" (1 forward, {backward} backward)"),
        (true, true) => format!(" (1 forward, {backward} backward, {recomputed} recomputed)"),
    };
    Some(vec![
        super::work::forward_told(model)?,
        format!(
            "operations: {} samples × {} × {} passes{passes} = {}",
            thousands(amount.samples),
            scientific(amount.forward),
            amount.passes,
            scientific(amount.flops())
        ),
    ])
}

/// How much a stage computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    /// Samples that go through the model, over all epochs and trials.
    pub samples: f64,
    /// Operations of one forward pass over one sample.
    pub forward: f64,
    /// Whether they were guessed from the parameters.
    pub guessed: bool,
    /// Forward passes that the work on a sample is worth.
    pub passes: f64,
    /// Passes through the model: samples over the batch, times the passes that one step accumulates.
    pub steps: f64,
    /// Whether it trains.
    pub trains: bool,
}

impl Amount {
    fn of(stage: &Stage, model: &Model) -> Result<Self, NoDuration> {
        let trains = stage.kind.trains();
        let samples = samples(stage)?;
        // Trees split rows; they have no operations of their own to count.
        let trees = super::work::Forward { flops: 1.0, guessed: false };
        let forward = match model.family {
            Family::BoostedTrees => trees,
            _ => super::work::forward_per_sample(model)
                .ok_or(NoDuration::Needs("a known architecture or a measured time"))?,
        };
        // A batch that nobody stated is as large as it needs to be for steps not to count.
        // With accumulation a step is several passes, each of which launches its kernels.
        let passes_per_step = model.accumulation.max(1.0);
        // Forward passes alone hold what runs at once, which is the micro-batch where one is stated.
        let batch = model.micro_batch.filter(|_| !trains).unwrap_or(model.batch_size);
        let steps = passes_per_step * if batch >= 1.0 { samples / batch } else { samples };
        Ok(Self {
            samples,
            forward: forward.flops,
            guessed: forward.guessed,
            passes: super::work::passes(model, trains),
            steps,
            trains,
        })
    }

    /// All operations.
    pub(super) fn flops(&self) -> f64 {
        self.samples * self.forward * self.passes
    }
}

/// Samples that go through the model. For a service, which has no end, the requests that are worked on at once: one of
/// them takes as long as all of them together.
pub(super) fn samples(stage: &Stage) -> Result<f64, NoDuration> {
    if stage.kind == StageKind::Serve {
        return Ok(f64::from(stage.concurrency.max(1)));
    }
    let samples =
        stage.samples.filter(|n| *n > 0.0).ok_or(NoDuration::Needs("samples, or a measured time"))?;
    let trials = match stage.kind {
        StageKind::Tune => {
            f64::from(stage.trials.ok_or(NoDuration::Needs("trials, or a measured time"))?.max(1))
        }
        _ => 1.0,
    };
    let all = samples * stage.epochs * trials;
    if all.is_finite() && all > 0.0 { Ok(all) } else { Err(NoDuration::Needs("epochs above zero")) }
}
