//! A preview of what would leave the machine, before anything does.

use gemtrail_core::model::Kind;
use gemtrail_store::{Library, ReadDetail, SessionFilter};

use crate::options::LakeOptions;
use crate::rows::{SessionRows, rows_of_family};
use crate::source::{self, Contents};
use crate::table::{Cell, LakeColumn, LakeRow, LakeTable};

/// A table with a row of it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The table.
    pub table: LakeTable,
    /// Its columns, each with the value of the row.
    pub cells: Vec<(LakeColumn, Cell)>,
}

/// The number of sessions looked at to find a row for each table.
const MOST_SESSIONS: usize = 20;

/// A row of each table as it would be written, from the newest sessions.
pub fn explain(library: &Library, options: &LakeOptions<'_>) -> Vec<Example> {
    let newest = library.sessions(&SessionFilter::default());
    let newest = newest
        .iter()
        .filter(|row| row.kind == Kind::Main && !options.excludes(row.project.path.as_deref()));
    let tables = LakeTable::ALL
        .into_iter()
        .filter(|table| options.wants(*table));
    let tables: Vec<LakeTable> = tables.collect();
    let mut found = SessionRows::new();
    for row in newest.take(MOST_SESSIONS) {
        let rows = library.read(row.reference, ReadDetail::Words);
        let rows = rows.and_then(|session| rows_of_family(&[row], session, options));
        for (table, rows) in rows.into_iter().flatten().flatten() {
            let known = found.entry(table).or_default();
            if known.is_empty() {
                *known = rows;
            }
        }
        let has = |table: &LakeTable| found.get(table).is_some_and(|rows| !rows.is_empty());
        if tables
            .iter()
            .all(|table| *table == LakeTable::Projects || has(table))
        {
            break;
        }
    }
    let example = |table| {
        let rows = match table {
            LakeTable::Projects => source::project_rows(&Contents::of(library, options), options),
            table => found.remove(&table).unwrap_or_default(),
        };
        example(table, rows.into_iter().next())
    };
    tables.into_iter().map(example).collect()
}

fn example(table: LakeTable, row: Option<LakeRow>) -> Example {
    let columns = table.columns();
    let row = row.unwrap_or_else(|| vec![Cell::Null; columns.len()]);
    Example {
        table,
        cells: columns.iter().copied().zip(row).collect(),
    }
}
