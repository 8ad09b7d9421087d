//! Times worked out by hand beside the ones of the clock.

mod stated;

use super::*;
use crate::catalog::{
    Accelerator, Accelerators, Confidence, InstanceId, OfferGpu, Processor, Provenance, Provider, ProviderId,
};
use crate::diag::Place;
use crate::job::{MeasuredOn, Measurement, Network};
use crate::model::{Family, Mode, Model, Optimizer, Precision, Sharding};
use crate::units::{Bytes, BytesPerSecond, Currency, FlopsPerSecond};
use std::collections::{BTreeMap, BTreeSet};

fn provenance() -> Provenance {
    Provenance { source: "test".into(), as_of: None, confidence: Confidence::Read }
}

fn card(name: &str, half: f64, bandwidth: f64) -> Accelerator {
    Accelerator {
        name: name.into(),
        vendor: "nvidia".into(),
        stack: crate::catalog::Stack::Cuda,
        memory: Bytes::from_gib(16.0),
        driver_total: None,
        cuda_visible: None,
        bandwidth: BytesPerSecond::from_gb(bandwidth).unwrap(),
        fp32: FlopsPerSecond::from_tflops(half / 8.0),
        tf32: None,
        half: FlopsPerSecond::from_tflops(half),
        fp8: None,
        int8: None,
        watts: None,
        form: "PCIe".into(),
        year: 2020,
        mig: Vec::new(),
        nvenc: None,
        nvdec: None,
        aliases: Vec::new(),
        confidence: Confidence::Read,
        notes: "".into(),
    }
}

/// One provider with an m5-like processor, and two cards: a T4 (65 TFLOPS, 320 GB/s), an A100-80GB (312, 2039).
fn catalog() -> Catalog {
    let aws = Provider {
        name: "aws".into(),
        currency: Currency::USD,
        on_demand: None,
        spot: None,
        tariffs: Vec::new(),
        card_prices: Vec::new(),
        term_ratios: Vec::new(),
        as_of: None,
    };
    let m5 = Processor {
        provider: "aws".into(),
        family: "m5".into(),
        cpu: "Xeon".into(),
        generation: "Skylake".into(),
        vcpus_per_core: 2,
        base_ghz: 2.5,
        turbo_ghz: 3.1,
        relative: 1.0,
        socket: None,
        provenance: provenance(),
    };
    Catalog {
        accelerators: Accelerators::new(vec![card("T4", 65.0, 320.0), card("A100-80GB", 312.0, 2039.0)]),
        providers: vec![aws],
        processors: vec![m5],
        ..Catalog::default()
    }
}

fn cpu(name: &str, vcpus: f64) -> Instance {
    let memory = Bytes::from_gib(4.0 * vcpus);
    Instance { provider: ProviderId(0), name: name.into(), vcpus, memory, gpu: None }
}

fn gpu(card: u16, count: f64) -> Instance {
    let gpu = Some(OfferGpu { accelerator: AcceleratorId(card), count });
    Instance { gpu, ..cpu("gpu.large", 8.0) }
}

fn resnet() -> Model {
    Model {
        architecture: Some("resnet50".to_owned()),
        family: Family::Cnn,
        params: 25.6e6,
        trainable: 25.6e6,
        active: 25.6e6,
        batch_size: 256.0,
        micro_batch: None,
        accumulation: 1.0,
        seq_len: None,
        image_size: Some(224.0),
        forward_flops: Some(8.2e9),
        precision: Precision::Amp,
        optimizer: Optimizer::SgdMomentum,
        mode: Mode::Train,
        sharding: Sharding::None,
        gradient_checkpointing: false,
        filled: 1.0,
    }
}

fn stage(kind: StageKind) -> Stage {
    Stage { model: kind.runs_model().then(resnet), ..Stage::bare(kind, nowhere()) }
}

fn measured(on: MeasuredOn, hours: f64) -> Vec<Measurement> {
    vec![Measurement {
        on,
        label: "there".to_owned(),
        time: Hours::new(hours),
        per: crate::job::Per::Stage,
        instances: 1,
        place: nowhere(),
    }]
}

fn nowhere() -> Place {
    Place { file: "test".into(), line: 1, column: 1 }
}

fn on_gpu(card: u16, count: f64) -> MeasuredOn {
    MeasuredOn::Gpu { accelerator: AcceleratorId(card), count }
}

fn time(stage: &Stage, instance: &Instance, instances: u32) -> Duration {
    StageClock::new(stage, &catalog()).time_on(Machine { instance, instances }).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3 * b
}

#[test]
fn measured_is_exact_with_a_narrow_band() {
    let stage = Stage { measured: measured(on_gpu(0, 1.0), 50.0), ..stage(StageKind::Train) };
    let d = time(&stage, &gpu(0, 1.0), 1);
    assert_eq!(d.evidence, Evidence::Measured);
    assert!(close(d.time.expected.get(), 50.0));
    assert!(d.time.high.get() < 50.0 * 1.15 && d.time.low.get() > 50.0 / 1.15);
}

