//! Checksums of what the index has of a session: a flipped bit in a figure looks like a figure.

use gemtrail_core::Fingerprint;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Transaction};

use crate::db::ArchiveError;
use crate::db::ids::{ProjectRowId, SessionRowId};

/// The rows of a session, table by table.
const ROWS: [&str; 12] = [
    "SELECT * FROM session WHERE id = ?1",
    "SELECT * FROM line WHERE session = ?1",
    "SELECT * FROM facts WHERE session = ?1",
    "SELECT * FROM head WHERE session = ?1",
    "SELECT * FROM prompted WHERE session = ?1",
    "SELECT * FROM journal WHERE session = ?1 ORDER BY file",
    "SELECT * FROM output WHERE session = ?1 ORDER BY name",
    "SELECT * FROM diagnostic WHERE session = ?1 ORDER BY rowid",
    "SELECT * FROM message WHERE session = ?1 ORDER BY number",
    "SELECT * FROM tool_call WHERE session = ?1 ORDER BY message, number",
    "SELECT * FROM unit WHERE session = ?1 ORDER BY number",
    "SELECT * FROM turn WHERE session = ?1 ORDER BY turn",
];

const PROJECT: &str =
    "SELECT id, host, dir, hash, path, path_source, dirs FROM project WHERE id = ?1";

/// Notes the checksum of a session that was just written.
pub(super) fn put(
    transaction: &Transaction<'_>,
    session: SessionRowId,
) -> Result<(), ArchiveError> {
    let sum = of(transaction, &ROWS, session.0)?;
    transaction
        .prepare_cached("INSERT OR REPLACE INTO checksum(session, value) VALUES(?1, ?2)")?
        .execute((session, sum))?;
    Ok(())
}

/// Notes the checksum of a project that was just written.
pub(super) fn put_project(
    transaction: &Transaction<'_>,
    project: ProjectRowId,
) -> Result<(), ArchiveError> {
    let sum = of(transaction, &[PROJECT], project.0)?;
    transaction
        .prepare_cached("UPDATE project SET sum = ?2 WHERE id = ?1")?
        .execute((project, sum))?;
    Ok(())
}

/// The number of sessions and projects whose rows are not as they were written, or not there at all.
pub(crate) fn count_changed(connection: &Connection) -> Result<u64, ArchiveError> {
    let mut statement = connection.prepare(
        "SELECT session.id, value FROM session LEFT JOIN checksum ON checksum.session = session.id",
    )?;
    let mut rows = statement.query([])?;
    let lost = "SELECT count(*) FROM checksum WHERE session NOT IN (SELECT id FROM session)";
    let mut count = connection.query_row(lost, [], |row| row.get(0))?;
    while let Some(row) = rows.next()? {
        let sum = of(connection, &ROWS, row.get(0)?)?;
        count += u64::from(row.get::<_, Option<i64>>(1)? != Some(sum));
    }
    let mut statement = connection.prepare("SELECT id, sum FROM project")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let sum = of(connection, &[PROJECT], row.get(0)?)?;
        count += u64::from(row.get::<_, Option<i64>>(1)? != Some(sum));
    }
    Ok(count)
}

fn of(connection: &Connection, tables: &[&str], id: i64) -> Result<i64, ArchiveError> {
    let mut bytes = Vec::new();
    for sql in tables {
        let mut statement = connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                add(&mut bytes, row.get_ref(column)?);
            }
        }
        bytes.push(b'\n');
    }
    Ok(Fingerprint::of(&bytes).short().cast_signed())
}

/// Adds a value so that no other one looks like it.
fn add(bytes: &mut Vec<u8>, value: ValueRef<'_>) {
    let (kind, content): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => {
            bytes.push(1);
            bytes.extend(number.to_le_bytes());
            return;
        }
        ValueRef::Real(number) => {
            bytes.push(2);
            bytes.extend(number.to_le_bytes());
            return;
        }
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    bytes.push(kind);
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(content);
}
