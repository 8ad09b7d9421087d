//! One allocation per name: a region that thousands of offers share is stored once.

use super::Name;
use std::collections::BTreeSet;

/// The names met so far.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: BTreeSet<Name>,
    /// The last ones asked for: rows of a price list come in runs.
    recent: Vec<Name>,
}

/// How many names a row of a price list has at most.
const RECENT: usize = 8;

impl Interner {
    /// The shared name of a text.
    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.recent.iter().find(|name| &***name == text) {
            return Name::clone(name);
        }
        let name = if let Some(name) = self.names.get(text) {
            Name::clone(name)
        } else {
            let name = Name::from(text);
            self.names.insert(Name::clone(&name));
            name
        };
        if self.recent.len() >= RECENT {
            self.recent.remove(0);
        }
        self.recent.push(Name::clone(&name));
        name
    }
}
