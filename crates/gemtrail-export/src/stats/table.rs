//! Tables that fit: the least important columns go first, a row never wraps.

use crate::text::{Clean, fit, width};

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Names are aligned to the left and can be shortened, numbers to the right.
    pub is_name: bool,
    /// The lower, the earlier it goes; 0 for what must stay.
    pub rank: u8,
}

impl Column {
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
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// Between columns.
const GAP: usize = 2;

/// Names are not made shorter than this.
const LEAST_NAME: usize = 20;

impl Table {
    /// An empty table.
    pub fn new(columns: Vec<Column>) -> Self {
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

    /// Whether it has no rows.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let column = |title, is_name, rank| Column {
            title,
            is_name,
            rank,
        };
        let mut table = Table::new(vec![
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
