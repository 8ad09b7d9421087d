//! Writes the operations of a network onto a tape as eager PyTorch runs them: where autocast casts, what a fused
//! and what a written-out operation keeps.

use super::tape::{Op, Tape, Tensor, Width};
use crate::model::architecture::{Activation, Norm};

/// Number formats of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// 32 bits throughout.
    Full,
    /// Autocast: 32-bit weights and residual stream, 16-bit matrix products.
    Amp,
    /// 16 bits throughout.
    Half,
}

impl Arithmetic {
    /// Width of weights and of the residual stream.
    pub(super) const fn stream(self) -> Width {
        match self {
            Self::Full | Self::Amp => Width::Full,
            Self::Half => Width::Half,
        }
    }

    /// Width of matrix products.
    pub(super) const fn product(self) -> Width {
        match self {
            Self::Full => Width::Full,
            Self::Amp | Self::Half => Width::Half,
        }
    }
}

/// A matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix {
    pub(super) inputs: f64,
    pub(super) outputs: f64,
    pub(super) bias: bool,
}

/// Low-rank adapters beside frozen matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Adapters {
    pub(super) rank: f64,
    /// Only queries and values have them.
    pub(super) queries_and_values: bool,
    /// Width of the adapters' own weights.
    pub(super) width: Width,
    /// Frozen matrices are 4-bit and unpacked for each product.
    pub(super) packed: bool,
}

/// The pen.
pub(super) struct Pen {
    pub(super) tape: Tape,
    pub(super) math: Arithmetic,
    pub(super) adapters: Option<Adapters>,
    /// Weights are trained here.
    pub(super) trained: bool,
    /// A tensor that the program holds to the end of the layer.
    pub(super) held: Option<Tensor>,
}

impl Pen {
    pub(super) fn new(math: Arithmetic, adapters: Option<Adapters>) -> Self {
        Self { tape: Tape::new(), math, adapters, trained: adapters.is_none(), held: None }
    }

    /// A copy in another width; the tensor itself where it has it already.
    pub(super) fn cast(&mut self, x: Tensor, width: Width) -> Tensor {
        if x.width == width { x } else { self.tape.run(Op::of(&[x]), x.numel, width) }
    }

    /// Whether autocast is on: adapters in 32 bits beside 16-bit weights run under it too.
    pub(super) fn autocast(&self) -> bool {
        let wide = self.adapters.is_some_and(|adapters| adapters.width == Width::Full);
        self.math == Arithmetic::Amp || (wide && self.math == Arithmetic::Half)
    }

    /// What autocast hands to a matrix product.
    fn operand(&mut self, x: Tensor) -> Tensor {
        if self.autocast() { self.cast(x, Width::Half) } else { x }
    }

    /// A small tensor that an operation keeps beside its operands.
    fn small(&mut self, numel: f64, width: Width) -> Tensor {
        self.tape.run(Op::of(&[]), numel, width)
    }

    /// A product with a matrix that is trained, frozen or has adapters.
    pub(super) fn linear(&mut self, x: Tensor, matrix: Matrix) -> Tensor {
        if self.trained { self.trained_linear(x, matrix, false) } else { self.frozen_linear(x, matrix) }
    }

    /// A product with a trained matrix; `waits` when its weights get a gradient from an earlier operation too.
    pub(super) fn trained_linear(&mut self, x: Tensor, matrix: Matrix, waits: bool) -> Tensor {
        let weights = matrix.inputs * matrix.outputs;
        let operand = self.operand(x);
        let numel = operand.numel / matrix.inputs * matrix.outputs;
        let mut op = Op::of(&[operand]).save(operand);
        if self.autocast() {
            let copy = self.small(weights, Width::Half);
            self.tape.cached(copy);
            op = op.save(copy);
        }
        let bias = if matrix.bias { matrix.outputs } else { 0.0 };
        // The sum over rows for the bias goes through a buffer of partial sums: measured up to 16 KiB per output, at
        // most 64 MiB, and never more than the gradient itself.
        let partial =
            if matrix.bias { (16_384.0 * matrix.outputs).min(67_108_864.0).min(numel * 4.0) } else { 0.0 };
        let op = op.params(weights + bias, self.math.product()).waits(waits).scratch(0.0, partial);
        self.tape.run(op, numel, self.math.product())
    }

