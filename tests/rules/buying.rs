//! Buying and regions.

use super::Case;
use plan::rules::Verdict;

/// A training of 10 h on a T4, with what else is stated.
macro_rules! train {
    ($head:literal, $stage:literal) => {
        concat!(
            $head,
            "[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\nkind = \"train\"\nstartup = \"0s\"\n",
            "measured = [{ on = \"T4\", time = \"10h\" }]\n",
            $stage
        )
    };
}

/// Preparation, then training.
const TWO: &str = "[data]\nsamples = 1_000_000\nsize = \"100 GB\"\nlocation = \"acme/near\"\n[model]\n\
    architecture = \"resnet50\"\nbatch_size = 32\n\
    [[stage]]\nkind = \"prepare\"\nstartup = \"0s\"\npurchase = \"on-demand\"\nparallel_share = 1.0\n\
    measured = [{ on = \"8 vCPU\", time = \"10h\" }]\n\
    [[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nstartup = \"0s\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n";

const TRAIN: &str = train!("[data]\nsamples = 1_000_000\n", "");
const ON_V100: &str = train!("[data]\nsamples = 1_000_000\n", "instance = \"v100\"\n");
const PREPARE: &str = "[data]\nsamples = 1_000\n[[stage]]\nkind = \"prepare\"\nstartup = \"0s\"\n\
    measured = [{ on = \"8 vCPU\", time = \"10h\" }]\n";

pub(super) const CASES: &[Case] = &[
    Case {
        id: "A-S1",
        fires: TRAIN,
        verdict: Verdict::Bound,
        says: &[
            "spot of acme/t4 in near is 0.15/h, 30 % of on-demand 0.50/h (20 % to 40 % is usual)",
            "spot is not open: training needs a checkpoint",
        ],
        silent: ON_V100,
    },
    Case {
        id: "A-S2",
        // Spot 0.06 × 10 h = 0.60 and a little for interruptions, on-demand in far 1.50.
        fires: PREPARE,
        verdict: Verdict::Advice,
        says: &["spot is open and bought", "on-demand 1.50 USD"],
        silent: TRAIN,
    },
    Case {
        id: "A-S3",
        // λ = 0.01 an hour over about 10 h: 0.1 interruptions; 10 h × 0.15 = 1.50 and a little more.
        fires: TRAIN,
        verdict: Verdict::Advice,
        says: &[
            "no checkpoint: an interruption loses all work so far, up to 10 h; spot is not open",
            "acme/t4 (T4) in near on spot is expected to cost 1.5",
            "with 0.1 interruptions, instead of 4.00 USD",
        ],
        silent: train!("[data]\nsamples = 1_000_000\n", "purchase = \"on-demand\"\n"),
    },
    Case {
        id: "B-S4",
        // 200 ÷ 0.50 = 400 h; 50 runs of 10 h.
        fires: train!(
            "runs_per_month = 50\n[data]\nsamples = 1_000_000\nsize = \"100 GB\"\nlocation = \"acme/near\"\n",
            ""
        ),
        verdict: Verdict::Advice,
        says: &[
            "month 200.00 USD ÷ 0.50/h = 400 h a month; used 500 h a month (50 runs of 10 h): a month pays",
        ],
        silent: ON_V100,
    },
    Case {
        id: "A-R1",
        // 5 TB × 0.02 = 100 of transfer; 10 h × 0.40 and 10 h × 0.50. Keeping 5 TB for 10 h: 5,000 × 0.0219 ÷ 73 = 1.50.
        fires: train!("[data]\nsamples = 1_000_000\nsize = \"5 TB\"\nlocation = \"acme/near\"\n", ""),
        verdict: Verdict::Advice,
        says: &[
            "at the data in acme/near: acme/t4 (T4) in near for 6.50 USD",
            "best elsewhere: acme/t4 (T4) in far for 105.50 USD, 100.00 USD of it transfer: the transfer decides",
        ],
        silent: TRAIN,
    },
    Case {
        id: "A-R2",
        fires: TRAIN,
        verdict: Verdict::Advice,
        says: &[
            "acme/t4 costs 0.40/h (on-demand) in far; 0.40/h (far) to 0.50/h (near) in the 2 regions allowed",
        ],
        silent: ON_V100,
    },
    Case {
        id: "A-R3",
        // 100 GB × 0.0219 ÷ 73 = 0.03 for each of two stages of 10 h.
        fires: TWO,
        verdict: Verdict::Advice,
        says: &[
            "prepare → train hand over through object storage in acme/near",
            "0.06 USD of storage and 0.00 USD of transfer are in the bills",
            "what prepare hands on is not priced: give its output",
        ],
        silent: TRAIN,
    },
    Case {
        id: "A-R4",
        // 4 vCPUs take twice the time of 8: 20 h, and 10 h of training at 0.50 in near: 15.00. Two machines: 10 h × 0.20
        // and 10 h × 0.50 and 0.06 of storage.
        fires: TWO,
        verdict: Verdict::Advice,
        says: &[
            "prepare on acme/t4 too would take 20 h on its 4 vCPUs while its GPU is paid and idle",
            "15.00 USD on-demand for both in 30 h, 7.06 USD on two machines",
        ],
        silent: TRAIN,
    },
];

#[test]
fn a_steady_load_is_told_what_a_year_saves() {
    // 20,000 ÷ 6.00 ÷ 12 = 278 h a month; 500 runs of 1 h: 3,000 by the hour, a twelfth of 20,000 by the year.
    let work = "load = \"steady\"\nruns_per_month = 500\n[data]\nsamples = 1_000_000\n[model]\n\
                architecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\nkind = \"train\"\ninstance = \"a100\"\n\
                startup = \"0s\"\nmeasured = [{ on = \"A100-80GB\", time = \"1h\" }]\n";
    let remark =
        |text: &str| super::planned(text).notes.iter().find(|n| n.rule == "B-S4").map(|n| n.text.clone());
    assert_eq!(
        remark(work).as_deref(),
        Some("used 500 h a month: a year costs 1,666.67 USD a month instead of 3,000.00 USD")
    );
    // A load that comes and goes for few hours stays with the hour.
    assert_eq!(remark(&work.replace("steady", "bursty").replace("500", "300")), None);
}
