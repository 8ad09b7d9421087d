//! The two documents' rules: one registry line each, one place that says what a rule says here and now.
//!
//! Document A allocates GPU and general-purpose instances to the stages of training; document B weighs GPU against
//! CPU servers by the month. A rule of thumb decides the class of a stage only where there is no better evidence;
//! where both classes have a duration, price × duration decides and the rule is shown as agreeing or overruled.

pub mod class;

pub use crate::thresholds::{Threshold, Thresholds};

use crate::names::named;

named! {
    /// What a rule says.
    pub enum Verdict {
        /// Use a general-purpose instance.
        Cpu = "cpu",
        /// Use an instance with accelerators.
        Gpu = "gpu",
        /// Either will do: cost decides.
        Either = "either",
        /// Something to do or to know.
        Advice = "advice",
        /// A hard fact that binds.
        Bound = "bound",
        /// Better evidence says otherwise.
        Overruled = "overruled",
        /// A fact is missing.
        NotEvaluated = "not-evaluated",
    }
}

/// What a rule says about a stage or about the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub id: &'static str,
    /// What it says.
    pub verdict: Verdict,
    /// Why, in one line with the numbers in it.
    pub reason: String,
}

impl Finding {
    /// A finding of a rule.
    pub fn new(id: &'static str, verdict: Verdict, reason: impl Into<String>) -> Self {
        debug_assert!(rule(id).is_some(), "{id} is not in the registry");
        Self { id, verdict, reason: reason.into() }
    }

    /// A rule that lacks a fact.
    pub fn needs(id: &'static str, fact: &str) -> Self {
        Self::new(id, Verdict::NotEvaluated, format!("needs {fact}"))
    }
}

/// One rule of the documents.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id: the document's letter, a dash, its group and number.
    pub id: &'static str,
    /// What it asks or says.
    pub says: &'static str,
    /// Where in the document.
    pub source: &'static str,
}

const A_ROLES: &str = "document A, roles in the training pipeline";
const A_LAYERS: &str = "document A, the three layers";
const A_BUYING: &str = "document A, on-demand and spot";
const A_REGION: &str = "document A, regions";
const A_SIZE: &str = "document A, \"the bigger the better\" and the questions";
const A_MIX: &str = "document A, mixed pool";
const A_USE: &str = "document A, utilisation";
const B_SCENES: &str = "document B, three scenarios";
const B_QUESTIONS: &str = "document B, three questions";
const B_COST: &str = "document B, how to compute cost";

const fn line(id: &'static str, says: &'static str, source: &'static str) -> Rule {
    Rule { id, says, source }
}

/// All rules, in the order of the documents.
pub static RULES: &[Rule] = &[
    line("A-K1", "prepare: CPU, since it is disk and strings; a GPU does nothing for it", A_ROLES),
    line("A-K2", "augment: CPU; mine: by cost, since it runs the model", A_ROLES),
    line("A-K3", "train: through the three layers", A_ROLES),
    line("A-K4", "tune: GPU slices or several small GPUs; one trial need not own a whole GPU", A_ROLES),
    line("A-K5", "analyze: CPU, since it is serial and light", A_ROLES),
    line("A-K6", "evaluate: CPU with an inference runtime, since latency does not matter", A_ROLES),
    line("B-K7", "serve: by cost per month at the required rate and latency", B_SCENES),
    line("B-K8", "batch: CPU with a higher clock and more memory, since it is serial logic", B_SCENES),
    line("B-K9", "transcode: GPU with a hardware video encoder", B_SCENES),
    line("A-L1", "is the task naturally parallel? small linear models: CPU; deep networks: GPU", A_LAYERS),
    line("A-L2", "how large are data and model? many samples and many parameters: GPU", A_LAYERS),
    line("A-L3", "what is your time worth? experiment: CPU; iteration: GPU; online: GPU only", A_LAYERS),
    line("B-Q1", "does it split into many alike, independent units? yes: GPU first; no: CPU", B_QUESTIONS),
    line("B-Q2", "is there a mature GPU version of the software?", B_QUESTIONS),
    line("B-Q3", "is the load steady? yes: by the month or reserved; no: on-demand", B_QUESTIONS),
    line("A-V1", "VRAM ≈ parameters × 4 bytes × (batch size + gradient copies)", A_SIZE),
    line("A-V2", "up to 16 GB a T4 is enough; above 40 GB an A100", A_SIZE),
    line("A-V3", "out of memory: smaller batch, then mixed precision, only then a larger card", A_SIZE),
    line("A-V4", "starting card by model: small nets T4, ResNet V100, transformers A100", A_SIZE),
    line("A-V5", "bigger is not better: the share of a card left unused", A_SIZE),
    line("A-S1", "on-demand for main training; spot for work that tolerates being interrupted", A_BUYING),
    line("A-S2", "augmentation, mining and search on spot, whose loss does not touch the main job", A_BUYING),
    line("A-S3", "spot training needs checkpoints in object storage", A_BUYING),
    line("B-S4", "long steady use: by the month or reserved, at the hours really used", B_COST),
    line("A-R1", "rent where the data lies: transfer may cost more than the instance", A_REGION),
    line("A-R2", "new regions are often cheaper: consider them where compliance allows", A_REGION),
    line("A-R3", "stages hand data over through shared storage, not through one big machine", A_REGION),
    line("A-R4", "preparing and training on one instance is possible, not advised", A_REGION),
    line("B-C1", "cost of a task = unit price × measured duration; compare per finished task", B_COST),
    line("B-C2", "hidden costs are spread over the runs", B_COST),
    line("B-C3", "idle time raises the cost of each task", B_COST),
    line("A-C4", "set an automatic release time and a budget alarm", A_USE),
    line("B-C5", "moving data between CPU and GPU can eat the speed-up", B_COST),
    line("B-C6", "prices change: every figure has a date, and a stale one is said to be stale", B_COST),
    line("B-C7", "the difference per month between CPU and GPU servers", B_COST),
    line("B-C8", "benchmark first, with real data and real code, on both classes", B_COST),
    line("A-M1", "a mixed pool instead of everything on the one big GPU instance", A_MIX),
    line("A-M2", "about 70 % of the budget on GPU, 30 % on general instances", A_MIX),
    line("A-U1", "GPU utilisation below 50 %: mend data loading before paying for more", A_USE),
    line("A-U2", "preparation above 50 % of the training epoch: more cores", A_USE),
    line("A-U3", "preparing beforehand takes utilisation from about 30 % to 80 %", A_USE),
    line("A-U4", "nvidia-smi shows use: read its log", A_USE),
];

/// The rule with an id. `A-C1` is the same rule as `B-C1`.
pub fn rule(id: &str) -> Option<&'static Rule> {
    let id = if id == "A-C1" { "B-C1" } else { id };
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = RULES.iter().map(|r| r.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        assert_eq!(rule("A-C1").unwrap().id, "B-C1");
    }
}
