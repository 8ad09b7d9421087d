//! The rules as data: one row each, in the order of the documents. What a rule says about a workload is written in
//! `rules` (where the stage's own facts suffice) and in `advise` (where the plan must be known).

mod buying;
mod class;
mod cost;
mod memory;

use crate::names::Named;
use crate::thresholds::Threshold;

/// One rule of the documents.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id: the document's letter, a dash, its group and number.
    pub id: &'static str,
    /// What it asks or says, in one line.
    pub says: &'static str,
    /// The facts without which it is not evaluated, as keys of a workload; empty where it always can be.
    pub needs: &'static str,
    /// Where in the document.
    pub source: &'static str,
    /// What it does here, how, and where the document is not followed.
    pub more: &'static str,
}

impl Rule {
    /// The thresholds that it compares with.
    pub fn thresholds(&self) -> impl Iterator<Item = Threshold> {
        let id = self.id;
        Threshold::ALL.iter().map(|(threshold, _)| *threshold).filter(move |t| t.spec().rule == id)
    }
}

const fn line(
    id: &'static str,
    says: &'static str,
    needs: &'static str,
    source: &'static str,
    more: &'static str,
) -> Rule {
    Rule { id, says, needs, source, more }
}

/// All rules, in the order of the documents.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [class::ROWS, memory::ROWS, buying::ROWS, cost::ROWS].into_iter().flatten()
}

/// Ids under which a rule is known besides its own: both documents state that cost is price × duration.
pub const ALIASES: &[(&str, &str)] = &[("A-C1", "B-C1")];

/// The rule with an id or an alias.
pub fn rule(id: &str) -> Option<&'static Rule> {
    let id = ALIASES.iter().find(|(alias, _)| *alias == id).map_or(id, |(_, id)| id);
    rules().find(|rule| rule.id == id)
}

/// Position of a rule in the order of the documents; rules that are none come last.
pub fn position(id: &str) -> usize {
    rules().position(|rule| rule.id == id).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_rows_complete() {
        let mut ids: Vec<_> = rules().map(|r| r.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
        for rule in rules() {
            let Rule { id, says, needs: _, source, more } = rule;
            assert!(!says.is_empty() && source.starts_with("document ") && more.len() > 60, "{id}");
        }
        assert_eq!(rule("A-C1").unwrap().id, "B-C1");
        assert!(rule("A-X9").is_none());
    }

    #[test]
    fn every_threshold_belongs_to_a_rule() {
        for (threshold, name) in Threshold::ALL {
            assert!(rule(threshold.spec().rule).is_some(), "{name}");
        }
    }
}
