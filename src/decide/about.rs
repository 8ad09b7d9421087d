//! What each reason means at length and what can be done about it: the text of `plan explain REASON`.

use super::Reason;

impl Reason {
    /// What it means, and what would let the offer take part.
    #[expect(clippy::too_many_lines, reason = "one text per reason")]
    pub const fn about(self) -> &'static str {
        match self {
            Self::NotAllowed => {
                "The offer's provider or region is not among those of [where] (or of --provider and --region), or it is \
                 excluded there. Name more of them to let it take part; A-R2 says which regions would be cheaper."
            }
            Self::Pinned => {
                "The stage names another instance type, accelerator or class (`instance`, `gpu`, `class`). Take the pin \
                 out to compare."
            }
            Self::NoGpuBuild => {
                "The stage's software has no GPU version (`gpu_support = \"none\"`, stated or by the kind of the stage), \
                 so that a card would stand idle. State `gpu_support` or a time measured on a GPU if there is one \
                 (B-Q2)."
            }
            Self::SoftwareStack => {
                "The card runs another software stack than those of the stage (`stacks`, by default CUDA). Add the \
                 stack if your software runs on it: `stacks = [\"cuda\", \"rocm\"]`."
            }
            Self::Memory => {
                "What the model needs on one device, estimated from its components (states, activations, temporaries, \
                 allocator and context) or stated as `measured_memory`, exceeds what CUDA sees of the card. A smaller \
                 `micro_batch` with `accumulate`, mixed precision, `gradient_checkpointing`, LoRA or sharding need less \
                 (A-V3); `plan vram` shows the parts. A card on which the stage was measured is not turned away so."
            }
            Self::Latency => {
                "The stated share of the answers would take longer there than `latency`, even if none of them ever waited. \
                 Where no latency is stated: a request would take longer there than on the slowest machine on which the \
                 stage measured it; state a `latency`, or measure the service on this machine, to let it take part (B-K7)."
            }
            Self::Overload => {
                "As many servers of this type as `instances` allows are less than the load: more requests come in than are \
                 answered, and the queue grows without end. Raise `instances` or `concurrency` (B-K7)."
            }
            Self::Servers => {
                "The servers that `instances` allows keep up with the peak, but the service's latency or its head-room \
                 needs more of this type (B-K7). Raise `instances` or `concurrency`, or allow more time."
            }
            Self::NoBf16 => {
                "The model's precision asks for BF16 by name, which cards before NVIDIA's Ampere do not compute in. \
                 `precision = \"amp\"` takes FP16 there."
            }
            Self::NoEncoder => {
                "The card has no hardware video encoder, or none is known: A100 and H100 have none. An unknown number \
                 of engines counts as none (B-K9)."
            }
            Self::Vcpus => "One instance has fewer vCPUs than the stage's `min_vcpus`.",
            Self::HostMemory => {
                "One instance has less main memory than the stage's `min_memory`, or, without accelerators, less than \
                 the model's weights (and, in training, gradients and optimizer states) take."
            }
            Self::MemoryFloor => {
                "Weights, and in training the gradients and optimizer states of the trained parameters, alone exceed \
                 what CUDA sees of one card. This is exactly known and no estimate: activations come on top. Memory of \
                 several cards is added up only where `sharding` says so. What helps: sharding over more cards, \
                 adapters (`mode = \"lora\"`), a smaller optimizer, or a larger card (A-V3)."
            }
            Self::IdleGpu => {
                "The machine has accelerators, but the stage would not compute on them: they would be paid and idle \
                 (A-K1, A-R4). Machines without accelerators take part."
            }
            Self::NoDuration => {
                "Nothing says how long the stage takes there. The missing fact is named beside the reason; a measured \
                 time is the best answer: `measured = [{ on = \"T4\", time = \"50h\" }]`."
            }
            Self::Unsuitable => {
                "The stage cannot run on such machines in such a number, for example on several machines where it does \
                 not split (`parallel = false`)."
            }
            Self::StalePrice => {
                "The price is older than --stale-after (36 months by default). It takes part where its provider or \
                 region is named in [where], and is marked then (B-C6)."
            }
            Self::NoPrice => {
                "The offer has no price of any purchase option that is open to the stage. A missing price is never \
                 taken for zero."
            }
            Self::TransferNotPriced => {
                "The data would have to be moved there, and the catalog has no price for that way. It is never taken \
                 for free (A-R1): add a [[tariff]], or rent where the data lies."
            }
            Self::NoRate => {
                "The price is in a currency for which there is no exchange rate, so that it cannot be compared. \
                 `pricing/rates.toml` holds the dated rates."
            }
            Self::PurchaseNotOpen => {
                "The purchase option is not open to the stage: spot only to work in pieces, to training with a durable \
                 checkpoint, or where `tolerates_interruption` says so (A-S2, A-S3)."
            }
            Self::SpotNotCheaper => "Spot costs as much as on-demand or more, and can be taken back besides.",
            Self::SpotRefused => {
                "Without checkpoints the work and its start-up are so long for the hazard that each loss makes the \
                 next likelier: λ(W+R), the interruptions expected during one unbroken try, is above `spot_refuse` \
                 (1 by default). A checkpoint to durable storage opens it again (A-S3)."
            }
            Self::FallbackTight => {
                "Spot with on-demand fallback keeps a deadline only as often as it did on replayed traces: with less time \
                 than this it missed more often than `spot_confidence` allows. On-demand from the start is sooner done."
            }
            Self::TooSlow => {
                "The stage alone would take longer than the deadline allows, or longer than a year."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Named;

    #[test]
    fn every_reason_says_something_of_its_own() {
        let mut texts: Vec<&str> = Reason::ALL.iter().map(|(reason, _)| reason.about()).collect();
        assert!(texts.iter().all(|text| text.len() > 40 && text.ends_with('.')));
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), Reason::ALL.len());
    }
}
