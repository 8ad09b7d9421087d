//! From arguments to stages and back to an exit status. The only place that knows the terminal, the clock and
//! the environment.

pub mod args;
mod catalog;
mod completions;
mod explain;
mod init;
mod mistyped;
mod offers;
mod plan;
mod schema;
pub mod time;
mod usage;
pub mod vram;
mod workload;

use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::render::Style;
use crate::units::Date;
use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// An answer within its limits.
    Done,
    /// A valid question whose answer is no: nothing feasible, over budget, past the deadline, too old a catalog.
    No,
    /// Bad input or usage.
    Bad,
}

impl Exit {
    /// The process's exit status.
    pub const fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Bad => 2,
        }
    }
}

/// What the surroundings say: taken once, so that a run is a function of its arguments and this.
#[derive(Debug, Clone)]
pub struct Env {
    /// The day from which ages count, unless `--today` gives another.
    pub today: Date,
    /// Width of the terminal in columns; `None` when standard output is no terminal.
    pub width: Option<u16>,
    /// Whether to colour.
    pub color: bool,
}

impl Env {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the rim: here the clock and the environment are read")]
        let (now, no_color, columns) = (
            std::time::SystemTime::now(),
            std::env::var("NO_COLOR").is_ok_and(|v| !v.is_empty()),
            std::env::var("COLUMNS").ok().and_then(|c| c.parse::<u16>().ok()),
        );
        let secs = now.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let days = i64::try_from(secs / 86_400).unwrap_or(0);
        let terminal = std::io::stdout().is_terminal();
        let width = terminal_size::terminal_size().map(|(w, _)| w.0);
        Self {
            today: Date::from_days_since_1970(days).unwrap_or_else(Date::epoch),
            width: columns.or(if terminal { width } else { None }),
            color: terminal && !no_color,
        }
    }
}

/// What stops a run before its answer.
#[derive(Debug)]
pub enum Stop {
    /// Mistakes in the input.
    Diagnostics(Diagnostics),
    /// What is no mistake of the input: the answer cannot be written, and why.
    Failed(anyhow::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(anyhow::Error::new(error).context("the answer cannot be written"))
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        Self::Diagnostics(diagnostics)
    }
}

impl From<Vec<Diagnostic>> for Stop {
    fn from(all: Vec<Diagnostic>) -> Self {
        let mut diagnostics = Diagnostics::new();
        for diagnostic in all {
            diagnostics.push(diagnostic);
        }
        Self::Diagnostics(diagnostics)
    }
}

impl From<Diagnostics> for Stop {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Diagnostics(diagnostics)
    }
}

/// Runs the program: the answer goes to `out`, everything else to `err`.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let typed: Vec<OsString> = args.into_iter().collect();
    let args = match Args::try_parse_from(&typed) {
        Ok(args) => args,
        Err(error) if error.use_stderr() => return refuse(mistyped::diagnostic(&error, &typed), err),
        // Help or the version: an answer.
        Err(text) => {
            let _ = write!(out, "{}", text.render());
            return Exit::Done;
        }
    };
    let result = dispatch(&args, env, out, err).and_then(|exit| match out.flush() {
        // A reader that has seen enough does not change the answer.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Stop::from(error)),
        _ => Ok(exit),
    });
    match result {
        Ok(exit) => exit,
        Err(Stop::Failed(error)) if is_broken_pipe(&error) => Exit::Done,
        Err(Stop::Failed(error)) => {
            refuse(Diagnostic::error(Code::Unwritable, None, format!("{error:#}")), err)
        }
        Err(Stop::Diagnostics(diagnostics)) => {
            report(diagnostics, err);
            Exit::Bad
        }
    }
}

/// Whether the reader of the answer went away.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn dispatch(args: &Args, env: &Env, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    match &args.command {
        None => plan::run(&args.plan, env, out, err),
        Some(Command::Catalog { command }) => catalog::run(command, env, out, err),
        Some(Command::Offers(args)) => offers::run(args, env, out, err),
        Some(Command::Init(args)) => init::run(args, out, err),
        Some(Command::Usage(args)) => usage::run(args, env, out, err),
        Some(Command::Schema(args)) => schema::run(args, out),
        Some(Command::Completions(args)) => completions::run(args, out),
        Some(Command::Explain { id }) => explain::run(id.as_deref(), env, out),
        Some(Command::Time(args)) => time::run(args, env, out, err),
        Some(Command::Vram(args)) => vram::run(args, env, out, err),
    }
}

/// Narrowest table that is written.
const NARROWEST: u16 = 60;
/// Width where standard output is no terminal.
const PIPED: u16 = 80;

/// How the surroundings ask to be written for.
fn style(env: &Env) -> Style {
    Style { width: env.width.unwrap_or(PIPED).max(NARROWEST), color: env.color, explain: false }
}

/// Prints diagnostics, one line each; returns whether one of them is an error.
pub fn report(diagnostics: Diagnostics, err: &mut dyn Write) -> bool {
    let all = diagnostics.sorted();
    let text = all.iter().fold(String::new(), |text, d| text + &d.to_string() + "\n");
    // Nothing can be done when standard error is closed.
    let _ = err.write_all(text.as_bytes());
    all.iter().any(|d| d.severity == Severity::Error)
}

/// Ends a run for one reason.
fn refuse(diagnostic: Diagnostic, err: &mut dyn Write) -> Exit {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    report(diagnostics, err);
    Exit::Bad
}
