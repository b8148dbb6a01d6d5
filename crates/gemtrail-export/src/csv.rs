//! Comma-separated values (RFC 4180).

use std::io::{self, Write};

/// Writes one record.
pub(crate) fn write_record<'a>(
    cells: impl IntoIterator<Item = &'a str>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_cell(cell, out)?;
    }
    out.write_all(b"\r\n")
}

/// Quotes a cell where necessary, and keeps spreadsheets from reading it as a formula.
fn write_cell(cell: &str, out: &mut impl Write) -> io::Result<()> {
    let guard = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    if cell.contains(['"', ',', '\n', '\r']) {
        write!(out, "\"{guard}{}\"", cell.replace('"', "\"\""))
    } else {
        write!(out, "{guard}{cell}")
    }
}
