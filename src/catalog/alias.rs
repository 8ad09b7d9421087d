//! From the many spellings of a card to the one in the table. Matching is on whole words, never on substrings:
//! `RTX A4000` is no A40, `T4g` no T4. A name that leaves memory or form open has a stated meaning.

mod words;

use super::{AcceleratorId, Accelerators};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::{closest, list};
use crate::read::Located;
use words::{Form, Spelling, of_table, spelling, split};

/// What a spelling means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// One card.
    Card(AcceleratorId),
    /// Several cards bear the name; the first of the table is taken, and the reader must be told.
    Ambiguous {
        /// The card that is taken.
        id: AcceleratorId,
        /// That, in words.
        meaning: String,
        /// The other cards that bear the name.
        others: Vec<AcceleratorId>,
    },
    /// No card.
    Unknown {
        /// Cards that may be meant.
        near: Vec<AcceleratorId>,
    },
}

impl Found {
    /// The card, if there is one.
    pub fn id(&self) -> Option<AcceleratorId> {
        match self {
            Self::Card(id) | Self::Ambiguous { id, .. } => Some(*id),
            Self::Unknown { .. } => None,
        }
    }
}

/// Names state memory as sold, tables what is usable: 192 GB beside 180 is one card, 80 beside 94 is another.
const MEMORY_TOLERANCE: f64 = 0.08;

impl Accelerators {
    /// The card that a spelling means.
    pub fn find(&self, text: &str) -> Found {
        // The name in the table needs no table of spellings, which takes longer to build than all the rest.
        self.named(text).map_or_else(|| Aliases::new(self).find(text), Found::Card)
    }

    /// A spelling with a count: `8xA100-80GB`, `A100-80GB:8`, `A100 80GB x8`, or a name alone for one. A count that
    /// is none makes the whole spelling unknown.
    pub fn parse_gpu_with_count(&self, text: &str) -> (Found, f64) {
        let (found, count) = self.parse_gpu(text);
        (found, count.unwrap_or(1.0))
    }

    /// The same, with the count only where the spelling has one.
    pub fn parse_gpu(&self, text: &str) -> (Found, Option<f64>) {
        match split_count(text) {
            None => (Found::Unknown { near: Vec::new() }, None),
            Some((name, count)) => (self.find(name), count),
        }
    }

    /// The card that a value of an input file means; reports what is unknown (an error) or open (a warning).
    pub fn resolve(
        &self,
        key: &str,
        text: &Located<String>,
        diags: &mut Diagnostics,
    ) -> Option<AcceleratorId> {
        let found = self.find(&text.value);
        self.report(key, text, &found, diags);
        found.id()
    }

    /// Reports a spelling that means no card, or several.
    pub fn report(&self, key: &str, text: &Located<String>, found: &Found, diags: &mut Diagnostics) {
        match found {
            Found::Card(_) => {}
            Found::Ambiguous { id, meaning, .. } => diags.push(
                Diagnostic::warning(
                    Code::AmbiguousName,
                    text.place.clone(),
                    format!("`{key}` is {:?}: {meaning}", text.value),
                )
                .hint(format!("write {:?}", self.name(*id))),
            ),
            Found::Unknown { near } => {
                let error = Diagnostic::error(
                    Code::UnknownName,
                    text.place.clone(),
                    format!("`{key}` is {:?}, which is no accelerator of the table", text.value),
                );
                diags.push(if near.is_empty() {
                    error
                } else {
                    let names: Vec<String> = near.iter().map(|id| format!("`{}`", self.name(*id))).collect();
                    error.hint(format!("did you mean {}?", list(names.iter().map(String::as_str))))
                });
            }
        }
    }

    /// The canonical name of a card.
    pub fn name(&self, id: AcceleratorId) -> &str {
        self.get(id).map_or("?", |card| &card.name)
    }

    /// The card with exactly this canonical name.
    pub fn named(&self, name: &str) -> Option<AcceleratorId> {
        self.iter().find(|(_, card)| &*card.name == name).map(|(id, _)| id)
    }
}

