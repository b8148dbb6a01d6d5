//! A preview of what would leave the machine, before anything does.

use gemtrail_core::model::Kind;
use gemtrail_store::{Library, ReadDetail, SessionFilter};

use crate::options::LakeOptions;
use crate::rows::SessionRows;
use crate::source::{self, Contents};
use crate::table::{Cell, LakeRow};
use crate::table::{LakeColumn, Table};

/// A table with a row of it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The table.
    pub table: Table,
    /// Its columns, each with the value of the row.
    pub cells: Vec<(LakeColumn, Cell)>,
}

/// The number of sessions looked at to find a row for each table.
const MOST_SESSIONS: usize = 20;

/// A row of each table as it would be written, from the newest sessions.
pub fn explain(library: &Library, options: &LakeOptions<'_>) -> Vec<Example> {
    let filter = SessionFilter::default();
    let rows = library.sessions(&filter);
    let newest = rows
        .iter()
        .filter(|row| row.kind == Kind::Main && !options.excludes(row.project.path.as_deref()));
    let mut found = SessionRows::default();
    for row in newest.take(MOST_SESSIONS) {
        let rows = library.read(row.reference, ReadDetail::Words);
        let rows = rows.and_then(|session| SessionRows::of_family(&[row], session, options));
        for rows in rows.into_iter().flatten() {
            found.fill(rows);
        }
        if found.is_full(options) {
            break;
        }
    }
    let tables = Table::ALL.into_iter().filter(|table| options.wants(*table));
    tables
        .map(|table| {
            let row = match table {
                Table::Projects => {
                    let contents = Contents::of(library, options);
                    source::project_rows(&contents, options).into_iter().next()
                }
                table => found.of_table(table).first().cloned(),
            };
            example(table, row)
        })
        .collect()
}

fn example(table: Table, row: Option<LakeRow>) -> Example {
    let columns = table.columns();
    let row = row.unwrap_or_else(|| vec![Cell::Null; columns.len()]);
    Example {
        table,
        cells: columns.iter().copied().zip(row).collect(),
    }
}

impl SessionRows {
    /// Takes the rows of tables that have none yet.
    fn fill(&mut self, other: Self) {
        let pairs = [
            (&mut self.requests, other.requests),
            (&mut self.sessions, other.sessions),
            (&mut self.tool_calls, other.tool_calls),
            (&mut self.messages, other.messages),
        ];
        for (own, other) in pairs {
            if own.is_empty() {
                *own = other;
            }
        }
    }

    fn is_full(&self, options: &LakeOptions<'_>) -> bool {
        let tables = Table::ALL.into_iter().filter(|it| *it != Table::Projects);
        let mut wanted = tables.filter(|it| options.wants(*it));
        wanted.all(|table| !self.of_table(table).is_empty())
    }
}
