//! `--what-if key=value`: a value of a workload is changed before anything is read of it, so that every check of a file
//! applies to it; messages name the flag.

use super::Source;
use super::table::quoted_list;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::names::closest;
use crate::units::QuantityError;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A change as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The key as TOML takes it.
    key: String,
    /// The same without quotes.
    path: String,
    value: String,
}

/// Key and value: what stands before and behind the first equals sign outside of quotes.
fn halves(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '=') => return Some((text.get(..at)?.trim(), text.get(at + 1..)?.trim())),
            _ => {}
        }
    }
    None
}

/// The names of a dotted key; none where it is none.
fn path_of(key: &str) -> Option<Vec<String>> {
    let line = format!("{key} = 0");
    let document = DeTable::parse(&line).ok().filter(|_| !key.is_empty() && !key.contains('\n'))?;
    let mut table = Some(document.get_ref());
    let mut path = Vec::new();
    while let Some((name, value)) = table.and_then(|table| table.iter().next()) {
        path.push(name.get_ref().to_string());
        table = value.get_ref().as_table();
    }
    Some(path)
}

/// A name as TOML takes it in a dotted key.
fn quoted_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.chars().all(bare) || name.contains(['"', '\'', '\\']) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// Keys that flags state too, so that taking them away says something even where the file does not state them.
const FLAGS: [&str; 7] = [
    "currency",
    "limits.budget",
    "limits.deadline",
    "limits.aim",
    "limits.confidence",
    "where.providers",
    "where.regions",
];

/// The changed document reached its place, or there is none such.
type Applied = Result<(), Diagnostic>;

