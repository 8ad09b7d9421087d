//! Many one-off questions at once: a CSV file in, a CSV of rates and hours out. A row without an answer keeps its place,
//! has no figures and says why; where that is a mistake of the row, it is a diagnostic with its place too.

mod case;

use super::work::Answer;
use crate::catalog::Catalog;
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::duration::Terms;
use crate::names::list;
use crate::read::Source;
use crate::units::Hours;
use crate::units::number::significant;
pub use case::{Case, Wrong};
use csv::StringRecord;
use std::io::Write;

/// The columns, in the order in which they are documented; a file may leave out or reorder them.
pub const COLUMNS: [&str; 16] = [
    "id",
    "model",
    "family",
    "task",
    "precision",
    "batch",
    "seq_len",
    "params",
    "samples",
    "tokens",
    "epochs",
    "from",
    "from_count",
    "from_rate",
    "to",
    "to_count",
];

/// The columns of the answer.
const ANSWER: [&str; 9] =
    ["id", "rate", "low", "high", "hours", "hours_low", "hours_high", "evidence", "message"];

/// The questions of a file.
#[derive(Debug)]
pub struct Cases<'s> {
    source: &'s Source,
    /// Which of [`COLUMNS`] each column of the file is.
    columns: Vec<usize>,
    /// Byte offset and question of each row.
    rows: Vec<(usize, Case)>,
}

/// Reads questions from CSV text; none where its header has a column that is none of [`COLUMNS`], or where it is no CSV.
pub fn read<'s>(source: &'s Source, diags: &mut Diagnostics) -> Option<Cases<'s>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text().as_bytes());
    let mut record = StringRecord::new();
    let mut next = |record: &mut StringRecord, diags: &mut Diagnostics| match reader.read_record(record) {
        Ok(more) => more.then(|| record.position().map_or(0, csv::Position::byte)),
        Err(error) => {
            let at = usize::try_from(error.position().map_or(0, csv::Position::byte)).unwrap_or(0);
            diags.push(Diagnostic::error(Code::Syntax, source.place(at), format!("not valid CSV: {error}")));
            None
        }
    };
    if next(&mut record, diags).is_none() {
        let allowed = format!("a header with the columns {}", list(COLUMNS));
        diags.push(Diagnostic::error(Code::Syntax, source.place(0), "an empty file").allowed(allowed));
    }
    let columns: Vec<Option<usize>> =
        record.iter().enumerate().map(|(at, name)| column(source, at, name, diags)).collect();
    let columns = columns.into_iter().collect::<Option<Vec<usize>>>()?;
    let mut rows = Vec::new();
    while let Some(at) = next(&mut record, diags) {
        let mut case = Case::default();
        for (field, at) in record.iter().zip(&columns) {
            if let Some(slot) = case.fields.get_mut(*at) {
                field.trim().clone_into(slot);
            }
        }
        rows.push((usize::try_from(at).unwrap_or(0), case));
    }
    if rows.is_empty() && !diags.has_errors() {
        diags.push(Diagnostic::warning(Code::MissingKey, source.place(0), "no row stands below the header"));
    }
    (!diags.has_errors()).then_some(Cases { source, columns, rows })
}

fn column(source: &Source, at: usize, name: &str, diags: &mut Diagnostics) -> Option<usize> {
    let name = name.trim();
    let found = COLUMNS.iter().position(|known| *known == name);
    if found.is_none() {
        let unknown =
            Diagnostic::error(Code::UnknownKey, source.field(0, at), format!("unknown column {name:?}"));
        diags.push(unknown.allowed(list(COLUMNS)).did_you_mean(name, COLUMNS));
    }
    found
}

impl Cases<'_> {
    /// Answers all; returns whether each row has an answer. The mistakes of rows are diagnostics with their places.
    pub fn write(
        &self,
        catalog: &Catalog,
        terms: &Terms,
        out: &mut dyn Write,
        diags: &mut Diagnostics,
    ) -> std::io::Result<bool> {
        let mut writer = csv::Writer::from_writer(out);
        let mut all = true;
        writer.write_record(ANSWER)?;
        for (at, case) in &self.rows {
            let row = match case.answer(catalog, terms) {
                Ok((answer, notes)) => row(case.get("id"), &answer, &notes),
                Err(wrong) => {
                    all = false;
                    let mut row: [String; 9] = Default::default();
                    case.get("id").clone_into(&mut row[0]);
                    row[8] = wrong.iter().map(|w| w.diagnostic.says()).collect::<Vec<_>>().join("; ");
                    for Wrong { column, diagnostic } in wrong {
                        if let Some(column) = column {
                            diags.push(Diagnostic { place: Some(self.place(*at, column)), ..diagnostic });
                        }
                    }
                    row
                }
            };
            writer.write_record(row)?;
        }
        writer.flush()?;
        Ok(all)
    }

    /// Where a field stands; where its row begins if the file has no such column.
    fn place(&self, row: usize, column: &str) -> Place {
        let of_file = |at: &usize| COLUMNS.get(*at).is_some_and(|known| *known == column);
        self.source.field(row, self.columns.iter().position(of_file).unwrap_or(0))
    }
}

fn row(id: &str, answer: &Answer, notes: &[String]) -> [String; 9] {
    let number = |value: f64| if value.is_finite() { significant(value, 6) } else { String::new() };
    let hours = |pick: &dyn Fn(&crate::units::Band<Hours>) -> Hours| {
        answer.whole.map_or_else(String::new, |whole| number(pick(&whole.time).get()))
    };
    [
        id.to_owned(),
        number(answer.rate),
        number(answer.low),
        number(answer.high),
        hours(&|band| band.expected),
        hours(&|band| band.low),
        hours(&|band| band.high),
        answer.bare.evidence.to_string(),
        notes.join("; "),
    ]
}
