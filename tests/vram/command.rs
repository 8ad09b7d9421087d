//! `plan vram` as it is typed.

use plan::cli::{Env, Exit, run};
use plan::units::Date;

fn plan(words: &str) -> (Exit, String, String) {
    let env = Env { today: Date::new(2026, 1, 1).unwrap(), width: None, color: false };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["plan", "vram"].into_iter().chain(words.split_whitespace()).map(Into::into);
    let exit = run(args, &env, &mut out, &mut err);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn answers_with_three_numbers_components_cards_and_ladder() {
    let (exit, out, err) = plan("--architecture resnet50 --batch-size 32 --optimizer sgd-momentum");
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    for part in
        ["allocated     2.8 GiB", "needed", "shown", "Peak in the backward pass", "A-V1", "T4", "Ladder"]
    {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert_eq!(out, plan("--architecture resnet50 --batch-size 32 --optimizer sgd-momentum").1);
}

#[test]
fn a_card_that_is_too_small_is_an_answer_of_no() {
    let (exit, out, _) = plan("--architecture llama-3-8b --gpu T4");
    assert_eq!(exit, Exit::No);
    assert!(out.contains("Does not fit on T4") && out.contains("not even one sample fits"), "{out}");
    let (exit, out, _) = plan("--architecture resnet50 --batch-size 32 --gpu T4");
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("Fits on T4") && out.contains("the largest batch that fits is"), "{out}");
}

#[test]
fn json_holds_bytes_as_whole_numbers_that_add_up() {
    let (exit, out, _) = plan("--architecture gpt2 --batch-size 4 --seq-len 256 --format json --gpu T4");
    assert_eq!(exit, Exit::Done);
    let v: serde_json::Value = serde_json::from_str(&out).unwrap();
    let total = v["total_bytes"].as_u64().unwrap();
    let parts: u64 = v["components_bytes"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert!(parts.abs_diff(total) <= 8, "{parts} {total}");
    assert!(v["low_bytes"].as_u64().unwrap() < total && total < v["high_bytes"].as_u64().unwrap());
    assert_eq!(v["gpu"]["fits"], true);
}

#[test]
fn bad_input_is_one_message_and_exit_two() {
    for (words, part) in [
        ("", "what model?"),
        ("--architecture resnt50", "did you mean `resnet-50`"),
        ("--architecture gpt2 --seq-len 0", "the sequence length is 0"),
        ("--architecture gpt2 --mode lora --lora-rank -1", "--lora-rank"),
        ("--architecture gpt2 --mode lora --lora-rank 0", "rank of the adapters is 0"),
        ("--architecture gpt2 --batch-size -2", "--batch-size"),
        ("--architecture gpt2 --precision fp8", "allowed: fp32"),
        ("--architecture gpt2 --precision int8", "cannot be trained"),
        ("--architecture resnet50 --mode lora", "for transformers only"),
        ("--architecture gpt2 --gpu H1000", "`--gpu` is \"H1000\": no such accelerator in the catalog"),
        (
            "--architecture gpt2 --batch-size 1e300",
            "the batch size is 1e300; allowed: from 1 to 1,000,000,000",
        ),
        ("--architecture gpt2 --seq-len 1e20", "the sequence length is 1e20; allowed: from 1 to 100,000,000"),
        ("--architecture gpt2 --mode lora --lora-rank 1e9", "allowed: from 1 to 1,000,000"),
        ("--architecture gpt2 --gpus 1e9", "allowed: from 1 to 100,000"),
        ("--params 1e300", "the number of parameters is 1e300; allowed: from 1 to 1,000,000,000,000,000"),
        (
            "--params 1B --family cnn --image-size 1e300",
            "the edge of the image is 1e300; allowed: from 1 to 100,000",
        ),
        ("--architecture gpt2 --batch-size 1e9 --seq-len 1e8", "more memory than can be counted"),
        ("--params 7b", "did you mean `--params 7B`"),
        ("--config /nowhere/config.json", "no such file"),
        ("--cases /nowhere/cases.csv", "no such file"),
    ] {
        let (exit, out, err) = plan(words);
        assert_eq!(exit, Exit::Bad, "{words}");
        assert_eq!(out, "", "{words}");
        assert_eq!(err.lines().count(), 1, "{words}: {err}");
        assert!(err.contains(part), "{words}: {err}");
    }
}

#[test]
fn configurations_name_what_they_lack() {
    let folder = std::env::temp_dir().join(format!("plan-vram-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let ask = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        plan(&format!("--config {} --seq-len 128", path.display()))
    };
    let whole = r#"{"model_type":"llama","hidden_size":512,"num_hidden_layers":4,"num_attention_heads":8,"intermediate_size":1024,"vocab_size":1000}"#;
    let (exit, out, err) = ask("whole.json", whole);
    assert_eq!((exit, err.as_str()), (Exit::Done, ""), "{out}");
    for (name, from, to, part) in [
        ("lack.json", r#""hidden_size":512,"#, "", "lacks `hidden_size`"),
        (
            "lacks.json",
            r#""num_hidden_layers":4,"num_attention_heads":8,"#,
            "",
            "lacks `num_attention_heads`",
        ),
        ("heads.json", r#""num_attention_heads":8"#, r#""num_attention_heads":7"#, "not a multiple"),
        ("zero.json", r#""num_attention_heads":8"#, r#""num_attention_heads":0"#, "is 0; allowed"),
        ("json.json", "{", "[", "not valid JSON"),
    ] {
        let (exit, _, err) = ask(name, &whole.replacen(from, to, 1));
        assert_eq!(exit, Exit::Bad, "{name}");
        let lines = if name == "lacks.json" { 2 } else { 1 };
        assert!(err.contains(part) && err.lines().count() == lines, "{name}: {err}");
    }
    // One line per mistake, each at its key; of a model of images and text in the part for text.
    let text = "{\n  \"vision_config\": {\"n_head\": 1},\n  \"text_config\": {\n    \"model_type\": \"llama\",\n    \
                \"hidden_size\": 512, \"n_layer\": \"many\",\n    \"n_head\": 0, \"vocab_size\": 1000\n  }\n}";
    let (exit, _, err) = ask("places.json", text);
    assert_eq!(exit, Exit::Bad);
    let places = folder.join("places.json").display().to_string();
    let allowed = "allowed: a whole number from 1 to 1,000,000,000";
    assert_eq!(
        err,
        format!(
            "{places}:5:25: error[bad-value]: `n_layer` is \"many\"; {allowed}\n\
             {places}:6:5: error[bad-value]: `n_head` is 0; {allowed}\n"
        )
    );
    let path = folder.join("cut.safetensors");
    std::fs::write(&path, [255, 0, 0, 0, 0, 0, 0, 0, b'{']).unwrap();
    let (exit, _, err) = plan(&format!("--config {}", path.display()));
    assert_eq!(exit, Exit::Bad);
    assert!(err.contains("cut off") && err.lines().count() == 1, "{err}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn cases_answer_row_by_row() {
    let folder = std::env::temp_dir().join(format!("plan-vram-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("cases.csv");
    std::fs::write(
        &path,
        "id,model,family,params,batch_size,seq_len,precision,optimizer,mode,unknown\n\
         a,gpt2,decoder,124439808,4,512,amp-bf16,adamw,train,1\n\
         b,nonsense,,,4,512,fp32,adamw,train,1\n\
         c,,cnn,25.6M,8,,fp32,sgd,train,1\n\
         d,gpt2,decoder,,4,0,fp32,adamw,train,1\n",
    )
    .unwrap();
    let (exit, out, err) = plan(&format!("--cases {}", path.display()));
    // Mistakes are told with their places, and what is not used; every row keeps its place in the answer.
    assert_eq!(exit, Exit::Bad);
    let shown = path.display();
    let told: Vec<&str> = err.lines().collect();
    assert_eq!(told.len(), 3, "{err}");
    assert_eq!(told[0], format!("{shown}:1:68: warning[unknown-key]: column \"unknown\" is not used"));
    assert!(
        told[1].starts_with(&format!(
            "{shown}:3:3: error[unknown-name]: no architecture is called \"nonsense\""
        ))
    );
    assert!(
        told[2].starts_with(&format!("{shown}:5:3: error[bad-value]: the sequence length is 0")),
        "{err}"
    );
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "id,allocated_bytes,low_bytes,high_bytes,needed_bytes,shown_bytes,phase,message");
    assert_eq!(lines.len(), 5);
    let row: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(row[0], "a");
    assert!(row[1..6].iter().all(|n| n.parse::<u64>().is_ok()), "{row:?}");
    assert!(lines[2].starts_with("b,,,,,,,") && lines[2].contains("nonsense"));
    assert!(lines[3].contains("rough"));
    assert!(lines[4].starts_with("d,,,,,,,") && lines[4].contains("sequence length is 0"));
    let good = "id,model,batch_size,seq_len\na,gpt2,4,512\n";
    std::fs::write(&path, good).unwrap();
    let (exit, out, err) = plan(&format!("--cases {shown}"));
    assert_eq!((exit, err.as_str(), out.lines().count()), (Exit::Done, "", 2));
    // All mistakes of a row at once.
    std::fs::write(&path, good.replace("a,gpt2,4,512", "a,gpt2,x,-1")).unwrap();
    let (exit, _, err) = plan(&format!("--cases {shown}"));
    assert_eq!((exit, err.lines().count()), (Exit::Bad, 2), "{err}");
    assert!(err.contains(":2:8: error[bad-value]: `batch_size` is \"x\"; allowed: a number"), "{err}");
    assert!(err.contains(":2:10: error[bad-value]: `seq_len` is \"-1\"; allowed: a number"), "{err}");
    std::fs::write(&path, "model,batch_size\n\n").unwrap();
    let (exit, out, err) = plan(&format!("--cases {shown}"));
    assert_eq!((exit, out.lines().count()), (Exit::Done, 1));
    assert_eq!(err, format!("{shown}:1:1: warning[missing-key]: no row stands below the header\n"));
    // Without a column that names a model, or a header at all, nothing is answered.
    for text in ["", "id,batch_size\na,4\n", "model,model,batch_size\ngpt2,gpt2,4\n"] {
        std::fs::write(&path, text).unwrap();
        let (exit, out, err) = plan(&format!("--cases {shown}"));
        assert_eq!((exit, out.as_str(), err.lines().count()), (Exit::Bad, "", 1), "{err}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn measured_memory_of_a_workload_outranks_the_estimate() {
    let path = std::env::temp_dir().join(format!("plan-vram-seen-{}.toml", std::process::id()));
    let text = "[data]\nsamples = 1000\n[model]\narchitecture = \"bert-large\"\nbatch_size = 64\nseq_len = 512\n[[stage]]\nname = \"train\"\nkind = \"train\"\nepochs = 1\n";
    std::fs::write(&path, text).unwrap();
    let ask = || plan(&format!("{} --gpu A10 --today 2026-11-30", path.display()));
    assert_eq!(ask().0, Exit::No, "estimated at about 73 GiB");
    std::fs::write(&path, format!("{text}measured_memory = \"21 GiB\"\n")).unwrap();
    let (exit, out, _) = ask();
    assert_eq!(exit, Exit::Done, "{out}");
    assert!(out.contains("needed is what was seen"), "{out}");
    std::fs::remove_file(&path).unwrap();
}

/// Adapters over 7 B in 16 bits, 2 samples at a time of 128, and an evaluation with the same model.
const ADAPTERS: &str = "[data]\nsamples = 52_000\n[model]\narchitecture = \"llama-2-7b\"\nbatch_size = 128\n\
    micro_batch = 2\naccumulate = 64\nseq_len = 2048\nprecision = \"bf16\"\nmode = \"lora\"\n[[stage]]\n\
    name = \"tune\"\nkind = \"train\"\n[[stage]]\nname = \"evaluate\"\nkind = \"evaluate\"\nsamples = 2000\n";

#[test]
fn an_evaluation_runs_what_the_micro_batch_says_and_both_commands_say_the_same() {
    let path = std::env::temp_dir().join(format!("plan-vram-micro-{}.toml", std::process::id()));
    std::fs::write(&path, ADAPTERS).unwrap();
    let (exit, out, err) = plan(&format!("{} --stage evaluate --today 2026-11-30", path.display()));
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(out.contains("inference in bf16, 2 at a time"), "{out}");
    assert!(out.contains("note: micro_batch = 2: so many samples run at once"), "{out}");
    // 6.738 B × 4 bytes × 2 samples = 53.9 GB, no gradient: 50.2 GiB; with one in training: 75.3 GiB.
    assert!(out.contains("parameters × 4 × batch: 50.2 GiB"), "{out}");
    let (_, out, _) = plan(&format!("{} --stage tune --today 2026-11-30", path.display()));
    assert!(out.contains("parameters × 4 × (batch + 1): 75.3 GiB"), "{out}");
    let env = Env { today: Date::new(2026, 11, 30).unwrap(), width: Some(400), color: false };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run(["plan".into(), path.clone().into(), "--explain".into()], &env, &mut out, &mut err);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("6.738B parameters × 4 bytes × 2 samples = 53.91 GB (50.2 GiB)"), "{out}");
    assert!(out.contains("(2 samples + 1 for gradients) = 80.86 GB (75.3 GiB)"), "{out}");
    assert!(out.contains("evaluate.micro_batch = 2 (line 6)"), "{out}");
    assert!(
        !out.contains("evaluate.accumulate") && !out.contains("evaluate.gradient_checkpointing"),
        "{out}"
    );
    // Without it the whole batch runs at once, which is said.
    std::fs::write(&path, ADAPTERS.replace("micro_batch = 2\naccumulate = 64\n", "")).unwrap();
    let (_, out, _) = plan(&format!("{} --stage evaluate --today 2026-11-30", path.display()));
    assert!(out.contains("128 at a time"), "{out}");
    assert!(out.contains("note: all of batch_size = 128 runs at once"), "{out}");
    std::fs::remove_file(&path).unwrap();
}

/// The rungs of a text's ladder.
fn rungs(out: &str) -> Vec<&str> {
    out.lines().skip_while(|line| !line.starts_with("Ladder")).skip(1).take_while(|l| !l.is_empty()).collect()
}

#[test]
fn the_columns_of_the_ladder_do_not_collide_and_adapters_say_that_they_take_16_bits() {
    let (_, out, _) = plan("--architecture llama-2-7b --batch-size 8 --seq-len 2048");
    let lines = rungs(&out);
    assert!(lines.iter().any(|l| l.contains("mixed precision") && l.ends_with("does not help")), "{out}");
    assert!(lines.iter().any(|l| l.starts_with("  LoRA with mixed precision  ")), "{out}");
    assert!(lines.iter().any(|l| l.starts_with("  QLoRA  ")), "{out}");
    // The last column begins at the same place in each line, behind two spaces.
    let ends = lines.iter().map(|line| {
        let card = line.rsplit("  ").next().unwrap_or_default();
        line.chars().count() - card.chars().count()
    });
    let mut ends: Vec<usize> = ends.collect();
    ends.dedup();
    assert_eq!(ends.len(), 1, "{out}");
    // An inference is tried with one sample too.
    let (_, out, _) = plan("--architecture llama-2-7b --mode inference --precision bf16 --batch-size 8");
    assert!(rungs(&out).iter().any(|l| l.starts_with("  one sample at a time  ")), "{out}");
}
