//! Parameter counts in closed form, from the dimensions of a transformer.

use super::architecture::{Gate, Head, Norm, Order, Position, QkNorm, Transformer};

/// Where the parameters lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// All.
    pub total: f64,
    /// Those that one token's arithmetic uses; fewer than all in a mixture of experts.
    pub active: f64,
    /// Tables that are looked up.
    pub embedding: f64,
    /// Of one layer (of the encoder, where there are two stacks).
    pub layer: f64,
    /// Weights of matrix products, heads included: what autocast copies to 16 bits, what 4-bit formats compress
    /// (heads and tables excluded).
    pub matrices: f64,
    /// The largest single tensor.
    pub largest: f64,
}

fn linear(inputs: f64, outputs: f64, bias: bool) -> f64 {
    inputs * outputs + if bias { outputs } else { 0.0 }
}

fn norm(t: &Transformer, width: f64) -> f64 {
    match t.block.norm {
        Norm::LayerFree => 0.0,
        _ if t.block.norm_bias => 2.0 * width,
        _ => width,
    }
}

#[expect(clippy::many_single_char_names, reason = "the usual letters of the formulas")]
fn attention(t: &Transformer) -> f64 {
    let (b, d) = (&t.block, &t.dims);
    let (q, k, h) = (d.queries(), d.keys(), d.hidden);
    let key_bias = b.qkv_bias && b.key_bias;
    let norms = match b.qk_norm {
        QkNorm::None => 0.0,
        QkNorm::Head => 2.0 * norm(t, d.head_dim),
        QkNorm::Full => norm(t, q) + norm(t, k),
    };
    linear(h, q, b.qkv_bias)
        + linear(h, k, key_bias)
        + linear(h, k, b.qkv_bias)
        + linear(q, h, b.out_bias)
        + norms
}

fn feed_forward(t: &Transformer, ffn: f64) -> f64 {
    let (b, h) = (&t.block, t.dims.hidden);
    let ups = if b.gate == Gate::None { 1.0 } else { 2.0 };
    ups * linear(h, ffn, b.mlp_bias) + linear(ffn, h, b.mlp_bias)
}

