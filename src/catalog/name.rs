//! Names that many things share: instances, regions, sources.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A shared name: an instance, a region, a source. Cheap to copy.
#[derive(Clone)]
pub struct Name(Text);

#[derive(Clone)]
enum Text {
    /// It stands in the program.
    Embedded(&'static str),
    /// It was read.
    Read(Arc<str>),
}

impl Name {
    /// A name that stands in the program.
    pub const fn embedded(name: &'static str) -> Self {
        Self(Text::Embedded(name))
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Embedded(name) => name,
            Text::Read(name) => name,
        }
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::embedded("")
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(Text::Read(name.into()))
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self(Text::Read(name.into()))
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

// As that of its text, by which it is looked up.
impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn where_it_stands_makes_no_difference() {
        let (embedded, read) = (Name::embedded("us-east-1"), Name::from("us-east-1"));
        assert_eq!(embedded, read);
        assert_eq!(format!("{embedded:?} {embedded}"), format!("{read:?} {read}"));
        assert!(Name::embedded("a") < Name::from("b"));
        assert!(Name::from("a") < Name::embedded("b"));
        let all = BTreeSet::from([embedded, read]);
        assert_eq!(all.len(), 1);
        assert!(all.contains("us-east-1"));
    }
}
