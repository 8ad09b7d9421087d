//! A-V3: what to try, in this order, before a larger card is rented: a smaller batch or accumulation, mixed precision,
//! then recomputation, 8-bit states, adapters. Every rung stands on the one below it; one that does not help is shown and left
//! out of those above. Sharding, which divides the states of full training, stands on the best rung that trains all weights.

use super::estimate::{Estimate, estimate};
use super::request::{Request, Subject};
use crate::model::{Mode, Optimizer, Precision, Sharding};
use crate::names::named;
use crate::units::Bytes;

named! {
    /// One thing to try.
    pub enum Step {
        /// As it was asked.
        Asked = "as asked",
        /// Half the samples at a time.
        HalfBatch = "half the batch",
        /// One sample at a time, as many passes per step as there were samples.
        Accumulate = "one sample at a time, accumulated",
        /// The same of inference, which has no steps.
        OneSample = "one sample at a time",
        /// 16-bit arithmetic over 32-bit weights.
        Amp = "mixed precision",
        /// Of inference: weights and arithmetic in 16 bits.
        Half = "16-bit weights",
        /// Of inference: weights in 8 bits.
        Int8 = "8-bit weights",
        /// Of inference: weights in 4 bits.
        Int4 = "4-bit weights",
        /// Activations are recomputed.
        Checkpointing = "gradient checkpointing",
        /// Optimizer states in 8 bits.
        EightBit = "8-bit optimizer states",
        /// Low-rank adapters over frozen 16-bit weights.
        Lora = "LoRA",
        /// The same over 4-bit weights.
        Qlora = "QLoRA",
        /// Weights, gradients and states of full training divided among two devices.
        TwoDevices = "all weights over 2 GPUs (ZeRO-3)",
        /// The same among eight.
        EightDevices = "all weights over 8 GPUs (ZeRO-3)",
    }
}

/// A rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// What is tried.
    pub step: Step,
    /// The request with it.
    pub request: Request,
    /// What that needs.
    pub estimate: Estimate,
    /// It needs less than the rungs below; with sharding, than the best that trains all weights.
    pub helps: bool,
}

/// The ladder of a request, the request itself first.
pub fn climb(request: &Request) -> Vec<Rung> {
    let mut rungs =
        vec![Rung { step: Step::Asked, request: *request, estimate: estimate(request), helps: true }];
    let mut below = *request;
    let mut least = rungs.first().map_or(Bytes::ZERO, |rung| rung.estimate.needed.expected);
    // The best rung that trains all weights.
    let mut whole = (below, least);
    for step in STEPS {
        let shards = matches!(step, Step::TwoDevices | Step::EightDevices);
        let (base, bound) = if shards { whole } else { (below, least) };
        let Some(next) = apply(*step, &base, request) else { continue };
        let found = estimate(&next);
        let helps = found.needed.expected < bound;
        rungs.push(Rung { step: *step, request: next, estimate: found, helps });
        if helps && !shards {
            below = next;
            least = found.needed.expected;
        }
        if helps && next.mode == Mode::Train {
            whole = (next, found.needed.expected);
        }
    }
    rungs
}

const STEPS: &[Step] = &[
    Step::HalfBatch,
    Step::Accumulate,
    Step::OneSample,
    Step::Amp,
    Step::Half,
    Step::Int8,
    Step::Int4,
    Step::Checkpointing,
    Step::EightBit,
    Step::Lora,
    Step::Qlora,
    Step::TwoDevices,
    Step::EightDevices,
];

/// A request one step further; `None` where the step says nothing new.
fn apply(step: Step, below: &Request, asked: &Request) -> Option<Request> {
    let trains = below.mode != Mode::Inference;
    let full = below.mode == Mode::Train;
    let transformer = matches!(below.subject, Subject::Transformer(_));
    let next = *below;
    match step {
        Step::HalfBatch => {
            (below.batch >= 2.0).then(|| Request { batch: (below.batch / 2.0).ceil(), ..next })
        }
        Step::Accumulate => (trains && asked.batch > 2.0).then(|| Request {
            batch: 1.0,
            accumulate: (asked.batch * asked.accumulate).ceil(),
            ..next
        }),
        Step::OneSample => (!trains && asked.batch > 2.0).then_some(Request { batch: 1.0, ..next }),
        Step::Amp => (trains && below.precision == Precision::Fp32)
            .then_some(Request { precision: Precision::AmpFp16, ..next }),
        Step::Half => (!trains && below.precision.weight_bytes() > Precision::Fp16.weight_bytes())
            .then_some(Request { precision: Precision::Fp16, ..next }),
        Step::Int8 => {
            (!trains && transformer && matches!(below.precision, Precision::Fp16 | Precision::Bf16))
                .then_some(Request { precision: Precision::Int8, ..next })
        }
        Step::Int4 => (!trains && transformer && below.precision == Precision::Int8)
            .then_some(Request { precision: Precision::Int4, ..next }),
        Step::Checkpointing => {
            (trains && !below.checkpointing).then_some(Request { checkpointing: true, ..next })
        }
        Step::EightBit => {
            let wide = matches!(below.optimizer, Optimizer::Adam | Optimizer::AdamW | Optimizer::AdamWFused);
            (trains && wide).then_some(Request { optimizer: Optimizer::AdamW8bit, ..next })
        }
        Step::Lora => (full && transformer).then(|| Request {
            mode: Mode::Lora,
            precision: narrow(below.precision),
            ..next
        }),
        Step::Qlora => (trains && transformer && below.mode != Mode::Qlora).then(|| Request {
            mode: Mode::Qlora,
            precision: narrow(below.precision),
            ..next
        }),
        // Dividing the states of full training; adapters have next to none, and packed weights are not divided.
        Step::TwoDevices if asked.mode == Mode::Train && asked.devices < 2.0 => {
            Some(Request { devices: 2.0, sharding: Sharding::Zero3, ..next })
        }
        Step::EightDevices if asked.mode == Mode::Train && asked.devices < 8.0 => {
            Some(Request { devices: 8.0, sharding: Sharding::Zero3, ..next })
        }
        Step::Asked | Step::TwoDevices | Step::EightDevices => None,
    }
}

