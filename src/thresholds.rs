//! The numbers in the rules, by name: each with the documents' value as its default, open to `[rules]` in a
//! workload. Names only `names`, so that a job can carry them.

use crate::names::{Named, named};
use std::collections::BTreeMap;

named! {
    /// A threshold, spelt as its key in `[rules]`.
    pub enum Threshold {
        /// Samples up to which a linear model stays on a CPU.
        LinearMaxSamples = "linear_max_samples",
        /// Samples above which (with the parameters) a GPU pays.
        GpuMinSamples = "gpu_min_samples",
        /// Parameters above which (with the samples) a GPU pays.
        GpuMinParams = "gpu_min_params",
        /// Hours that pass as "overnight".
        OvernightHours = "overnight_hours",
        /// Copies of the gradients in the documents' memory formula.
        GradientCopies = "gradient_copies",
        /// Estimate up to which a T4 is enough.
        T4MaxGb = "t4_max_gb",
        /// Estimate above which an A100 is meant.
        A100MinGb = "a100_min_gb",
        /// Parameters up to which a convolutional network is a small one, for which a T4 is the start.
        SmallNetMaxParams = "small_net_max_params",
        /// Parameters from which any model is a large one, for which an A100 is the start.
        LargeModelMinParams = "large_model_min_params",
        /// Share of a card's memory left unused from which it counts as too big.
        OversizeUnused = "oversize_unused",
        /// Least share of the on-demand price that spot usually costs.
        UsualSpotLow = "usual_spot_low",
        /// Most of it.
        UsualSpotHigh = "usual_spot_high",
        /// Expected interruptions of an unsaved piece from which spot is warned of.
        SpotWarn = "spot_warn",
        /// Expected interruptions of an unsaved piece above which spot is refused.
        SpotRefuse = "spot_refuse",
        /// Chance with which spot must meet the deadline.
        SpotConfidence = "spot_confidence",
        /// Age from which a price is marked.
        PriceAgeMonths = "price_age_months",
        /// Months within which a port to the GPU should pay for itself.
        PaybackMonths = "payback_months",
        /// Share of the paid time without work from which it is pointed out.
        MaxIdleShare = "max_idle_share",
        /// Share of the budget at which the first alarm rings.
        FirstAlarm = "first_alarm",
        /// Share of the budget at which the second alarm rings; the last one rings at all of it.
        SecondAlarm = "second_alarm",
        /// Bandwidth between main memory and GPU.
        LinkGbPerSecond = "link_gb_per_second",
        /// Share of a sample's time on the GPU that moving it there may take.
        MaxTransferShare = "max_transfer_share",
        /// Usual share of GPUs in the budget.
        GpuBudgetShare = "gpu_budget_share",
        /// Utilisation below which the GPU waits for something.
        MinGpuUtilisation = "min_gpu_utilisation",
        /// Share of the training epoch that preparing one may take.
        MaxPrepareShare = "max_prepare_share",
        /// Utilisation of a GPU that is fed raw files.
        RawFilesUtilisation = "raw_files_utilisation",
        /// Utilisation of a GPU that is fed prepared files.
        PreparedFilesUtilisation = "prepared_files_utilisation",
        /// How long a forgotten instance runs on.
        ForgottenDays = "forgotten_days",
        /// Spare capacity of a service over its peak.
        ServeHeadroom = "serve_headroom",
        /// Share more machine time that a search may take to be done sooner on more machines.
        WiderPool = "wider_pool",
    }
}

/// What a threshold is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// The rule that uses it.
    pub rule: &'static str,
    /// Its default.
    pub default: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Least and most that make sense; the least is included.
    pub bounds: (f64, f64),
    /// Where the default comes from.
    pub source: &'static str,
}

const ANY: (f64, f64) = (0.0, 1e15);
const SHARE: (f64, f64) = (0.0, 1.0);

const fn row(
    rule: &'static str,
    default: f64,
    unit: &'static str,
    bounds: (f64, f64),
    source: &'static str,
) -> Spec {
    Spec { rule, default, unit, bounds, source }
}

impl Threshold {
    /// Pairs of which the first may not lie above the second.
    pub const RISING: [(Self, Self); 6] = [
        (Self::T4MaxGb, Self::A100MinGb),
        (Self::SmallNetMaxParams, Self::LargeModelMinParams),
        (Self::UsualSpotLow, Self::UsualSpotHigh),
        (Self::SpotWarn, Self::SpotRefuse),
        (Self::FirstAlarm, Self::SecondAlarm),
        (Self::RawFilesUtilisation, Self::PreparedFilesUtilisation),
    ];

