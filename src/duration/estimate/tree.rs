//! Boosted trees: rows × features × trees, and a fixed time per tree.

use super::Estimate;
use crate::duration::NoDuration;
use crate::duration::anchor::Source;
use crate::duration::cards::Card;
use crate::job::Stage;
use crate::model::Model;
use crate::units::Hours;

/// Trees where the stage does not say (`epochs` counts boosting rounds).
const DEFAULT_TREES: f64 = 100.0;
/// Features where neither the model (`params` counts them) nor the data's size says.
const DEFAULT_FEATURES: f64 = 30.0;

/// What a library reaches: table cells (row × feature × tree) per second on one core and per GB/s of a card's memory,
/// and seconds per tree besides. From GBM-perf, the CatBoost and GBM-Benchmarks tables; they scatter by a factor of
/// three either way.
struct Library {
    core_cells: f64,
    core_tree: f64,
    card_cells: f64,
    card_tree: f64,
}

const XGBOOST: Library = Library { core_cells: 2.0e7, core_tree: 0.003, card_cells: 2.0e6, card_tree: 0.007 };
/// LightGBM's OpenCL and CUDA learners pay much per tree and gain little: it stays on the CPU except on huge tables.
const LIGHTGBM: Library = Library { core_cells: 3.0e7, core_tree: 0.015, card_cells: 4.0e5, card_tree: 0.06 };
const CATBOOST: Library = Library { core_cells: 4.5e7, core_tree: 0.04, card_cells: 1.0e7, card_tree: 0.009 };

/// Factor of the band.
const SPREAD: f64 = 3.0;

/// A boosting job.
pub(super) struct Trees {
    cells: f64,
    rounds: f64,
    library: &'static Library,
}

impl Trees {
    pub(super) fn of(stage: &Stage, model: &Model) -> Result<Self, NoDuration> {
        let rows = stage
            .samples
            .filter(|n| *n > 0.0)
            .ok_or(NoDuration::Needs("samples (rows), or a measured time"))?;
        let by_size = stage.size.map(|bytes| bytes.as_f64() / rows / 4.0).filter(|f| *f >= 1.0);
        let by_model = Some(model.params).filter(|p| (1.0..100_000.0).contains(p));
        let features = by_model.or(by_size).unwrap_or(DEFAULT_FEATURES);
        let trees = if stage.epochs > 1.0 { stage.epochs } else { DEFAULT_TREES };
        let trials = stage.trials.map_or(1.0, f64::from).max(1.0);
        let name = model.architecture.as_deref().unwrap_or_default().to_lowercase();
        let library = match () {
            () if name.contains("lightgbm") || name.contains("lgb") => &LIGHTGBM,
            () if name.contains("catboost") => &CATBOOST,
            () => &XGBOOST,
        };
        Ok(Self { cells: rows * features * trees * trials, rounds: trees * trials, library })
    }

    pub(super) fn on_card(&self, card: &Card) -> Estimate {
        self.estimate(self.library.card_cells * card.bandwidth, self.library.card_tree, "card")
    }

    /// On one reference core. The time per tree does not shrink with cores, but it is small.
    pub(super) fn on_core(&self) -> Estimate {
        self.estimate(self.library.core_cells, self.library.core_tree, "core")
    }

    fn estimate(&self, per_second: f64, per_tree: f64, what: &'static str) -> Estimate {
        let source = Source::Trees { cells: self.cells, per_second, trees: self.rounds, per_tree, what };
        let time = Hours::from_secs(self.cells / per_second + self.rounds * per_tree);
        Estimate { source, time, spread: SPREAD, long: false, thumb: false }
    }
}
