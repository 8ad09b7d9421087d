//! What good files resolve to: precedence, inheritance, tokens, places, money, the graph.

use super::{job, resolved, setting, today};
use plan::job::{Class, Location, Purchase, Stage};
use plan::model::{Family, Mode, Optimizer, Precision};
use plan::resolve::Overrides;
use plan::thresholds::Threshold;
use plan::units::{Amount, Bytes, Currency, Hours, Quantity};

const IMAGES: &str = "
name = \"image-classification\"
urgency = \"online\"
runs_per_month = 4
labour_per_hour = \"60 EUR\"
[limits]
budget = \"400 USD\"
monthly_budget = \"670.778353 CNY\"
deadline = \"1d6h\"
[data]
samples = 1_281_167
size = \"147 GB\"
location = \"aws/us-east-1\"
[model]
architecture = \"resnet50\"
batch_size = 256
precision = \"amp\"
optimizer = \"sgd-momentum\"
[where]
providers = [\"gcp\", \"aws\"]
regions = [\"aws/us-east-1\", \"us-central1\"]
excluded = [\"p3.2xlarge\", \"gcp/us-west1\"]
discounts = { aws = 0.15 }
[rules]
linear_max_samples = 5_000
[[stage]]
name = \"train\"
kind = \"train\"
after = [\"prepare\", \"prepare\"]
epochs = 90
measured = [{ on = \"T4\", time = \"50h\" }]
checkpoint = { every = \"20m\", takes = \"30s\" }
[[stage]]
name = \"prepare\"
kind = \"prepare\"
urgency = \"experiment\"
samples = 1_000_000
output = \"140 GB\"
instances = 4
min_memory = \"16 GiB\"
min_vcpus = 8
class = \"cpu\"
measured = [{ on = \"aws/c5.2xlarge\", time = \"6h30m\" }]
[[stage]]
name = \"tune\"
kind = \"tune\"
after = [\"prepare\"]
trials = 24
epochs = 3
purchase = \"spot\"
gpu = \"Tesla T4\"
measured_memory = \"9.5 GiB\"
model = { batch_size = 64 }
";

#[test]
fn a_whole_file_resolves() {
    let job = job(IMAGES);
    assert_eq!(
        (job.name.as_str(), job.currency, job.runs_per_month),
        ("image-classification", Currency::USD, Some(4.0))
    );
    assert_eq!(job.limits.budget.unwrap().amount(), "400.00");
    // 670.778353 CNY at 6.70778353 CNY per USD.
    assert_eq!(job.limits.monthly_budget.unwrap().amount(), "100.00");
    assert_eq!(job.limits.deadline, Some(Hours::new(30.0)));
    // 60 EUR at 0.88022588 EUR per USD.
    assert_eq!(job.labour_per_hour.unwrap().amount(), "68.16");
    assert_eq!(job.data_location, Some(Location { provider: "aws".into(), region: "us-east-1".into() }));
    assert_eq!(job.data_size, Some(Bytes::from_gb(147.0)));
    assert_eq!(job.thresholds.get(Threshold::LinearMaxSamples), 5_000.0);
    assert_eq!(job.thresholds.get(Threshold::GpuMinSamples), 100_000.0);

    let [train, prepare, tune] = job.stages.as_slice() else { panic!() };
    assert_eq!(
        (train.after.as_slice(), prepare.after.as_slice(), tune.after.as_slice()),
        (&[1][..], &[][..], &[1][..])
    );
    assert_eq!(
        (train.samples, prepare.samples, tune.samples),
        (Some(1_281_167.0), Some(1e6), Some(1_281_167.0))
    );
    assert_eq!((train.epochs, tune.epochs, tune.trials), (90.0, 3.0, Some(24)));
    assert_eq!(
        (train.urgency.to_string(), prepare.urgency.to_string()),
        ("online".into(), "experiment".into())
    );
    assert_eq!((train.instances, prepare.instances, tune.instances), (1, 4, 24));
    assert_eq!(
        (prepare.class, prepare.min_vcpus, prepare.min_memory),
        (Some(Class::Cpu), Some(8.0), Some(Bytes::from_gib(16.0)))
    );
    assert_eq!(prepare.output, Some(Bytes::from_gb(140.0)));
    assert_eq!((tune.purchase, tune.measured_memory), (Some(Purchase::Spot), Some(Bytes::from_gib(9.5))));
    assert!(tune.gpu.is_some() && prepare.model.is_none());
    let checkpoint = train.checkpoint.unwrap();
    assert!(checkpoint.durable);
    assert_eq!(checkpoint.every, Some(Hours::parse("20m").unwrap()));
}

#[test]
fn a_stage_overrides_the_shared_model_key_by_key() {
    let job = job(IMAGES);
    let [train, _, tune] = job.stages.as_slice() else { panic!() };
    let (train, tune) = (train.model.as_ref().unwrap(), tune.model.as_ref().unwrap());
    assert_eq!((train.batch_size, tune.batch_size), (256.0, 64.0));
    assert_eq!((train.precision, tune.precision), (Precision::Amp, Precision::Amp));
    assert_eq!((tune.optimizer, tune.family, tune.mode), (Optimizer::SgdMomentum, Family::Cnn, Mode::Train));
    assert_eq!(setting(&job, "tune.params"), ("25,557,032".to_owned(), "model resnet50".to_owned()));
    assert_eq!(setting(&job, "tune.batch_size").1, "line 53");
}

/// Another architecture or another size is another model: what describes the shared one is not inherited.
#[test]
fn another_model_does_not_inherit_the_shared_one() {
    let job = job("
[data]
samples = 10_000
[model]
architecture = \"resnet50\"
batch_size = 256
image_size = 448
[[stage]]
name = \"big\"
kind = \"train\"
[[stage]]
name = \"text\"
kind = \"train\"
model = { architecture = \"bert-base\" }
[[stage]]
name = \"small\"
kind = \"train\"
model = { params = \"4M\" }
");
    let model = |at: usize| job.stages[at].model.as_ref().unwrap();
    // Four times the area of 224 × 224.
    assert_eq!(model(0).image_size, Some(448.0));
    let native = plan::model::zoo::lookup("resnet50").unwrap().forward_flops.unwrap();
    assert_eq!(model(0).forward_flops, Some(4.0 * native));
    assert_eq!(
        (model(1).family, model(1).image_size, model(1).seq_len),
        (Family::Encoder, None, Some(512.0))
    );
    assert_eq!(
        (model(2).architecture.as_deref(), model(2).params, model(2).forward_flops),
        (None, 4e6, None)
    );
    assert_eq!(model(2).image_size, Some(448.0));
}

#[test]
fn flags_outrank_the_file_and_the_file_outranks_defaults() {
    let flags = Overrides {
        currency: Currency::parse("CNY").ok(),
        budget: Amount::parse("100 USD").ok(),
        deadline: Hours::parse("10h").ok(),
        providers: vec!["azure".to_owned()],
        regions: vec!["eastus".to_owned()],
        stale_after_months: Some(12),
        confidence: Some(0.9),
        ..Overrides::none(today())
    };
    let (job, messages) = resolved("w.toml", IMAGES, &flags);
    assert!(messages.is_empty(), "{messages:?}");
    let job = job.unwrap();
    assert_eq!(job.currency, Currency::parse("CNY").unwrap());
    assert_eq!(job.limits.budget.unwrap().amount(), "670.78");
    assert_eq!((job.limits.deadline, job.stale_after_months), (Some(Hours::new(10.0)), 12));
    assert_eq!(
        (job.place.providers, job.place.regions),
        (vec!["azure".to_owned()], vec!["eastus".to_owned()])
    );
    assert_eq!((job.limits.confidence, job.thresholds.get(Threshold::SpotConfidence)), (Some(0.9), 0.95));
    let job = super::job(IMAGES);
    assert_eq!(setting(&job, "limits.deadline"), ("30 h".to_owned(), "line 9".to_owned()));
    assert_eq!(setting(&job, "where.providers"), ("aws, gcp".to_owned(), "line 20".to_owned()));
}

#[test]
fn where_allows_and_excludes() {
    let place = job(IMAGES).place;
    assert!(place.allows("aws", "us-east-1", "c5.2xlarge"));
    assert!(place.allows("gcp", "us-central1", "n2-standard-8"));
    assert!(!place.allows("aws", "us-east-1", "p3.2xlarge"), "excluded instance");
    assert!(!place.allows("aws", "eu-west-1", "c5.2xlarge"), "region not named");
    assert!(!place.allows("gcp", "us-east-1", "n2-standard-8"), "the region of another provider");
    assert!(!place.allows("lambda", "us-central1", "gpu_1x_a100"), "provider not named");
    assert!(place.names("gcp", "us-west1") && !place.names("azure", "eastus"));
}

/// 10 B tokens in sequences of 1,024: 9,765,625.
#[test]
fn tokens_become_sequences() {
    let job = job("
[data]
tokens = \"10B\"
[model]
architecture = \"gpt2\"
batch_size = 512
[[stage]]
kind = \"train\"
[[stage]]
name = \"fine-tune\"
kind = \"train\"
tokens = \"1M\"
model = { seq_len = 512, mode = \"lora\" }
[[stage]]
kind = \"evaluate\"
samples = 1000
");
    let samples: Vec<_> = job.stages.iter().map(|s| s.samples).collect();
    assert_eq!(samples, [Some(9_765_625.0), Some(1954.0), Some(1000.0)]);
    assert_eq!(job.samples, Some(9_765_625.0));
    let model = job.stages[1].model.as_ref().unwrap();
    assert_eq!((model.mode, model.trainable), (Mode::Lora, (model.params / 100.0).ceil()));
    assert!(setting(&job, "fine-tune.trainable_params").1.starts_with("default: a guess"));
    let model = job.stages[2].model.as_ref().unwrap();
    assert_eq!((model.mode, model.trainable), (Mode::Inference, 0.0));
}

#[test]
fn a_family_is_guessed_from_what_is_given() {
    let family = |data: &str, model: &str| {
        let job =
            job(&format!("[data]\n{data}\n[model]\n{model}\nbatch_size = 8\n[[stage]]\nkind = \"train\"\n"));
        assert!(setting(&job, "train.family").1.starts_with("default: a guess"));
        job.stages[0].model.as_ref().unwrap().family
    };
    assert_eq!(family("tokens = \"1B\"", "params = \"124M\""), Family::Decoder);
    assert_eq!(family("samples = 1000", "params = \"124M\"\nseq_len = 128"), Family::Decoder);
    assert_eq!(family("samples = 1000", "params = \"47B\"\nactive_params = \"13B\""), Family::Moe);
    assert_eq!(family("samples = 1000", "params = \"7B\""), Family::Decoder);
    assert_eq!(family("samples = 1000", "params = \"7B\"\nimage_size = 512"), Family::Cnn);
    assert_eq!(family("samples = 1000", "params = \"5M\""), Family::Cnn);
}

#[test]
fn linear_models_need_no_batch() {
    let job = job("
[data]
samples = 5_000
[model]
family = \"linear\"
params = 50
[[stage]]
kind = \"train\"
");
    assert_eq!(job.stages[0].model.as_ref().unwrap().batch_size, 5_000.0);
}

#[test]
fn a_service_needs_as_many_servers_as_it_takes() {
    let job = job("
[data]
samples = 1_000_000
[[stage]]
name = \"moderation\"
kind = \"serve\"
requests_per_second = 60
decode = \"8ms\"
measured = [{ on = \"8 vCPU\", time = \"300ms\" }, { on = \"T4\", rate = \"1000/min\" }]
");
    let stage = &job.stages[0];
    assert_eq!((stage.instances, stage.concurrency, stage.samples), (Stage::NO_LIMIT, 1, None));
    assert_eq!(setting(&job, "moderation.instances").0, "no limit");
    let times: Vec<_> = stage.measured.iter().map(|m| (m.time.as_secs() * 1e6).round()).collect();
    assert_eq!(times, [300_000.0, 60_000.0]);
    assert_eq!(stage.load.to_string(), "steady");
}

/// 147 GB at 10 Gbit/s are 117.6 s; resnet50 under sgd with momentum keeps 2 × 4 B × 25.557 M = 0.2045 GB of states,
/// which 10 MB/s write in 20.45 s.
#[test]
fn data_is_copied_and_states_are_written_at_the_stated_bandwidth() {
    let job = job("
[data]
samples = 1_281_167
size = \"147 GB\"
bandwidth = \"10 Gbit/s\"
[model]
architecture = \"resnet50\"
batch_size = 256
optimizer = \"sgd-momentum\"
[[stage]]
name = \"prepare\"
kind = \"prepare\"
bandwidth = \"500 MB/s\"
measured = [{ on = \"8 vCPU\", time = \"6h\" }]
[[stage]]
name = \"train\"
kind = \"train\"
epochs = 90
checkpoint = { bandwidth = \"10 MB/s\" }
");
    let staging: Vec<_> = job.stages.iter().map(|s| s.staging.as_secs()).collect();
    assert!((staging[0] - 294.0).abs() < 1e-9 && (staging[1] - 117.6).abs() < 1e-9, "{staging:?}");
    let takes = job.stages[1].checkpoint.unwrap().takes.as_secs();
    let (_, origin) = setting(&job, "train.checkpoint.takes");
    assert_eq!(origin, "default: weights and optimizer states at 0.01 GB/s, at least 5 s");
    assert!((takes - 20.45).abs() < 0.01, "{takes}");
}

#[test]
fn a_bandwidth_needs_a_size() {
    let text = "
[model]
params = \"1M\"
batch_size = 8
[data]
samples = 100
[[stage]]
kind = \"train\"
bandwidth = \"10 Gbps\"
[[stage]]
name = \"next\"
kind = \"train\"
bandwidth = \"10 Gbit/s\"
";
    let messages = super::messages(text);
    assert_eq!(messages.len(), 2, "{messages:#?}");
    assert!(
        messages[0].contains("a bandwidth above zero") && messages[0].contains("10 Gbit/s"),
        "{messages:?}"
    );
    assert!(messages[1].contains("`bandwidth` of stage `next` needs the size"), "{messages:?}");
}

#[test]
fn a_name_is_short() {
    let text = |name: &str| {
        format!(
            "name = {name:?}\n[model]\nparams = \"1M\"\nbatch_size = 8\n[data]\nsamples = 100\n[[stage]]\nkind = \"train\"\n"
        )
    };
    assert_eq!(super::messages(&text(&"x".repeat(100))), [""; 0]);
    let long = super::messages(&text(&"x".repeat(101)));
    assert!(
        long.len() == 1 && long[0].contains("`name` is too long") && long[0].contains("up to 100"),
        "{long:?}"
    );
}
