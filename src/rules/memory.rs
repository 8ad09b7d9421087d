//! Memory of one GPU, by rule of thumb (V): the documents' quick figure beside what is exactly known, the card that
//! it means, the ladder of what to do when it does not fit, the card to start with, and what is left unused.

mod ladder;

pub use ladder::{Ladder, ladder};

use super::{Finding, Threshold, Thresholds, Verdict};
use crate::catalog::{Accelerator, Catalog};
use crate::job::Stage;
use crate::model::{Family, Model, Sharding};
use crate::units::Bytes;
use crate::units::number::{Count, percent};
use crate::vram::document::rule_of_thumb;
use crate::vram::floor::{Floor, floor};
use crate::vram::need::{Need, NeedBy};

/// The card with which GPU training starts in the documents.
pub const T4: &str = "T4";

/// What one device of a stage holds, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    model: &'a Model,
    /// Whether gradients are kept.
    trains: bool,
    /// Samples in one forward pass on one device.
    micro_batch: f64,
    /// Gradient copies of the documents' formula; none without training.
    copies: f64,
    /// What is exactly known.
    floor: Floor,
    /// What it needs, as well as that is known.
    need: Need,
    /// Whether several devices share one model, which the formula does not know.
    shared: bool,
}

impl<'a> Demand<'a> {
    /// The demand of a stage when `devices` share a step; none without a model.
    pub fn of(stage: &'a Stage, thresholds: &Thresholds, devices: f64) -> Option<Self> {
        let model = stage.model.as_ref()?;
        let trains = stage.kind.trains();
        Some(Self {
            model,
            trains,
            micro_batch: model.micro_batch_on(devices),
            copies: if trains { thresholds.get(Threshold::GradientCopies) } else { 0.0 },
            floor: floor(model, devices),
            need: Need::of(model, devices, stage.measured_memory),
            shared: model.sharding != Sharding::None && devices > 1.0,
        })
    }

    /// Gradient copies in the documents' formula; none without training.
    pub const fn copies(&self) -> f64 {
        self.copies
    }

    /// A-V1.
    pub fn figure(&self) -> Bytes {
        rule_of_thumb(self.model.params, self.micro_batch, self.copies)
    }

    /// The figure to choose a card by, and in words what it is: measured; or estimated from the architecture's parts; or,
    /// where only family and size are known, the quick figure, at least what is exactly known, and that alone where
    /// several devices share the model.
    pub fn needs(&self) -> (Bytes, &'static str) {
        match self.need.by {
            NeedBy::Measured => (self.need.binding, "measured"),
            NeedBy::Components => (self.need.binding, "estimated from its parts"),
            NeedBy::Family if !self.shared && self.figure() > self.floor.total => {
                (self.figure(), "quick figure")
            }
            NeedBy::Family => (self.floor.total, "exactly known, at least"),
        }
    }
}

/// Cards that some instance of the catalog has and that run one of the stage's stacks, the smallest first.
pub fn cards<'a>(stage: &Stage, catalog: &'a Catalog) -> Vec<&'a Accelerator> {
    let mut sold = vec![false; catalog.accelerators.iter().count()];
    for gpu in catalog.instances.iter().filter_map(|i| i.gpu) {
        if let Some(slot) = sold.get_mut(usize::from(gpu.accelerator.0)) {
            *slot = true;
        }
    }
    let mut cards: Vec<&Accelerator> = catalog
        .accelerators
        .iter()
        .zip(sold)
        .filter(|((_, card), sold)| *sold && stage.stacks.contains(&card.stack))
        .map(|((_, card), _)| card)
        .collect();
    cards.sort_by(|a, b| a.usable().0.cmp(&b.usable().0).then_with(|| a.name.cmp(&b.name)));
    cards
}

/// The smallest card on which so much fits.
pub fn smallest<'a>(cards: &[&'a Accelerator], needs: Bytes) -> Option<&'a Accelerator> {
    cards.iter().copied().find(|card| card.usable().0 >= needs)
}

/// `26.3 GB (24.5 GiB)`: as the documents count, and as the screen shows memory.
fn both(bytes: Bytes) -> String {
    format!("{bytes} ({})", bytes.gib())
}

/// `a T4 (14.6 GiB)`.
fn with_usable(card: &Accelerator) -> String {
    format!("{} ({})", card.name, card.usable().0.gib())
}

/// A-V1: the quick figure beside the exact floor, and why they differ.
pub fn quick_figure(demand: &Demand<'_>) -> Finding {
    let Demand { model, micro_batch, copies, floor, .. } = demand;
    let figure = demand.figure();
    let params = Count::new(model.params).map(|c| c.to_string()).unwrap_or_default();
    let (samples, parts) = if demand.trains {
        let parts = [("weights", floor.weights), ("gradients", floor.gradients), ("states", floor.optimizer)];
        let parts: Vec<String> =
            parts.iter().map(|(name, bytes)| format!("{name} {}", bytes.gib())).collect();
        (format!("({micro_batch} samples + {copies} for gradients)"), parts.join(", "))
    } else {
        (format!("{micro_batch} samples"), "weights".to_owned())
    };
    let mut reason = format!(
        "{params} parameters × 4 bytes × {samples} = {}; exactly known at least {} ({parts})",
        both(figure),
        floor.total.gib()
    );
    reason += match (demand.shared, figure < floor.total) {
        (true, _) => ": the formula knows no sharding",
        (false, true) => ": the formula leaves out optimizer states and understates it",
        (false, false) => {
            ": the formula counts a copy of the parameters per sample, where activations follow from the architecture"
        }
    };
    let (needs, basis) = demand.needs();
    if demand.need.by != NeedBy::Family {
        reason += &format!("; {basis} {}, which counts", needs.gib());
    }
    Finding::new("A-V1", Verdict::Advice, reason)
}

