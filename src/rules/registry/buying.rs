//! Buying (S) and regions (R).

use super::{Rule, line};

const A_BUYING: &str = "document A, on-demand and spot";
const A_REGION: &str = "document A, regions";
const A_QUESTIONS: &str = "document A, questions and answers";
const B_COST: &str = "document B, how to compute cost";

pub(super) static ROWS: &[Rule] = &[
    line(
        "A-S1",
        "on-demand for main training; spot for work that tolerates being interrupted",
        "a spot and an on-demand price of the chosen offer",
        A_BUYING,
        "Spot usually costs 20 to 40 % of on-demand and can be taken back. The share of the chosen offer is shown, \
         which purchase options are open to the stage and what each is expected to cost. A plan that buys spot \
         stands beside the same stages all on-demand.",
    ),
    line(
        "A-S2",
        "augmentation, mining and search on spot, whose loss does not touch the main job",
        "",
        A_BUYING,
        "Work in pieces (prepare, augment, mine, tune, transcode) runs a lost piece again, so that spot is open to \
         it. It is bought where its expected cost, with the repeated work, is the lower one.",
    ),
    line(
        "A-S3",
        "spot training needs checkpoints in object storage",
        "",
        A_QUESTIONS,
        "Without a checkpoint that outlives the instance an interruption loses everything, so that spot is not open \
         to training. What resumes is the latest checkpoint of the whole state (`torch.save` of model and \
         optimizer, Keras ModelCheckpoint): `save_best_only` keeps the best, and the work since is lost; \
         `torch.utils.checkpoint` recomputes activations and saves nothing. Where spot is bought, the expected \
         interruptions and the time within which it ends 95 times of 100 are shown; where a checkpoint would open \
         it, what that is expected to cost.",
    ),
    line(
        "B-S4",
        "long steady use: by the month or reserved, at the hours really used",
        "a price by the month, year or three years of the chosen offer",
        B_COST,
        "The break-even hours are the price of the month ÷ the price of the hour, compared with the hours that will \
         really be used (runs_per_month × time). A month is paid whole, however little of it is used.",
    ),
    line(
        "A-R1",
        "rent where the data lies: transfer may cost more than the instance",
        "data.location; data.size or the stage's size",
        A_REGION,
        "The cheapest choice at the data stands beside the cheapest elsewhere, with the transfer in its bill. What \
         would have to be moved at an unknown price is rejected, never taken for free.",
    ),
    line(
        "A-R2",
        "new regions are often cheaper: consider them where compliance allows",
        "a second region of the chosen instance",
        A_REGION,
        "The price of the chosen instance over the regions in which it may be rented, and those outside of [where] \
         that would be cheaper.",
    ),
    line(
        "A-R3",
        "stages hand data over through shared storage, not through one big machine",
        "stages that wait for others",
        A_QUESTIONS,
        "The result of a stage goes to object storage and the next one reads it there, so that neither machine waits \
         for the other. Storage and transfer are in the bills, as far as sizes and location are stated.",
    ),
    line(
        "A-R4",
        "preparing and training on one instance is possible, not advised",
        "a stage that prepares for a training on another class",
        A_QUESTIONS,
        "What preparing on the machine of the training would cost instead: its few vCPUs prepare while its GPU is \
         paid and idle. Both sums are shown, also where one machine is the cheaper one.",
    ),
];
