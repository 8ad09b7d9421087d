//! A whole transformer as a row of tapes (embedding, layers, head and loss) and the most that is alive in its
//! forward and backward pass. Layers of a kind share one tape: what is alive grows and falls evenly over them, so
//! that the peak lies at the first or the last of them.

use super::allocator::allocated;
use super::attention::View;
use super::pen::{Adapters, Arithmetic, Matrix, Pen};
use super::tape::{Gradients, Op, Tape, Tensor, Width};
use crate::model::architecture::{Activation, Block, Dims, Head, Norm, Stacks, Transformer};

/// How a model is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setting {
    /// Samples in one pass.
    pub(super) batch: f64,
    /// Tokens per sample.
    pub(super) seq: f64,
    /// Tokens of the decoder, where there are two stacks.
    pub(super) target: f64,
    /// Edge of the image.
    pub(super) image: f64,
    /// Number formats.
    pub(super) math: Arithmetic,
    /// Attention is written out.
    pub(super) eager: bool,
    /// Layers are recomputed in the backward pass.
    pub(super) checkpointing: bool,
    /// Adapters beside frozen weights.
    pub(super) adapters: Option<Adapters>,
    /// Gradients of parameters.
    pub(super) gradients: Gradients,
    /// Only the last token's logits are computed, as generation does.
    pub(super) last_token: bool,
}

/// What is alive beyond the states that live all the time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Passes {
    /// The most in the forward pass, loss included.
    pub(super) forward: f64,
    /// The most in the backward pass, gradients included.
    pub(super) backward: f64,
    /// What the forward pass leaves for the backward pass.
    pub(super) kept: f64,
    /// The part of it that is 16-bit copies of weights.
    pub(super) copies: f64,
    /// Gradients of parameters when the backward pass ends.
    pub(super) gradients: f64,
    /// The input batch.
    pub(super) batch: f64,
}

struct Segment {
    tape: Tape,
    count: f64,
    recomputed: bool,
    /// All copies have the same weights: one set of 16-bit copies and of gradients.
    shared: bool,
    /// Bytes of the gradient of a shared context, which all copies add to one tensor.
    context: f64,
    /// Bytes of the tape's input and output.
    ends: (f64, f64),
}

/// Builds and runs a model.
pub(crate) fn train(model: &Transformer, setting: &Setting) -> Passes {
    let segments = build(model, setting);
    let mut passes = Passes { batch: batch_bytes(model, setting), ..Passes::default() };
    let mut alive = 0.0;
    let mut temporary_copies = 0.0;
    for segment in &segments {
        let flow = segment.tape.forward(!segment.recomputed, segment.recomputed);
        let copies = segment.tape.cached_bytes();
        let again = if segment.shared { copies } else { 0.0 };
        let before_last = alive + (flow.end - again) * (segment.count - 1.0);
        passes.forward = passes.forward.max(alive + flow.peak).max(before_last + flow.peak);
        alive += flow.end * segment.count - again * (segment.count - 1.0);
        let copies = copies * if segment.shared { 1.0 } else { segment.count };
        passes.copies += copies;
        if segment.recomputed {
            temporary_copies += copies;
        }
    }
    // Autocast's cache goes with the forward pass; what no operation keeps goes with it.
    alive -= temporary_copies;
    passes.copies -= temporary_copies;
    passes.kept = alive;
    passes.backward = alive;
    for segment in segments.iter().rev() {
        let mut peak = 0.0_f64;
        let mut base = 0.0;
        let backward = segment.tape.backward(setting.gradients);
        let mut end = backward.end;
        if segment.recomputed {
            let again = segment.tape.forward(true, true);
            peak = again.peak;
            base = again.end - segment.ends.1;
            end += base;
            if !segment.tape.keeps_inputs() {
                end -= segment.ends.0;
            }
        }
        // A context's gradient exists from the first copy on; the others add to it.
        let once = if segment.shared { segment.tape.parameter_bytes(setting.gradients) } else { 0.0 };
        let copies = if segment.shared { segment.tape.cached_bytes() } else { 0.0 };
        let change = end - segment.context - once + copies;
        peak = peak.max(base + backward.peak);
        let last = alive + segment.context + change * (segment.count - 1.0);
        passes.backward = passes.backward.max(alive + peak).max(last + peak - segment.context.min(peak));
        alive += segment.context + change * segment.count + once - copies;
    }
    passes.gradients = alive;
    passes
}