#[test]
fn scaled_by_peak_and_bandwidth() {
    // A T4 sustains half its 65 TFLOPS. cnn: (312 ÷ 32.5)^¼ × (2039 ÷ 320)^0.6 = 1.7602 × 3.0378 = 5.3472, times the
    // measured ratio 0.99 of the A100-80GB: 5.2938. Five minutes are fixed: 1/12 h + 49.917 h ÷ 5.2938 = 9.5127 h.
    let stage = Stage { measured: measured(on_gpu(0, 1.0), 50.0), ..stage(StageKind::Train) };
    let d = time(&stage, &gpu(1, 1.0), 1);
    assert_eq!(d.evidence, Evidence::Scaled);
    assert!(close(d.time.expected.get(), 9.5127), "{d:?}");
    // Eight on PCIe keep 0.98³ of linear speed, 7.5295: 1/12 h + 9.4294 h ÷ 7.5295 = 1.3357 h.
    assert!(close(time(&stage, &gpu(1, 8.0), 1).time.expected.get(), 1.3357));
    // And back: measured on eight, what one takes.
    let many = Stage { measured: measured(on_gpu(1, 8.0), 1.3357), ..stage };
    assert!(close(time(&many, &gpu(1, 1.0), 1).time.expected.get(), 9.5127));
    // An eighth of a card has an eighth of its speed: 1/12 h + 8 × 9.4294 h.
    assert!(close(time(&many, &gpu(1, 0.125), 1).time.expected.get(), 75.519));
}

#[test]
fn a_measurement_never_crosses_from_one_class_to_the_other() {
    let stage =
        Stage { measured: measured(on_gpu(0, 1.0), 50.0), samples: Some(1e6), ..stage(StageKind::Train) };
    let d = time(&stage, &cpu("m5.2xlarge", 8.0), 1);
    assert_eq!(d.evidence, Evidence::Estimated);
    let stage = Stage { samples: None, ..stage };
    let clock = StageClock::new(&stage, &catalog());
    let machine = Machine { instance: &cpu("m5.2xlarge", 8.0), instances: 1 };
    assert!(matches!(clock.time_on(machine), Err(NoDuration::Needs(_))));
}

#[test]
fn cpu_work_scales_by_cores_with_a_serial_share() {
    // 8 vCPU = 4 cores: 0.05 + 0.95 ÷ 4 = 0.2875; 32 vCPU = 16 cores: 0.05 + 0.95 ÷ 16 = 0.109375.
    let stage = Stage { measured: measured(MeasuredOn::Vcpus(8.0), 6.5), ..stage(StageKind::Prepare) };
    let d = time(&stage, &cpu("m5.8xlarge", 32.0), 1);
    assert!(close(d.time.expected.get(), 6.5 * 0.109_375 / 0.2875), "{d:?}");
    assert_eq!(time(&stage, &cpu("m5.2xlarge", 8.0), 1).evidence, Evidence::Measured);
    // Not parallel: no second machine. Parallel: four machines take a quarter.
    let clock = StageClock::new(&stage, &catalog());
    let machine = Machine { instance: &cpu("m5.2xlarge", 8.0), instances: 4 };
    assert!(matches!(clock.time_on(machine), Err(NoDuration::Unsuitable(_))));
    let stage = Stage { parallel: true, ..stage };
    assert!(close(time(&stage, machine.instance, 4).time.expected.get(), 6.5 / 4.0));
}

#[test]
fn core_hours_are_of_the_reference_core() {
    let stage = Stage { core_hours: Some(96.0), ..stage(StageKind::Batch) };
    assert!(close(time(&stage, &cpu("m5.12xlarge", 48.0), 1).time.expected.get(), 8.6));
}

#[test]
fn trials_come_in_whole_rounds() {
    // 10 trials on 4 devices: 3 rounds, so 4 are worth 10 ÷ 3 of linear speed, less 1 % per doubling.
    let stage =
        Stage { trials: Some(10), measured: measured(on_gpu(0, 1.0), 10.0), ..stage(StageKind::Tune) };
    let d = time(&stage, &gpu(0, 1.0), 4);
    assert!(close(d.time.expected.get(), 3.0), "{d:?}");
    assert!(close(time(&stage, &gpu(0, 1.0), 100).time.expected.get(), 1.0));
}

#[test]
fn what_is_unknown_is_said_to_be() {
    for kind in
        [StageKind::Batch, StageKind::Transcode, StageKind::Analyze, StageKind::Prepare, StageKind::Augment]
    {
        let clock = StageClock::new(&stage(kind), &catalog());
        let machine = Machine { instance: &cpu("m5.large", 2.0), instances: 1 };
        assert!(matches!(clock.time_on(machine), Err(NoDuration::Needs(_))), "{kind}");
    }
    let prepare = Stage { samples: Some(1.28e6), ..stage(StageKind::Prepare) };
    assert_eq!(time(&prepare, &cpu("m5.large", 2.0), 1).evidence, Evidence::RuleOfThumb);
}

