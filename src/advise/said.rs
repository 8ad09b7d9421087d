//! What a rule says once the plan is known: its finding, and the remark that the default table makes of it, if any.

use crate::plan::{Note, NoteKind};
use crate::rules::{Finding, Verdict};

/// A finding with its remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// For `--explain` and JSON.
    pub finding: Finding,
    /// For the default table: what it is, and its words.
    pub remark: Option<(NoteKind, String)>,
}

impl Said {
    /// For `--explain` and JSON alone.
    pub fn quiet(id: &'static str, verdict: Verdict, reason: impl Into<String>) -> Self {
        Finding::new(id, verdict, reason).into()
    }

    /// Advice for `--explain` and JSON alone.
    pub fn advice(id: &'static str, reason: impl Into<String>) -> Self {
        Self::quiet(id, Verdict::Advice, reason)
    }

    /// A rule that lacks a fact.
    pub fn needs(id: &'static str, fact: &str) -> Self {
        Finding::needs(id, fact).into()
    }

    /// The same with its own words as a remark.
    #[must_use]
    pub fn aloud(mut self, kind: NoteKind) -> Self {
        self.remark = Some((kind, self.finding.reason.clone()));
        self
    }

    /// The same with a remark in other words.
    #[must_use]
    pub fn remarked(mut self, kind: NoteKind, text: impl Into<String>) -> Self {
        self.remark = Some((kind, text.into()));
        self
    }

    /// The remark as a note of the plan.
    pub fn note(&self, stage: Option<&str>) -> Option<Note> {
        let (kind, text) = self.remark.clone()?;
        Some(Note { kind, rule: self.finding.id, stage: stage.map(str::to_owned), text })
    }
}

impl From<Finding> for Said {
    fn from(finding: Finding) -> Self {
        Self { finding, remark: None }
    }
}
