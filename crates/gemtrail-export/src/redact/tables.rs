//! Secrets in tables: the cells below a heading that names one.
//!
//! Tables are lines with bars, tabs, commas or wide gaps between their cells, rows of HTML, and the
//! columns of an `INSERT`.

use std::ops::Range;

use super::judge::{Judge, is_secret_name};
use super::view::range_in;

/// A table is read this far, and its heading is at most this long.
const LONGEST_TABLE: usize = 16 << 10;
const LONGEST_HEADING: usize = 1 << 10;

/// The longest name of a column.
const LONGEST_NAME: usize = 40;

/// A heading, and what is below it.
struct Table<'t> {
    heading: &'t str,
    below: &'t str,
    form: TableForm,
}

/// What separates the cells of a table, and its rows.
#[derive(Clone, Copy)]
enum TableForm {
    Lines(char),
    /// Lines whose cells have at least two blanks between them.
    Aligned,
    /// `(…, password, …) VALUES (…), (…)`
    Insert,
    /// `<tr><th>Password</th></tr><tr><td>…</td></tr>`
    Html,
}

/// Reports the cells below the heading whose name has the keyword at `at`.
pub(super) fn column(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    let before = window_before(text, at);
    let after = window(&text[at..], LONGEST_HEADING);
    let tables = [
        lines(before, after),
        insert(before, after),
        html(before, after),
    ];
    for (start, form) in tables.into_iter().flatten() {
        let start = at - before.len() + start;
        let Some(table) = Table::read(window(&text[start..], LONGEST_TABLE), form) else {
            continue;
        };
        let names = form.cells(table.heading);
        let Some(column) = names
            .iter()
            .position(|name| range_in(text, name).contains(&at))
        else {
            continue;
        };
        let name = names[column];
        if !is_secret_name(name) || !names.iter().all(|name| is_name(name)) {
            continue;
        }
        for row in table.rows() {
            let cells = form.cells(row);
            // A column of row numbers has no heading.
            let from_right = cells.len().checked_sub(names.len() - column);
            let cell = from_right.and_then(|at| cells.get(at));
            let Some(cell) = cell.filter(|_| cells.len() <= names.len() + 1) else {
                continue;
            };
            let is_one_word = cell.len() >= 6 && !cell.contains(char::is_whitespace);
            if is_one_word && Judge::BareValue.accepts(name, cell) {
                tell(range_in(text, cell));
            }
        }
    }
}

/// Where a heading may begin in the text before a keyword, and of what form the table is.
type Beginning = Option<(usize, TableForm)>;

/// The line of the keyword, unless it is a row itself: the line before it has as many cells.
fn lines(before: &str, after: &str) -> Beginning {
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let rest = after.split('\n').next().unwrap_or_default();
    let cells = |mark: char| 1 + before[start..].matches(mark).count() + rest.matches(mark).count();
    let mark = ['|', '│', '\t', ',', ';']
        .into_iter()
        .find(|mark| cells(*mark) > 1);
    let form = match mark {
        Some(mark) => TableForm::Lines(mark),
        None if before[start..].contains("  ") || rest.contains("  ") => TableForm::Aligned,
        None => return None,
    };
    let previous = before[..start].trim_end_matches('\n').rsplit('\n').next();
    let previous = previous.unwrap_or_default();
    let is_row = match mark {
        Some(mark) => 1 + previous.matches(mark).count() == cells(mark),
        None => previous.trim().contains("  "),
    };
    let is_frame = previous
        .bytes()
        .all(|b| matches!(b, b'-' | b'+' | b'|' | b' ' | b'='));
    (is_frame || !is_row).then_some((start, form))
}

fn insert(before: &str, after: &str) -> Beginning {
    let rest = after.split_once(')')?.1.trim_start();
    let is_insert = rest.get(..6)?.eq_ignore_ascii_case("values");
    let start = before.rfind('(').filter(|_| is_insert)?;
    Some((start + 1, TableForm::Insert))
}

fn html(before: &str, after: &str) -> Beginning {
    let end = after.find('<').filter(|end| *end <= LONGEST_NAME)?;
    let is_cell = after[end..].starts_with("</th>") || after[end..].starts_with("</td>");
    let start = before.rfind("<tr").filter(|_| is_cell)?;
    Some((start, TableForm::Html))
}

impl<'t> Table<'t> {
    /// Reads the table at the start of a text.
    fn read(text: &'t str, form: TableForm) -> Option<Self> {
        let (heading, below) = match form {
            TableForm::Lines(_) | TableForm::Aligned => text.split_once('\n')?,
            TableForm::Insert => {
                let (heading, below) = text.split_once(')')?;
                (heading, below.split_once('(').map(|_| below)?)
            }
            TableForm::Html => {
                let end = text[1..].find("<tr")? + 1;
                text.split_at(end)
            }
        };
        let is_heading = heading.len() <= LONGEST_HEADING;
        is_heading.then_some(Self {
            heading,
            below,
            form,
        })
    }

    fn rows(&self) -> Box<dyn Iterator<Item = &'t str> + 't> {
        match self.form {
            TableForm::Lines(_) | TableForm::Aligned => {
                let lines = self.below.lines();
                Box::new(lines.take_while(|line| !line.trim().is_empty()))
            }
            TableForm::Insert => {
                let start = self.below.find('(').unwrap_or_default();
                let mut rest = &self.below[start..];
                Box::new(std::iter::from_fn(move || {
                    let (row, after) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
                    rest = after.strip_prefix(',').unwrap_or_default();
                    Some(row)
                }))
            }
            TableForm::Html => Box::new(self.below.split("<tr").skip(1)),
        }
    }
}

impl TableForm {
    /// The cells of a row, without quotes and marks around them.
    fn cells(self, row: &str) -> Vec<&str> {
        let cells: Vec<&str> = match self {
            Self::Lines(mark) => row.trim().trim_matches(['|', '│']).split(mark).collect(),
            Self::Insert => row.split(',').collect(),
            Self::Aligned => row
                .split("  ")
                .filter(|cell| !cell.trim().is_empty())
                .collect(),
            Self::Html => {
                let cells = row.split("<t").filter_map(|cell| cell.split_once('>'));
                let cells =
                    cells.filter(|(tag, _)| matches!(tag.split(' ').next(), Some("h" | "d")));
                cells
                    .map(|(_, cell)| cell.split('<').next().unwrap_or_default())
                    .collect()
            }
        };
        let is_around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*');
        cells
            .into_iter()
            .map(|cell| cell.trim_matches(is_around))
            .collect()
    }
}

/// True for what may name a column.
fn is_name(cell: &str) -> bool {
    let is_allowed =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '#' | '/');
    cell.len() <= LONGEST_NAME && cell.chars().all(is_allowed) && cell.split(' ').count() <= 4
}

/// The start of a text, cut between characters.
fn window(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What is directly before an offset, cut between characters.
fn window_before(text: &str, at: usize) -> &str {
    let mut start = at.saturating_sub(LONGEST_HEADING);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..at]
}