/// `8xA100`, `8 × A100`, `A100:8`, `A100 x8` → the name, and the count if there is one.
fn split_count(text: &str) -> Option<(&str, Option<f64>)> {
    let text = text.trim();
    let count = |text: &str| {
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        text.parse::<f64>().ok().filter(|n| plain && *n > 0.0 && n.is_finite())
    };
    if let Some((name, number)) = text.rsplit_once(':') {
        return Some((name.trim(), Some(count(number.trim())?)));
    }
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let after = text[digits..].trim_start();
    if digits > 0
        && let Some(name) = after.strip_prefix(['x', 'X', '×', '*'])
    {
        return Some((name.trim_start(), Some(count(&text[..digits])?)));
    }
    if let Some((name, last)) = text.rsplit_once(' ')
        && let Some(number) = last.strip_prefix(['x', 'X', '×', '*'])
        && let Some(count) = count(number)
    {
        return Some((name.trim_end(), Some(count)));
    }
    Some((text, None))
}

/// The spellings of a table of cards, taken apart once.
#[derive(Debug)]
pub struct Aliases<'a> {
    cards: &'a Accelerators,
    /// Every word of the table, sorted.
    vocabulary: Vec<String>,
    spellings: Vec<(Spelling, AcceleratorId)>,
}

impl<'a> Aliases<'a> {
    /// Of a table.
    pub fn new(cards: &'a Accelerators) -> Self {
        let mut vocabulary = Vec::new();
        let mut spellings = Vec::new();
        for (id, card) in cards.iter() {
            for text in std::iter::once(&card.name).chain(&card.aliases) {
                let words = split(text);
                spellings.push((of_table(&words), id));
                vocabulary.extend(words);
            }
        }
        vocabulary.sort_unstable();
        vocabulary.dedup();
        Self { cards, vocabulary, spellings }
    }

    /// The card that a spelling means.
    pub fn find(&self, text: &str) -> Found {
        let wanted = spelling(text, &self.vocabulary);
        if wanted.strange || wanted.model.is_empty() {
            return Found::Unknown { near: self.near(text, &wanted) };
        }
        let exact = self.ids(|spelling, _| *spelling == wanted);
        if let [id] = exact.as_slice() {
            return Found::Card(*id);
        }
        let fitting = self.ids(|spelling, id| spelling.model == wanted.model && self.fits(id, &wanted));
        match fitting.as_slice() {
            [] => Found::Unknown { near: self.near(text, &wanted) },
            [id] => Found::Card(*id),
            [id, others @ ..] => {
                let names: Vec<&str> = others.iter().map(|id| self.cards.name(*id)).collect();
                let meaning = format!("taken for {}, not {}", self.cards.name(*id), list(names));
                Found::Ambiguous { id: *id, meaning, others: others.to_vec() }
            }
        }
    }

    /// Cards with a spelling that passes, in table order, each once.
    fn ids(&self, passes: impl Fn(&Spelling, AcceleratorId) -> bool) -> Vec<AcceleratorId> {
        let mut ids: Vec<AcceleratorId> =
            self.spellings.iter().filter(|(spelling, id)| passes(spelling, *id)).map(|(_, id)| *id).collect();
        ids.dedup();
        ids
    }

    /// Whether a card has the memory and the form that a spelling states.
    fn fits(&self, id: AcceleratorId, wanted: &Spelling) -> bool {
        self.cards.get(id).is_some_and(|card| {
            let nominal = card.memory.as_gib();
            wanted.memory.is_none_or(|m| (m - nominal).abs() <= MEMORY_TOLERANCE * nominal)
                && wanted.form.is_none_or(|form| Form::of_table(&card.form).contains(&form))
        })
    }

    /// Cards of the same model; otherwise the card with the nearest name.
    fn near(&self, text: &str, wanted: &Spelling) -> Vec<AcceleratorId> {
        let same = self.ids(|spelling, _| !wanted.model.is_empty() && spelling.model == wanted.model);
        if !same.is_empty() {
            return same;
        }
        let names = self.cards.iter().flat_map(|(_, card)| std::iter::once(&card.name).chain(&card.aliases));
        let name = closest(text, names.map(|name| &**name));
        let card = self.cards.iter().find(|(_, card)| {
            name.is_some_and(|name| &*card.name == name || card.aliases.iter().any(|alias| &**alias == name))
        });
        card.into_iter().map(|(id, _)| id).collect()
    }
}
