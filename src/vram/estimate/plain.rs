//! Image models by measured bytes per sample, fully connected networks, and models of which only the size is known.

use super::transformer::buckets;
use super::{Components, Moments, Phase, Raw, WORKSPACE};
use crate::model::Mode;
use crate::vram::images::{ImageModel, Slope};
use crate::vram::pen::Arithmetic;
use crate::vram::request::Request;
use crate::vram::states::{self, Division, Storage};

pub(super) fn images(image: &ImageModel, request: &Request) -> Raw {
    let storage = Storage::of(request.precision, request.mode, request.widened);
    let params = request.params.filter(|p| *p > 0.0).unwrap_or(image.params);
    let width = storage.math.stream().bytes();
    let square = image.native * image.native;
    let area = if image.resizes && (request.pixels.sqrt().fract()).abs() < 1e-9 {
        1.0
    } else {
        request.pixels / square
    };
    let input = if image.latent { 0.0 } else { 3.0 * request.pixels * width * request.batch };
    let division = Division::of(request.sharding, request.devices);
    if request.mode == Mode::Inference {
        let scale = storage.math.product().bytes() / 4.0;
        let copies = if storage.math == Arithmetic::Amp { 2.0 * params } else { 0.0 };
        let components = Components {
            weights: params * storage.frozen,
            temporaries: image.infer * area * request.batch * scale,
            copies,
            buffers: input + image.buffers + WORKSPACE,
            ..Components::default()
        };
        return Raw { components, phase: Phase::Forward, params, trained: 0.0 };
    }
    let (plain, recomputed) = match storage.math {
        Arithmetic::Full => (image.full, image.full_recomputed),
        Arithmetic::Amp => (image.amp, image.amp_recomputed),
        Arithmetic::Half => image.half.map_or_else(
            || {
                let without_copies = |s: Slope| Slope { fixed: (s.fixed - 2.0 * params).max(0.0), ..s };
                (without_copies(image.amp), image.amp_recomputed.map(without_copies))
            },
            |half| (half, None),
        ),
    };
    // A network whose blocks were not measured recomputed: two fifths of the activations stay (14–69 % measured).
    let slope = match (request.checkpointing, recomputed) {
        (false, _) => plain,
        (true, Some(slope)) => slope,
        (true, None) => Slope { kept: 0.36 * plain.kept, peak: 0.36 * plain.peak, fixed: 0.15 * plain.fixed },
    };
    let samples = area * request.batch;
    let peak = slope.peak * samples;
    let kept = if request.checkpointing { peak } else { slope.kept * samples };
    let copies = if storage.math == Arithmetic::Amp { (2.0 * params).min(slope.fixed) } else { 0.0 };
    let gradients = params * storage.trained;
    let state = states::state(request.optimizer, storage.trained, image.convolutions);
    let moments = Moments {
        weights: params * storage.trained / division.weights,
        optimizer: params * state / division.optimizer,
        gradients: gradients / division.gradients + buckets(request, gradients),
        accumulated: request.accumulate > 1.0 || division.gradients > 1.0,
        buffers: input + image.buffers,
        forward: kept.max(peak)
            + copies * f64::from(u8::from(image.full_recomputed.is_none()))
            + WORKSPACE * 0.5,
        backward: peak + slope.fixed + if image.buffers > 0.0 { 0.0 } else { WORKSPACE },
        kept: kept + copies,
        copies,
        step: states::step(request.optimizer, params, storage.trained, 0.1 * params) / division.optimizer,
        cache: 0.0,
    };
    let (components, phase) = moments.peak();
    Raw { components, phase, params, trained: params }
}

pub(super) fn mlp(layers: f64, hidden: f64, request: &Request) -> Raw {
    let storage = Storage::of(request.precision, request.mode, request.widened);
    let params = request.params.unwrap_or(layers * hidden * hidden);
    let b = request.batch;
    let inner = b * hidden * (layers - 1.0).max(0.0) * storage.math.product().bytes() + b * hidden * 4.0;
    let inputs = (params / (hidden * layers).max(1.0)).min(4096.0);
    let batch = b * inputs * 4.0;
    if request.mode == Mode::Inference {
        let components = Components {
            weights: params * storage.frozen,
            temporaries: b * hidden * 8.0,
            buffers: batch + WORKSPACE,
            ..Components::default()
        };
        return Raw { components, phase: Phase::Forward, params, trained: 0.0 };
    }
    let copies = if storage.math == Arithmetic::Amp { 2.0 * params } else { 0.0 };
    let gradients = params * storage.trained;
    let moments = Moments {
        weights: params * storage.trained,
        optimizer: params * states::state(request.optimizer, storage.trained, false),
        gradients,
        accumulated: request.accumulate > 1.0,
        buffers: batch,
        forward: inner + copies + WORKSPACE,
        backward: inner + copies + gradients + WORKSPACE,
        kept: inner + copies,
        copies,
        step: states::step(request.optimizer, params, storage.trained, params / layers.max(1.0)),
        cache: 0.0,
    };
    let (components, phase) = moments.peak();
    Raw { components, phase, params, trained: params }
}

pub(super) fn plain(request: &Request) -> Raw {
    mlp(1.0, request.params.unwrap_or(0.0).sqrt().max(1.0), request)
}
