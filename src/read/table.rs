//! Reading TOML tables key by key. Every accessor remembers its key, so that [`Fields::finish`] can report the
//! keys that nobody asked for, with the nearest one that somebody did; no mistake stops the reading.

mod list;

use super::{Located, Source};
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::names::{Named, closest, list};
use crate::units::number::{Count, thousands};
use crate::units::{Money, Quantity};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses a document. Syntax errors are all reported; what could be read despite them is returned.
pub fn parse<'s>(source: &'s Source, diags: &mut Diagnostics) -> Spanned<DeTable<'s>> {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        let place = source.place(error.span().map_or(0, |span| span.start));
        let message = error.message().replace('\n', "; ");
        let hint = unquoted(source, &place);
        let found = Diagnostic::error(Code::Syntax, place, format!("not valid TOML: {message}"));
        diags.push(Diagnostic { hint, ..found });
    }
    table
}

/// What to type where a quantity with a unit lacks its quotes, the commonest slip: `params = 25.6M`.
fn unquoted(source: &Source, place: &Place) -> Option<String> {
    let line = source.text().lines().nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    let (key, value) = line.split('#').next()?.split_once('=')?;
    let value = value.trim();
    let bare = value.starts_with(|c: char| c.is_ascii_digit())
        && value.contains(char::is_alphabetic)
        && !value.contains(['"', '\'', '{', '[', ',']);
    bare.then(|| format!("write `{} = {value:?}`", key.trim()))
}

