//! One layer of a transformer on the tape.

use super::attention::View;
use super::pen::{Adapters, Matrix, Pen};
use super::tape::{Op, Tensor, Width};
use crate::model::architecture::{Block, Dims, Experts, Gate, Order};

impl Pen {
    /// A layer; with `context` it looks at an encoder's result too.
    #[expect(clippy::many_single_char_names, reason = "the usual letters of the formulas")]
    pub(super) fn layer(
        &mut self,
        block: &Block,
        dims: &Dims,
        experts: Option<Experts>,
        x: Tensor,
        context: Option<(Tensor, View)>,
        view: View,
    ) -> Tensor {
        let h = dims.hidden;
        let y = match block.order {
            Order::Pre | Order::Sandwich | Order::Output => {
                let own = block.order == Order::Output;
                let mut x = x;
                let y = if own { x } else { self.norm(block.norm, x, h) };
                let y = self.attention(block, dims, y, None, view);
                let y = self.after(block, h, y);
                let y = self.dropout(y, block.residual_dropout);
                x = self.sum(x, y);
                if let Some((context, across)) = context {
                    let y = self.norm(block.norm, x, h);
                    let y = self.attention(block, dims, y, Some(context), across);
                    let y = self.dropout(y, block.residual_dropout);
                    x = self.sum(x, y);
                }
                let y = if own { x } else { self.norm(block.norm, x, h) };
                let y = self.feed_forward(block, dims, experts, y);
                let y = self.after(block, h, y);
                let y = self.dropout(y, block.output_dropout);
                self.sum(x, y)
            }
            Order::Post => {
                let y = self.attention(block, dims, x, None, view);
                let y = self.dropout(y, block.residual_dropout);
                let y = self.sum(x, y);
                let mut x = self.norm(block.norm, y, h);
                if let Some((context, across)) = context {
                    let y = self.attention(block, dims, x, Some(context), across);
                    let y = self.dropout(y, block.residual_dropout);
                    let y = self.sum(x, y);
                    x = self.norm(block.norm, y, h);
                }
                let y = self.feed_forward(block, dims, experts, x);
                let y = self.dropout(y, block.output_dropout);
                let y = self.sum(x, y);
                self.norm(block.norm, y, h)
            }
            Order::Parallel | Order::ParallelTwo => {
                let first = self.norm(block.norm, x, h);
                let second = if block.order == Order::Parallel { first } else { self.norm(block.norm, x, h) };
                let a = self.attention(block, dims, first, None, view);
                let a = self.dropout(a, block.residual_dropout);
                let b = self.feed_forward(block, dims, experts, second);
                let b = self.dropout(b, block.output_dropout);
                let y = self.sum(a, b);
                self.sum(y, x)
            }
        };
        if let Some(held) = self.held.take() {
            self.tape.touch(held);
        }
        // The loop over layers holds the layer's input until it has its output.
        self.tape.touch(x);
        y
    }

    /// What follows a part before its residual sum.
    fn after(&mut self, block: &Block, hidden: f64, y: Tensor) -> Tensor {
        let y = if matches!(block.order, Order::Sandwich | Order::Output) {
            self.norm(block.norm, y, hidden)
        } else {
            y
        };
        self.layer_scale(y, hidden, block.layer_scale)
    }

    fn mlp_linear(&mut self, x: Tensor, matrix: Matrix) -> Tensor {
        match self.adapters {
            None => self.linear(x, matrix),
            Some(Adapters { queries_and_values: true, .. }) => self.frozen_linear(x, matrix),
            Some(adapters) => self.adapted_linear(x, matrix, adapters),
        }
    }

    fn feed_forward(&mut self, block: &Block, dims: &Dims, experts: Option<Experts>, x: Tensor) -> Tensor {
        match experts {
            Some(experts) => self.mixture(block, dims, experts, x),
            None => self.dense(block, dims.hidden, dims.ffn, x),
        }
    }

    fn dense(&mut self, block: &Block, hidden: f64, ffn: f64, x: Tensor) -> Tensor {
        let bias = block.mlp_bias;
        let up = Matrix { inputs: hidden, outputs: ffn, bias };
        let inner = match block.gate {
            Gate::None => {
                let y = self.mlp_linear(x, up);
                self.activate(block.activation, y)
            }
            Gate::Separate => {
                let gate = self.mlp_linear(x, up);
                let gate = self.activate(block.activation, gate);
                let value = self.mlp_linear(x, up);
                self.product(gate, value)
            }
            Gate::Fused => {
                let both = self.mlp_linear(x, Matrix { inputs: hidden, outputs: 2.0 * ffn, bias });
                let numel = both.numel / 2.0;
                let gate = self.tape.view(Op::of(&[both]).scatter(), numel);
                let value = self.tape.view(Op::of(&[both]).scatter(), numel);
                let gate = self.activate(block.activation, gate);
                self.product(gate, value)
            }
        };
        let inner = self.dropout(inner, block.inner_dropout);
        let y = self.mlp_linear(inner, Matrix { inputs: ffn, outputs: hidden, bias });
        self.tape.touch(x);
        y
    }

    /// Experts by grouped products: every token is gathered `top` times, its results are weighted and summed.
    fn mixture(&mut self, block: &Block, dims: &Dims, experts: Experts, x: Tensor) -> Tensor {
        let (h, f) = (dims.hidden, dims.ffn);
        let tokens = x.numel / h;
        let picks = tokens * experts.top;
        let scores = self.trained_linear(x, Matrix { inputs: h, outputs: experts.count, bias: false }, false);
        let scores = self.cast(scores, Width::Full);
        let chances = self.tape.run(Op::of(&[scores]), scores.numel, Width::Full);
        self.tape.save_last(chances);
        let weights = self.tape.run(Op::of(&[chances]), picks, Width::Full);
        let order = self.tape.run(Op::of(&[]), picks, Width::Index);
        let gathered = self.tape.run(Op::of(&[x]).save(order), picks * h, x.width);
        // Autocast does not know the grouped product: it runs in the width of the weights.
        let expert = |pen: &mut Self, x: Tensor, inputs: f64, outputs: f64| {
            let count = experts.count * inputs * outputs;
            let op = Op::of(&[x]).save(x).params(count, pen.math.stream());
            pen.tape.run(op, picks * outputs, pen.math.stream())
        };
        let both = expert(self, gathered, h, 2.0 * f);
        let gate = self.tape.view(Op::of(&[both]).scatter(), picks * f);
        let value = self.tape.view(Op::of(&[both]).scatter(), picks * f);
        let gate = self.activate(block.activation, gate);
        let inner = self.product(gate, value);
        let result = expert(self, inner, f, h);
        let weighted =
            self.tape.run(Op::of(&[result, weights]).save(result).save(weights), picks * h, result.width);
        let restored = self.tape.run(Op::of(&[weighted]).save(order), picks * h, weighted.width);
        let summed = self.tape.run(Op::of(&[restored]), tokens * h, restored.width);
        let routed = self.cast(summed, x.width);
        if experts.shared > 0.0 {
            let shared = self.dense(block, h, experts.shared, x);
            self.sum(routed, shared)
        } else {
            routed
        }
    }
}