    /// A product with a frozen matrix: only the gradient of the input is computed, so the input is not kept. A packed
    /// matrix is unpacked for the product, which comes back in the width of the input.
    pub(super) fn frozen_linear(&mut self, x: Tensor, matrix: Matrix) -> Tensor {
        let operand = self.operand(x);
        let numel = operand.numel / matrix.inputs * matrix.outputs;
        let packed = self.adapters.is_some_and(|adapters| adapters.packed);
        let unpacked = if packed { 2.0 * matrix.inputs * matrix.outputs } else { 0.0 };
        let op = Op::of(&[operand]).scratch(unpacked, unpacked);
        // Kernels for 4-bit matrices keep their input in many releases, though its product needs no gradient of theirs;
        // the measured prepared runs recompute their layers, where it does not show.
        let op = if packed && self.math == Arithmetic::Half { op.save(operand) } else { op };
        let y = self.tape.run(op, numel, self.math.product());
        if packed { self.cast(y, x.width) } else { y }
    }

    /// A product with a frozen matrix in 32 bits under autocast: its 16-bit copy is kept for the gradient of the input.
    pub(super) fn frozen_head(&mut self, x: Tensor, matrix: Matrix) -> Tensor {
        if self.math != Arithmetic::Amp {
            return self.frozen_linear(x, matrix);
        }
        let operand = self.operand(x);
        let numel = operand.numel / matrix.inputs * matrix.outputs;
        let copy = self.small(matrix.inputs * matrix.outputs, Width::Half);
        self.tape.run(Op::of(&[operand]).save(copy), numel, Width::Half)
    }

    /// A product with a frozen matrix and its adapter: `W x + s · B(A(dropout(x)))`.
    pub(super) fn adapted_linear(&mut self, x: Tensor, matrix: Matrix, adapters: Adapters) -> Tensor {
        let base = self.frozen_linear(x, matrix);
        let x = self.cast(x, adapters.width);
        let x = self.dropout(x, true);
        let narrow = Matrix { inputs: matrix.inputs, outputs: adapters.rank, bias: false };
        let wide = Matrix { inputs: adapters.rank, outputs: matrix.outputs, bias: false };
        let low = self.trained_linear(x, narrow, false);
        let high = self.trained_linear(low, wide, false);
        let scaled = self.scale(high);
        let y = self.sum(base, scaled);
        self.cast(y, base.width)
    }

    /// A multiple by a constant: nothing is kept.
    pub(super) fn scale(&mut self, x: Tensor) -> Tensor {
        self.tape.run(Op::of(&[x]), x.numel, x.width)
    }

    /// A sum, in the wider of both widths.
    pub(super) fn sum(&mut self, a: Tensor, b: Tensor) -> Tensor {
        let width = if a.width == Width::Full { a.width } else { b.width };
        self.tape.run(Op::of(&[a, b]).hand_on(), a.numel, width)
    }

    /// A product element by element, in the wider of both widths.
    pub(super) fn product(&mut self, a: Tensor, b: Tensor) -> Tensor {
        let width = if a.width == Width::Full { a.width } else { b.width };
        self.tape.run(Op::of(&[a, b]).save(a).save(b), a.numel, width)
    }

    /// Dropout: one byte per element is kept.
    pub(super) fn dropout(&mut self, x: Tensor, active: bool) -> Tensor {
        if !active {
            return x;
        }
        let mask = self.small(x.numel, Width::Byte);
        self.tape.run(Op::of(&[x]).save(mask), x.numel, x.width)
    }

    /// A contiguous copy of a tensor whose axes were exchanged.
    pub(super) fn copy(&mut self, x: Tensor) -> Tensor {
        self.tape.run(Op::of(&[x]), x.numel, x.width)
    }

    /// A norm over groups of `width` elements.
    pub(super) fn norm(&mut self, norm: Norm, x: Tensor, width: f64) -> Tensor {
        let groups = x.numel / width;
        match norm {
            Norm::Layer => {
                let x = if self.math == Arithmetic::Amp { self.cast(x, Width::Full) } else { x };
                let moments = self.small(2.0 * groups, Width::Full);
                let params = if self.trained { 2.0 * width } else { 0.0 };
                let op = Op::of(&[x]).save(x).save(moments).params(params, x.width);
                self.tape.run(op, x.numel, x.width)
            }
            Norm::LayerFree => {
                let wide = self.cast(x, Width::Full);
                let moments = self.small(2.0 * groups, Width::Full);
                let y = self.tape.run(Op::of(&[wide]).save(wide).save(moments), x.numel, Width::Full);
                self.cast(y, x.width)
            }
            Norm::LayerPlain => {
                // mean, centred, variance by pow, product with rsqrt, weight in 32 bits, cast.
                let wide = self.cast(x, Width::Full);
                let centred = self.tape.run(Op::of(&[wide]), x.numel, Width::Full);
                let again = self.tape.run(Op::of(&[wide]), x.numel, Width::Full);
                let y = self.normalise(again, centred, groups);
                let y = self.weigh(y, width);
                self.cast(y, x.width)
            }
            Norm::Rms => {
                let wide = self.cast(x, Width::Full);
                let y = self.normalise(wide, wide, groups);
                let y = self.cast(y, x.width);
                self.weigh(y, width)
            }
            Norm::RmsOnePlus | Norm::RmsWide => {
                let wide = self.cast(x, Width::Full);
                let y = self.normalise(wide, wide, groups);
                let y = self.weigh(y, width);
                self.cast(y, x.width)
            }
            Norm::RmsT5 => {
                let wide = self.cast(x, Width::Full);
                let y = self.normalise(x, wide, groups);
                let y = self.cast(y, self.math.stream());
                self.weigh(y, width)
            }
        }
    }

