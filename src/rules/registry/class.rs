//! Class: kinds of stage (K), the three layers (L), the three questions (Q).

use super::{Rule, line};

const A_ROLES: &str = "document A, roles in the training pipeline";
const A_LAYERS: &str = "document A, the three layers";
const B_SCENES: &str = "document B, three scenarios";
const B_QUESTIONS: &str = "document B, three questions";

pub(super) static ROWS: &[Rule] = &[
    line(
        "A-K1",
        "prepare: CPU, since it is disk and strings; a GPU does nothing for it",
        "",
        A_ROLES,
        "Downloading, decompressing, deduplicating, resizing and converting go to a general-purpose instance, \
         8 vCPU and 16 GB being the typical size at about a tenth of the price of a GPU instance. The items are \
         independent, so that several instances may share them.",
    ),
    line(
        "A-K2",
        "augment: CPU; mine: by cost, since it runs the model",
        "",
        A_ROLES,
        "Both are side jobs that may lose an instance, so that spot is open to them (A-S2). Mining negatives runs \
         the model over the data: price × duration decides its class.",
    ),
    line(
        "A-K3",
        "train: through the three layers",
        "",
        A_ROLES,
        "Forward, backward and update are dense parallel arithmetic. The layers A-L1 to A-L3 name a class by rule \
         of thumb; where both classes have a better time than a guess, price × duration decides instead.",
    ),
    line(
        "A-K4",
        "tune: GPU slices or several small GPUs; one trial need not own a whole GPU",
        "",
        A_ROLES,
        "A search runs many small trainings at once. They go to slices of a card (MIG) or to several small cards; \
         two slices are never joined for one trial. The trials' logs are a stage of their own (A-K5).",
    ),
    line(
        "A-K5",
        "analyze: CPU, since it is serial and light",
        "",
        A_ROLES,
        "Reading the logs of trials and rolling up metrics goes back to a general-purpose instance.",
    ),
    line(
        "A-K6",
        "evaluate: CPU with an inference runtime, since latency does not matter",
        "",
        A_ROLES,
        "One forward pass over a validation set may take its time: OpenVINO or ONNX Runtime on a CPU will do. \
         Where both classes have a time, price × duration may overrule it, since a GPU can be through in minutes.",
    ),
    line(
        "B-K7",
        "serve: by cost per month at the required rate and latency",
        "",
        B_SCENES,
        "The document's shop moved the moderation of product images to GPUs and kept a fifth of its servers. \
         Decoding and resizing stay on the CPU, whose cores must keep up with the GPU. A `latency` decides the number of \
         servers by the wait in a queue, a head-room over the peak where none is stated; a `profile` gives each hour of \
         the day its own.",
    ),
    line(
        "B-K8",
        "batch: CPU with a higher clock and more memory, since it is serial logic",
        "",
        B_SCENES,
        "Branches and joins in which each step needs the last gain nothing from a GPU. The document's month-end \
         close went from 2 h to about 40 min on an instance with a higher clock and more memory, while its port \
         to a GPU was costly and gave little.",
    ),
    line(
        "B-K9",
        "transcode: GPU with a hardware video encoder",
        "",
        B_SCENES,
        "Hardware encoders are several times as fast as a CPU and cheaper per hour of video, and a video splits \
         into segments. Only cards with a known encoder engine count: A100 and H100 have none.",
    ),
    line(
        "A-L1",
        "is the task naturally parallel? small linear models: CPU; deep networks: GPU",
        "model.family or model.architecture; data.samples for other than deep networks",
        A_LAYERS,
        "A linear or logistic regression on a few thousand rows takes minutes on a CPU. Deep networks take days on \
         a CPU and hours on a GPU.",
    ),
    line(
        "A-L2",
        "how large are data and model? many samples and many parameters: GPU",
        "data.samples and model.params",
        A_LAYERS,
        "Above both thresholds a GPU at two to three times the price is worth it, since it is ten times as fast or \
         more: price × duration, the lower total wins. The document lets the time on a CPU grow exponentially \
         there; it grows about linearly with samples and with parameters, and the thresholds stay a rule of thumb.",
    ),
    line(
        "A-L3",
        "what is your time worth? experiment: CPU; iteration: GPU; online: GPU only",
        "",
        A_LAYERS,
        "An experiment can run on a CPU overnight: the cheapest CPU that is through by the morning is named, or the \
         fastest if none is. Daily iterations want a result within hours, and time-sensitive work only a GPU gives.",
    ),
    line(
        "B-Q1",
        "does it split into many alike, independent units? yes: GPU first; no: CPU",
        "",
        B_QUESTIONS,
        "`parallel` says so, by default the kind of the stage. What does not split wants a CPU with a higher clock. \
         The question is not asked where the class is pinned.",
    ),
    line(
        "B-Q2",
        "is there a mature GPU version of the software?",
        "",
        B_QUESTIONS,
        "Deep-learning frameworks, video codecs and scientific libraries have one. `gpu_support = \"partial\"` adds \
         the hours of a port (B-C2); `\"none\"` is a fact that binds. Not asked where the class is pinned.",
    ),
    line(
        "B-Q3",
        "is the load steady? yes: by the month or reserved; no: on-demand",
        "",
        B_QUESTIONS,
        "A steady, high load is worth a month or a reservation (B-S4 has the break-even hours); one that comes and \
         goes is bought by the hour. Of a service with a `profile` all by the hour, all reserved and a reserved base with \
         the peak by the hour are compared. Not asked where the purchase option is pinned.",
    ),
];
