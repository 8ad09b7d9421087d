//! Cost, mixed pool and use.

use super::Case;
use plan::rules::Verdict;

/// A training of 10 epochs in 10 h on a T4, with what else is stated.
macro_rules! train {
    ($head:literal, $stage:literal) => {
        concat!(
            $head,
            "[data]\nsamples = 100_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n",
            "[[stage]]\nkind = \"train\"\nepochs = 10\nstartup = \"0s\"\n",
            "measured = [{ on = \"T4\", time = \"10h\" }, { on = \"8 vCPU\", time = \"100h\" }]\n",
            $stage
        )
    };
}

/// A serial job of 2 h on a CPU (0.30) that a port would bring to half an hour on a T4 (0.20).
macro_rules! batch {
    ($head:literal, $stage:literal) => {
        concat!(
            $head,
            "[[stage]]\nkind = \"batch\"\nstartup = \"0s\"\npurchase = \"on-demand\"\n",
            "measured = [{ on = \"8 vCPU\", time = \"2h\" }, { on = \"T4\", time = \"30m\" }]\n",
            $stage
        )
    };
}

const TRAIN: &str = train!("", "");
const PREPARE: &str = "[data]\nsamples = 1_000\n[[stage]]\nkind = \"prepare\"\nstartup = \"0s\"\n\
    purchase = \"on-demand\"\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n";
const TWO: &str = "[data]\nsamples = 100_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n\
    [[stage]]\nkind = \"prepare\"\nstartup = \"0s\"\npurchase = \"on-demand\"\n\
    parallel_share = 1.0\nmeasured = [{ on = \"8 vCPU\", time = \"10h\" }]\n\
    [[stage]]\nkind = \"train\"\nafter = [\"prepare\"]\nstartup = \"0s\"\n\
    measured = [{ on = \"T4\", time = \"10h\" }, { on = \"A100-80GB\", time = \"1h\" }, { on = \"8 vCPU\", time = \"100h\" }]\n";

