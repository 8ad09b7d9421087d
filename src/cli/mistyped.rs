//! A mistake in the arguments, as clap tells it → one diagnostic: what was typed, what is allowed, one thing to type.

use super::args::Args;
use crate::diag::{Code, Diagnostic};
use crate::names::{closest, list};
use crate::units::QuantityError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};
use std::error::Error as _;
use std::ffi::OsString;

/// The diagnostic of an error that is no request for help. `typed` are all arguments, the program's name first.
pub(super) fn diagnostic(error: &Error, typed: &[OsString]) -> Diagnostic {
    let told = Told { error, typed };
    match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => told.value(),
        ErrorKind::UnknownArgument => told.unknown(),
        ErrorKind::InvalidSubcommand
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => told.subcommand(),
        ErrorKind::ArgumentConflict => told.conflict(),
        ErrorKind::MissingRequiredArgument => told.missing(),
        ErrorKind::TooManyValues => told.too_many(),
        ErrorKind::InvalidUtf8 => {
            Diagnostic::error(Code::Unreadable, None, "an argument is not UTF-8 text").allowed("UTF-8 text")
        }
        // Nothing here asks for a number of values or for an equals sign; what clap may add says itself what it is.
        other => Diagnostic::error(Code::BadValue, None, other.to_string()).hint("type `plan --help`"),
    }
}

/// What clap tells.
#[derive(Clone, Copy)]
struct Told<'a> {
    error: &'a Error,
    typed: &'a [OsString],
}

