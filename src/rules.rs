//! The two documents' rules: one registry line each, one place that says what a rule says here and now.
//!
//! Document A allocates GPU and general-purpose instances to the stages of training; document B weighs GPU against
//! CPU servers by the month. A rule of thumb decides the class of a stage only where there is no better evidence;
//! where both classes have a duration, price × duration decides and the rule is shown as agreeing or overruled.

pub mod class;
pub mod memory;
mod registry;

pub use crate::thresholds::{Threshold, Thresholds};
pub use registry::{ALIASES, Rule, position, rule, rules};

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
