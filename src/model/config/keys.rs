//! The keys of a configuration: each value under any of its spellings.

use serde_json::{Map, Value};

/// The keys of the model, and of the whole file where that is more.
pub(super) struct Keys<'a> {
    pub(super) map: &'a Map<String, Value>,
    pub(super) outer: &'a Map<String, Value>,
}

impl Keys<'_> {
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.map.get(*name).filter(|value| !value.is_null()))
    }

    pub(super) fn number(&self, names: &[&str]) -> Option<f64> {
        self.value(names)?.as_f64()
    }

    pub(super) fn flag(&self, names: &[&str]) -> Option<bool> {
        self.value(names)?.as_bool()
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        self.value(names)?.as_str()
    }

    /// A probability of dropout: whether it is above zero.
    pub(super) fn dropout(&self, names: &[&str]) -> Option<bool> {
        Some(self.number(names)? > 0.0)
    }

    /// A size that must be there and be a whole number above zero.
    pub(super) fn size(&self, names: &[&str]) -> Result<f64, String> {
        let first = names.first().copied().unwrap_or_default();
        match self.number(names) {
            Some(n) if n >= 1.0 && n.fract() == 0.0 && n <= 1e9 => Ok(n),
            Some(n) => {
                let shown = if n.abs() < 1e15 { n.to_string() } else { format!("{n:e}") };
                Err(format!("`{first}` is {shown}; allowed: a whole number from 1 to 1,000,000,000"))
            }
            None => {
                let spellings: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                Err(format!("the configuration lacks `{first}` (spellings: {})", spellings.join(", ")))
            }
        }
    }
}
