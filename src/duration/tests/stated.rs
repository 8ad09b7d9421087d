//! What a stage states beside its measurements: what limits it, what feeds it, what joins its machines; and the formulas.

use super::*;

#[test]
fn memory_bound_work_scales_by_bandwidth_and_not_by_clock() {
    let catalog = Catalog::embedded();
    let on = |name: &str| catalog.instances.iter().find(|i| &*i.name == name).unwrap();
    let m5 = MeasuredOn::Instance { provider: Some("aws".into()), instance: "m5.4xlarge".into() };
    let hours = |memory_bound: bool, instance: &str| {
        let stage = Stage { measured: measured(m5.clone(), 10.0), memory_bound, ..stage(StageKind::Prepare) };
        let machine = Machine { instance: on(instance), instances: 1 };
        let clock = StageClock::new(&stage, &catalog);
        let duration = clock.time_on(machine).unwrap();
        (duration, clock.derivation(machine, &duration).join("\n"))
    };
    // 16 vCPUs each. By clock an m7i vCPU is 1.35 of an m5's; by memory 307 ÷ 96 against 128 ÷ 48 GB/s: 1.1992.
    assert!(close(hours(false, "m7i.4xlarge").0.time.expected.get(), 10.0 / 1.35));
    let (bound, told) = hours(true, "m7i.4xlarge");
    assert!((bound.time.expected.get() - 10.0 / 1.1992).abs() < 0.01, "{bound:?}");
    assert!(told.contains("by its share of main memory (3.198 GB/s per vCPU, 2.667 there)"), "{told}");
    // 128 threads of an EPYC share 205 GB/s: 1.6 against 2.67.
    assert!((hours(true, "n2d-standard-16").0.time.expected.get() - 10.0 / 0.6006).abs() < 0.02);
    // Of a mixed family nothing is known: an m5's is supposed, and the band is wider.
    let (unknown, told) = hours(true, "e2-standard-16");
    assert!(close(unknown.time.expected.get(), 10.0));
    assert!(told.contains("bandwidth of this processor is not known"), "{told}");
    assert!(unknown.spread > bound.spread && bound.spread > 1.3, "{}", unknown.spread);
    // What was measured there is what it is.
    assert!(close(hours(true, "m5.4xlarge").0.time.expected.get(), 10.0));
}

#[test]
fn a_stage_that_decodes_is_as_slow_as_its_vcpus() {
    let decode = Some(Hours::from_secs(1.0));
    let train = Stage { samples: Some(1e6), decode, ..stage(StageKind::Train) };
    // Measured on a card that is not this one: 8 vCPUs make 8 samples a second, 34.72 h, whatever the T4 could do.
    let scaled = Stage { measured: measured(on_gpu(1, 1.0), 1.0), ..train.clone() };
    let d = time(&scaled, &gpu(0, 1.0), 1);
    assert!(close(d.time.expected.as_secs(), 1e6 / 8.0) && d.starved > 5.0, "{d:?}");
    // What was measured there has its waiting in it.
    let seen = Stage { measured: measured(on_gpu(0, 1.0), 20.0), ..train.clone() };
    assert!(close(time(&seen, &gpu(0, 1.0), 1).time.expected.get(), 20.0));
    // One trial of a search has a quarter of the vCPUs of a machine with four cards.
    let tune = Stage { kind: StageKind::Tune, trials: Some(1), ..scaled };
    assert!(close(time(&tune, &gpu(0, 4.0), 1).time.expected.as_secs(), 1e6 / 2.0));
}

#[test]
fn one_training_on_several_machines_needs_a_network() {
    let alone = Stage { measured: measured(on_gpu(0, 1.0), 50.0), ..stage(StageKind::Train) };
    let clock = StageClock::new(&alone, &catalog());
    let two = Machine { instance: &gpu(0, 1.0), instances: 2 };
    assert!(matches!(clock.time_on(two), Err(NoDuration::Needs(fact)) if fact.starts_with("network")));
    // 1/12 h stays; 49.917 h ÷ (2 × 0.9) on Ethernet, ÷ (2 × 0.99) on InfiniBand.
    for (network, kept) in [(Network::Ethernet, 0.9), (Network::Infiniband, 0.99)] {
        let joined = Stage { network: Some(network), ..alone.clone() };
        let hours = time(&joined, &gpu(0, 1.0), 2).time.expected.get();
        assert!(close(hours, 1.0 / 12.0 + (50.0 - 1.0 / 12.0) / (2.0 * kept)), "{network}: {hours}");
    }
}

