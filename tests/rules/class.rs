//! Kinds of stage, the three layers, the three questions.

use super::Case;
use plan::rules::Verdict;

/// One stage of a kind without a model.
macro_rules! plain {
    ($stage:literal) => {
        concat!("[data]\nsamples = 1_000_000\n[[stage]]\n", $stage)
    };
}

/// One stage of a kind with a model.
macro_rules! modelled {
    ($stage:literal) => {
        concat!(
            "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\n",
            $stage
        )
    };
}

const PREPARE: &str = plain!("kind = \"prepare\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n");
const TRAIN: &str = modelled!("kind = \"train\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n");
const PINNED: &str =
    modelled!("kind = \"train\"\nclass = \"gpu\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n");

pub(super) const CASES: &[Case] = &[
    Case {
        id: "A-K1",
        // 10 h on cpu8 in far at 0.15 an hour, next to a T4 at 0.40: 37.5 %; on spot in near 0.06: 15 %.
        fires: "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n\
                [[stage]]\nkind = \"prepare\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n\
                [[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Cpu,
        says: &[
            "disk and strings",
            "at 0.06/h it costs 15 % of the GPU instance of the plan (a tenth is usual)",
        ],
        silent: TRAIN,
    },
    Case {
        id: "A-K2",
        fires: plain!("kind = \"augment\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n"),
        verdict: Verdict::Cpu,
        says: &["may lose an instance"],
        silent: TRAIN,
    },
    Case { id: "A-K3", fires: TRAIN, verdict: Verdict::Either, says: &["three layers"], silent: PREPARE },
    Case {
        id: "A-K4",
        fires: modelled!("kind = \"tune\"\ntrials = 8\nmeasured = [{ on = \"T4\", time = \"1h\" }]\n"),
        verdict: Verdict::Gpu,
        says: &["slices of a GPU or several small ones"],
        silent: TRAIN,
    },
    Case {
        id: "A-K5",
        fires: plain!("kind = \"analyze\"\nmeasured = [{ on = \"8 vCPU\", time = \"1h\" }]\n"),
        verdict: Verdict::Cpu,
        says: &["serial and light"],
        silent: TRAIN,
    },
    Case {
        id: "A-K6",
        // CPU 10 h × 0.15 = 1.50 in far; on spot at 0.06 it is less; the GPU takes 20 h × 0.40.
        fires: modelled!(
            "kind = \"evaluate\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }, { on = \"T4\", time = \"20h\" }]\n"
        ),
        verdict: Verdict::Cpu,
        says: &["latency does not matter"],
        silent: TRAIN,
    },
    Case {
        id: "B-K7",
        fires: "[[stage]]\nkind = \"serve\"\nrequests_per_second = 10\n\
                measured = [{ on = \"8 vCPU\", time = \"300ms\" }]\n",
        verdict: Verdict::Either,
        says: &["cost per month"],
        silent: TRAIN,
    },
    Case {
        id: "B-K8",
        fires: plain!("kind = \"batch\"\nmeasured = [{ on = \"8 vCPU\", time = \"2h\" }]\n"),
        verdict: Verdict::Cpu,
        says: &["higher clock and more memory"],
        silent: TRAIN,
    },
    Case {
        id: "B-K9",
        fires: "[[stage]]\nkind = \"transcode\"\nvideo = \"100h\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Gpu,
        says: &["hardware encoders"],
        silent: TRAIN,
    },
    Case {
        id: "A-L1",
        fires: "[data]\nsamples = 5_000\n[model]\nfamily = \"linear\"\nparams = 100\n\
                [[stage]]\nkind = \"train\"\nmeasured = [{ on = \"8 vCPU\", time = \"5m\" }]\n",
        verdict: Verdict::Cpu,
        says: &["a linear model on 5,000 rows (at most 10,000): minutes on a CPU"],
        silent: PREPARE,
    },
    Case {
        id: "A-L2",
        fires: TRAIN,
        verdict: Verdict::Gpu,
        says: &["1M samples above 100,000 and 25.56M parameters above 10M"],
        silent: PREPARE,
    },
    Case {
        id: "A-L3",
        // 8 h on 8 vCPU: 8 × 0.15 = 1.20 in far.
        fires: "urgency = \"experiment\"\n[data]\nsamples = 50_000\n[model]\nparams = \"1M\"\nfamily = \"cnn\"\n\
                batch_size = 32\n[[stage]]\nkind = \"train\"\nstartup = \"0s\"\n\
                measured = [{ on = \"8 vCPU\", time = \"8h\" }]\n",
        verdict: Verdict::Cpu,
        says: &["a CPU overnight will do; within 12 h: acme/cpu8 in far takes 8 h for 1.20 USD"],
        silent: PREPARE,
    },
    Case {
        id: "B-Q1",
        fires: TRAIN,
        verdict: Verdict::Gpu,
        says: &["it splits into 1,000,000 samples, all alike"],
        silent: PINNED,
    },
    Case {
        id: "B-Q2",
        fires: plain!(
            "kind = \"batch\"\nmigration_hours = 300\nmeasured = [{ on = \"8 vCPU\", time = \"2h\" }]\n"
        ),
        verdict: Verdict::Either,
        says: &["the GPU version is partial: porting takes 300 h"],
        silent: PINNED,
    },
    Case {
        id: "B-Q3",
        // 4 runs of 10 h in a month.
        fires: "load = \"steady\"\nruns_per_month = 4\n[data]\nsamples = 1_000_000\n[model]\n\
                architecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\nkind = \"train\"\nstartup = \"0s\"\n\
                measured = [{ on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Advice,
        says: &["compare a month or a reservation; 40 of 730 h a month"],
        silent: modelled!(
            "kind = \"train\"\npurchase = \"on-demand\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n"
        ),
    },
];