/// Adapters stand beside 16-bit weights.
fn narrow(precision: Precision) -> Precision {
    if precision == Precision::Fp32 { Precision::AmpFp16 } else { precision }
}

/// The most samples per pass that a device with `usable` bytes holds; `None` when one is too many.
pub fn largest_batch(request: &Request, usable: Bytes) -> Option<f64> {
    let fits = |batch: f64| estimate(&Request { batch, ..*request }).needed.expected <= usable;
    if !fits(1.0) {
        return None;
    }
    let mut high = 2.0;
    while fits(high) && high < 1e7 {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    while high - low > 1.0 {
        let middle = f64::midpoint(low, high).floor();
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vram::describe;

    fn request(name: &str) -> Request {
        let found = describe::named(name).unwrap();
        Request::new(found.subject, found.family, found.basis)
    }

    #[test]
    fn the_ladder_ends_below_where_it_began() {
        let mut asked = request("llama-2-7b");
        asked.batch = 8.0;
        let rungs = climb(&asked);
        let steps: Vec<Step> = rungs.iter().map(|rung| rung.step).collect();
        assert_eq!(
            steps[..5],
            [Step::Asked, Step::HalfBatch, Step::Accumulate, Step::Amp, Step::Checkpointing]
        );
        let alone = |r: &&Rung| r.helps && r.request.devices < 2.0;
        let needs: Vec<Bytes> = rungs.iter().filter(alone).map(|r| r.estimate.needed.expected).collect();
        assert!(needs.windows(2).all(|pair| pair[1] < pair[0]));
        // From more than 100 GiB to what a 16 GB card offers.
        assert!(needs.first().unwrap().as_gib() > 100.0 && needs.last().unwrap().as_gib() < 14.6);
    }

    #[test]
    fn what_is_divided_trains_all_weights() {
        let mut asked = request("llama-2-7b");
        asked.batch = 8.0;
        let rungs = climb(&asked);
        let at = |step: Step| rungs.iter().find(|rung| rung.step == step).unwrap();
        let whole = at(Step::EightBit);
        assert_eq!(whole.request.mode, Mode::Train);
        assert_eq!(at(Step::Qlora).request.mode, Mode::Qlora);
        for (step, devices) in [(Step::TwoDevices, 2.0), (Step::EightDevices, 8.0)] {
            let rung = at(step);
            assert!(rung.helps, "{step}");
            let same = Request { devices, sharding: Sharding::Zero3, ..whole.request };
            assert_eq!(rung.request, same, "{step}");
        }
        // All weights, gradients and states of 7 billion parameters do not fit beside four bits of each.
        assert!(at(Step::TwoDevices).estimate.needed.expected > at(Step::Qlora).estimate.needed.expected);
    }

    #[test]
    fn inference_tries_one_sample() {
        let mut asked = request("llama-2-7b");
        (asked.mode, asked.batch) = (Mode::Inference, 64.0);
        let rungs = climb(&asked);
        let one = rungs.iter().find(|rung| rung.step == Step::OneSample).unwrap();
        assert!(one.helps);
        assert!(one.request.batch < 1.5 && one.request.accumulate < 1.5);
        assert!(rungs.iter().all(|rung| !matches!(rung.step, Step::Accumulate | Step::Amp)));
        // 32 bits to 16, 8 and 4, each by its name.
        let bits: Vec<(Step, Precision)> = rungs.iter().map(|r| (r.step, r.request.precision)).collect();
        for pair in
            [(Step::Half, Precision::Fp16), (Step::Int8, Precision::Int8), (Step::Int4, Precision::Int4)]
        {
            assert!(bits.contains(&pair), "{bits:?}");
        }
        let mut half = asked;
        half.precision = Precision::Bf16;
        assert!(climb(&half).iter().all(|rung| rung.step != Step::Half));
    }

    #[test]
    fn the_largest_batch_fits_and_the_next_does_not() {
        let asked = request("bert-base-cls");
        let usable = Bytes::from_gib(14.6);
        let batch = largest_batch(&asked, usable).unwrap();
        let need = |batch: f64| estimate(&Request { batch, ..asked }).needed.expected;
        assert!(need(batch) <= usable && need(batch + 1.0) > usable);
        assert_eq!(largest_batch(&request("llama-3-70b"), usable), None);
    }
}
