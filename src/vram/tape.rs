//! A tape of tensor operations and what it costs in live bytes: forward (what is kept for the backward pass, what
//! is alive at once) and backward (gradients appear, kept tensors go). The tape follows the rules of eager
//! PyTorch: an operation keeps what its derivative needs until that derivative has been computed, everything
//! else lives until its last use; a gradient that arrives twice is summed in place where nobody else holds it.

mod backward;
mod op;

use super::allocator::{allocated, reused};
use backward::{Backward, Grad};
use op::NONE;
pub(in crate::vram) use op::{Op, Tensor, Width};

#[derive(Debug, Clone, Copy)]
struct Value {
    storage: u16,
    /// As the allocator counts them.
    bytes: f64,
    width: Width,
    grad: bool,
}

#[derive(Debug, Clone, Copy)]
struct Storage {
    bytes: f64,
    /// The last operation that reads it in the forward pass.
    last: u16,
    /// It outlives the tape: someone else holds it.
    held: bool,
    /// A 16-bit copy of a weight: autocast's cache holds it to the end of the forward pass.
    cached: bool,
    /// It was alive before the tape began.
    input: bool,
}

/// A pass over a tape, in bytes against what was alive when it began.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Flow {
    /// The most that was alive at once.
    pub(super) peak: f64,
    /// What is alive when it ends.
    pub(super) end: f64,
}

/// How gradients of parameters are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gradients {
    /// Bytes of one.
    pub(super) bytes: f64,
    /// They exist already, so that a new one is added and freed (accumulation).
    pub(super) exist: bool,
}

/// The tape.
#[derive(Debug, Clone, Default)]
pub(super) struct Tape {
    values: Vec<Value>,
    storages: Vec<Storage>,
    ops: Vec<Op>,
    output: u16,
    /// How many operations keep each storage; counted when the tape is finished.
    kept: Vec<u16>,
}