#[test]
fn the_band_holds_the_figure_and_grows_with_distance() {
    let stage = Stage { measured: measured(on_gpu(0, 1.0), 50.0), ..stage(StageKind::Train) };
    let width = |d: Duration| d.time.high / d.time.low;
    let same = width(time(&stage, &gpu(0, 1.0), 1));
    let more = width(time(&stage, &gpu(0, 8.0), 1));
    let other = width(time(&stage, &gpu(1, 8.0), 1));
    assert!(1.0 < same && same < more && more < other, "{same} {more} {other}");
}

#[test]
fn a_published_rate_stands_before_an_estimate() {
    let stage = Stage { samples: Some(1_281_167.0), epochs: 90.0, ..stage(StageKind::Train) };
    let d = time(&stage, &gpu(1, 8.0), 1);
    assert_eq!(d.evidence, Evidence::Published);
    let without = Terms { published: false, ..Terms::default() };
    let clock = StageClock::with(&stage, &catalog(), &without);
    let instance = gpu(1, 8.0);
    let d = clock.time_on(Machine { instance: &instance, instances: 1 }).unwrap();
    assert_eq!(d.evidence, Evidence::Estimated);
}

#[test]
fn language_models_take_six_operations_per_parameter_and_token() {
    // 7·10⁹ parameters, 10⁹ tokens in sequences of 2,048: layers (7·10⁹ ÷ 196,608)^⅓ = 32.90, width × layers =
    // 128 × 32.90² = 138,553; per token 3 × (2 × 7·10⁹ + 4 × 138,553 × 2,048) = 4.5405·10¹⁰; on one A100-80GB at 55 % of
    // 312 TFLOPS: 4.5405·10¹⁹ ÷ 1.716·10¹⁴ = 264,600 s = 73.50 h, 77.91 h with evaluation and checkpoints.
    let model = Model {
        architecture: None,
        family: Family::Decoder,
        params: 7e9,
        active: 7e9,
        seq_len: Some(2048.0),
        image_size: None,
        forward_flops: None,
        ..resnet()
    };
    let stage = Stage { samples: Some(1e9 / 2048.0), model: Some(model.clone()), ..stage(StageKind::Train) };
    let d = time(&stage, &gpu(1, 1.0), 1);
    assert!(close(d.time.expected.get(), 77.91), "{d:?}");
    // Recomputing activations adds a third.
    let again = Model { gradient_checkpointing: true, ..model };
    let d = time(&Stage { model: Some(again), ..stage }, &gpu(1, 1.0), 1);
    assert!(close(d.time.expected.get(), 77.91 * 4.0 / 3.0), "{d:?}");
}

#[test]
fn derivations_show_every_number() {
    let stage = Stage { measured: measured(on_gpu(0, 1.0), 50.0), ..stage(StageKind::Train) };
    let clock = StageClock::new(&stage, &catalog());
    let instance = gpu(1, 8.0);
    let machine = Machine { instance: &instance, instances: 1 };
    let duration = clock.time_on(machine).unwrap();
    let text = clock.derivation(machine, &duration).join("\n");
    for part in
        ["50 h", "T4", "A100-80GB", "32.5", "320", "312", "2039", "0.99", "7.53", "0.08333 h", "1.336 h"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_time_is_the_same_on_all_machines_of_a_kind() {
    let catalog = Catalog::embedded();
    let kinds = catalog.kinds().unwrap();
    let ids = || (0..).map(InstanceId).zip(&catalog.instances);
    let [all, cards] = [Counts::All, Counts::Cards]
        .map(|by| ids().filter_map(|(id, _)| kinds.of(id, by)).collect::<BTreeSet<_>>().len());
    assert!(cards < all && all < catalog.instances.len(), "{cards} {all}");
    let t4 = catalog.accelerators.named("T4").unwrap();
    let eight = measured(MeasuredOn::Vcpus(8.0), 3.0);
    let on_gpu = measured(MeasuredOn::Gpu { accelerator: t4, count: 1.0 }, 3.0);
    for (memory_bound, measured) in [
        (false, eight.clone()),
        (true, eight.clone()),
        (false, [eight, on_gpu.clone()].concat()),
        (true, on_gpu),
    ] {
        let stage = Stage { memory_bound, parallel: true, measured, ..stage(StageKind::Evaluate) };
        let clock = StageClock::new(&stage, &catalog);
        let mut first = BTreeMap::new();
        for (id, instance) in ids() {
            let times = [1, 2].map(|instances| clock.time_on(Machine { instance, instances }));
            for by in [Counts::All, clock.counts()] {
                let known = *first.entry(kinds.of(id, by).unwrap()).or_insert(times);
                assert_eq!(known, times, "{}", instance.name);
            }
        }
    }
}

#[test]
fn a_machine_that_is_named_has_a_time_of_its_own() {
    let catalog = catalog();
    let on = MeasuredOn::Instance { provider: Some("aws".into()), instance: "m5.2xlarge".into() };
    let stage = Stage { measured: measured(on, 3.0), ..stage(StageKind::Prepare) };
    let catalog = Catalog { instances: vec![cpu("m5.2xlarge", 8.0), cpu("m5d.2xlarge", 8.0)], ..catalog };
    let clock = StageClock::new(&stage, &catalog);
    assert_eq!(catalog.instances.iter().map(|i| clock.singles_out(i)).collect::<Vec<_>>(), [true, false]);
}