/// One table that is being read.
#[derive(Debug)]
pub struct Fields<'a> {
    source: &'a Source,
    table: &'a DeTable<'a>,
    place: Place,
    /// How messages call it: `[[stage]]`, `checkpoint`.
    what: String,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Begins to read the document itself.
    pub fn root(source: &'a Source, document: &'a Spanned<DeTable<'a>>, what: &str) -> Self {
        Self {
            source,
            table: document.get_ref(),
            place: source.place(0),
            what: what.to_owned(),
            known: Vec::new(),
        }
    }

    /// Where the table begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// How messages call it.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Whether a key is there, whatever its value.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The keys as written, with their places: for tables whose keys are names.
    pub fn keys(&self) -> Vec<Located<String>> {
        let mut keys: Vec<_> =
            self.table.iter().map(|(key, _)| (key.span().start, key.get_ref().to_string())).collect();
        keys.sort();
        keys.into_iter().map(|(at, value)| Located { value, place: self.source.place(at) }).collect()
    }

    fn get(&mut self, key: &'static str) -> Option<(&'a DeValue<'a>, Place)> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.get_named(key)
    }

    fn get_named(&self, key: &str) -> Option<(&'a DeValue<'a>, Place)> {
        self.table.get(key).map(|value| (value.get_ref(), self.source.place(value.span().start)))
    }

    fn expected(&self, key: &str, place: Place, value: &DeValue<'_>, allowed: &str) -> Diagnostic {
        Diagnostic::error(Code::WrongType, place, format!("`{key}` in {} is {}", self.what, kind(value)))
            .allowed(allowed)
    }

    /// A string.
    pub fn text(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Located<String>> {
        let (value, place) = self.get(key)?;
        match value.as_str() {
            Some("") => {
                diags.push(Diagnostic::error(
                    Code::BadValue,
                    place,
                    format!("`{key}` in {} is empty", self.what),
                ));
                None
            }
            Some(text) if text.chars().any(char::is_control) => {
                diags.push(
                    Diagnostic::error(Code::BadValue, place, format!("`{key}` in {} is {text:?}", self.what))
                        .allowed("text without control characters"),
                );
                None
            }
            Some(text) => Some(Located { value: text.to_owned(), place }),
            None => {
                diags.push(self.expected(key, place, value, "a string"));
                None
            }
        }
    }

    /// A value of the right type that is not allowed.
    fn out_of_range(
        &self,
        key: &str,
        place: Place,
        value: &DeValue<'_>,
        allowed: impl Into<String>,
    ) -> Diagnostic {
        let message = format!("`{key}` in {} is {}", self.what, plain(value));
        Diagnostic::error(Code::BadValue, place, message).allowed(allowed)
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Located<bool>> {
        let (value, place) = self.get(key)?;
        let found = value.as_bool();
        if found.is_none() {
            diags.push(self.expected(key, place.clone(), value, "true or false"));
        }
        found.map(|value| Located { value, place })
    }

    /// One number of things, or a list of them.
    pub fn counts(&mut self, key: &'static str, diags: &mut Diagnostics) -> Vec<Located<f64>> {
        let Some((value, _)) = self.get(key) else { return Vec::new() };
        let Some(items) = value.as_array() else { return self.count(key, diags).into_iter().collect() };
        let mut counts = Vec::new();
        for item in items {
            let place = self.source.place(item.span().start);
            match number(item.get_ref()).and_then(Count::new) {
                Some(count) => counts.push(Located { value: count.get(), place }),
                None => {
                    diags.push(self.expected(key, place, item.get_ref(), "a number, or a list of numbers"));
                }
            }
        }
        counts
    }

    /// A number of things, as a number or as text with a suffix (`"25.6M"`).
    pub fn count(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Located<f64>> {
        let (value, place) = self.get(key)?;
        let read = match value {
            DeValue::Integer(_) | DeValue::Float(_) => number(value).and_then(Count::new).map(Count::get),
            DeValue::String(text) => match Count::parse(text) {
                Ok(count) => Some(count.get()),
                Err(error) => {
                    diags.push(self.refused(key, &place, &format!("{text:?}"), error));
                    return None;
                }
            },
            _ => {
                diags.push(self.expected(key, place, value, Count::ALLOWED));
                return None;
            }
        };
        if read.is_none() {
            diags.push(self.out_of_range(key, place.clone(), value, "a number of zero or more"));
        }
        read.map(|value| Located { value, place })
    }

    /// A number within bounds (both included), such as a share from 0 to 1.
    pub fn number_within(
        &mut self,
        key: &'static str,
        bounds: (f64, f64),
        diags: &mut Diagnostics,
    ) -> Option<Located<f64>> {
        let (value, place) = self.get(key)?;
        match number(value) {
            Some(n) if n >= bounds.0 && n <= bounds.1 => Some(Located { value: n, place }),
            Some(_) => {
                diags.push(self.out_of_range(key, place, value, range(bounds)));
                None
            }
            None => {
                diags.push(self.expected(key, place, value, &range(bounds)));
                None
            }
        }
    }

    /// A whole number from one to another, both included.
    pub fn whole(
        &mut self,
        key: &'static str,
        (least, most): (u32, u32),
        diags: &mut Diagnostics,
    ) -> Option<Located<u32>> {
        let (value, place) = self.get(key)?;
        let read = match value {
            DeValue::Integer(_) => number(value),
            _ => None,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie in u32")]
        let whole = read.filter(|n| *n >= f64::from(least) && *n <= f64::from(most)).map(|n| n as u32);
        if whole.is_none() {
            let allowed = format!("a whole number from {least} to {}", thousands(f64::from(most)));
            diags.push(self.out_of_range(key, place.clone(), value, allowed));
        }
        whole.map(|value| Located { value, place })
    }

    /// A plain number or decimal text as written, for exact money.
    pub fn decimal(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Located<Money>> {
        let (value, place) = self.get(key)?;
        let text = match value {
            DeValue::Integer(n) if n.radix() == 10 => n.as_str(),
            DeValue::Float(n) => n.as_str(),
            _ => {
                diags.push(self.expected(key, place, value, "a plain number"));
                return None;
            }
        };
        let money = Money::from_decimal(text);
        if money.is_none() {
            diags.push(
                Diagnostic::error(
                    Code::BadPrice,
                    place.clone(),
                    format!("`{key}` in {} is {text}", self.what),
                )
                .allowed("a finite number"),
            );
        }
        money.map(|value| Located { value, place })
    }

    /// A quantity written as text with its unit. A TOML date is taken for a date.
    pub fn quantity<T: Quantity>(
        &mut self,
        key: &'static str,
        diags: &mut Diagnostics,
    ) -> Option<Located<T>> {
        let (value, place) = self.get(key)?;
        let text = match value {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(date) => date.to_string(),
            DeValue::Integer(n) => n.to_string(),
            DeValue::Float(n) => n.to_string(),
            _ => {
                diags.push(self.expected(key, place, value, T::ALLOWED));
                return None;
            }
        };
        match T::parse(&text) {
            Ok(parsed) => Some(Located { value: parsed, place }),
            Err(error) => {
                diags.push(self.refused(key, &place, &plain(value), error));
                None
            }
        }
    }

    fn refused(
        &self,
        key: &str,
        place: &Place,
        text: &str,
        error: crate::units::QuantityError,
    ) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(Code::BadValue, place.clone(), format!("`{key}` in {} is {text}", self.what))
                .allowed(error.allowed);
        match error.suggestion {
            Some(text) => diagnostic.hint(format!("did you mean `{key} = {text:?}`?")),
            None => diagnostic,
        }
    }

    /// One of the spellings of an enum.
    pub fn named<T: Named>(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Located<T>> {
        let text = self.text(key, diags)?;
        let value = T::from_name(&text.value);
        if value.is_none() {
            diags.push(unknown_spelling::<T>(key, &text, &self.what));
        }
        value.map(|value| Located { value, place: text.place })
    }

    /// A list of spellings of an enum; one alone counts as a list of one.
    pub fn named_list<T: Named>(
        &mut self,
        key: &'static str,
        diags: &mut Diagnostics,
    ) -> Option<Vec<Located<T>>> {
        let texts = self.texts(key, diags)?;
        if let Some((value, place)) = self.get(key)
            && value.as_array().is_some_and(|list| list.is_empty())
        {
            let message = format!("`{key}` in {} is an empty list", self.what);
            diags.push(Diagnostic::error(Code::BadValue, place, message).allowed(T::allowed()));
        }
        let mut values = Vec::new();
        for text in texts {
            match T::from_name(&text.value) {
                Some(value) => values.push(Located { value, place: text.place }),
                None => diags.push(unknown_spelling::<T>(key, &text, &self.what)),
            }
        }
        Some(values)
    }

    /// A list of strings; one string alone counts as a list of one.
    pub fn texts(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Vec<Located<String>>> {
        let (value, place) = self.get(key)?;
        if let Some(text) = value.as_str() {
            return Some(vec![Located { value: text.to_owned(), place }]);
        }
        let Some(items) = value.as_array() else {
            diags.push(self.expected(key, place, value, "a list of strings"));
            return None;
        };
        let mut texts = Vec::new();
        for item in items {
            let place = self.source.place(item.span().start);
            match item.get_ref().as_str() {
                Some(text) if !text.is_empty() => texts.push(Located { value: text.to_owned(), place }),
                _ => diags.push(self.expected(key, place, item.get_ref(), "a list of strings")),
            }
        }
        Some(texts)
    }

    /// A table below this one.
    pub fn table(&mut self, key: &'static str, diags: &mut Diagnostics) -> Option<Self> {
        let (value, place) = self.get(key)?;
        if let Some(table) = value.as_table() {
            Some(Fields { source: self.source, table, place, what: format!("[{key}]"), known: Vec::new() })
        } else {
            diags.push(self.expected(key, place, value, "a table"));
            None
        }
    }

    /// A table below this one whose key is a name that the caller knows only now.
    pub fn table_named(&self, key: &str, diags: &mut Diagnostics) -> Option<Self> {
        let (value, place) = self.get_named(key)?;
        if let Some(table) = value.as_table() {
            Some(Fields { source: self.source, table, place, what: format!("[{key}]"), known: Vec::new() })
        } else {
            diags.push(self.expected(key, place, value, "a table"));
            None
        }
    }

    /// A text under a key that the caller knows only now.
    pub fn text_named(&self, key: &str, diags: &mut Diagnostics) -> Option<Located<String>> {
        let (value, place) = self.get_named(key)?;
        match value.as_str() {
            Some(text) if !text.is_empty() => Some(Located { value: text.to_owned(), place }),
            _ => {
                diags.push(self.expected(key, place, value, "a string"));
                None
            }
        }
    }

    /// A number under a key that the caller knows only now, within bounds.
    pub fn number_named(
        &self,
        key: &str,
        bounds: (f64, f64),
        diags: &mut Diagnostics,
    ) -> Option<Located<f64>> {
        let (value, place) = self.get_named(key)?;
        let read = number(value).filter(|n| *n >= bounds.0 && *n <= bounds.1);
        if read.is_none() {
            diags.push(self.out_of_range(key, place.clone(), value, range(bounds)));
        }
        read.map(|value| Located { value, place })
    }

    /// A list of tables (`[[stage]]` or `[{ … }, { … }]`); one table alone counts as a list of one.
    pub fn tables(&mut self, key: &'static str, diags: &mut Diagnostics) -> Vec<Self> {
        let Some((value, place)) = self.get(key) else { return Vec::new() };
        let what = format!("[[{key}]]");
        if let Some(table) = value.as_table() {
            return vec![Fields { source: self.source, table, place, what, known: Vec::new() }];
        }
        let Some(items) = value.as_array() else {
            diags.push(self.expected(key, place, value, "a list of tables"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            let place = self.source.place(item.span().start);
            match item.get_ref().as_table() {
                Some(table) => {
                    tables.push(Fields {
                        source: self.source,
                        table,
                        place,
                        what: what.clone(),
                        known: Vec::new(),
                    });
                }
                None => diags.push(self.expected(key, place, item.get_ref(), "a list of tables")),
            }
        }
        tables
    }

    /// A key that must be there: reports its absence.
    pub fn require<T>(
        &self,
        value: Option<T>,
        key: &str,
        example: &str,
        diags: &mut Diagnostics,
    ) -> Option<T> {
        if value.is_none() && !self.has(key) {
            diags.push(self.missing(key).hint(format!("add `{key} = {example}`")));
        }
        value
    }

    fn missing(&self, key: &str) -> Diagnostic {
        let message = format!("{} has no `{key}`", self.what);
        Diagnostic::error(Code::MissingKey, self.place.clone(), message)
    }

    /// Keys that the table may have, for the messages about those that it may not.
    pub fn know(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
    }

    /// Ends the reading: every key that nobody asked for is reported. Returns the keys that the table states,
    /// a misspelt one as what it most likely means, so that one mistake does not cause a second message.
    pub fn finish(self, diags: &mut Diagnostics) -> Vec<String> {
        let mut stated = Vec::new();
        for key in self.keys() {
            if self.known.iter().any(|k| *k == key.value) {
                stated.push(key.value);
                continue;
            }
            let mut names = self.known.clone();
            names.sort_unstable();
            let found = Diagnostic::error(
                Code::UnknownKey,
                key.place,
                format!("unknown key `{}` in {}", key.value, self.what),
            );
            let found = match closest(&key.value, names.iter().copied()) {
                Some(name) => {
                    stated.push(name.to_owned());
                    diags.take_back(&self.missing(name));
                    found.hint(format!("did you mean `{name}`?"))
                }
                None => found.allowed(list(names.iter().copied())),
            };
            diags.push(found);
        }
        stated
    }
}

/// What was typed without the quotes that TOML wants: a list of words where it stands in brackets, else one text.
pub(super) fn quoted_list(value: &str) -> String {
    let quoted = |word: &str| {
        let word = word.trim();
        let bare = DeTable::parse(&format!("v = {word}")).is_ok();
        if bare {
            word.to_owned()
        } else {
            format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
        }
    };
    let list = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match list.filter(|words| !words.contains(['[', ']', '{', '}'])) {
        Some(words) => {
            let words = words.split(',').filter(|w| !w.trim().is_empty());
            format!("[{}]", words.map(quoted).collect::<Vec<_>>().join(", "))
        }
        None => quoted(value),
    }
}

/// The message for a spelling that an enum does not have.
pub fn unknown_spelling<T: Named>(key: &str, text: &Located<String>, what: &str) -> Diagnostic {
    Diagnostic::error(Code::UnknownName, text.place.clone(), format!("`{key}` in {what} is {:?}", text.value))
        .allowed(T::allowed())
        .did_you_mean(&text.value, T::ALL.iter().map(|(_, name)| *name))
}

fn range((low, high): (f64, f64)) -> String {
    if high.is_finite() {
        format!("a number from {low} to {high}")
    } else {
        format!("a number of {low} or more")
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let n: f64 = match value {
        DeValue::Integer(n) if n.radix() == 10 => n.as_str().parse().ok()?,
        DeValue::Float(n) => n.as_str().parse().ok()?,
        _ => return None,
    };
    n.is_finite().then_some(n)
}

fn kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => {
            format!("{} ({})", plain(value), value.type_str())
        }
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn plain(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(n) => n.to_string(),
        DeValue::Float(n) => n.to_string(),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(d) => d.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
