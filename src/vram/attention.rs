//! Attention on the tape: fused (flash in 16 bits, memory-efficient in 32) and written out.

use super::pen::{Arithmetic, Matrix, Pen};
use super::tape::{Op, Tensor, Width};
use crate::model::architecture::{Block, Dims, Position, QkNorm, Softmax};

/// What attention looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Samples.
    pub(super) batch: f64,
    /// Tokens that ask.
    pub(super) queries: f64,
    /// Tokens that are looked at.
    pub(super) keys: f64,
    /// Written out instead of fused.
    pub(super) eager: bool,
    /// Later tokens are hidden from earlier ones.
    pub(super) causal: bool,
}

/// Which of the three products one adapter belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Query,
    Key,
    Value,
    Output,
}

impl Pen {
    fn attention_linear(&mut self, x: Tensor, matrix: Matrix, role: Role) -> Tensor {
        match self.adapters {
            None => self.linear(x, matrix),
            Some(a) if a.queries_and_values && matches!(role, Role::Key | Role::Output) => {
                self.frozen_linear(x, matrix)
            }
            Some(a) => self.adapted_linear(x, matrix, a),
        }
    }

    /// Self-attention, or attention to `context`, without the residual sum.
    #[expect(clippy::many_single_char_names, reason = "the usual letters of the formulas")]
    pub(super) fn attention(
        &mut self,
        block: &Block,
        dims: &Dims,
        x: Tensor,
        context: Option<Tensor>,
        view: View,
    ) -> Tensor {
        let (h, q_width, kv_width) = (dims.hidden, dims.queries(), dims.keys());
        let bias = block.qkv_bias;
        let source = context.unwrap_or(x);
        let (mut q, mut k, mut v);
        if block.fused_qkv && context.is_none() {
            let matrix = Matrix { inputs: h, outputs: q_width + 2.0 * kv_width, bias };
            let whole = self.attention_linear(x, matrix, Role::Query);
            let whole = if block.packed { self.copy(whole) } else { whole };
            let rows = whole.numel / matrix.outputs;
            q = self.part(whole, rows * q_width);
            k = self.part(whole, rows * kv_width);
            v = self.part(whole, rows * kv_width);
            if block.copied_parts {
                k = self.copy(k);
                v = self.copy(v);
            }
        } else {
            q = self.attention_linear(x, Matrix { inputs: h, outputs: q_width, bias }, Role::Query);
            let key_bias = bias && block.key_bias;
            k = self.attention_linear(
                source,
                Matrix { inputs: h, outputs: kv_width, bias: key_bias },
                Role::Key,
            );
            v = self.attention_linear(source, Matrix { inputs: h, outputs: kv_width, bias }, Role::Value);
        }
        match block.qk_norm {
            QkNorm::None => {}
            QkNorm::Head => {
                q = self.norm(block.norm, q, dims.head_dim);
                k = self.norm(block.norm, k, dims.head_dim);
            }
            QkNorm::Full => {
                q = self.norm(block.norm, q, q_width);
                k = self.norm(block.norm, k, kv_width);
            }
        }
        let rotated = block.position == Position::Rotary && context.is_none();
        if rotated {
            q = self.rotate(q, block.rotary);
            k = self.rotate(k, block.rotary);
        }
        // A concatenation lays heads before tokens; so does a layout copy.
        let heads_first = rotated && block.rotary < 1.0 && !block.tokens_first;
        let attended = if view.eager || block.eager_only {
            self.written_out(block, dims, (q, k, v), view, rotated)
        } else {
            self.fused(block, dims, (q, k, v), view, heads_first)
        };
        self.attention_linear(
            attended,
            Matrix { inputs: q_width, outputs: h, bias: block.out_bias },
            Role::Output,
        )
    }

    /// One part of a split result: a view whose gradient is laid into one of the whole.
    fn part(&mut self, whole: Tensor, numel: f64) -> Tensor {
        self.tape.view(Op::of(&[whole]).scatter(), numel)
    }

    /// `x cos + rotate(x) sin`; the tables are in the width of the residual stream, so autocast widens the result.
    fn rotate(&mut self, x: Tensor, share: f64) -> Tensor {
        let wide = self.math.stream();
        let turned = if share < 1.0 { self.part(x, x.numel * share) } else { x };
        let straight = self.tape.run(Op::of(&[turned]), turned.numel, wide);
        let swapped = self.tape.run(
            Op::of(&[turned]).scratch(turned.bytes() / 2.0, turned.bytes()),
            turned.numel,
            turned.width,
        );
        let crossed = self.tape.run(Op::of(&[swapped]), turned.numel, wide);
        let rotated = self.sum(straight, crossed);
        if share < 1.0 {
            let rest = self.part(x, x.numel * (1.0 - share));
            self.tape.run(Op::of(&[rotated, rest]), x.numel, wide)
        } else {
            rotated
        }
    }