/// The most that is alive in a forward pass without gradients, beyond weights and input.
pub(super) fn infer(model: &Transformer, setting: &Setting) -> Passes {
    let segments = build(model, setting);
    let mut passes = Passes { batch: batch_bytes(model, setting), ..Passes::default() };
    let mut alive = 0.0;
    // The model's own function holds the embedding until the last layer is done.
    let embedded = segments.first().map_or(0.0, |segment| segment.ends.1);
    for segment in &segments {
        let flow = segment.tape.forward(false, false);
        let held = if segment.count > 1.0 { embedded } else { 0.0 };
        let before_last = held + alive + flow.end * (segment.count - 1.0);
        passes.forward = passes.forward.max(alive + flow.peak).max(before_last + flow.peak);
        alive += flow.end * segment.count;
    }
    passes.kept = alive;
    passes
}

/// Tokens that a layer works on.
pub(super) fn tokens(model: &Transformer, setting: &Setting) -> f64 {
    match (model.patches, model.stacks) {
        (Some(patches), _) => (setting.image / patches.patch).floor().powi(2) + patches.extra,
        (None, Some(Stacks { mels: Some(_), frames, .. })) => frames,
        _ => setting.seq,
    }
}

fn batch_bytes(model: &Transformer, setting: &Setting) -> f64 {
    let b = setting.batch;
    match (model.patches, model.stacks) {
        (Some(_), _) => 3.0 * setting.image.powi(2) * b * setting.math.stream().bytes() + 8.0 * b,
        (None, Some(Stacks { mels: Some(mels), frames, .. })) => {
            mels * 2.0 * frames * b * setting.math.stream().bytes() + 8.0 * setting.target * b
        }
        (None, Some(_)) => 8.0 * b * (setting.seq + setting.target),
        (None, None) => {
            let labels = if matches!(model.head, Head::Causal | Head::Masked) { setting.seq } else { 1.0 };
            8.0 * b * (setting.seq + labels)
        }
    }
}

fn build(model: &Transformer, setting: &Setting) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(6);
    let length = tokens(model, setting);
    let causal = matches!(model.head, Head::Causal) && model.stacks.is_none();
    let view = View { batch: setting.batch, queries: length, keys: length, eager: setting.eager, causal };
    let d = &model.dims;
    segments.push(embedding(model, setting, length, model.stacks.is_some()));
    let own_layers = layers(model, setting, &model.block, d, d.layers, view, None);
    segments.push(Segment { shared: model.shared_layers, ..own_layers });
    let Some(stacks) = model.stacks else {
        segments.push(top(model, setting, length));
        return segments;
    };
    if model.final_norm {
        segments.push(norm_only(model, setting, length));
    }
    segments.push(embedding(model, setting, setting.target, false));
    let own = View { queries: setting.target, keys: setting.target, causal: true, ..view };
    let across = View { queries: setting.target, causal: false, ..view };
    let dims = Dims { ffn: stacks.decoder_ffn, ..*d };
    segments.push(layers(model, setting, &model.block, &dims, stacks.decoder_layers, own, Some(across)));
    segments.push(top(model, setting, setting.target));
    segments
}

fn pen(setting: &Setting) -> Pen {
    Pen::new(setting.math, setting.adapters)
}

fn close(
    mut pen: Pen,
    input: Option<Tensor>,
    output: Tensor,
    count: f64,
    recomputed: bool,
    context: f64,
) -> Segment {
    pen.tape.finish(output);
    let ends = (allocated(input.map_or(0.0, Tensor::bytes)), allocated(output.bytes()));
    Segment { tape: pen.tape, count, recomputed, shared: false, context, ends }
}

