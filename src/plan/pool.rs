//! A search in figures: what each trial has to itself, and in how many rounds the trials are done.

use crate::names::named;
use crate::units::number::things;
use crate::units::{Bytes, Hours};

named! {
    /// What one trial has to itself. GPUs and slices of them are different units and are never added up.
    pub enum SlotUnit {
        /// A general-purpose instance.
        Instance = "instance",
        /// A whole GPU.
        Gpu = "gpu",
        /// The part of a GPU that the provider sells as one.
        GpuShare = "gpu-share",
        /// A MIG slice of a GPU.
        MigSlice = "mig-slice",
    }
}

/// How the trials of a search lie on the instances.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolFigures {
    /// What one trial has to itself.
    pub unit: SlotUnit,
    /// The MIG profile, as NVIDIA writes it.
    pub profile: Option<String>,
    /// Slots of one instance.
    pub per_instance: u32,
    /// Slots of all instances.
    pub slots: u32,
    /// Trials.
    pub trials: u32,
    /// Trials that a slot works on one after the other, at most.
    pub rounds: u32,
    /// Time of one trial on a slot.
    pub trial: Hours,
    /// GPU memory that one trial needs, where anything is known of it.
    pub needs: Option<Bytes>,
    /// Whether that was measured; worked out otherwise.
    pub measured: bool,
    /// Memory of one slot that a program can use.
    pub has: Bytes,
    /// GPUs of all instances; 0 without one.
    pub gpus: f64,
    /// Hours of a whole GPU: the GPUs times the time of all rounds.
    pub gpu_hours: f64,
}

impl std::fmt::Display for PoolFigures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slots = match self.unit {
            SlotUnit::Instance => things(self.slots, "instance"),
            SlotUnit::Gpu => things(self.slots, "GPU"),
            SlotUnit::GpuShare => things(self.slots, "GPU share"),
            SlotUnit::MigSlice => {
                format!("{} {}", things(self.slots, "slice"), self.profile.as_deref().unwrap_or_default())
            }
        };
        write!(f, "{} in {} on {slots}", things(self.trials, "trial"), things(self.rounds, "round"))
    }
}
