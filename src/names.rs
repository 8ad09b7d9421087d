//! Names that a user types: enums with one spelling each, and the nearest name to a misspelt one.

/// An enum whose values have one spelling each, in files, on the command line and in the output.
pub trait Named: Copy + Eq + Sized + 'static {
    /// Every value with its spelling, in the order in which help texts list them.
    const ALL: &'static [(Self, &'static str)];

    /// The spelling.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, _)| *value == self).map_or("", |(_, name)| name)
    }

    /// The value of a spelling.
    fn from_name(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == text).map(|(value, _)| *value)
    }

    /// All spellings, as the "allowed" part of a message.
    fn allowed() -> String {
        list(Self::ALL.iter().map(|(_, name)| *name))
    }
}

/// Declares an enum together with its spellings, so that the two cannot drift apart.
macro_rules! named {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        $vis enum $name { $($(#[$vdoc])* $variant),+ }

        impl $crate::names::Named for $name {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $text)),+];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::names::Named::name(*self))
            }
        }
    };
}
pub(crate) use named;

/// The longest text that is compared with names.
const LONGEST: usize = 80;

/// The candidate that a misspelt name most likely means; none where nothing is near.
///
/// Case and separators do not count, so that `A100 80gb` finds `A100-80GB`; beyond that, Jaro-Winkler
/// similarity of at least 0.82, the first best in the given order. One slip of the hand (a letter too many, too few,
/// wrong, or two swapped) in a name of three letters or more counts as 0.82 at least: `asw` is `aws`.
pub fn closest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace(['-', '_', ' ', '.'], "");
    let wanted = plain(text);
    // Nobody misspells a name of that length; comparing it would take long.
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let name = plain(candidate);
        // A shared start weighs little where the digits differ: g5 is not g6.
        let score = if name == wanted {
            2.0
        } else {
            let slip = wanted.len() >= 3 && strsim::osa_distance(&wanted, &name) == 1;
            strsim::jaro_winkler(&wanted, &name).max(if slip { 0.82 } else { 0.0 })
        };
        if score >= 0.82 && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Names joined for a message: `a, b or c`.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let keys = ["samples", "size", "location", "instances", "A100-80GB", "A100-40GB"];
        assert_eq!(closest("sampels", keys), Some("samples"));
        assert_eq!(closest("a100 80gb", keys), Some("A100-80GB"));
        assert_eq!(closest("quaternion", keys), None);
        assert_eq!(closest("asw", ["gcp", "aws", "azure"]), Some("aws"));
        assert_eq!(closest("T5", ["T4", "A10"]), None);
        assert_eq!(closest("", keys), None);
    }
}
