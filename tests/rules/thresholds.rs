//! Thresholds: `[rules]` of a workload moves them, and the reason shows the number in force.

use super::{memory, planned, spoken};
use plan::names::Named;
use plan::thresholds::Threshold;

/// A training that is both prepared for and measured on both classes, so that most rules have their facts.
const WORK: &str = "runs_per_month = 4\nlabour_per_hour = \"50 USD\"\n[limits]\nbudget = \"100 USD\"\n\
    [data]\nsamples = 100_000\n[model]\nparams = \"25M\"\nfamily = \"cnn\"\nbatch_size = 32\nimage_size = 224\n\
    [[stage]]\nkind = \"prepare\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n\
    [[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nepochs = 10\nstartup = \"2h\"\ndecode = \"100ms\"\n\
    migration_hours = 1\nmeasured = [{ on = \"T4\", time = \"10h\" }, { on = \"8 vCPU\", time = \"100h\" }]\n";

const LINEAR: &str = "urgency = \"experiment\"\n[data]\nsamples = 5_000\n[model]\nfamily = \"linear\"\nparams = 100\n\
    [[stage]]\nkind = \"train\"\nmeasured = [{ on = \"8 vCPU\", time = \"5m\" }]\n";

/// A threshold, a workload, the value set, the rule and a part of what it then says.
const MOVED: &[(Threshold, &str, &str, &str, &str)] = &[
    (Threshold::LinearMaxSamples, LINEAR, "4_000", "A-L1", "cost decides"),
    (Threshold::GpuMinSamples, WORK, "50_000", "A-L2", "100,000 samples above 50,000"),
    (Threshold::GpuMinParams, WORK, "30_000_000", "A-L2", "neither above 100,000 and 30M"),
    (Threshold::OvernightHours, LINEAR, "0.01", "A-L3", "none ends within 36 s"),
    (Threshold::GradientCopies, WORK, "2", "A-V1", "(32 samples + 2 for gradients) = 3.4 GB"),
    (Threshold::T4MaxGb, WORK, "3", "A-V2", "between 3 and 40 GB"),
    (Threshold::A100MinGb, WORK, "30\nt4_max_gb = 3", "A-V2", "between 3 and 30 GB"),
    (Threshold::SmallNetMaxParams, WORK, "30_000_000", "A-V4", "at most 30M: a small network, so T4"),
    (Threshold::LargeModelMinParams, WORK, "20_000_000", "A-V4", "20M or more: a large model, so A100"),
    (Threshold::OversizeUnused, WORK, "0.1", "A-V5", "79 % of its memory is left unused"),
    (Threshold::UsualSpotLow, WORK, "0.1", "A-S1", "(10 % to 40 % is usual)"),
    (Threshold::UsualSpotHigh, WORK, "0.5", "A-S1", "(20 % to 50 % is usual)"),
    (Threshold::PaybackMonths, WORK, "2", "B-C2", "(2 are granted)"),
    (Threshold::FirstAlarm, WORK, "0.25", "A-C4", "alarms at 25.00, 80.00"),
    (Threshold::SecondAlarm, WORK, "0.9", "A-C4", "alarms at 50.00, 90.00"),
    (Threshold::ForgottenDays, WORK, "1", "A-C4", "forgotten for 24 h costs 9.60 USD"),
    (Threshold::LinkGbPerSecond, WORK, "6", "B-C5", "÷ 6 GB/s = 100 µs"),
    (Threshold::GpuBudgetShare, WORK, "0.6", "A-M2", "60 % and 40 % is usual"),
    (Threshold::MinGpuUtilisation, WORK, "0.2", "A-U1", "at least 20 %"),
    (Threshold::MaxPrepareShare, WORK, "0.6", "A-U2", "above 60 %"),
    (Threshold::RawFilesUtilisation, WORK, "0.4", "A-U3", "raw files 40 %"),
    (Threshold::PreparedFilesUtilisation, WORK, "0.9", "A-U3", "prepared ones 90 %"),
];

/// Thresholds whose effect is a remark or a choice rather than a reason; each has its own test below or where it is used.
const ELSEWHERE: &[Threshold] = &[
    Threshold::SpotWarn,
    Threshold::SpotRefuse,
    Threshold::SpotConfidence,
    Threshold::PriceAgeMonths,
    Threshold::MaxIdleShare,
    Threshold::MaxTransferShare,
    Threshold::ServeHeadroom,
    Threshold::WiderPool,
];

#[test]
fn a_workload_moves_every_threshold() {
    for (threshold, work, value, id, says) in MOVED {
        let plan = planned(&format!("{work}[rules]\n{threshold} = {value}\n"));
        let said = spoken(&plan, id);
        assert!(said.iter().any(|f| f.reason.contains(says)), "{threshold}: {says}: {said:#?}");
    }
    for (threshold, name) in Threshold::ALL {
        let known = MOVED.iter().any(|m| m.0 == *threshold) || ELSEWHERE.contains(threshold);
        assert!(known, "{name} is under no test");
    }
}

/// The remarks of a rule.
fn remarks(text: &str, id: &str) -> Vec<String> {
    planned(text).notes.iter().filter(|n| n.rule == id).map(|n| format!("{}: {}", n.kind, n.text)).collect()
}

#[test]
fn thresholds_of_remarks_move_them() {
    let set = |rule: &str| format!("{WORK}[rules]\n{rule}\n");
    // 2 h of start-up of 12 h paid.
    assert!(remarks(WORK, "B-C3").is_empty());
    assert_eq!(remarks(&set("max_idle_share = 0.1"), "B-C3").len(), 1);
    assert!(remarks(WORK, "B-C5").is_empty());
    assert!(remarks(&set("max_transfer_share = 0.001"), "B-C5")[0].starts_with("warning: moving a sample"));
    assert!(remarks(WORK, "B-C6").is_empty());
    assert!(remarks(&set("price_age_months = 0"), "B-C6")[0].contains("is of 2026-11-01, 0 months old"));
    // On spot with 0.1 interruptions to be expected: to be known, and a warning where less is tolerated.
    let spot = |rule: &str| {
        format!("{}checkpoint = {{ every = \"1h\", takes = \"1m\" }}\n[rules]\n{rule}\n", memory::ON_T4)
    };
    assert!(remarks(&spot(""), "A-S3")[0].starts_with("info: spot: 0.1 interruptions"));
    assert!(remarks(&spot("spot_warn = 0.05"), "A-S3")[0].starts_with("warning: spot: 0.1 interruptions"));
}
