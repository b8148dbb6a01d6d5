//! Checks the integrity of an archive.

use std::collections::HashMap;

use rusqlite::{Connection, ErrorCode};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::open::Archive;
use crate::db::ArchiveError;
use crate::db::columns::{chunk_ids, unpack};
use crate::db::error::damaged;
use crate::db::ids::{ChunkRowId, ContentRowId, VersionRowId};
use crate::db::pool::Pool;
use crate::index::{sums, unit};
use crate::raw::chunk::{Hash, content_hash};

/// The schema name of [`ArchiveCheck`].
pub const CHECK_SCHEMA: &str = "gemtrail.archive-check/1";

/// Whether an archive holds what it should: `archive verify`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchiveCheck {
    /// Always `gemtrail.archive-check/1`.
    pub schema: String,
    /// Whether everything is as it should be.
    pub ok: bool,
    /// Chunks that were unpacked and compared with their digests.
    pub chunks: u64,
    /// Contents whose chunks were checked.
    pub contents: u64,
    /// Versions whose content was checked.
    pub versions: u64,
    /// What is wrong.
    pub problems: Vec<String>,
}

impl Archive {
    /// Checks every digest and every reference.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<ArchiveCheck, ArchiveError> {
        self.pool.with(|connection| {
            let mut check = ArchiveCheck {
                schema: CHECK_SCHEMA.to_owned(),
                ..ArchiveCheck::default()
            };
            // A consistent snapshot, whatever is written meanwhile.
            let _moment = connection.unchecked_transaction()?;
            check
                .all(connection, self.has_index(), progress)
                .map_err(as_finding)?;
            check.ok = check.problems.is_empty();
            Ok(check)
        })
    }
}

/// A missing or altered table is damage, not a read error.
fn as_finding(error: ArchiveError) -> ArchiveError {
    match error {
        ArchiveError::Database(error)
            if matches!(
                error.sqlite_error_code(),
                None | Some(ErrorCode::Unknown | ErrorCode::TypeMismatch)
            ) =>
        {
            damaged(error.to_string())
        }
        other => other,
    }
}

/// Rows of the raw layer that refer to nothing.
const RAW_REFERENCES: [(&str, &str); 2] = [
    (
        "files without home",
        "file WHERE home NOT IN (SELECT id FROM home)",
    ),
    (
        "contents without version",
        "content WHERE id NOT IN (SELECT content FROM version)",
    ),
];

/// Rows of the index that refer to nothing.
const INDEX_REFERENCES: [(&str, &str); 6] = [
    (
        "sessions without project",
        "session WHERE project NOT IN (SELECT id FROM project)",
    ),
    (
        "messages without session",
        "message WHERE session NOT IN (SELECT id FROM session)",
    ),
    (
        "tool calls without session",
        "tool_call WHERE session NOT IN (SELECT id FROM session)",
    ),
    (
        "texts without session",
        "unit WHERE session NOT IN (SELECT id FROM session)",
    ),
    (
        "sessions that lack texts",
        "(SELECT 1 FROM unit GROUP BY session HAVING count(*) <> max(number) + 1)",
    ),
    (
        "journals without file",
        "journal WHERE file NOT IN (SELECT id FROM file)",
    ),
];

/// The expected state of a chunk.
struct ChunkFacts {
    hash: Hash,
    bytes: u64,
    refs: i64,
}

impl ArchiveCheck {
    fn problem(&mut self, what: String) {
        self.problems.push(what);
    }

    fn all(
        &mut self,
        connection: &Connection,
        has_index: bool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), ArchiveError> {
        for schema in ["main", "ix"].iter().take(1 + usize::from(has_index)) {
            let sql = format!("PRAGMA {schema}.integrity_check");
            let mut statement = connection.prepare(&sql)?;
            let findings = statement.query_map([], |row| row.get::<_, String>(0))?;
            for finding in findings {
                let finding = finding?;
                if finding != "ok" {
                    self.problem(format!("SQLite says: {finding}"));
                }
            }
        }
        let chunks = self.chunks(connection, progress)?;
        self.contents(connection, chunks)?;
        self.versions(connection)?;
        self.references(connection, &RAW_REFERENCES)?;
        if has_index {
            self.references(connection, &INDEX_REFERENCES)?;
            let lost = unit::count_lost(connection)?;
            if lost > 0 {
                self.problem(format!("{lost} texts that cannot be found"));
            }
            if tables_of(connection)? != Pool::in_memory()?.with(tables_of)? {
                let what = "the tables of the index are not as they were made";
                self.problem(format!("{what}; run gemtrail sync --rebuild"));
            }
            let changed = sums::count_changed(connection)?;
            if changed > 0 {
                let what =
                    "sessions or projects differ from the index; run gemtrail sync --rebuild";
                self.problem(format!("{changed} {what}"));
            }
        }
        Ok(())
    }

