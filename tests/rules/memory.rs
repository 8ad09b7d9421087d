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
            "micro_batch = 32 with accumulate = 8: 13.2 GB (12.3 GiB) (mixed precision too would allow 64); a T4 holds it",
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
        // 3.5 M × 4 × 33 = 462 MB (0.43 GiB) of 79.1 GiB.
        fires: "[data]\nsamples = 1_000_000\n[model]\nparams = \"3.5M\"\nfamily = \"cnn\"\nbatch_size = 32\n\
                optimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\ninstance = \"a100\"\nstartup = \"0s\"\n\
                measured = [{ on = \"A100-80GB\", time = \"1h\" }]\n",
        verdict: Verdict::Advice,
        says: &["0.4 GiB (quick figure) of the 79.1 GiB of a A100-80GB: 99 % of its memory is left unused"],
        silent: FULL_T4,
    },
];

/// What A-V3 says of a training with a model, next to a measured time on an A100.
fn ladder(model: &str, stage: &str) -> String {
    let work = format!(
        "[data]\nsamples = 1_000_000\n[model]\n{model}\n[[stage]]\nkind = \"train\"\nclass = \"gpu\"\n\
         measured = [{{ on = \"A100-80GB\", time = \"1h\" }}]\n{stage}"
    );
    let plan = super::planned(&work);
    super::findings(&plan, "A-V3").iter().map(|f| f.reason.clone()).collect()
}

#[test]
fn the_ladder_goes_in_its_order() {
    // 500 M × 4 × 9 = 18 GB against 15.68: 4 samples are 10 GB; with 16-bit arithmetic 8 samples are 9 GB.
    let batch = "params = \"500M\"\nfamily = \"cnn\"\nbatch_size = 8\noptimizer = \"sgd\"";
    let said = ladder(batch, "");
    assert!(said.contains("micro_batch = 4 with accumulate = 2: 10 GB"), "{said}");
    assert!(said.contains("(mixed precision too would allow 8); a T4 holds it"), "{said}");
    // With it on already there is nothing to do: half of 18 GB.
    let said = ladder(&format!("{batch}\nprecision = \"amp-fp16\""), "");
    assert!(said.contains("mixed precision is on, about half: 9 GB (8.4 GiB); a T4 holds it"), "{said}");
}

#[test]
fn mixed_precision_comes_after_the_smallest_batch() {
    // Adapters over 3 B frozen weights of 16 bits (6 GB): 3 B × 4 × 2 = 24 GB at one sample, half of it 12 GB.
    let lora = "params = \"3B\"\ntrainable_params = \"1M\"\nmode = \"lora\"\nfamily = \"transformer-decoder\"\n\
                seq_len = 512\nbatch_size = 4\noptimizer = \"sgd\"";
    let said = ladder(lora, "");
    let steps =
        ["micro_batch = 1 with accumulate = 4: 24 GB", "mixed precision at a micro-batch of 1: 12 GB"];
    let at: Vec<usize> =
        steps.iter().map(|s| said.find(s).unwrap_or_else(|| panic!("{s}: {said}"))).collect();
    assert!(at[0] < at[1] && said.contains("a T4 holds it"), "{said}");
}

#[test]
fn what_is_exactly_known_asks_for_a_larger_card() {
    // 2 B in full precision with plain SGD: 8 GB of weights and 8 GB of gradients, 14.9 GiB, whatever the batch.
    let large = "params = \"2B\"\nfamily = \"transformer-decoder\"\nseq_len = 512\nbatch_size = 1\noptimizer = \"sgd\"";
    let said = ladder(large, "");
    assert!(said.contains("at least 14.9 GiB whatever the batch"), "{said}");
    assert!(said.contains("only then a larger card: V100-16GB (15.8 GiB)"), "{said}");
}

#[test]
fn a_measurement_outranks_the_formula() {
    // Seen to take 20 GiB at 32 samples, of which 0.19 GiB are weights and gradients: half the samples take 10.1 GiB.
    let model = "params = \"25M\"\nfamily = \"cnn\"\nbatch_size = 32\noptimizer = \"sgd\"";
    let said = ladder(model, "measured_memory = \"20 GiB\"\n");
    assert!(said.contains("21.47 GB (20.0 GiB) (measured) against T4 (14.6 GiB)"), "{said}");
    assert!(said.contains("micro_batch = 16 with accumulate = 2: 10.84 GB (10.1 GiB)"), "{said}");
}

