//! A breakdown as a table.

use std::cmp::Reverse;

use gemtrail_core::stats::{Key, RowDocument};

use super::{Column, Line, Table, dollars};
use crate::text::{amount, grouped, shorten};

/// The rows by keys in so many columns of a terminal.
pub fn by_table(keys: &[Key], rows: &[RowDocument], columns: usize) -> Vec<Line> {
    let with_calls = keys.contains(&Key::Tool);
    let mut table = Table::new(columns_of(keys, with_calls));
    let mut rows: Vec<&RowDocument> = rows.iter().collect();
    if !keys.iter().any(|key| key.is_period()) {
        // Names have no order of their own: the most used tools first, else the dearest.
        rows.sort_by_key(|row| Reverse((row.calls, row.cost, row.tokens.total)));
    }
    for row in &rows {
        table.row(cells(row, with_calls));
    }
    let (lines, dropped) = table.lines(columns);
    let mut lines = lines.into_iter();
    let mut told: Vec<Line> = lines.next().map(Line::Heading).into_iter().collect();
    told.extend(lines.map(Line::Text));
    if rows.iter().any(|row| row.so_far) {
        told.push(Line::Note("… so far: the period is not over".to_owned()));
    }
    if !dropped.is_empty() {
        let what = dropped.join(", ");
        let note = format!("not enough room for: {what} (--csv has all)");
        told.push(Line::Note(shorten(&note, columns)));
    }
    told
}

fn columns_of(keys: &[Key], with_calls: bool) -> Vec<Column> {
    let number = Column::number;
    let mut columns: Vec<Column> = keys
        .iter()
        .map(|key| Column::name(key.as_str(), 0))
        .collect();
    if keys.contains(&Key::Session) {
        columns.push(Column::name("title", 9));
    }
    if with_calls {
        columns.extend([
            number("calls", 0),
            number("failed", 0),
            number("cancelled", 3),
        ]);
    }
    columns.extend([
        number("sessions", 4),
        number("requests", 8),
        number("input", 6),
        number("cached", 5),
        number("output", 7),
        number("thoughts", 2),
        number("tool", 1),
        number("total", 0),
        number("cost", 0),
    ]);
    columns
}

fn cells(row: &RowDocument, with_calls: bool) -> Vec<String> {
    let tokens = &row.tokens;
    let mut cells: Vec<String> = row
        .key
        .iter()
        .map(|(key, value)| match (key, &row.project_name) {
            (Key::Project, Some(name)) => name.clone(),
            _ => value_of(*key, value.as_deref(), row.so_far),
        })
        .collect();
    if row.reference.is_some() {
        cells.push(row.title.clone().unwrap_or_default());
    }
    if with_calls {
        let count = |count: Option<u64>| grouped(count.unwrap_or_default());
        cells.extend([count(row.calls), count(row.failures), count(row.cancelled)]);
    }
    let mark = if row.complete || row.cost.is_none() {
        ""
    } else {
        "≥ "
    };
    cells.extend([grouped(row.sessions as u64), grouped(row.requests)]);
    cells.extend([tokens.input, tokens.cached, tokens.output, tokens.thoughts].map(amount));
    cells.extend([tokens.tool, tokens.total].map(amount));
    cells.push(format!("{mark}{}", dollars(row.cost)));
    cells
}

fn value_of(key: Key, value: Option<&str>, so_far: bool) -> String {
    let value = match (key, value) {
        (Key::Session, Some(id)) => id.chars().take(8).collect(),
        (_, Some(value)) => value.to_owned(),
        (_, None) => "–".to_owned(),
    };
    let is_running = so_far && matches!(key, Key::Day | Key::Week | Key::Month);
    value + if is_running { " …" } else { "" }
}