impl<'a> Told<'a> {
    /// The texts of a kind; none where clap does not tell it.
    fn texts(self, kind: ContextKind) -> Vec<&'a str> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text],
            Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn text(self, kind: ContextKind) -> &'a str {
        self.texts(kind).first().copied().unwrap_or_default()
    }

    /// The argument that it is about, as messages call it.
    fn argument(self) -> &'a str {
        called(self.text(ContextKind::InvalidArg))
    }

    /// How the command is used: `plan usage --on <PROVIDER/INSTANCE> <FILE>`.
    fn usage(self) -> String {
        let usage = match self.error.get(ContextKind::Usage) {
            Some(ContextValue::StyledStr(usage)) => usage.to_string(),
            _ => String::new(),
        };
        let first = usage.lines().next().unwrap_or_default();
        first.trim_start_matches("Usage:").trim().to_owned()
    }

    /// The command that was called, `plan catalog check`, and the names of those below it.
    fn called(self) -> (String, Vec<String>) {
        let mut at = Args::command();
        let mut words = vec!["plan".to_owned()];
        for word in self.typed.iter().skip(1).filter_map(|word| word.to_str()) {
            let Some(below) = at.find_subcommand(word).cloned() else { break };
            words.push(word.to_owned());
            at = below;
        }
        (words.join(" "), at.get_subcommands().map(|below| below.get_name().to_owned()).collect())
    }

    fn command(self) -> String {
        self.called().0
    }

    /// The subcommand that the first argument, taken for a workload, most likely means.
    fn meant(self) -> Option<String> {
        let first = self.typed.get(1)?.to_str()?;
        subcommand_near(first).filter(|_| self.command() == "plan")
    }

    fn value(self) -> Diagnostic {
        let (argument, value) = (self.argument(), self.text(ContextKind::InvalidValue));
        let words = self.texts(ContextKind::ValidValue);
        if value.is_empty() {
            let missing = Diagnostic::error(Code::MissingKey, None, format!("`{argument}` has no value"));
            return match words.first() {
                Some(word) => missing.allowed(list(words.iter().copied())).hint(write(argument, word)),
                None if argument.starts_with('-') => {
                    missing.hint(format!("write `{}`", self.text(ContextKind::InvalidArg)))
                }
                None => missing.hint(format!("type `{} {argument}`", self.command())),
            };
        }
        let message = format!("`{argument}` is {:?}", short(value));
        if !words.is_empty() {
            let wrong = Diagnostic::error(Code::UnknownName, None, message);
            return wrong.allowed(list(words.iter().copied())).did_you_mean(value, words);
        }
        let wrong = Diagnostic::error(Code::BadValue, None, message);
        let source = self.error.source();
        match source.and_then(|source| source.downcast_ref::<QuantityError>()) {
            Some(QuantityError { allowed, suggestion: Some(meant) }) => {
                wrong.allowed(allowed).hint(format!("did you mean `{argument} {}`?", quoted(meant)))
            }
            Some(QuantityError { allowed, suggestion: None }) => wrong.allowed(allowed),
            None => wrong.allowed(source.map_or_else(|| "another value".to_owned(), ToString::to_string)),
        }
    }

    fn unknown(self) -> Diagnostic {
        let (argument, command) = (self.text(ContextKind::InvalidArg), self.command());
        let negative =
            argument.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let unknown = |message: String| Diagnostic::error(Code::UnknownKey, None, message);
        if let Some(near) = self.meant() {
            return unknown(format!(
                "`plan` has no command {:?}, nor `{argument}` for a workload",
                self.first()
            ))
            .hint(format!("did you mean `plan {near}`?"));
        }
        if negative {
            return Diagnostic::error(
                Code::BadValue,
                None,
                format!("`{argument}` is no flag of `{command}`"),
            )
            .allowed("values of zero or more");
        }
        if !argument.starts_with('-') {
            return unknown(format!("{argument:?} is one argument too many for `{command}`"))
                .hint(format!("type `{}`", self.usage()));
        }
        let wrong = unknown(format!("`{command}` has no flag `{argument}`"));
        match self.texts(ContextKind::SuggestedArg).first() {
            Some(near) => wrong.hint(format!("did you mean `{}`?", called(near))),
            None => wrong.hint(format!("type `{command} --help` for those that it has")),
        }
    }

    fn first(self) -> String {
        self.typed.get(1).map(|first| first.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn subcommand(self) -> Diagnostic {
        let (command, names) = self.called();
        let names = || names.iter().map(String::as_str);
        let typed = self.text(ContextKind::InvalidSubcommand);
        let code = if typed.is_empty() { Code::MissingKey } else { Code::UnknownName };
        let message = if typed.is_empty() {
            format!("`{command}` needs a command")
        } else {
            format!("`{command}` has no command {typed:?}")
        };
        let wrong = Diagnostic::error(code, None, message).allowed(list(names()));
        wrong.hint(format!("type `{command} --help`")).did_you_mean(typed, names())
    }

    fn conflict(self) -> Diagnostic {
        let (argument, prior) = (self.argument(), self.texts(ContextKind::PriorArg));
        let typed = self.text(ContextKind::InvalidSubcommand);
        if !typed.is_empty() {
            if let Some(near) = self.meant() {
                let message = format!("`plan` has no command {:?}", self.first());
                return Diagnostic::error(Code::UnknownName, None, message)
                    .hint(format!("did you mean `plan {near}`?"));
            }
            if Args::command().find_subcommand(typed).is_none() {
                let message = format!("{typed:?} is one argument too many for `plan`");
                return Diagnostic::error(Code::UnknownKey, None, message).allowed("one workload");
            }
            let first = list(prior.into_iter().map(called));
            let message = format!("the command `{typed}` stands behind `{first}`");
            return Diagnostic::error(Code::Conflict, None, message)
                .hint(format!("type the command first: `plan {typed} --help` tells its flags"));
        }
        if prior.is_empty() || prior == [self.text(ContextKind::InvalidArg)] {
            return Diagnostic::error(
                Code::Duplicate,
                None,
                format!("`{argument}` is stated more than once"),
            )
            .hint("keep one of them");
        }
        let others = prior.into_iter().map(|other| format!("`{}`", called(other))).collect::<Vec<_>>();
        let others = others.join(" and ");
        Diagnostic::error(Code::Conflict, None, format!("`{argument}` cannot stand beside {others}"))
            .hint("take out one of them")
    }

    fn missing(self) -> Diagnostic {
        let names = self.texts(ContextKind::InvalidArg);
        let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", called(name))).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        Diagnostic::error(Code::MissingKey, None, format!("{} {verb} missing", names.join(" and ")))
            .hint(format!("type `{}`", self.usage()))
    }

    fn too_many(self) -> Diagnostic {
        let (argument, value) = (self.argument(), self.text(ContextKind::InvalidValue));
        Diagnostic::error(Code::BadValue, None, format!("`{argument}` takes no value, but has {value:?}"))
            .hint(format!("write `{argument}` alone"))
    }
}

/// The subcommand to which a word is near that is no path of a file.
pub(super) fn subcommand_near(word: &str) -> Option<String> {
    let root = Args::command();
    let names = || root.get_subcommands().map(clap::Command::get_name);
    closest(word, names()).filter(|_| !word.contains(['.', '/', '\\'])).map(str::to_owned)
}

/// `--format` of `--format <FORMAT>`, `FILE` of `<FILE>...`.
fn called(argument: &str) -> &str {
    let first = argument.split(' ').next().unwrap_or(argument);
    first.trim_end_matches('.').trim_matches(['<', '>', '[', ']'])
}

fn write(argument: &str, word: &str) -> String {
    let shown = if argument.starts_with('-') { format!("{argument} {word}") } else { word.to_owned() };
    format!("write `{shown}`")
}

/// Most characters of a value that a message repeats.
const LONGEST: usize = 100;

/// A value, cut where it is long.
fn short(value: &str) -> String {
    let begins: String = value.chars().take(LONGEST).collect();
    if begins.len() < value.len() { begins + "…" } else { begins }
}

/// A value as a shell takes it.
fn quoted(value: &str) -> String {
    if value.contains(' ') { format!("{value:?}") } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_called_by_their_names() {
        for (told, name) in
            [("--format <FORMAT>", "--format"), ("<FILE>...", "FILE"), ("[WORKLOAD]", "WORKLOAD")]
        {
            assert_eq!(called(told), name);
        }
        assert_eq!(short(&"x".repeat(3000)).chars().count(), LONGEST + 1);
        assert_eq!(short("ab"), "ab");
        assert_eq!((quoted("6h"), quoted("400 USD")), ("6h".to_owned(), "\"400 USD\"".to_owned()));
    }

    #[test]
    fn a_path_is_no_misspelt_command() {
        assert_eq!(subcommand_near("ofers").as_deref(), Some("offers"));
        assert_eq!(subcommand_near("offers.toml"), None);
        assert_eq!(subcommand_near("./ofers"), None);
        assert_eq!(subcommand_near("workload"), None);
    }
}
