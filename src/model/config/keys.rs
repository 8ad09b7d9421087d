//! The keys of a configuration: each value under any of its spellings.

use crate::diag::Code;
use serde_json::{Map, Value};

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrong {
    /// A missing key, or what else.
    pub(super) code: Code,
    /// The key that is wrong, as the file spells it; none where one is missing.
    pub(super) key: Option<String>,
    /// What is wrong, in words.
    pub(super) message: String,
}

impl Wrong {
    /// A key with a value that cannot be.
    pub(super) fn value(key: Option<&str>, message: String) -> Self {
        Self { code: Code::BadValue, key: key.map(str::to_owned), message }
    }

    /// Something that is not there.
    pub(super) const fn missing(message: String) -> Self {
        Self { code: Code::MissingKey, key: None, message }
    }
}

/// The keys of the model, and of the whole file where that is more.
pub(super) struct Keys<'a> {
    pub(super) map: &'a Map<String, Value>,
    pub(super) outer: &'a Map<String, Value>,
}

impl Keys<'_> {
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.map.get(*name).filter(|value| !value.is_null()))
    }

    /// The spelling under which the file has a value.
    pub(super) fn spelling<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.map.get(*name).is_some_and(|value| !value.is_null()))
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
    pub(super) fn size(&self, names: &[&str]) -> Result<f64, Wrong> {
        let first = names.first().copied().unwrap_or_default();
        let spelt = self.spelling(names);
        let shown = |value: &Value| match value.as_f64() {
            Some(n) if n.abs() < 1e15 => n.to_string(),
            Some(n) => format!("{n:e}"),
            None if value.is_object() || value.is_array() => "no number".to_owned(),
            None => value.to_string(),
        };
        match (self.number(names), self.value(names)) {
            (Some(n), _) if n >= 1.0 && n.fract() == 0.0 && n <= 1e9 => Ok(n),
            (_, Some(value)) => {
                let name = spelt.unwrap_or(first);
                let message =
                    format!("`{name}` is {}; allowed: a whole number from 1 to 1,000,000,000", shown(value));
                Err(Wrong::value(spelt, message))
            }
            (_, None) => {
                let spellings: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                Err(Wrong::missing(format!(
                    "the configuration lacks `{first}` (spellings: {})",
                    spellings.join(", ")
                )))
            }
        }
    }
}