fn layers(
    model: &Transformer,
    setting: &Setting,
    block: &Block,
    dims: &Dims,
    count: f64,
    view: View,
    across: Option<View>,
) -> Segment {
    let mut pen = pen(setting);
    let stream = setting.math.stream();
    let x = pen.tape.input(view.batch * view.queries * dims.hidden, stream, true);
    let context = across.map(|view| {
        let numel = view.batch * view.keys * dims.hidden;
        (pen.tape.outside(numel, stream, true), view)
    });
    let y = pen.layer(block, dims, model.experts, x, context, view);
    let shared = context.map_or(0.0, |(tensor, _)| allocated(tensor.bytes()));
    close(pen, Some(x), y, count, setting.checkpointing, shared)
}

fn norm_only(model: &Transformer, setting: &Setting, length: f64) -> Segment {
    let rows = setting.batch * length;
    let mut pen = pen(setting);
    let x = pen.tape.input(rows * model.dims.hidden, setting.math.stream(), true);
    let y = pen.norm(model.block.norm, x, model.dims.hidden);
    let y = pen.dropout(y, model.block.embedding_dropout);
    close(pen, Some(x), y, 1.0, false, 0.0)
}

/// Token embedding, positions, norm and dropout; or the patches of an image, or the convolutions of speech.
fn embedding(model: &Transformer, setting: &Setting, length: f64, encoder: bool) -> Segment {
    let rows = setting.batch * length;
    let mut pen = pen(setting);
    let d = &model.dims;
    let stream = setting.math.stream();
    let trains = setting.adapters.is_none();
    let count = |params: f64| if trains { params } else { 0.0 };
    let speech = model.stacks.and_then(|stacks| stacks.mels).filter(|_| encoder);
    let x = if let Some(patches) = model.patches {
        let input = pen.tape.outside(setting.batch * 3.0 * setting.image.powi(2), stream, false);
        let operand = pen.cast(input, setting.math.product());
        let weights = 3.0 * patches.patch.powi(2) * d.hidden + d.hidden;
        let op = Op::of(&[operand]).save(operand).params(weights, setting.math.product());
        let grid = pen.tape.run(op, rows * d.hidden, setting.math.product());
        let whole = pen.tape.run(Op::of(&[grid]), rows * d.hidden, stream);
        pen.tape.run(Op::of(&[whole]).hand_on().params(length * d.hidden, stream), rows * d.hidden, stream)
    } else if let Some(mels) = speech {
        let product = setting.math.product();
        let h = d.hidden;
        let input = pen.tape.outside(setting.batch * 2.0 * length * mels, stream, false);
        let operand = pen.cast(input, product);
        let op = Op::of(&[operand]).save(operand).params(3.0 * mels * h + h, product);
        let first = pen.tape.run(op, 2.0 * rows * h, product);
        let first = pen.activate(Activation::Gelu, first);
        let op = Op::of(&[first]).save(first).params(3.0 * h * h + h, product);
        let second = pen.tape.run(op, rows * h, product);
        let second = pen.activate(Activation::Gelu, second);
        pen.tape.run(Op::of(&[second]).hand_on(), rows * h, stream)
    } else {
        let width = d.embedding;
        let vocabulary = count(d.vocab * width);
        // Tied to the head, or shared with the other stack, whose gradient has come before.
        let headed = matches!(model.head, Head::Causal | Head::Masked);
        let again = (model.tied && headed) || (encoder && model.stacks.is_some());
        let mut x = pen.tape.run(
            Op::of(&[]).params(vocabulary, stream).again(again, setting.math != Arithmetic::Amp),
            rows * width,
            stream,
        );
        if d.types > 0.0 {
            let types =
                pen.tape.run(Op::of(&[]).params(count(d.types * width), stream), rows * width, stream);
            x = pen.sum(x, types);
        }
        if d.positions > 0.0 {
            let positions =
                pen.tape.run(Op::of(&[]).params(count(d.positions * width), stream), rows * width, stream);
            x = pen.sum(x, positions);
        }
        x
    };
    let x = if model.embedding_norm { pen.norm(Norm::Layer, x, d.embedding) } else { x };
    let x = pen.dropout(x, model.block.embedding_dropout);
    let x = if (d.embedding - d.hidden).abs() > 0.5 && speech.is_none() && model.patches.is_none() {
        let y = pen.linear(x, Matrix { inputs: d.embedding, outputs: d.hidden, bias: true });
        pen.cast(y, y.width)
    } else {
        x
    };
    close(pen, None, x, 1.0, false, 0.0)
}

