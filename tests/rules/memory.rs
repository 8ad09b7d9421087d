//! Memory of one GPU.

use super::Case;
use plan::rules::Verdict;

/// A training of 25 M parameters at 32 samples on a T4: 25 M × 4 × 33 = 3.3 GB.
pub(super) const ON_T4: &str = "[data]\nsamples = 1_000_000\n[model]\nparams = \"25M\"\nfamily = \"cnn\"\n\
    batch_size = 32\noptimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n";

/// 100 M parameters at 32 samples: 100 M × 4 × 33 = 13.2 GB, 84 % of a T4.
const FULL_T4: &str = "[data]\nsamples = 1_000_000\n[model]\nparams = \"100M\"\nfamily = \"cnn\"\n\
    batch_size = 32\noptimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\nmeasured = [{ on = \"T4\", time = \"10h\" }]\n";

const ON_CPU: &str = "[data]\nsamples = 1_000\n[[stage]]\nkind = \"prepare\"\nmeasured = [{ on = \"8 vCPU\", time = \"1h\" }]\n";

const EVALUATE: &str = "[data]\nsamples = 1_000_000\n[model]\nparams = \"25M\"\nfamily = \"cnn\"\n\
    batch_size = 32\n[[stage]]\nkind = \"evaluate\"\nclass = \"gpu\"\nmeasured = [{ on = \"T4\", time = \"1h\" }]\n";

pub(super) const CASES: &[Case] = &[
    Case {
        id: "A-V1",
        // Weights and gradients of 100 MB each are exactly known: 95 MiB each, 191 MiB in all.
        fires: ON_T4,
        verdict: Verdict::Advice,
        says: &[
            "25M parameters × 4 bytes × (32 samples + 1 for gradients) = 3.3 GB (3.1 GiB)",
            "exactly known at least 0.2 GiB (weights 95 MiB, gradients 95 MiB, states 0 MiB)",
            "counts a copy of the parameters per sample",
        ],
        silent: ON_CPU,
    },
    Case {
        id: "A-V2",
        fires: ON_T4,
        verdict: Verdict::Advice,
        says: &["up to 16 GB: a T4 is enough; smallest card that holds it: T4 (14.6 GiB)"],
        silent: ON_CPU,
    },
    Case {
        id: "A-V3",
        // 100 M × 4 × 257 = 102.8 GB; 14.6 GiB are 15.68 GB: halved to 128, 64 (26 GB) and 32 samples, 13.2 GB.
        fires: "[data]\nsamples = 1_000_000\n[model]\nparams = \"100M\"\nfamily = \"cnn\"\nbatch_size = 256\n\
                optimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\nstartup = \"0s\"\n\
                measured = [{ on = \"A100-80GB\", time = \"30m\" }, { on = \"V100-16GB\", time = \"4h\" },\n\
                { on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Advice,
        says: &[
            "102.8 GB (95.7 GiB) (quick figure) against T4 (14.6 GiB)",
            "micro_batch = 32 with accumulate = 8: 13.2 GB (12.3 GiB); a T4 holds it",
            // 10 h × 0.40 against half an hour × 6.00.
            "acme/t4 (T4) in far costs 4.00 USD in 10 h, the plan's A100-80GB 3.00 USD in 30 min",
        ],
        silent: ON_T4,
    },
    Case {
        id: "A-V4",
        fires: "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = 32\n[[stage]]\n\
                kind = \"train\"\nstartup = \"0s\"\n\
                measured = [{ on = \"V100-16GB\", time = \"4h\" }, { on = \"T4\", time = \"10h\" }]\n",
        verdict: Verdict::Overruled,
        says: &[
            "resnet50 has 25.56M parameters, more than 10M: of the ResNet class, so V100",
            "acme/v100 (V100-16GB) in near costs 8.00 USD and T4 4.00 USD",
        ],
        silent: EVALUATE,
    },
    Case {
        id: "A-V5",
        // 3.505 M × 4 × 33 = 463 MB (0.43 GiB) of 79.1 GiB.
        fires: "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"mobilenet_v2\"\nbatch_size = 32\n\
                optimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\ninstance = \"a100\"\nstartup = \"0s\"\n\
                measured = [{ on = \"A100-80GB\", time = \"1h\" }]\n",
        verdict: Verdict::Advice,
        says: &["0.4 GiB (quick figure) of the 79.1 GiB of a A100-80GB: 99 % of its memory is left unused"],
        silent: FULL_T4,
    },
];