    /// `x · rsqrt(mean(wide²) + ε)`.
    fn normalise(&mut self, x: Tensor, wide: Tensor, groups: f64) -> Tensor {
        let square =
            self.tape.run(Op::of(&[wide]).save(wide).scratch(0.0, 8.0 * wide.numel), wide.numel, Width::Full);
        let mean = self.tape.run(Op::of(&[square]), groups, Width::Full);
        let root = self.tape.run(Op::of(&[mean]), groups, Width::Full);
        self.tape.save_last(root);
        let op = Op::of(&[x, root]).save(x).save(root).scratch(0.0, x.bytes());
        self.tape.run(op, x.numel, Width::Full)
    }

    /// A product with a trained vector.
    fn weigh(&mut self, x: Tensor, width: f64) -> Tensor {
        if self.trained {
            let op = Op::of(&[x]).save(x).params(width, x.width).scratch(0.0, x.bytes());
            self.tape.run(op, x.numel, x.width)
        } else {
            self.scale(x)
        }
    }

    /// Each part of a residual scaled by a trained vector.
    pub(super) fn layer_scale(&mut self, x: Tensor, width: f64, active: bool) -> Tensor {
        if !active {
            return x;
        }
        let wide = self.math.stream();
        let op = Op::of(&[x]).save(x).params(width, wide).scratch(0.0, x.bytes());
        self.tape.run(op, x.numel, wide)
    }

    /// An activation.
    pub(super) fn activate(&mut self, activation: Activation, x: Tensor) -> Tensor {
        let n = x.numel;
        match activation {
            Activation::Gelu | Activation::Silu => self.tape.run(Op::of(&[x]).save(x), n, x.width),
            Activation::GeluOwn => {
                self.tape.run(Op::of(&[x]).save(x).scratch(3.0 * x.bytes(), 6.0 * x.bytes()), n, x.width)
            }
            Activation::Relu => {
                let y = self.tape.run(Op::of(&[x]), n, x.width);
                self.tape.save_last(y);
                y
            }
            Activation::ReluSquared if self.math == Arithmetic::Amp => {
                // Autocast squares in 32 bits; measured, the 16-bit result of ReLU is not kept beside its 32-bit copy.
                let y = self.tape.run(Op::of(&[x]), n, x.width);
                let y = self.cast(y, Width::Full);
                self.tape.run(Op::of(&[y]).save(y).scratch(0.0, 2.0 * y.bytes()), n, y.width)
            }
            Activation::ReluSquared => {
                let y = self.tape.run(Op::of(&[x]), n, x.width);
                self.tape.save_last(y);
                self.tape.run(Op::of(&[y]).save(y).scratch(0.0, 2.0 * y.bytes()), n, y.width)
            }
            Activation::GeluQuick => {
                let scaled = self.scale(x);
                let gate = self.tape.run(Op::of(&[scaled]), n, x.width);
                self.tape.save_last(gate);
                self.product(x, gate)
            }
            Activation::GeluPlain => {
                // 0.5 x (1 + tanh(c (x + 0.044715 x³))), operation by operation; autocast takes the cube in 32 bits.
                let half = self.scale(x);
                let base = if self.math == Arithmetic::Amp { self.cast(x, Width::Full) } else { x };
                let cube =
                    self.tape.run(Op::of(&[base]).save(base).scratch(0.0, 2.0 * base.bytes()), n, base.width);
                let cube = self.scale(cube);
                let inner = self.sum(cube, x);
                let inner = self.scale(inner);
                let tanh = self.tape.run(Op::of(&[inner]), n, inner.width);
                self.tape.save_last(tanh);
                let one_plus = self.tape.run(Op::of(&[tanh]).hand_on(), n, tanh.width);
                self.product(half, one_plus)
            }
        }
    }
}