/// A ResNet-50 keeps about 85.7 MB per sample of 224 pixels in full precision (measured bytes of the zoo).
fn resnet50(batch: u32, precision: &str) -> plan::plan::Plan {
    super::planned(&format!(
        "[data]\nsamples = 1_000_000\n[model]\narchitecture = \"resnet50\"\nbatch_size = {batch}\n\
         precision = \"{precision}\"\noptimizer = \"sgd\"\n[[stage]]\nkind = \"train\"\nclass = \"gpu\"\n\
         measured = [{{ on = \"A100-80GB\", time = \"1h\" }}]\n"
    ))
}

#[test]
fn the_parts_of_a_known_architecture_overrule_the_formula() {
    // 25.56 M × 4 × 65 = 6.6 GB either way, 25.56 M × 4 × 257 = 26.3 GB; 16-bit activations of 256 samples are about half
    // of 256 × 85.7 MB: 11 GB.
    let plan = resnet50(256, "amp-fp16");
    let said = super::findings(&plan, "A-V2");
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].verdict, Verdict::Overruled);
    let reason = &said[0].reason;
    assert!(reason.starts_with("26.27 GB (24.5 GiB) (quick figure): between 16 and 40 GB"), "{reason}");
    assert!(reason.contains("(estimated from its parts): up to 16 GB: a T4 is enough"), "{reason}");
    // What both put between the same thresholds is told once.
    let plan = resnet50(64, "fp32");
    let said = super::findings(&plan, "A-V2");
    assert_eq!(said[0].verdict, Verdict::Advice);
    assert!(!said[0].reason.contains("quick figure"), "{said:?}");
}

#[test]
fn the_ladder_prices_the_t4_that_it_reaches() {
    // 512 × 85.7 MB = 44 GB and 256 × 85.7 MB = 22 GB are too much for 15.7 GB, 128 × 85.7 MB = 11 GB are not: the T4, which
    // is turned away as the stage stands, holds it in four passes, and its price stands beside that of the plan.
    let plan = resnet50(512, "fp32");
    assert_ne!(plan.stages[0].outcome.as_ref().unwrap().gpu.as_deref(), Some("T4"));
    let said = &super::findings(&plan, "A-V3")[0].reason;
    assert!(said.contains("micro_batch = 128 with accumulate = 4"), "{said}");
    assert!(said.contains("a T4 holds it; acme/t4 (T4) in far costs "), "{said}");
    assert!(said.contains(", the plan's A100-80GB "), "{said}");
}

/// What is warned of a training with so many samples at once and passes, on one A100.
fn uneven(micro: &str) -> Vec<String> {
    let plan = super::planned(&format!(
        "[data]\nsamples = 1_000_000\n[model]\nparams = \"25M\"\nfamily = \"cnn\"\nbatch_size = 128\n{micro}\n\
         [[stage]]\nkind = \"train\"\nmeasured = [{{ on = \"A100-80GB\", time = \"1h\" }}]\ninstance = \"a100\"\n"
    ));
    plan.notes.iter().filter(|n| n.rule == "A-V3").map(|n| n.text.clone()).collect()
}

#[test]
fn a_step_of_another_size_than_the_batch_is_warned_of() {
    // One device: 1 × 16 samples are 16 of 128, and 128 passes would be all; 1 × 128 are.
    assert_eq!(
        uneven("micro_batch = 1\naccumulate = 16"),
        ["micro_batch 1 × accumulate 16 × 1 GPU is 16 samples a step, not the batch_size of 128: \
          accumulate = 128 makes it so"]
    );
    assert_eq!(
        uneven("micro_batch = 3\naccumulate = 7"),
        ["micro_batch 3 × accumulate 7 × 1 GPU is 21 samples a step, not the batch_size of 128: \
          another micro_batch and accumulate would make it so"]
    );
    for even in
        ["micro_batch = 1\naccumulate = 128", "micro_batch = 2\naccumulate = 64", "accumulate = 16", ""]
    {
        assert_eq!(uneven(even), [""; 0], "{even}");
    }
}