impl Change {
    /// From `key=value`. The key is dotted as in TOML and may begin with the name of a stage, in quotes where it holds a
    /// dot; a space needs none. Without a value the key is taken away.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        const ALLOWED: &str = "key=value, such as data.samples=10M, limits.deadline=6h or train.epochs=5; a stage's name \
                               with a dot in quotes, such as 'stage.\"v1.2\".epochs=5'";
        let refused = || QuantityError::new(ALLOWED);
        let (key, value) = halves(text).ok_or_else(refused)?;
        let spaced = key.split('.').map(|part| quoted_key(part.trim())).collect::<Vec<_>>().join(".");
        let (key, path) = [key.to_owned(), spaced]
            .into_iter()
            .find_map(|key| path_of(&key).map(|path| (key, path)))
            .ok_or_else(refused)?;
        Ok(Self { key, path: path.join("."), value: value.to_owned() })
    }

    /// The key, dotted.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How messages call it.
    pub fn name(&self) -> Arc<str> {
        format!("--what-if {self}").into()
    }

    /// Whether it states a key of the workload: that key itself or a table that holds it.
    pub fn states(&self, key: &str) -> bool {
        key == self.path || key.strip_prefix(&self.path).is_some_and(|rest| rest.starts_with('.'))
    }

    /// The change as a document whose places come after those of a source: what is no TOML by itself is text, so that a
    /// shell's missing quotes do not matter.
    pub(super) fn document(&self, source: &Source) -> String {
        let Self { key, value, .. } = self;
        let value = if value.is_empty() { "0" } else { value };
        let typed = format!("{key} = {value}");
        let line =
            if DeTable::parse(&typed).is_ok() { typed } else { format!("{key} = {}", quoted_list(value)) };
        " ".repeat(source.text().len() + 1) + &line
    }

    /// Puts the change into a document. `stages` are the names of its stages.
    pub(super) fn apply<'s>(
        &self,
        document: &mut DeTable<'s>,
        change: DeTable<'s>,
        (keys, stages): (&[&str], &[String]),
        diags: &mut Diagnostics,
    ) {
        for (key, value) in change {
            let name = key.get_ref().to_string();
            let applied = if name == "stage" {
                self.in_named_stage(document, value, stages)
            } else if keys.contains(&name.as_str()) || !stages.contains(&name) {
                if keys.contains(&name.as_str()) {
                    self.put(document, key, value)
                } else {
                    Err(self.unknown(&name, (keys, stages)))
                }
            } else {
                self.in_stage(document, &name, value, stages)
            };
            if let Err(diagnostic) = applied {
                diags.push(diagnostic);
            }
        }
    }

    /// `stage.NAME.key`.
    fn in_named_stage<'s>(
        &self,
        document: &mut DeTable<'s>,
        value: Spanned<DeValue<'s>>,
        stages: &[String],
    ) -> Applied {
        let DeValue::Table(table) = value.into_inner() else {
            let name = stages.first().map_or_else(|| "train".to_owned(), |name| quoted_key(name));
            return Err(self
                .error(Code::BadValue, "changes all stages at once")
                .hint(format!("name one, as in stage.{name}.epochs=5")));
        };
        for (key, value) in table {
            let name = key.get_ref().to_string();
            if !stages.contains(&name) {
                return Err(self.unknown(&name, (&[], stages)));
            }
            self.in_stage(document, &name, value, stages)?;
        }
        Ok(())
    }

    fn in_stage<'s>(
        &self,
        document: &mut DeTable<'s>,
        name: &str,
        value: Spanned<DeValue<'s>>,
        stages: &[String],
    ) -> Applied {
        let at = stages.iter().position(|s| s == name);
        let stage = match document.get_mut("stage").map(Spanned::get_mut) {
            Some(DeValue::Table(only)) => Some(only),
            Some(DeValue::Array(all)) => {
                all.get_mut(at.unwrap_or(usize::MAX)).and_then(|s| match s.get_mut() {
                    DeValue::Table(stage) => Some(stage),
                    _ => None,
                })
            }
            _ => None,
        };
        let (Some(stage), DeValue::Table(values)) = (stage, value.into_inner()) else {
            return Err(self
                .error(Code::BadValue, &format!("names no key of stage {name}"))
                .hint(format!("name one, as in {}.epochs=5", quoted_key(name))));
        };
        for (key, value) in values {
            self.put(stage, key, value)?;
        }
        Ok(())
    }

    /// Sets or takes away a key of a table; tables on both sides are merged.
    fn put<'s>(
        &self,
        table: &mut DeTable<'s>,
        key: Spanned<std::borrow::Cow<'s, str>>,
        value: Spanned<DeValue<'s>>,
    ) -> Applied {
        let old = table.get_mut(key.get_ref().as_ref());
        let span = value.span();
        match (old.map(Spanned::get_mut), value.into_inner()) {
            (Some(DeValue::Table(old)), DeValue::Table(new)) => {
                for (key, value) in new {
                    self.put(old, key, value)?;
                }
            }
            (None, _) if self.value.is_empty() => {
                if !FLAGS.contains(&self.path.as_str()) {
                    return Err(self.error(Code::MissingKey, "takes away a key that the file does not state"));
                }
            }
            (Some(_), _) if self.value.is_empty() => {
                table.remove(key.get_ref().as_ref());
            }
            (_, new) => {
                // The key's place is the flag's too.
                table.remove(key.get_ref().as_ref());
                table.insert(key, Spanned::new(span, new));
            }
        }
        Ok(())
    }

    fn error(&self, code: Code, what: &str) -> Diagnostic {
        Diagnostic::error(code, None, format!("`{}` {what}", self.name()))
    }

    fn unknown(&self, name: &str, (keys, stages): (&[&str], &[String])) -> Diagnostic {
        let error = self.error(
            Code::UnknownKey,
            &format!("names `{name}`, which is neither a key of the workload nor a stage"),
        );
        // The dot of a stage's name parts the key.
        let path = self.path.strip_prefix("stage.").unwrap_or(&self.path);
        let parted = |stage: &&String| {
            stage.contains('.') && path.strip_prefix(stage.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some(stage) = stages.iter().find(parted) {
            let rest = path.get(stage.len()..).unwrap_or_default();
            return error.hint(format!("write `--what-if '{}{rest}={}'`", quoted_key(stage), self.value));
        }
        let names = || keys.iter().copied().chain(stages.iter().map(String::as_str));
        match closest(name, names()) {
            Some(near) => error.hint(format!("did you mean `{}`?", quoted_key(near))),
            None => error.allowed(crate::names::list(names())),
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}
