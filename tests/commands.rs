//! The small commands, run in-process: arguments in, status, answer and messages out.

mod init;
mod offers;
mod schema;
mod shell;
mod usage;
mod what_if;

use plan::cli::{Env, Exit, run};
use plan::units::{Date, Quantity};
use std::ffi::OsString;
use std::io::{self, Write};

/// What a run left.
struct Ran {
    exit: Exit,
    out: String,
    err: String,
}

fn env() -> Env {
    Env { today: Date::parse("2026-11-30").unwrap(), width: None, color: false }
}

fn arguments(args: &[&str]) -> Vec<OsString> {
    std::iter::once("plan").chain(args.iter().copied()).map(OsString::from).collect()
}

/// `plan` with these arguments, on 30 November 2026, into a pipe.
fn plan(args: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run(arguments(args), &env(), &mut out, &mut err);
    Ran { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// The same, whose answer must be JSON.
fn json(args: &[&str]) -> serde_json::Value {
    let ran = plan(args);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.err))
}

/// A file of this repository.
fn path(name: &str) -> String {
    format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A pipe whose reader has left.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    let log = path("logs/train.log");
    for args in [
        &["offers"][..],
        &["offers", "--format", "csv"],
        &["offers", "--format", "json"],
        &["init"],
        &["schema"],
        &["completions", "bash"],
        &["usage", &log],
        &["usage", &log, "--format", "json"],
    ] {
        let mut err = Vec::new();
        let exit = run(arguments(args), &env(), &mut Closed, &mut err);
        assert_eq!((exit, String::from_utf8(err).unwrap().as_str()), (Exit::Done, ""), "{args:?}");
    }
}
