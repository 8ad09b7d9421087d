//! `nvidia-smi --query-gpu=… --format=csv`: one header, fields between commas, values with or without units.

use super::columns::Column;

/// The columns, if the line is a header: it has a field of GPUs' load or memory by name.
pub(super) fn heading(line: &str) -> Option<Vec<Column>> {
    let columns: Vec<Column> = split(line).into_iter().map(column).collect();
    let load = columns.iter().any(|c| matches!(c, Column::Utilisation | Column::Memory | Column::Total));
    load.then_some(columns)
}

/// A field's name without its unit: `memory.used [MiB]`.
fn column(name: &str) -> Column {
    let name = name.split_once('[').map_or(name, |(name, _)| name).trim();
    match name {
        "index" => Column::Label(0),
        "pci.bus_id" | "gpu_bus_id" => Column::Label(1),
        "uuid" | "gpu_uuid" => Column::Label(2),
        "name" | "gpu_name" => Column::Name,
        "timestamp" => Column::Stamp,
        "utilization.gpu" => Column::Utilisation,
        "memory.used" => Column::Memory,
        "memory.total" => Column::Total,
        "pid" | "process_name" => Column::Process,
        _ => Column::Other,
    }
}

/// The fields of a line.
pub(super) fn split(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}
