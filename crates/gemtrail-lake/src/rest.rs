//! Whether a partial run, with `--since` or `--table`, may leave a file as it is.

use std::collections::HashSet;
use std::path::Path;

use gemtrail_store::{ListRow, StampedRow};

use crate::cell::Cell;
use crate::error::LakeError;
use crate::names::Names;
use crate::options::LakeOptions;
use crate::stored::read_columns;
use crate::table::Table;

/// What a row says it is about.
const SESSION: &str = "session_id";
const PROJECT: &str = "project_key";

/// Whether a file has rows about none but these sessions, or about none but their projects: what
/// was forgotten or excluded since must not stay.
pub(crate) fn is_about(
    path: &Path,
    table: Table,
    sessions: &[&StampedRow],
    options: &LakeOptions<'_>,
) -> Result<bool, LakeError> {
    let sessions = sessions.iter();
    let known = sessions.flat_map(|it| spellings(&it.row, table, options));
    let known: HashSet<(Cell, Cell)> = known.collect();
    let mut is_known = true;
    let is_wanted = |column: &str| [SESSION, PROJECT].contains(&column);
    read_columns(path, table, is_wanted, |row| {
        let cell = |column| table.position(column).map(|at| row[at].clone());
        let [session, project] = [SESSION, PROJECT].map(|it| cell(it).unwrap_or(Cell::Null));
        is_known &= known.contains(&(session, project));
        Ok(())
    })?;
    Ok(is_known)
}

/// How files with words and files without spell what a row is about: a file that is left alone may
/// be of another level than this run.
fn spellings(row: &ListRow, table: Table, options: &LakeOptions<'_>) -> [(Cell, Cell); 2] {
    [true, false].map(|has_words| {
        let names = Names::with(options, has_words);
        let session = match table {
            Table::Projects => Cell::Null,
            _ => names.id(row.id.as_str()),
        };
        (session, names.project_key(&row.project))
    })
}
