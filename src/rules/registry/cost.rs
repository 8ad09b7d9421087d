//! Cost (C), mixed pool (M) and use (U).

use super::{Rule, line};

const A_USE: &str = "document A, utilisation";
const A_MIX: &str = "document A, mixed pool";
const A_ROLES: &str = "document A, an allocation against intuition";
const A_FEED: &str = "document A, concurrency of CPU instances";
const A_WATCH: &str = "document A, watching the cost";
const B_COST: &str = "document B, how to compute cost";
const B_TRAPS: &str = "document B, common traps";
const B_TITLE: &str = "document B, its title question";

pub(super) static ROWS: &[Rule] = &[
    line(
        "B-C1",
        "cost of a task = unit price × measured duration; compare per finished task",
        "a time on both classes",
        "document B, how to compute cost; document A, layer 2 (A-C1)",
        "A GPU costs more per hour and may cost less per finished task. The best of both classes stand side by side, \
         by the hour and by the task. A theoretical peak never stands for a measured time.",
    ),
    line(
        "B-C2",
        "hidden costs are spread over the runs",
        "labour_per_hour; a cost on both classes",
        B_COST,
        "Porting takes hours (`migration_hours`) that are paid once: divided by what a run on the GPU saves they \
         give the runs after which the port has paid for itself. Operations, versions of drivers and frameworks \
         and learning are often harder to reckon than the bill; `fixed_cost` takes what you know of them.",
    ),
    line(
        "B-C3",
        "idle time raises the cost of each task",
        "",
        B_COST,
        "What is paid and not worked: start-up and restarts of hourly use, and the unused hours of a prepaid month.",
    ),
    line(
        "A-C4",
        "set an automatic release time and a budget alarm",
        "limits.budget for the alarms",
        A_WATCH,
        "Each machine's time of release is the upper end of its band. The alarms stand at 50, 80 and 100 % of the \
         budget, and beside them what the dearest machine costs when it is forgotten for a week.",
    ),
    line(
        "B-C5",
        "moving data between CPU and GPU can eat the speed-up",
        "samples; model.image_size, model.seq_len or a size",
        B_TRAPS,
        "The bytes that cross the link for one sample (an image as three 32-bit planes, tokens as 64-bit numbers, \
         else its stored size) ÷ the bandwidth of the link, beside the time that the GPU takes for it. A measured \
         time holds it already; an estimated one does not. Data that several steps need stays in GPU memory.",
    ),
    line(
        "B-C6",
        "prices change: every figure has a date, and a stale one is said to be stale",
        "",
        B_COST,
        "Dates and sources of prices are always shown. It speaks where a price is old, written from memory or \
         disputed, and where prices are converted from another currency.",
    ),
    line(
        "B-C7",
        "the difference per month between CPU and GPU servers",
        "runs_per_month; a cost on both classes",
        B_TITLE,
        "The best of both classes per month, for training and for inference.",
    ),
    line(
        "B-C8",
        "benchmark first, with real data and real code, on both classes",
        "",
        B_COST,
        "Where the time that decides is not measured, the short measurement that would settle it is named. Simulated \
         data gives pretty figures that do not hold.",
    ),
    line(
        "A-M1",
        "a mixed pool instead of everything on the one big GPU instance",
        "stages on both classes",
        A_MIX,
        "The machines of the plan (the document's example: an A100 for the big batch, four T4 for small work, 8 vCPU \
         for preparation) beside the whole job on one big GPU instance, stage after stage, rented once on-demand: the \
         cheapest with an A100, or the one that the plan rents for most money. Only an instance is taken that can do every \
         stage by all tests but that of an idle GPU; where there is none, nothing is compared. Its start-up is the longest of \
         the stages', once. Other GPU machines of the plan, and the few machines that promise to do everything for the least, \
         are looked at too: the best of them is shown where it is better than the plan.",
    ),
    line(
        "A-M2",
        "about 70 % of the budget on GPU, 30 % on general instances",
        "stages on both classes",
        A_ROLES,
        "The plan's own split beside the usual one. It is a habit, not a target: the split follows from the stages.",
    ),
    line(
        "A-U1",
        "GPU utilisation below 50 %: mend data loading before paying for more",
        "gpu_utilisation, or decode and samples",
        A_USE,
        "Stated as seen (`gpu_utilisation`), or predicted: the vCPUs beside the GPU deliver vCPUs ÷ `decode` samples \
         a second; where the GPU takes more, it waits. What the idle share costs is shown.",
    ),
    line(
        "A-U2",
        "preparation above 50 % of the training epoch: more cores",
        "decode, or a stage that prepares for it",
        A_FEED,
        "Preparing an epoch beside the GPU (`decode` × samples ÷ vCPUs), or else in the stage before, against the \
         time of one training epoch; where it takes more than the share, the vCPUs that would bring it there.",
    ),
    line(
        "A-U3",
        "preparing beforehand takes utilisation from about 30 % to 80 %",
        "",
        A_ROLES,
        "Raw files leave a GPU at about 30 %, files prepared beforehand (TFRecord, LMDB) at 80 % and more. Both are \
         shown: what the training takes as it is fed now, and as it could be.",
    ),
    line(
        "A-U4",
        "nvidia-smi shows use: read its log",
        "",
        A_USE,
        "What to run on the rented machine, and how its log is read: utilisation, memory and the cost of the idle \
         share.",
    ),
];
