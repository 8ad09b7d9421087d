//! Time of one estimate, and of many cases in one process.

use plan::cli::vram::cases;
use plan::diag::Diagnostics;
use plan::read::Source;
use plan::vram::{Request, describe, estimate};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "how a benchmark speaks")]
fn main() {
    for (name, checkpointing) in [
        ("llama-3-8b", false),
        ("llama-3-8b", true),
        ("bert-base", false),
        ("t5-base", false),
        ("resnet50", false),
    ] {
        let Some(found) = describe::named(name) else { continue };
        let mut request = Request::new(found.subject, found.family, found.basis);
        request.checkpointing = checkpointing;
        let rounds = 20_000_u32;
        let begin = Instant::now();
        for batch in 0..rounds {
            request.batch = f64::from(batch % 64 + 1);
            black_box(estimate(black_box(&request)));
        }
        let each = begin.elapsed() / rounds;
        println!("one estimate: {name}{}: {each:?}", if checkpointing { ", recomputed" } else { "" });
    }
    let mut table = String::from("id,model,batch_size,seq_len,precision,optimizer,grad_checkpointing,mode\n");
    let models = [
        "llama-3-8b",
        "bert-base-cls",
        "gpt2-xl",
        "resnet50",
        "qwen2.5-7b",
        "t5-base",
        "vit_b_16",
        "opt-1.3b",
    ];
    for id in 0_usize..100_000 {
        let model = models[id % models.len()];
        let (batch, length) = (1 + id % 61, 64 + id % 1931);
        let precision = ["fp32", "amp-bf16", "pure-bf16"][id % 3];
        let recomputed = if id % 5 == 0 { "yes" } else { "no" };
        let _ = writeln!(table, "{id},{model},{batch},{length},{precision},adamw,{recomputed},train");
    }
    let begin = Instant::now();
    let mut out = Vec::new();
    let answered = cases::answer(&Source::new("cases.csv", table), &mut out, &mut Diagnostics::new());
    println!("100,000 cases: {:?} ({} bytes out, {})", begin.elapsed(), out.len(), answered.is_ok());
}
