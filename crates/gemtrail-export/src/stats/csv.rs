//! The rows of a breakdown as comma-separated values: one flat table with stable names.

use std::io::{self, Write};

use gemtrail_core::stats::{Key, RowDocument};

use crate::csv::write_record;

/// The columns after those of the keys.
const COLUMNS: [&str; 15] = [
    "sessions",
    "requests",
    "input",
    "output",
    "cached",
    "thoughts",
    "tool",
    "total",
    "cost",
    "complete",
    "calls",
    "errors",
    "cancelled",
    "failures",
    "ref",
];

/// Writes the names of the columns, then the rows.
pub fn write(keys: &[Key], rows: &[RowDocument], out: &mut impl Write) -> io::Result<()> {
    let names = keys.iter().map(|key| column(*key));
    write_record(names.chain(COLUMNS), out)?;
    for row in rows {
        let values = row.key.iter().map(|(_, value)| value.clone());
        let values = values.map(Option::unwrap_or_default);
        let cells: Vec<String> = values.chain(cells(row)).collect();
        write_record(cells.iter().map(String::as_str), out)?;
    }
    Ok(())
}

/// The column of a key. `tool` is a counter.
fn column(key: Key) -> &'static str {
    match key {
        Key::Tool => "tool_name",
        key => key.as_str(),
    }
}

fn cells(row: &RowDocument) -> [String; COLUMNS.len()] {
    let count = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
    let tokens = &row.tokens;
    [
        row.sessions.to_string(),
        row.requests.to_string(),
        tokens.input.to_string(),
        tokens.output.to_string(),
        tokens.cached.to_string(),
        tokens.thoughts.to_string(),
        tokens.tool.to_string(),
        tokens.total.to_string(),
        row.cost.map(|cost| cost.to_string()).unwrap_or_default(),
        row.complete.to_string(),
        count(row.calls),
        count(row.errors),
        count(row.cancelled),
        count(row.failures),
        row.reference.map(|it| it.to_string()).unwrap_or_default(),
    ]
}