    fn fused(
        &mut self,
        block: &Block,
        dims: &Dims,
        (q, k, v): (Tensor, Tensor, Tensor),
        view: View,
        heads_first: bool,
    ) -> Tensor {
        let product = self.math.product();
        let (q, k, v) = (self.cast(q, product), self.cast(k, product), self.cast(v, product));
        let sums = self.tape.run(Op::of(&[]), view.batch * dims.heads * view.queries, Width::Full);
        let grouped = dims.kv_heads < dims.heads;
        let backward = if product == Width::Half {
            // Flash: queries' gradients are summed in 32 bits; grouped heads get expanded gradients first.
            4.0 * q.numel
                + sums.bytes()
                + if grouped { 4.0 * view.batch * view.keys * dims.queries() } else { 0.0 }
        } else {
            sums.bytes() + if grouped { 8.0 * view.batch * view.keys * dims.queries() } else { 0.0 }
        };
        let mut op = Op::of(&[q, k, v]).save(q).save(k).save(v).save(sums).scratch(0.0, backward);
        if block.position == Position::Bias {
            // The bias of positions is a mask: flash does not take one.
            let pairs = dims.heads * view.queries * view.keys;
            let mask = self.tape.run(Op::of(&[]), pairs, product);
            op = Op::of(&[q, k, v, mask])
                .save(q)
                .save(k)
                .save(v)
                .save(sums)
                .save(mask)
                .scratch(0.0, sums.bytes() + mask.bytes());
        }
        let out = self.tape.run(op, q.numel, product);
        self.tape.save_last(out);
        // Flash lays its result out as the queries lie, the memory-efficient kernel tokens first.
        let copied =
            if block.packed { product == Width::Full } else { heads_first && product == Width::Half };
        if copied { self.copy(out) } else { out }
    }

    /// Scores, softmax and weighted sum as separate operations.
    fn written_out(
        &mut self,
        block: &Block,
        dims: &Dims,
        (q, k, v): (Tensor, Tensor, Tensor),
        view: View,
        rotated: bool,
    ) -> Tensor {
        let product = self.math.product();
        let pairs = view.batch * dims.heads * view.queries * view.keys;
        let asked = q.width;
        let (mut q, mut k, mut v) = (q, k, v);
        if dims.kv_heads < dims.heads {
            let numel = view.batch * view.keys * dims.queries();
            k = self.tape.run(Op::of(&[k]), numel, k.width);
            v = self.tape.run(Op::of(&[v]), numel, v.width);
        }
        if block.wide_scores {
            q = self.cast(q, Width::Full);
            k = self.cast(k, Width::Full);
        }
        let wide_product = if self.math == Arithmetic::Half { q.width } else { product };
        let (left, right) = (self.laid_out(q, wide_product), self.laid_out(k, wide_product));
        let mut scores = self.tape.run(Op::of(&[left, right]).save(left).save(right), pairs, wide_product);
        scores = self.scale(scores);
        if block.softcap {
            scores = self.scale(scores);
            scores = self.tape.run(Op::of(&[scores]), pairs, scores.width);
            self.tape.save_last(scores);
            scores = self.scale(scores);
        }
        if view.causal || matches!(block.position, Position::Bias | Position::Alibi) {
            // The mask has the width of the residual stream.
            let width = self.math.stream();
            scores = self.tape.run(
                Op::of(&[scores]),
                pairs,
                if scores.width == Width::Full { scores.width } else { width },
            );
        }
        let wide = block.softmax == Softmax::Wide || self.math == Arithmetic::Amp;
        let narrow = scores;
        let scores = if wide { self.cast(scores, Width::Full) } else { scores };
        // The derivative of softmax multiplies gradient and result into a third tensor.
        let op = Op::of(&[scores]).scratch(0.0, scores.bytes());
        let mut weights = self.tape.run(op, pairs, scores.width);
        self.tape.save_last(weights);
        if block.softmax == Softmax::Wide {
            let width = if rotated || self.math != Arithmetic::Amp { asked } else { Width::Half };
            weights = self.cast(weights, width);
        }
        self.tape.touch(narrow);
        weights = self.dropout(weights, block.attention_dropout);
        // The layer is handed the weights and holds them to its end.
        self.held = Some(weights);
        let weights = self.cast(weights, product);
        let right = self.laid_out(v, product);
        let out = self.tape.run(Op::of(&[weights, right]).save(weights).save(right), q.numel, product);
        self.copy(out)
    }

    /// An operand of a batched product: cast, then laid out contiguously.
    fn laid_out(&mut self, x: Tensor, product: Width) -> Tensor {
        let x = self.cast(x, product);
        self.copy(x)
    }
}
