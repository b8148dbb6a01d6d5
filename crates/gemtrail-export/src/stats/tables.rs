//! Tables that fit: the least important columns go first, a row never wraps. And the same rows as
//! comma-separated values.

use std::cmp::Reverse;
use std::io::{self, Write};

use gemtrail_core::stats::{Key, RowDocument};

use super::{StatsLine, dollars};
use crate::csv::write_record;
use crate::text::{Clean, amount, fit, grouped, shorten, width};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its heading.
    pub title: &'static str,
    /// Names are aligned to the left and can be shortened, numbers to the right.
    pub is_name: bool,
    /// The lower, the earlier it goes; 0 for what must stay.
    pub rank: u8,
}

impl TableColumn {
    /// A column of names.
    pub fn name(title: &'static str, rank: u8) -> Self {
        Self {
            title,
            is_name: true,
            rank,
        }
    }

    /// A column of numbers.
    pub fn number(title: &'static str, rank: u8) -> Self {
        Self {
            title,
            is_name: false,
            rank,
        }
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    columns: Vec<TableColumn>,
    rows: Vec<Vec<String>>,
}

/// Between columns.
const GAP: usize = 2;

/// Names are not made shorter than this.
const LEAST_NAME: usize = 20;

impl TextTable {
    /// An empty table.
    pub fn new(columns: Vec<TableColumn>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell per column. Control characters are made visible.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| Clean::line(&cell).into());
        self.rows.push(cells.collect());
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The heading and the rows in so many columns of a terminal, and the titles of what did not
    /// fit.
    pub fn lines(&self, columns: usize) -> (Vec<String>, Vec<&'static str>) {
        let natural: Vec<usize> = (0..self.columns.len())
            .map(|at| self.width_of(at))
            .collect();
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let least = |at: &usize| {
            let column = &self.columns[*at];
            if column.is_name {
                natural[*at].min(LEAST_NAME.max(width(column.title)))
            } else {
                natural[*at]
            }
        };
        let total = |shown: &[usize], of: &dyn Fn(&usize) -> usize| {
            shown.iter().map(of).sum::<usize>() + GAP * shown.len().saturating_sub(1)
        };
        let mut dropped = Vec::new();
        while total(&shown, &least) > columns {
            let droppable = shown.iter().filter(|at| self.columns[**at].rank > 0);
            let Some(next) = droppable.copied().min_by_key(|at| self.columns[*at].rank) else {
                break;
            };
            shown.retain(|at| *at != next);
            dropped.push(self.columns[next].title);
        }
        let mut widths: Vec<usize> = shown.iter().map(|at| natural[*at]).collect();
        let mut excess = total(&shown, &|at| natural[*at]).saturating_sub(columns);
        // The widest name gives first.
        while excess > 0 {
            let names = shown.iter().enumerate();
            let names = names.filter(|(place, at)| widths[*place] > least(at));
            let Some((place, _)) = names.max_by_key(|(place, _)| widths[*place]) else {
                break;
            };
            widths[place] -= 1;
            excess -= 1;
        }
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title).collect();
        let mut lines = vec![self.line(&titles, &shown, &widths)];
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            lines.push(self.line(&cells, &shown, &widths));
        }
        (lines, dropped)
    }

    fn width_of(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(at));
        let widest = cells.map(|cell| width(cell)).max().unwrap_or_default();
        widest.max(width(self.columns[at].title))
    }

    fn line(&self, cells: &[&str], shown: &[usize], widths: &[usize]) -> String {
        let cell = |(at, columns): (&usize, &usize)| {
            let text = cells.get(*at).copied().unwrap_or_default();
            if self.columns[*at].is_name {
                fit(text, *columns)
            } else {
                " ".repeat(columns.saturating_sub(width(text))) + text
            }
        };
        let cells: Vec<String> = shown.iter().zip(widths).map(cell).collect();
        cells.join(&" ".repeat(GAP)).trim_end().to_owned()
    }
}

/// The rows by keys in so many columns of a terminal.
pub fn by_table(keys: &[Key], rows: &[RowDocument], columns: usize) -> Vec<StatsLine> {
    let with_calls = keys.contains(&Key::Tool) && !keys.contains(&Key::File);
    let mut table = TextTable::new(columns_of(keys, with_calls));
    let mut rows: Vec<&RowDocument> = rows.iter().collect();
    if !keys.iter().any(|key| key.is_period()) {
        // Names have no order of their own: the most used tools first, else the dearest.
        rows.sort_by_key(|row| Reverse((row.calls, row.cost, row.tokens.total)));
    }
    for row in &rows {
        table.row(row_cells(row, with_calls));
    }
    let (lines, dropped) = table.lines(columns);
    let mut lines = lines.into_iter();
    let mut told: Vec<StatsLine> = lines.next().map(StatsLine::Heading).into_iter().collect();
    told.extend(lines.map(StatsLine::Text));
    if rows.iter().any(|row| row.so_far) {
        told.push(StatsLine::Note(
            "… so far: the period is not over".to_owned(),
        ));
    }
    if !dropped.is_empty() {
        let what = dropped.join(", ");
        let note = format!("not enough room for: {what} (--csv has all)");
        told.push(StatsLine::Note(shorten(&note, columns)));
    }
    told
}

