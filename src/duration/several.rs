//! Several devices and several machines in, the number of devices that they are worth out.

use super::NoDuration;
use crate::job::{Network, Stage, StageKind};
use crate::model::{Family, Model, Sharding};
use crate::units::number::significant;

/// How a stage's work divides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spreading {
    pieces: Pieces,
    /// Share of linear speed that is left at each doubling of linked devices in one machine.
    linked: f64,
    /// The same of devices on PCIe.
    unlinked: f64,
    /// Share that is left at each doubling of machines, where it is known what joins them.
    machines: Option<f64>,
    /// Logarithm of the factor by which the gain from each doubling of devices may be off.
    log_doubt: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Pieces {
    /// One piece of work that its devices share step by step.
    One,
    /// So many independent pieces, each of which runs on one device or one machine.
    Many(f64),
}

/// Share of linear speed that independent pieces keep per doubling of devices: they share the disk and the cores
/// that feed them. A guess.
const INDEPENDENT_PER_DOUBLING: f64 = 0.99;

/// Share that data-parallel work keeps at each doubling of *machines* on Ethernet between instances. A guess.
const ETHERNET_PER_DOUBLING: f64 = 0.9;
/// The same on InfiniBand: published many-node trainings keep 97 to 99 % at 9 to 128 cards.
const INFINIBAND_PER_DOUBLING: f64 = 0.99;

/// What joins the machines of a stage is stated, or there was a network where several of them were measured.
fn per_doubling_of_machines(stage: &Stage) -> Option<f64> {
    let joined = stage.measured.iter().any(|m| m.instances > 1).then_some(Network::Ethernet);
    stage.network.or(joined).map(|network| match network {
        Network::Ethernet => ETHERNET_PER_DOUBLING,
        Network::Infiniband => INFINIBAND_PER_DOUBLING,
    })
}

impl Spreading {
    /// `whole_job`: whole runs are meant, which gain less from more devices than bare rates, and less evenly.
    pub(super) fn new(stage: &Stage, whole_job: bool) -> Self {
        let many = |n: Option<f64>| Pieces::Many(n.filter(|n| *n >= 1.0).unwrap_or(f64::INFINITY));
        let pieces = match stage.kind {
            StageKind::Tune => many(stage.trials.map(f64::from)),
            StageKind::Train => Pieces::One,
            StageKind::Evaluate | StageKind::Mine | StageKind::Serve | StageKind::Transcode => {
                many(stage.samples)
            }
            _ if stage.parallel => many(stage.samples),
            _ => Pieces::One,
        };
        let (linked, unlinked, doubt) = match (pieces, &stage.model) {
            (Pieces::Many(_), _) => (INDEPENDENT_PER_DOUBLING, INDEPENDENT_PER_DOUBLING, 1.03),
            (Pieces::One, Some(model)) => per_doubling(model),
            (Pieces::One, None) => (0.95, 0.9, 1.1),
        };
        let doubt = if whole_job && pieces == Pieces::One { doubt * WHOLE_JOB_DOUBT } else { doubt };
        Self { pieces, linked, unlinked, machines: per_doubling_of_machines(stage), log_doubt: doubt.ln() }
    }

    /// What `count` devices in each of `instances` machines are worth, in devices.
    pub(super) fn devices(&self, count: f64, linked: bool, instances: u32) -> Result<f64, NoDuration> {
        if count.is_nan() || count <= 0.0 || instances == 0 {
            return Err(NoDuration::Unsuitable("no device"));
        }
        let machines = f64::from(instances);
        let all = count * machines;
        let per_doubling = if linked { self.linked } else { self.unlinked };
        Ok(match self.pieces {
            Pieces::Many(pieces) => {
                let rounds = if all > 1.0 { whole_rounds(pieces, all) } else { all };
                rounds * kept(per_doubling, count)
            }
            Pieces::One if instances == 1 => all * kept(per_doubling, count),
            Pieces::One => {
                let joined = self.machines.ok_or(NoDuration::Needs(NETWORK))?;
                all * kept(per_doubling, count) * kept(joined, machines)
            }
        })
    }