/// A-V2: the card that the figure means. `cards` are in order of size. Where something better than the quick figure is
/// known and means another card, the quick figure is overruled.
pub fn card_by_size(demand: &Demand<'_>, thresholds: &Thresholds, cards: &[&Accelerator]) -> Finding {
    let (needs, basis) = demand.needs();
    let (quick, known) = (Size::of(demand.figure(), thresholds), Size::of(needs, thresholds));
    let fits = smallest(cards, needs).map_or_else(
        || "no single card of the catalog holds it".to_owned(),
        |card| format!("smallest card that holds it: {}", with_usable(card)),
    );
    let text = format!("{} ({basis}): {}; {fits}", both(needs), known.says(needs, thresholds, cards));
    if demand.need.by == NeedBy::Family || quick == known {
        return Finding::new("A-V2", Verdict::Advice, text);
    }
    let figure = demand.figure();
    let quick = quick.says(figure, thresholds, cards);
    Finding::new("A-V2", Verdict::Overruled, format!("{} (quick figure): {quick}; but {text}", both(figure)))
}

/// Where a figure lies between the thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Small,
    Between,
    Large,
}

impl Size {
    fn of(bytes: Bytes, thresholds: &Thresholds) -> Self {
        let gb = bytes.as_gb();
        if gb <= thresholds.get(Threshold::T4MaxGb) {
            Self::Small
        } else if gb > thresholds.get(Threshold::A100MinGb) {
            Self::Large
        } else {
            Self::Between
        }
    }

    /// What the documents make of it, and where that does not hold.
    fn says(self, bytes: Bytes, thresholds: &Thresholds, cards: &[&Accelerator]) -> String {
        let (small, large) = (thresholds.get(Threshold::T4MaxGb), thresholds.get(Threshold::A100MinGb));
        match self {
            Self::Small => match cards.iter().find(|c| &*c.name == T4) {
                Some(t4) if bytes > t4.usable().0 => {
                    format!("up to {small} GB, but CUDA sees only {} of a T4", t4.usable().0.gib())
                }
                _ => format!("up to {small} GB: a T4 is enough"),
            },
            Self::Between => format!("between {small} and {large} GB: the smallest that fits"),
            Self::Large => {
                let fits = |c: &&&Accelerator| c.name.starts_with("A100") && c.usable().0 >= bytes;
                match cards.iter().find(fits) {
                    Some(card) => {
                        format!("above {large} GB: {}; a V100 has 32 GB at most", with_usable(card))
                    }
                    None => {
                        format!(
                            "above {large} GB, and more than any A100 has: smaller steps (A-V3) or sharding"
                        )
                    }
                }
            }
        }
    }
}

/// A-V4: the card that the documents start with, as the beginning of its name, and why; none for models that are no
/// networks.
pub fn starting_card(model: &Model, thresholds: &Thresholds) -> Option<(&'static str, String)> {
    let (small, large) =
        (thresholds.get(Threshold::SmallNetMaxParams), thresholds.get(Threshold::LargeModelMinParams));
    let what = model.architecture.clone().unwrap_or_else(|| model.family.to_string());
    let params = Count::new(model.params)?;
    let (small_text, large_text) = (Count::new(small)?, Count::new(large)?);
    Some(match model.family {
        Family::Linear | Family::BoostedTrees => return None,
        _ if model.params >= large => {
            ("A100", format!("{what} has {params} parameters, {large_text} or more: a large model, so A100"))
        }
        family if family.is_transformer() => ("A100", format!("{what} is a transformer: A100")),
        Family::Diffusion => ("A100", format!("{what} is a diffusion model, built like a transformer: A100")),
        _ if model.params <= small => {
            (T4, format!("{what} has {params} parameters, at most {small_text}: a small network, so T4"))
        }
        _ => (
            "V100",
            format!("{what} has {params} parameters, more than {small_text}: of the ResNet class, so V100"),
        ),
    })
}

/// A-V5: the share of a device's memory that is left unused, where it is at least the threshold.
pub fn unused(
    demand: &Demand<'_>,
    thresholds: &Thresholds,
    device: &str,
    has: Bytes,
    utilisation: Option<f64>,
) -> Option<Finding> {
    let (needs, basis) = demand.needs();
    let share = 1.0 - needs.as_f64() / has.as_f64();
    if has == Bytes::ZERO || share < thresholds.get(Threshold::OversizeUnused) {
        return None;
    }
    let mut reason = format!(
        "{} ({basis}) of the {} of a {device}: {} of its memory is left unused",
        needs.gib(),
        has.gib(),
        percent(share)
    );
    if let Some(used) = utilisation {
        reason += &format!(", and {} of its arithmetic", percent(1.0 - used));
    }
    Some(Finding::new("A-V5", Verdict::Advice, reason))
}