    fn chunks(
        &mut self,
        connection: &Connection,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<HashMap<ChunkRowId, ChunkFacts>, ArchiveError> {
        let total = connection.query_row("SELECT count(*) FROM chunk", [], |row| row.get(0))?;
        let mut statement = connection.prepare("SELECT id, hash, bytes, refs, data FROM chunk")?;
        let mut rows = statement.query([])?;
        let mut chunks = HashMap::new();
        while let Some(row) = rows.next()? {
            let id: ChunkRowId = row.get(0)?;
            let facts = ChunkFacts {
                hash: row.get(1)?,
                bytes: row.get(2)?,
                refs: row.get(3)?,
            };
            let data = row.get_ref(4)?.as_bytes().unwrap_or_default();
            let length = usize::try_from(facts.bytes).unwrap_or(usize::MAX);
            match unpack(data, length) {
                Ok(bytes) if Hash::from(Sha256::digest(&bytes)) == facts.hash => {}
                Ok(_) => self.problem(format!("chunk {id} has a wrong digest")),
                Err(error) => self.problem(format!("chunk {id} cannot be unpacked: {error}")),
            }
            chunks.insert(id, facts);
            self.chunks += 1;
            if self.chunks.is_multiple_of(256) {
                progress(self.chunks, total);
            }
        }
        Ok(chunks)
    }

    fn contents(
        &mut self,
        connection: &Connection,
        mut chunks: HashMap<ChunkRowId, ChunkFacts>,
    ) -> Result<(), ArchiveError> {
        let mut statement = connection.prepare("SELECT id, hash, bytes, chunks FROM content")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, hash, bytes): (ContentRowId, Hash, u64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let list = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
            let (mut hashes, mut sum) = (Vec::new(), 0);
            for chunk in chunk_ids(list) {
                match chunks.get_mut(&chunk) {
                    Some(facts) => {
                        facts.refs -= 1;
                        sum += facts.bytes;
                        hashes.push(facts.hash);
                    }
                    None => self.problem(format!("content {id} lacks chunk {chunk}")),
                }
            }
            if sum != bytes || content_hash(&hashes) != hash {
                self.problem(format!("content {id} has changed"));
            }
            self.contents += 1;
        }
        for (id, facts) in chunks {
            if facts.refs != 0 {
                self.problem(format!(
                    "chunk {id} is counted {} times too many",
                    facts.refs
                ));
            }
        }
        Ok(())
    }

    fn versions(&mut self, connection: &Connection) -> Result<(), ArchiveError> {
        let mut statement = connection.prepare(
            "SELECT version.id, version.bytes, content.bytes, file.id IS NOT NULL FROM version
             LEFT JOIN content ON content.id = version.content
             LEFT JOIN file ON file.id = version.file",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, bytes): (VersionRowId, u64) = (row.get(0)?, row.get(1)?);
            let (stored, has_file): (Option<u64>, bool) = (row.get(2)?, row.get(3)?);
            if stored.is_none_or(|stored| stored < bytes) {
                self.problem(format!("version {id} has no content of its length"));
            }
            if !has_file {
                self.problem(format!("version {id} belongs to no file"));
            }
            self.versions += 1;
        }
        Ok(())
    }

    /// Counts what should not be there.
    fn references(
        &mut self,
        connection: &Connection,
        checks: &[(&str, &str)],
    ) -> Result<(), ArchiveError> {
        for (what, condition) in checks {
            let sql = format!("SELECT count(*) FROM {condition}");
            let count: u64 = connection.query_row(&sql, [], |row| row.get(0))?;
            if count > 0 {
                self.problem(format!("{count} {what}"));
            }
        }
        Ok(())
    }
}

/// The definitions of the tables of an index: a changed bit in one changes what is read from it.
fn tables_of(connection: &Connection) -> Result<Vec<(String, Option<String>)>, ArchiveError> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM ix.sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
    )?;
    let tables = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(tables.collect::<Result<_, _>>()?)
}
