//! `nvidia-smi dmon`: a heading of two lines that begin with `#` (names, units), repeated every few rows. Which
//! columns there are depends on its options and on the driver.

use super::columns::Column;

/// The columns, if the line is the first line of a heading.
pub(super) fn heading(line: &str) -> Option<Vec<Column>> {
    let line = line.starts_with('#').then(|| split(line))?;
    line.contains(&"gpu").then(|| line.iter().map(|name| column(name)).collect())
}

/// `mem` is how busy the memory is, not how full: the memory in use is `fb` (framebuffer).
fn column(name: &str) -> Column {
    match name {
        "gpu" => Column::Label(0),
        "Date" => Column::Date,
        "Time" => Column::Time,
        "sm" => Column::Utilisation,
        "fb" => Column::Memory,
        "pid" => Column::Process,
        _ => Column::Other,
    }
}

/// The fields of a line: between spaces, or between commas with `--format csv`.
pub(super) fn split(line: &str) -> Vec<&str> {
    let line = line.trim_start_matches('#').trim();
    if line.contains(',') {
        line.split(',').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}
