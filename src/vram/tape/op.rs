//! Values and operations of a tape.

/// No value.
pub(super) const NONE: u16 = u16::MAX;

/// Width of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::vram) enum Width {
    /// 32-bit floats.
    Full,
    /// 16-bit floats.
    Half,
    /// Bytes: dropout masks.
    Byte,
    /// 64-bit indices.
    Index,
}

impl Width {
    pub(in crate::vram) const fn bytes(self) -> f64 {
        match self {
            Self::Full => 4.0,
            Self::Half => 2.0,
            Self::Byte => 1.0,
            Self::Index => 8.0,
        }
    }
}

/// A value on the tape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::vram) struct Tensor {
    pub(super) id: u16,
    /// Number of elements.
    pub(in crate::vram) numel: f64,
    /// Width of an element.
    pub(in crate::vram) width: Width,
    /// Whether a gradient flows to it.
    pub(in crate::vram) grad: bool,
}

impl Tensor {
    pub(in crate::vram) fn bytes(self) -> f64 {
        self.numel * self.width.bytes()
    }
}

/// How a derivative treats the gradient that arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::vram) enum Derivative {
    /// Views and sums hand it on as it is.
    HandOn,
    /// Every input gets a new tensor.
    Compute,
    /// The gradient of a part is scattered into one of the whole.
    Scatter,
}

/// One operation.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent yes or no")]
#[derive(Debug, Clone, Copy)]
pub(in crate::vram) struct Op {
    pub(super) inputs: [u16; 4],
    pub(super) output: u16,
    pub(super) saves: [u16; 5],
    pub(super) derivative: Derivative,
    /// Trained parameters that get a gradient here.
    pub(super) params: f64,
    /// Width in which that gradient is computed.
    pub(super) params_width: Width,
    /// Extra bytes while it runs forward and backward.
    pub(super) scratch: (f64, f64),
    /// Its result is a tensor of its own.
    pub(super) allocates: bool,
    /// Its parameters have got a gradient from another operation before (tied weights).
    pub(super) params_again: bool,
    /// Its parameters will get another gradient, which this one waits for.
    pub(super) params_wait: bool,
    /// Both gradients of tied weights are summed into a third tensor.
    pub(super) sums_apart: bool,
}

impl Op {
    /// An operation of some inputs whose derivative is computed.
    pub(in crate::vram) fn of(inputs: &[Tensor]) -> Self {
        let mut op = Self {
            inputs: [NONE; 4],
            output: NONE,
            saves: [NONE; 5],
            derivative: Derivative::Compute,
            params: 0.0,
            params_width: Width::Full,
            scratch: (0.0, 0.0),
            allocates: true,
            params_again: false,
            params_wait: false,
            sums_apart: false,
        };
        for (slot, tensor) in op.inputs.iter_mut().zip(inputs) {
            *slot = tensor.id;
        }
        op
    }

    /// It keeps a tensor for its derivative.
    pub(in crate::vram) fn save(mut self, tensor: Tensor) -> Self {
        if let Some(slot) = self.saves.iter_mut().find(|slot| **slot == NONE) {
            *slot = tensor.id;
        }
        self
    }

    /// It hands the gradient on.
    pub(in crate::vram) const fn hand_on(mut self) -> Self {
        self.derivative = Derivative::HandOn;
        self
    }

    /// It scatters the gradient.
    pub(in crate::vram) const fn scatter(mut self) -> Self {
        self.derivative = Derivative::Scatter;
        self
    }

    /// It has trained parameters, whose gradient is computed in a width.
    pub(in crate::vram) const fn params(mut self, count: f64, width: Width) -> Self {
        self.params = count;
        self.params_width = width;
        self
    }

    /// Its parameters are used by a later operation too, which has given them a gradient before.
    /// The sum of both is a third tensor with `apart`.
    pub(in crate::vram) const fn again(mut self, again: bool, apart: bool) -> Self {
        self.params_again = again;
        self.sums_apart = apart;
        self
    }

    /// Its parameters get another gradient later, from an earlier operation: this one waits for it.
    pub(in crate::vram) const fn waits(mut self, waits: bool) -> Self {
        self.params_wait = waits;
        self
    }

    /// It needs extra bytes while it runs forward and backward.
    pub(in crate::vram) fn scratch(mut self, forward: f64, backward: f64) -> Self {
        self.scratch = (self.scratch.0.max(forward), self.scratch.1.max(backward));
        self
    }
}