impl Tape {
    /// An empty tape.
    pub(super) fn new() -> Self {
        Self {
            values: Vec::with_capacity(48),
            storages: Vec::with_capacity(48),
            ops: Vec::with_capacity(48),
            output: NONE,
            kept: Vec::new(),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a tape has some hundred values")]
    fn value(&mut self, storage: Option<u16>, numel: f64, width: Width, grad: bool) -> Tensor {
        let bytes = allocated(numel * width.bytes());
        let storage = storage.unwrap_or_else(|| {
            self.storages.push(Storage {
                bytes: numel * width.bytes(),
                last: 0,
                held: false,
                cached: false,
                input: false,
            });
            self.storages.len() as u16 - 1
        });
        self.values.push(Value { storage, bytes, width, grad });
        Tensor { id: self.values.len() as u16 - 1, numel, width, grad }
    }

    /// A tensor that is alive when the tape begins.
    pub(super) fn input(&mut self, numel: f64, width: Width, grad: bool) -> Tensor {
        let tensor = self.value(None, numel, width, grad);
        if let Some(storage) = self.storage_of(tensor.id) {
            storage.input = true;
        }
        tensor
    }

    /// Parameters or what else lives outside of the tape: it costs nothing here.
    pub(super) fn outside(&mut self, numel: f64, width: Width, grad: bool) -> Tensor {
        let tensor = self.value(None, numel, width, grad);
        if let Some(storage) = self.storage_of(tensor.id) {
            storage.bytes = 0.0;
            storage.held = true;
        }
        tensor
    }

    fn storage_of(&mut self, value: u16) -> Option<&mut Storage> {
        let at = self.values.get(usize::from(value))?.storage;
        self.storages.get_mut(usize::from(at))
    }

    /// The 16-bit copy of a weight that autocast makes: it lives to the end of the forward pass, and as long as an
    /// operation keeps it.
    pub(super) fn cached(&mut self, tensor: Tensor) {
        if let Some(storage) = self.storage_of(tensor.id) {
            storage.cached = true;
            storage.bytes = reused(storage.bytes);
        }
    }

    /// All bytes of such copies on the tape.
    pub(super) fn cached_bytes(&self) -> f64 {
        self.storages.iter().filter(|storage| storage.cached).map(|storage| storage.bytes).sum()
    }

    /// A name in the program keeps a tensor alive up to here.
    pub(super) fn touch(&mut self, tensor: Tensor) {
        let now = self.now();
        if let Some(storage) = self.storage_of(tensor.id) {
            storage.last = storage.last.max(now);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a tape has some hundred operations")]
    fn now(&self) -> u16 {
        (self.ops.len() as u16).saturating_sub(1)
    }

    /// Runs an operation that makes a new tensor.
    pub(super) fn run(&mut self, op: Op, numel: f64, width: Width) -> Tensor {
        self.push(op, None, numel, width)
    }

    /// Runs an operation whose result shares the storage of its first input.
    pub(super) fn view(&mut self, op: Op, numel: f64) -> Tensor {
        let first = self.values.get(usize::from(op.inputs[0])).copied();
        let width = first.map_or(Width::Full, |value| value.width);
        self.push(op, first.map(|value| value.storage), numel, width)
    }

    fn push(&mut self, mut op: Op, storage: Option<u16>, numel: f64, width: Width) -> Tensor {
        let inputs = op.inputs;
        let flows = |id: &u16| self.values.get(usize::from(*id)).is_some_and(|value| value.grad);
        let grad = op.params > 0.0 || inputs.iter().any(flows);
        op.allocates = storage.is_none();
        let output = self.value(storage, numel, width, grad);
        op.output = output.id;
        self.ops.push(op);
        let now = self.now();
        for id in inputs.into_iter().chain([output.id]) {
            if let Some(storage) = self.storage_of(id) {
                storage.last = storage.last.max(now);
            }
        }
        output
    }

    /// The latest operation keeps a tensor too, such as its own result.
    pub(super) fn save_last(&mut self, tensor: Tensor) {
        if let Some(op) = self.ops.last_mut() {
            *op = op.save(tensor);
        }
    }

    /// What the tape hands to its successor.
    pub(super) fn finish(&mut self, output: Tensor) {
        self.output = output.id;
        self.kept = self.saves();
    }

    /// How many operations keep each storage.
    fn saves(&self) -> Vec<u16> {
        let mut counts = vec![0u16; self.storages.len()];
        for op in &self.ops {
            for at in self.kept_by(op) {
                if let Some(count) = counts.get_mut(at) {
                    *count += 1;
                }
            }
        }
        counts
    }

    /// The storages that an operation keeps: none where no gradient will arrive.
    fn kept_by(&self, op: &Op) -> impl Iterator<Item = usize> {
        let wanted = self.values.get(usize::from(op.output)).is_some_and(|value| value.grad);
        let values = &self.values;
        op.saves
            .into_iter()
            .filter(move |id| wanted && *id != NONE)
            .filter_map(move |id| values.get(usize::from(id)).map(|value| usize::from(value.storage)))
    }

    /// Runs it forward. With `keep` the operations keep what their derivatives need; without, nothing outlives its
    /// last use. The inputs of the tape count as alive when it begins; they stay alive with `hold_inputs`.
    pub(super) fn forward(&self, keep: bool, hold_inputs: bool) -> Flow {
        let result = self.values.get(usize::from(self.output)).map_or(usize::MAX, |v| usize::from(v.storage));
        // Storages in lists by the operation after which they go.
        let mut heads = vec![NONE; self.ops.len()];
        let mut next = vec![NONE; self.storages.len()];
        for ((at, storage), id) in self.storages.iter().enumerate().zip(0u16..) {
            let stays = keep && self.kept.get(at).is_some_and(|n| *n > 0)
                || at == result
                || storage.held
                || storage.cached
                || (storage.input && hold_inputs);
            if let (false, Some(head), Some(link)) =
                (stays, heads.get_mut(usize::from(storage.last)), next.get_mut(at))
            {
                *link = *head;
                *head = id;
            }
        }
        let (mut alive, mut peak) = (0.0_f64, 0.0_f64);
        for (op, head) in self.ops.iter().zip(heads) {
            if op.allocates {
                alive += self.storage_bytes(op.output);
            }
            peak = peak.max(alive + op.scratch.0);
            let mut at = head;
            while let Some(storage) = self.storages.get(usize::from(at)) {
                alive -= storage.bytes;
                at = next.get(usize::from(at)).copied().unwrap_or(NONE);
            }
        }
        Flow { peak, end: alive }
    }

    /// Bytes of the gradients of all parameters on the tape that stay.
    pub(super) fn parameter_bytes(&self, gradients: Gradients) -> f64 {
        let stays = |op: &&Op| !gradients.exist && !op.params_again;
        self.ops.iter().filter(stays).map(|op| allocated(op.params * gradients.bytes)).sum()
    }

    /// Whether an operation keeps what the tape begins with.
    pub(super) fn keeps_inputs(&self) -> bool {
        self.storages.iter().zip(&self.kept).any(|(storage, kept)| storage.input && *kept > 0)
    }

    fn storage_bytes(&self, value: u16) -> f64 {
        let at = self.values.get(usize::from(value)).map(|value| usize::from(value.storage));
        at.and_then(|at| self.storages.get(at)).map_or(0.0, |storage| storage.bytes)
    }

    fn bytes_of(&self, value: u16) -> f64 {
        self.values.get(usize::from(value)).map_or(0.0, |value| value.bytes)
    }

    /// Runs it backward. What the forward pass kept, and the gradient of the result, are alive when it begins; the
    /// gradients of the inputs and of the parameters are alive when it ends.
    pub(super) fn backward(&self, gradients: Gradients) -> Flow {
        let mut run = Backward {
            kept: self.kept.clone(),
            buffers: vec![NONE; self.values.len()],
            grads: Vec::with_capacity(self.values.len()),
            alive: 0.0,
            peak: 0.0,
        };
        let incoming = self.bytes_of(self.output);
        run.grads.push(Grad { bytes: incoming, holders: 1 });
        if let Some(buffer) = run.buffers.get_mut(usize::from(self.output)) {
            *buffer = 0;
        }
        for op in self.ops.iter().rev() {
            run.step(self, op, gradients);
        }
        Flow { peak: run.peak, end: run.alive }
    }
}