/// Final norm, head and loss.
fn top(model: &Transformer, setting: &Setting, length: f64) -> Segment {
    let rows = setting.batch * length;
    let mut pen = pen(setting);
    let d = &model.dims;
    let x = pen.tape.input(rows * d.hidden, setting.math.stream(), true);
    let y = if model.final_norm { pen.norm(model.block.norm, x, d.hidden) } else { x };
    let (y, rows) = if setting.last_token && model.head == Head::Causal {
        let last = setting.batch * d.hidden;
        (pen.tape.view(Op::of(&[y]).scatter(), last), setting.batch)
    } else {
        (y, rows)
    };
    let loss = match model.head {
        Head::Causal | Head::Masked => {
            let masked = model.head == Head::Masked;
            let y = if masked {
                let y = pen.linear(y, Matrix { inputs: d.hidden, outputs: d.embedding, bias: true });
                let y = pen.activate(Activation::Gelu, y);
                pen.norm(Norm::Layer, y, d.embedding)
            } else {
                y
            };
            let bias = model.head_bias;
            let matrix = Matrix { inputs: d.embedding.min(y.numel / rows), outputs: d.vocab, bias };
            let mut logits =
                if pen.trained { pen.trained_linear(y, matrix, false) } else { pen.frozen_head(y, matrix) };
            if model.logit_softcap {
                logits = pen.scale(logits);
                logits = pen.tape.run(Op::of(&[logits]), logits.numel, logits.width);
                pen.tape.save_last(logits);
                logits = pen.scale(logits);
            }
            if model.constant_bias {
                // A bias that is not trained, in 32 bits under autocast.
                logits = pen.tape.run(Op::of(&[logits]).hand_on(), logits.numel, setting.math.stream());
            }
            if setting.last_token {
                return close(pen, Some(x), logits, 1.0, false, 0.0);
            }
            // Causal losses widen the logits to 32 bits; autocast widens the others' log-probabilities.
            // A loss of the model's own is widened by autocast, but for adapters over packed weights.
            let packed = pen.adapters.is_some_and(|adapters| adapters.packed);
            let own = !masked && model.stacks.is_none() && pen.autocast() && !packed;
            let wide = if model.wide_loss || own { pen.cast(logits, Width::Full) } else { logits };
            let chances = pen.tape.run(Op::of(&[wide]), wide.numel, wide.width);
            pen.tape.save_last(chances);
            let chances = if pen.autocast() { pen.cast(chances, Width::Full) } else { chances };
            let loss = pen.tape.run(Op::of(&[chances]).save(chances), 1.0, chances.width);
            pen.tape.touch(logits);
            pen.tape.touch(wide);
            loss
        }
        Head::Classify | Head::Pool | Head::None => {
            // The first token is cut out of the sequence; what follows is small.
            let first = pen.tape.view(Op::of(&[y]).scatter(), setting.batch * d.hidden);
            let pooled = if matches!(model.head, Head::None) {
                first
            } else {
                pen.linear(first, Matrix { inputs: d.hidden, outputs: d.hidden, bias: true })
            };
            pen.tape.run(Op::of(&[pooled]), 1.0, Width::Full)
        }
    };
    close(pen, Some(x), loss, 1.0, false, 0.0)
}
