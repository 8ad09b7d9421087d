//! A tape run backward: gradients appear and are summed, kept tensors go when their derivative is done.

use super::op::{Derivative, NONE, Op};
use super::{Gradients, Tape};
use crate::vram::allocator::allocated;

/// A gradient of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grad {
    pub(super) bytes: f64,
    pub(super) holders: u16,
}

/// A run.
pub(super) struct Backward {
    /// How many operations still keep each storage.
    pub(super) kept: Vec<u16>,
    /// The gradient that has arrived at each value.
    pub(super) buffers: Vec<u16>,
    pub(super) grads: Vec<Grad>,
    pub(super) alive: f64,
    pub(super) peak: f64,
}

impl Backward {
    fn alloc(&mut self, bytes: f64) {
        self.alive += bytes;
        self.peak = self.peak.max(self.alive);
    }

    /// One operation's derivative.
    pub(super) fn step(&mut self, tape: &Tape, op: &Op, gradients: Gradients) {
        let arrived = self.buffers.get(usize::from(op.output)).copied().unwrap_or(NONE);
        let Some(value) = tape.values.get(usize::from(op.output)) else { return };
        if arrived != NONE && value.grad {
            for id in op.inputs {
                self.propagate(tape, op, id, arrived);
            }
            let computed = allocated(op.params * op.params_width.bytes());
            self.alloc(computed);
            self.peak = self.peak.max(self.alive + op.scratch.1);
            self.release(arrived);
            self.drop_kept(tape, op);
            if op.params > 0.0 {
                let wanted = allocated(op.params * gradients.bytes);
                if (wanted - computed).abs() > 0.5 {
                    self.alloc(wanted);
                    self.alive -= computed;
                }
                // A gradient that waits is added with the other one, both at once.
                let added = f64::from(u8::from(gradients.exist && !op.params_wait))
                    + f64::from(u8::from(op.params_again));
                if op.params_again && op.sums_apart {
                    self.peak = self.peak.max(self.alive + wanted);
                }
                self.alive -= wanted * added;
            }
        } else {
            self.drop_kept(tape, op);
        }
    }

    fn propagate(&mut self, tape: &Tape, op: &Op, id: u16, arrived: u16) {
        let Some(input) = tape.values.get(usize::from(id)).filter(|value| value.grad) else { return };
        let bytes = input.bytes;
        let same = self.grads.get(usize::from(arrived)).is_some_and(|g| (g.bytes - bytes).abs() < 0.5);
        let fresh = if op.derivative == Derivative::HandOn && same {
            if let Some(grad) = self.grads.get_mut(usize::from(arrived)) {
                grad.holders += 1;
            }
            arrived
        } else {
            self.alloc(bytes);
            self.grads.push(Grad { bytes, holders: 1 });
            u16::try_from(self.grads.len() - 1).unwrap_or(NONE)
        };
        let before = self.buffers.get(usize::from(id)).copied().unwrap_or(NONE);
        let sum = if before == NONE { fresh } else { self.sum(before, fresh) };
        if let Some(buffer) = self.buffers.get_mut(usize::from(id)) {
            *buffer = sum;
        }
    }

    /// Two gradients of one value are summed into one that nobody else holds, or into a new one.
    fn sum(&mut self, a: u16, b: u16) -> u16 {
        let alone = |grads: &[Grad], at: u16| grads.get(usize::from(at)).is_some_and(|g| g.holders == 1);
        if alone(&self.grads, a) {
            self.release(b);
            a
        } else if alone(&self.grads, b) {
            self.release(a);
            b
        } else {
            let bytes = self.grads.get(usize::from(a)).map_or(0.0, |g| g.bytes);
            self.alloc(bytes);
            self.release(a);
            self.release(b);
            self.grads.push(Grad { bytes, holders: 1 });
            u16::try_from(self.grads.len() - 1).unwrap_or(NONE)
        }
    }

    fn release(&mut self, at: u16) {
        if let Some(grad) = self.grads.get_mut(usize::from(at)) {
            grad.holders = grad.holders.saturating_sub(1);
            if grad.holders == 0 {
                self.alive -= grad.bytes;
            }
        }
    }

    fn drop_kept(&mut self, tape: &Tape, op: &Op) {
        for at in tape.kept_by(op) {
            let (Some(count), Some(storage)) = (self.kept.get_mut(at), tape.storages.get(at)) else {
                continue;
            };
            *count = count.saturating_sub(1);
            if *count == 0 && !storage.held {
                self.alive -= storage.bytes;
            }
        }
    }
}