    /// Rule, default, unit, bounds and source.
    #[expect(clippy::too_many_lines, reason = "one row per threshold")]
    pub const fn spec(self) -> Spec {
        match self {
            Self::LinearMaxSamples => row(
                "A-L1",
                10_000.0,
                "samples",
                ANY,
                "document A, layer 1: \"a few thousand\" rows, taken as 10,000",
            ),
            Self::GpuMinSamples => row("A-L2", 100_000.0, "samples", ANY, "document A, layer 2"),
            Self::GpuMinParams => row("A-L2", 10_000_000.0, "parameters", ANY, "document A, layer 2"),
            Self::OvernightHours => row(
                "A-L3",
                12.0,
                "hours",
                (0.0, 168.0),
                "document A, layer 3: \"overnight\"; 12 h is a guess",
            ),
            Self::GradientCopies => {
                row("A-V1", 1.0, "copies", (0.0, 16.0), "document A, memory formula; 1 copy")
            }
            Self::T4MaxGb => row("A-V2", 16.0, "GB", (0.0, 10_000.0), "document A, memory"),
            Self::A100MinGb => row("A-V2", 40.0, "GB", (0.0, 10_000.0), "document A, memory"),
            Self::SmallNetMaxParams => row(
                "A-V4",
                10_000_000.0,
                "parameters",
                ANY,
                "document A: \"MobileNet\"; between MobileNet's 4 M and ResNet-18's 12 M, a guess",
            ),
            Self::LargeModelMinParams => row(
                "A-V4",
                1_000_000_000.0,
                "parameters",
                ANY,
                "document A: \"large models\"; a billion is a guess",
            ),
            Self::OversizeUnused => row(
                "A-V5",
                0.5,
                "share",
                SHARE,
                "document A: \"small model, large instance\"; half is a guess",
            ),
            Self::UsualSpotLow => row("A-S1", 0.2, "share", SHARE, "document A, on-demand and spot"),
            Self::UsualSpotHigh => row("A-S1", 0.4, "share", SHARE, "document A, on-demand and spot"),
            Self::SpotWarn => row(
                "A-S3",
                0.2,
                "interruptions",
                (0.0, 100.0),
                "the spot model: (exp(0.2) − 1) ÷ 0.2 is 11 % more time",
            ),
            Self::SpotRefuse => row(
                "A-S3",
                1.0,
                "interruptions",
                (0.0, 100.0),
                "the spot model: beyond 1 the time grows exponentially",
            ),
            Self::SpotConfidence => row("A-S1", 0.95, "share", SHARE, "a choice: one late run in twenty"),
            Self::PriceAgeMonths => row(
                "B-C6",
                12.0,
                "months",
                (0.0, 1200.0),
                "a choice: providers change prices about once a year",
            ),
            Self::LinkGbPerSecond => row(
                "B-C5",
                12.0,
                "GB/s",
                (0.001, 10_000.0),
                "PCIe 3.0 x16 carries 15.75 GB/s; three quarters of it in practice is a guess",
            ),
            Self::PaybackMonths => {
                row("B-C2", 12.0, "months", (0.0, 1200.0), "a guess: a port should pay within a year")
            }
            Self::MaxIdleShare => {
                row("B-C3", 0.5, "share", SHARE, "document B: \"idle most of the time\"; taken as half")
            }
            Self::FirstAlarm => row("A-C4", 0.5, "share", SHARE, "a choice: half of the budget is spent"),
            Self::SecondAlarm => row("A-C4", 0.8, "share", SHARE, "a choice: time is left to act"),
            Self::MaxTransferShare => row(
                "B-C5",
                0.5,
                "share",
                SHARE,
                "document B: moving can eat \"most\" of the speed-up; taken as half",
            ),
            Self::GpuBudgetShare => row("A-M2", 0.7, "share", SHARE, "document A, resource split"),
            Self::MinGpuUtilisation => row("A-U1", 0.5, "share", SHARE, "document A, utilisation"),
            Self::MaxPrepareShare => {
                row("A-U2", 0.5, "share", SHARE, "document A, concurrency of CPU instances")
            }
            Self::RawFilesUtilisation => row("A-U3", 0.3, "share", SHARE, "document A, TFRecord and LMDB"),
            Self::PreparedFilesUtilisation => {
                row("A-U3", 0.8, "share", SHARE, "document A, TFRecord and LMDB")
            }
            Self::ForgottenDays => row("A-C4", 7.0, "days", (0.0, 366.0), "document A: \"ran for a week\""),
            Self::ServeHeadroom => row(
                "B-K7",
                0.3,
                "share",
                (0.0, 10.0),
                "a guess: 30 % over the peak, as autoscalers are commonly set",
            ),
            Self::WiderPool => row(
                "A-K4",
                0.05,
                "share",
                (0.0, 10.0),
                "document A: \"several small GPUs\"; what their launches may add is a choice",
            ),
        }
    }
}

/// The thresholds in force: the defaults, and what a workload sets instead.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thresholds(BTreeMap<Threshold, f64>);

impl Thresholds {
    /// The value in force.
    pub fn get(&self, threshold: Threshold) -> f64 {
        self.0.get(&threshold).copied().unwrap_or(threshold.spec().default)
    }

    /// Whether the workload sets it.
    pub fn is_set(&self, threshold: Threshold) -> bool {
        self.0.contains_key(&threshold)
    }

    /// Sets one.
    pub fn set(&mut self, threshold: Threshold, value: f64) {
        self.0.insert(threshold, value);
    }

    /// All of them with the values in force.
    pub fn iter(&self) -> impl Iterator<Item = (Threshold, f64)> {
        Threshold::ALL.iter().map(|(threshold, _)| (*threshold, self.get(*threshold)))
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that are handed on, not computed")]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_their_bounds() {
        for (threshold, name) in Threshold::ALL {
            let spec = threshold.spec();
            assert!((spec.bounds.0..=spec.bounds.1).contains(&spec.default), "{name}");
            assert!(!spec.source.is_empty() && !spec.unit.is_empty(), "{name}");
        }
        assert!(Threshold::RISING.iter().all(|(low, high)| low.spec().default < high.spec().default));
    }

    #[test]
    fn a_workload_overrides_by_name() {
        let mut thresholds = Thresholds::default();
        assert_eq!(thresholds.get(Threshold::LinearMaxSamples), 10_000.0);
        thresholds.set(Threshold::LinearMaxSamples, 5_000.0);
        assert_eq!(thresholds.get(Threshold::LinearMaxSamples), 5_000.0);
        assert!(thresholds.is_set(Threshold::LinearMaxSamples));
        assert!(!thresholds.is_set(Threshold::SpotRefuse));
    }
}
