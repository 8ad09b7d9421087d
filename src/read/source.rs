//! A text with the name by which messages call it, and places in it.

use crate::diag::{Code, Diagnostic, Place};
use std::path::Path;
use std::sync::Arc;

/// A text with the name by which its messages call it.
#[derive(Debug, Clone)]
pub struct Source {
    name: Arc<str>,
    text: String,
    /// Byte offset of the start of each line.
    lines: Vec<usize>,
    /// What the places beyond the end of the text are called.
    beyond: Option<Arc<str>>,
}

impl Source {
    /// From a text at hand.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), text, lines, beyond: None }
    }

    /// The same text, with a name for the places beyond its end: those of a flag that changes it.
    #[must_use]
    pub fn with_beyond(&self, name: Arc<str>) -> Self {
        Self { beyond: Some(name), ..self.clone() }
    }

    /// Opens a file. A byte-order mark is taken off.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Self::new(name, text.trim_start_matches('\u{feff}'))),
                Err(error) => {
                    let at = error.utf8_error().valid_up_to();
                    let good = String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default());
                    let place = Self::new(name, good.trim_start_matches('\u{feff}')).place(at);
                    Err(Diagnostic::error(Code::Unreadable, place, "not UTF-8 text")
                        .hint("save the file as UTF-8"))
                }
            },
            Err(error) => {
                Err(Diagnostic::error(Code::Unreadable, None, format!("{name}: {}", reason(&error))))
            }
        }
    }

    /// The name by which messages call it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a byte offset.
    pub fn place(&self, offset: usize) -> Place {
        if let Some(beyond) = self.beyond.as_ref().filter(|_| offset > self.text.len()) {
            return Place::flag(Arc::clone(beyond));
        }
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let column = self.text.get(start..offset.min(self.text.len())).map_or(0, |s| s.chars().count()) + 1;
        Place {
            file: Arc::clone(&self.name),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

impl Source {
    /// The empty lines at a byte offset: a reader of CSV passes over those before a row.
    fn blank(&self, at: usize) -> &str {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.get(..rest.len() - rest.trim_start_matches(['\r', '\n']).len()).unwrap_or_default()
    }

    /// The place of a CSV row of which a reader says that it begins at a byte offset in a line.
    pub fn row(&self, at: u64, line: u64) -> Place {
        let blank = self.blank(usize::try_from(at).unwrap_or(usize::MAX));
        let passed = blank.matches('\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX).saturating_add(u32::try_from(passed).unwrap_or(0));
        Place { file: Arc::clone(&self.name), line, column: 1 }
    }

    /// The place of a field of a CSV row that begins at a byte offset; fields count from 0. Commas within quotes part
    /// nothing; a field that the row does not have is where the row begins.
    pub fn field(&self, row: usize, field: usize) -> Place {
        let bytes = self.text.as_bytes();
        let row = row + self.blank(row).len();
        let (mut left, mut quoted) = (field, false);
        for (at, byte) in bytes.iter().enumerate().skip(row) {
            match byte {
                _ if left == 0 => return self.place(at),
                b'"' => quoted = !quoted,
                b',' if !quoted => left -= 1,
                b'\n' if !quoted => return self.place(row),
                _ => {}
            }
        }
        self.place(if left == 0 { bytes.len() } else { row })
    }
}

pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// A value with the place where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stood.
    pub place: Place,
}

impl<T> Located<T> {
    /// The same place with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Located<U> {
        Located { value: f(self.value), place: self.place }
    }
}
