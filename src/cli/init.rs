//! `plan init`: a commented workload to start from.

use super::args::InitArgs;
use super::{Exit, Stop};
use crate::diag::{Code, Diagnostic};
use crate::names::named;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

named! {
    /// The workloads to start from.
    pub enum Starter {
        /// Preparing, training and evaluating.
        Train = "train",
        /// A search of many small trainings.
        Tune = "tune",
        /// A service that answers requests.
        Serve = "serve",
        /// Serial batch work, such as a month-end close.
        Batch = "batch",
        /// Video transcoding.
        Transcode = "transcode",
    }
}

impl Starter {
    /// The workload file.
    const fn text(self) -> &'static str {
        match self {
            Self::Train => include_str!("init/train.toml"),
            Self::Tune => include_str!("init/tune.toml"),
            Self::Serve => include_str!("init/serve.toml"),
            Self::Batch => include_str!("init/batch.toml"),
            Self::Transcode => include_str!("init/transcode.toml"),
        }
    }
}

/// Writes a workload to `out`, or to a new file.
pub(super) fn run(args: &InitArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Stop> {
    let text = args.kind.text();
    let Some(path) = &args.file else {
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Done);
    };
    let shown = path.display();
    if let Err(error) = create(path, text) {
        let unwritable = |why: &str| Diagnostic::error(Code::Unwritable, None, format!("{shown}: {why}"));
        return Err(Stop::from(match error.kind() {
            ErrorKind::AlreadyExists => {
                unwritable("exists and is left as it is").hint("name a new file, or move that one away")
            }
            ErrorKind::NotFound => unwritable("its folder does not exist").hint("make it first"),
            ErrorKind::PermissionDenied => unwritable("no permission to write it"),
            _ => unwritable(&format!("cannot be written: {error}")),
        }));
    }
    // Nothing can be done when standard error is closed.
    let _ = writeln!(err, "wrote {shown}; type `plan {shown}`");
    Ok(Exit::Done)
}

/// Creates a file whole or not at all, never over another: the text goes to a file beside it, which then takes the name.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let taken = || path.symlink_metadata().is_ok();
    if taken() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let beside = beside(path);
    let named = written(&beside, text).and_then(|()| match fs::hard_link(&beside, path) {
        // Where the file system has no links, the name may be taken between the look and the renaming.
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !taken() => fs::rename(&beside, path),
        linked => linked,
    });
    // After a renaming there is nothing left to remove.
    let _ = fs::remove_file(&beside);
    named
}

fn written(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A name beside a file that nothing else is likely to bear.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
