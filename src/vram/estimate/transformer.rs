//! A transformer: its tapes give the passes, its parameters the states.

use super::{Components, Moments, Phase, Raw, WORKSPACE};
use crate::model::architecture::{Gate, Transformer};
use crate::model::parameters::{self, Parameters};
use crate::model::{Family, Mode, Optimizer, Precision, Sharding};
use crate::vram::allocator::allocated;
use crate::vram::pen::{Adapters, Arithmetic};
use crate::vram::request::{Request, Targets};
use crate::vram::stack::{self, Passes, Setting};
use crate::vram::states::{self, Division, NF4, NF4_DOUBLE, Storage};
use crate::vram::tape::{Gradients, Width};

pub(super) fn transformer(t: &Transformer, request: &Request) -> Raw {
    let own = parameters::count(t);
    let stated = request.params.filter(|params| *params > 0.0);
    let storage = Storage::of(request.precision, request.mode, request.widened);
    let adapters = adapters(request);
    let trained = match adapters {
        Some(a) => adapter_params(t, a),
        None if request.mode == Mode::Inference => 0.0,
        None => stated.unwrap_or(own.total),
    };
    // A stated count of a model with adapters may or may not include them; it never changes the layers.
    let total = match (request.mode, stated) {
        (Mode::Train | Mode::Inference, Some(stated)) => stated,
        _ => own.total + if adapters.is_some() { trained } else { 0.0 },
    };
    let math = match request.mode {
        Mode::Lora => {
            if storage.math == Arithmetic::Full {
                Arithmetic::Full
            } else {
                Arithmetic::Half
            }
        }
        Mode::Train | Mode::Qlora | Mode::Inference => storage.math,
    };
    let division = Division::of(request.sharding, request.devices);
    let sharded = division.gradients > 1.0;
    let accumulated = request.accumulate > 1.0;
    let speech = t.stacks.and_then(|s| s.mels).is_some();
    let setting = Setting {
        batch: request.batch,
        seq: request.seq,
        target: if speech { request.seq } else { request.target },
        image: request.pixels.max(0.0).sqrt(),
        math,
        eager: request.eager,
        checkpointing: request.checkpointing && request.mode != Mode::Inference,
        adapters,
        gradients: Gradients {
            bytes: storage.trained,
            exist: accumulated || sharded || request.step_in_backward,
        },
        last_token: request.mode == Mode::Inference,
    };
    let copies_of_states = match request.optimizer {
        Optimizer::Adam | Optimizer::AdamW | Optimizer::AdamWFused => 2.0,
        Optimizer::SgdMomentum => 1.0,
        Optimizer::Sgd | Optimizer::Adafactor | Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 0.0,
    };
    let weights = weights(&own, total, trained, &storage, request);
    if request.mode == Mode::Inference {
        return inference(t, &setting, weights, total, &division, request);
    }
    let slack = if adapters.is_some() { 0.0 } else { slack(t, storage.trained) };
    let passes = stack::train(t, &setting);
    let gradients = if request.step_in_backward { 0.0 } else { trained * storage.trained + slack };
    let state = states::state(request.optimizer, storage.trained, false);
    let layer = own.layer * storage.trained;
    let moments = Moments {
        weights: (weights + slack) / division.weights + gathered(request, layer),
        optimizer: (trained * state + slack * copies_of_states) / division.optimizer,
        gradients: gradients / division.gradients + buckets(request, gradients),
        accumulated: accumulated || sharded,
        buffers: passes.batch
            + WORKSPACE
            + if request.mode == Mode::Qlora && !request.widened { unpacked_table(t) } else { 0.0 },
        forward: scaled(&passes, passes.forward, &division),
        backward: scaled(&passes, passes.backward, &division),
        kept: scaled(&passes, passes.kept, &division),
        copies: passes.copies / division.weights,
        step: states::step(
            request.optimizer,
            trained + slack / storage.trained,
            storage.trained,
            own.largest,
        ) / division.optimizer,
        cache: 0.0,
    };
    let (components, phase) = moments.peak();
    Raw { components, phase, params: total, trained }
}

/// Activations under tensor parallel; weight copies are divided with the weights.
fn scaled(passes: &Passes, bytes: f64, division: &Division) -> f64 {
    let copies = passes.copies.min(bytes);
    copies / division.weights + (bytes - copies) / division.activations
}

/// With ZeRO-3 the weights of two layers are gathered at a time: the one at work and the next.
fn gathered(request: &Request, layer: f64) -> f64 {
    if request.sharding == Sharding::Zero3 && request.devices > 1.0 { 2.0 * layer } else { 0.0 }
}

/// Data parallel keeps one more copy of all gradients, in buckets for the exchange.
pub(super) fn buckets(request: &Request, gradients: f64) -> f64 {
    if request.sharding == Sharding::None && request.devices > 1.0 { gradients } else { 0.0 }
}

