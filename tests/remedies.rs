//! What is advised where nothing has the memory for a stage, by what happens to who follows it.

use plan::catalog::Catalog;
use plan::diag::Diagnostics;
use plan::plan::Plan;
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::Date;

fn planned(text: &str) -> Plan {
    let catalog = Catalog::embedded();
    let mut diags = Diagnostics::new();
    let raw = workload::read(&Source::new("remedies.toml", text), &mut diags);
    let job = resolve(&raw, &Overrides::none(Date::new(2026, 11, 30).unwrap()), &catalog, &mut diags);
    plan::plan(&job.unwrap_or_else(|| panic!("{:?}\n{text}", diags.sorted())), &catalog)
}

/// The remedies for the memory of the only stage.
fn remedies(text: &str) -> Vec<String> {
    let plan = planned(text);
    let why = plan.stages[0].outcome.as_ref().unwrap_err();
    why.remedies.iter().filter(|r| r.starts_with("to fit the memory")).cloned().collect()
}

fn feasible(text: &str) -> bool {
    planned(text).stages[0].outcome.is_ok()
}

/// 7 B parameters; keys of the model, then of the stage.
fn work(model: &str, stage: &str) -> String {
    format!(
        "[data]\nsamples = 2_000\n[model]\narchitecture = \"llama-2-7b\"\nseq_len = 2048\n{model}\n[[stage]]\n{stage}\n"
    )
}

#[test]
fn each_remedy_of_an_adapter_training_makes_it_fit() {
    let model = "batch_size = 128\nprecision = \"bf16\"\nmode = \"lora\"";
    let train = "kind = \"train\"\nclass = \"gpu\"";
    assert_eq!(
        remedies(&work(model, train)),
        [
            "to fit the memory: micro_batch = 8 with accumulate = 16 ÷ number of GPUs, gradient_checkpointing = true or \
          sharding = \"zero3\" with instances = 2 and network = \"ethernet\" (or \"infiniband\", what joins them)"
        ]
    );
    assert!(feasible(&work(&format!("{model}\nmicro_batch = 8\naccumulate = 16"), train)));
    assert!(feasible(&work(&format!("{model}\ngradient_checkpointing = true"), train)));
    let joined = format!("{train}\ninstances = 2\nnetwork = \"ethernet\"");
    assert!(feasible(&work(&format!("{model}\nsharding = \"zero3\""), &joined)));
    // What is not told does not help: 16 at a time, four-bit weights, and two machines that nothing joins.
    assert!(!feasible(&work(&format!("{model}\nmicro_batch = 16\naccumulate = 8"), train)));
    assert!(!feasible(&work(&model.replace("lora", "qlora"), train)));
    assert!(!feasible(&work(&format!("{model}\nsharding = \"zero3\""), &format!("{train}\ninstances = 2"))));
}

#[test]
fn a_chain_holds_what_it_needs_and_no_more() {
    let model = "batch_size = 8\nprecision = \"fp16\"";
    let train = "kind = \"train\"\ngpu = \"T4\"";
    assert_eq!(
        remedies(&work(model, train)),
        ["to fit the memory, all of these together: gradient_checkpointing = true; mode = \"qlora\""]
    );
    let (recomputed, packed) = ("gradient_checkpointing = true", "mode = \"qlora\"");
    assert!(feasible(&work(&format!("{model}\n{recomputed}\n{packed}"), train)));
    assert!(!feasible(&work(&format!("{model}\n{recomputed}"), train)));
    assert!(!feasible(&work(&format!("{model}\n{packed}"), train)));
}

#[test]
fn an_inference_is_advised_nothing_that_only_training_has() {
    let evaluate = "kind = \"evaluate\"\ngpu = \"T4\"";
    let said = remedies(&work("batch_size = 1\nprecision = \"fp16\"", evaluate));
    assert_eq!(
        said,
        ["to fit the memory: precision = \"int8\" or sharding = \"tensor\" on a machine with several GPUs"]
    );
    assert!(feasible(&work("batch_size = 1\nprecision = \"int8\"", evaluate)));
    // 512 sequences keep 512 GiB of keys and values: an eighth of them on each of eight cards still is 64 GiB.
    let evaluate = "kind = \"evaluate\"\ngpu = \"A100-80GB\"";
    let said = remedies(&work("batch_size = 1024\nprecision = \"fp16\"", evaluate));
    assert!(said[0].starts_with("to fit the memory: micro_batch = "), "{said:?}");
    assert!(!said[0].contains("accumulate") && !said[0].contains("lora"), "{said:?}");
}

#[test]
fn where_nothing_helps_it_is_said() {
    // 405 B parameters in 4 bits are 200 GB: no T4 holds an adapter training of them, however it is cut.
    let text = "[data]\nsamples = 2_000\n[model]\nparams = \"405B\"\nfamily = \"transformer-decoder\"\nseq_len = 2048\n\
        batch_size = 1\nmode = \"qlora\"\nsharding = \"zero1\"\n[[stage]]\nkind = \"train\"\ngpu = \"T4\"\n";
    let said = remedies(text);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("to fit the memory: a smaller model or a larger card"), "{said:?}");
}
