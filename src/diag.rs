//! Diagnostics: what is wrong, where, what would be right and what to type. Reading and resolving collect all
//! of them and fail once, so that one run shows every mistake.

mod about;

use crate::names::named;
use std::sync::Arc;

named! {
    /// How bad it is.
    pub enum Severity {
        /// The run cannot go on: exit status 2.
        Error = "error",
        /// The run goes on; the reader should know.
        Warning = "warning",
    }
}

named! {
    /// The kind of a diagnostic; `plan explain CODE` describes it.
    pub enum Code {
        /// The text is not TOML or CSV.
        Syntax = "syntax",
        /// A key that this table does not have.
        UnknownKey = "unknown-key",
        /// A key that must be there is not.
        MissingKey = "missing-key",
        /// A string where a number belongs, and the like.
        WrongType = "wrong-type",
        /// A value outside of what is allowed.
        BadValue = "bad-value",
        /// A name that nothing has: an instance, a region, a GPU, a stage.
        UnknownName = "unknown-name",
        /// A name that fits several things.
        AmbiguousName = "ambiguous-name",
        /// The same thing stated twice.
        Duplicate = "duplicate",
        /// Stages that wait for one another.
        Cycle = "cycle",
        /// Two statements that cannot both hold.
        Conflict = "conflict",
        /// A price that is negative, zero without `free`, or not a number.
        BadPrice = "bad-price",
        /// A price that is possible but unlikely.
        OddPrice = "odd-price",
        /// Memory or counts that contradict the accelerator table.
        WrongSpec = "wrong-spec",
        /// Prices without a date or a source.
        Undated = "undated",
        /// A price old enough to be wrong by now.
        StalePrice = "stale-price",
        /// Currencies that cannot be compared for want of a rate.
        NoRate = "no-rate",
        /// A file that cannot be read.
        Unreadable = "unreadable",
        /// A file that cannot be written.
        Unwritable = "unwritable",
    }
}

/// A place in an input file; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// Line, from 1; 0 for a flag.
    pub line: u32,
    /// Column in characters, from 1; 0 for a flag.
    pub column: u32,
}

impl Place {
    /// A flag of the command line, which has neither lines nor columns.
    pub const fn flag(name: Arc<str>) -> Self {
        Self { file: name, line: 0, column: 0 }
    }

    /// Whether it is a flag.
    pub const fn is_flag(&self) -> bool {
        self.line == 0
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_flag() {
            return f.write_str(&self.file);
        }
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One message. It prints as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// Where, if it has a place.
    pub place: Option<Place>,
    /// What was found.
    pub message: String,
    /// What is allowed there; empty when the message says it all.
    pub allowed: String,
    /// One thing to type.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            place: place.into(),
            message: message.into(),
            allowed: String::new(),
            hint: None,
        }
    }

    /// A warning.
    pub fn warning(code: Code, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// The same, with what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// The same, with one thing to type.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, with a "did you mean" where a name is near.
    #[must_use]
    pub fn did_you_mean<'a>(mut self, text: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        if let Some(name) = crate::names::closest(text, names) {
            self.hint = Some(format!("did you mean `{name}`?"));
        }
        self
    }
}

/// Writes a text as one line: control characters, which names in a file may hold, are escaped.
struct OneLine<'a, 'f>(&'a mut std::fmt::Formatter<'f>);

impl std::fmt::Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write_str(&plain(text))
    }
}

/// A text without control characters: they are escaped as in source code.
pub fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return text.into();
    }
    let escaped: String = text
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<char>>() } else { vec![c] })
        .collect();
    escaped.into()
}

impl Diagnostic {
    /// What it says, without its place and kind.
    pub fn says(&self) -> String {
        let mut says = self.message.clone();
        if !self.allowed.is_empty() {
            says = says + "; allowed: " + &self.allowed;
        }
        if let Some(hint) = &self.hint {
            says = says + "; " + hint;
        }
        says
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::fmt::Write as _;
        let mut f = OneLine(f);
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, self.says())
    }
}

/// The diagnostics of a run, in the order in which they were found until [`sorted`](Self::sorted).
#[derive(Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None so far.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Whether one is among them.
    pub fn contains(&self, diagnostic: &Diagnostic) -> bool {
        self.0.contains(diagnostic)
    }

    /// Takes one back that another one explains.
    pub fn take_back(&mut self, explained: &Diagnostic) {
        self.0.retain(|d| {
            (d.code, &d.place, &d.message) != (explained.code, &explained.place, &explained.message)
        });
    }

    /// Adds those of another collection.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in file order, without repetitions.
    pub fn sorted(self) -> Vec<Diagnostic> {
        let mut all = self.0;
        all.sort_by(|a, b| a.place.cmp(&b.place).then_with(|| a.severity.cmp(&b.severity)));
        all.dedup();
        all
    }
}