#[test]
fn a_derivation_from_scratch_can_be_redone() {
    let stage = Stage { samples: Some(1000.0), model: Some(decoder()), ..stage(StageKind::Train) };
    let clock = StageClock::new(&stage, &catalog());
    let machine = Machine { instance: &gpu(1, 8.0), instances: 1 };
    let duration = clock.time_on(machine).unwrap();
    let told = clock.derivation(machine, &duration);
    // layers = (7·10⁹ ÷ 196,608)^⅓ = 32.898; × width 128 × 32.898 = 138,529. A sample: 2,048 × (1.4·10¹⁰ + 4 × 138,529 × 2,048)
    // = 3.1·10¹³, recomputed once: 4 passes. 55 % of 312 TFLOPS. Eight cards without NVLink: 8 × 0.95^3 = 6.859.
    assert!(
        told[0].contains(
            "2048 tokens × (2 × 7.000e9 parameters + attention 4 × (layers × width = 138,529 by a rule of thumb) × 2048 tokens)"
        ),
        "{told:#?}"
    );
    assert!(
        told[1]
            .contains("1,000 samples × 3.100e13 × 4 passes (1 forward, 2 backward, 1 recomputed) = 1.240e17"),
        "{told:#?}"
    );
    assert!(
        told[2].contains("312 TFLOPS that it sustains × 0.55 reached = 1.716e14 operations/s"),
        "{told:#?}"
    );
    assert!(told[4].contains("worth 8 × 0.95^3 = 6.859 devices"), "{told:#?}");
    // 1.24·10¹⁷ ÷ 1.716·10¹⁴ = 722.6 s ÷ 6.859 × 1.06 = 111.7 s.
    assert!((duration.time.expected.as_secs() - 111.7).abs() < 0.1, "{told:#?}");
}

#[test]
fn attention_is_that_of_a_known_architecture() {
    // Llama-2-7B: 32 layers × 4,096 = 131,072. Named, but stated twice as large, it has other dimensions:
    // (14·10⁹ ÷ 196,608)^⅓ = 41.449, × 128 × 41.449 = 219,905.
    let said = |active: f64| {
        let model =
            Model { architecture: Some("llama-2-7b".to_owned()), params: active, active, ..decoder() };
        work::forward_told(&model).unwrap()
    };
    assert!(
        said(6.738e9).contains("attention 4 × (layers × width = 131,072) × 2048 tokens"),
        "{}",
        said(6.738e9)
    );
    // A sample: 2,048 × (2 × 6.738·10⁹ + 4 × 131,072 × 2,048) = 2.980·10¹³.
    assert!(said(6.738e9).ends_with("= 2.980e13 operations"), "{}", said(6.738e9));
    assert!(said(14e9).contains("by a rule of thumb"), "{}", said(14e9));
}

fn decoder() -> Model {
    Model {
        architecture: None,
        family: Family::Decoder,
        params: 7e9,
        trainable: 7e9,
        active: 7e9,
        batch_size: 100.0,
        seq_len: Some(2048.0),
        image_size: None,
        forward_flops: None,
        gradient_checkpointing: true,
        ..resnet()
    }
}

#[test]
fn small_passes_wait_for_their_launches() {
    // A tiny network: 1,000,000 samples of 100 a step are 10,000 steps of 3 ms; accumulated over 4 passes 40,000.
    let tiny = |accumulation| {
        let model = Model {
            params: 1e5,
            active: 1e5,
            batch_size: 100.0,
            accumulation,
            seq_len: Some(8.0),
            ..decoder()
        };
        let stage = Stage { samples: Some(1e6), model: Some(model), ..stage(StageKind::Train) };
        time(&stage, &gpu(1, 1.0), 1).time.expected.as_secs()
    };
    assert!(close(tiny(1.0), 30.0 * 1.06) && close(tiny(4.0), 120.0 * 1.06), "{} {}", tiny(1.0), tiny(4.0));
}
