//! What a measurement says about the whole stage.

use super::job;
use plan::job::{MeasuredOn, Per};

/// Hours of the whole stage for one measurement in a stage of 1,000 samples.
fn hours(stage: &str, measured: &str) -> f64 {
    let job = job(&format!(
        "[data]\nsamples = 1000\n[model]\nparams = \"124M\"\nfamily = \"transformer-decoder\"\nseq_len = 128\n\
         batch_size = 8\n[[stage]]\n{stage}\nmeasured = [{measured}]\n"
    ));
    let [one] = job.stages[0].measured.as_slice() else { panic!() };
    one.time.get()
}

#[test]
fn the_whole_stage_follows_from_what_was_timed() {
    let train = "kind = \"train\"\nepochs = 4";
    let tune = "kind = \"tune\"\nepochs = 4\ntrials = 10";
    for (stage, measured, expected) in [
        (train, "{ on = \"T4\", time = \"2h\" }", 2.0),
        (train, "{ on = \"T4\", time = \"2h\", per = \"stage\" }", 2.0),
        (train, "{ on = \"T4\", time = \"2h\", per = \"epoch\" }", 8.0),
        // 1,000 samples × 4 epochs × 0.9 s.
        (train, "{ on = \"T4\", time = \"900ms\", per = \"item\" }", 1.0),
        (train, "{ on = \"T4\", rate = \"4000/h\" }", 1.0),
        (train, "{ on = \"T4\", rate = \"10 images/s\" }", 400.0 / 3600.0),
        // 1,280 tokens are 10 sequences of 128.
        (train, "{ on = \"T4\", rate = \"1280 tokens/s\" }", 400.0 / 3600.0),
        (tune, "{ on = \"T4\", time = \"1h30m\" }", 15.0),
        (tune, "{ on = \"T4\", time = \"1h30m\", per = \"stage\" }", 1.5),
        (tune, "{ on = \"T4\", time = \"30m\", per = \"epoch\" }", 20.0),
        (tune, "{ on = \"T4\", rate = \"10/s\" }", 4000.0 / 3600.0),
        ("kind = \"prepare\"", "{ on = \"8 vCPU\", time = \"3.6s\", per = \"item\" }", 1.0),
    ] {
        let found = hours(stage, measured);
        assert!((found - expected).abs() < 1e-9, "{measured}: {found} instead of {expected}");
    }
}

#[test]
fn machines_are_told_apart() {
    let job = job("
[[stage]]
kind = \"prepare\"
measured = [
  { on = \"aws/c5.2xlarge\", time = \"1h\" },
  { on = \"c5.2xlarge\", time = \"1h\", instances = 2 },
  { on = \"8xA100-80GB\", time = \"1h\" },
  { on = \"Tesla T4\", time = \"1h\" },
  { on = \"8 vCPU\", time = \"1h\" },
  { on = \"16vcpus\", time = \"1h\" },
]
");
    let cards = &super::catalog().accelerators;
    let on: Vec<String> = job.stages[0]
        .measured
        .iter()
        .map(|m| match &m.on {
            MeasuredOn::Instance { provider, instance } => {
                format!("{}/{instance} × {}", provider.as_deref().unwrap_or("?"), m.instances)
            }
            MeasuredOn::Gpu { accelerator, count } => format!("{count} {}", cards.name(*accelerator)),
            MeasuredOn::Vcpus(n) => format!("{n} vCPU"),
        })
        .collect();
    assert_eq!(on, ["aws/c5.2xlarge × 1", "aws/c5.2xlarge × 2", "8 A100-80GB", "1 T4", "8 vCPU", "16 vCPU"]);
    assert!(job.stages[0].measured.iter().all(|m| m.per == Per::Stage));
}
