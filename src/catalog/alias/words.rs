//! A spelling of a card, taken apart: words of the model, memory, form.

/// Words that say who makes a card or that it is one: they tell no two cards apart.
const NOISE: [&str; 17] = [
    "nvidia",
    "tesla",
    "geforce",
    "amd",
    "instinct",
    "intel",
    "habana",
    "google",
    "aws",
    "gpu",
    "graphics",
    "card",
    "tensor",
    "core",
    "generation",
    "cloud",
    "accelerator",
];

/// How a card is built in, as far as names tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Sxm,
    Pcie,
    Nvl,
    Oam,
}

impl Form {
    fn of_word(word: &str) -> Option<Self> {
        match word {
            "sxm" | "sxm2" | "sxm3" | "sxm4" | "sxm5" | "sxm6" => Some(Self::Sxm),
            "pcie" | "pci" => Some(Self::Pcie),
            "nvl" => Some(Self::Nvl),
            "oam" => Some(Self::Oam),
            _ => None,
        }
    }

    /// The forms that the accelerator table states for a card: `SXM2/SXM3`.
    pub(super) fn of_table(text: &str) -> Vec<Self> {
        let lower = text.to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).filter_map(Self::of_word).collect()
    }
}

/// A spelling, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spelling {
    /// Words of the model, sorted.
    pub(super) model: Vec<String>,
    /// Memory in gigabytes, as names give it.
    pub(super) memory: Option<f64>,
    /// The form.
    pub(super) form: Option<Form>,
    /// Pieces that are no known word.
    pub(super) strange: bool,
}

/// The words of a text as its separators part them, in lower case; `80 GB` counts as one word.
pub(super) fn split(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(last) if is_number(last) && ["gb", "gib", "g"].contains(&word) => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// `80gb` → 80.
fn memory(word: &str) -> Option<f64> {
    let end = word.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = word.split_at(end);
    if number.is_empty() || !["gb", "gib", "g"].contains(&unit) {
        return None;
    }
    number.parse().ok()
}

/// A spelling of the table: each of its words is a word.
pub(super) fn of_table(words: &[String]) -> Spelling {
    let mut out = Spelling::default();
    for word in words {
        out.take(word);
    }
    out.model.sort();
    out
}

/// Takes a text apart. A word that is written together (`RTX6000Ada`, `H100NVL`) counts as several only where
/// known words cover it from end to end: no part of a word is ever matched alone.
pub(super) fn spelling(text: &str, vocabulary: &[String]) -> Spelling {
    let mut out = Spelling::default();
    for word in split(text) {
        match cover(&word, vocabulary, 0) {
            Some(parts) => parts.iter().for_each(|part| out.take(part)),
            None => out.strange = true,
        }
    }
    out.model.sort();
    out
}

impl Spelling {
    fn take(&mut self, word: &str) {
        if NOISE.contains(&word) {
        } else if let Some(memory) = memory(word) {
            self.strange |= self.memory.is_some_and(|m| m.total_cmp(&memory).is_ne());
            self.memory = Some(memory);
        } else if let Some(form) = Form::of_word(word) {
            self.strange |= self.form.is_some_and(|f| f != form);
            self.form = Some(form);
        } else {
            self.model.push(word.to_owned());
        }
    }
}

/// Splits a word into known ones (the vocabulary is sorted), the longest first; `None` where a piece is left over.
fn cover<'w>(word: &'w str, vocabulary: &[String], depth: u8) -> Option<Vec<&'w str>> {
    if word.is_empty() {
        return Some(Vec::new());
    }
    if depth > 6 {
        return None;
    }
    word.char_indices().rev().map(|(at, c)| at + c.len_utf8()).find_map(|end| {
        let (head, tail) = word.split_at(end);
        let known = vocabulary.binary_search_by(|word| word.as_str().cmp(head)).is_ok()
            || NOISE.contains(&head)
            || memory(head).is_some()
            || Form::of_word(head).is_some();
        if !known {
            return None;
        }
        let mut parts = cover(tail, vocabulary, depth + 1)?;
        parts.insert(0, head);
        Some(parts)
    })
}
