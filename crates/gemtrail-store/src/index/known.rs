//! What the views know about the sessions of a project.

use std::collections::{HashMap, HashSet};

use gemtrail_home::outputs::Outputs;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Transaction};

use super::work::Key;
use crate::db::ArchiveError;
use crate::db::ids::{Dir, FileRowId, ProjectRowId, SessionRowId, VersionRowId};

/// A session that has views.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: SessionRowId,
    pub(super) fingerprint: i64,
    /// The change that added it.
    pub(super) added: i64,
    pub(super) is_main: bool,
    pub(super) is_log: bool,
    /// See the columns of the table.
    pub(super) prompts: i64,
    pub(super) logged: Vec<u8>,
    pub(super) said: Vec<u8>,
    /// Its files with the versions that were read.
    pub(super) files: Vec<(FileRowId, VersionRowId)>,
    /// The output files that it names, with the versions that were read.
    pub(super) outputs: Vec<(String, Option<VersionRowId>)>,
}

impl Known {
    /// True if the output files are still the versions that were read.
    pub(super) fn fits(&self, outputs: &Outputs<'_>) -> bool {
        let mut named = self.outputs.iter();
        named.all(|(name, version)| outputs.version_of(name) == *version)
    }
}

/// The sessions of a project that have views.
pub(super) fn sessions(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
) -> Result<HashMap<Key, Known>, ArchiveError> {
    let mut files = by_session(
        transaction,
        project,
        "SELECT journal.session, journal.file, journal.version
         FROM session JOIN journal ON journal.session = session.id WHERE session.project = ?1",
    )?;
    let mut outputs = by_session(
        transaction,
        project,
        "SELECT output.session, output.name, output.version
         FROM session JOIN output ON output.session = session.id WHERE session.project = ?1",
    )?;
    let mut statement = transaction.prepare_cached(
        "SELECT session.session, parent, first, id, print, kind, prompts, prompted.logged, said, added
         FROM session JOIN prompted ON prompted.session = session.id WHERE project = ?1",
    )?;
    let rows = statement.query_map([project], |row| {
        let parent: Option<String> = row.get(1)?;
        let key = (row.get(0)?, parent.unwrap_or_default(), row.get(2)?);
        let id = row.get(3)?;
        let kind = row.get_ref(5)?.as_str()?;
        let known = Known {
            id,
            fingerprint: row.get(4)?,
            is_main: kind == "main",
            is_log: kind == "log",
            prompts: row.get(6)?,
            logged: row.get(7)?,
            said: row.get(8)?,
            added: row.get(9)?,
            files: files.remove(&id).unwrap_or_default(),
            outputs: outputs.remove(&id).unwrap_or_default(),
        };
        Ok((key, known))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads a table that belongs to sessions, grouped by their rows.
fn by_session<A: FromSql, B: FromSql>(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
    sql: &str,
) -> Result<HashMap<SessionRowId, Vec<(A, B)>>, ArchiveError> {
    let mut found: HashMap<SessionRowId, Vec<(A, B)>> = HashMap::new();
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query([project])?;
    while let Some(row) = rows.next()? {
        let of_session = found.entry(row.get(0)?).or_default();
        of_session.push((row.get(1)?, row.get(2)?));
    }
    Ok(found)
}

/// The directories that contain the sessions of a project.
pub(crate) fn places(
    connection: &Connection,
    project: ProjectRowId,
) -> Result<HashSet<Dir>, ArchiveError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT file.home, file.dir FROM session
         JOIN journal ON journal.session = session.id JOIN file ON file.id = journal.file
         WHERE session.project = ?1",
    )?;
    let rows = statement.query_map([project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
