//! Many cases in one process: a CSV file in, a CSV table out, one row per case.

mod columns;

use super::countable;
use super::question::read_config;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::model::config::ModelConfig;
use crate::names::Named;
use crate::read::Source;
use crate::vram::describe::{self, Described};
use crate::vram::estimate;
use columns::{Columns, Wrong};
pub use columns::{family, image_size, targets};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Header of the answer.
pub const HEADER: &str = "id,allocated_bytes,low_bytes,high_bytes,needed_bytes,shown_bytes,phase,message";

/// Reads cases and writes one row each. A case that cannot be expressed keeps its place, with a message and no figure;
/// what is wrong with it is a diagnostic with its place too.
pub fn answer(source: &Source, out: &mut dyn Write, diags: &mut Diagnostics) -> std::io::Result<()> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text().as_bytes());
    let mut record = csv::StringRecord::new();
    let mut next = |record: &mut csv::StringRecord, diags: &mut Diagnostics| match reader.read_record(record)
    {
        Ok(more) => more,
        Err(error) => {
            let at = usize::try_from(error.position().map_or(0, csv::Position::byte)).unwrap_or(0);
            diags.push(Diagnostic::error(Code::Syntax, source.place(at), format!("not valid CSV: {error}")));
            false
        }
    };
    next(&mut record, diags);
    let columns = Columns::read(source, &record, diags);
    if columns.model.is_none() && columns.config.is_none() && columns.params.is_none() {
        let missing = Diagnostic::error(Code::MissingKey, source.place(0), "no column names a model");
        diags.push(missing.allowed("a header with `model`, `config` or `params` and `family`"));
    }
    if diags.has_errors() {
        return Ok(());
    }
    let mut configs = Configs {
        beside: Path::new(&**source.name()).parent().map(Path::to_path_buf),
        read: BTreeMap::new(),
        named: BTreeMap::new(),
    };
    let mut number = 0_u64;
    let mut rows = String::new();
    while next(&mut record, diags) {
        number += 1;
        let begin = record.position().map_or(0, csv::Position::byte);
        let begin = usize::try_from(begin).unwrap_or(0);
        for (column, wrong) in row(&columns, &record, number, &mut configs, &mut rows) {
            // A file that a row names has places of its own.
            let place = wrong.place.clone().unwrap_or_else(|| source.field(begin, column.unwrap_or(0)));
            diags.push(Diagnostic { place: Some(place), ..wrong });
        }
    }
    if number == 0 {
        diags.push(Diagnostic::warning(Code::MissingKey, source.place(0), "no row stands below the header"));
    }
    writeln!(out, "{HEADER}").and_then(|()| out.write_all(rows.as_bytes()))
}

/// Writes the answer of a row; returns its mistakes.
fn row(
    columns: &Columns,
    record: &csv::StringRecord,
    number: u64,
    configs: &mut Configs,
    out: &mut String,
) -> Vec<Wrong> {
    use std::fmt::Write as _;
    let row = columns.row(record);
    let id = row.get(columns.id);
    if id.is_empty() {
        let _ = write!(out, "{number}");
    } else {
        quoted(out, id);
    }
    let question = row.question(configs).and_then(|question| {
        let of_model = columns.model.or(columns.config).or(columns.params);
        let asked = question.ask_of(&mut |name| configs.named(name));
        let answered = asked.and_then(|asked| {
            let e = estimate(&asked.request);
            countable(&e).map(|()| (asked, e))
        });
        answered.map_err(|wrong| vec![(of_model, wrong)])
    });
    let wrong = match question {
        Ok((asked, e)) => {
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
            Vec::new()
        }
        Err(wrong) => {
            out.push_str(",,,,,,,");
            let says: Vec<String> = wrong.iter().map(|(_, wrong)| wrong.says()).collect();
            quoted(out, &says.join("; "));
            wrong
        }
    };
    out.push('\n');
    wrong
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
        // A case has one message.
        let found = read_config(&full).map_err(|all| {
            let messages: Vec<String> = all.iter().map(|d| d.message.clone()).collect();
            let first = all.into_iter().next();
            let first = first.unwrap_or_else(|| Diagnostic::error(Code::Unreadable, None, ""));
            Diagnostic { message: messages.join("; "), ..first }
        });
        self.read.insert(path.to_owned(), found.clone());
        found
    }
}