pub(super) const CASES: &[Case] = &[
    Case {
        id: "B-C1",
        fires: TRAIN,
        verdict: Verdict::Gpu,
        says: &[
            "CPU 15.00 USD per finished task: acme/cpu8 in far at 0.15/h for 4 d 4 h",
            "GPU 4.00 USD per finished task: acme/t4 (T4) in far at 0.40/h for 10 h",
        ],
        silent: PREPARE,
    },
    Case {
        id: "B-C2",
        // 300 h × 80 = 24,000; a run saves 0.10: 240,000 runs, at 100 a month 2,400 months.
        fires: batch!("labour_per_hour = \"80 USD\"\nruns_per_month = 100\n", "migration_hours = 300\n"),
        verdict: Verdict::Cpu,
        says: &[
            "porting takes 300 h × 80.00 USD = 24,000.00 USD, paid once",
            "a run costs 0.30 USD on a CPU and 0.20 USD on a GPU: it pays after 240,000 runs, 2400 months at 100 a month",
            // 24,000 ÷ 1,200 runs = 20 on top of 0.20.
            "spread over those a GPU run costs 20.20 USD",
        ],
        silent: batch!("labour_per_hour = \"80 USD\"\nruns_per_month = 100\n", ""),
    },
    Case {
        id: "B-C3",
        // 5 h of start-up before 10 h of work: 15 h × 0.40 = 6.00.
        fires: "[data]\nsamples = 100_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n\
                [[stage]]\nkind = \"train\"\ninstance = \"t4\"\nstartup = \"5h\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Advice,
        says: &["33 % of 15 h paid is start-up", "would cost about 4.00 USD instead of 6.00 USD"],
        silent: TRAIN,
    },
    Case {
        id: "A-C4",
        // 7 × 24 × 0.40 = 67.20.
        fires: train!("limits = { budget = \"100 USD\" }\n", ""),
        verdict: Verdict::Advice,
        says: &[
            "alarms at 50.00, 80.00 and 100.00 USD (50 %, 80 % and 100 % of the budget)",
            "acme/t4 forgotten for 7 d costs 67.20 USD",
        ],
        silent: train!("", "purchase = \"month\"\n"),
    },
    Case {
        id: "B-C5",
        // 3 × 224 × 224 × 4 = 602,112 bytes ÷ 12 GB/s = 50.2 µs; 36,000 s ÷ 1,000,000 samples = 36 ms.
        fires: TRAIN,
        verdict: Verdict::Advice,
        says: &["602.1 kB per sample ÷ 12 GB/s = 50.2 µs beside 36 ms of computing on each device: 0.14 %"],
        silent: PREPARE,
    },
    Case {
        id: "B-C6",
        fires: train!("currency = \"CNY\"\n", ""),
        verdict: Verdict::Advice,
        says: &["prices in USD are converted at"],
        silent: TRAIN,
    },
    Case {
        id: "B-C7",
        // 4 × 15.00 and 4 × 4.00.
        fires: train!("runs_per_month = 4\n", ""),
        verdict: Verdict::Gpu,
        says: &["per month (4 runs): CPU 60.00 USD, GPU 16.00 USD; GPU saves 44.00 USD (73 %)"],
        silent: TRAIN,
    },
    Case {
        id: "B-C8",
        fires: "[data]\nsamples = 100_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\n\
                kind = \"train\"\n",
        verdict: Verdict::Advice,
        says: &["taken from published runs", "give measured = [{ on ="],
        silent: TRAIN,
    },
    Case {
        id: "A-M1",
        // Two machines: 1.50 and 4.00. All on the A100 at 6.00: 10 min of start-up, 10 h × 8 ÷ 12 of preparation and 1 h.
        fires: TWO,
        verdict: Verdict::Advice,
        says: &[
            "1 × acme/cpu8, 1 × acme/t4 (T4) for 5.50 USD; everything on one acme/a100 (A100-80GB) for 46.00 USD",
        ],
        silent: TRAIN,
    },
    Case {
        id: "A-M2",
        // 4.00 of 5.50.
        fires: TWO,
        verdict: Verdict::Advice,
        says: &["73 % of the cost is GPU, 27 % general instances; 70 % and 30 % is usual"],
        silent: TRAIN,
    },
    Case {
        id: "A-U1",
        // 70 % of 4.00.
        fires: train!("", "gpu_utilisation = 0.3\n"),
        verdict: Verdict::Advice,
        says: &["gpu_utilisation is 30 %, below 50 %", "the idle share costs 2.80 USD of 4.00 USD"],
        silent: TRAIN,
    },
    Case {
        id: "A-U2",
        // 100,000 × 0.1 s ÷ 4 vCPUs = 2,500 s of an epoch of 3,600 s: 69 %; 4 × 0.694 ÷ 0.5 = 5.6.
        fires: train!("", "decode = \"100ms\"\n"),
        verdict: Verdict::Advice,
        says: &[
            "takes 42 min for an epoch, training one 1 h: 69 %, above 50 %: 6 vCPUs instead of 4 would keep to it",
        ],
        silent: TRAIN,
    },
    Case {
        id: "A-U3",
        // 10 h × 0.3 ÷ 0.8 = 3 h 45 min; 1.50 of 4.00.
        fires: TRAIN,
        verdict: Verdict::Advice,
        says: &[
            "raw files 30 %, prepared ones 80 % is usual",
            "would take 3 h 45 min for 1.50 USD instead of 10 h for 4.00 USD",
        ],
        silent: train!("", "gpu_utilisation = 0.9\n"),
    },
    Case {
        id: "A-U4",
        fires: TRAIN,
        verdict: Verdict::Advice,
        says: &["on acme/t4: `nvidia-smi dmon"],
        silent: PREPARE,
    },
];