fn adapters(request: &Request) -> Option<Adapters> {
    let packed = match request.mode {
        Mode::Lora => false,
        Mode::Qlora => true,
        Mode::Train | Mode::Inference => return None,
    };
    let storage = Storage::of(request.precision, request.mode, request.widened);
    Some(Adapters {
        rank: request.rank,
        queries_and_values: request.targets == Targets::QueriesAndValues,
        width: if storage.trained > 2.0 { Width::Full } else { Width::Half },
        packed,
    })
}

/// Parameters of all adapters: `rank × (inputs + outputs)` per matrix.
#[expect(clippy::many_single_char_names, reason = "the usual letters of the formulas")]
fn adapter_params(t: &Transformer, adapters: Adapters) -> f64 {
    let d = &t.dims;
    let (h, q, k, f) = (d.hidden, d.queries(), d.keys(), d.ffn);
    let ups = if t.block.gate == Gate::None { 1.0 } else { 2.0 };
    let sides = if adapters.queries_and_values {
        if t.block.fused_qkv { h + q + 2.0 * k } else { 2.0 * h + q + k }
    } else {
        let attention = if t.block.fused_qkv { h + q + 2.0 * k } else { 3.0 * h + q + 2.0 * k };
        attention + q + h + (ups + 1.0) * (h + f)
    };
    let stacks = t.stacks.map_or(0.0, |s| s.decoder_layers);
    adapters.rank * sides * (d.layers + stacks)
}

/// Bytes of all weights, without the allocator's slack.
fn weights(own: &Parameters, total: f64, trained: f64, storage: &Storage, request: &Request) -> f64 {
    let frozen = (total - trained).max(0.0);
    match request.mode {
        Mode::Train => total * storage.trained,
        Mode::Lora => frozen * storage.frozen + trained * storage.trained,
        Mode::Qlora | Mode::Inference => {
            // What is compressed is the matrices of the layers; tables, head and norms keep their format.
            let compressed = own.matrices.min(frozen);
            let four_bits = if request.double_quantised { NF4_DOUBLE } else { NF4 };
            let bytes = if storage.frozen < 1.0 { four_bits } else { storage.frozen };
            let rest =
                if storage.frozen < 2.0 || request.mode == Mode::Qlora { storage.frozen_rest } else { bytes };
            compressed * bytes + (frozen - compressed) * rest + trained * storage.trained
        }
    }
}

/// What the allocator counts beyond the bytes of one copy of all parameters.
fn slack(t: &Transformer, bytes: f64) -> f64 {
    parameters::tensors(t)
        .iter()
        .map(|(numel, count)| count * (allocated(numel * bytes) - numel * bytes))
        .sum()
}

fn inference(
    t: &Transformer,
    setting: &Setting,
    weights: f64,
    total: f64,
    division: &Division,
    request: &Request,
) -> Raw {
    let passes = stack::infer(t, setting);
    let product = setting.math.product().bytes();
    let generates = matches!(t.family, Family::Decoder | Family::Moe) && t.patches.is_none();
    let cache = if generates { cache_bytes(t, request.batch, request.seq, product) } else { 0.0 };
    let copies = if setting.math == Arithmetic::Amp { 2.0 * total } else { 0.0 };
    // Measured on 4-bit models: one 16-bit copy of the largest table beside the compressed weights.
    let unpacked =
        if request.precision == Precision::Int4 { 2.0 * t.dims.vocab * t.dims.embedding } else { 0.0 };
    let components = Components {
        weights: weights / division.weights + gathered(request, weights / t.dims.layers.max(1.0)),
        cache: cache
            / division.activations.max(if request.sharding == Sharding::Pipeline {
                request.devices
            } else {
                1.0
            }),
        temporaries: passes.forward.max(unpacked) / division.activations,
        copies: copies / division.weights,
        buffers: passes.batch + WORKSPACE,
        ..Components::default()
    };
    Raw { components, phase: Phase::Forward, params: total, trained: 0.0 }
}

/// Beside 4-bit weights one more 16-bit table of the vocabulary shows in what others measured (13 models, inference
/// and adapters; most likely a copy that unpacking or loading leaves behind).
fn unpacked_table(t: &Transformer) -> f64 {
    2.0 * t.dims.vocab * t.dims.embedding
}

/// Bytes of keys and values of `batch` sequences of `length` tokens. Windowed layers keep their window only.
pub fn cache_bytes(t: &Transformer, batch: f64, length: f64, bytes: f64) -> f64 {
    let d = &t.dims;
    let per_token = t.latent.unwrap_or(2.0 * d.keys());
    let (windowed, open) = match (t.window, t.global_every) {
        (None, _) => (0.0, d.layers),
        (Some(_), None) => (d.layers, 0.0),
        (Some(_), Some(every)) => {
            let open = (d.layers / every).floor();
            (d.layers - open, open)
        }
    };
    let seen = t.window.map_or(length, |window| window.min(length));
    batch * per_token * bytes * (open * length + windowed * seen)
}