    /// How [`Self::devices`] comes about where several devices share one piece of work: `64 × 0.99^6`.
    pub(super) fn told(&self, count: f64, linked: bool, instances: u32) -> Option<String> {
        let machines = f64::from(instances);
        if self.pieces != Pieces::One || count * machines <= 1.0 {
            return None;
        }
        let n = |value: f64| significant(value, 4);
        let power = |per: f64, of: f64| {
            if of > 1.0 { format!(" × {}^{}", n(per), n(of.log2())) } else { String::new() }
        };
        let per_doubling = if linked { self.linked } else { self.unlinked };
        Some(format!(
            "{}{}{} = ",
            n(count * machines),
            power(per_doubling, count),
            power(self.machines.unwrap_or(1.0), machines)
        ))
    }

    /// Whether the work is one piece that its devices share.
    pub(super) fn is_shared(&self) -> bool {
        self.pieces == Pieces::One
    }

    /// What `instances` machines without accelerators are worth, in machines.
    pub(super) fn machines(&self, instances: u32) -> Result<f64, NoDuration> {
        match (self.pieces, instances) {
            (_, 0) => Err(NoDuration::Unsuitable("no machine")),
            (_, 1) => Ok(1.0),
            (Pieces::Many(pieces), n) => Ok(whole_rounds(pieces, f64::from(n))),
            (Pieces::One, _) => Err(NoDuration::Unsuitable(
                "the stage does not split over several machines: `parallel` is false",
            )),
        }
    }

    /// Logarithm of the factor by which the gain from more or fewer devices may be off, from `there` to `here`.
    pub(super) fn log_doubt(&self, there: (f64, u32), here: (f64, u32)) -> f64 {
        let devices = doublings(there.0, here.0);
        let machines = doublings(f64::from(there.1), f64::from(here.1));
        let per_machine: f64 = match (self.is_shared(), self.machines) {
            (false, _) => 1.02,
            (true, Some(kept)) if kept >= INFINIBAND_PER_DOUBLING => 1.06,
            (true, _) => 1.2,
        };
        self.log_doubt * devices + if machines > 0.0 { per_machine.ln() * machines } else { 0.0 }
    }
}

/// What one training on several machines needs.
pub(crate) const NETWORK: &str = "network, what joins the machines of one training: ethernet or infiniband (or a time measured on several)";

/// Doublings between two counts.
fn doublings(a: f64, b: f64) -> f64 {
    (a.max(f64::MIN_POSITIVE) / b.max(f64::MIN_POSITIVE)).log2().abs()
}

/// Share of linear speed kept on `count` devices; a part of one device keeps all of its part.
fn kept(per_doubling: f64, count: f64) -> f64 {
    if count > 1.0 { per_doubling.powf(count.log2()) } else { 1.0 }
}

/// What `slots` are worth for `pieces` that cannot be cut: 10 pieces on 4 slots take 3 rounds, so 4 slots are worth
/// 10 ÷ 3. Of very many pieces the last round does not count.
fn whole_rounds(pieces: f64, slots: f64) -> f64 {
    if pieces.is_finite() && pieces < 1000.0 * slots {
        pieces / (pieces / slots - 1e-9).ceil().max(1.0)
    } else {
        slots
    }
}

/// Further doubt per doubling of whole jobs: their evaluation and input do not scale as their steps do.
const WHOLE_JOB_DOUBT: f64 = 1.04;

/// Shares of linear speed that data-parallel training keeps at each doubling of devices, linked and on PCIe, and the
/// factor by which each doubling may be off. From published throughputs of the same model on one and on several cards: on
/// eight linked cards cnn 95 %, encoder 90 % (80 % on PCIe), sequence to sequence 96 %, decoder 97 % (also from 8 to 512),
/// speech 80 %, recommender 50 %.
fn per_doubling(model: &Model) -> (f64, f64, f64) {
    let (linked, unlinked, doubt) = match model.family {
        Family::Cnn | Family::Vit | Family::Diffusion | Family::EncoderDecoder => (0.985, 0.98, 1.08),
        Family::Encoder => (0.965, 0.93, 1.16),
        Family::Decoder => (0.99, 0.95, 1.06),
        Family::Moe => (0.96, 0.92, 1.1),
        Family::Speech => (0.93, 0.92, 1.1),
        Family::Recsys | Family::Mlp | Family::Linear | Family::BoostedTrees => (0.8, 0.75, 1.2),
    };
    let sharded = match model.sharding {
        Sharding::None | Sharding::Zero1 | Sharding::Zero2 => 1.0,
        Sharding::Zero3 => 0.99,
        Sharding::Tensor | Sharding::Pipeline => 0.96,
    };
    (linked * sharded, unlinked * sharded, doubt)
}
