//! Many cases in one process: a CSV file in, a CSV table out, one row per case.

mod columns;

use super::question::read_config;
use crate::diag::{Code, Diagnostic};
use crate::model::config::ModelConfig;
use crate::names::Named;
use crate::vram::describe::{self, Described};
use crate::vram::estimate;
use columns::Columns;
pub use columns::{family, image_size, targets};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Header of the answer.
pub const HEADER: &str = "id,allocated_bytes,low_bytes,high_bytes,needed_bytes,shown_bytes,phase,message";

/// Reads cases and writes one row each. A case that cannot be expressed gets a message and no figure.
pub fn answer(path: &Path, text: &str, out: &mut dyn Write) -> Result<std::io::Result<()>, Diagnostic> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let failed = |error: csv::Error| {
        Diagnostic::error(Code::Syntax, None, format!("{}: not CSV: {error}", path.display()))
    };
    let header = reader.headers().map_err(failed)?.clone();
    let columns = Columns::of(&header);
    if columns.model.is_none() && columns.config.is_none() && columns.params.is_none() {
        return Err(Diagnostic::error(
            Code::MissingKey,
            None,
            format!("{}: no column names a model", path.display()),
        )
        .allowed("a header with `model`, `config` or `params` and `family`"));
    }
    let mut configs = Configs {
        beside: path.parent().map(Path::to_path_buf),
        read: BTreeMap::new(),
        named: BTreeMap::new(),
    };
    let mut record = csv::StringRecord::new();
    let mut number = 0_u64;
    let mut rows = String::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(failed(error)),
        }
        number += 1;
        row(&columns, &record, number, &mut configs, &mut rows);
    }
    Ok(writeln!(out, "{HEADER}").and_then(|()| out.write_all(rows.as_bytes())))
}

fn row(columns: &Columns, record: &csv::StringRecord, number: u64, configs: &mut Configs, out: &mut String) {
    use std::fmt::Write as _;
    let id = columns.get(record, columns.id);
    if id.is_empty() {
        let _ = write!(out, "{number}");
    } else {
        quoted(out, id);
    }
    let question = columns.question(record, configs);
    match question.and_then(|question| question.ask_of(&mut |name| configs.named(name))) {
        Ok(asked) => {
            let e = estimate(&asked.request);
            let _ = write!(
                out,
                ",{},{},{},{},{},{},",
                e.allocated.expected.get(),
                e.allocated.low.get(),
                e.allocated.high.get(),
                e.needed.expected.get(),
                e.shown.expected.get(),
                e.phase.name()
            );
            if let Some(note) = asked.notes.first() {
                quoted(out, note);
            }
        }
        Err(diagnostic) => {
            out.push_str(",,,,,,,");
            let mut message = diagnostic.message;
            if let Some(hint) = diagnostic.hint {
                message.push_str("; ");
                message.push_str(&hint);
            }
            quoted(out, &message);
        }
    }
    out.push('\n');
}

fn quoted(out: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

/// Configurations by path and architectures by name: each is read once.
struct Configs {
    beside: Option<PathBuf>,
    read: BTreeMap<String, Result<ModelConfig, Diagnostic>>,
    named: BTreeMap<String, Option<Described>>,
}

impl Configs {
    fn named(&mut self, name: &str) -> Option<Described> {
        if let Some(found) = self.named.get(name) {
            return *found;
        }
        let found = describe::named(name);
        self.named.insert(name.to_owned(), found);
        found
    }

    /// A path counts from the working directory, or else from the folder of the file that names it.
    fn get(&mut self, path: &str) -> Result<ModelConfig, Diagnostic> {
        if let Some(found) = self.read.get(path) {
            return found.clone();
        }
        let mut full = PathBuf::from(path);
        if let (false, Some(folder)) = (full.exists(), &self.beside) {
            full = folder.join(path);
        }
        let found = read_config(&full);
        self.read.insert(path.to_owned(), found.clone());
        found
    }
}