fn columns_of(keys: &[Key], with_calls: bool) -> Vec<TableColumn> {
    let number = TableColumn::number;
    let mut columns: Vec<TableColumn> = keys
        .iter()
        .map(|key| TableColumn::name(key.as_str(), 0))
        .collect();
    if keys.contains(&Key::Session) {
        columns.push(TableColumn::name("title", 9));
    }
    if with_calls {
        columns.extend([
            number("calls", 0),
            number("failed", 0),
            number("cancelled", 3),
        ]);
    }
    if keys.contains(&Key::File) {
        columns.extend([number("changes", 0), number("sessions", 0)]);
        return columns;
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

fn row_cells(row: &RowDocument, with_calls: bool) -> Vec<String> {
    let tokens = &row.tokens;
    let mut row_cells: Vec<String> = row
        .key
        .iter()
        .map(|(key, value)| match (key, &row.project_name) {
            (Key::Project, Some(name)) => name.clone(),
            _ => value_of(*key, value.as_deref(), row.so_far),
        })
        .collect();
    if row.reference.is_some() {
        row_cells.push(row.title.clone().unwrap_or_default());
    }
    if with_calls {
        let count = |count: Option<u64>| grouped(count.unwrap_or_default());
        row_cells.extend([count(row.calls), count(row.failures), count(row.cancelled)]);
    }
    if row.key.iter().any(|(key, _)| *key == Key::File) {
        let changes = grouped(row.calls.unwrap_or_default());
        row_cells.extend([changes, grouped(row.sessions as u64)]);
        return row_cells;
    }
    let mark = if row.complete || row.cost.is_none() {
        ""
    } else {
        "≥ "
    };
    row_cells.extend([grouped(row.sessions as u64), grouped(row.requests)]);
    row_cells.extend([tokens.input, tokens.cached, tokens.output, tokens.thoughts].map(amount));
    row_cells.extend([tokens.tool, tokens.total].map(amount));
    row_cells.push(format!("{mark}{}", dollars(row.cost)));
    row_cells
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

/// The columns after those of the keys.
#[rustfmt::skip]
const CSV_COLUMNS: [&str; 15] = [
    "sessions", "requests", "input", "output", "cached", "thoughts", "tool", "total", "cost",
    "complete", "calls", "errors", "cancelled", "failures", "ref",
];

/// Writes the rows of a breakdown as comma-separated values: one flat table with stable names.
pub fn write_csv(keys: &[Key], rows: &[RowDocument], out: &mut impl Write) -> io::Result<()> {
    let names = keys.iter().map(|key| csv_column(*key));
    write_record(names.chain(CSV_COLUMNS), out)?;
    for row in rows {
        let values = row.key.iter().map(|(_, value)| value.clone());
        let values = values.map(Option::unwrap_or_default);
        let cells: Vec<String> = values.chain(csv_cells(row)).collect();
        write_record(cells.iter().map(String::as_str), out)?;
    }
    Ok(())
}

/// The column of a key. `tool` is a counter.
fn csv_column(key: Key) -> &'static str {
    match key {
        Key::Tool => "tool_name",
        key => key.as_str(),
    }
}

fn csv_cells(row: &RowDocument) -> [String; CSV_COLUMNS.len()] {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let column = |title, is_name, rank| TableColumn {
            title,
            is_name,
            rank,
        };
        let mut table = TextTable::new(vec![
            column("model", true, 0),
            column("requests", false, 1),
            column("cost", false, 0),
        ]);
        table.row([
            "gemini-3-pro-preview".to_owned(),
            "12".to_owned(),
            "$1.00".to_owned(),
        ]);
        table.row([
            "支払いテスト".to_owned(),
            "1,234".to_owned(),
            "–".to_owned(),
        ]);
        table
    }

    #[test]
    fn names_are_shortened_before_columns_go() {
        let (lines, dropped) = table().lines(80);
        assert_eq!(lines[0], "model                 requests   cost");
        assert_eq!(lines[1], "gemini-3-pro-preview        12  $1.00");
        assert_eq!(lines[2], "支払いテスト             1,234      –");
        assert!(dropped.is_empty());
        let mut long = table();
        long.row([
            "a-model-with-a-very-long-name".to_owned(),
            "1".to_owned(),
            "–".to_owned(),
        ]);
        let (lines, dropped) = long.lines(38);
        assert_eq!(lines[3], "a-model-with-a-very-…         1      –");
        assert!(dropped.is_empty());
        let (lines, dropped) = long.lines(30);
        assert_eq!(lines[3], "a-model-with-a-very-lo…      –");
        assert_eq!(dropped, ["requests"]);
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        for columns in 27..60 {
            let (lines, _) = table().lines(columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}");
        }
    }

    #[test]
    fn what_sessions_say_is_made_harmless() {
        let mut table = table();
        table.row(["\u{1b}[31mred".to_owned(), String::new(), String::new()]);
        let (lines, _) = table.lines(80);
        assert!(!lines.concat().contains('\u{1b}'));
    }
}