/// Counts the parameters of a transformer.
pub fn count(t: &Transformer) -> Parameters {
    let d = &t.dims;
    let h = d.hidden;
    let norms = match t.block.order {
        Order::Pre | Order::Post | Order::ParallelTwo | Order::Output => 2.0,
        Order::Parallel => 1.0,
        Order::Sandwich => 4.0,
    };
    let scales = if t.block.layer_scale { 2.0 * h } else { 0.0 };
    let around = attention(t) + norms * norm(t, h) + scales;
    let (layer, active) = if let Some(e) = t.experts {
        let router = h * e.count;
        let shared = if e.shared > 0.0 { feed_forward(t, e.shared) + h } else { 0.0 };
        let one = feed_forward(t, d.ffn);
        (around + router + shared + e.count * one, around + router + shared + e.top * one)
    } else {
        let all = around + feed_forward(t, d.ffn);
        (all, all)
    };
    let table = d.vocab * d.embedding;
    let mut embedding = table + (d.positions + d.types) * d.embedding;
    let mut rest = 0.0;
    if t.embedding_norm {
        rest += 2.0 * d.embedding;
    }
    if (d.embedding - h).abs() > 0.5 {
        rest += linear(d.embedding, h, true);
    }
    if t.final_norm {
        rest += norm(t, h);
    }
    let mut head = 0.0;
    match t.head {
        Head::Causal => {
            head += if t.tied { 0.0 } else { table } + if t.head_bias { d.vocab } else { 0.0 };
        }
        Head::Masked => {
            rest += linear(h, d.embedding, t.class != "modernbert")
                + if t.class == "modernbert" { d.embedding } else { 2.0 * d.embedding };
            head += d.vocab;
        }
        Head::Classify if t.patches.is_none() => rest += linear(h, h, true) + linear(h, 2.0, true),
        Head::Pool => rest += linear(h, h, true),
        Head::Classify | Head::None => {}
    }
    let copies = if t.shared_layers { 1.0 } else { d.layers };
    let mut layers = copies * layer;
    let mut active_layers = copies * active;
    if t.class == "modernbert" {
        // The first layer has no norm before attention.
        layers -= norm(t, h);
        active_layers -= norm(t, h);
        rest -= d.embedding;
    }
    if t.class == "mpnet" {
        rest += 32.0 * d.heads;
    }
    if let Some(p) = t.patches {
        embedding = 0.0;
        let grid = (p.image / p.patch).floor().powi(2);
        rest += linear(3.0 * p.patch * p.patch, h, true) + p.extra * h + (grid + p.extra) * h;
        head = if t.head == Head::Classify { linear(h, d.vocab, true) } else { 0.0 };
        if t.class == "dinov2" {
            rest += h;
            head = linear(2.0 * h, d.vocab, true);
        }
    }
    if let Some(s) = t.stacks {
        let across = attention(t) + norm(t, h);
        let decoder = attention(t) + across + 2.0 * norm(t, h) + feed_forward(t, s.decoder_ffn);
        layers += s.decoder_layers * decoder;
        active_layers += s.decoder_layers * decoder;
        // Each stack has norms and positions of its own.
        if t.final_norm {
            rest += norm(t, h);
        }
        if t.embedding_norm {
            rest += 2.0 * h;
        }
        if let Some(mels) = s.mels {
            rest += 3.0 * mels * h + h + 3.0 * h * h + h + s.frames * h;
        } else {
            embedding += d.positions * h;
        }
        if t.block.position == Position::Bias {
            rest += 2.0 * 32.0 * d.heads;
        }
    }
    let total = embedding + layers + rest + head;
    let experts = t.experts.map_or(1.0, |e| e.count * if t.block.gate == Gate::None { 1.0 } else { 2.0 });
    Parameters {
        total,
        active: embedding + active_layers + rest + head,
        embedding,
        layer,
        matrices: layers,
        largest: (table * if t.patches.is_some() { 0.0 } else { 1.0 }).max(h * d.ffn * experts),
    }
}

/// The large tensors of parameters: elements of each, and how many there are.
#[expect(clippy::many_single_char_names, reason = "the usual letters of the formulas")]
pub fn tensors(t: &Transformer) -> [(f64, f64); 8] {
    let (b, d) = (&t.block, &t.dims);
    let h = d.hidden;
    let layers = if t.shared_layers { 1.0 } else { d.layers };
    let table = if t.patches.is_some() { (0.0, 0.0) } else { (d.vocab * d.embedding, 1.0) };
    let tables = if t.head == Head::Causal && !t.tied { 2.0 } else { table.1 };
    let attentions = layers + t.stacks.map_or(0.0, |s| 2.0 * s.decoder_layers);
    let (q, k) = (h * d.queries(), h * d.keys());
    let mut all = [(0.0, 0.0); 8];
    all[0] = (table.0, tables);
    if b.fused_qkv {
        all[1] = (q + 2.0 * k, attentions);
    } else {
        all[1] = (q, attentions);
        all[2] = (k, 2.0 * attentions);
    }
    all[3] = (q, attentions);
    let ups = if b.gate == Gate::Separate { 2.0 } else { 1.0 };
    let wide = if b.gate == Gate::Fused { 2.0 } else { 1.0 };
    if let Some(e) = t.experts {
        all[4] = (e.count * 2.0 * h * d.ffn, layers);
        all[5] = (e.count * h * d.ffn, layers);
    } else {
        all[4] = (wide * h * d.ffn, ups * layers);
        all[5] = (h * d.ffn, layers);
    }
    if let Some(s) = t.stacks {
        all[6] = (h * s.decoder_ffn, (ups + 1.0) * s.decoder_layers);
    }
    all[7] = (d.positions * d.embedding, 1.0);
    all
}
