//! Secrets in tables: the cells below a heading that names one.
//!
//! Tables are lines with bars, tabs, commas or wide gaps between their cells, rows of HTML, and the
//! columns of an `INSERT`.

use std::ops::Range;

use super::judge::{Judge, is_secret_name};

/// A table is read this far, and its heading is at most this long.
const LONGEST_TABLE: usize = 16 << 10;
const LONGEST_HEADING: usize = 1 << 10;

/// The longest name of a column.
const LONGEST_NAME: usize = 40;

/// What is between two cells.
#[derive(Clone, Copy, Debug)]
enum Between {
    Char(char),
    Blanks,
    Tags,
}

/// Reports the cells below the heading whose name has the keyword at `at`.
pub(super) fn column(text: &str, at: usize, tell: &mut dyn FnMut(Range<usize>)) {
    for (heading, between, rows) in [lines(text, at), insert(text, at), html(text, at)]
        .into_iter()
        .flatten()
    {
        let names = cells(heading, between);
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
        for row in rows {
            let cells = cells(row, between);
            // A column of row numbers has no heading.
            let from_right = cells.len().checked_sub(names.len() - column);
            let Some(cell) = from_right
                .and_then(|at| cells.get(at))
                .filter(|_| cells.len() <= names.len() + 1)
            else {
                continue;
            };
            let is_one_word = cell.len() >= 6 && !cell.contains(char::is_whitespace);
            if is_one_word && Judge::BareValue.accepts(name, cell) {
                tell(range_in(text, cell));
            }
        }
    }
}

type Table<'t> = (&'t str, Between, Vec<&'t str>);

/// The line of the keyword, if it may be a heading, and the lines below it up to an empty one.
fn lines(text: &str, at: usize) -> Option<Table<'_>> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let (heading, below) = text[start..].split_once('\n')?;
    if heading.len() > LONGEST_HEADING {
        return None;
    }
    let marks = ['|', '│', '\t', ',', ';'];
    let between = match marks.into_iter().find(|mark| heading.contains(*mark)) {
        Some(mark) => Between::Char(mark),
        None if heading.trim().contains("  ") => Between::Blanks,
        None => return None,
    };
    let rows = within(below, LONGEST_TABLE)
        .lines()
        .take_while(|line| !line.trim().is_empty());
    Some((heading, between, rows.collect()))
}

/// `INSERT INTO t (…, password, …) VALUES (…), (…)`
fn insert(text: &str, at: usize) -> Option<Table<'_>> {
    let before = &text[..at];
    let start = before
        .rfind('(')
        .filter(|start| at - start < LONGEST_HEADING)?
        + 1;
    let (heading, rest) = within(&text[start..], LONGEST_TABLE).split_once(')')?;
    let rest = rest.trim_start();
    let rows = rest
        .get(..6)
        .filter(|word| word.eq_ignore_ascii_case("values"))?;
    let mut rest = &rest[rows.len()..];
    let rows = std::iter::from_fn(|| {
        let (row, after) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
        rest = after.strip_prefix(',').unwrap_or_default();
        Some(row)
    });
    Some((heading, Between::Char(','), rows.collect()))
}

/// `<tr><th>Password</th></tr><tr><td>…</td></tr>`
fn html(text: &str, at: usize) -> Option<Table<'_>> {
    let after = text[at..]
        .find(['<', '\n'])
        .filter(|end| text[at + end..].starts_with("</t"));
    after?;
    let start = text[..at]
        .rfind("<tr")
        .filter(|start| at - start < LONGEST_HEADING)?;
    let mut rows = within(&text[start..], LONGEST_TABLE).split("<tr").skip(1);
    Some((rows.next()?, Between::Tags, rows.collect()))
}

/// The cells of a row, without quotes and marks around them.
fn cells(row: &str, between: Between) -> Vec<&str> {
    let cells: Vec<&str> = match between {
        Between::Char(mark) => row.trim().trim_matches(['|', '│']).split(mark).collect(),
        Between::Blanks => row
            .split("  ")
            .filter(|cell| !cell.trim().is_empty())
            .collect(),
        Between::Tags => {
            let cells = row
                .split("<t")
                .skip(1)
                .filter_map(|cell| cell.split_once('>'));
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

/// True for what may name a column.
fn is_name(cell: &str) -> bool {
    let is_allowed =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '#' | '/');
    cell.len() <= LONGEST_NAME && cell.chars().all(is_allowed) && cell.split(' ').count() <= 4
}

/// The start of a text, cut between characters.
fn within(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Where a part of a text is.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}
