//! Memory of one GPU (V).

use super::{Rule, line};

const A_SIZE: &str = "document A, \"the bigger the better\" and the questions";

pub(super) static ROWS: &[Rule] = &[
    line(
        "A-V1",
        "VRAM ≈ parameters × 4 bytes × (batch size + gradient copies)",
        "a model",
        A_SIZE,
        "The document's quick figure. It knows no optimizer state, no architecture and no length: it understates \
         large models at small batches (7 B parameters with Adam in full precision need more than 112 GB for \
         their states alone, the formula says 56 GB at batch 1) and overstates many others. It ranks and warns and \
         never rejects a card; what rejects one is what is exactly known: weights, and gradients and optimizer \
         states of the trained parameters, and what the parts of a known architecture take. A forward pass has no \
         gradient copies. `measured_memory` outranks all of it.",
    ),
    line(
        "A-V2",
        "up to 16 GB a T4 is enough; above 40 GB an A100; between them the smallest that fits",
        "a model, or measured_memory",
        A_SIZE,
        "The figure is what is known best: measured, estimated from the architecture's parts, or the quick figure, which \
         is overruled where the better one means another card. The thresholds are in GB (10⁹ bytes). Whether something fits is decided on what CUDA sees: 14.6 GiB of a \
         \"16 GB\" T4. The document names the V100 beside the A100 above 40 GB, but no V100 has more than 32 GB: \
         that holds for several of them, with sharding.",
    ),
    line(
        "A-V3",
        "out of memory: smaller batch, then mixed precision, only then a larger card",
        "a model that is trained",
        A_SIZE,
        "The ladder in its order, with the figure after each step: a smaller micro-batch (gradient accumulation \
         keeps the batch of a step), mixed precision (about half of what grows with the samples; weights and states \
         stay in 32 bits, so that the floor does not move), then the smallest card that fits. The T4 that it \
         reaches stands beside the card of the plan with the cost of both. Recomputing activations \
         (`torch.utils.checkpoint`) is another way to save memory; it saves no state of the training.",
    ),
    line(
        "A-V4",
        "starting card by model: small nets T4, ResNet V100, transformers and large models A100",
        "a model that is trained",
        A_SIZE,
        "Where the document starts, before price × duration is known. Where the starting card has a price it is \
         shown beside the choice; a cheaper choice overrules it.",
    ),
    line(
        "A-V5",
        "bigger is not better: the share of a card left unused",
        "a model, or measured_memory",
        A_SIZE,
        "A small model on a large GPU leaves memory and arithmetic unused. The share is that of the memory which \
         the figure of A-V2 leaves free; the smallest card that fits stands beside it with its cost.",
    ),
];
